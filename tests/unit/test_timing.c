/* Timing kernels whose results become inputs, and the list of the fastest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/session/fastest.h"
#include "explore/trial/timing.h"
#include "patience.h"
#include "points.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One step of a recurrence: factor * older + share * newer, which update=in_place stores
 * in the buffer of 'older'. */
struct world {
    struct explore_problem *problem;
    struct lift_rules *rules;
    struct lift_device *device;
    struct lift_clocks *clocks;
    struct runner_module module;
    struct runner_data data;
};

static void begin_loop(struct world *w, const char *factor, const char *share,
                       const char *family, const char *loop, const char *older)
{
    char text[512];
    struct lift_source source = {"step.lift", text, 0};
    struct lift_error errors = {0};
    struct lift_error failure = {0};
    struct lift_str why = {0};
    struct runner_request r = {.dialect = LIFT_DIALECT_OPENMP};

    source.len =
        (size_t)snprintf(text, sizeof text,
                         "size nx = 9, ny = 7\n"
                         "stencil step(older: [[f32]nx]ny, newer: [[f32]nx]ny) -> out =\n"
                         "    map2(fun(t => t.0 * %s + t.1 * %s), zip2(%s, newer))\n"
                         "%s\n",
                         factor, share, older, loop);
    *w = (struct world){.rules = lift_rules_shipped()};
    w->problem = explore_problem_load(&source, NULL, 0, &errors);
    lift_error_print(&errors, stderr);
    w->device = lift_device_open("host", &failure);
    assert_true(w->problem && w->rules && w->device);
    w->clocks = lift_clocks_open(lift_device_info(w->device));
    r.problem = w->problem;
    r.numbers = &w->problem->sizes;
    r.term = lift_strategy_run(
        w->problem->ir, point_strategy(lift_ir_arena(w->problem->ir), w->rules, family),
        w->problem->root, NULL);
    assert_non_null(r.term);
    assert_true(runner_generate(&r, &w->module, &why));
    assert_true(runner_build(w->device, &w->module, "", NULL, &failure));
    assert_true(runner_data_create(w->problem, w->device, &w->problem->sizes, 7, &w->data,
                                   &failure));
    assert_true(runner_fit(w->device, &w->module, &w->data, &failure));
}

static void begin(struct world *w, const char *factor, const char *share,
                  const char *family)
{
    begin_loop(w, factor, share, family, "time (older, newer) <- (newer, out)", "older");
}

static void end(struct world *w)
{
    runner_data_destroy(w->device, &w->data);
    runner_unload(w->device, &w->module);
    lift_clocks_close(w->clocks);
    lift_device_close(w->device);
    lift_rules_destroy(w->rules);
    explore_problem_destroy(w->problem);
}

static int life(struct world *w)
{
    struct lift_error failure = {0};
    int launches = -1;

    assert_true(timing_life(w->device, &w->module, &w->data, &launches, &failure));
    return launches;
}

/* Numbers in [-1, 1) times 10^12 at every second launch are no numbers after the sixth;
 * times 10^-15, most are not normal after the fourth. */
