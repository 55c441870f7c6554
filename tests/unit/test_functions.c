/* C functions of programs: their meaning, their place, and functions that do not compile,
 * crash or never end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codegen/kernel.h"
#include "explore/candidate_space.h"
#include "explore/trial/interpret.h"
#include "lift/build.h"
#include "lift/plan.h"
#include "problem_world.h"
#include <math.h>

static struct explore_problem *load(const char *text, struct lift_source *source)
{
    struct lift_error errors = {0};
    struct explore_problem *p;

    *source = (struct lift_source){"f.lift", text, strlen(text)};
    p = explore_problem_load(source, NULL, 0, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_error_fini(&errors);
    return p;
}

/* The error when the program is made ready; "" on success. */
static void complaint(const char *text, struct lift_str *out)
{
    struct lift_source source;
    struct explore_problem *p = load(text, &source);
    struct lift_error errors = {0};
    bool good = explore_problem_ready(p, &source, &errors);

    assert_int_equal(good, !errors.code);
    lift_error_format(&errors, out);
    lift_error_fini(&errors);
    explore_problem_destroy(p);
}

static void complains(const char *text, const char *want)
{
    struct lift_str said = {0};

    complaint(text, &said);
    if (!strstr(lift_str_get(&said), want))
        fail_msg("'%s' has no '%s'", lift_str_get(&said), want);
    lift_str_fini(&said);
}

static void is_well(const char *text)
{
    struct lift_str said = {0};

    complaint(text, &said);
    assert_string_equal(lift_str_get(&said), "");
    lift_str_fini(&said);
}

/* ---- the meaning */

static struct explore_answer interpret(const struct explore_problem *p)
{
    struct explore_question q = {
        .problem = p, .term = p->root, .numbers = &p->sizes, .seed = 7};
    struct explore_answer answer;
    struct lift_str why = {0};

    if (!explore_interpret(&q, &answer, &why))
        fail_msg("%s", lift_str_get(&why));
    lift_str_fini(&why);
    return answer;
}

/* Both programs have the same inputs and the same value. */
static void mean_the_same(const char *a, const char *b, double bound)
{
    struct lift_source source;
    struct explore_problem *p = load(a, &source), *q = load(b, &source);
    struct explore_answer x, y;

    p->positive = q->positive = true;
    x = interpret(p);
    y = interpret(q);
    assert_int_equal(x.count, y.count);
    for (int i = 0; i < x.count; i++) {
        assert_int_equal(x.leaves[i].count, y.leaves[i].count);
        for (int64_t k = 0; k < x.leaves[i].count; k++)
            if (!(fabs(x.data[i][k] - y.data[i][k]) <= bound))
                fail_msg("output %d, %lld: %g and %g", i, (long long)k, x.data[i][k],
                         y.data[i][k]);
    }
    explore_answer_fini(&x);
    explore_answer_fini(&y);
    explore_problem_destroy(p);
    explore_problem_destroy(q);
}

static void test_meaning(void **state)
{
    (void)state;
    mean_the_same(
        "size n = 57 stencil f(x: [f32]n) -> y = map(fun(w => userFun(\"f32 h(f32 "
        "a, f32 b) { return (a + b) * 0.5f; }\", w[0], w[1])), slide(2, 1, "
        "pad(1, 0, clamp, x)))",
        "size n = 57 stencil f(x: [f32]n) -> y = map(fun(w => (w[0] + w[1]) * "
        "0.5), slide(2, 1, pad(1, 0, clamp, x)))",
        1e-7);
    mean_the_same(
        "size n = 57 cfun f64 mix(f64 a, f32 b, i32 k) \"return a + 0.5 * b + k;\" "
        "stencil f(x: [f32]n, z: [f64]n, k: [i32]n) -> (y, j) = map(fun(t => (mix(t.1, "
        "t.0, t.2), userFun(\"i32 g(i32 a, f64 b) { return b > 0.0 ? 2 * a : a; }\", "
        "t.2, t.1))), zip(x, z, k))",
        "size n = 57 stencil f(x: [f32]n, z: [f64]n, k: [i32]n) -> (y, j) = map(fun(t => "
        "(t.1 + 0.5d * f64(t.0) + f64(t.2), if t.1 > 0.0d then 2 * t.2 else t.2)), "
        "zip(x, z, k))",
        0);
}

/* Names that are reserved in C, and one name for two functions. */
static void test_names(void **state)
{
    (void)state;
    mean_the_same(
        "size n = 57 cfun f32 sqrtf(f32 a) \"return sqrtf(fabsf(a)); // of the library\" "
        "cfun f32 main(f32 a) \"return fminf(a, 0.25f);\" "
        "cfun f32 kernel(f32 a) \"return 2.0f * a;\" "
        "stencil f(x: [f32]n) -> y = map(fun(a => sqrtf(a) + main(a) + kernel(a) + "
        "userFun(\"f32 kernel(f32 a) { return 4.0f * a; }\", a)), x)",
        "size n = 57 stencil f(x: [f32]n) -> y = map(fun(a => sqrt(abs(a)) + min(a, "
        "0.25) + 6.0 * a), x)",
        1e-6);
}

