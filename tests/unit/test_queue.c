/* The queue of a device session, with a technique that proposes 0, 1, 2, ... and records
 * its reports: their order and completeness. The test ends trials; the claimed time of a
 * proposal determines a trial's duration. */
#include "db_world.h"

#include "base/seconds.h"
#include "explore/session/session.h"
#include <unistd.h>

enum { POINTS = 60, ROOM = 4, SLOTS = 16, LIST_END = -1 };

struct bed {
    struct world w;
    struct lift_arena *arena;
    struct lift_expr_node term;
    struct candidate_space candidates;
    struct derive_node node;
    struct derive_leaf leaf;
    struct derivation derivation;
    unsigned char depth_of;
    int space_leaf;
    bool tried;
    unsigned char strikes;
    struct lift_explore_options options;
    struct lift_explore_part part;
    struct lift_explore_result result;
    struct session session;
    struct device_session device_session;
    bool late[POINTS];
};

/* ---- the technique */

struct script {
    int next;
};

static struct {
    int order[POINTS], count;
    int rejected; /* the point that may fail; LIST_END: none */
} told;

static void script_init(void *state, const struct search_seen *seen, struct lift_rng *rng)
{
    (void)state;
    (void)seen;
    (void)rng;
    told.count = 0;
    told.rejected = LIST_END;
}

static bool script_propose(void *state, struct lift_choice *choice)
{
    struct script *s = state;

    *choice = (struct lift_choice){.values = {s->next}};
    return s->next++ < POINTS;
}

static void script_observe(void *state, const struct lift_choice *choice,
                           struct lift_outcome outcome)
{
    (void)state;
    assert_true(told.count < POINTS);
    assert_true(outcome.ok || choice->values[0] == told.rejected);
    told.order[told.count++] = choice->values[0];
}

static const struct lift_technique script = {.name = "script",
                                             .state_size = sizeof(struct script),
                                             .init = script_init,
                                             .propose = script_propose,
                                             .observe = script_observe};

/* ---- the device session */

static const struct lift_joint *make_joint(struct bed *b)
{
    int64_t values[POINTS];
    struct lift_param param = {.name = "n", .values = values, .count = POINTS};
    struct lift_joint_expr expr = {0};

    for (int i = 0; i < POINTS; i++)
        values[i] = i + 1;
    b->candidates.space = lift_space_create(b->arena, &param, 1, NULL, 0);
    expr.space = b->candidates.space;
    return lift_joint_create(b->arena, &(struct lift_joint_parts){&expr, 1});
}

static void make_device_session(struct bed *b)
{
    struct device_session *l = &b->device_session;

    b->session = (struct session){.options = &b->options,
                                  .result = &b->result,
                                  .db = b->w.db,
                                  .depth_count = 1,
                                  .device_sessions = l,
                                  .device_session_count = 1};
    b->term.hash = b->w.low[0];
    b->candidates.term = &b->term;
    b->node.configuration_stored = true;
    b->options.max_exprs = 1; /* the space stays as it is */
    b->derivation = (struct derivation){.nodes = &b->node, .leaves = &b->leaf};
    l->session = &b->session;
    l->depth_of = &b->depth_of;
    l->depths[0].steps = 1;
    l->depths[0].derivation = &b->derivation;
    l->result = &b->part;
    l->spaces = &b->candidates;
    l->leaves = &b->space_leaf;
    l->space_count = 1;
    l->tried = &b->tried;
    l->strikes = &b->strikes;
    l->depths[0].recorder = (struct recorder){.db = b->w.db,
                                              .derivation = &b->derivation,
                                              .device = &devices[1],
                                              .problem_id = b->w.problem,
                                              .device_id = b->w.device[1],
                                              .session = b->w.session,
                                              .stored = true};
    l->joint = make_joint(b);
    l->frontier = frontier_create(l->joint, &script, 1);
}

static int make_bed(void **state)
{
    struct bed *b = calloc(1, sizeof *b);

    begin(&b->w, ":memory:");
    b->arena = lift_arena_create();
    make_device_session(b);
    queue_create(&b->device_session.queue, ROOM, SLOTS / ROOM, false);
    *state = b;
    return 0;
}