static void test_life(void **state)
{
    static const struct {
        const char *factor, *share, *family;
        int least, most;
    } table[] = {{"0.5", "0.5", "omp_rows", 64, 64},
                 {"0.5", "0.5", "omp_rows,update=in_place", 64, 64},
                 {"1.0e12", "0.0", "omp_rows", 4, 4},
                 {"1.0e12", "0.0", "omp_rows,update=in_place", 4, 4},
                 {"1.0e-15", "0.0", "omp_rows,update=in_place", 2, 2},
                 {"1.0e-30", "0.0", "omp_rows,update=in_place", 1, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct world w;
        int got;

        begin(&w, table[i].factor, table[i].share, table[i].family);
        got = life(&w);
        if (got < table[i].least || got > table[i].most)
            fail_msg("%s by %s: %d launches", table[i].factor, table[i].family, got);
        end(&w);
    }
}

/* Reading a result also checks the gaps between aligned rows. */
static void test_life_of_aligned_rows(void **state)
{
    struct world w;

    (void)state;
    begin_loop(&w, "0.5", "0.5", "omp_rows", "time (older, newer) <- (newer, out)",
               "alignRows(16, 0, older)");
    assert_true(w.data.in_at[0].laid_out && w.data.out_at[0].laid_out);
    assert_int_equal(life(&w), 64);
    end(&w);
}

static const char *const loop_families[] = {"omp_rows", "omp_rows,update=in_place"};

/* Result 'k' of the recurrence with halves, from the random inputs. */
static double expected(const struct world *w, int launches, int64_t k)
{
    double older = explore_datum(w->problem, 7, 0, LIFT_F32, k),
           newer = explore_datum(w->problem, 7, 1, LIFT_F32, k);

    for (int i = 0; i < launches; i++) {
        double out = 0.5 * older + 0.5 * newer;

        older = newer;
        newer = out;
    }
    return newer;
}

static void check_results(struct world *w, int launches)
{
    struct lift_error failure = {0};

    assert_true(runner_read(w->device, &w->data, 0, &failure));
    for (int64_t k = 0; k < w->data.outputs[0].count; k++) {
        double got = explore_element(runner_result(), LIFT_F32, k);

        if (fabs(got - expected(w, launches, k)) > 1e-6)
            fail_msg("after %d launches, element %lld is %g, expected %g", launches,
                     (long long)k, got, expected(w, launches, k));
    }
}

/* Outputs become inputs, also from call to call. Refilled inputs give the results of the
 * first launch. */
static void test_steps(void **state)
{
    struct lift_error failure = {0};
    bool same;

    (void)state;
    for (int f = 0; f < 2; f++) {
        struct world w;

        begin(&w, "0.5", "0.5", loop_families[f]);
        assert_true(runner_rotates(&w.data) && runner_passes(&w.data, 0));
        assert_true(runner_poison(w.device, &w.data, &failure));
        assert_true(runner_steps(w.device, &w.module, &w.data, 1, NULL, &failure));
        assert_true(runner_remember(w.device, &w.data, &failure));
        check_results(&w, 1);
        assert_true(runner_steps(w.device, &w.module, &w.data, 3, NULL, &failure));
        check_results(&w, 4);
        assert_true(runner_steps(w.device, &w.module, &w.data, 3, NULL, &failure));
        check_results(&w, 7);
        assert_true(runner_recall(w.device, &w.data, &same, &failure) && !same);
        assert_int_equal(w.data.used, 7);
        assert_true(runner_refill(w.device, &w.data, true, &failure));
        assert_int_equal(w.data.used, 0);
        assert_true(runner_launch(w.device, &w.module, &w.data, 1, NULL, &failure));
        assert_true(runner_recall(w.device, &w.data, &same, &failure) && same);
        assert_true(runner_inspect(w.device, &w.data, true, &failure));
        end(&w);
    }
}

/* Programs without a time loop, or with a value in two inputs, do not rotate. */
static void test_no_rotation(void **state)
{
    static const char *const loops[] = {"", "time (older, newer) <- (out, out)"};
    struct lift_error failure = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct world w;
        int launches;

        begin_loop(&w, "1.0e12", "0.0", "omp_rows", loops[i], "older");
        assert_false(runner_rotates(&w.data));
        assert_true(timing_life(w.device, &w.module, &w.data, &launches, &failure));
        assert_int_equal(launches, 0);
        end(&w);
    }
}

/* Batches of a kernel that grows its data: launched thousands of times, they are numbers
 * to the end. */
