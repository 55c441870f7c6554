/* Shared by the printers of terms and programs. */
#ifndef IR_TEXT_PRINT_T_H
#define IR_TEXT_PRINT_T_H

#include "ir/expr.h"

/* The sizes, tunables and free variables of a term, in the order of their first
 * occurrence. */
struct print_vars {
    struct lift_var *nats;
    int nat_count, nat_cap;
    lift_expr *frees;
    int free_count, free_cap;
};

enum { PRINT_STEP = 4 }; /* of an indentation */

/* Binding strength, as in the grammar. */
enum { LOOSE = 0, OR = 4, AND, EQUAL, COMPARE, SUM, PRODUCT, UNARY, TIGHT };

struct printer {
    struct lift_str *out;
    struct print_vars vars;   /* names that parameters must not take */
    const char *const *scope; /* names that the term may not use */
    int scope_count;
    const char **names; /* of the parameters in scope, outermost first */
    int count, cap;
    struct lift_arena *arena;
    bool flat;    /* the whole term is on one line */
    bool alike;   /* equal terms get equal names */
    size_t limit; /* characters of an attempt on one line; 0: none */
};

void print_vars_collect(lift_expr e, struct print_vars *out);
void print_vars_fini(struct print_vars *vars);
/* Print a number in the syntax of the parser (0.1f, 0.1d, 3), and a term. 'scope': names
 * that the surrounding program defines. */
void print_number(enum lift_scalar scalar, double number, const char *const *scope,
                  int scope_count, struct lift_str *out);
void print_in_program(lift_expr e, int indent, const char *const *scope, int scope_count,
                      struct lift_str *out);

/* Prints with parentheses if 'e' binds less strongly than 'least'. */
void print_expr(struct printer *p, lift_expr e, int least, int indent);

/* print_leaf.c. Prints a name of the language, with '@' if the program redefines the
 * name. */
void print_own(struct printer *p, const char *name);
/* 'hint', with the smallest suffix that makes the name unique. */
const char *print_new_name(struct printer *p, const char *hint);
/* Adds the name of a parameter to the scope. */
void print_push_name(struct printer *p, const char *name);
/* True if the output has exceeded 'limit', the length of one line. */
bool print_is_over(const struct printer *p);
void print_newline(struct printer *p, int indent);
void print_literal(struct printer *p, lift_expr e);
void print_bound(struct printer *p, int index);

/* print_call.c. name[options](arguments), without the last argument if 'partial'. */
void print_call(struct printer *p, lift_expr e, bool partial, int indent);
void print_options(struct printer *p, lift_expr e, const struct lift_prim_info *info);

#endif
