/* What the printers of terms and programs share. */
#ifndef IR_TEXT_PRINT_T_H
#define IR_TEXT_PRINT_T_H

#include "ir/expr.h"

/* The sizes, tunables and free variables of a term, in the order in which they are met.
 */
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
    const char *const *scope; /* names of the program around, which it may not use */
    int scope_count;
    const char **names; /* of the parameters in scope, outermost first */
    int count, cap;
    struct lift_arena *arena;
    bool flat;    /* all on one line */
    bool alike;   /* equal terms by equal names */
    size_t limit; /* of a trial on one line; 0: none */
};

void print_vars_collect(lift_expr e, struct print_vars *out);
void print_vars_fini(struct print_vars *vars);
/* A number as the parser reads it: 0.1f, 0.1d, 3; and a term. 'scope': names that the
 * program around gives to something. */
void print_number(enum lift_scalar scalar, double number, const char *const *scope,
                  int scope_count, struct lift_str *out);
void print_in_program(lift_expr e, int indent, const char *const *scope, int scope_count,
                      struct lift_str *out);

/* Prints with parentheses if 'e' binds less strongly than asked for. */
void print_expr(struct printer *p, lift_expr e, int least, int indent);

/* print_leaf.c. A name of the language, with '@' before it where the program has it as
 * well. */
void print_own(struct printer *p, const char *name);
/* The hint, with the least number after it that makes it new. */
const char *print_new_name(struct printer *p, const char *hint);
/* Of a parameter that is in scope from now on. */
void print_push_name(struct printer *p, const char *name);
/* Whether a trial on one line has become too long. */
bool print_is_over(const struct printer *p);
void print_newline(struct printer *p, int indent);
void print_literal(struct printer *p, lift_expr e);
void print_bound(struct printer *p, int index);

/* print_call.c. name[options](arguments), without the last argument if 'partial'. */
void print_call(struct printer *p, lift_expr e, bool partial, int indent);
void print_options(struct printer *p, lift_expr e, const struct lift_prim_info *info);

#endif