static void check_batches(int family)
{
    struct lift_error failure = {0};
    struct timing_sample sample;
    struct timing t;
    struct world w;

    begin(&w, "1.0e12", "0.0", loop_families[family]);
    t = (struct timing){.device = w.device,
                        .clocks = w.clocks,
                        .module = &w.module,
                        .data = &w.data,
                        .life = life(&w),
                        .batch = 100,
                        .steps = 1};
    for (int i = 0; i < 3; i++) {
        assert_true(timing_take(&t, &sample, &failure));
        assert_true(sample.seconds > 0 && sample.seconds < patient(1));
        assert_true(t.batch >= 100 && sample.clock.batch == t.batch);
        assert_true(w.data.used <= t.life);
    }
    assert_true(runner_read(w.device, &w.data, 0, &failure));
    for (int64_t k = 0; k < w.data.outputs[0].count; k++)
        assert_true(isfinite(explore_element(runner_result(), LIFT_F32, k)));
    end(&w);
}

static void test_batches(void **state)
{
    (void)state;
    check_batches(0);
    check_batches(1);
}

/* Mine is the faster one in either state, but was timed in the slow one more often. */
static void test_states_of_the_machine(void **state)
{
    static const struct lift_trip fast = {350e-9, 360e-9}, slow = {80e-9, 80e-9},
                                  between = {80e-9, 360e-9};
    const struct timing_sample mine[] = {{.seconds = 1.0, .trip = fast},
                                         {.seconds = 1.5, .trip = between},
                                         {.seconds = 1.9, .trip = slow},
                                         {.seconds = 1.8, .trip = slow},
                                         {.seconds = 1.7, .trip = slow}};
    const struct timing_sample yours[] = {{.seconds = 1.1, .trip = fast},
                                          {.seconds = 1.1, .trip = fast},
                                          {.seconds = 1.1, .trip = fast},
                                          {.seconds = 2.2, .trip = slow},
                                          {.seconds = 2.0, .trip = slow}};
    const struct lift_trip trips[] = {fast, slow, slow, between};
    struct lift_db_clock clocks[4] = {{.throttled = -1}, {.throttled = 0}};
    double medians[2];

    (void)state;
    timing_medians((const struct timing_sample *const[]){mine, yours}, 2, 5, medians);
    assert_true(fabs(medians[0] - 1.8) < 1e-9);
    assert_true(fabs(medians[1] - 2.1) < 1e-9);
    timing_medians((const struct timing_sample *const[]){yours}, 1, 3, medians);
    assert_true(fabs(medians[0] - 1.1) < 1e-9);
    timing_settle(trips, 4, clocks);
    assert_int_equal(clocks[0].throttled, 1);
    assert_int_equal(clocks[1].throttled, 0);
    assert_int_equal(clocks[2].throttled, 0);
    assert_int_equal(clocks[3].throttled, 1);
}

static void test_standings(void **state)
{
    struct fastest s = {.count = 0};

    (void)state;
    for (int i = 0; i < 2 * FASTEST_ROWS; i++)
        fastest_put(&s, &(struct lift_choice){.expr = i}, 1 + i * 37 % 64, NULL);
    assert_int_equal(s.count, FASTEST_ROWS);
    for (int i = 0; i < FASTEST_ROWS; i++)
        assert_true(fabs(s.rows[i].seconds - (1 + i)) < 1e-9);
    fastest_put(&s, &s.rows[3].choice, 0.5, NULL); /* again, and better */
    assert_int_equal(s.count, FASTEST_ROWS);
    assert_int_equal(s.rows[0].choice.expr * 37 % 64, 3);
    fastest_drop(&s, &(struct lift_choice){.expr = s.rows[0].choice.expr});
    fastest_drop(&s, &(struct lift_choice){.expr = 1000});
    assert_int_equal(s.count, FASTEST_ROWS - 1);
    assert_int_equal(s.rows[0].choice.expr, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),     cmocka_unit_test(test_life_of_aligned_rows),
        cmocka_unit_test(test_steps),    cmocka_unit_test(test_no_rotation),
        cmocka_unit_test(test_batches),  cmocka_unit_test(test_states_of_the_machine),
        cmocka_unit_test(test_standings)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
