/* References of several time steps: launches of the naive kernel of one step, compared
 * with the interpreter of the program of these steps. References that a device makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate_space.h"
#include "explore/reference.h"
#include "explore/runner.h"
#include "explore/trial/interpret.h"
#include "problem_world.h"
#include <math.h>

enum { SEED = 5 };

/* The kernel of one step, at small sizes of a problem of several steps. */
struct world {
    struct explore_problem *sweep;
    struct lift_rules *rules;
    struct lift_device *device;
    struct explore_numbers small;
    struct runner_module module;
};

static struct explore_problem *several(const struct world *w, int steps)
{
    struct lift_error errors = {0};
    struct explore_problem *p = explore_problem_of_steps(w->sweep, steps, &errors);

    lift_error_print(&errors, stderr);
    assert_non_null(p);
    assert_ptr_equal(p->sweep, w->sweep);
    assert_int_equal(p->program->steps, steps);
    return p;
}

static void begin(struct world *w, const char *program, int most)
{
    struct explore_problem *p;
    struct explore_bench bench = {0};
    struct lift_error failure = {0};
    struct lift_str why = {0};
    struct runner_request r = {.dialect = LIFT_DIALECT_OPENMP};

    *w = (struct world){.rules = lift_rules_shipped(),
                        .device = lift_device_open("host", &failure),
                        .sweep = load_program(program, NULL, 0)};
    p = several(w, most);
    bench.problem = p;
    bench.info = lift_device_info(w->device);
    explore_numbers_of(w->sweep, NULL, NULL, &w->small);
    assert_true(explore_small_sizes(p, NULL, &w->small, &why));
    assert_true(explore_reference_lower(&bench, w->rules, &why));
    assert_ptr_equal(explore_reference_problem(&bench), w->sweep);
    r.problem = w->sweep;
    r.term = bench.plain;
    r.numbers = &w->small.env;
    assert_true(runner_generate(&r, &w->module, &why));
    assert_true(
        runner_build(w->device, &w->module, "-O1 -ffp-contract=off", NULL, &failure));
    explore_problem_destroy(p);
}

static void end(struct world *w)
{
    runner_unload(w->device, &w->module);
    lift_device_close(w->device);
    lift_rules_destroy(w->rules);
    explore_problem_destroy(w->sweep);
}

/* Twice: the second time in the buffers that the first left. */
static void check(const struct world *w, int steps, uint64_t seed,
                  const struct explore_problem *p, struct runner_data *data)
{
    struct explore_question question = {
        .problem = p, .term = p->root, .numbers = &w->small.env, .seed = seed};
    struct explore_answer answer;
    struct lift_error failure = {0};
    struct lift_str why = {0};
    struct runner_module m = w->module;

    assert_true(explore_interpret(&question, &answer, &why));
    assert_int_equal(answer.count, data->output_count);
    runner_reseed(data, seed);
    assert_true(runner_fit(w->device, &m, data, &failure));
    if (!runner_chain(w->device, &m, data, &failure))
        fail_msg("%s, %d steps: %s", p->name, steps, lift_error_text(&failure));
    assert_true(runner_inspect(w->device, data, true, &failure));
    for (int i = 0; i < answer.count; i++) {
        const struct explore_leaf *leaf = &data->outputs[i];
        double magnitude = explore_magnitude(answer.data[i], LIFT_F64, leaf->count);
        struct explore_verdict v = {
            .bound = explore_seed_bound(p, seed, i, leaf->scalar, magnitude)};

        assert_true(runner_read(w->device, data, i, &failure));
        explore_compare(&v,
                        (struct explore_pair){leaf->scalar, runner_result(),
                                              answer.data[i], true, leaf->count},
                        0);
        explore_excuse(&v, p, i, leaf->count, 0);
        if (v.bad)
            fail_msg("%s, %d steps: output %d has %lld wrong values of %lld, first at "
                     "%lld: %g off",
                     p->name, steps, i, (long long)v.bad, (long long)leaf->count,
                     (long long)v.first_bad, v.max_error);
    }
    explore_answer_fini(&answer);
}

