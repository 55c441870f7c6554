/* f16 and bf16: their conversions, all bit patterns, as numbers, in kernels and in the
 * interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/half.h"
#include "base/rng.h"
#include "device/device.h"
#include "plan_of.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERNS = 1 << 16, AROUND = 4, NUMBERS = PATTERNS * (AROUND + 1) + 5 };

struct format {
    const char *name;
    int fraction, bias; /* bits of the fraction; of the exponent */
    uint16_t (*of)(float x);
    float (*value)(uint16_t bits);
};

static const struct format formats[] = {
    {"f16", 10, 15, lift_f16_of, lift_f16_value},
    {"bf16", 7, 127, lift_bf16_of, lift_bf16_value},
};

/* ---- the definition of the formats */

static bool is_nan(const struct format *f, unsigned bits)
{
    unsigned infinity = (2u * (unsigned)f->bias + 1) << f->fraction;

    return (bits & 0x7fff) > infinity;
}

static double meaning(const struct format *f, unsigned bits)
{
    int exponent = (int)((bits & 0x7fff) >> f->fraction), top = 2 * f->bias + 1;
    int rest = (int)(bits & ((1u << f->fraction) - 1));
    double size = exponent == top ? (rest ? NAN : INFINITY)
                  : exponent      ? ldexp(rest + (1 << f->fraction), exponent - f->bias)
                                  : ldexp(rest, 1 - f->bias);

    size = ldexp(size, -f->fraction);
    return bits & 0x8000 ? -size : size;
}

/* Between a pattern without sign and the next: infinity counts as the number that would
 * be there. */
static double middle(const struct format *f, unsigned bits)
{
    double last = ldexp(1, f->bias + 1), above = meaning(f, bits + 1);

    return (meaning(f, bits) + (isinf(above) ? last : above)) / 2;
}

static bool same(const struct format *f, unsigned a, unsigned b)
{
    return a == b || (is_nan(f, a) && is_nan(f, b));
}

static void expect(const struct format *f, double x, unsigned want)
{
    unsigned got = f->of((float)x);

    if (!same(f, got, want))
        fail_msg("%s of %a is %04x, not %04x", f->name, x, got, want);
    got = f->of(-(float)x);
    if (!same(f, got, want ^ 0x8000))
        fail_msg("%s of %a is %04x, not %04x", f->name, -x, got, want ^ 0x8000);
}

static void check_values(const struct format *f)
{
    for (unsigned bits = 0; bits < PATTERNS; bits++) {
        double is = (double)f->value((uint16_t)bits), want = meaning(f, bits);

        if (is_nan(f, bits) ? !isnan(is) : is != want || !signbit(is) != !signbit(want))
            fail_msg("%s %04x is %a, not %a", f->name, bits, is, want);
        assert_true(same(f, f->of((float)is), bits));
    }
}

static void check_rounding(const struct format *f)
{
    unsigned infinity = (2u * (unsigned)f->bias + 1) << f->fraction;

    for (unsigned bits = 0; bits < infinity; bits++) {
        float tie = (float)middle(f, bits);

        expect(f, (double)tie, bits + (bits & 1));
        expect(f, (double)nextafterf(tie, 0), bits);
        expect(f, (double)nextafterf(tie, INFINITY), bits + 1);
    }
    expect(f, INFINITY, infinity);
    expect(f, NAN, infinity + 1);
}

static void test_functions(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        check_values(&formats[i]);
        check_rounding(&formats[i]);
    }
}

/* ---- kernels */

/* All bit patterns, numbers between two representable ones, and arbitrary numbers. */
struct data {
    uint16_t bits[PATTERNS], made[2][NUMBERS];
    float numbers[NUMBERS], values[2][PATTERNS];
};

static void add_around(float *to, float tie)
{
    to[0] = tie;
    to[1] = nextafterf(tie, -INFINITY);
    to[2] = nextafterf(tie, INFINITY);
}

static struct data *make_data(void)
{
    struct data *d = calloc(1, sizeof *d);
    struct lift_rng rng;
    float *to = d->numbers;

