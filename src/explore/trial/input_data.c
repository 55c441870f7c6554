#include "explore/input_data.h"
#include "base/bug.h"
#include "base/half.h"
#include "base/parallel.h"
#include <math.h>
#include <pthread.h>

enum { GRAIN = 1 << 18 }; /* elements of work for one thread */

/* ---- inputs */

/* A hash of three numbers (splitmix64's finalizer). */
static uint64_t mix(uint64_t seed, uint64_t buffer, uint64_t k)
{
    uint64_t x = seed + buffer * 0x9e3779b97f4a7c15u + (k + 1) * 0xbf58476d1ce4e5b9u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* [0, 1) */
static double unit(uint64_t bits)
{
    return (double)(bits >> 41) * 0x1p-23;
}

/* Bits that mark second seeds, and seeds with some inputs of large magnitude. */
static const uint64_t second_bit = 1ull << 63, far_bit = 1ull << 62;

uint64_t explore_second_seed(uint64_t seed)
{
    return ((seed + 1) & ~far_bit) | second_bit;
}

uint64_t explore_third_seed(uint64_t seed)
{
    return ((seed ^ 0x1e3779b97f4a7c15u) & ~far_bit) | second_bit;
}

static bool is_far(uint64_t seed)
{
    return (seed & second_bit) && (seed & far_bit);
}

uint64_t explore_far_seed(const struct explore_problem *p, uint64_t seed)
{
    const struct explore_reach *r = &p->reach;

    seed = explore_second_seed(seed);
    return r->high > 0 || r->low > 0 || r->integers > 0 ? seed | far_bit : seed;
}

bool explore_seed_is_plain(uint64_t seed)
{
    return !is_far(seed);
}

/* The inputs are twice as wide, and errors of products grow with the square. */
double explore_seed_width(uint64_t seed)
{
    return seed & second_bit ? 4 : 1;
}

static double second_float(const struct explore_problem *p, uint64_t bits)
{
    double a = unit(bits), b = (double)(bits & 0x3ff) * 0x1p-10;

    return p->positive ? 0.25 + 1.75 * a * b : 2 * (a - b);
}

static double second_integer(const struct explore_problem *p, uint64_t bits)
{
    double low = p->positive ? 1 : -9;

    switch (bits >> 62) {
    case 0:
        return low;
    case 1:
        return 9;
    default:
        return low + (double)(bits % (uint64_t)(10 - (int)low));
    }
}

static double second_datum(const struct explore_problem *p, uint64_t bits,
                           enum lift_scalar scalar)
{
    switch (scalar) {
    case LIFT_F32:
    case LIFT_F64:
    case LIFT_F16:
    case LIFT_BF16:
        return lift_scalar_round(scalar, (float)second_float(p, bits));
    case LIFT_I32:
        return second_integer(p, bits);
    case LIFT_BOOL:
        return (double)(bits >> 63);
    }
    LIFT_BUG("scalar of kind %d", (int)scalar);
}

/* Large magnitudes come in runs of elements: positive, then usual values, then negative.
 * Sums of neighbours are then large, too, also in small grids. Returns false for usual
 * elements. */
static bool far_datum(const struct explore_problem *p, uint64_t seed, int buffer,
                      enum lift_scalar scalar, int64_t k, double *out)
{
    enum { STRETCH = 24 };
    const struct explore_reach *r = &p->reach;
    double u = unit(mix(seed, (uint64_t)buffer, (uint64_t)k)), sign;
    uint64_t part = ((uint64_t)k / STRETCH + mix(seed, (uint64_t)buffer, 0) % 4) % 4;
    bool low = r->low > 0 && (!(r->high > 0) || part == 2);

    if (scalar == LIFT_BOOL || part % 2)
        return false;
    sign = part == 2 && !p->positive ? -1 : 1;
    if (scalar == LIFT_I32) {
        *out = sign * ceil(r->integers * u);
        return r->integers > 0;
    }
    *out = lift_scalar_round(scalar, low ? (float)(r->low * (0.25 + 1.5 * u))
                                         : (float)(sign * (0.25 + r->high * u)));
    return low || r->high > 0;
}

struct lift_random explore_random(const struct explore_problem *p, uint64_t seed,
                                  int buffer)
{
    return (struct lift_random){seed, buffer, (seed & second_bit) != 0, p->positive};
}

double explore_datum(const struct explore_problem *p, uint64_t seed, int buffer,
                     enum lift_scalar scalar, int64_t k)
{
    uint64_t bits = mix(seed, (uint64_t)buffer, (uint64_t)k);
    double far;

    if (is_far(seed) && far_datum(p, seed, buffer, scalar, k, &far))
        return far;
    if (seed & second_bit)
        return second_datum(p, bits, scalar);
    switch (scalar) {
    case LIFT_F32:
    case LIFT_F64:
    case LIFT_F16:
    case LIFT_BF16:
        return lift_scalar_round(scalar,
                                 p->positive ? 0.5 + unit(bits) : 2 * unit(bits) - 1);
    case LIFT_I32:
        return p->positive ? 1 + (double)(bits % 9) : (double)(bits % 19) - 9;
    case LIFT_BOOL:
        return (double)(bits >> 63);
    }
    LIFT_BUG("scalar of kind %d", (int)scalar);
}

void explore_set_element(void *data, enum lift_scalar scalar, int64_t k, double value)
{
    switch (scalar) {
    case LIFT_F32:
        ((float *)data)[k] = (float)value;
        break;
    case LIFT_F64:
        ((double *)data)[k] = value;
        break;
    case LIFT_I32:
        ((int32_t *)data)[k] = (int32_t)value;
        break;
    case LIFT_BOOL:
        ((unsigned char *)data)[k] = value != 0;
        break;
    case LIFT_F16:
        ((uint16_t *)data)[k] = lift_f16_of((float)value);
        break;
    case LIFT_BF16:
        ((uint16_t *)data)[k] = lift_bf16_of((float)value);
        break;
    }
}

double explore_element(const void *data, enum lift_scalar scalar, int64_t k)
{
    switch (scalar) {
    case LIFT_F32:
        return ((const float *)data)[k];
    case LIFT_F64:
        return ((const double *)data)[k];
    case LIFT_I32:
        return ((const int32_t *)data)[k];
    case LIFT_BOOL:
        return ((const unsigned char *)data)[k];
    case LIFT_F16:
        return lift_f16_value(((const uint16_t *)data)[k]);
    case LIFT_BF16:
        return lift_bf16_value(((const uint16_t *)data)[k]);
    }
    LIFT_BUG("scalar of kind %d", (int)scalar);
}

/* A buffer to fill. */
struct filling {
    const struct explore_problem *problem;
    uint64_t seed;
    int buffer;
    const struct explore_leaf *leaf;
    void *data;
};

/* Computes explore_datum in loops without branches. */
static void fill_floats(const struct filling *f, int64_t from, int64_t to)
{
    bool positive = f->problem->positive;
    double scale = positive ? 1 : 2, least = positive ? 0.5 : -1;
    float *data = f->data;

    for (int64_t k = from; k < to && (f->seed & second_bit); k++)
        data[k] = (float)second_float(f->problem,
                                      mix(f->seed, (uint64_t)f->buffer, (uint64_t)k));
    if (f->seed & second_bit)
        return;
    for (int64_t k = from; k < to; k++)
        data[k] =
            (float)(scale * unit(mix(f->seed, (uint64_t)f->buffer, (uint64_t)k)) + least);
}

static void fill_part(void *user, int64_t from, int64_t to)
{
    const struct filling *f = user;
    enum lift_scalar scalar = f->leaf->scalar;

    if (scalar == LIFT_F32 && !is_far(f->seed)) {
        fill_floats(f, from, to);
        return;
    }
    for (int64_t k = from; k < to; k++)
        explore_set_element(f->data, scalar, k,
                            explore_datum(f->problem, f->seed, f->buffer, scalar, k));
}

void explore_fill(const struct explore_problem *p, uint64_t seed, int buffer,
                  const struct explore_leaf *leaf, void *data)
{
    struct filling f = {p, seed, buffer, leaf, data};

    lift_parallel(leaf->count, GRAIN, fill_part, &f);
}

/* ---- comparing */

/* Error bound for values of about 1: twice the unit roundoff of the output's coarsest
 * arithmetic, for each operation of a point and a few more. */
static double roundoff(const struct explore_problem *p, int output)
{
    const double margin = 8;

    return p->epsilon[output] * (p->ops + margin);
}

/* The bound is relative to the largest value. It is never below the deviation of single
 * precision, times a margin for the larger number of points. Integers must be equal;
 * explore_excused covers differences that rounding decides. */
double explore_bound(const struct explore_problem *p, int output, enum lift_scalar scalar,
                     double magnitude)
{
    const double spread = 32;
    double seen = p->rounding[output];
    double bound =
        (roundoff(p, output) + p->stored[output]) * (magnitude > 1 ? magnitude : 1);

    if (!lift_scalar_is_real(scalar))
        return seen;
    return spread * seen > bound ? spread * seen : bound;
}

double explore_seed_bound(const struct explore_problem *p, uint64_t seed, int output,
                          enum lift_scalar scalar, double magnitude)
{
    const double spread = 32;
    double bound = explore_bound(p, output, scalar, magnitude) * explore_seed_width(seed);

    return is_far(seed) ? fmax(bound, spread * p->far_rounding[output]) : bound;
}

double explore_excused(const struct explore_problem *p, int output)
{
    const double margin = 4;

    return p->decided[output] ? margin * (p->ties[output] + roundoff(p, output)) : 0;
}

struct sizing {
    const void *data;
    enum lift_scalar scalar;
    pthread_mutex_t lock;
    double most;
};

static void size_part(void *user, int64_t from, int64_t to)
{
    struct sizing *s = user;
    double most = 0;

    for (int64_t k = from; k < to; k++) {
        double size = fabs(explore_element(s->data, s->scalar, k));

        if (isfinite(size) && size > most)
            most = size;
    }
    pthread_mutex_lock(&s->lock);
    s->most = most > s->most ? most : s->most;
    pthread_mutex_unlock(&s->lock);
}

double explore_magnitude(const void *data, enum lift_scalar scalar, int64_t count)
{
    struct sizing s = {data, scalar, PTHREAD_MUTEX_INITIALIZER, 0};

    lift_parallel(count, GRAIN, size_part, &s);
    return s.most;
}

static void compare_one(struct explore_verdict *v, double got, double want, int64_t at)
{
    double error = fabs(got - want);

    if (error <= v->bound) {
        if (error > v->max_error)
            v->max_error = error;
        return;
    }
    if (isnan(got) && isnan(want))
        return;
    if (got == want)
        return;
    if (!isfinite(got) && isfinite(want))
        v->nonfinite = true;
    if (isfinite(error) && error > v->max_error)
        v->max_error = error;
    if (v->bad++ == 0)
        v->first_bad = at;
}

struct closeness {
    const float *got, *want;
    double bound;
    pthread_mutex_t lock;
    int64_t close;
    float most;
};

static void close_part(void *user, int64_t from, int64_t to)
{
    struct closeness *c = user;
    float most = 0;
    int64_t close = 0;

    for (int64_t k = from; k < to; k++) {
        float error = fabsf(c->got[k] - c->want[k]);

        close += error <= c->bound;
        most = error > most ? error : most;
    }
    pthread_mutex_lock(&c->lock);
    c->close += close;
    c->most = most > c->most ? most : c->most;
    pthread_mutex_unlock(&c->lock);
}

/* True if all values are within the bound. One pass without branches suffices in nearly
 * all cases. */
static bool all_close(struct explore_verdict *v, const struct explore_pair *pair)
{
    struct closeness c = {.got = pair->got,
                          .want = pair->want,
                          .bound = v->bound,
                          .lock = PTHREAD_MUTEX_INITIALIZER};

    lift_parallel(pair->count, GRAIN, close_part, &c);
    if (c.close == pair->count && c.most > v->max_error)
        v->max_error = c.most;
    return c.close == pair->count;
}

void explore_compare(struct explore_verdict *v, struct explore_pair pair, int64_t base)
{
    if (pair.scalar == LIFT_F32 && !pair.doubles && all_close(v, &pair))
        return;
    for (int64_t k = 0; k < pair.count; k++)
        compare_one(v, explore_element(pair.got, pair.scalar, k),
                    pair.doubles ? ((const double *)pair.want)[k]
                                 : explore_element(pair.want, pair.scalar, k),
                    base + k);
}

void explore_excuse(struct explore_verdict *v, const struct explore_problem *p,
                    int output, int64_t count, int64_t bad)
{
    int64_t excused = (int64_t)(explore_excused(p, output) * (double)count);

    if (!v->nonfinite && v->bad - bad <= excused)
        v->bad = bad;
}
