/* Plans with temporal blocking: any number of steps equals the result of single steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan_of.h"
#include "scratch.h"

#include "device/device.h"
#include "lift/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

/* The second input becomes the first; a parameter; an odd size. */
static const char wave[] =
    "size n = 37\n"
    "param k: f32 = 0.25\n"
    "stencil wave(u: [f32]n, v: [f32]n) -> next =\n"
    "    map(t -> 0.9 * t.1[1] + k * (t.1[0] - t.1[2]) - 0.5 * t.0,\n"
    "        zip(u, slide(3, 1, pad(1, 1, clamp, v))))\n"
    "time (u, v) <- (v, next)\n";

static const char fields[] =
    "size nx = 9, ny = 7\n"
    "type g = [[f32]nx]ny\n"
    "stencil fields(a: g, b: g) -> (x, y) =\n"
    "    map2(fun((w, v) => (0.5 * w[0][1] + 0.25 * v[1][2], w[1][1] - 0.5 * v[1][0])),\n"
    "        zip2(slide2(3, 1, pad2(1, 1, wrap, a)), slide2(3, 1, pad2(1, 1, clamp, "
    "b))))\n"
    "time (a, b) <- (x, y)\n";

struct grids {
    void *in[MOST], *out[MOST];
    struct lift_plan_array inputs[MOST], outputs[MOST];
    int input_count, output_count;
};

static double get(const struct lift_plan_array *a, const void *grid, int64_t i)
{
    return a->type == LIFT_PLAN_F64 ? ((const double *)grid)[i]
                                    : (double)((const float *)grid)[i];
}

static void begin(const struct lift_plan *plan, struct grids *g)
{
    g->input_count = lift_plan_inputs(plan);
    g->output_count = lift_plan_outputs(plan);
    for (int i = 0; i < g->input_count; i++) {
        struct lift_plan_array *a = &g->inputs[i];

        assert_true(lift_plan_input(plan, i, a));
        g->in[i] = malloc(a->bytes);
        for (int64_t k = 0; k < a->count; k++)
            if (a->type == LIFT_PLAN_F64)
                ((double *)g->in[i])[k] = sin((double)(k + 5 * i));
            else
                ((float *)g->in[i])[k] = (float)sin((double)(k + 5 * i));
    }
    for (int i = 0; i < g->output_count; i++) {
        assert_true(lift_plan_output(plan, i, &g->outputs[i]));
        g->out[i] = calloc(1, g->outputs[i].bytes);
    }
}

static void end(struct grids *g)
{
    for (int i = 0; i < g->input_count; i++)
        free(g->in[i]);
    for (int i = 0; i < g->output_count; i++)
        free(g->out[i]);
}

static void compare(const struct lift_plan_array *a, const void *want, const void *got)
{
    double most = a->type == LIFT_PLAN_F64 ? 1e-13 : 1e-5;

    for (int64_t i = 0; i < a->count; i++)
        if (!(fabs(get(a, want, i) - get(a, got, i)) <= most))
            fail_msg("%s[%d] is %g instead of %g", a->name, (int)i, get(a, got, i),
                     get(a, want, i));
}

/* 'n' steps by both plans, each from the same state. */
static void check_steps(struct lift_plan *one, struct lift_plan *many, int at_once, int n)
{
    struct grids want, got;

    begin(one, &want);
    begin(many, &got);
    for (int o = want.output_count; o < got.output_count && n < at_once; o++) {
        assert_false(lift_plan_advance(many, got.in, got.out, n, &error));
        assert_non_null(strstr(lift_error_text(&error), "NULL is expected"));
        free(got.out[o]);
        got.out[o] = NULL;
    }
    assert_true(lift_plan_advance(one, want.in, want.out, n, &error));
    if (!lift_plan_advance(many, got.in, got.out, n, &error))
        fail_msg("%s", lift_error_text(&error));
    for (int i = 0; i < want.input_count; i++)
        compare(&want.inputs[i], want.in[i], got.in[i]);
    for (int o = 0; o < want.output_count; o++)
        compare(&want.outputs[o], want.out[o], got.out[o]);
    end(&want);
    end(&got);
}

static void check(struct lift_planner *planner, struct lift_plan_options o, int at_once)
{
    static const int steps[] = {1, 2, 3, 7, 16};
    struct lift_plan *one = plan_of(planner, &o), *many;

    o.steps = at_once;
    many = plan_of(planner, &o);
    if (o.program == wave) {
        assert_true(lift_plan_set_param(one, "k", 0.125, &error));
        assert_true(lift_plan_set_param(many, "k", 0.125, &error));
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        check_steps(one, many, at_once, steps[i]);
    lift_plan_destroy(one);
    lift_plan_destroy(many);
}

static void check_on(const char *device)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);

    assert_non_null(planner);
    for (int at_once = 1; at_once <= 4; at_once *= 2) {
        check(planner, (struct lift_plan_options){.program = wave, .device = device},
              at_once);
        check(planner,
              (struct lift_plan_options){
                  .program = wave, .device = device, .precision = "double"},
              at_once);
    }
    check(planner, (struct lift_plan_options){.program = fields, .device = device}, 2);
    lift_planner_destroy(planner);
}

static void test_host(void **state)
{
    (void)state;
    check_on("host");
}