static void check_program(const char *program)
{
    static const int steps[] = {2, 3, 5};
    struct world w;

    begin(&w, program, 5);
    for (int i = 0; i < 3; i++) {
        struct explore_problem *p = several(&w, steps[i]);
        struct runner_data data;
        struct lift_error failure = {0};

        assert_true(runner_data_create(p, w.device, &w.small.env, SEED, &data, &failure));
        check(&w, steps[i], SEED, p, &data);
        check(&w, steps[i], explore_second_seed(SEED), p, &data);
        runner_data_destroy(w.device, &data);
        explore_problem_destroy(p);
    }
    end(&w);
}

/* Different time loops: one state, two states that change places, several states, states
 * next to inputs that do not change, and a number of the step. $LIFT_TEST_PROGRAMS
 * replaces the list. */
static void test_several_steps(void **state)
{
    static const char *const programs[] = {
        "jacobi2d5",    "acoustic",     "shallow_water",
        "acoustic_pml", "lbm_d2q9",     "tests/programs/pair",
        "j2d9pt-gol",   "acoustic_vti", "bench/unseen/plane_shot",
        "box2d4r",
    };
    char *all = getenv("LIFT_TEST_PROGRAMS"), *rest;

    (void)state;
    for (char *one = all ? strtok_r(all, " ", &rest) : NULL; one;
         one = strtok_r(NULL, " ", &rest))
        check_program(one);
    for (size_t i = 0; !all && i < sizeof programs / sizeof *programs; i++)
        check_program(programs[i]);
}

/* ---- references that a device makes */

/* A device, treated as one with separate memory. */
struct apart {
    struct lift_rules *rules;
    struct lift_device *device;
    struct lift_device_info info;
};

static bool open_apart(struct apart *a)
{
    LIFT_SCOPED(lift_error) failure = {0};

    *a = (struct apart){.device = lift_device_open("opencl:0", &failure)};
    if (!a->device)
        return false;
    a->rules = lift_rules_shipped();
    a->info = *lift_device_info(a->device);
    a->info.is_cpu = false;
    return true;
}

static void close_apart(struct apart *a)
{
    lift_rules_destroy(a->rules);
    lift_device_close(a->device);
}

static struct explore_bench bench_of(const struct apart *a,
                                     const struct explore_problem *p)
{
    struct explore_bench bench = {
        .problem = p, .device = "opencl:0", .info = &a->info, .seed = SEED};
    struct lift_str why = {0};

    assert_true(explore_reference_lower(&bench, a->rules, &why));
    assert_non_null(bench.own);
    return bench;
}

/* The device's reference equals the host's. Says why the host had to make it. */
static void compare(const struct apart *a, struct explore_bench *bench, int which,
                    struct lift_str *why)
{
    struct explore_bench plain = *bench;
    struct references *here, *host;
    struct explore_truth *got, *want;
    struct runner_data data;
    struct lift_error failure = {0};
    static double memory[1 << 16];

    plain.own = NULL;
    here = references_create(bench);
    host = references_create(bench);
    assert_true(runner_data_create(bench->problem, a->device, &bench->problem->sizes,
                                   SEED, &data, &failure));
    got = references_make(here, a->device, bench, which, &data, &failure);
    assert_non_null(got);
    assert_ptr_equal(got, references_find(here, bench, which));
    lift_str_add(why, references_why_here(here));
    want = references_make(host, a->device, &plain, which, &data, &failure);
    assert_non_null(want);
    assert_int_equal(got->seed, want->seed);
    for (int i = 0; i < data.output_count; i++) {
        const struct explore_leaf *leaf = &data.outputs[i];
        struct lift_buffer *there = references_there(got, a->device, i, leaf);
        struct explore_verdict v = {
            .bound = explore_seed_bound(bench->problem, want->seed, i, leaf->scalar,
                                        want->magnitude[i])};

        assert_true(there && explore_leaf_bytes(leaf) <= sizeof memory);
        assert_true((got->outputs[i] == NULL) == (why->len == 0));
        assert_true(fabs(got->magnitude[i] - want->magnitude[i]) <= v.bound);
        assert_true(a->device->runtime->read(a->device, there, memory,
                                             explore_leaf_bytes(leaf), &failure));
        explore_compare(&v,
                        (struct explore_pair){leaf->scalar, memory, want->outputs[i],
                                              false, leaf->count},
                        0);
        assert_int_equal(v.bad, 0);
    }
    references_drop(here, a->device);
    assert_null(references_find(here, bench, which));
    runner_data_destroy(a->device, &data);
    references_destroy(here, a->device);
    references_destroy(host, a->device);
}

static const struct lift_size_setting few[] = {{"nx", 61}, {"ny", 45}};

