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
    LIFT_VALUE_LAZY, /* an array during evaluation; inputs and results contain none */
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

/* Names with their integers, in the given order. The struct is the 'user' argument of
 * its lookup function for lift_nat_eval and similar functions. */
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

/* Counts the scalars in a value of type 't', including lanes and members. Returns false
 * if a size is unknown or negative, there are too many scalars, or 't' is not data.
 * 'sizes' may be NULL. */
bool lift_type_scalars(lift_type t, lift_nat_value *sizes, void *user, int64_t *count);

/* Makes a value of type 't' from lift_type_scalars(t) numbers in row-major order. The
 * members of a tuple and the lanes of a vector are consecutive. Returns false if
 * lift_type_scalars fails. Numbers of i32 are rounded towards zero; a bool is true
 * unless 0. */
bool lift_value_from_doubles(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                             void *user, const double *data, struct lift_value *out);
bool lift_value_from_floats(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                            void *user, const float *data, struct lift_value *out);
/* The inverse: writes lift_value_scalars(v) numbers in this order. To flatten a tuple to
 * separate buffers, flatten each member items[k]. */
int64_t lift_value_scalars(struct lift_value v);
void lift_value_flatten(struct lift_value v, double *out);

/* Draws a value of type 't': floats uniform in [-1, 1) and exact in f32, i32 in -9 .. 9.
 * Returns false if lift_type_scalars fails. */
bool lift_value_random(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                       void *user, struct lift_rng *rng, struct lift_value *out);

/* The distribution of the numbers of a value. */
struct lift_value_draw {
    /* True: floats in (-16, 16) with all mantissa bits of their type, for bitwise
     * comparison. False: as lift_value_random. */
    bool bits;
    /* Percentage of special floats: zeros of both signs, infinities, NaN, subnormal
     * numbers, the largest and smallest of the type, and others that cause exceptions. A
     * quarter of this percentage of the i32 are the largest or the smallest. */
    int percent;
    /* A quarter of the numbers are near these numbers. With 'bits', some are equal to
     * these numbers or their successors. */
    const double *about;
    int about_count;
};
/* Draws a value of a type without variables. */
bool lift_value_special(struct lift_arena *arena, lift_type t,
                        const struct lift_value_draw *draw, struct lift_rng *rng,
                        struct lift_value *out);

/* True if the two values have one shape, and floats differ by at most absolute +
 * relative * max(|a|, |b|). Other scalars must be equal. NaN equals NaN, and an infinity
 * only itself. Otherwise writes the first difference to 'where' (may be NULL):
 * "[2][0].1: 3.5 against 3.25". */
bool lift_value_close(struct lift_value a, struct lift_value b, double absolute,
                      double relative, struct lift_str *where);

/* True if the two values are bitwise equal, except that all NaN are equal. Zeros of
 * different signs differ. 'where' as in lift_value_close. */
bool lift_value_same(struct lift_value a, struct lift_value b, struct lift_str *where);

/* Prints a value for messages: [1, 2, ...], (1, true), <1, 2>; at most 'limit' items at
 * each level. */
void lift_value_print(struct lift_value v, int limit, struct lift_str *out);

#endif