static void test_opencl(void **state)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("opencl", &failure);

    (void)state;
    lift_error_fini(&failure);
    if (!device)
        skip();
    lift_device_close(device);
    check_on("opencl");
}

/* Without the option 'steps', a plan uses the kernels of the database: here of three
 * steps a launch, and none of single steps. */
static void check_known(const char *device)
{
    static const int steps[] = {1, 2, 3, 7, 16};
    char database[64];
    struct lift_planner *planner;
    struct lift_plan_options o = {.program = wave,
                                  .device = device,
                                  .sizes = "n=41",
                                  .steps = 3,
                                  .effort = LIFT_MEASURE};
    struct lift_plan *one, *known;

    snprintf(database, sizeof database, "%s", path_of(device));
    planner = lift_planner_create(
        &(struct lift_planner_options){.database = database, .create = true}, &error);
    assert_non_null(planner);
    lift_plan_destroy(plan_of(planner, &o));
    o.effort = LIFT_ESTIMATE;
    o.steps = 1;
    one = plan_of(planner, &o);
    o.steps = 0;
    known = plan_of(planner, &o);
    assert_int_equal(lift_plan_facts(one)->advance_steps, 1);
    assert_int_equal(lift_plan_facts(known)->advance_steps, 3);
    assert_true(lift_plan_facts(known)->advance_gpts > 0);
    assert_non_null(strstr(lift_plan_facts(known)->why,
                           "lift_plan_advance computes 3 time steps a launch: explored"));
    assert_true(lift_plan_set_param(one, "k", 0.125, &error));
    assert_true(lift_plan_set_param(known, "k", 0.125, &error));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        check_steps(one, known, 1, steps[i]);
    lift_plan_destroy(one);
    lift_plan_destroy(known);
    /* At other sizes, the nearest kernels of three steps. */
    o.sizes = "n=43";
    known = plan_of(planner, &o);
    assert_int_equal(lift_plan_facts(known)->advance_steps, 3);
    lift_plan_destroy(known);
    lift_planner_destroy(planner);
}

static void test_known(void **state)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("opencl", &failure);

    (void)state;
    lift_error_fini(&failure);
    check_known("host");
    if (device)
        check_known("opencl");
    lift_device_close(device);
}

static void refuses(struct lift_planner *planner, const char *program, int steps,
                    const char *why)
{
    struct lift_plan_options o = {.program = program, .steps = steps};

    assert_null(lift_plan_create(planner, &o, &error));
    if (!strstr(lift_error_text(&error), why))
        fail_msg("%s", lift_error_text(&error));
}

static void test_refusals(void **state)
{
    static const char two[] =
        "size n = 8\nstencil s(x: [f32]n) -> y = map(a => 2.0 * a, x)\n"
        "time (x) <- (y)\nsteps 2\n";
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *plan;
    struct grids g;

    (void)state;
    refuses(planner, wave, 17, "steps is 17");
    refuses(planner, wave, -1, "steps is -1");
    refuses(planner, "size n = 8\nstencil s(x: [f32]n) = map(a => 2.0 * a, x)\n", 2,
            "it has no time loop");
    refuses(planner, two, 2, "it already states its number of steps");
    plan = plan_of(planner, &(struct lift_plan_options){.program = two});
    begin(plan, &g);
    assert_false(lift_plan_advance(plan, g.in, NULL, 3, &error));
    assert_non_null(strstr(lift_error_text(&error), "omit 'steps' in its text"));
    assert_true(lift_plan_advance(plan, g.in, NULL, 4, &error));
    end(&g);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static bool thrice(void *user)
{
    int *asked = user;

    return ++*asked < 3;
}

/* The state is that after a whole number of steps, and the next call resumes from it. */
static void test_watch(void **state)
{
    static const char counts[] = "size n = 65\n"
                                 "stencil counts(x: [f64]n) -> y = map(a => a + 1.0, x)\n"
                                 "time (x) <- (y)\n";
    static const int at_once[] = {1, 3};
    const int64_t forever = 1000000000000;
    struct lift_planner *planner = lift_planner_create(NULL, &error);

    (void)state;
    assert_false(lift_plan_watch(NULL, thrice, NULL, &error));
    assert_int_equal(lift_plan_advanced(NULL), 0);
    for (int i = 0; i < 2; i++) {
        struct lift_plan *plan = plan_of(
            planner, &(struct lift_plan_options){
                         .program = counts, .sizes = "n=64", .steps = at_once[i]});
        double x[64] = {0};
        int asked = 0;
        int64_t steps;

        assert_true(lift_plan_watch(plan, thrice, &asked, &error));
        assert_false(lift_plan_advance(plan, (void *const[]){x}, NULL, forever, &error));
        assert_int_equal(error.code, LIFT_ERROR_STOPPED);
        assert_int_equal(asked, 3);
        steps = lift_plan_advanced(plan);
        assert_true(steps >= 3 && steps < forever);
        assert_true(x[0] == (double)steps && x[63] == x[0]);
        assert_true(lift_plan_watch(plan, NULL, NULL, &error));
        assert_true(lift_plan_advance(plan, (void *const[]){x}, NULL, 4, &error));
        assert_int_equal(lift_plan_advanced(plan), 4);
        assert_true(x[0] == (double)(steps + 4));
        lift_plan_destroy(plan);
    }
    lift_planner_destroy(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),  cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_known), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_watch),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
