/* Plans of the parts of a simulation. Planes go from part to part without this process,
 * and beside the computation, where all kernels have them alike in memory: the kernel of
 * the planes that make most launches is chosen first, of the first part, and all others
 * are such as agree with it, if there are any. */
#include "run/devices/overlap.h"
#include "run/ranks/simulation_ranks.h"
#include <string.h>

/* The windows of planes between the ends make all launches if parts exchange after each.
 */
static bool inner_is_main(const struct part *p)
{
    return p->overlap && p->all->every == 1;
}

static bool make_main(struct sim *s, struct part *p, const struct plan_layout *like)
{
    struct overlap_window *w =
        inner_is_main(p) ? &p->overlap->window[OVERLAP_INNER] : NULL;
    const struct parts_range range =
        w ? overlap_range(p, OVERLAP_INNER, like) : parts_range_of(p, like);

    return sim_make_part(s, p, range, w ? &w->plan : &p->plan);
}

static void forget_failure(struct sim *s)
{
    lift_error_fini(&s->result.error);
    s->result.end = SIM_DONE;
}

/* ---- the main plans */

/* Whether it matters that planes of a part lie as those of the first one: else it has the
 * best kernel. */
static bool should_agree(const struct sim *s, const struct part *p)
{
    const struct parts *parts = s->parts;

    if (lift_runtime_named(p->device) != lift_runtime_named(parts->part->device))
        return false;
    return parts->overlaps || parts->way == PARTS_PEER || parts->way == PARTS_NCCL ||
           (parts->way == PARTS_MESSAGE && parts->team->device_memory &&
            s->options.exchange != SIM_EXCHANGE_HOST);
}

static bool make_all_main(struct sim *s)
{
    struct parts *parts = s->parts;
    struct plan_layout first;

    if (!make_main(s, parts->own, NULL))
        return false;
    first = plan_layout_of(parts_main_plan(parts->own));
    for (int i = 1; i < parts->own_count; i++) {
        if (should_agree(s, &parts->own[i]) && make_main(s, &parts->own[i], &first))
            continue;
        forget_failure(s);
        if (!make_main(s, &parts->own[i], NULL))
            return false;
    }
    return true;
}

/* Of several processes, those whose plan is otherwise than that of the first one look for
 * another, and keep theirs if there is none. */
static bool agree(struct sim *s)
{
    struct part *p = s->parts->own;
    struct plan_layout mine = plan_layout_of(parts_main_plan(p)), first;
    struct lift_plan **plan =
        inner_is_main(p) ? &p->overlap->window[OVERLAP_INNER].plan : &p->plan;
    struct lift_plan *before = *plan;

    if (!sim_tell(s, &mine, sizeof mine))
        return false;
    memcpy(&first, team_word(&s->team, 0), sizeof first);
    if (!should_agree(s, p) || (lift_hash_equal(first.places, mine.places) &&
                                lift_hash_equal(first.shared, mine.shared)))
        return true;
    if (make_main(s, p, &first)) {
        lift_plan_destroy(before);
        return true;
    }
    forget_failure(s);
    *plan = before;
    return true;
}

/* ---- all plans */

/* That of all planes of a part, where another one is the main one. */
static bool make_whole(struct sim *s, struct part *p)
{
    struct parts_range range = parts_range_of(p, NULL);
    struct plan_layout like;

    if (p->plan)
        return true;
    like = plan_layout_of(parts_main_plan(p));
    range.like = &like;
    if (sim_make_part(s, p, range, &p->plan))
        return true;
    forget_failure(s);
    range.like = NULL;
    return sim_make_part(s, p, range, &p->plan);
}

bool sim_make_all(struct sim *s)
{
    bool good = make_all_main(s) && (!s->ranks || agree(s));

    for (int i = 0; good && i < s->parts->own_count; i++)
        good = make_whole(s, &s->parts->own[i]);
    return good;
}

static bool make_window(struct sim *s, const struct part *p, int k, struct lift_str *why)
{
    struct overlap_window *w = &p->overlap->window[k];
    const struct plan_layout like = plan_layout_of(p->plan);

    if (!w->length || w->plan ||
        sim_make_part(s, p, overlap_range(p, k, &like), &w->plan))
        return true;
    lift_str_addf(why, "no kernel of some planes: %s", lift_error_text(&s->result.error));
    forget_failure(s);
    return false;
}

bool sim_make_windows(struct sim *s, struct lift_str *why)
{
    for (int i = 0; i < s->parts->own_count; i++)
        for (int k = 0; k < OVERLAP_WINDOWS; k++)
            if (!make_window(s, &s->parts->own[i], k, why))
                return false;
    return overlap_fits(s->parts, why);
}
