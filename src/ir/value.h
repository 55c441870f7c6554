/* Values of the interpreter (ir/eval.h), and conversion from and to flat buffers. A value
 * is small and passed by value. The items of vectors, tuples and arrays live in an arena
 * and are immutable. */
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
 * of a tuple and the lanes of a vector one after the other. False if lift_type_scalars
 * fails. Numbers of i32 are rounded towards zero; a bool is true unless 0. */
bool lift_value_from_doubles(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                             void *user, const double *data, struct lift_value *out);
bool lift_value_from_floats(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                            void *user, const float *data, struct lift_value *out);
/* The inverse: writes lift_value_scalars(v) numbers in this order. To flatten a tuple to
 * separate buffers, flatten each member items[k]. */
int64_t lift_value_scalars(struct lift_value v);
void lift_value_flatten(struct lift_value v, double *out);

/* A value of type 't': floats uniform in [-1, 1) and exact in f32, i32 in -9 .. 9. False
 * if lift_type_scalars fails. */
bool lift_value_random(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                       void *user, struct lift_rng *rng, struct lift_value *out);

/* How the numbers of a value are drawn. */
struct lift_value_draw {
    /* True: floats of (-16, 16) with all mantissa bits of their type, for bitwise
     * comparison. False: as lift_value_random. */
    bool bits;
    /* Percentage of special floats: zeros of both signs, infinities, NaN, subnormal
     * numbers, the largest and smallest of the type, and others that cause exceptions. A
     * quarter of this percentage of the i32 are the largest or the smallest. */
    int percent;
    /* A quarter of the numbers lie near these; with 'bits', some are equal to these
     * numbers or their successors. */
    const double *about;
    int about_count;
};
/* Of types without variables. */
bool lift_value_special(struct lift_arena *arena, lift_type t,
                        const struct lift_value_draw *draw, struct lift_rng *rng,
                        struct lift_value *out);

/* True if the two have one shape, and floats differ by at most
 * absolute + relative * max(|a|, |b|); other scalars must be equal. NaN equals NaN, and
 * an infinity only itself. Otherwise writes the first difference to 'where' (may be
 * NULL):
 * "[2][0].1: 3.5 against 3.25". */
bool lift_value_close(struct lift_value a, struct lift_value b, double absolute,
                      double relative, struct lift_str *where);

/* True if the two are bitwise equal, except that all NaN are equal. Zeros of different
 * signs differ. 'where' as in lift_value_close. */
bool lift_value_same(struct lift_value a, struct lift_value b, struct lift_str *where);

/* For messages: [1, 2, ...], (1, true), <1, 2>; at most 'limit' items at each level. */
void lift_value_print(struct lift_value v, int limit, struct lift_str *out);

#endif
