/* Windows of parts. */
#include "run/devices/overlap.h"
#include "lift/memory.h"
#include <math.h>
#include <stdlib.h>

/* ---- where they are */

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Own planes at a side that the neighbour there fetches, or that the inner window gets
 * wrong. */
static int64_t edge_planes(const struct parts *parts, int side)
{
    int64_t n = side == PARTS_BEFORE ? parts->cut[0].before : parts->cut[0].after;

    for (int i = 0; i < LIFT_MAX_ARGS; i++)
        n = most(n, parts->width[1 - side][i]);
    return n;
}

static bool set_windows(struct part *p)
{
    const struct lift_cut *c = &p->all->cut[0];
    const struct part_along *at = &p->along[0];
    int64_t own[PARTS_SIDES], end = at->first + at->own;
    struct overlap_window *w = p->overlap->window;

    for (int side = 0; side < PARTS_SIDES; side++)
        own[side] = p->beside[side] >= 0 ? edge_planes(p->all, side) : 0;
    w[OVERLAP_INNER] = (struct overlap_window){at->first, at->own, NULL, {false}};
    if (own[PARTS_BEFORE])
        w[PARTS_BEFORE] =
            (struct overlap_window){at->first - c->before,
                                    c->before + own[PARTS_BEFORE] + c->after,
                                    NULL,
                                    {false}};
    if (own[PARTS_AFTER])
        w[PARTS_AFTER] = (struct overlap_window){end - own[PARTS_AFTER] - c->before,
                                                 c->before + own[PARTS_AFTER] + c->after,
                                                 NULL,
                                                 {false}};
    return at->own >= own[PARTS_BEFORE] + own[PARTS_AFTER] &&
           at->own >= own[PARTS_BEFORE] + c->after &&
           at->own >= own[PARTS_AFTER] + c->before;
}

/* The name of a runtime is what is before the colon. */
static bool copies_beside(const struct part *p, bool anyhow)
{
    const struct lift_runtime *rt = lift_runtime_named(p->device);

    return !rt || (rt->view && rt->pull && (rt->mark || anyhow));
}

bool overlap_plan(struct parts *parts, bool anyhow, struct lift_str *why)
{
    if (parts->along[1] > 1) {
        lift_str_add(why, "parts with neighbours along two dimensions have no edges that "
                          "are computed first");
        return false;
    }
    for (int i = 0; i < parts->count; i++) {
        struct part *p = &parts->part[i];

        p->overlap = lift_alloc(1, sizeof *p->overlap);
        if (!copies_beside(p, anyhow))
            lift_str_addf(why, "'%s' has no copies beside its kernels", p->device);
        else if (!set_windows(p))
            lift_str_addf(why, "part %d has %lld planes, and nothing between its ends",
                          i + 1, (long long)p->along[0].own);
        if (why->len)
            return false;
    }
    parts->overlaps = true;
    return true;
}

/* ---- how they lie */

static bool same_lengths(const struct lift_layout *a, const struct lift_layout *b)
{
    if (a->dims != b->dims || a->offset != b->offset)
        return false;
    for (int d = 0; d < a->dims; d++)
        if ((d > 0 && a->length[d] != b->length[d]) || a->stride[d] != b->stride[d])
            return false;
    return true;
}

/* As two arrays that differ in how many planes they have. */
static bool same_planes(const struct place *a, const struct place *b)
{
    return a->laid_out == b->laid_out && a->filled == b->filled &&
           (!a->filled || (a->fill == b->fill && signbit(a->fill) == signbit(b->fill))) &&
           a->scalar == b->scalar &&
           (!a->laid_out || same_lengths(&a->layout, &b->layout));
}

static const char apart[] = "kernels of some planes have '%s' otherwise in memory than "
                            "those of the part";

/* Whether a window's array can be a view of the part's. */
static bool is_view(const struct part *p, const struct overlap_window *w,
                    const struct plan_array *whole, const struct plan_array *window,
                    struct lift_str *why)
{
    size_t plane = planes_apart(whole);
    size_t at = (size_t)(w->begin - p->along[0].begin) * plane;
    size_t align = p->plan->device->runtime->view_align;

