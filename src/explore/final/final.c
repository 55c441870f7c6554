#include "explore/final/final.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/final/final_t.h"
#include "explore/session/session.h"
#include "tuner/db_query.h"
#include <math.h>

static bool is_cancelled(const struct session *s)
{
    return s->options->interrupted && *s->options->interrupted > 1;
}

/* ---- expected time */

void final_note(struct device_session *l, const struct trial_reply *build,
                const struct trial_reply *end)
{
    if (end->status != LIFT_TRIAL_OK)
        return;
    l->costs.compile += build->compile_s;
    l->costs.check += end->check_s;
    l->costs.count++;
}

/* True if the naive kernel is not among the fastest, and thus an additional finalist. */
static bool is_apart(const struct device_session *l, int count)
{
    const struct fastest_row *row;

    if (!l->has_naive || l->naive_score <= 0)
        return false;
    row = fastest_find(&l->fastest, &l->plain);
    return !row || row >= &l->fastest.rows[count];
}

/* Seconds for the naive kernel; a slow kernel gets fewer samples (has_turn). */
static double naive_seconds(const struct device_session *l, int samples)
{
    double launch = l->naive_score * l->session->depths[0].steps;
    double one = 2 * fmax(launch, 2e-3);
    const struct fastest_row *row = fastest_find(&l->fastest, &l->plain);

    return l->costs.check / l->costs.count + samples * one +
           (row && row->built.full ? 0 : l->naive_compile_seconds);
}

static double device_session_seconds(const struct device_session *l, int count)
{
    int jobs = session_jobs(l->session->options);
    double best = l->result->progress.best_seconds * l->result->progress.best_steps;
    int runs = FINAL_ROUNDS * (FINAL_SAMPLES + 1), unbuilt = 0, builds;

    if (l->costs.count == 0)
        return 0;
    for (int i = 0; i < count && i < l->fastest.count; i++)
        unbuilt += !l->fastest.rows[i].built.full;
    builds = (unbuilt + jobs - 1) / jobs;
    return count *
               (l->costs.check / l->costs.count + runs * (best > 2e-3 ? best : 2e-3)) +
           builds * l->costs.compile / l->costs.count;
}

/* True if the fastest kernel of a single time step is an additional finalist. */
static bool is_single_apart(const struct device_session *l, int count)
{
    const struct fastest_row *row;

    if (!l->single.count)
        return false;
    row = fastest_find(&l->fastest, &l->single.rows[0].choice);
    return !row || row >= &l->fastest.rows[count];
}

/* Seconds for 'count' finalists, the fastest kernel of a single time step and the naive
 * kernel. */
static double all_seconds(const struct device_session *l, int count)
{
    double naive =
        l->costs.count > 0 && is_apart(l, count) ? naive_seconds(l, NAIVE_SAMPLES) : 0;

    return device_session_seconds(l, count + is_single_apart(l, count)) + naive;
}

/* Kernels slower than the best by more than this factor in the search are no finalists.
 */
static const double close_factor = 1.25;

static int count_close(const struct device_session *l)
{
    double factor = l->session->options->only_final ? HUGE_VAL : close_factor;
    const struct fastest *known = &l->fastest;
    int count = 0;

    while (count < known->count && count < FINALISTS &&
           known->rows[count].seconds <= factor * known->rows[0].seconds)
        count++;
    return count;
}

/* At most a fifth of the budget. With less time the final benchmark is shorter. */
double final_seconds(const struct session *s)
{
    const double margin = 1.2, start = 0.5;
    double most = session_budget(s) / 5, sum = 0;

    if (s->options->no_final)
        return 0;
    for (int i = 0; i < s->device_session_count; i++)
        sum += all_seconds(&s->device_sessions[i], count_close(&s->device_sessions[i]));
    if (sum <= 0)
        return 0;
    sum += s->reference_seconds / 2; /* the memory is allocated */
    sum = margin * (sum + start);
    return s->options->seconds > 0 && sum > most ? most : sum;
}

/* ---- one device */

static bool load(struct final *f, int i)
{
    struct finalist *one = &f->list[i];

    if (finalist_is_well(one))
        finalist_ask(f->device_session->session, f->device_session->runner, TRIAL_LOAD, i,
                     one);
    return finalist_is_well(one);
}

