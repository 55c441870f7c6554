/* The runner of a device session, with a device that a made-up worker stands in for:
 * crashes, time-outs, their victims, and a device that fails its health check. */
#include "db_world.h"

#include "explore/session/session.h"
#include "tuner/worker.h"

/* Orders to the worker, by the expression's number. */
enum { GOOD, CRASHES, HANGS, ERRS, SPOILS, FAILS_IF_SPOILT, OVERFLOWS, KINDS };

struct shared {
    volatile int ill; /* health checks that are yet to fail */
    volatile int checks, runs;
    volatile int reference;     /* an order for making references */
    volatile int references[2]; /* made; only built */
    volatile int before;        /* trials before these */
};

/* The state of the process: whether a trial has spoilt it. */
static void stand_in(void *user, void **state, const void *request, size_t size,
                     struct lift_str *reply)
{
    static bool spoilt;
    struct shared *shared = user;
    struct trial_request asked;
    struct trial_reply r = {.status = LIFT_TRIAL_OK, .resources = LIFT_RESOURCES_UNKNOWN};

    (void)state;
    assert_true(size >= sizeof asked);
    memcpy(&asked, request, sizeof asked);
    if (asked.task == TRIAL_HEALTH) {
        shared->checks++;
        if (shared->ill > 0) {
            shared->ill--;
            r.status = LIFT_TRIAL_RUN_ERROR;
            strcpy(r.reason, "the known kernel stored 1 in place of 2");
        }
    } else if (asked.task == TRIAL_REFERENCE) {
        shared->references[asked.parts == TRIAL_SMALL]++;
        shared->before += shared->runs;
        if (shared->reference == CRASHES)
            raise(SIGILL);
        if (shared->reference == ERRS) {
            r.status = LIFT_TRIAL_RUN_ERROR;
            r.no_reference = true;
            strcpy(r.reason, "no reference for 'step': no memory");
        }
        if (shared->reference == OVERFLOWS && asked.parts != TRIAL_SMALL)
            strcpy(r.made_on_host, "two kernels differ");
        r.reference_s = 0.5;
    } else {
        int kind = ((const char *)request)[sizeof asked]; /* the job */

        shared->runs++;
        if (kind == CRASHES || (kind == FAILS_IF_SPOILT && spoilt))
            raise(SIGILL);
        if (kind == HANGS) {
            lift_worker_allow(0.2);
            for (;;)
                pause();
        }
        if (kind == ERRS)
            r.status = LIFT_TRIAL_RUN_ERROR;
        if (kind == OVERFLOWS)
            r.status = LIFT_TRIAL_OVERFLOW;
        spoilt = spoilt || kind == SPOILS;
        if (r.status == LIFT_TRIAL_OK) {
            r.samples[r.sample_count++] = 1e-3;
            r.checks[r.check_count++] =
                (struct lift_db_check){LIFT_CHECK_FULL, 0, 1, 0, -1};
        }
    }
    lift_str_addn(reply, (const char *)&r, sizeof r);
}

struct bed {
    struct world w;
    struct shared *shared;
    struct explore_problem problem;
    struct lift_explore_part part;
    struct lift_explore_result result;
    struct lift_explore_options options;
    struct session session;
    struct derivation derivation;
    unsigned char depth_of[16];
    struct derive_leaf leaf;
    int leaves[16]; /* that one */
    struct device_session device_session;
};

static int make_bed(void **state)
{
    struct bed *b = calloc(1, sizeof *b);
    struct device_session *l = &b->device_session;

    begin(&b->w, ":memory:");
    b->shared = lift_shared_alloc(sizeof *b->shared);
    b->problem.points = 1;
    b->part.name = (char *)"opencl:7";
    b->session = (struct session){.options = &b->options,
                                  .problem = &b->problem,
                                  .result = &b->result,
                                  .db = b->w.db,
                                  .depth_count = 1,
                                  .device_sessions = l,
                                  .device_session_count = 1};
    b->derivation = (struct derivation){.leaves = &b->leaf};
    l->depth_of = b->depth_of;
    l->depths[0].steps = 1;
    l->depths[0].derivation = &b->derivation;
    l->leaves = b->leaves;
    l->session = &b->session;
    l->result = &b->part;
    l->depths[0].recorder = (struct recorder){.db = b->w.db,
                                              .problem_id = b->w.problem,
                                              .device_id = b->w.device[0],
                                              .session = b->w.session,
                                              .stored = true};
    l->runner = lift_worker_create(stand_in, b->shared);
    l->drive.fresh = true;
    l->drive.known = (struct attempt){.task = TRIAL_HEALTH, .stage = ATTEMPT_READY};
    queue_create(&l->queue, 8, 1, false);
    *state = b;
    return 0;
}

