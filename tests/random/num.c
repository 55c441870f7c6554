#include "num.h"
#include "base/bug.h"
#include <math.h>

/* Roundings charged for one operation: contraction, reciprocals and the like take a few.
 * Functions of libraries are off by some units. */
enum { SLACK = 4, LIBRARY = 64 };

/* Numbers: digits, the exponent of the least one above zero, the largest. */
static const struct format {
    int digits, least;
    double most;
} formats[] = {[RP_F32] = {24, -149, 0x1.fffffep127},
               [RP_F64] = {53, -1074, 0x1.fffffffffffffp1023},
               [RP_F16] = {11, -24, 65504},
               [RP_BF16] = {8, -133, 0x1.fep127}};

static double unit(enum rp_kind kind)
{
    return ldexp(1, -formats[kind].digits);
}

/* Below that numbers may be flushed to zero. */
static double tiny(enum rp_kind kind)
{
    return ldexp(1, formats[kind].least + formats[kind].digits - 1);
}

static bool is_float(enum rp_kind kind)
{
    return kind != RP_I32 && kind != RP_BOOL;
}

double rp_round(enum rp_kind kind, double value)
{
    const struct format *f = &formats[kind];
    int exponent;

    if (!is_float(kind) || kind == RP_F64 || value == 0 || !isfinite(value))
        return value;
    frexp(value, &exponent);
    exponent = exponent - f->digits > f->least ? exponent - f->digits : f->least;
    value = ldexp(rint(ldexp(value, -exponent)), exponent);
    return fabs(value) > f->most ? copysign(INFINITY, value) : value;
}

struct rp_num rp_num_of(enum rp_kind kind, double value)
{
    double v = kind == RP_I32 ? value + 0.0 : rp_round(kind, value);

    return (struct rp_num){.kind = kind, .sure = true, .v = v, .mag = fabs(v)};
}

struct rp_num rp_num_unknown(enum rp_kind kind)
{
    return (struct rp_num){.kind = kind, .base = INFINITY, .mag = INFINITY};
}

double rp_num_error(struct rp_num a)
{
    double error;

    if (!is_float(a.kind))
        return a.sure ? 0 : INFINITY;
    error = a.base;
    if (a.terms > 0)
        error += SLACK * (a.terms * unit(a.kind) * a.mag + tiny(a.kind));
    return isnan(error) ? INFINITY : error;
}

bool rp_num_known(struct rp_num a)
{
    return isfinite(rp_num_error(a));
}

struct rp_num rp_num_closed(struct rp_num a)
{
    a.base = rp_num_error(a);
    a.mag = fabs((double)a.v) + a.base;
    a.terms = 0;
    return a;
}

/* A float made by one operation. */
static struct rp_num made(enum rp_kind kind, long double v, double base, double roundings)
{
    struct rp_num r = {.kind = kind, .sure = true, .v = v};

    r.base = base + roundings * unit(kind) * fabs((double)v) + tiny(kind);
    if (!isfinite(r.base) || !isfinite(v) || fabsl(v) > 0x1p120L ||
        fabs((double)v) + r.base > formats[kind].most)
        return rp_num_unknown(kind);
    r.mag = fabs((double)v) + r.base;
    return r;
}

static struct rp_num truth(bool value, bool sure)
{
    return sure ? rp_num_of(RP_BOOL, value) : rp_num_unknown(RP_BOOL);
}

/* A relaxed program gives any value where an operation meets NaN or infinity. */
static bool is_open(bool exact, struct rp_num a)
{
    return !exact && is_float(a.kind) && !isfinite((double)a.v);
}

struct rp_num rp_num_chosen(bool exact, struct rp_num a)
{
    return is_open(exact, a) ? rp_num_unknown(a.kind) : a;
}

/* ---- conversions */

static struct rp_num to_integer(struct rp_num a)
{
    double error = rp_num_error(a);
    long double lo = truncl(a.v - error), hi = truncl(a.v + error);

    if (!(lo == hi) || isinf((double)lo) || fabsl(lo) > 0x7fffffff)
        return rp_num_unknown(RP_I32);
    return rp_num_of(RP_I32, (double)lo);
}

struct rp_num rp_num_convert(bool exact, enum rp_kind to, struct rp_num a)
{
    double rounded;

    if (to == a.kind)
        return a;
    if (!rp_num_known(a) || is_open(exact, a))
        return rp_num_unknown(to);
    if (to == RP_I32)
        return to_integer(a);
    rounded = rp_num_of(to, (double)a.v).v;
    if (rp_num_error(a) == 0 && (exact || rounded == a.v))
        return rp_num_of(to, rounded);
    return made(to, a.v, rp_num_error(a),
                unit(to) < unit(a.kind) && a.kind != RP_I32 ? 0 : SLACK);
}

