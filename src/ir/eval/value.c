#include "ir/value.h"
#include "base/bug.h"
#include <float.h>
#include <math.h>
#include <string.h>

bool lift_nat_env_value(void *user, const char *name, int64_t *value)
{
    const struct lift_nat_env *env = user;

    for (int i = 0; i < env->count; i++)
        if (strcmp(env->names[i], name) == 0) {
            *value = env->values[i];
            return true;
        }
    return false;
}

struct lift_value lift_value_tuple(struct lift_arena *arena,
                                   const struct lift_value *items, int count)
{
    struct lift_value v = {.kind = LIFT_VALUE_TUPLE, .count = count};

    LIFT_ASSERT(count >= 0);
    v.u.items = lift_arena_copy(arena, items, sizeof *items * (size_t)count);
    return v;
}

static bool length(lift_type t, lift_nat_value *sizes, void *user, int64_t *count)
{
    return lift_nat_eval(t->len, sizes, user, count) && *count >= 0;
}

static bool tuple_scalars(lift_type t, lift_nat_value *sizes, void *user, int64_t *count)
{
    int64_t part;

    *count = 0;
    for (int i = 0; i < t->count; i++)
        if (!lift_type_scalars(t->parts[i], sizes, user, &part) ||
            __builtin_add_overflow(*count, part, count))
            return false;
    return true;
}

static bool array_scalars(lift_type t, lift_nat_value *sizes, void *user, int64_t *count)
{
    int64_t len, elem;

    return length(t, sizes, user, &len) &&
           lift_type_scalars(t->elem, sizes, user, &elem) &&
           !__builtin_mul_overflow(len, elem, count) &&
           *count <= INT64_MAX / (int64_t)sizeof(struct lift_value);
}

bool lift_type_scalars(lift_type t, lift_nat_value *sizes, void *user, int64_t *count)
{
    switch (t->kind) {
    case LIFT_TYPE_SCALAR:
        *count = 1;
        return true;
    case LIFT_TYPE_VECTOR:
        *count = t->count;
        return true;
    case LIFT_TYPE_TUPLE:
        return tuple_scalars(t, sizes, user, count);
    case LIFT_TYPE_ARRAY:
        return array_scalars(t, sizes, user, count);
    case LIFT_TYPE_FUN:
    case LIFT_TYPE_META:
        break;
    }
    return false;
}

/* Builds values scalar by scalar, in row-major order, from the numbers of 'next'. */
struct maker {
    struct lift_arena *arena;
    lift_nat_value *sizes;
    void *user;
    struct lift_value (*next)(struct maker *m, enum lift_scalar scalar);
    const double *doubles;
    const float *floats;
    struct lift_rng *rng;
    const struct lift_value_draw *draw;
};

static struct lift_value make(struct maker *m, lift_type t);

static struct lift_value make_items(struct maker *m, lift_type t)
{
    struct lift_value v = {.kind = t->kind == LIFT_TYPE_TUPLE    ? LIFT_VALUE_TUPLE
                                   : t->kind == LIFT_TYPE_VECTOR ? LIFT_VALUE_VECTOR
                                                                 : LIFT_VALUE_ARRAY,
                           .count = t->count};
    struct lift_value *items;

    if (t->kind == LIFT_TYPE_ARRAY && !length(t, m->sizes, m->user, &v.count))
        LIFT_BUG("a length that was known is not");
    items = LIFT_NEW_ARRAY(m->arena, struct lift_value, v.count);
    for (int64_t i = 0; i < v.count; i++)
        items[i] = t->kind == LIFT_TYPE_VECTOR
                       ? m->next(m, t->scalar)
                       : make(m, t->kind == LIFT_TYPE_TUPLE ? t->parts[i] : t->elem);
    v.u.items = items;
    return v;
}

static struct lift_value make(struct maker *m, lift_type t)
{
    return t->kind == LIFT_TYPE_SCALAR ? m->next(m, t->scalar) : make_items(m, t);
}