static int drop_bed(void **state)
{
    struct bed *b = *state;

    drive_fini(&b->device_session);
    queue_fini(&b->device_session.queue);
    fastest_fini(&b->device_session.fastest);
    fastest_fini(&b->device_session.single);
    cache_fini(&b->session.pool.cache);
    lift_worker_stop(b->device_session.runner);
    lift_shared_free(b->shared, sizeof *b->shared);
    free(b->part.lost);
    lift_str_fini(&b->result.error);
    end(&b->w);
    free(b);
    return 0;
}

/* A trial that is ready to be run. */
static struct attempt *put(struct bed *b, int kind)
{
    struct queue *q = &b->device_session.queue;
    struct attempt *a = queue_at(q, q->next++);
    char tunables[32];

    snprintf(tunables, sizeof tunables, "{\"n\":%d}", (int)q->next);
    built_release(&a->built); /* the ring has come round */
    *a = (struct attempt){.stage = ATTEMPT_READY,
                          .choice.expr = kind,
                          .id = start_trial(&b->w, 0, 0, tunables)};
    a->built.reply.job_size = 1;
    lift_str_addc(&a->built.texts, (char)kind);
    a->built.full = cache_add(&b->session.pool.cache, hash_of(tunables));
    cache_made(&b->session.pool.cache, a->built.full, "binary", 6);
    return a;
}

static void drive_on(struct bed *b)
{
    struct device_session *l = &b->device_session;
    struct pollfd p;

    assert_true(drive_choose(l, true));
    drive_send(l);
    if (lift_worker_busy(l->runner))
        poll(&p, 1, lift_worker_wait(l->runner, &p));
    drive_step(l);
}

/* Runs until the queue is empty, or until a second check is requested. */
static void drive(struct bed *b)
{
    struct device_session *l = &b->device_session;

    do {
        drive_on(b);
    } while (!l->result->lost && !l->drive.recheck &&
             (!drive_is_idle(l) || queue_find(&l->queue, ATTEMPT_READY)));
}

static void expect(const struct attempt *a, enum lift_trial_status status)
{
    assert_int_equal(a->stage, ATTEMPT_ENDED);
    if (a->end.status != status)
        fail_msg("%s: %s", lift_trial_status_name(a->end.status), a->end.reason);
}

static void test_good_ones(void **state)
{
    struct bed *b = *state;
    struct attempt *first = put(b, GOOD), *second = put(b, GOOD);

    drive(b);
    expect(first, LIFT_TRIAL_OK);
    expect(second, LIFT_TRIAL_OK);
    assert_int_equal(b->shared->checks, 0);
    assert_int_equal(b->shared->runs, 2);
    assert_answer(b->w.db, "SELECT count(*) FROM trial WHERE launched IS NOT NULL", "2");
}

/* Each harmful kernel gets its own cause, after a health check and a second run alone;
 * later kernels are not affected. */
static void test_harm(void **state)
{
    static const enum lift_trial_status ends[KINDS] = {[GOOD] = LIFT_TRIAL_OK,
                                                       [CRASHES] = LIFT_TRIAL_CRASH,
                                                       [HANGS] = LIFT_TRIAL_RUN_TIMEOUT,
                                                       [ERRS] = LIFT_TRIAL_RUN_ERROR,
                                                       [OVERFLOWS] = LIFT_TRIAL_OVERFLOW};
    static const int kinds[] = {CRASHES, HANGS, ERRS, OVERFLOWS};
    struct bed *b = *state;

    for (int i = 0; i < 4; i++) {
        struct attempt *before = put(b, GOOD), *bad = put(b, kinds[i]),
                       *after = put(b, GOOD);

        b->shared->checks = b->shared->runs = 0;
        drive(b);
        expect(before, LIFT_TRIAL_OK);
        expect(bad, ends[kinds[i]]);
        expect(after, LIFT_TRIAL_OK);
        assert_int_equal(b->shared->runs, kinds[i] == OVERFLOWS ? 3 : 4);
        assert_int_equal(b->shared->checks, kinds[i] == OVERFLOWS ? 1 : 2);
    }
    assert_null(b->part.lost);
}

/* The first kernel of a fresh runner cannot be another kernel's victim: it does not run
 * again. */
static void test_first_one_crashes(void **state)
{
    struct bed *b = *state;
    struct attempt *bad = put(b, CRASHES), *worse = put(b, CRASHES);

    drive(b);
    expect(bad, LIFT_TRIAL_CRASH);
    expect(worse, LIFT_TRIAL_CRASH);
    assert_int_equal(b->shared->runs, 2);
    assert_int_equal(b->shared->checks, 2);
}

