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
    return lift_db_put_reach(l->recorder.db, l->recorder.session, l->recorder.problem_id,
                             l->recorder.device_id,
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

    return lift_db_begin(l->recorder.db) &&
           lift_db_end(l->recorder.db,
                       put(l, "expressions", "", r->exprs) &&
                           put(l, "tried", "", r->tried) &&
                           put_rows(l, "not tried", r->left, r->left_count) &&
                           put_rows(l, "not lowered", r->unlowered, r->unlowered_count));
}

bool device_session_reach(struct device_session *l)
{
    const struct derivation *d = l->derivation;
    struct lift_explore_reach *reach = &l->result->reach;
    LIFT_SCOPED(reason_counts) left = {0};

    for (int i = 0; i < l->space_count; i++)
        reach->tried += l->tried[i];
    for (int i = 0; i < l->spaceless.count; i++)
        reason_counts_add(&left, l->spaceless.rows[i].reason, l->spaceless.rows[i].count);
    reason_counts_add(&left, why_left(l->session->result->end),
                      l->space_count - reach->tried);
    reason_counts_add(&left, "configurations beyond --max-exprs", d->unfit);
    reach->exprs = d->leaf_count + d->unfit;
    reach->left = copy_rows(&left);
    reach->left_count = left.count;
    reach->unlowered = copy_rows(&d->unlowered);
    reach->unlowered_count = d->unlowered.count;
    return store(l);
}