static char *text_of(const char *path)
{
    char full[512];
    struct lift_source source;
    struct lift_error errors = {0};
    char *text;

    snprintf(full, sizeof full, "%s/%s", getenv("LIFT_SOURCE_DIR"), path);
    assert_true(lift_source_load(full, &source, &errors));
    text = strdup(strstr(source.text, "8192, ny = 8192") + strlen("8192, ny = 8192"));
    lift_source_free(&source);
    return text;
}

static void test_ported(void **state)
{
    char *in_c = text_of("tests/cli/hotspot2d_c.lift");
    char *plain = text_of("programs/hotspot2d.lift");
    struct lift_str a = {0}, b = {0};

    (void)state;
    lift_str_addf(&a, "size nx = 23, ny = 17\n%s", in_c);
    lift_str_addf(&b, "size nx = 23, ny = 17\n%s", plain);
    mean_the_same(lift_str_get(&a), lift_str_get(&b), 2e-6);
    lift_str_fini(&a);
    lift_str_fini(&b);
    free(in_c);
    free(plain);
}

/* Tens of thousands of calls are one process and one compilation. */
static void test_many_calls(void **state)
{
    struct lift_source source;
    struct explore_problem *p =
        load("size n = 60000 cfun f32 g(f32 a) \"return a + 1.0f;\" "
             "stencil f(x: [f32]n) -> y = map(fun(a => g(a)), x)",
             &source);
    struct explore_answer answer = interpret(p);

    (void)state;
    for (int64_t k = 0; k < answer.leaves[0].count; k++)
        assert_true(answer.data[0][k] ==
                    (float)explore_datum(p, 7, 0, LIFT_F32, k) + 1.0f);
    explore_answer_fini(&answer);
    explore_problem_destroy(p);
}

/* ---- mistakes */

#define OF(body)                                                                         \
    "size n = 100\ncfun f32 g(f32 a) \"" body "\"\nstencil f(x: [f32]n) -> y = "         \
    "map(fun(a => g(a)), x)\n"

static void test_malformed(void **state)
{
    (void)state;
    complains(OF("f32 b = a; return b +* c;"),
              "f.lift:2:43: error: the C function 'g' does not compile: ");
    complains(OF("f32 b = a;\n  return b\n    + later(b);"),
              "f.lift:4:7: error: the C function 'g' does not compile: ");
    complains(OF("float other(float); return other(a);"), "undefined reference to");
    complains(
        "size n = 100\nstencil f(x: [f32]n) -> y = map(fun(a =>\n"
        "  userFun(\"f32 good(f32 x) { return x; }\", a)\n"
        "  + userFun(\"f32 h(f32 x) { char c[] = \\\"\\\"; return x - ; }\", a)), x)",
        "f.lift:4:57: error: the C function 'h' does not compile: ");
}

/* Each call yields an error with the function's name, and the caller survives. */
static void test_hostile(void **state)
{
    (void)state;
    complains(OF("volatile int z = 0; return a + 7 / z;"),
              "f.lift:2:19: error: the C function 'g' divided by zero (signal 8");
    complains(OF("return a + *(volatile float *)8;"), "function 'g' crashed (signal 11");
    complains(OF("void abort(void); abort(); return a;"),
              "function 'g' crashed (signal 6");
    complains(OF("void exit(int); exit(3); return a;"),
              "function 'g' ended its process (exit status 3)");
    setenv("LIFT_RUN_SECONDS", "0.5", 1);
    complains(OF("for (volatile int i = 0; ; i++) ; return a;"),
              "function 'g' did not return within 0.5 s");
    unsetenv("LIFT_RUN_SECONDS");
    is_well(OF("return a;"));
}

/* Reading a program needs no compiler; checking it does. */
static void test_lazy(void **state)
{
    (void)state;
    setenv("LIFT_CC", "/nonexistent/cc", 1);
    complains(OF("return a;"), "cannot find '/nonexistent/cc'");
    unsetenv("LIFT_CC");
    is_well(OF("return a;"));
}

static void test_no_constant(void **state)
{
    static const char text[] = "size n = 8 const c = userFun(\"f32 g(f32 a) { return a; "
                               "}\", 1.0) stencil f(x: [f32]n) -> y = map(fun(a => a * "
                               "c), x)";
    struct lift_source source = {"f.lift", text, strlen(text)};
    struct lift_error errors = {0};

    (void)state;
    assert_null(explore_problem_load(&source, NULL, 0, &errors));
    assert_int_equal(lift_error_count(&errors), 1);
    assert_non_null(strstr(lift_str_get(&errors.text),
                           "not a constant: a C function is not run here"));
    lift_error_fini(&errors);
}

