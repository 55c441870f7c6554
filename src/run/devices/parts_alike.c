/* Plans of parts with equal memory layouts. Devices can copy planes directly, and overlap
 * copies with kernels, only if all kernels use one layout. So the first part chooses its
 * main kernel first, and all other plans prefer kernels of this layout. */
#include "run/devices/overlap.h"
#include "run/ranks/team.h"
#include <string.h>

/* Returns the plan of most launches: the inner window's plan if parts exchange after each
 * launch, otherwise the whole part's. */
static struct lift_plan **main_plan(struct part *p)
{
    return p->overlap && p->all->every == 1 ? &p->overlap->window[OVERLAP_INNER].plan
                                            : &p->plan;
}

struct lift_plan *parts_main_plan(struct part *p)
{
    return *main_plan(p);
}

static bool make_main(struct part *p, const struct plan_layout *like,
                      struct lift_planner *planner, struct lift_error *error)
{
    struct lift_plan **plan = main_plan(p);

    *plan = parts_make_plan(p,
                            plan == &p->plan ? parts_range_of(p, like)
                                             : overlap_range(p, OVERLAP_INNER, like),
                            planner, error);
    return *plan != NULL;
}

/* ---- the main plans */

/* Returns true if a part should have the layout of the first part. Otherwise the part
 * uses the best kernel. */
static bool should_agree(const struct part *p)
{
    const struct parts *parts = p->all;

    if (lift_runtime_named(p->device) != lift_runtime_named(parts->part->device))
        return false;
    return parts->overlaps || parts->way == PARTS_PEER || parts->way == PARTS_NCCL ||
           (parts->way == PARTS_MESSAGE && parts->team->device_memory &&
            parts->options.exchange != LIFT_EXCHANGE_HOST);
}

static bool make_all_main(struct parts *parts, struct lift_planner *planner,
                          struct lift_error *error)
{
    struct plan_layout first;

    if (!make_main(parts->own, NULL, planner, error))
        return false;
    first = plan_layout_of(parts_main_plan(parts->own));
    for (int i = 1; i < parts->own_count; i++) {
        struct part *p = &parts->own[i];

        if (!(should_agree(p) && make_main(p, &first, planner, error)) &&
            !make_main(p, NULL, planner, error))
            return false;
    }
    return true;
}

/* A process whose layout differs from the first process's looks for another plan, and
 * keeps its plan if there is none. */
static bool agree(struct parts *parts, struct lift_planner *planner,
                  struct lift_error *error)
{
    struct part *p = parts->own;
    struct lift_plan **plan = main_plan(p), *before = *plan;
    struct plan_layout mine = plan_layout_of(before), first;

    if (!team_meet(parts->team, 0, &mine, sizeof mine, error))
        return false;
    memcpy(&first, team_word(parts->team, 0), sizeof first);
    first.tunables = NULL; /* the pointer is valid in process 0 only */
    if (!should_agree(p) || (lift_hash_equal(first.places, mine.places) &&
                             lift_hash_equal(first.shared, mine.shared)))
        return true;
    if (make_main(p, &first, planner, error)) {
        lift_plan_destroy(before);
        return true;
    }
    lift_error_fini(error);
    *plan = before;
    return true;
}

/* ---- all plans */

/* Makes the plan of all planes of a part, if the main plan is another plan. */
static bool make_whole(struct part *p, struct lift_planner *planner,
                       struct lift_error *error)
{
    struct plan_layout like;

    if (p->plan)
        return true;
    like = plan_layout_of(parts_main_plan(p));
    p->plan = parts_make_plan(p, parts_range_of(p, &like), planner, error);
    if (!p->plan)
        p->plan = parts_make_plan(p, parts_range_of(p, NULL), planner, error);
    return p->plan != NULL;
}

bool parts_make(struct parts *parts, struct lift_planner *planner,
                struct lift_error *error)
{
    bool good = parts->own->plan ||
                (make_all_main(parts, planner, error) && agree(parts, planner, error));

    for (int i = 0; good && i < parts->own_count; i++)
        good = make_whole(&parts->own[i], planner, error);
    if (!good || (parts->count > 1 && (!parts_settle_depth(parts, error) ||
                                       !parts_settle_exchange(parts, planner, error))))
        return false;
    parts_describe(parts);
    return true;
}

static bool make_window(struct part *p, int k, struct lift_planner *planner,
                        struct lift_str *why)
{
    struct overlap_window *w = &p->overlap->window[k];
    const struct plan_layout like = plan_layout_of(p->plan);
    LIFT_SCOPED(lift_error) error = {0};

    if (w->length && !w->plan)
        w->plan = parts_make_plan(p, overlap_range(p, k, &like), planner, &error);
    if (error.code)
        lift_str_addf(why, "no kernel of boundary planes: %s", lift_error_text(&error));
    return !error.code;
}

bool parts_make_windows(struct parts *parts, struct lift_planner *planner,
                        struct lift_str *why)
{
    for (int i = 0; i < parts->own_count; i++)
        for (int k = 0; k < OVERLAP_WINDOWS; k++)
            if (!make_window(&parts->own[i], k, planner, why))
                return false;
    return overlap_fits(parts, why);
}