/* Adds the rows of the candidates from 'first' on, builds them and checks them. */
static bool enter(struct final *f, int first)
{
    struct session *s = f->device_session->session;

    session_report(s, "final benchmark: compiling");
    for (int i = first; i < f->count; i++)
        if (!finalist_start(f->device_session, &f->list[i]))
            return session_db_fail(s);
    pool_build(f->device_session);
    session_report(s, "final benchmark: checking on other inputs");
    for (int i = first; i < f->count && !is_cancelled(s); i++) {
        if (finalist_is_well(&f->list[i]) &&
            !lift_db_trial_launch(s->db, f->list[i].attempt->id))
            return session_db_fail(s);
        load(f, i);
    }
    return true;
}

/* Takes a finalist's samples. If the runner is lost, its loaded kernels are lost: this
 * finalist is loaded and timed once more. */
static void time_once(struct final *f, int i)
{
    const struct session *s = f->device_session->session;
    struct finalist *one = &f->list[i];

    finalist_ask(s, f->device_session->runner, TRIAL_TIME, i, one);
    if (one->attempt->end.status != LIFT_TRIAL_LOST || session_is_late(s))
        return;
    one->attempt->stage = ATTEMPT_READY;
    if (load(f, i))
        finalist_ask(s, f->device_session->runner, TRIAL_TIME, i, one);
}

/* True if time remains for two more finalists. */
static bool has_time(const struct final *f)
{
    const struct device_session *l = f->device_session;

    return f->deadline <= 0 ||
           lift_seconds() + device_session_seconds(l, 2) <= f->deadline;
}

/* The naive kernel may be very slow. It gets one sample, and up to NAIVE_SAMPLES while
 * another fits. Short samples continue up to a share of the time. */
static bool has_turn(const struct final *f, const struct finalist *one)
{
    static const double share = 0.25;

    if (!one->attempt->plain || !one->count || f->deadline <= 0)
        return true;
    if (one->count < NAIVE_SAMPLES)
        return lift_seconds() + one->measure_s / one->count <= f->deadline;
    return one->measure_s < share * (f->deadline - f->began);
}

/* Times the finalists of 'part' alternately, round by round. */
static void take_turns(struct final *f, const bool *part)
{
    struct session *s = f->device_session->session;

    session_report(s, "final benchmark: timing");
    f->began = lift_seconds();
    for (int round = 0; round < FINAL_ROUNDS && !is_cancelled(s); round++) {
        if (round >= 2 && f->deadline > 0 && lift_seconds() > f->deadline)
            return;
        for (int i = 0; i < f->count; i++)
            if (part[i] && finalist_is_well(&f->list[i]) && has_turn(f, &f->list[i]))
                time_once(f, i);
        session_report(s, "final benchmark: timing");
    }
}

static bool is_in(const struct final *f, const struct lift_choice *choice)
{
    for (int i = 0; i < f->count; i++)
        if (lift_choice_equal(&f->list[i].attempt->choice, choice))
            return true;
    return false;
}

/* 'built': the binaries kept from the search, or NULL. */
static void add(struct final *f, const struct lift_choice *choice, double seconds,
                const struct built *built)
{
    struct queue *q = &f->device_session->queue;
    struct attempt *a = queue_at(q, q->next++);

    *a = (struct attempt){
        .phase = LIFT_TRIAL_PHASE_FINAL, .choice = *choice, .score = seconds};
    if (built && built->full) {
        built_copy(&a->built, built);
        a->stage = ATTEMPT_READY;
    }
    f->list[f->count++] = (struct finalist){.attempt = a};
}

/* Adds candidates that the search found faster than 'seconds', up to 'most' finalists. */
static void invite(struct final *f, double seconds, int most)
{
    const struct fastest *known = &f->device_session->fastest;

    for (int i = 0; i < known->count && f->count < most; i++)
        if (known->rows[i].seconds < seconds && !is_in(f, &known->rows[i].choice))
            add(f, &known->rows[i].choice, known->rows[i].seconds, &known->rows[i].built);
}

/* Adds the fastest kernel of a single time step, which runs what remains of a simulation
 * and is what temporal blocking is compared with. */
static void invite_single(struct final *f)
{
    const struct fastest_row *row = f->device_session->single.rows;

    if (f->device_session->single.count && !is_in(f, &row->choice))
        add(f, &row->choice, row->seconds, &row->built);
}

/* The number of finalists for which there is time, at least one. */
static int count_first(const struct final *f)
{
    const struct device_session *l = f->device_session;
    int count = count_close(l);

    while (count > 1 && f->deadline > 0 &&
           lift_seconds() + all_seconds(l, count) > f->deadline)
        count--;
    return count;
}