    if (at % align)
        lift_str_addf(why,
                      "planes of '%s' take %zu bytes, and kernels begin at multiples of "
                      "%zu",
                      whole->shape.name, plane, align);
    else if (!same_planes(&whole->place, &window->place) ||
             at + layout_bytes(&window->place) > layout_bytes(&whole->place))
        lift_str_addf(why, apart, whole->shape.name);
    return why->len == 0;
}

static bool same_array(const struct plan_array *whole, const struct plan_array *window,
                       struct lift_str *why)
{
    if (!layout_same(&whole->place, &window->place))
        lift_str_addf(why, apart, whole->shape.name);
    return why->len == 0;
}

static bool window_fits(const struct part *p, struct overlap_window *w, bool inner,
                        struct lift_str *why)
{
    const struct lift_plan *all = p->plan;
    bool good = true;

    for (int i = 0; good && i < all->input_count; i++) {
        const struct plan_array *a = &all->in[i], *b = &w->plan->in[i];

        w->copied[i] = !inner && b->shared_with >= 0;
        good = parts_cuts(p->all, 0, &a->shape, true) ? is_view(p, w, a, b, why)
                                                      : same_array(a, b, why);
    }
    for (int o = 0; good && o < all->output_count; o++) {
        const struct plan_array *a = &all->out[o], *b = &w->plan->out[o];

        good = is_view(p, w, a, b, why);
        if (good && inner && a->shared_with != b->shared_with)
            lift_str_addf(why, "kernels of some planes store '%s' elsewhere than %s",
                          a->shape.name, "that of the part");
    }
    return why->len == 0;
}

/* What a neighbour fetches of the edges lies as it does at the neighbour. Of other
 * processes, all arrays of parts are known to lie alike, and edges lie as these. */
static bool neighbours_fit(const struct part *p, struct lift_str *why)
{
    for (int side = 0; side < PARTS_SIDES; side++) {
        int n = p->beside[side];
        const struct overlap_window *w = &p->overlap->window[side];

        for (int o = 0; n >= 0 && w->length && o < p->plan->output_count; o++) {
            const struct lift_plan *other = p->all->part[n].plan;
            const struct planes to = planes_some(
                planes_all(p->all->part[n].plan, &other->out[o], NULL), 0, 0, 1);
            const struct planes from =
                planes_some(planes_all(w->plan, &w->plan->out[o], NULL), 0, 0, 1);

            if (!planes_are_near(&to, &from))
                lift_str_addf(why, apart, w->plan->out[o].shape.name);
            if (why->len)
                return false;
        }
    }
    return true;
}

/* Messages of rows without gaps. */
static bool are_copied(const struct parts *parts)
{
    return parts->way == PARTS_MESSAGE && !parts->direct;
}

static bool part_fits(const struct part *p, struct lift_str *why)
{
    const struct parts *parts = p->all;

    for (int k = 0; k < OVERLAP_WINDOWS; k++)
        if (p->overlap->window[k].length &&
            !window_fits(p, &p->overlap->window[k], k == OVERLAP_INNER, why))
            return false;
    if (are_copied(parts) || (parts->near && parts->link))
        return true;
    if (!parts->near)
        lift_str_add(why, "kernels of the parts have planes otherwise in memory than "
                          "those of their neighbours");
    return parts->near && neighbours_fit(p, why);
}

bool overlap_fits(struct parts *parts, struct lift_str *why)
{
    struct lift_str own = {0};
    bool good = true;

    for (int i = 0; good && i < parts->own_count; i++) {
        good = part_fits(&parts->own[i], &own);
        if (!good)
            lift_str_addf(why, "on '%s', %s", parts->own[i].device, lift_str_get(&own));
    }
    lift_str_fini(&own);
    return good;
}

void overlap_drop(struct parts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        struct part *p = &parts->part[i];
        struct overlap *v = p->overlap;
        struct lift_mark *marks[] = {v ? v->start : NULL, v ? v->ready : NULL,
                                     v ? v->inner : NULL, v ? v->began : NULL,
                                     v ? v->taken : NULL};

        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
            if (marks[k])
                p->plan->device->runtime->drop_mark(p->plan->device, marks[k]);
        for (int k = 0; v && k < OVERLAP_WINDOWS; k++)
            lift_plan_destroy(v->window[k].plan);
        free(v);
        p->overlap = NULL;
    }
    parts->overlaps = false;
}
