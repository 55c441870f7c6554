/* What the printers of terms and programs share. */
#ifndef IR_TEXT_PRINT_T_H
#define IR_TEXT_PRINT_T_H

#include "lift/expr.h"

/* The sizes, tunables and free variables of a term, in the order in which they are met.
 */
struct print_vars {
    struct print_nat {
        const char *name;
        enum lift_var_kind kind;
        int64_t lo, hi;
    } * nats;
    int nat_count, nat_cap;
    lift_expr *frees;
    int free_count, free_cap;
};

void print_vars_collect(lift_expr e, struct print_vars *out);
void print_vars_fini(struct print_vars *vars);
/* A number as the parser reads it: 0.1f, 0.1d, 3; and a term. 'scope': names that the
 * program around gives to something. */
void print_number(enum lift_scalar scalar, double number, const char *const *scope,
                  int scope_count, struct lift_str *out);
void print_in_program(lift_expr e, int indent, const char *const *scope, int scope_count,
                      struct lift_str *out);

#endif
