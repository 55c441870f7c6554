/* The order of finalists, and the rows of a final benchmark in the database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/explore.h"
#include "explore/final/finalist.h"
#include "explore/final/finalist_order.h"
#include "explore/input_data.h"
#include "explore/trial/binary_cache.h"
#include "tuner/db_query.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- order */

enum { SAMPLES = 32 };

struct field {
    double samples[4][SAMPLES];
    struct lift_db_clock clocks[SAMPLES];
    struct ranked ranked[4];
};

/* Finalists with these medians, each sample at most 'spread' of it away. */
static void make(struct field *f, const double *medians, int count, double spread)
{
    *f = (struct field){.ranked = {{.index = 0}}};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < SAMPLES; k++)
            f->samples[i][k] = medians[i] * (1 + spread * (2 * k - 31) / 31);
        f->ranked[i] = (struct ranked){.index = i,
                                       .samples = f->samples[i],
                                       .clocks = f->clocks,
                                       .count = SAMPLES,
                                       .registers = -1,
                                       .steps = 10,
                                       .time_steps = 1};
    }
}

static void expect(const struct field *f, int count, const int *order, int tied)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(f->ranked[i].index, order[i]);
        assert_int_equal(f->ranked[i].tied, i < tied);
    }
}

static void test_order(void **state)
{
    const double medians[] = {1.5, 1.0, 2.0, 1.01};
    struct field f;

    (void)state;
    make(&f, medians, 4, 0.001); /* all can be told apart */
    ranking_sort(f.ranked, 4);
    expect(&f, 4, (const int[]){1, 3, 0, 2}, 0);
    assert_true(fabs(f.ranked[0].seconds.median - 1) < 1e-9);
    assert_true(f.ranked[0].seconds.low < 1 && f.ranked[0].seconds.high > 1);
    make(&f, medians, 4, 0.05); /* two of them cannot: the faster one, all else alike */
    ranking_sort(f.ranked, 4);
    expect(&f, 4, (const int[]){1, 3, 0, 2}, 2);
    make(&f, medians, 4, 0.05);
    f.ranked[3].steps = 9;
    ranking_sort(f.ranked, 4);
    expect(&f, 4, (const int[]){3, 1, 0, 2}, 2);
    make(&f, medians, 4, 0.05); /* registers before steps */
    f.ranked[3].steps = 9;
    f.ranked[3].registers = 40;
    f.ranked[1].registers = 32;
    ranking_sort(f.ranked, 4);
    expect(&f, 4, (const int[]){1, 3, 0, 2}, 2);
    make(&f, medians, 4, 1); /* far apart, however noisy */
    f.ranked[2].steps = 1;
    ranking_sort(f.ranked, 4);
    expect(&f, 4, (const int[]){1, 3, 0, 2}, 2);
    ranking_sort(f.ranked, 0);
}

/* Samples of a device that was held back do not count where there are others. */
static void test_throttled(void **state)
{
    const double medians[] = {1, 1.1};
    struct field f;

    (void)state;
    make(&f, medians, 2, 0.001);
    for (int k = 0; k < SAMPLES; k += 2) {
        f.samples[0][k] = 3;
        f.clocks[k].throttled = 1;
    }
    ranking_sort(f.ranked, 2);
    assert_int_equal(f.ranked[0].index, 0);
    assert_true(f.ranked[0].seconds.high < 1.01);
}

/* The machine changed its state while two finalists were timed: the slower one has more
 * samples in the fast state. The third one has samples of that state only. */
static void test_states(void **state)
{
    static const struct lift_trip fast = {350e-9, 360e-9}, slow = {80e-9, 80e-9};
    struct finalist *list = calloc(3, sizeof *list);

    (void)state;
    assert_non_null(list);
    for (int i = 0; i < 3; i++) {
        list[i].count = 6;
        list[i].time_steps = 1;
        for (int k = 0; k < 6; k++) {
            bool quick = i == 2 || k < (i == 0 ? 1 : 3);

            list[i].trips[k] = quick ? fast : slow;
            list[i].samples[k] = (quick ? 1.0 : 1.7) * (i == 1 ? 1.2 : 1.0);
            list[i].held[k] = -1;
        }
    }
    finalist_settle(list, 2);
    assert_true(fabs(finalist_median(&list[0]) - 1.7) < 1e-9);
    assert_true(fabs(finalist_median(&list[1]) - 2.04) < 1e-9);
    assert_int_equal(list[0].clocks[0].throttled, 1);
    assert_int_equal(list[0].clocks[1].throttled, -1);
    finalist_settle(list, 3); /* now most are of the fast one */
    assert_true(fabs(finalist_median(&list[0]) - 1) < 1e-9);
    assert_true(fabs(finalist_median(&list[1]) - 1.2) < 1e-9);
    assert_int_equal(list[0].clocks[0].throttled, -1);
    free(list);
}