static void test_device(void **state)
{
    struct world w = {.sweep = load_program("shallow_water", few, 2)};
    struct apart a;

    (void)state;
    if (open_apart(&a)) {
        struct explore_problem *p = several(&w, 3);
        struct explore_bench one = bench_of(&a, w.sweep), three = bench_of(&a, p);
        struct lift_str why = {0};

        assert_ptr_not_equal(one.own[EXPLORE_NAIVE].space.term,
                             one.own[EXPLORE_WITNESS].space.term);
        compare(&a, &one, EXPLORE_FIRST, &why);
        compare(&a, &three, EXPLORE_THIRD, &why);
        assert_string_equal(lift_str_get(&why), "");
        lift_str_fini(&why);
        explore_problem_destroy(p);
        close_apart(&a);
    }
    explore_problem_destroy(w.sweep);
}

/* With memory for one reference, the second replaces the first, which is then made again
 * with the same values. */
static void test_memory(void **state)
{
    struct explore_problem *p = load_program("jacobi2d5", few, 2);
    struct apart a;

    (void)state;
    if (open_apart(&a)) {
        struct explore_bench bench = bench_of(&a, p);
        struct references *r = references_create(&bench);
        struct runner_data data;
        struct lift_error failure = {0};
        struct explore_truth *first, *second;
        double magnitude;

        assert_true(runner_data_create(p, a.device, &p->sizes, SEED, &data, &failure));
        a.info.global_bytes = 6 * (int64_t)explore_leaf_bytes(&data.outputs[0]);
        first = references_make(r, a.device, &bench, EXPLORE_FIRST, &data, &failure);
        assert_non_null(first);
        magnitude = first->magnitude[0];
        assert_non_null(references_find(r, &bench, EXPLORE_FIRST));
        second = references_make(r, a.device, &bench, EXPLORE_SECOND, &data, &failure);
        assert_non_null(second);
        assert_null(references_find(r, &bench, EXPLORE_FIRST));
        assert_ptr_equal(references_find(r, &bench, EXPLORE_SECOND), second);
        assert_true(second->magnitude[0] != magnitude);
        first = references_make(r, a.device, &bench, EXPLORE_FIRST, &data, &failure);
        assert_true(first && first->magnitude[0] == magnitude);
        assert_null(references_find(r, &bench, EXPLORE_SECOND));
        runner_data_destroy(a.device, &data);
        references_destroy(r, a.device);
        close_apart(&a);
    }
    explore_problem_destroy(p);
}

static struct explore_problem *scaled(const char *factor)
{
    char text[256];

    snprintf(text, sizeof text,
             "size n = 4000\n"
             "stencil scaled(x: [f32]n) -> y = map(fun(t => %s * t), x)\n"
             "time x <- y\n",
             factor);
    return load_text(text);
}

/* Where the device's kernels disagree, or are wrong, the host makes the reference. */
static void test_disagreement(void **state)
{
    struct explore_problem *right = scaled("0.5"), *wrong = scaled("0.25");
    struct apart a;

    (void)state;
    if (open_apart(&a)) {
        for (int i = 0; i < EXPLORE_OWN; i++) {
            struct explore_bench bench = bench_of(&a, right);
            const struct explore_bench other = bench_of(&a, wrong);
            struct explore_own own[EXPLORE_OWN] = {bench.own[0], bench.own[1]};
            struct lift_str why = {0};

            own[i] = other.own[i];
            bench.own = own;
            compare(&a, &bench, EXPLORE_FIRST, &why);
            assert_non_null(strstr(lift_str_get(&why), i == EXPLORE_WITNESS
                                                           ? "two kernels differ in"
                                                           : "differs from the inter"));
            lift_str_fini(&why);
        }
        close_apart(&a);
    }
    explore_problem_destroy(right);
    explore_problem_destroy(wrong);
}

static void test_no_time_loop(void **state)
{
    struct explore_problem *p =
        load_text("stencil twice(x: [f32]7) -> y = map(fun(t => 2.0 * t), x)\n");
    struct lift_error errors = {0};

    (void)state;
    assert_null(explore_problem_of_steps(p, 2, &errors));
    assert_non_null(strstr(lift_error_text(&errors), "no time loop"));
    lift_error_fini(&errors);
    explore_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_steps), cmocka_unit_test(test_device),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_disagreement),
        cmocka_unit_test(test_no_time_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
