/* The reachable search space, and the reasons why parts were not tried. */
#include "base/memory.h"
#include "explore/session/session.h"

static struct lift_explore_left *copy_rows(const struct reason_counts *t)
{
    struct lift_explore_left *rows = lift_alloc((size_t)t->count + 1, sizeof *rows);

    for (int i = 0; i < t->count; i++) {
        rows[i] =
            (struct lift_explore_left){lift_strdup(t->rows[i].reason), t->rows[i].count};
    }
    return rows;
}

/* The reason for the candidate spaces that remain at the end of the session. */
static const char *why_left(enum lift_explore_end end)
{
    switch (end) {
    case LIFT_EXPLORE_INTERRUPTED:
        return "the session was interrupted before";
    case LIFT_EXPLORE_FAILED:
        return "the session failed before";
    default:
        return "the budget ended before";
    }
}

static bool put(struct device_session *l, const char *what, const char *reason,
                int64_t count)
{
    const struct recorder *r = &l->depths[0].recorder;

    return lift_db_put_reach(r->db, r->session, r->problem_id, r->device_id,
                             &(struct lift_db_reach){what, reason, count});
}

static bool put_rows(struct device_session *l, const char *what,
                     const struct lift_explore_left *rows, int count)
{
    for (int i = 0; i < count; i++)
        if (!put(l, what, rows[i].reason, rows[i].count))
            return false;
    return true;
}

static bool store(struct device_session *l)
{
    const struct lift_explore_reach *r = &l->result->reach;

    return lift_db_begin(l->session->db) &&
           lift_db_end(l->session->db,
                       put(l, "expressions", "", r->exprs) &&
                           put(l, "tried", "", r->tried) &&
                           put_rows(l, "not tried", r->left, r->left_count) &&
                           put_rows(l, "not lowered", r->unlowered, r->unlowered_count));
}

bool device_session_reach(struct device_session *l)
{
    struct lift_explore_reach *reach = &l->result->reach;
    LIFT_SCOPED(reason_counts) left = {0};
    LIFT_SCOPED(reason_counts) unlowered = {0};
    int unfit = 0, unopened = 0;

    for (int i = 0; i < l->space_count; i++)
        reach->tried += l->tried[i];
    for (int i = 0; i < l->spaceless.count; i++)
        reason_counts_add(&left, l->spaceless.rows[i].reason, l->spaceless.rows[i].count);
    reason_counts_add(&left, why_left(l->session->result->end),
                      l->space_count - reach->tried);
    for (int i = 0; i < l->session->depth_count; i++) {
        const struct derivation *d = l->depths[i].derivation;

        unfit += d->unfit;
        unopened += l->depths[i].unopened;
        reach->exprs += d->leaf_count + d->unfit + l->depths[i].unopened;
        for (int k = 0; k < d->unlowered.count; k++)
            reason_counts_add(&unlowered, d->unlowered.rows[k].reason,
                              d->unlowered.rows[k].count);
    }
    reason_counts_add(&left, "configurations beyond --max-exprs", unfit);
    reason_counts_add(&left, "estimated slower than others with as many time steps",
                      unopened);
    reach->left = copy_rows(&left);
    reach->left_count = left.count;
    reach->unlowered = copy_rows(&unlowered);
    reach->unlowered_count = unlowered.count;
    return store(l);
}
