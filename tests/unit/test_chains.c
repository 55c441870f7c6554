/* The error bound of an output follows the arithmetic that it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/data.h"
#include "problem_world.h"
#include <float.h>

static struct explore_problem *load(const char *text)
{
    struct lift_source source = {"f.lift", text, strlen(text)};
    struct lift_diags diags = {0};
    struct lift_str why = {0};
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &diags);

    lift_diags_print(&diags, stderr);
    assert_non_null(p);
    assert_true(explore_problem_ready(p, &source, &diags, &why));
    lift_diags_fini(&diags);
    lift_str_fini(&why);
    return p;
}

#define OF(result)                                                                       \
    "size n = 1003 param a: f32 = 0.3 stencil f(x: [f32]n, z: [f64]n, k: [i32]n) -> "    \
    "(y, pure) = map(fun(m => (" result ", m.1 * m.1 + 0.1d * m.1)), zip(x, z, k))"

/* An f64 from there may be off as an f32 may; the one beside it may not. */
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

/* Data of f32, and parameters, are what they are. */
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
    explore_problem_destroy(p);
    p = load(OF("i32(f32(m.2) * 0.1f * 10.0f)"));
    assert_true(explore_bound(p, 0, LIFT_I32, 100) <= 1);
    explore_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_i32),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
