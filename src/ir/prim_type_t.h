/* Fails; 'arg' is the invalid argument, or -1. */
#ifndef IR_PRIM_TYPE_T_H
#define IR_PRIM_TYPE_T_H

#include "ir/ir_t.h"

struct prim_check {
    struct lift_ir *ir;
    enum lift_op op;
    const struct lift_prim_args *a;
    struct lift_type_error *error;
};

/* Fails with "expects WHAT, but got TYPE". */
lift_type prim_fail(struct prim_check *c, int arg, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expects WHAT, but got TYPE" */
lift_type prim_expected(struct prim_check *c, int arg, const char *what, lift_type got);
lift_type prim_nat_problem(struct prim_check *c, const char *what, lift_nat a,
                           lift_nat b);

lift_type prim_arg_type(struct prim_check *c, int arg);
/* The array type of an argument; NULL after reporting an error. */
lift_type prim_arg_array(struct prim_check *c, int arg);
/* The result type of the function in a slot, which must have these 'n' parameters. */
lift_type prim_fun_result(struct prim_check *c, int slot, const lift_type *params, int n);

typedef lift_type prim_type_rule(struct prim_check *c);

/* The rule for primitives with a scheme (ir/scheme.h). */
prim_type_rule prim_type_scheme;
/* prim_type_special.c: rules that no scheme can express. */
prim_type_rule prim_type_get, prim_type_pad, prim_type_join_shift, prim_type_inset_box,
    prim_type_inject, prim_type_convert, prim_type_user_fun;

#endif
