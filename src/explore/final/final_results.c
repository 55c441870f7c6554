/* The results of a final benchmark. */
#include "explore/final/final_t.h"
#include "explore/final/finalist_order.h"
#include "explore/session/session.h"

int final_fastest(const struct final *f)
{
    int best = -1;
    double least = 0;

    for (int i = 0; i < f->count; i++) {
        const struct finalist *one = &f->list[i];
        bool runs = finalist_is_well(one) && !one->attempt->plain;
        double median = runs ? finalist_median(one) : 0;

        if (median > 0 && (best < 0 || median < least)) {
            best = i;
            least = median;
        }
    }
    return best;
}

/* The naive kernel gets a place only if no finalist is faster. */
static bool has_place(const struct final *f, const struct finalist *one)
{
    int best = final_fastest(f);

    if (!finalist_is_well(one) || !one->count)
        return false;
    return !one->attempt->plain || best < 0 ||
           finalist_median(one) < finalist_median(&f->list[best]);
}

static int rank(const struct final *f, struct ranked *ranked)
{
    int count = 0;

    for (int i = 0; i < f->count; i++) {
        const struct finalist *one = &f->list[i];

        if (has_place(f, one))
            ranked[count++] = (struct ranked){
                .index = i,
                .samples = one->samples,
                .clocks = one->clocks,
                .count = one->count,
                .registers = one->attempt->built.reply.resources.registers,
                .steps = one->steps,
                .depth = one->depth,
                .time_steps = one->time_steps};
    }
    ranking_sort(ranked, count);
    return count;
}

static bool put_place(struct device_session *l, const struct finalist *one,
                      const struct ranked *r, int place)
{
    const struct recorder *to = &l->depths[one->depth].recorder;
    struct lift_interval launch = lift_interval_scaled(r->seconds, one->time_steps);
    struct lift_db_finalist row = {.place = place,
                                   .trial = one->attempt->id,
                                   .seconds = launch.median,
                                   .low = launch.low,
                                   .high = launch.high,
                                   .tied = r->tied};

    return lift_db_put_finalist(to->db, to->session, to->problem_id, to->device_id, &row);
}

/* The place among the finalists with equal time steps a launch. */
static int place_of(const struct ranked *ranked, int at)
{
    int place = 1;

    for (int i = 0; i < at; i++)
        place += ranked[i].depth == ranked[at].depth;
    return place;
}

static bool put_all(struct final *f, const struct ranked *ranked, int count)
{
    for (int i = 0; i < f->count; i++)
        if (!finalist_finish(f->device_session, &f->list[i]))
            return false;
    for (int i = 0; i < count; i++)
        if (!put_place(f->device_session, &f->list[ranked[i].index], &ranked[i],
                       place_of(ranked, i)))
            return false;
    return true;
}

/* The naive kernel's interval; all 0: not timed. Less than NAIVE_SAMPLES give only a
 * median. */
static struct lift_interval naive_interval(const struct final *f)
{
    for (int i = 0; i < f->count; i++)
        if (finalist_is_well(&f->list[i]) && f->list[i].count &&
            device_session_is_naive(f->device_session, &f->list[i].attempt->choice))
            return f->list[i].count < NAIVE_SAMPLES
                       ? (struct lift_interval){.median = finalist_median(&f->list[i])}
                       : finalist_interval(&f->list[i]);
    return (struct lift_interval){.median = 0};
}

bool final_store(struct final *f)
{
    struct ranked ranked[MOST_FINALISTS];
    struct device_session *l = f->device_session;
    int count = rank(f, ranked);

    if (!lift_db_begin(l->session->db))
        return session_db_fail(l->session);
    if (!put_all(f, ranked, count)) {
        lift_db_rollback(l->session->db);
        return session_db_fail(l->session);
    }
    if (!lift_db_commit(l->session->db))
        return session_db_fail(l->session);
    for (int i = 0; i < f->count; i++)
        if (f->list[i].attempt->end.status != LIFT_TRIAL_OK)
            device_session_drop(l, &f->list[i].attempt->choice);
    if (count)
        device_session_take_winner(l, &f->list[ranked[0].index].attempt->choice,
                                   ranked[0].seconds.median, naive_interval(f));
    session_report(l->session, "final benchmark");
    return true;
}