static bool make_checked(struct maker *m, lift_type t, struct lift_value *out)
{
    int64_t count;

    if (!lift_type_scalars(t, m->sizes, m->user, &count))
        return false;
    *out = make(m, t);
    return true;
}

static struct lift_value from_number(double x, enum lift_scalar scalar)
{
    if (scalar == LIFT_BOOL)
        return lift_value_bool(x != 0);
    if (scalar != LIFT_I32)
        return lift_value_float(x);
    return lift_value_int(x <= INT32_MIN   ? INT32_MIN
                          : x >= INT32_MAX ? INT32_MAX
                                           : (int64_t)x);
}

static struct lift_value next_double(struct maker *m, enum lift_scalar scalar)
{
    return from_number(*m->doubles++, scalar);
}

static struct lift_value next_float(struct maker *m, enum lift_scalar scalar)
{
    return from_number(*m->floats++, scalar);
}

static struct lift_value next_random(struct maker *m, enum lift_scalar scalar)
{
    if (scalar == LIFT_BOOL)
        return lift_value_bool(lift_rng_below(m->rng, 2));
    if (scalar == LIFT_I32)
        return lift_value_int(lift_rng_range(m->rng, -9, 9));
    return lift_value_float((double)lift_rng_range(m->rng, -(1 << 23), (1 << 23) - 1) /
                            (1 << 23));
}

bool lift_value_from_doubles(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                             void *user, const double *data, struct lift_value *out)
{
    struct maker m = {arena, sizes, user, next_double, .doubles = data};

    return make_checked(&m, t, out);
}

bool lift_value_from_floats(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                            void *user, const float *data, struct lift_value *out)
{
    struct maker m = {arena, sizes, user, next_float, .floats = data};

    return make_checked(&m, t, out);
}

/* A number of random magnitude with all mantissa bits of its type, so that sums are
 * rounded. */
static struct lift_value next_spread(struct maker *m, enum lift_scalar scalar)
{
    struct lift_value v = next_random(m, scalar);

    if (v.kind != LIFT_VALUE_FLOAT)
        return v;
    if (scalar == LIFT_F64)
        v.u.number += ldexp(next_random(m, LIFT_F32).u.number, -24);
    v.u.number = ldexp(v.u.number, (int)lift_rng_range(m->rng, -4, 4));
    return v;
}

/* Special cases of arithmetic and their neighbours. These are the ends of a type, the
 * first integer whose successor is not representable, halves, and numbers that no i32 or
 * f16 holds. */
static double special_float(struct lift_rng *rng, enum lift_scalar scalar)
{
    static const double shared[] = {0.0, -0.0,     0.0,       -0.0, 0.0, -0.0,
                                    0.0, -0.0,     0.0,       -0.0, 0.0, -0.0,
                                    NAN, INFINITY, -INFINITY, 1,    -1,  3};
    static const double f32[] = {FLT_TRUE_MIN, -FLT_TRUE_MIN,   FLT_MIN - FLT_TRUE_MIN,
                                 FLT_MIN,      FLT_MAX,         -FLT_MAX,
                                 1e20f,        1 + FLT_EPSILON, 1 - FLT_EPSILON / 2,
                                 0x1p24,       0x1p22 + 0.5,    0x1p31,
                                 -0x1p31,      -0x1p31 - 0x1p8, 65520,
                                 1e-20f};
    static const double f64[] = {DBL_TRUE_MIN, -DBL_TRUE_MIN,   DBL_MIN - DBL_TRUE_MIN,
                                 DBL_MIN,      DBL_MAX,         -DBL_MAX,
                                 1e200,        1 + DBL_EPSILON, 1 - DBL_EPSILON / 2,
                                 0x1p53,       0x1p51 + 0.5,    0x1p31,
                                 -0x1p31,      -0x1p31 - 1,     2.0 * FLT_MAX,
                                 1e-200};
    static const double f16[] = {0x1p-24, -0x1p-24,    0x1p-14 - 0x1p-24,
                                 0x1p-14, 65504,       -65504,
                                 65520,   1 + 0x1p-10, 1 - 0x1p-11,
                                 2048,    512.5,       32768,
                                 -32768,  -0x1p-14,    240,
                                 0x1p-12};
    enum { SHARED = sizeof shared / sizeof *shared, OWN = sizeof f32 / sizeof *f32 };
    uint64_t draw = lift_rng_below(rng, SHARED + OWN);

    return draw < SHARED        ? shared[draw]
           : scalar == LIFT_F64 ? f64[draw - SHARED]
           : scalar == LIFT_F16 ? f16[draw - SHARED]
                                : f32[draw - SHARED];
}

