/* Programs marked 'exact': their kernels equal the interpreter bit by bit, also for zeros
 * of both signs, infinities, NaN and subnormal numbers. */
#include "chosen_world.h"
#include "run/plan.h"
#include <float.h>
#include <math.h>

enum { PERCENT = 40, ROUNDS = 8 };

/* Each output has an expression that compilers or simplifiers tend to change. */
static const char scalars[] =
    "exact\n"
    "size n = 397\n"
    "stencil scalars(x: [f32]n, y: [f32]n) -> (ring, zeros, ends, roots, tests, least,\n"
    "    most) =\n"
    "    unzip(map(t ->\n"
    "        (t.0 * t.1 + t.0 * 3.0f - t.1,\n"
    "         (t.0 + 0.0f) * 1.0f - t.0 * 0.0f + (0.0f - t.1),\n"
    "         (t.0 - t.0) + t.1 / t.1 + t.0 / 4.0f + t.1 / 3.0f,\n"
    "         sqrt(abs(t.0)) * sqrt(abs(t.0)) - -t.1 * (0.1f + 0.2f),\n"
    "         if t.0 < t.1 then t.0 else if t.0 == t.1 then floor(t.1) else t.1 / t.0,\n"
    "         min(t.0, t.1),\n"
    "         max(t.0, t.1)),\n"
    "        zip(x, y)))\n";

static const char stencil[] =
    "exact\n"
    "size nx = 37, ny = 21\n"
    "stencil cross(g: [[f32]nx]ny) -> out =\n"
    "    map2(w -> 0.25f * (w[0][1] + w[1][0] + w[1][2] + w[2][1]) + 0.1f * w[1][1]\n"
    "        - min(w[0][0], reduce(fun(a, b => a + b), 0.0f, w[2])),\n"
    "        slide2(3, 1, pad2(1, 1, constant -0.0f, g)))\n"
    "time (g) <- (out)\n";

/* gcc flips the sign of these zeros, where it assumes that the subtrahend is never -0. */
static const char folded[] =
    "exact\n"
    "size n = 397\n"
    "stencil folded(x: [f32]n, y: [f32]n) -> (converted, added, sizes, chosen, "
    "products,\n"
    "    doubles) =\n"
    "    unzip(map(fun(t => let i = if t.0 < t.1 then 0i else -3i;\n"
    "        (0.0f - f32(i),\n"
    "         -f32(i) * -1.0f * -1.0f + 0.0f,\n"
    "         0.0f - abs(t.0),\n"
    "         0.0f - (if t.0 < t.1 then 0.0f else if t.0 == t.1 then 1.0f else 2.0f),\n"
    "         abs(f32(i)) * 0.0f - f32(i),\n"
    "         (0.0d - f64(i)) * -1.0d)),\n"
    "        zip(x, y)))\n";

static struct lift_error error;

/* ---- data */

struct data {
    struct explore_problem *problem;
    struct lift_arena *arena;
    struct lift_binding inputs[EXPLORE_MAX_LEAVES];
    void *in[EXPLORE_MAX_LEAVES], *out[EXPLORE_MAX_LEAVES];
};

