/* Runs of many steps, divided into launches of kernels with temporal blocking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "run/depth.h"
#include <string.h>

static void expect(const struct depth_speeds *speeds, int64_t steps, int now,
                   const char *want)
{
    const struct depth_split split = depth_split(speeds, steps, now);
    LIFT_SCOPED(lift_str) got = {0};
    int64_t sum = 0;

    depth_describe(&split, &got);
    assert_string_equal(lift_str_get(&got), want);
    for (int i = 0; i < split.count; i++)
        sum += split.part[i].launches * split.part[i].at_once;
    assert_int_equal(sum, steps);
}

static void test_split(void **state)
{
    const struct depth_speeds six = {.gpts = {[1] = 1, [6] = 3}},
                              only = {.gpts = {[4] = 2}}, none = {{0}},
                              many = {.gpts = {[1] = 1, [4] = 3, [16] = 8}};

    (void)state;
    expect(&six, 1000, 0, "166 launches of 6 time steps, then 4 single steps");
    expect(&six, 6, 0, "1 launch of 6 time steps");
    expect(&six, 5, 0, "5 single steps");
    /* Copies of the state take longer than temporal blocking saves. */
    expect(&six, 7, 0, "7 single steps");
    /* A run continues with the kernel that has the state. */
    expect(&six, 100, 1, "4 single steps, then 16 launches of 6 time steps");
    expect(&six, 100, 6, "16 launches of 6 time steps, then 4 single steps");
    expect(&six, 6, 1, "6 single steps");
    /* Single steps are the last resort if none was explored. */
    expect(&only, 9, 0, "2 launches of 4 time steps, then 1 single step");
    expect(&none, 9, 0, "9 single steps");
    expect(&many, 16 * 3 + 14, 0,
           "3 launches of 16 time steps, then 3 launches of 4 time steps, then 2 single "
           "steps");
}

static void test_fastest(void **state)
{
    (void)state;
    assert_int_equal(depth_fastest(&(struct depth_speeds){{0}}), 0);
    assert_int_equal(depth_fastest(&(struct depth_speeds){.gpts = {[1] = 2, [4] = 2}}),
                     1);
    assert_int_equal(depth_fastest(&(struct depth_speeds){.gpts = {[1] = 2, [9] = 3}}),
                     9);
}

/* Kernels of 4, 5 and 6 steps: five steps divide 100, six are the fastest. */
static void test_keep(void **state)
{
    const struct depth_speeds all = {.gpts = {[1] = 1, [4] = 2.5, [5] = 2.9, [6] = 3}};
    const struct depth_run one = {100000, 1}, often = {10, 1000}, record = {1, 1000};
    struct depth_speeds s = all;

    (void)state;
    depth_keep(&s, &one, 1);
    assert_true(s.gpts[6] > 0 && !(s.gpts[5] > 0) && !(s.gpts[4] > 0) && s.gpts[1] > 0);
    s = all;
    depth_keep(&s, &often, 1);
    assert_true(s.gpts[5] > 0 && !(s.gpts[6] > 0) && s.gpts[1] > 0);
    s = all;
    depth_keep(&s, &record, 1);
    assert_int_equal(depth_fastest(&s), 1);
}

/* The kernel of a remainder has fewer steps than the launches before. */
static void test_rest(void **state)
{
    const struct depth_speeds all = {
        .gpts = {[1] = 1, [3] = 3, [6] = 30, [8] = 100, [9] = 90}};

    (void)state;
    assert_int_equal(depth_of_rest(&all, 8, 0), 6);
    assert_int_equal(depth_of_rest(&all, 8, 46), 6); /* 6 are left */
    assert_int_equal(depth_of_rest(&all, 8, 44), 1); /* 4: a change takes as long */
    assert_int_equal(depth_of_rest(&all, 8, 43), 3);
    assert_int_equal(depth_of_rest(&all, 8, 41), 1);
    assert_int_equal(depth_of_rest(&all, 8, 40), 1);
    assert_int_equal(depth_of_rest(&all, 2, 0), 1);
    assert_int_equal(depth_of_rest(&(struct depth_speeds){{0}}, 8, 0), 1);
}

static const char wave[] = "size n = 9\n"
                           "stencil wave(u: [f32]n) -> next =\n"
                           "    map(w -> w[0] + w[2], slide(3, 1, pad(1, 1, clamp, u)))\n"
                           "time (u) <- (next)\n";

/* A false number of steps is of no program. */
static void test_ids(void **state)
{
    const struct lift_source source = {"wave", wave, sizeof wave - 1};
    struct depth_ids ids = {.source = &source};
    LIFT_SCOPED(lift_error) errors = {0};
    const struct lift_program *p;
    struct lift_source two;
    struct lift_hash one, twice;
    struct lift_ir *ir = lift_ir_create();

    (void)state;
    p = lift_program_load_general(&ir, &source, NULL, &errors);
    assert_non_null(p);
    one = lift_program_id(p);
    lift_ir_destroy(ir);
    assert_true(depth_source(&source, 2, &two, &errors));
    ir = lift_ir_create();
    p = lift_program_load_general(&ir, &two, NULL, &errors);
    assert_non_null(p);
    twice = lift_program_id(p);
    lift_ir_destroy(ir);
    assert_true(depth_is_of(&ids, 1, one) && depth_is_of(&ids, 2, twice));
    for (int n = -1; n <= 17; n++)
        assert_false((n != 1 && depth_is_of(&ids, n, one)) ||
                     (n != 2 && depth_is_of(&ids, n, twice)));
    /* Steps of steps are no program; their id of zeros is none either. */
    ids = (struct depth_ids){.source = &two};
    assert_false(depth_is_of(&ids, 2, twice) ||
                 depth_is_of(&ids, 2, (struct lift_hash){0}));
    lift_source_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split), cmocka_unit_test(test_fastest),
        cmocka_unit_test(test_keep),  cmocka_unit_test(test_rest),
        cmocka_unit_test(test_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
