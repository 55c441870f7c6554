/* The model of scaling, against numbers computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/scaling.h"
#include <math.h>
#include <string.h>

/* A plane has 10 rows of 1000 points: 10^-5 seconds; one device needs 1 ms for 100. */
static const struct scaling_grid grid = {100, 10, 1000};
static const struct scaling_stencil stencil = {.halo = 1, .read = 4, .state = 8};
static const struct scaling_machine machine = {
    .rate = 1e9, .copy = 4e9, .near = {1e9, 1e-3}, .far = {0.5e9, 2e-3}, .node = 2};

static void check(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-9 * fabs(wanted));
}

static struct scaling_point of(int devices, int every, bool overlap, bool weak, bool rows)
{
    const struct scaling_case what = {devices, every, overlap, weak, rows};

    return scaling_predict(&machine, &stencil, &grid, &what);
}

static void test_one(void **state)
{
    struct scaling_point p = of(1, 1, false, false, true);

    (void)state;
    check(p.seconds, 1e-3);
    check(p.rate, 1e9);
    check(p.efficiency, 1);
    check(of(1, 1, true, false, false).seconds, 1e-3);
}

/* 51 planes each; 40,000 bytes in 1 ms and 40 us; the interior takes 0.49 ms. */
static void test_strong(void **state)
{
    struct scaling_point p = of(2, 1, false, false, false);

    (void)state;
    check(p.kernel, 0.51e-3);
    check(p.bytes, 40000);
    check(p.exchange, 1.04e-3);
    check(p.seconds, 1.55e-3);
    check(p.efficiency, 1 / 1.55 / 2);
    assert_false(p.hidden);
    check(of(2, 1, true, false, false).seconds, 0.01e-3 + 1.04e-3);
}

/* Two planes of both fields after two launches of 52 planes. */
static void test_seldom(void **state)
{
    struct scaling_point p = of(2, 2, false, false, false);

    (void)state;
    check(p.kernel, 0.52e-3);
    check(p.bytes, 160000);
    check(p.seconds, 0.52e-3 + 1.16e-3 / 2);
    check(of(2, 2, true, false, false).seconds, (0.52e-3 + 0.02e-3 + 1.16e-3) / 2);
}

/* Two nodes: of a part's two neighbours one is in the other node. */
static void test_nodes(void **state)
{
    struct scaling_point p = of(4, 1, false, false, false);

    (void)state;
    check(p.kernel, 0.27e-3);
    check(p.exchange, 2.08e-3);
    p = of(4, 1, false, true, false);
    check(p.seconds, 1.02e-3 + 2.08e-3);
    check(p.efficiency, 1 / 3.1);
    check(p.rate, 4e6 / 3.1e-3);
}

/* 2 x 2 would send 220,000 bytes between nodes and pack 200,000: slabs are faster. */
static void test_rows(void **state)
{
    struct scaling_machine m = machine;
    const struct scaling_case what = {.devices = 4, .every = 1, .rows = true};
    struct scaling_point p = of(4, 1, false, false, true);

    (void)state;
    assert_int_equal(p.cuts[0], 4);
    m.node =
        4; /* now 2 x 2 is to be packed still: 0.306 + 1.22 + 0.2 ms, not 0.27 + 1.08 */
    p = scaling_predict(&m, &stencil, &grid, &what);
    assert_int_equal(p.cuts[0], 4);
    check(p.seconds, 0.27e-3 + 1.08e-3);
}

static void test_too_few_planes(void **state)
{
    (void)state;
    assert_true(of(100, 1, false, false, false).possible);
    assert_false(of(200, 1, false, false, false).possible);
    assert_false(of(100, 2, false, false, false).possible);
    assert_int_equal(of(200, 1, false, false, true).possible, true);
    assert_int_equal(of(200, 1, false, false, true).cuts[1] > 1, true);
}

/* 80,000 bytes within a node: 1.08 ms, in which 108 planes are computed; two are edges.
 */
static void test_limit(void **state)
{
    (void)state;
    check(scaling_least_planes(&machine, &stencil, &grid, 1, false), 110);
    check(scaling_least_planes(&machine, &stencil, &grid, 1, true), 210);
}

/* ---- measured runs */