    lift_rng_seed(&rng, 5);
    for (unsigned i = 0; i < PATTERNS; i++) {
        const struct format *f = &formats[i & 1];
        uint32_t any = (uint32_t)lift_rng_next(&rng);

        d->bits[i] = (uint16_t)i;
        add_around(to, (float)middle(f, i & 0x7fff) * (i & 0x8000 ? -1.0f : 1.0f));
        memcpy(&to[3], &any, sizeof any);
        to[4] = formats[1 - (i & 1)].value((uint16_t)i);
        to += AROUND + 1;
    }
    return d;
}

/* Subnormal numbers of f32 are zero to some devices, and bf16 has them. */
static bool is_tiny(float x)
{
    return x != 0 && fabsf(x) < 0x1p-126f;
}

static void compare(const struct data *d, int format, const char *text)
{
    const struct format *f = &formats[format];

    for (unsigned i = 0; i < PATTERNS; i++) {
        float want = f->value((uint16_t)i), is = d->values[format][i];

        if (is_nan(f, i) ? !isnan(is) : memcmp(&is, &want, sizeof is) != 0)
            fail_msg("%s %04x is %a, not %a\n%s", f->name, i, (double)is, (double)want,
                     text);
    }
    for (int i = 0; i < NUMBERS; i++) {
        unsigned want = f->of(d->numbers[i]), is = d->made[format][i];

        if (!same(f, is, want) && !is_tiny(d->numbers[i]))
            fail_msg("%s of %a is %04x, not %04x\n%s", f->name, (double)d->numbers[i], is,
                     want, text);
    }
}

static void check_kernel(struct lift_planner *planner, const char *device,
                         const char *text)
{
    struct data *d = make_data();
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = text, .device = device});
    const void *in[] = {d->bits, d->bits, d->numbers};
    void *out[] = {d->values[0], d->values[1], d->made[0], d->made[1]};

    if (!lift_plan_execute(plan, in, out, &error))
        fail_msg("%s", lift_error_text(&error));
    for (int format = 0; format < 2; format++)
        compare(d, format, lift_plan_facts(plan)->source);
    lift_plan_destroy(plan);
    free(d);
}

/* 'map' before a function, an array behind it, and a parenthesis. */
static void check_form(struct lift_planner *planner, const char *device, const char *map,
                       const char *end)
{
    char text[1024];

    snprintf(text, sizeof text,
             "exact\n"
             "size m = %d, n = %d\n"
             "stencil conversions(h: [f16]m, b: [bf16]m, x: [f32]n) -> (hs, bs, to, tob) "
             "=\n"
             "    (%s v => f32(v), h%s, %s v => f32(v), b%s,\n"
             "     %s v => f16(v), x%s, %s v => bf16(v), x%s)\n",
             PATTERNS, NUMBERS, map, end, map, end, map, end, map, end);
    check_kernel(planner, device, text);
}

static void check_compiler(const char *compiler)
{
    static const char *const maps[] = {"map(",      "mapSimd(",  "mapVec(2,",
                                       "mapVec(4,", "mapVec(8,", "mapVec(16,"};
    struct lift_planner *planner;

    assert_int_equal(setenv("LIFT_CC", compiler, 1), 0);
    planner = lift_planner_create(NULL, &error);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        check_form(planner, "host", maps[i], ")");
    lift_planner_destroy(planner);
    unsetenv("LIFT_CC");
}

static void test_gcc(void **state)
{
    (void)state;
    if (system("gcc --version >/dev/null 2>&1"))
        skip();
    check_compiler("gcc");
}

static void test_clang(void **state)
{
    (void)state;
    if (system("clang --version >/dev/null 2>&1"))
        skip();
    check_compiler("clang");
}

static void test_opencl(void **state)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("opencl:0", &failure);
    struct lift_planner *planner;

    (void)state;
    lift_error_fini(&failure);
    if (!device)
        skip();
    lift_device_close(device);
    planner = lift_planner_create(NULL, &error);
    check_form(planner, "opencl:0", "map(", ")");
    lift_planner_destroy(planner);
}