/* ---- comparisons */

static bool compares(enum rp_op op, long double a, long double b)
{
    switch (op) {
    case RP_LT:
        return a < b;
    case RP_LE:
        return a <= b;
    case RP_GT:
        return a > b;
    case RP_GE:
        return a >= b;
    case RP_EQ:
        return a == b;
    default:
        return a != b;
    }
}

static struct rp_num compared(enum rp_op op, struct rp_num a, struct rp_num b)
{
    double error = rp_num_error(a) + rp_num_error(b);
    bool sure = error == 0 || (isfinite(error) && fabsl(a.v - b.v) > error);

    return truth(compares(op, a.v, b.v), sure);
}

static struct rp_num logical(enum rp_op op, struct rp_num a, struct rp_num b)
{
    bool settles = op == RP_OR;

    if ((a.sure && (a.v != 0) == settles) || (b.sure && (b.v != 0) == settles))
        return truth(settles, true);
    return truth(!settles, a.sure && b.sure);
}

/* ---- integers */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t integer_of(enum rp_op op, int64_t a, int64_t b, bool *bad)
{
    if ((op == RP_DIV || op == RP_MOD) && b == 0) {
        *bad = true;
        return 0;
    }
    switch (op) {
    case RP_ADD:
        return a + b;
    case RP_SUB:
        return a - b;
    case RP_MUL:
        return a * b;
    case RP_DIV:
        return floor_div(a, b);
    case RP_MOD:
        return a - b * floor_div(a, b);
    case RP_MIN:
        return a < b ? a : b;
    default:
        LIFT_ASSERT(op == RP_MAX);
        return a > b ? a : b;
    }
}

static struct rp_num integer(int64_t value, bool *bad)
{
    if (value < -INT32_MAX || value > INT32_MAX)
        *bad = true;
    return rp_num_of(RP_I32, (double)value);
}

/* ---- floats */

static struct rp_num rounded(enum rp_op op, struct rp_num a, struct rp_num b)
{
    double x = (double)a.v, y = (double)b.v;

    switch (op) {
    case RP_ADD:
        return rp_num_of(a.kind, x + y);
    case RP_SUB:
        return rp_num_of(a.kind, x - y);
    case RP_MUL:
        return rp_num_of(a.kind, x * y);
    default:
        LIFT_ASSERT(op == RP_DIV);
        return rp_num_of(a.kind, x / y);
    }
}

static struct rp_num sum(struct rp_num a, struct rp_num b, int sign)
{
    return (struct rp_num){.kind = a.kind,
                           .sure = true,
                           .v = a.v + sign * b.v,
                           .base = a.base + b.base,
                           .mag = a.mag + b.mag,
                           .terms = a.terms + b.terms + 1};
}

static struct rp_num product(struct rp_num a, struct rp_num b)
{
    return (struct rp_num){.kind = a.kind,
                           .sure = true,
                           .v = a.v * b.v,
                           .base = a.mag * b.base + b.mag * a.base + a.base * b.base,
                           .mag = a.mag * b.mag,
                           .terms = a.terms + b.terms + 1};
}

static struct rp_num quotient(struct rp_num a, struct rp_num b)
{
    double error = rp_num_error(b), least = fabs((double)b.v) - error;

    if (!(least > 0))
        return rp_num_unknown(a.kind);
    return (struct rp_num){.kind = a.kind,
                           .sure = true,
                           .v = a.v / b.v,
                           .base = a.base / least + a.mag * error / (least * least),
                           .mag = a.mag / least,
                           .terms = a.terms + 2};
}

static struct rp_num larger(enum rp_op op, struct rp_num a, struct rp_num b)
{
    bool first = op == RP_MIN ? a.v < b.v : a.v > b.v;
    struct rp_num r;

    if (rp_num_error(a) == 0 && rp_num_error(b) == 0)
        return first || isnan((double)b.v) ? a : b;
    r = (op == RP_MIN) == (a.v < b.v) ? rp_num_closed(a) : rp_num_closed(b);

    r.base = fmax(rp_num_error(a), rp_num_error(b));
    r.mag = fabs((double)r.v) + r.base;
    return r;
}

static struct rp_num power(struct rp_num a, struct rp_num b)
{
    double ea = rp_num_error(a), eb = rp_num_error(b);
    double least = (double)a.v - ea;
    long double v = powl(a.v, b.v);

    if (!(least > 0))
        return rp_num_unknown(a.kind);
    return made(a.kind, v,
                fabs((double)v) *
                    (fabs((double)b.v) * ea / least + fabs(log(least)) * eb) * 2,
                LIBRARY * (1 + fabs((double)b.v * log((double)a.v))));
}

