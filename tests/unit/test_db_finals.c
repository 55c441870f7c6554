/* Final benchmarks in the database, and which kernel is best. */
#include "tuner/db_report.h"
#include "unit/db_world.h"
#include <time.h>

static struct lift_hash put_final(struct world *w, int place, const char *tunables,
                                  double seconds)
{
    struct lift_db_trial trial = {.problem = w->problem,
                                  .device = w->device[0],
                                  .session = w->session,
                                  .phase = LIFT_TRIAL_PHASE_FINAL};
    double samples[] = {seconds};
    struct lift_db_clock clock = {100, 1500, 1};
    struct lift_db_end end = ok_end(samples, 1);
    struct lift_db_finalist f = {.place = place,
                                 .seconds = seconds,
                                 .low = seconds * 0.99,
                                 .high = seconds * 1.01,
                                 .tied = place > 1};

    end.clocks = &clock;
    end.measure_s = 0.5;
    OK(w->db,
       lift_db_put_env(w->db, &(struct lift_db_env){.os = "Debian", .unit = "far:0"},
                       &trial.env));
    OK(w->db, lift_db_put_candidate(w->db, w->low[0], tunables, &trial.candidate));
    OK(w->db, lift_db_trial_start(w->db, &trial, &f.trial));
    OK(w->db, lift_db_trial_finish(w->db, f.trial, &end));
    OK(w->db, lift_db_put_finalist(w->db, w->session, w->problem, w->device[0], &f));
    return f.trial;
}

static bool note_finalist(void *user, const struct lift_db_finalist *f)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%d %.2f %.2f %.2f %d", f->place, f->seconds * 1e6,
             f->low * 1e6, f->high * 1e6, f->tied);
    return true;
}

static bool note_family(void *user, const struct lift_db_family *f)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%.2f %lld", f->seconds * 1e6,
             (long long)f->trials);
    return true;
}

/* A kernel has one speed: that of the final benchmark of the best. */
static void assert_family(struct world *w, const char *expected)
{
    struct rows r = {0};

    OK(w->db, lift_db_families(w->db, w->problem, w->device[0], note_family, &r));
    assert_int_equal(r.count, 1);
    assert_string_equal(r.text[0], expected);
}

/* A session that began later than all others. */
static void begin_session(struct world *w)
{
    const struct timespec pause = {.tv_nsec = 5000000};

    nanosleep(&pause, NULL);
    OK(w->db, lift_db_session_start(w->db,
                                    &(struct lift_db_session){
                                        .argv = "later", .budget = "", .versions = ""},
                                    &w->session));
}

/* The final benchmark had no time for it. */
static void lose_final(struct world *w, const char *tunables)
{
    struct lift_db_trial trial = {.problem = w->problem,
                                  .device = w->device[0],
                                  .session = w->session,
                                  .phase = LIFT_TRIAL_PHASE_FINAL};
    struct lift_db_end end = {.status = LIFT_TRIAL_LOST,
                              .reason = "the time limit ended"};
    struct lift_hash id;

    OK(w->db, lift_db_put_candidate(w->db, w->low[0], tunables, &trial.candidate));
    OK(w->db, lift_db_trial_start(w->db, &trial, &id));
    OK(w->db, lift_db_trial_finish(w->db, id, &end));
}

static bool note_confirmed(void *user, const struct lift_db_best *row)
{
    *(bool *)user = row->confirmed;
    return true;
}

static void assert_best(struct world *w, const char *tunables, bool confirmed)
{
    struct lift_db_filter all = {.program = NULL};
    bool is_confirmed = !confirmed;

    assert_answer(w->db, "SELECT tunables FROM best_kernel", tunables);
    OK(w->db, lift_db_best(w->db, &all, note_confirmed, &is_confirmed));
    assert_int_equal(is_confirmed, confirmed);
}

/* Search: a = 1.0 and b = 1.1 us; final benchmark: b = 1.2 and a = 1.3. Kernel b is best,
 * despite the fast trial of a, which took part. Faster trials of c are ignored if they
 * belong to the same session, or to one whose final benchmark had no time for c. Trials
 * of d in a later session count. */