static double next_of_type(enum lift_scalar scalar, double x, double towards)
{
    double next = scalar == LIFT_F64 ? nextafter(x, towards)
                                     : (double)nextafterf((float)x, (float)towards);
    double coarse = x + (towards > x ? 1 : -1) * fabs(x) * lift_scalar_epsilon(scalar);

    return lift_scalar_is_storage(scalar) ? coarse : next;
}

/* One of the given numbers, a neighbour, or a number on either side. */
static double number_about(struct maker *m, enum lift_scalar scalar)
{
    double unit = (double)lift_rng_below(m->rng, 1 << 20) / (1 << 20);
    double x = m->draw->about[lift_rng_below(m->rng, (uint64_t)m->draw->about_count)];

    switch (lift_rng_below(m->rng, m->draw->bits ? 6 : 2)) {
    case 0:
        return x * (0.5 + 1.5 * unit);
    case 1:
        return (4 * unit - 2) * (fabs(x) + 1);
    case 2:
        return next_of_type(scalar, x, INFINITY);
    case 3:
        return next_of_type(scalar, x, -INFINITY);
    case 4:
        return -x;
    default:
        return x;
    }
}

static struct lift_value next_drawn(struct maker *m, enum lift_scalar scalar)
{
    static const int32_t i32[] = {INT32_MIN, INT32_MAX, -1, 0, 1, 46341, 65536};
    const struct lift_value_draw *draw = m->draw;
    int percent = scalar == LIFT_I32 ? draw->percent / 4 : draw->percent;

    if (scalar == LIFT_BOOL)
        return next_random(m, scalar);
    if (draw->about_count && lift_rng_below(m->rng, 4) == 0)
        return from_number(lift_scalar_is_real(scalar)
                               ? lift_scalar_round(scalar, number_about(m, scalar))
                               : round(number_about(m, LIFT_F64)),
                           scalar);
    if ((int)lift_rng_below(m->rng, 100) >= percent)
        return draw->bits ? next_spread(m, scalar) : next_random(m, scalar);
    if (scalar == LIFT_I32)
        return lift_value_int(i32[lift_rng_below(m->rng, sizeof i32 / sizeof *i32)]);
    return lift_value_float(special_float(m->rng, scalar));
}

bool lift_value_special(struct lift_arena *arena, lift_type t,
                        const struct lift_value_draw *draw, struct lift_rng *rng,
                        struct lift_value *out)
{
    struct maker m = {arena, NULL, NULL, next_drawn, .rng = rng, .draw = draw};

    return make_checked(&m, t, out);
}

bool lift_value_random(struct lift_arena *arena, lift_type t, lift_nat_value *sizes,
                       void *user, struct lift_rng *rng, struct lift_value *out)
{
    struct maker m = {arena, sizes, user, next_random, .rng = rng};

    return make_checked(&m, t, out);
}

static bool has_items(struct lift_value v)
{
    LIFT_ASSERT(v.kind != LIFT_VALUE_NONE && v.kind != LIFT_VALUE_LAZY);
    return v.kind == LIFT_VALUE_VECTOR || v.kind == LIFT_VALUE_TUPLE ||
           v.kind == LIFT_VALUE_ARRAY;
}

static double number(struct lift_value v)
{
    return v.kind == LIFT_VALUE_FLOAT ? v.u.number : (double)v.u.integer;
}