static int drop_bed(void **state)
{
    struct bed *b = *state;

    queue_fini(&b->device_session.queue);
    fastest_fini(&b->device_session.fastest);
    fastest_fini(&b->device_session.single);
    cache_fini(&b->session.pool.cache);
    frontier_destroy(b->device_session.frontier);
    lift_arena_destroy(b->arena);
    end(&b->w);
    free(b);
    return 0;
}

static void turn(struct bed *b)
{
    assert_true(queue_turn(&b->device_session, false));
}

static struct attempt *nth(struct bed *b, int number)
{
    struct queue *q = &b->device_session.queue;

    assert_in_range(number, q->first, q->next - 1);
    assert_int_equal(queue_at(q, number)->choice.values[0], number);
    return queue_at(q, number);
}

/* The trial has been running for some more seconds. */
static void dawdle(struct bed *b, int number, double seconds)
{
    nth(b, number)->asked -= seconds;
}

static void end_with(struct attempt *a, enum lift_trial_status status, const char *reason)
{
    struct trial_reply end = {.status = status,
                              .checks = {{LIFT_CHECK_FULL, 0, 1, 0, -1}},
                              .check_count = status == LIFT_TRIAL_OK,
                              .samples = {1e-3},
                              .sample_count = status == LIFT_TRIAL_OK,
                              .resources = LIFT_RESOURCES_UNKNOWN};

    assert_true(a->stage < ATTEMPT_ENDED);
    snprintf(end.reason, sizeof end.reason, "%s", reason);
    a->score = end.samples[0];
    attempt_end(a, &end);
}

static void finish(struct bed *b, int number)
{
    end_with(nth(b, number), LIFT_TRIAL_OK, "");
}

/* Ends some trials (LIST_END ends the list) and runs a turn. */
static void finish_all(struct bed *b, const int *numbers)
{
    for (; *numbers != LIST_END; numbers++)
        finish(b, *numbers);
    turn(b);
}

/* Compares the results reported since the first 'from' (LIST_END ends the list). */
static void expect_told(int from, const int *numbers)
{
    for (; *numbers != LIST_END; numbers++, from++) {
        assert_true(from < told.count);
        assert_int_equal(told.order[from], *numbers);
    }
    assert_int_equal(told.count, from);
}

#define LIST(...) ((const int[]){__VA_ARGS__, LIST_END})

/* ---- tests */

static void test_in_order(void **state)
{
    struct bed *b = *state;

    turn(b);
    assert_int_equal(b->device_session.queue.next, ROOM);
    finish_all(b, LIST(3, 1, 2));
    assert_int_equal(told.count, 0);
    assert_int_equal(b->device_session.queue.next, ROOM);
    finish_all(b, LIST(0));
    expect_told(0, LIST(0, 1, 2, 3));
    assert_int_equal(b->device_session.queue.first, ROOM);
    assert_int_equal(b->device_session.queue.next, 2 * ROOM);
}

/* Other trials overtake a late one, in their order; the queue reports the late one when
 * it ends. */
static void test_one_is_late(void **state)
{
    struct bed *b = *state;
    struct queue *q = &b->device_session.queue;

    turn(b);
    finish_all(b, LIST(0, 2, 3));
    expect_told(0, LIST(0));
    dawdle(b, 1, 100);
    turn(b);
    expect_told(1, LIST(2, 3));
    assert_int_equal(q->first, 1);
    assert_int_equal(q->next, 7); /* it takes one place of the four */
    finish_all(b, LIST(5));
    assert_int_equal(told.count, 3); /* 4 is as young as the others were */
    finish_all(b, LIST(4));
    expect_told(3, LIST(4, 5));
    assert_int_equal(nth(b, 1)->stage, ATTEMPT_PROPOSED);
    finish_all(b, LIST(1, 6));
    expect_told(5, LIST(1, 6));
    assert_int_equal(q->first, 7);
    assert_answer(b->w.db, "SELECT count(*) FROM trial WHERE status = 'ok'", "7");
}