/* ---- fields of a time loop */

/* A state of two fields that are stored as different types, one of them overwritten. */
static const char wave[] =
    "exact\n"
    "size nx = 37, ny = 23\n"
    "type grid = [[f32]nx]ny\n"
    "fun next(p, w) = 1.9 * w[1][1] - 0.9 * p + 0.2 * (w[0][1] + w[1][0] + w[1][2] + "
    "w[2][1]\n"
    "    - 4.0 * w[1][1])\n"
    "stencil wave(prev: grid store bf16, cur: grid store f16) -> (old store bf16, new "
    "store f16) =\n"
    "    map2((p, w) => (w[1][1], next(p, w)),\n"
    "        zip2(prev, slide2(3, 1, pad2(1, 1, constant 0.3, cur))))\n"
    "time (prev, cur) <- (old, new)\n";

enum { POINTS = 37 * 23, ROUNDS = 3 };

struct state {
    uint16_t prev[POINTS], cur[POINTS], old[POINTS], new[POINTS];
};

static void start(struct state *s)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, 3);
    for (int i = 0; i < POINTS; i++) {
        float x = (float)lift_rng_unit(&rng);

        s->prev[i] = lift_bf16_of(x);
        s->cur[i] = lift_f16_of(i % 50 ? 1.1f * x : 0x1.8p-24f);
    }
}

static void step(struct lift_planner *planner, struct state *s, int steps)
{
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = wave, .steps = steps});
    const void *in[] = {s->prev, s->cur};
    void *out[] = {s->old, s->new};

    assert_int_equal(lift_plan_outputs(plan), 2);
    if (!lift_plan_execute(plan, in, out, &error))
        fail_msg("%s", lift_error_text(&error));
    lift_plan_destroy(plan);
}

/* By the bits, with the arithmetic of f32 in the order of the program. */
static void step_by_hand(struct state *s)
{
    enum { NX = 37, NY = 23 };
    static float v[NY + 2][NX + 2];

    for (int y = 0; y < NY + 2; y++)
        for (int x = 0; x < NX + 2; x++)
            v[y][x] = y && x && y <= NY && x <= NX
                          ? lift_f16_value(s->cur[(y - 1) * NX + x - 1])
                          : lift_f16_value(lift_f16_of(0.3f));
    for (int y = 1; y <= NY; y++)
        for (int x = 1; x <= NX; x++) {
            int i = (y - 1) * NX + x - 1;
            volatile float a = 1.9f * v[y][x], b = 0.9f * lift_bf16_value(s->prev[i]);
            volatile float sum = v[y - 1][x] + v[y][x - 1], four = 4.0f * v[y][x];

            sum = sum + v[y][x + 1];
            sum = sum + v[y + 1][x];
            sum = sum - four;
            sum = 0.2f * sum;
            a = a - b;
            s->new[i] = lift_f16_of(a + sum);
            s->old[i] = lift_bf16_of(v[y][x]);
        }
}

/* Steps that are fused are rounded as those that are not: each where it would be stored.
 */
static void test_steps(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct state *fused = calloc(1, sizeof *fused), *one = calloc(1, sizeof *one);

    (void)state;
    start(fused);
    start(one);
    step(planner, fused, ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        struct state hand = *one;

        step(planner, one, 1);
        step_by_hand(&hand);
        assert_memory_equal(one->new, hand.new, sizeof hand.new);
        assert_memory_equal(one->old, hand.old, sizeof hand.old);
        memcpy(one->prev, one->old, sizeof one->prev);
        memcpy(one->cur, one->new, sizeof one->cur);
    }
    assert_memory_equal(fused->new, one->new, sizeof one->new);
    assert_memory_equal(fused->old, one->old, sizeof one->old);
    free(fused);
    free(one);
    lift_planner_destroy(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_gcc),
        cmocka_unit_test(test_clang),     cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
