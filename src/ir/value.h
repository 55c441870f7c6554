/* Values: what the interpreter computes with (ir/eval.h), and the way to and from flat
 * buffers. A value is small and passed by value; the items of vectors, tuples and arrays
 * live in an arena, and are never changed once made. */
#ifndef IR_VALUE_H
#define IR_VALUE_H

#include "base/rng.h"
#include "ir/type.h"

enum lift_value_kind {
    LIFT_VALUE_NONE,
    LIFT_VALUE_FLOAT, /* of f32 or f64, held as a double */
    LIFT_VALUE_INT,   /* of i32 */
    LIFT_VALUE_BOOL,
    LIFT_VALUE_VECTOR,
    LIFT_VALUE_TUPLE,
    LIFT_VALUE_ARRAY,
    LIFT_VALUE_LAZY, /* an array during evaluation; in no input and in no result */
};

struct lift_lazy;

struct lift_value {
    enum lift_value_kind kind;
    int64_t count; /* VECTOR: lanes; TUPLE: members; ARRAY, LAZY: elements */
    union {
        double number;                  /* FLOAT */
        int64_t integer;                /* INT; BOOL: 0 or 1 */
        const struct lift_value *items; /* VECTOR, TUPLE, ARRAY */
        struct lift_lazy *lazy;         /* LAZY */
    } u;
};

/* Names with their integers, in the order given: a lookup for lift_nat_eval and the like,
 * with the struct as 'user'. */
struct lift_nat_env {
    const char *const *names;
    const int64_t *values;
    int count;
};

lift_nat_value lift_nat_env_value;

static inline struct lift_value lift_value_float(double number)
{
    return (struct lift_value){.kind = LIFT_VALUE_FLOAT, .u.number = number};
}

static inline struct lift_value lift_value_int(int64_t integer)
{
    return (struct lift_value){.kind = LIFT_VALUE_INT, .u.integer = integer};
}

static inline struct lift_value lift_value_bool(bool truth)
{
    return (struct lift_value){.kind = LIFT_VALUE_BOOL, .u.integer = truth};
}

/* The items are copied into 'arena'. */
struct lift_value lift_value_tuple(struct lift_arena *arena,
                                   const struct lift_value *items, int count);

/* Number of scalars in a value of type 't', counting lanes and members; false if a size
 * is unknown or negative, there are too many, or 't' is no data. 'sizes' may be NULL. */
bool lift_type_scalars(lift_type t, lift_nat_value *sizes, void *user, int64_t *count);

/* A value of type 't' from lift_type_scalars(t) numbers in row-major order, the members
 * of a tuple and the lanes of a vector one after the other. False where lift_type_scalars
 * is. Numbers of i32 are rounded towards zero; a bool is true unless 0. */
bool lift_value_from_doubles(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                             void *user, const double *data, struct lift_value *out);
bool lift_value_from_floats(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                            void *user, const float *data, struct lift_value *out);
/* The way back: lift_value_scalars(v) numbers in the same order. Components of a tuple
 * are items[k], to be flattened each into its own buffer. */
int64_t lift_value_scalars(struct lift_value v);
void lift_value_flatten(struct lift_value v, double *out);

/* A value of type 't': floats uniform in [-1, 1) and exact in f32, i32 in -9 .. 9. False
 * where lift_type_scalars is. */
bool lift_value_random(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                       void *user, struct lift_rng *rng, struct lift_value *out);

/* How the numbers of a value are drawn. */
struct lift_value_draw {
    /* Floats of (-16, 16) with all the bits of their type, for comparisons bit by bit;
     * else as lift_value_random. */
    bool bits;
    /* So many of the floats are zeros of both signs, infinities, NaN, subnormal, the
     * largest or the smallest of their type, and others of which arithmetic makes
     * exceptions; a quarter of this share of the i32 are the largest or the smallest. */
    int percent;
    /* A quarter of all lies on both sides of these numbers; with 'bits', some are these
     * numbers and the next ones of the type. */
    const double *about;
    int about_count;
};
/* Of types without variables. */
bool lift_value_special(struct lift_arena *arena, lift_type t,
                        const struct lift_value_draw *draw, struct lift_rng *rng,
                        struct lift_value *out);

/* True if the two have one shape, and floats differ by at most
 * absolute + relative * max(|a|, |b|), others not at all; NaN equals NaN, and infinities
 * only themselves. If not, 'where' (may be NULL) says where first: "[2][0].1: 3.5
 * against 3.25". */
bool lift_value_close(struct lift_value a, struct lift_value b, double absolute,
                      double relative, struct lift_str *where);

/* True if the two are the same bit by bit, but that all NaN are one: zeros of different
 * signs differ. 'where' as above. */
bool lift_value_same(struct lift_value a, struct lift_value b, struct lift_str *where);

/* For messages: [1, 2, ...], (1, true), <1, 2>; at most 'limit' items at each level. */
void lift_value_print(struct lift_value v, int limit, struct lift_str *out);

#endif