/* The usual duration is unknown until three trials have ended. */
static void test_too_few_ended(void **state)
{
    struct bed *b = *state;

    turn(b);
    dawdle(b, 0, 1000);
    finish_all(b, LIST(1, 2));
    assert_int_equal(told.count, 0);
    finish_all(b, LIST(3));
    expect_told(0, LIST(1, 2, 3));
}

/* A trial is late after twice the duration of others, and more than a second. */
static void test_as_slow_as_others(void **state)
{
    struct bed *b = *state;

    turn(b);
    for (int i = 0; i < ROOM; i++)
        dawdle(b, i, 10);
    finish_all(b, LIST(0, 1, 2, 3));
    assert_int_equal(told.count, 4);
    dawdle(b, 5, 10);
    dawdle(b, 4, 19);
    finish_all(b, LIST(5));
    assert_int_equal(told.count, 4);
    dawdle(b, 4, 5);
    turn(b);
    expect_told(4, LIST(5));
}

/* The runner is idle and one compiler works: the queue reports finished trials and asks
 * for new ones. It does not while a trial waits for the runner. */
static void test_nothing_to_run(void **state)
{
    struct bed *b = *state;
    struct queue *q = &b->device_session.queue;

    turn(b);
    for (int i = 0; i < ROOM; i++)
        dawdle(b, i, 10);
    nth(b, 3)->stage = ATTEMPT_READY;
    finish_all(b, LIST(1, 2));
    assert_int_equal(told.count, 0);
    finish_all(b, LIST(3));
    expect_told(0, LIST(1, 2, 3));
    assert_int_equal(q->next, 2 * ROOM - 1);
    dawdle(b, 4, 1);
    finish_all(b, LIST(5));
    assert_int_equal(told.count, 3); /* two more are with the compilers */
}

/* One long trial does not delay all others. */
static void test_one_slow_one_is_unusual(void **state)
{
    struct bed *b = *state;

    turn(b);
    dawdle(b, 1, 1);
    dawdle(b, 2, 1);
    dawdle(b, 3, 200);
    dawdle(b, 0, 55);
    finish_all(b, LIST(1, 2, 3));
    expect_told(0, LIST(1, 2, 3));
}

static void test_seconds_are_no_delay(void **state)
{
    struct bed *b = *state;

    turn(b);
    dawdle(b, 0, 1);
    finish_all(b, LIST(1, 2, 3));
    assert_int_equal(told.count, 0);
    dawdle(b, 0, 5);
    turn(b);
    expect_told(0, LIST(1, 2, 3));
}

/* A processor's trials are compiled together: the technique does not wait for one that is
 * compiled three times as long as the others, but for all others. */
static void test_straggler_of_a_batch(void **state)
{
    struct bed *b = *state;
    struct queue *q = &b->device_session.queue;

    queue_fini(q);
    queue_create(q, ROOM, SLOTS / ROOM, true);
    turn(b);
    for (int i = 0; i < ROOM; i++)
        queue_at(q, i)->built.reply.compile_s = 2;
    dawdle(b, 0, 1000);
    finish_all(b, LIST(1, 2, 3));
    assert_int_equal(told.count, 0);
    queue_at(q, 0)->stage = ATTEMPT_COMPILING;
    queue_at(q, 0)->began = lift_seconds() - 5;
    turn(b);
    assert_int_equal(told.count, 0);
    queue_at(q, 0)->began = lift_seconds() - 7;
    turn(b);
    expect_told(0, LIST(1, 2, 3));
    queue_end_stragglers(&b->device_session);
    assert_int_equal(queue_at(q, 0)->end.status, LIFT_TRIAL_LOST);
    assert_non_null(strstr(queue_at(q, 0)->end.reason, "the compiler had not finished"));
}

/* The queue is full of trials behind the late one: it asks for no trial until the late
 * one has ended. */
static void test_ring_is_full(void **state)
{
    struct bed *b = *state;
    struct queue *q = &b->device_session.queue;

    turn(b);
    finish_all(b, LIST(1, 2, 3));
    dawdle(b, 0, 1000);
    turn(b);
    for (int i = ROOM; i < SLOTS; i++)
        finish_all(b, LIST(i));
    assert_int_equal(told.count, SLOTS - 1);
    assert_int_equal(q->first, 0);
    assert_int_equal(q->next, SLOTS);
    finish_all(b, LIST(0));
    expect_told(SLOTS - 1, LIST(0));
    assert_int_equal(q->first, SLOTS);
    assert_int_equal(q->next, SLOTS + ROOM);
}

