/* Types: scalars, vectors, tuples, arrays and functions. Types are interned in an IR
 * context: equality is pointer equality. Sizes are equal if their normal forms are equal
 * (ir/nat.h). */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include "ir/nat.h"

enum lift_type_kind {
    LIFT_TYPE_SCALAR,
    LIFT_TYPE_VECTOR,
    LIFT_TYPE_TUPLE,
    LIFT_TYPE_ARRAY,
    LIFT_TYPE_FUN,
    LIFT_TYPE_META, /* a variable for a type in the pattern of a rule */
};

struct lift_type_node {
    enum lift_type_kind kind;
    enum lift_scalar scalar; /* SCALAR, VECTOR */
    int count; /* VECTOR: lanes; TUPLE: members; FUN: parameters; META: its number */
    const struct lift_type_node *const *parts; /* TUPLE: members; FUN: parameters */
    /* ARRAY: element; FUN: result; VECTOR of a pattern: lane */
    const struct lift_type_node *elem;
    lift_nat len;          /* ARRAY: number of elements; VECTOR of a pattern: lanes */
    struct lift_hash hash; /* equal on all machines */
    bool sized;            /* the type contains a symbolic length */
};

/* A context that uses the pool 'nats' for sizes; the pool must outlive the context. */
struct lift_ir *lift_ir_create_on(struct lift_nats *nats);
struct lift_arena *lift_ir_arena(struct lift_ir *ir);
/* The interned copy of a name. */
const char *lift_ir_name(struct lift_ir *ir, const char *name);

bool lift_type_is_scalar(lift_type t, enum lift_scalar scalar);
/* True for a scalar or vector of f32 or f64. */
bool lift_type_is_float(lift_type t);
/* True for f16 and bf16. */
bool lift_scalar_is_storage(enum lift_scalar scalar);
/* True for f16, bf16, f32 and f64. */
bool lift_scalar_is_real(enum lift_scalar scalar);
/* The nearest value of a real type. f16 and bf16 are rounded to f32 first, as in kernels.
 */
double lift_scalar_round(enum lift_scalar scalar, double x);
/* The difference between 1 and the next number of a real type. */
double lift_scalar_epsilon(enum lift_scalar scalar);
/* True for a scalar or vector of any kind. */
bool lift_type_is_value(lift_type t);
/* True if the type contains no function. */
bool lift_type_is_data(lift_type t);
lift_type lift_type_meta(struct lift_ir *ir, int number);
/* A vector type of a pattern. */
lift_type lift_type_lanes(struct lift_ir *ir, lift_type lane, lift_nat width);
/* The element type below all array dimensions. */
lift_type lift_type_base(lift_type t);
/* The number of base elements. */
lift_nat lift_type_points(struct lift_ir *ir, lift_type t);

/* The type in another context, with the sizes substituted (see lift_nat_subst). */
lift_type lift_type_subst(struct lift_ir *into, lift_type t, lift_nat_lookup *lookup,
                          void *user);

#endif
