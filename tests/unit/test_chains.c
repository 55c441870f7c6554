/* The error bound of an output follows the arithmetic that it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/input_data.h"
#include "problem_world.h"
#include <float.h>

static struct explore_problem *load(const char *text)
{
    struct lift_source source = {"f.lift", text, strlen(text)};
    struct lift_error errors = {0};
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &errors);

    lift_error_print(&errors, stderr);
    assert_non_null(p);
    assert_true(explore_problem_ready(p, &source, &errors));
    lift_error_fini(&errors);
    return p;
}

#define OF(result)                                                                       \
    "size n = 1003 param a: f32 = 0.3 stencil f(x: [f32]n, z: [f64]n, k: [i32]n) -> "    \
    "(y, pure) = map(fun(m => (" result ", m.1 * m.1 + 0.1d * m.1)), zip(x, z, k))"

/* The error bound of an f64 output computed from f32 is that of f32; the bound of its
 * neighbour is not. */
static void comes_from_f32(const char *text)
{
    struct explore_problem *p = load(text);

    assert_true(p->epsilon[0] == (double)FLT_EPSILON);
    assert_true(explore_bound(p, 0, LIFT_F64, 1) > 1e-6);
    assert_true(explore_bound(p, 0, LIFT_F64, 1) < 1e-4);
    assert_true(p->epsilon[1] == DBL_EPSILON);
    assert_true(explore_bound(p, 1, LIFT_F64, 1) < 1e-13);
    explore_problem_destroy(p);
}

static void test_f32(void **state)
{
    (void)state;
    comes_from_f32(OF("f64(m.0 * m.0 + a * m.0)"));
    comes_from_f32(OF("f64(f32(m.1 * 0.3d)) * 2.0d"));
    comes_from_f32(OF("f64(f32(m.2) * 0.1f)"));
    comes_from_f32(OF("f64(f32(m.2 * 16777217)) * 1e-8d"));
    comes_from_f32(OF("f64(reduce(add, 0.0f, array(5, fun(i => m.0 * 0.1f))))"));
    comes_from_f32(OF("if m.0 * 0.1f < 0.2f then m.1 else 2.0d * m.1"));
    comes_from_f32(OF("f64(userFun(\"f32 g(f32 v) { return v * 0.3f; }\", m.0))"));
}

/* The largest output of either program is about 1: after R roundings in sequence, a value
 * may be off by R (R + 1) / 2 units in the last place. */
static void stored_so_often(const char *text, double places)
{
    struct explore_problem *p = load(text);

    assert_true(p->epsilon[0] == (double)FLT_EPSILON);
    assert_true(p->stored[0] == places);
    assert_true(explore_bound(p, 0, LIFT_F16, 1) >= places);
    assert_true(explore_bound(p, 0, LIFT_F16, 1) < places + 1e-4);
    explore_problem_destroy(p);
}

static void test_stored(void **state)
{
    (void)state;
#define STORED(input, result)                                                            \
    "size n = 1003 stencil f(x: [f32]n store " input ") -> y = map(fun(v => " result     \
    "), x)"
    stored_so_often(STORED("f16", "f16(0.3 * v)"), 0x1p-10);
    stored_so_often(STORED("f16", "bf16(0.3 * v)"), 0x1p-7);
    stored_so_often(STORED("bf16", "0.3 * v"), 0);
    stored_so_often(STORED("bf16", "f16(f16(0.3 * v) * 0.9 + f16(v))"), 3 * 0x1p-10);
}

/* Inputs of f32, and parameters, are exact. */
static void test_f64(void **state)
{
    struct explore_problem *p = load(OF("f64(m.0) * m.1 + f64(a)"));

    (void)state;
    assert_true(p->epsilon[0] == DBL_EPSILON);
    assert_true(p->rounding[0] == 0);
    explore_problem_destroy(p);
}

static void test_i32(void **state)
{
    struct explore_problem *p = load(OF("2 * m.2 + i32(m.0)"));

    (void)state;
    assert_true(explore_bound(p, 0, LIFT_I32, 100) == 0);
    assert_true(explore_excused(p, 0) == 0);
    explore_problem_destroy(p);
    p = load(OF("i32(m.0 * 7.7f)"));
    assert_true(explore_bound(p, 0, LIFT_I32, 100) == 0);
    assert_true(explore_excused(p, 0) > 0 && explore_excused(p, 0) < 0.05);
    explore_problem_destroy(p);
}

/* So many of a thousand integers are off by one. */
static int64_t bad_of_thousand(const struct explore_problem *p, int off)
{
    struct explore_verdict v = {.bound = 0};
    int32_t got[1000] = {0}, want[1000] = {0};

    for (int i = 0; i < off; i++)
        got[7 * i + 5] = 1;
    explore_compare(&v, (struct explore_pair){LIFT_I32, got, want, false, 1000}, 0);
    assert_int_equal(v.bad, off);
    explore_excuse(&v, p, 0, 1000, 0);
    return v.bad;
}

/* Results that depend on rounding may differ at few points, others at none. */
static void decides(const char *text, bool is)
{
    struct explore_problem *p = load(text);

    assert_true(p->decided[0] == is);
    assert_false(p->decided[1]);
    p->ties[0] = is ? 0.001 : 0;
    assert_int_equal(bad_of_thousand(p, is ? 4 : 0), 0);
    assert_int_equal(bad_of_thousand(p, 100), 100);
    assert_int_equal(bad_of_thousand(p, is ? 5 : 1), is ? 5 : 1);
    explore_problem_destroy(p);
}

static void test_decisions(void **state)
{
    (void)state;
    decides(OF("i32(m.0 * 0.3f)"), true);
    decides(OF("if m.0 * 0.1f < 0.02f then 1 else 1000"), true);
    decides(OF("floor(m.0 * 0.3f)"), true);
    decides(OF("userFun(\"i32 g(f32 v) { return v * 3.3f > 0; }\", m.0 * 0.3f)"), true);
    decides(OF("userFun(\"i32 g(f32 v) { return v * 3.3f; }\", m.0 * 0.3f)"), true);
    decides(OF("userFun(\"f32 g(f32 v) { return v * 3.3f; }\", m.0 * 0.3f)"), false);
    decides(OF("if m.0 < 0.02f then 1 else 1000"), false);
    decides(OF("i32(m.0)"), false);
    decides(OF("max(m.0 * 0.1f, 0.02f)"), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),       cmocka_unit_test(test_f64),
        cmocka_unit_test(test_stored),    cmocka_unit_test(test_i32),
        cmocka_unit_test(test_decisions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