/* One that is under way ends, or falls behind and ends some other time. */
static void something_happens(struct bed *b, struct lift_rng *rng)
{
    struct queue *q = &b->device_session.queue;
    int64_t number = lift_rng_range(rng, q->first, q->next - 1);

    if (queue_at(q, number)->stage >= ATTEMPT_ENDED)
        return;
    if (b->late[number] || lift_rng_below(rng, 6)) {
        finish(b, (int)number);
    } else {
        dawdle(b, (int)number, 1e6);
        b->late[number] = true;
    }
}

static bool is_told(int number, int count)
{
    for (int i = 0; i < count; i++)
        if (told.order[i] == number)
            return true;
    return false;
}

/* Each trial is reported once, and before later proposals unless it was late. */
static void check_order(struct bed *b)
{
    assert_int_equal(told.count, POINTS);
    for (int i = 0; i < POINTS; i++) {
        assert_false(is_told(told.order[i], i));
        for (int n = 0; n < told.order[i]; n++)
            if (!b->late[n])
                assert_true(is_told(n, i));
    }
}

static void test_nothing_is_lost(void **state)
{
    int out_of_order = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct lift_rng rng;
        struct bed *b;

        make_bed(state);
        b = *state;
        lift_rng_seed(&rng, seed);
        for (turn(b); !queue_is_done(&b->device_session); turn(b))
            something_happens(b, &rng);
        check_order(b);
        for (int i = 1; i < POINTS; i++)
            out_of_order += told.order[i] < told.order[i - 1];
        assert_answer(b->w.db, "SELECT count(*) FROM trial WHERE status = 'ok'", "60");
        drop_bed(state);
    }
    assert_true(out_of_order > 20);
}

/* ---- trials before the technique's */

static void open_with(struct bed *b, int value, bool plain, bool known)
{
    struct device_session *l = &b->device_session;
    struct frontier_item item = {{.values = {value}}, FRONTIER_FIRST, l, known};

    assert_true(frontier_add(l->frontier, &item));
    if (plain) {
        l->plain = item.choice;
        l->has_naive = true;
    }
}

/* The naive kernel is known from an earlier session: it is timed once more, on the whole
 * grid and first. The technique gets no second report, and the limit does not count it.
 */
static void test_beside(void **state)
{
    struct bed *b = *state;
    struct queue *q = &b->device_session.queue;

    b->options.trials = 2;
    open_with(b, 7, true, true);
    open_with(b, 9, false, true);
    turn(b);
    assert_int_equal(q->next, 4);
    assert_true(queue_at(q, 0)->plain && queue_at(q, 0)->source == FRONTIER_FIRST);
    assert_true(!queue_at(q, 1)->plain && queue_at(q, 1)->source == FRONTIER_FIRST);
    assert_int_equal(queue_at(q, 2)->source, FRONTIER_PROPOSED);
    assert_int_equal(queue_at(q, 2)->choice.values[0], 0);
    for (int i = 0; i < 4; i++)
        end_with(queue_at(q, i), LIFT_TRIAL_OK, "");
    turn(b);
    expect_told(0, LIST(0, 1));
    assert_true(queue_is_done(&b->device_session));
    assert_int_equal(b->part.progress.trials, 2);
    assert_int_equal(b->part.progress.verified, 2);
    assert_true(b->part.progress.naive_seconds == 1e-3);
    assert_answer(b->w.db, "SELECT group_concat(phase) FROM trial",
                  "recheck,recheck,search,search");
}

/* The technique learns of a candidate that the code generator rejected. The limit does
 * not count it, up to ten times the limit. */
