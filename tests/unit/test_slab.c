/* Slabs: how many planes of a problem are tried first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/slab.h"
#include "problem_world.h"

static const int64_t mib = 1 << 20;

static int64_t size_of(const struct explore_problem *p, const char *name)
{
    int64_t value;

    assert_true(lift_nat_env_value((void *)&p->sizes, name, &value));
    return value;
}

/* The planes are a multiple of 64 fewer, no others are missing, and it is large enough.
 */
static void assert_slab(const char *program, const char *planes, int64_t bytes)
{
    struct explore_problem *p = load_program(program, NULL, 0);
    const struct explore_problem *slab = explore_slab_of(p, bytes);
    int64_t left_out;

    assert_non_null(slab);
    for (int i = 0; i < p->sizes.count; i++)
        if (strcmp(p->sizes.names[i], planes))
            assert_int_equal(slab->sizes.values[i], p->sizes.values[i]);
    left_out = size_of(p, planes) - size_of(slab, planes);
    assert_true(left_out > 0 && left_out % 64 == 0 && size_of(slab, planes) >= 64);
    assert_true(slab->bytes >= bytes && slab->bytes * 2 <= p->bytes + bytes);
    assert_true(slab->points < p->points);
    assert_true(slab->points * size_of(p, planes) == p->points * size_of(slab, planes));
    explore_problem_destroy(p);
}

static void test_planes(void **state)
{
    (void)state;
    assert_slab("acoustic", "nz", 256 * mib);
    assert_slab("acoustic_iso", "nz", 256 * mib);
    assert_slab("jacobi2d5", "ny", 64 * mib);
}

static void assert_none(const char *program, const struct lift_size_setting *sizes,
                        int count, int64_t bytes)
{
    struct explore_problem *p = load_program(program, sizes, count);

    assert_null(explore_slab_of(p, bytes));
    explore_problem_destroy(p);
}

/* Nothing is gained, or there is no size of the planes alone. */
static void test_none(void **state)
{
    static const struct lift_size_setting flat[] = {
        {"nx", 8192}, {"ny", 8192}, {"nz", 100}};

    (void)state;
    assert_none("acoustic", NULL, 0, 1024 * mib);
    assert_none("acoustic", flat, 3, mib);
    assert_none("tests/unit/cube", NULL, 0, mib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes),
                                       cmocka_unit_test(test_none)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