int64_t lift_value_scalars(struct lift_value v)
{
    int64_t count = 0;

    if (!has_items(v))
        return 1;
    for (int64_t i = 0; i < v.count; i++)
        count += lift_value_scalars(v.u.items[i]);
    return count;
}

static double *flatten(struct lift_value v, double *out)
{
    if (!has_items(v)) {
        *out = number(v);
        return out + 1;
    }
    for (int64_t i = 0; i < v.count; i++)
        out = flatten(v.u.items[i], out);
    return out;
}

void lift_value_flatten(struct lift_value v, double *out)
{
    flatten(v, out);
}

static void print_scalar(struct lift_value v, struct lift_str *out)
{
    if (v.kind == LIFT_VALUE_BOOL)
        lift_str_add(out, v.u.integer ? "true" : "false");
    else if (v.kind == LIFT_VALUE_INT)
        lift_str_addf(out, "%lld", (long long)v.u.integer);
    else if (isnan(v.u.number))
        lift_str_add(out, "nan"); /* any sign and payload */
    else
        lift_str_addf(out, "%.9g", v.u.number);
}

void lift_value_print(struct lift_value v, int limit, struct lift_str *out)
{
    static const char *const brackets[] = {
        [LIFT_VALUE_VECTOR] = "<>", [LIFT_VALUE_TUPLE] = "()", [LIFT_VALUE_ARRAY] = "[]"};

    if (!has_items(v)) {
        print_scalar(v, out);
        return;
    }
    lift_str_addc(out, brackets[v.kind][0]);
    for (int64_t i = 0; i < v.count && i < limit; i++) {
        lift_str_add(out, i ? ", " : "");
        lift_value_print(v.u.items[i], limit, out);
    }
    if (v.count > limit)
        lift_str_add(out, limit > 0 ? ", ..." : "...");
    lift_str_addc(out, brackets[v.kind][1]);
}

struct comparison {
    double absolute, relative;
    bool bits; /* no tolerance; zeros of different signs differ */
    struct lift_str *where;
};

/* The path to an item of arrays and tuples; printed only if values differ. */
struct place {
    const struct place *outer;
    int64_t index;
    bool tuple;
};

static bool close_numbers(const struct comparison *c, double a, double b)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (c->bits)
        return a == b && !signbit(a) == !signbit(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return fabs(a - b) <= c->absolute + c->relative * larger;
}

static void print_place(const struct place *at, struct lift_str *out)
{
    if (at->outer)
        print_place(at->outer, out);
    lift_str_addf(out, at->tuple ? ".%lld" : "[%lld]", (long long)at->index);
}

static bool differ(const struct comparison *c, const struct place *at,
                   struct lift_value a, struct lift_value b)
{
    if (!c->where)
        return false;
    if (at) {
        print_place(at, c->where);
        lift_str_add(c->where, ": ");
    }
    lift_value_print(a, 4, c->where);
    lift_str_add(c->where, " against ");
    lift_value_print(b, 4, c->where);
    return false;
}

static bool close_values(const struct comparison *c, const struct place *at,
                         struct lift_value a, struct lift_value b)
{
    struct place item = {.outer = at, .tuple = a.kind == LIFT_VALUE_TUPLE};
    bool same;

    if (a.kind != b.kind || (has_items(a) && a.count != b.count))
        return differ(c, at, a, b);
    if (!has_items(a)) {
        same = a.kind == LIFT_VALUE_FLOAT ? close_numbers(c, a.u.number, b.u.number)
                                          : a.u.integer == b.u.integer;
        return same || differ(c, at, a, b);
    }
    for (; item.index < a.count; item.index++)
        if (!close_values(c, &item, a.u.items[item.index], b.u.items[item.index]))
            return false;
    return true;
}

bool lift_value_close(struct lift_value a, struct lift_value b, double absolute,
                      double relative, struct lift_str *where)
{
    return close_values(&(struct comparison){absolute, relative, false, where}, NULL, a,
                        b);
}

bool lift_value_same(struct lift_value a, struct lift_value b, struct lift_str *where)
{
    return close_values(&(struct comparison){0, 0, true, where}, NULL, a, b);
}