static struct rp_num float_of(bool exact, enum rp_op op, struct rp_num a, struct rp_num b)
{
    if (op == RP_MIN || op == RP_MAX)
        return larger(op, a, b);
    if (op == RP_POW)
        return power(a, b);
    if (exact && rp_num_error(a) == 0 && rp_num_error(b) == 0)
        return rounded(op, a, b);
    switch (op) {
    case RP_ADD:
        return sum(a, b, 1);
    case RP_SUB:
        return sum(a, b, -1);
    case RP_MUL:
        return product(a, b);
    default:
        LIFT_ASSERT(op == RP_DIV);
        return quotient(a, b);
    }
}

struct rp_num rp_num_binary(bool exact, enum rp_op op, struct rp_num a, struct rp_num b,
                            bool *bad)
{
    struct rp_num r;

    if (op == RP_AND || op == RP_OR)
        return logical(op, a, b);
    if (op >= RP_LT && op <= RP_NE)
        return is_open(exact, a) || is_open(exact, b) ? truth(false, false)
                                                      : compared(op, a, b);
    if (!rp_num_known(a) || !rp_num_known(b) || is_open(exact, a) || is_open(exact, b))
        return rp_num_unknown(a.kind);
    if (a.kind == RP_I32)
        return integer(integer_of(op, (int64_t)a.v, (int64_t)b.v, bad), bad);
    r = float_of(exact, op, a, b);
    if (exact && rp_num_error(r) == 0)
        return r;
    return fabsl(r.v) < 0x1p120L && rp_num_known(r) ? r : rp_num_unknown(r.kind);
}

static struct rp_num root(bool exact, struct rp_num a)
{
    double error = rp_num_error(a), least = (double)a.v - error;

    if (exact && error == 0)
        return rp_num_of(a.kind, sqrt((double)a.v));
    if (!(least >= 0))
        return rp_num_unknown(a.kind);
    if (least == 0)
        return made(a.kind, sqrtl(a.v), sqrt((double)a.v + error), SLACK);
    return made(a.kind, sqrtl(a.v), error / sqrt(least), SLACK);
}

static struct rp_num library(enum rp_op op, struct rp_num a)
{
    double e = rp_num_error(a), v = (double)a.v;

    switch (op) {
    case RP_EXP:
        return made(a.kind, expl(a.v), exp(v + e) * e, LIBRARY * (1 + fabs(v)));
    case RP_LOG:
        if (!(v - e > 0))
            return rp_num_unknown(a.kind);
        return made(a.kind, logl(a.v), e / (v - e) + LIBRARY * unit(a.kind), LIBRARY);
    case RP_SIN:
        return made(a.kind, sinl(a.v), e + LIBRARY * unit(a.kind) * (1 + fabs(v)),
                    LIBRARY);
    default:
        LIFT_ASSERT(op == RP_COS);
        return made(a.kind, cosl(a.v), e + LIBRARY * unit(a.kind) * (1 + fabs(v)),
                    LIBRARY);
    }
}

static struct rp_num rounded_down(struct rp_num a)
{
    double e = rp_num_error(a);

    if (e == 0)
        return rp_num_of(a.kind, floor((double)a.v));
    if (floorl(a.v - e) != floorl(a.v + e))
        return rp_num_unknown(a.kind);
    return rp_num_of(a.kind, (double)floorl(a.v));
}

struct rp_num rp_num_unary(bool exact, enum rp_op op, struct rp_num a, bool *bad)
{
    if (op == RP_NOT)
        return truth(a.v == 0, a.sure);
    if (!rp_num_known(a) || is_open(exact, a))
        return rp_num_unknown(a.kind);
    if (op == RP_NEG || op == RP_ABS) {
        a.v = op == RP_NEG ? -a.v : fabsl(a.v);
        return a.kind == RP_I32 ? integer((int64_t)a.v, bad) : a;
    }
    if (op == RP_SQRT)
        return root(exact, a);
    return op == RP_FLOOR ? rounded_down(a) : library(op, a);
}

struct rp_num rp_num_either(struct rp_num a, struct rp_num b)
{
    long double lo, hi;

    if (!rp_num_known(a) || !rp_num_known(b))
        return rp_num_unknown(a.kind);
    if (!is_float(a.kind))
        return a.v == b.v ? a : rp_num_unknown(a.kind);
    if (!isfinite((double)a.v) || !isfinite((double)b.v))
        return rp_num_unknown(a.kind);
    lo = fminl(a.v - rp_num_error(a), b.v - rp_num_error(b));
    hi = fmaxl(a.v + rp_num_error(a), b.v + rp_num_error(b));
    return made(a.kind, (lo + hi) / 2, (double)(hi - lo) / 2, 1);
}
