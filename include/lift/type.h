/* Types: scalars, vectors, tuples, arrays and functions. Interned in an IR context:
 * equality is pointer equality, sizes being equal as normal forms (lift/nat.h). */
#ifndef LIFT_TYPE_H
#define LIFT_TYPE_H

#include "lift/nat.h"

enum lift_type_kind {
    LIFT_TYPE_SCALAR,
    LIFT_TYPE_VECTOR,
    LIFT_TYPE_TUPLE,
    LIFT_TYPE_ARRAY,
    LIFT_TYPE_FUN,
};

enum lift_scalar { LIFT_F32, LIFT_F64, LIFT_I32, LIFT_BOOL };

struct lift_type {
    enum lift_type_kind kind;
    enum lift_scalar scalar; /* SCALAR, VECTOR */
    int count;               /* VECTOR: lanes; TUPLE: members; FUN: parameters */
    const struct lift_type *const *parts; /* TUPLE: members; FUN: parameters */
    const struct lift_type *elem;         /* ARRAY: element; FUN: result */
    lift_nat len;                         /* ARRAY: number of elements */
    struct lift_hash hash;                /* stable */
};

typedef const struct lift_type *lift_type;

/* Everything of one compilation: arena, nats, types and expressions. One thread at a
 * time. */
struct lift_ir;

struct lift_ir *lift_ir_create(void);
void lift_ir_destroy(struct lift_ir *ir);
struct lift_arena *lift_ir_arena(struct lift_ir *ir);
struct lift_nats *lift_ir_nats(struct lift_ir *ir);
/* The interned copy of a name. */
const char *lift_ir_name(struct lift_ir *ir, const char *name);

lift_type lift_type_scalar(struct lift_ir *ir, enum lift_scalar scalar);
lift_type lift_type_vector(struct lift_ir *ir, enum lift_scalar scalar, int width);
lift_type lift_type_tuple(struct lift_ir *ir, const lift_type *members, int count);
lift_type lift_type_array(struct lift_ir *ir, lift_type elem, lift_nat len);
lift_type lift_type_fun(struct lift_ir *ir, const lift_type *params, int count,
                        lift_type result);

/* f32, f64, i32, bool: the words of the language. */
const char *lift_scalar_name(enum lift_scalar scalar);
int lift_scalar_bytes(enum lift_scalar scalar);

bool lift_type_is_scalar(lift_type t, enum lift_scalar scalar);
/* Scalar or vector of f32 or f64. */
bool lift_type_is_float(lift_type t);
/* Scalar or vector of any kind. */
bool lift_type_is_value(lift_type t);
/* No function inside. */
bool lift_type_is_data(lift_type t);
/* Dimensions of an array of arrays ...; 0 for anything else. */
int lift_type_rank(lift_type t);
/* The element under all array dimensions. */
lift_type lift_type_base(lift_type t);
/* Number of base elements, as a nat. */
lift_nat lift_type_points(struct lift_ir *ir, lift_type t);

/* The same type in another context, with the sizes substituted (see lift_nat_subst). */
lift_type lift_type_subst(struct lift_ir *into, lift_type t, lift_nat_lookup *lookup,
                          void *user);

/* As the parser reads it: f32, f32<4>, (a, b), [a]n, (a, b) -> c. */
void lift_type_print(lift_type t, struct lift_str *out);

#endif
