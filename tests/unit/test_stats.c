/* Medians, intervals and ties of measurements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/stats.h"
#include <cmocka.h>
#include <math.h>

static void near(double got, double want)
{
    if (fabs(got - want) > 1e-9 * fmax(1, fabs(want)))
        fail_msg("%.12g instead of %.12g", got, want);
}

static void test_median(void **state)
{
    const double values[] = {5, 1, 4, 2, 3, 100};

    (void)state;
    near(lift_median(values, 0), 0);
    near(lift_median(values, 1), 5);
    near(lift_median(values, 2), 3);
    near(lift_median(values, 5), 3);
    near(lift_median(values, 6), 3.5);
    near(values[0], 5); /* left as they were */
}

/* Ranks and coverages of the usual table of the sign test. */
static void test_ranks(void **state)
{
    static const struct {
        int count, low, high;
        double confidence;
    } table[] = {{1, 1, 1, 0},         {2, 1, 2, 0.5},        {5, 1, 5, 0.9375},
                 {6, 1, 6, 0.96875},   {8, 1, 8, 0.9921875},  {9, 2, 8, 0.9609375},
                 {10, 2, 9, 0.978516}, {20, 6, 15, 0.958610}, {32, 10, 23, 0.979938}};
    double values[32];

    (void)state;
    for (int i = 0; i < 32; i++)
        values[i] = 1 + (i * 7) % 32; /* 1 .. 32, mixed */
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        int n = table[t].count;
        double some[32];
        struct lift_interval v;
        int kept = 0;

        for (int i = 0; i < 32; i++)
            if (values[i] <= n)
                some[kept++] = values[i];
        assert_int_equal(kept, n);
        v = lift_median_interval(some, n, 0.95);
        near(v.median, (n + 1) / 2.0);
        near(v.low, table[t].low);
        near(v.high, table[t].high);
        if (fabs(v.confidence - table[t].confidence) > 1e-6)
            fail_msg("%d values: %.6f", n, v.confidence);
    }
}

/* The median of a lopsided distribution is inside as often as promised. */
static void test_coverage(void **state)
{
    enum { ROUNDS = 4000, COUNT = 32 };
    const double truth = log(2);
    struct lift_rng rng;
    int inside = 0;
    double promised = 0;

    (void)state;
    lift_rng_seed(&rng, 3);
    for (int r = 0; r < ROUNDS; r++) {
        double values[COUNT];
        struct lift_interval v;

        for (int i = 0; i < COUNT; i++)
            values[i] = -log(1 - lift_rng_unit(&rng));
        v = lift_median_interval(values, COUNT, 0.95);
        promised = v.confidence;
        inside += v.low <= truth && truth <= v.high;
    }
    if (fabs((double)inside / ROUNDS - promised) > 0.01)
        fail_msg("%.4f inside instead of %.4f", (double)inside / ROUNDS, promised);
}

static void test_ties(void **state)
{
    const struct lift_interval a = {2, 1, 3, 0.95}, b = {3.5, 3, 4, 0.95},
                               c = {3.6, 3.1, 4, 0.95}, d = {2, 1.5, 2.5, 0.95};

    (void)state;
    assert_true(lift_interval_ties(&a, &b));
    assert_true(lift_interval_ties(&b, &a));
    assert_false(lift_interval_ties(&a, &c));
    assert_false(lift_interval_ties(&c, &a));
    assert_true(lift_interval_ties(&a, &d));
    assert_true(lift_interval_ties(&d, &a));
}

/* Values of Wilson's interval from Agresti and Coull 1998: 0 of 20 is not exactly 0. */
static void test_shares(void **state)
{
    struct lift_interval none = lift_share_interval(0, 20),
                         all = lift_share_interval(20, 20),
                         half = lift_share_interval(10, 20);

    (void)state;
    assert_float_equal(none.low, 0, 0);
    assert_float_equal(none.high, 0.1611, 1e-4);
    assert_float_equal(all.low, 0.8389, 1e-4);
    assert_float_equal(all.high, 1, 0);
    assert_float_equal(half.low, 0.2993, 1e-4);
    assert_float_equal(half.high, 0.7007, 1e-4);
    assert_float_equal(lift_share_interval(0, 0).high, 1, 0);
}

static void test_keep(void **state)
{
    const double values[] = {3, 1, 2};
    const int some[] = {0, 1, -1}, all[] = {1, 1, 1};
    double out[3];

    (void)state;
    assert_int_equal(lift_stats_keep(values, some, 3, out), 2);
    near(out[0], 3);
    near(out[1], 2);
    assert_int_equal(lift_stats_keep(values, all, 3, out), 3);
    near(out[1], 1);
    assert_int_equal(lift_stats_keep(values, NULL, 3, out), 3);
    assert_int_equal(lift_stats_keep(values, all, 0, out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),   cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_keep),     cmocka_unit_test(test_shares)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
