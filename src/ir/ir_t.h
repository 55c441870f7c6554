/* The implementation of the context of ir/type.h and ir/expr.h: private to src/ir. */
#ifndef IR_T_H
#define IR_T_H

#include "base/table.h"
#include "ir/expr.h"
#include "lift/build.h"

struct lift_ir {
    struct lift_arena *arena;
    struct lift_nats *nats;
    bool own_nats;
    const struct lift_unifier *unifier; /* types patterns (ir/scheme.h), or NULL */
    struct lift_table names;
    struct lift_table types;
    struct lift_table exprs;
    uint32_t expr_count;
    unsigned fresh;
    const char *error;
    lift_type scalars[LIFT_SCALARS];
    struct lift_hash
        op_hashes[LIFT_OP_COUNT]; /* hashes of names; zero: not yet computed */
};

/* Mixes addresses and small numbers for the tables; not stable, not stored. */
static inline uint64_t ir_mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static inline uint64_t ir_mix_ptr(uint64_t h, const void *p)
{
    return ir_mix(h, (uint64_t)(uintptr_t)p);
}

/* Records the first error of the context. Returns NULL, for builders to return. */
void *ir_set_error(struct lift_ir *ir, const char *text);

/* True if a node belongs to this context. */
bool ir_owns(struct lift_ir *ir, lift_expr e);

/* The type that a type metavariable is bound to; other types are unchanged. */
lift_type ir_find_type(struct lift_ir *ir, lift_type t);

/* The type of a node, or NULL and an error. All functions among the arguments are
 * lambdas. */
lift_type ir_prim_type(struct lift_ir *ir, enum lift_op op,
                       const struct lift_prim_args *args, struct lift_type_error *error);

/* True for points of a grid of d dimensions, ([[i32]d]n, [[[s]q]d]n). A point has the
 * corner of a box of q elements a side, and weights along each dimension. */
bool ir_are_points(lift_type t, lift_type grid);

/* A size as an i32. */
lift_expr ir_size(struct lift_ir *ir, lift_nat n);
/* 'value' spread over a type: arrays of 'value', tuples of 'value' or of its members. */
lift_expr ir_fill(struct lift_ir *ir, lift_type type, lift_expr value);

#endif