static void test_rejected(void **state)
{
    struct bed *b = *state;
    struct queue *q = &b->device_session.queue;

    b->options.trials = 2;
    told.rejected = 1;
    turn(b);
    assert_int_equal(q->next, 2);
    finish(b, 0);
    end_with(nth(b, 1), LIFT_TRIAL_CODEGEN, "too long");
    turn(b);
    expect_told(0, LIST(0, 1));
    assert_int_equal(q->next, 3);
    assert_int_equal(b->part.progress.trials, 1);
    assert_int_equal(b->part.progress.rejected, 1);
    finish_all(b, LIST(2));
    assert_true(queue_is_done(&b->device_session));
    assert_int_equal(b->part.progress.trials, 2);
    assert_answer(b->w.db, "SELECT count(*) FROM trial WHERE status = 'codegen'", "1");
    q->next = q->first = 20;
    q->beside = 20;
    assert_true(queue_is_done(&b->device_session));
}

/* A trial takes a second of the compiler, and four wait for a runner that needs half a
 * second for each: five seconds suffice for another, two do not. */
static void test_no_time(void **state)
{
    struct bed *b = *state;
    struct device_session *l = &b->device_session;

    turn(b);
    finish_all(b, LIST(0));
    l->timed_here = true;
    for (int i = 0; i < 3; i++) {
        pace_add(&l->compile_pace, 1);
        pace_add(&l->drive.pace, 0.5);
    }
    b->session.pool.count = 4;
    b->options.seconds = 2;
    b->session.started = lift_seconds();
    finish_all(b, LIST(1));
    assert_int_equal(l->queue.next, ROOM + 1);
    b->options.seconds = 100;
    finish_all(b, LIST(2));
    assert_int_equal(l->queue.next, ROOM + 3);
    b->options.seconds = 1;
    finish_all(b, LIST(3, 4, 5, 6));
    assert_true(queue_is_done(l));
    b->options.seconds = 100;
    assert_false(queue_is_done(l));
}

/* It is new, and a point of the space: a trial like others. */
static void test_plain_in_space(void **state)
{
    struct bed *b = *state;

    b->options.trials = 2;
    assert_true(lift_search_claim(frontier_search(b->device_session.frontier),
                                  &(struct lift_choice){.values = {1}}));
    open_with(b, 1, true, false);
    turn(b);
    for (int i = 0; i < 2; i++)
        end_with(queue_at(&b->device_session.queue, i), LIFT_TRIAL_OK, "");
    turn(b);
    expect_told(0, LIST(1, 0));
    assert_int_equal(b->part.progress.trials, 2);
    assert_answer(b->w.db, "SELECT group_concat(phase) FROM trial", "search,search");
}

static void test_plain_is_wrong(void **state)
{
    struct bed *b = *state;

    open_with(b, 7, true, true);
    turn(b);
    end_with(queue_at(&b->device_session.queue, 0), LIFT_TRIAL_WRONG, "5 values differ");
    turn(b);
    assert_string_equal(b->part.no_naive, "wrong: 5 values differ");
    assert_true(b->part.progress.naive_seconds == 0 && b->part.progress.gain == 0);
    assert_answer(b->w.db, "SELECT kind || ': ' || text FROM device_event",
                  "naive: the naive kernel was not timed: wrong: 5 values differ");
    free(b->part.no_naive);
}

/* The best kernel took 8, a new one takes 4, and 16 after the machine has become slower.
 * The naive kernel, of 12, then counts as 48, still 3 times as slow; 6 times in the final
 * benchmark, where it took part. */