static void test_final(void **state)
{
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    put_ok(&w, 0, 0, "{\"a\":1}", 1.0e-6);
    put_ok(&w, 0, 0, "{\"b\":1}", 1.1e-6);
    assert_best(&w, "{\"a\":1}", false);
    put_final(&w, 1, "{\"b\":1}", 1.2e-6);
    put_final(&w, 2, "{\"a\":1}", 1.3e-6);
    assert_answer(w.db, "SELECT tunables || median_ms FROM best_kernel",
                  "{\"b\":1}0.0012");
    assert_family(&w, "1.20 4");
    put_ok(&w, 0, 0, "{\"c\":1}", 0.9e-6);
    assert_best(&w, "{\"b\":1}", true);
    begin_session(&w);
    put_ok(&w, 0, 0, "{\"d\":1}", 1.05e-6); /* the search has seen a faster */
    assert_best(&w, "{\"b\":1}", true);
    put_ok(&w, 0, 0, "{\"c\":1}", 0.9e-6);
    assert_best(&w, "{\"c\":1}", false);
    lose_final(&w, "{\"c\":1}");
    assert_best(&w, "{\"b\":1}", true);
    put_ok(&w, 0, 0, "{\"d\":1}", 0.95e-6);
    assert_best(&w, "{\"d\":1}", false);
    OK(w.db, lift_db_finalists(w.db, w.problem, w.device[0], note_finalist, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "1 1.20 1.19 1.21 0");
    assert_string_equal(r.text[1], "2 1.30 1.29 1.31 1");
    assert_answer(
        w.db,
        "SELECT DISTINCT m.batch || ' ' || m.mhz || ' ' || m.throttled || ' ' ||"
        " t.measure_s || ' ' || ifnull(t.check_s, '-') || ' ' || v.unit"
        " FROM trial t JOIN timing m ON m.trial = t.id JOIN env v ON v.id = t.env",
        "100 1500.0 1 0.5 - far:0");
    end(&w);
}

/* A session without a final benchmark, of the slower c and of d at 0.5 us. The session of
 * the next final benchmark times d again, at 1.6 us: d is not best. e, which it does not
 * trial, is. */
static void test_tried_again(void **state)
{
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put_ok(&w, 0, 0, "{\"c\":1}", 1.1e-6);
    put_ok(&w, 0, 0, "{\"d\":1}", 0.5e-6);
    begin_session(&w);
    put_ok(&w, 0, 0, "{\"d\":1}", 1.6e-6);
    put_final(&w, 1, "{\"c\":1}", 1.2e-6);
    assert_best(&w, "{\"c\":1}", true);
    end(&w);
    begin(&w, ":memory:");
    put_ok(&w, 0, 0, "{\"c\":1}", 1.1e-6);
    put_ok(&w, 0, 0, "{\"e\":1}", 0.5e-6);
    begin_session(&w);
    put_final(&w, 1, "{\"c\":1}", 1.2e-6);
    assert_best(&w, "{\"e\":1}", false);
    end(&w);
}

/* A final benchmark has places for all but the naive kernel. */
static void put_naive(struct world *w, const double *samples, int count)
{
    struct lift_db_trial trial = {.problem = w->problem,
                                  .device = w->device[0],
                                  .session = w->session,
                                  .phase = LIFT_TRIAL_PHASE_FINAL};
    struct lift_db_end end = ok_end(samples, count);
    struct lift_hash id;

    OK(w->db,
       lift_db_put_candidate(w->db, w->low[1], "{\"naive\": 1}", &trial.candidate));
    OK(w->db, lift_db_trial_start(w->db, &trial, &id));
    OK(w->db, lift_db_trial_finish(w->db, id, &end));
}

static void assert_naive(struct world *w, double median, double low, double high)
{
    struct lift_db_naive naive;

    OK(w->db, lift_db_naive(w->db, w->problem, w->device[0], &naive));
    assert_float_equal(naive.seconds.median, median, 1e-9);
    assert_float_equal(naive.seconds.low, low, 1e-9);
    assert_float_equal(naive.seconds.high, high, 1e-9);
}

static void test_naive(void **state)
{
    const double samples[] = {30e-6, 32e-6, 31e-6};
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    assert_naive(&w, 0, 0, 0);
    put_final(&w, 1, "{\"k\": 1}", 5e-6);
    put_final(&w, 2, "{\"k\": 2}", 6e-6);
    assert_naive(&w, 0, 0, 0); /* it took no part */
    put_naive(&w, samples, 3);
    assert_naive(&w, 31e-6, 30e-6, 32e-6);
    begin_session(&w);
    assert_naive(&w, 31e-6, 30e-6, 32e-6);
    put_final(&w, 1, "{\"k\": 1}", 5e-6);
    assert_naive(&w, 0, 0, 0); /* that of an earlier final benchmark does not count */
    put_naive(&w, samples, 2);
    assert_naive(&w, 31e-6, 0, 0); /* too few for an interval */
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_final),
                                       cmocka_unit_test(test_tried_again),
                                       cmocka_unit_test(test_naive)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