static const char table[] =
    "acoustic_iso, 1000x1000 points a plane, 1000 planes a device (weak) or in all "
    "(strong), 200 steps\n"
    "scaling devices  m by        overlap     GPts/s  efficiency  exchanges  said\n"
    "one           1  - -         -              100     100.0 %  -          -\n"
    "weak          2  1 peer      no             190      95.0 %  24\xc2\xa0ms      from "
    "device to device\n"
    "weak          4  1 rank-nccl no             370      92.5 %  44 ms      by NCCL "
    "2.28\n"
    "weak          4  2 peer      yes            380      95.0 %  1 ms       from device "
    "to "
    "device, beside the computation\n"
    "                 on cuda:0: edges until 94.8 us, planes between until 4.56 ms\n"
    "weak          4  1 mpi       no             100      25.0 %  4 s        by Open "
    "MPI\n"
    "weak          4  1 rank-host yes     lift: --overlap yes: planes go through the "
    "host\n";

static void test_fit(void **state)
{
    const struct scaling_stencil star = {.halo = 4, .read = 16, .state = 8};
    struct scaling_machine m = scaling_nominal;
    struct scaling_measured runs;
    LIFT_SCOPED(lift_str) why = {0};

    (void)state;
    m.launch = 0;
    assert_true(scaling_read(table, &runs, &why));
    assert_int_equal(runs.count, 5);
    assert_string_equal(runs.program, "acoustic_iso");
    check(runs.runs[1].exchange, 120e-6);
    check(runs.runs[2].seconds, 4e9 / 370e9);
    assert_true(runs.runs[3].overlap);
    assert_int_equal(runs.runs[3].every, 2);
    assert_string_equal(runs.runs[4].by, "mpi");
    assert_int_equal(scaling_fit(&runs, &star, &m), 2);
    check(m.rate, 100e9);
    assert_true(fabs(m.near.latency - 20e-6) < 1e-9); /* 16 MB and 32 MB */
    assert_true(fabs(m.near.bandwidth - 160e9) < 1e3);
    check(scaling_of_run(&m, &star, &runs, &runs.runs[0]).seconds, 10e-3);
    assert_true(fabs(scaling_of_run(&m, &star, &runs, &runs.runs[1]).exchange - 120e-6) <
                1e-9);
}

/* One size: the latency stays as it was. */
static void test_fit_of_one(void **state)
{
    const struct scaling_stencil star = {.halo = 4, .read = 16, .state = 8};
    struct scaling_machine m = scaling_nominal;
    struct scaling_measured runs;
    LIFT_SCOPED(lift_str) why = {0};

    (void)state;
    assert_true(scaling_read(table, &runs, &why));
    runs.count = 2;
    assert_int_equal(scaling_fit(&runs, &star, &m), 1);
    check(m.near.latency, scaling_nominal.near.latency);
    check(m.near.bandwidth, 16e6 / 110e-6);
}

static void refuse(const char *text, const char *wanted)
{
    struct scaling_measured runs;
    LIFT_SCOPED(lift_str) why = {0};

    assert_false(scaling_read(text, &runs, &why));
    assert_non_null(strstr(lift_str_get(&why), wanted));
}

static void test_malformed(void **state)
{
    (void)state;
    refuse("", "line 1: expected a first row of one device");
    refuse("heat\n", "line 1: expected \"PROGRAM, XxY points a plane");
    refuse(
        "heat, 8x8 points a plane, 8 planes a device (weak) or in all (strong), 2 steps\n"
        "heads\nweak 2 1 peer no x\n",
        "line 3: expected a row of");
    refuse(
        "heat, 8x8 points a plane, 8 planes a device (weak) or in all (strong), 2 steps\n"
        "heads\nweak 2 1 peer no 3 50.0 % 1 ms\n",
        "a first row of one device");
    refuse(
        "heat, 8x8 points a plane, 8 planes a device (weak) or in all (strong), 2 steps\n"
        "heads\nweak 2 0 peer no 3 50.0 % 1 ms\n",
        "line 3: expected a row of");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),        cmocka_unit_test(test_strong),
        cmocka_unit_test(test_seldom),     cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_too_few_planes),
        cmocka_unit_test(test_limit),      cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_of_one), cmocka_unit_test(test_malformed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