static void put(enum lift_scalar scalar, const double *from, void *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (scalar == LIFT_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
}

static void begin(struct data *d, struct lift_plan *plan, const char *text)
{
    *d = (struct data){.problem = problem_of(text, NULL), .arena = lift_arena_create()};
    for (int i = 0; i < lift_plan_inputs(plan); i++)
        d->in[i] = calloc(1, plan->in[i].bytes);
    for (int o = 0; o < lift_plan_outputs(plan); o++)
        d->out[o] = calloc(1, plan->out[o].bytes);
}

static void end(struct data *d)
{
    for (int i = 0; i < EXPLORE_MAX_LEAVES; i++) {
        free(d->in[i]);
        free(d->out[i]);
    }
    lift_arena_destroy(d->arena);
    explore_problem_destroy(d->problem);
}

/* Numbers in the shape of an input, with sizes as lengths. */
static void draw(struct data *d, struct lift_plan *plan, int i, struct lift_rng *rng)
{
    const struct plan_array *a = &plan->in[i];
    int64_t count = a->shape.count;
    struct lift_ir *ir = d->problem->ir;
    lift_type flat = lift_type_array(ir, lift_type_scalar(ir, a->shape.scalar),
                                     lift_nat_const(lift_ir_nats(ir), count));
    double *numbers = LIFT_NEW_ARRAY(d->arena, double, count);
    struct lift_value value;

    assert_true(lift_value_special(
        d->arena, flat, &(struct lift_value_draw){.bits = true, .percent = PERCENT}, rng,
        &value));
    lift_value_flatten(value, numbers);
    put(a->shape.scalar, numbers, d->in[i], count);
    d->inputs[i].name = d->problem->inputs[i]->u.name;
    assert_true(lift_value_from_doubles(d->arena, d->problem->inputs[i]->type,
                                        lift_nat_env_value, &d->problem->sizes, numbers,
                                        &d->inputs[i].value));
}

/* ---- comparing */

static double number_at(enum lift_scalar scalar, const void *data, int64_t i)
{
    return scalar == LIFT_F32 ? (double)((const float *)data)[i]
                              : ((const double *)data)[i];
}

static void compare(const struct lift_plan *plan, int o, const void *got,
                    struct lift_value want)
{
    const struct explore_shape *s = &plan->out[o].shape;
    double *numbers = malloc((size_t)s->count * sizeof *numbers);

    assert_int_equal(lift_value_scalars(want), s->count);
    lift_value_flatten(want, numbers);
    for (int64_t i = 0; i < s->count; i++) {
        double is = number_at(s->scalar, got, i);

        if (!lift_value_same(lift_value_float(is), lift_value_float(numbers[i]), NULL))
            fail_msg("'%s' is %.17g at %lld, not %.17g\n%s\n%s", s->name, is,
                     (long long)i, numbers[i], lift_plan_facts(plan)->flags,
                     lift_plan_facts(plan)->source);
    }
    free(numbers);
}

static void check_round(struct data *d, struct lift_plan *plan, struct lift_rng *rng)
{
    struct lift_eval_env env = {.nat = lift_nat_env_value,
                                .nat_user = &d->problem->sizes,
                                .values = d->inputs,
                                .value_count = lift_plan_inputs(plan),
                                .round_f32 = true};
    struct lift_str why = {0};
    struct lift_value want;

    for (int i = 0; i < lift_plan_inputs(plan); i++)
        draw(d, plan, i, rng);
    if (!lift_eval(&env, d->problem->root, d->arena, &want, &why))
        fail_msg("%s", lift_str_get(&why));
    assert_true(lift_plan_execute(plan, (const void *const *)d->in, d->out, &error));
    for (int o = 0; o < lift_plan_outputs(plan); o++)
        compare(plan, o, d->out[o],
                lift_plan_outputs(plan) == 1 ? want : want.u.items[o]);
}

static void check_bits(struct lift_plan *plan, const char *text)
{
    struct lift_rng rng;
    struct data d;

    lift_rng_seed(&rng, 11);
    begin(&d, plan, text);
    for (int i = 0; i < ROUNDS; i++)
        check_round(&d, plan, &rng);
    end(&d);
}

static struct lift_plan *plan_of(struct lift_planner *planner, const char *text,
                                 const char *precision)
{
    struct lift_plan *plan = lift_plan_create(
        planner, &(struct lift_plan_options){.program = text, .precision = precision},
        &error);

    if (!plan)
        fail_msg("%s", lift_error_text(&error));
    return plan;
}

/* ---- tests */

/* A relaxed program's kernel sets the floating-point mode of its threads, not the
 * caller's. */
static void run_relaxed(struct lift_planner *planner)
{
    static const char text[] = "size n = 64\n"
                               "stencil halves(x: [f32]n) -> y = map(v -> 0.5f * v, x)\n";
    struct lift_plan *plan = plan_of(planner, text, NULL);
    float x[64], y[64];
    const void *in[] = {x};
    void *out[] = {y};
    volatile float least = FLT_MIN;

    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    assert_true(least * 0.5f > 0);
    assert_true(lift_plan_execute(plan, in, out, &error));
    assert_true(y[5] == 2.5f && least * 0.5f > 0);
    lift_plan_destroy(plan);
}

static void check_compiler(const char *compiler)
{
    static const char *const programs[] = {scalars, stencil, folded};
    struct lift_planner *planner;

    assert_int_equal(setenv("LIFT_CC", compiler, 1), 0);
    planner = lift_planner_create(NULL, &error);
    run_relaxed(planner);
    for (int i = 0; i < 3; i++) {
        struct lift_plan *plan = plan_of(planner, programs[i], NULL);

        check_bits(plan, programs[i]);
        lift_plan_destroy(plan);
    }
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

/* Vectors, streams, and grids with a halo. */
static void test_derived(void **state)
{
    static const enum lift_op ops[] = {LIFT_MAP_VEC, LIFT_MAP_SEQ_SLIDE, LIFT_PAD_STORED};
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);

    (void)state;
    assert_non_null(device);
    for (int i = 0; i < 3; i++) {
        char db[256];
        struct lift_planner *planner;
        struct lift_plan *plan;

        snprintf(db, sizeof db, "%s", path_of("exact.db"));
        put_kernel(db, &(struct wanted){.text = stencil,
                                        .ops = {ops[i], LIFT_OP_COUNT},
                                        .device = lift_device_info(device)});
        planner =
            lift_planner_create(&(struct lift_planner_options){.database = db}, &error);
        plan = plan_of(planner, stencil, NULL);
        assert_true(contains(plan->chosen->candidate.candidates.term, ops[i]));
        check_bits(plan, stencil);
        lift_plan_destroy(plan);
        lift_planner_destroy(planner);
        unlink(db);
    }
    lift_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gcc),
        cmocka_unit_test(test_clang),
        cmocka_unit_test(test_derived),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