static void test_gain(void **state)
{
    struct bed *b = *state;
    struct device_session *l = &b->device_session;
    struct lift_explore_progress *p = &b->part.progress;
    const struct lift_choice plain = {.values = {7}}, best = {.values = {8}};
    struct attempt a = {.choice = plain, .score = 12, .end = {.status = LIFT_TRIAL_OK}};

    b->session.problem = &(struct explore_problem){.points = 1, .bytes = 1};
    b->session.depths[0] = (struct depth){.steps = 1, .problem = b->session.problem};
    a.end.samples[0] = 12;
    a.end.sample_count = 1;
    device_session_take_naive(l, &a);
    assert_true(p->naive_seconds == 12 && p->gain == 0); /* nothing to compare */
    l->best_score = 8;
    device_session_take_best(l, 8, 1);
    assert_true(p->gain == 1.5 && p->naive_seconds == 12);
    l->best_score = 4;
    device_session_take_best(l, 4, 1);
    assert_true(p->gain == 3);
    device_session_take_best(l, 16, 1);
    assert_true(p->gain == 3 && p->naive_seconds == 48);
    fastest_put(&l->fastest, &best, 4, NULL);
    device_session_take_winner(l, &best, 10, (struct lift_interval){.median = 0});
    assert_true(p->gain == 3 && p->naive_seconds == 30 && p->naive_low == 0);
    device_session_take_winner(l, &best, 10, (struct lift_interval){60, 59, 62, 0.95});
    assert_true(p->gain == 6 && p->naive_seconds == 60);
    assert_true(p->naive_low == 59 && p->naive_high == 62);
}

/* A machine of half the speed changes no score, whoever is the best. */
static void test_score(void **state)
{
    static const struct {
        double seconds, best_then;
        bool is_best;
        double score, best_score;
    } trials[] = {
        {8, 0, true, 8, 8},    {6, 8, true, 6, 6},  {9, 6, false, 9, 6},
        {18, 12, false, 9, 6}, {8, 12, true, 4, 4}, {5, 4, false, 5, 4},
    };
    double best_score = 0;

    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const struct trial_reply end = {.status = LIFT_TRIAL_OK,
                                        .samples = {trials[i].seconds},
                                        .sample_count = 1,
                                        .best_then = trials[i].best_then,
                                        .is_best = trials[i].is_best};

        assert_true(trial_score(&end, 1, &best_score) == trials[i].score);
        assert_true(best_score == trials[i].best_score);
    }
}

static struct trial_reply reply_of(double seconds, double best_then, bool is_best)
{
    return (struct trial_reply){.status = LIFT_TRIAL_OK,
                                .samples = {seconds},
                                .sample_count = 1,
                                .best_then = best_then,
                                .is_best = is_best};
}

/* Disturbances of the best kernel, also those as long as a comparison, change no score by
 * more than a factor of 2, however often a kernel becomes the best. */
static void test_disturbed_score(void **state)
{
    double best = 1, best_score = 0;
    struct trial_reply end = reply_of(best, 0, true);

    (void)state;
    assert_true(trial_score(&end, 1, &best_score) == 1);
    for (int i = 0; i < 40; i++) {
        double factors[] = {1, 100, 1.5, 7}, faster = 0.98 * best, before = best_score;
        double score;

        end = reply_of(faster, factors[i % 4] * best, true);
        score = trial_score(&end, 1, &best_score);
        assert_true(score == best_score && score <= before);
        assert_true(score <= 2 * faster && 2 * score >= faster);
        best = faster;
    }
    end = reply_of(3 * best, 1000 * best, false);
    assert_true(trial_score(&end, 1, &best_score) == 3 * best);
    end = reply_of(3 * best, best / 1000, false);
    assert_true(trial_score(&end, 1, &best_score) == 3 * best);
}

/* All kernels become slower by a factor of 10: the new best one stays first. */
static void test_score_of_slow_machine(void **state)
{
    double best_score = 4;
    struct trial_reply end = reply_of(30, 40, true);

    (void)state;
    assert_true(trial_score(&end, 1, &best_score) == 4 && best_score == 4);
    end = reply_of(35, 30, false);
    assert_true(trial_score(&end, 1, &best_score) == 35 && best_score == 4);
    end = reply_of(3.5, 3, false);
    assert_true(trial_score(&end, 1, &best_score) > best_score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_in_order, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_one_is_late, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_nothing_to_run, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_too_few_ended, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_as_slow_as_others, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_one_slow_one_is_unusual, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_seconds_are_no_delay, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_straggler_of_a_batch, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_ring_is_full, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_beside, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_rejected, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_no_time, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_plain_in_space, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_plain_is_wrong, make_bed, drop_bed),
        cmocka_unit_test_setup_teardown(test_gain, make_bed, drop_bed),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_score),
        cmocka_unit_test(test_disturbed_score),
        cmocka_unit_test(test_score_of_slow_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