/* Threads waited in all samples of one finalist, and in some of another: both are
 * compared by the shortest quarter. With enough undisturbed samples, only these count. */
static void test_busy(void **state)
{
    struct finalist *list = calloc(2, sizeof *list);

    (void)state;
    assert_non_null(list);
    for (int i = 0; i < 2; i++) {
        list[i].count = 8;
        list[i].time_steps = 1;
        for (int k = 0; k < 8; k++) {
            bool waited = i == 0 || k >= 6;

            list[i].held[k] = waited ? LIFT_DB_WAITED : 0;
            list[i].samples[k] = i == 0 ? (k < 2 ? 1 : 5) : waited ? 9 : 1.5;
        }
    }
    finalist_settle(list, 2);
    assert_true(fabs(finalist_median(&list[0]) - 1) < 1e-9);
    assert_true(fabs(finalist_median(&list[1]) - 1.5) < 1e-9);
    assert_int_equal(list[0].clocks[1].throttled, 0);
    assert_int_equal(list[0].clocks[2].throttled, LIFT_DB_WAITED);
    for (int k = 0; k < 5; k++) {
        list[0].held[k] = 0;
        list[0].samples[k] = 2;
    }
    finalist_settle(list, 2);
    assert_true(fabs(finalist_median(&list[0]) - 2) < 1e-9);
    assert_int_equal(list[0].clocks[5].throttled, LIFT_DB_WAITED);
    free(list);
}

/* ---- a whole one */

static const char program[] =
    "size nx = 40, ny = 34\n"
    "stencil blur(x: [[f32]nx]ny) -> out =\n"
    "    map2(fun(w => 0.25 * (w[0][1] + w[1][0] + w[1][2] + w[2][1])),\n"
    "        slide2(3, 1, pad2(1, 1, clamp, x)))\n";

struct seen {
    struct lift_hash trials[MOST_FINALISTS];
    int finalists, finals, searched;
    bool winner_best;
};

static bool see_finalist(void *user, const struct lift_db_finalist *row)
{
    struct seen *s = user;

    assert_int_equal(row->place, s->finalists + 1);
    assert_true(row->low <= row->seconds && row->seconds <= row->high && row->low > 0);
    s->trials[s->finalists++] = row->trial;
    return true;
}

static bool see_trial(void *user, const struct lift_db_tried *row)
{
    struct seen *s = user;

    assert_true(row->phase == LIFT_TRIAL_PHASE_FINAL ||
                row->phase == LIFT_TRIAL_PHASE_RECHECK ||
                row->phase == LIFT_TRIAL_PHASE_SEARCH);
    s->finals += row->phase == LIFT_TRIAL_PHASE_FINAL;
    s->searched += row->phase == LIFT_TRIAL_PHASE_SEARCH;
    return true;
}

static bool see_best(void *user, const struct lift_db_best *row)
{
    struct seen *s = user;

    s->winner_best =
        s->finalists && lift_hash_equal(row->trial, s->trials[0]) && row->confirmed;
    return true;
}

static struct lift_explore_result explore(const char *db, int trials, bool no_final,
                                          const char *more_rules)
{
    static const char *const devices[] = {"host"};
    struct lift_source source = {"blur.lift", program, sizeof program - 1};
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    bool loaded = lift_rules_load(rules, "test.rules", more_rules, &errors);
    static const char *const points[] = {"omp_rows,fault=shy"};
    struct lift_explore_result result =
        lift_explore(&(struct lift_explore_options){.source = &source,
                                                    .rules = rules,
                                                    .devices = devices,
                                                    .device_count = 1,
                                                    .db = db,
                                                    .trials = trials,
                                                    .seed = 1,
                                                    .max_exprs = 20,
                                                    .points = points,
                                                    .point_count = *more_rules ? 1 : 0,
                                                    .no_naive = *more_rules != '\0',
                                                    .no_final = no_final},
                     &errors);

    assert_true(loaded);
    if (result.error.len)
        fail_msg("%s", lift_str_get(&result.error));
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
    return result;
}

static struct seen look(const char *path, const struct lift_explore_result *r)
{
    struct lift_db *db = lift_db_open(path, LIFT_DB_READ, NULL);
    struct lift_hash device = r->parts[0].device;
    struct seen s = {.finalists = 0};