/* Adds the naive kernel after the finalists, which are built first. Its time in the
 * search may be too long because of other work on the machine, so time for one sample
 * suffices. */
static void add_naive(struct final *f)
{
    const struct device_session *l = f->device_session;
    const struct fastest_row *row;

    if (!is_apart(l, f->count) || l->costs.count == 0 ||
        (f->deadline > 0 &&
         lift_seconds() + device_session_seconds(l, f->count) + naive_seconds(l, 1) >
             f->deadline))
        return;
    row = fastest_find(&l->fastest, &l->plain);
    add(f, &l->plain, l->naive_score, row ? &row->built : NULL);
    f->list[f->count - 1].attempt->plain = true;
}

/* Times the fastest of the search first. While time remains, candidates whose search
 * times are below the winner's median then compete with the winner. */
static bool compete(struct final *f)
{
    bool part[MOST_FINALISTS] = {false};
    int first = 0, best;

    invite(f, HUGE_VAL, count_first(f));
    invite_single(f);
    add_naive(f);
    while (first < f->count) {
        if (!enter(f, first))
            return false;
        for (int i = first; i < f->count; i++)
            part[i] = true;
        take_turns(f, part);
        finalist_settle(f->list, f->count);
        best = final_fastest(f);
        first = f->count;
        for (int i = 0; i < f->count; i++)
            part[i] = i == best;
        if (best >= 0 && has_time(f))
            invite(f, finalist_median(&f->list[best]), MOST_FINALISTS);
        else if (best < 0 &&
                 !session_is_late(f->device_session->session)) /* all were wrong */
            invite(f, HUGE_VAL,
                   f->count + FINALISTS < MOST_FINALISTS ? f->count + FINALISTS
                                                         : MOST_FINALISTS);
    }
    return true;
}

static bool hold(struct device_session *l)
{
    LIFT_FREED struct final *f = lift_alloc(1, sizeof *f);
    bool good;

    f->device_session = l;
    f->deadline = l->session->options->seconds > 0 ? session_deadline(l->session) : 0;
    queue_create(&l->queue, MOST_FINALISTS, 1, false);
    good = compete(f) && (is_cancelled(l->session) || final_store(f));
    queue_fini(&l->queue);
    return good;
}

/* ---- all devices */

static bool find_any(void *user, const struct lift_db_finalist *row)
{
    (void)row;
    *(bool *)user = true;
    return false;
}

/* A final benchmark is due if new kernels were verified since the last one, or there was
 * none. */
static bool is_due(struct device_session *l, bool *due)
{
    bool any = false;

    *due = l->fastest.count > 0 && !l->twin && !l->result->lost;
    if (!*due || l->costs.count || l->session->options->only_final)
        return true;
    for (int i = 0; i < l->session->depth_count; i++) {
        const struct recorder *r = &l->depths[i].recorder;

        if (!lift_db_finalists(r->db, r->problem_id, r->device_id, find_any, &any))
            return session_db_fail(l->session);
    }
    *due = !any;
    return true;
}

/* Merges the results of all device sessions of one device kind. */
static void gather(struct device_session *l)
{
    const struct session *s = l->session;

    for (int i = 0; i < s->device_session_count; i++) {
        const struct device_session *other = &s->device_sessions[i];

        if (other->twin != l)
            continue;
        for (int k = 0; k < other->fastest.count; k++)
            fastest_put(&l->fastest, &other->fastest.rows[k].choice,
                        other->fastest.rows[k].seconds, &other->fastest.rows[k].built);
        for (int k = 0; k < other->single.count; k++)
            fastest_put(&l->single, &other->single.rows[k].choice,
                        other->single.rows[k].seconds, &other->single.rows[k].built);
        l->costs.count += other->costs.count;
    }
}

static bool hold_all(struct session *s)
{
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];
        bool due;

        if (!is_due(l, &due))
            return false;
        if (due && !is_cancelled(s) && !hold(l))
            return false;
    }
    return true;
}

static bool any_due(struct session *s, bool *any)
{
    *any = false;
    for (int i = 0; i < s->device_session_count && !*any; i++) {
        gather(&s->device_sessions[i]);
        if (!is_due(&s->device_sessions[i], any))
            return false;
    }
    return true;
}

bool session_final(struct session *s)
{
    bool any;

    if (s->options->no_final || is_cancelled(s))
        return true;
    if (!any_due(s, &any) || !any)
        return !any;
    if (session_is_late(s))
        return true;
    return hold_all(s);
}
