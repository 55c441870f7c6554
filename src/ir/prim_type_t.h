/* What the type rules of primitives share. */
#ifndef IR_PRIM_TYPE_T_H
#define IR_PRIM_TYPE_T_H

#include "ir/ir_t.h"

struct prim_check {
    struct lift_ir *ir;
    enum lift_op op;
    const struct lift_prim_args *a;
    struct lift_type_error *error;
};

/* Fails; 'arg' is the argument at fault, or -1. */
lift_type prim_fail(struct prim_check *c, int arg, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expects WHAT, but got TYPE" */
lift_type prim_expected(struct prim_check *c, int arg, const char *what, lift_type got);
lift_type prim_nat_problem(struct prim_check *c, const char *what, lift_nat a,
                           lift_nat b);

lift_type prim_arg_type(struct prim_check *c, int arg);
/* The array type of an argument, or NULL with the error made. */
lift_type prim_arg_array(struct prim_check *c, int arg);
/* The result type of the function in a slot, whose parameters must be as its primitive
 * wants them. */
lift_type prim_fun_result(struct prim_check *c, int slot);

/* The second parameter of the function of a 'mapDevice'; prim_type_devices.c. */
lift_type prim_device_part(struct prim_check *c);

typedef lift_type prim_type_rule(struct prim_check *c);

/* prim_type_array.c */
#define ENTRY(op, type, ...) prim_type_rule prim_type_##type;
#include "ir/array_prims.def"
/* prim_type_scalar.c */
#define SCALAR(op, type, value) prim_type_rule prim_type_##type;
#include "ir/scalar_prims.def"

#endif