    assert_non_null(db);
    assert_true(lift_db_finalists(db, r->problem, device, see_finalist, &s));
    assert_true(lift_db_tried(db, r->problem, device, see_trial, &s));
    assert_true(lift_db_best(db, &(struct lift_db_filter){0}, see_best, &s));
    lift_db_close(db);
    return s;
}

static void test_final(void **state)
{
    char folder[] = "/tmp/lift-final-XXXXXX", path[64], command[80];
    struct lift_explore_result r;
    struct seen s;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.db", folder);
    r = explore(path, 2, true, "");
    s = look(path, &r);
    assert_int_equal(s.finals, 0);
    lift_explore_result_fini(&r);
    r = explore(path, 1, false, "");
    s = look(path, &r);
    assert_int_equal(s.searched, 3);
    assert_true(s.finals >= 1 && s.finals <= 4);             /* those that are right */
    assert_in_range(s.finals, s.finalists, s.finalists + 1); /* with the naive kernel */
    assert_true(s.winner_best);
    assert_true(r.progress.naive_low > 0 &&
                r.progress.naive_low <= r.progress.naive_seconds &&
                r.progress.naive_seconds <= r.progress.naive_high);
    assert_true(
        fabs(r.progress.naive_seconds / r.progress.best_seconds / r.progress.gain - 1) <
        1e-9);
    lift_explore_result_fini(&r);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* The sum that the kernel scales at row 9, column 9, on the final benchmark's inputs. */
static double sum_there(void)
{
    struct lift_source source = {"blur.lift", program, sizeof program - 1};
    struct lift_error errors = {0};
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &errors);
    const int points[] = {8 * 40 + 9, 9 * 40 + 8, 9 * 40 + 10, 10 * 40 + 9};
    double sum = 0;

    assert_non_null(p);
    for (int i = 0; i < 4; i++)
        sum += explore_datum(p, explore_third_seed(1), 0, LIFT_F32, points[i]);
    explore_problem_destroy(p);
    lift_error_fini(&errors);
    return sum;
}

static bool see_shy(void *user, const struct lift_db_tried *row)
{
    int *found = user;

    if (row->phase == LIFT_TRIAL_PHASE_FINAL)
        found[row->status == LIFT_TRIAL_NONDETERMINISTIC]++;
    return true;
}

static bool count_best(void *user, const struct lift_db_best *row)
{
    (void)row;
    ++*(int *)user;
    return true;
}

/* A kernel that is wrong where one number comes up, which only the final benchmark's
 * inputs have: it is out, and as no other was tried there is no best one. */
static void test_wrong_there(void **state)
{
    char folder[] = "/tmp/lift-final-XXXXXX", path[64], command[80], rules[1024];
    double sum = sum_there();
    struct lift_explore_result r;
    struct lift_db *db;
    int found[2] = {0}, best = 0;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.db", folder);
    snprintf(
        rules, sizeof rules,
        "decision fault default none after form\n"
        "rule shy exact\n"
        "  0.25 * x ~> userFun(\"f32 shy(f32 x) { return x > %.7ff && x < %.7ff ? 9.0f "
        ": 0.25f * x; }\", x)\n"
        "option shy of fault exact like shy\n  = topdown(shy)\n",
        sum - 2e-6, sum + 2e-6);
    r = explore(path, 1, false, rules);
    db = lift_db_open(path, LIFT_DB_READ, NULL);
    assert_non_null(db);
    assert_true(lift_db_tried(db, r.problem, r.parts[0].device, see_shy, found));
    assert_true(lift_db_best(db, &(struct lift_db_filter){0}, count_best, &best));
    lift_db_close(db);
    assert_int_equal(r.progress.by_status[LIFT_TRIAL_OK], 1);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], 1);
    assert_int_equal(best, 0);
    lift_explore_result_fini(&r);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* The search ends while a builder compiles: the final benchmark compiles anew. */
static void test_ended_compilation(void **state)
{
    struct lift_hash key = lift_hash_text("kernel");
    struct cache cache = {0};
    struct binary *b = cache_add(&cache, key);

    (void)state;
    assert_ptr_equal(cache_find(&cache, key), b);
    cache_release(b);
    cache_release(b);
    assert_null(cache_find(&cache, key));
    b = cache_add(&cache, key);
    cache_made(&cache, b, "binary", 6);
    cache_release(b);
    assert_ptr_equal(cache_find(&cache, key), b);
    cache_fini(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),      cmocka_unit_test(test_ended_compilation),
        cmocka_unit_test(test_throttled),  cmocka_unit_test(test_states),
        cmocka_unit_test(test_busy),       cmocka_unit_test(test_final),
        cmocka_unit_test(test_wrong_there)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