static void test_victim(void **state)
{
    struct bed *b = *state;
    struct attempt *culprit = put(b, SPOILS), *victim = put(b, FAILS_IF_SPOILT);

    drive(b);
    expect(culprit, LIFT_TRIAL_OK);
    expect(victim, LIFT_TRIAL_OK);
    assert_true(
        b->device_session.drive.recheck); /* the one before it is looked at again */
    assert_int_equal(b->device_session.drive.good.choice.expr, SPOILS);
    assert_answer(b->w.db, "SELECT kind FROM device_event", "victim");
}

static void test_quarantine(void **state)
{
    struct bed *b = *state;
    struct attempt *before = put(b, GOOD), *bad = put(b, ERRS), *after = put(b, GOOD);

    b->shared->ill = 3;
    drive(b);
    expect(before, LIFT_TRIAL_OK);
    expect(bad, LIFT_TRIAL_DEVICE_LOST);
    assert_int_equal(after->stage, ATTEMPT_READY);
    assert_int_equal(b->shared->checks, 3);
    assert_non_null(strstr(b->part.lost, "device 'opencl:7' failed its health check"));
    assert_non_null(strstr(b->part.lost, "reset the device"));
    assert_answer(
        b->w.db,
        "SELECT group_concat(kind) FROM (SELECT kind FROM device_event ORDER BY "
        "kind)",
        "health,health,health,quarantine");
}

/* Twice is not enough. */
static void test_recovers(void **state)
{
    struct bed *b = *state;
    struct attempt *bad = put(b, ERRS), *after = put(b, GOOD);

    b->shared->ill = 2;
    drive(b);
    assert_int_equal(b->shared->checks, 3);
    expect(bad, LIFT_TRIAL_RUN_ERROR);
    expect(after, LIFT_TRIAL_OK);
    assert_null(b->part.lost);
}

/* The session's end leaves no time for another check. A kernel keeps its own failure,
 * unless the last check failed, too. */
static void test_the_end_after_a_failure(void **state)
{
    struct bed *b = *state;
    struct attempt *own = put(b, ERRS), *lost;

    while (!b->device_session.drive.unwell)
        drive_on(b);
    drive_settle(&b->device_session);
    expect(own, LIFT_TRIAL_RUN_ERROR);
    lost = put(b, ERRS);
    b->shared->ill = 1;
    while (b->device_session.drive.failures == 0)
        drive_on(b);
    drive_settle(&b->device_session);
    expect(lost, LIFT_TRIAL_DEVICE_LOST);
    assert_null(b->part.lost);
}

/* The runner prepares the first reference before it runs trials. */
static void test_reference(void **state)
{
    struct bed *b = *state;
    struct attempt *first = put(b, GOOD), *second = put(b, GOOD);

    b->shared->reference = OVERFLOWS;
    b->device_session.drive.preparation = DRIVE_BUILD_REFERENCE;
    drive(b);
    expect(first, LIFT_TRIAL_OK);
    expect(second, LIFT_TRIAL_OK);
    assert_int_equal(b->shared->references[true], 1);
    assert_int_equal(b->shared->references[false], 1);
    assert_int_equal(b->shared->before, 0);
    assert_int_equal(b->device_session.drive.preparation, DRIVE_PREPARED);
    assert_true(b->session.reference_seconds == 0.5);
    assert_answer(b->w.db, "SELECT kind || ': ' || text FROM device_event",
                  "reference: two kernels differ");
}

/* A trial repeats what failed without a reason; with a reason the session ends. */
static void test_no_reference(void **state)
{
    struct bed *b = *state;
    struct attempt *first = put(b, GOOD);

    b->shared->reference = CRASHES;
    b->device_session.drive.preparation = DRIVE_MAKE_REFERENCE;
    drive(b);
    expect(first, LIFT_TRIAL_OK);
    assert_int_equal(b->shared->references[false], 1);
    assert_int_equal(b->result.error.len, 0);
    b->shared->reference = ERRS;
    b->device_session.drive.preparation = DRIVE_MAKE_REFERENCE;
    put(b, GOOD);
    drive(b);
    assert_string_equal(lift_str_get(&b->result.error),
                        "no reference for 'step': no memory");
    assert_int_equal(b->result.end, LIFT_EXPLORE_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good_ones, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_harm, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_first_one_crashes, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_victim, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_quarantine, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_recovers, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_the_end_after_a_failure, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_reference, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_no_reference, make_bed, drop_bed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