/* ---- kernels */

/* Fifty functions of the same name, and of no parameter more than they need. */
static void test_text(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    lift_type f32 = lift_type_scalar(ir, LIFT_F32);
    lift_expr xs = lift_expr_free(
        ir, "x", lift_type_array(ir, f32, lift_nat_const(lift_ir_nats(ir), 9)));
    lift_expr x = lift_fresh(ir, "a", f32), sum = x;
    struct lift_codegen_options options = {.dialect = LIFT_DIALECT_OPENCL,
                                           .name = "p",
                                           .inputs = &xs,
                                           .input_count = 1,
                                           .outputs = (const char *const[]){"y"},
                                           .output_count = 1};
    struct lift_str why = {0};
    const struct lift_module *m;
    char text[100];

    (void)state;
    for (int i = 1; i <= 50; i++) {
        snprintf(text, sizeof text, "f32 kernel(f32 a) { return sqrtf(a) + %d; }", i);
        sum = lift_user_call(ir, text, &sum, 1);
    }
    m = lift_codegen(ir, lift_map_as(ir, LIFT_MAP_SEQ, 0, lift_fun(ir, sum, x), xs),
                     &options, &why);
    assert_non_null(m);
    for (int i = 1; i <= 50; i++) {
        snprintf(text, sizeof text, "f32 lift_fn%d_kernel(f32 a) { return sqrtf(a)", i);
        assert_non_null(strstr(m->source, text));
    }
    assert_non_null(strstr(m->source, "#define sqrtf(a) sqrt((float)(a))\n"));
    assert_null(strstr(m->source, "typedef double"));
    lift_ir_destroy(ir);
}

static void test_builder(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    lift_expr x = lift_expr_free(ir, "x", lift_type_scalar(ir, LIFT_F32));
    lift_expr k = lift_expr_free(ir, "k", lift_type_scalar(ir, LIFT_I32));
    const char *text = "f64 g(f32 a, i32 n) { return a * n; }";

    (void)state;
    assert_ptr_equal(lift_user_call(ir, text, (lift_expr[]){x, k}, 2)->type,
                     lift_type_scalar(ir, LIFT_F64));
    assert_null(lift_user_call(ir, text, (lift_expr[]){x, x}, 2));
    assert_string_equal(lift_ir_error(ir), "'userFun' expects i32, but got 'f32'");
    lift_ir_clear_error(ir);
    assert_null(lift_user_call(ir, text, (lift_expr[]){x}, 1));
    assert_string_equal(lift_ir_error(ir),
                        "'userFun' calls a function of 2 parameters with 1");
    lift_ir_clear_error(ir);
    assert_null(lift_user_call(ir, "float g(float a) { return a; }", &x, 1));
    assert_non_null(strstr(lift_ir_error(ir), "expects a definition"));
    lift_ir_destroy(ir);
}

/* ---- plans */

static struct lift_plan *plan_for(struct lift_planner *planner, const char *text,
                                  enum lift_plan_effort effort, struct lift_error *error)
{
    return lift_plan_create(
        planner, &(struct lift_plan_options){.program = text, .effort = effort}, error);
}

static void run_plan(struct lift_planner *planner, enum lift_plan_effort effort)
{
    struct lift_error error = {0};
    struct lift_plan *plan = plan_for(planner, OF("return 2.0f * a;"), effort, &error);
    float x[100], y[100];

    if (!plan)
        fail_msg("%s", lift_error_text(&error));
    for (int i = 0; i < 100; i++)
        x[i] = (float)i;
    assert_true(
        lift_plan_execute(plan, (const void *const[]){x}, (void *const[]){y}, &error));
    for (int i = 0; i < 100; i++)
        assert_true(y[i] == 2.0f * x[i]);
    lift_plan_destroy(plan);
}

static void test_plans(void **state)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_planner *planner = lift_planner_create(NULL, &error);

    (void)state;
    assert_non_null(planner);
    for (int effort = LIFT_ESTIMATE; effort <= LIFT_MEASURE; effort++) {
        assert_null(plan_for(planner, OF("return b;"), effort, &error));
        assert_int_equal(error.code, LIFT_ERROR_PROGRAM);
        assert_non_null(
            strstr(lift_error_text(&error), "program:2:27: error: the C function 'g'"));
    }
    run_plan(planner, LIFT_MEASURE);
    run_plan(planner, LIFT_ESTIMATE);
    lift_planner_destroy(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_ported),    cmocka_unit_test(test_many_calls),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_lazy),      cmocka_unit_test(test_no_constant),
        cmocka_unit_test(test_text),      cmocka_unit_test(test_builder),
        cmocka_unit_test(test_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
