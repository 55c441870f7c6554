/* Windows of parts. */
#include "run/devices/overlap.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include <math.h>
#include <stdlib.h>

/* ---- positions of windows */

/* Returns the number of own planes that the neighbour at a side fetches. */
static int64_t edge_planes(const struct part *p, int side)
{
    int64_t n = 0;

    for (int i = 0; p->beside[side] >= 0 && i < LIFT_MAX_ARGS; i++)
        n = lift_max(n, p->all->width[1 - side][i]);
    return n;
}

/* Boundary planes must not read planes at the other end, if that end is the grid's. */
static bool has_room(const struct part *p, int side, int64_t planes)
{
    const struct lift_cut *c = &p->all->cut[0];
    int64_t read = side == PARTS_BEFORE ? c->after : c->before;

    return planes == 0 || p->beside[1 - side] >= 0 || p->along[0].own >= planes + read;
}

static bool set_windows(struct part *p)
{
    const struct part_along *at = &p->along[0];
    int64_t before = edge_planes(p, PARTS_BEFORE), after = edge_planes(p, PARTS_AFTER);
    struct overlap_window *w = p->overlap->window;

    w[PARTS_BEFORE] = (struct overlap_window){at->first, before, NULL};
    w[PARTS_AFTER] = (struct overlap_window){at->first + at->own - after, after, NULL};
    w[OVERLAP_INNER] =
        (struct overlap_window){at->first + before, at->own - before - after, NULL};
    return w[OVERLAP_INNER].length > 0 && has_room(p, PARTS_BEFORE, before) &&
           has_room(p, PARTS_AFTER, after);
}

struct parts_range overlap_range(const struct part *p, int window,
                                 const struct plan_layout *like)
{
    const struct overlap_window *w = &p->overlap->window[window];
    struct parts_range out = parts_range_of(p, like);

    out.first[0] = w->begin;
    out.count[0] = w->length;
    if (window != OVERLAP_INNER)
        out.open = PARTS_ALL_OPEN;
    return out;
}

/* lift_runtime_named reads the device name up to the colon. */
static bool copies_beside(const struct part *p, bool anyhow)
{
    const struct lift_runtime *rt = lift_runtime_named(p->device);

    return !rt || (rt->view && rt->pull && (rt->mark || anyhow));
}

/* Makes the programs of windows and of parts with neighbours. */
static bool open_ends(struct parts *parts, struct lift_str *why)
{
    for (unsigned sides = 1; sides <= PARTS_ALL_OPEN; sides++) {
        bool open[PARTS_SIDES];

        for (int side = 0; side < PARTS_SIDES; side++)
            open[side] = sides & PARTS_OPEN(side);
        parts->opened[sides] =
            lift_cut_open(parts->ir, &parts->cut[0], parts->program, open, why);
        if (!parts->opened[sides])
            return false;
    }
    return true;
}

bool overlap_plan(struct parts *parts, bool anyhow, struct lift_str *why)
{
    if (parts->along[1] > 1)
        return LIFT_FAIL(why, "parts with neighbours along two dimensions cannot compute "
                              "boundary planes first");
    for (int i = 0; i < parts->count; i++) {
        struct part *p = &parts->part[i];

        p->overlap = lift_alloc(1, sizeof *p->overlap);
        if (!copies_beside(p, anyhow))
            lift_str_addf(why, "'%s' cannot copy while a kernel runs", p->device);
        else if (!set_windows(p))
            lift_str_addf(why, "part %d has %lld planes and no interior", i + 1,
                          (long long)p->along[0].own);
        if (why->len)
            return false;
    }
    parts->overlaps = open_ends(parts, why);
    return parts->overlaps;
}

/* ---- memory layout */

/* Compares two layouts except their offsets and numbers of planes. */
static bool same_planes(const struct place *a, const struct place *b)
{
    const struct lift_layout *x = &a->layout, *y = &b->layout;
    bool good =
        a->laid_out == b->laid_out && a->filled == b->filled &&
        (!a->filled || (a->fill == b->fill && signbit(a->fill) == signbit(b->fill))) &&
        a->scalar == b->scalar && (!a->laid_out || x->dims == y->dims);

    for (int d = 0; good && a->laid_out && d < x->dims; d++)
        good = (d == 0 || x->length[d] == y->length[d]) && x->stride[d] == y->stride[d];
    return good;
}

int64_t overlap_place(const struct part *p, const struct overlap_window *w,
                      const struct plan_array *whole, const struct plan_array *window)
{
    int64_t at = (w->begin - p->along[0].begin) * (int64_t)planes_apart(whole);

    if (whole->place.laid_out)
        at += (whole->place.layout.offset - window->place.layout.offset) *
              lift_scalar_bytes(whole->place.scalar);
    return at;
}

static const char apart[] = "kernels of boundary planes use another memory layout of "
                            "'%s' than kernels of the part";

/* Returns true if a window's array can be a view of the part's array. */
static bool is_view(const struct part *p, const struct overlap_window *w,
                    const struct plan_array *whole, const struct plan_array *window,
                    struct lift_str *why)
{
    int64_t at = overlap_place(p, w, whole, window);
    int64_t align = (int64_t)p->plan->device->runtime->view_align;

    if (!same_planes(&whole->place, &window->place) || at < 0 ||
        at + (int64_t)layout_bytes(&window->place) > (int64_t)layout_bytes(&whole->place))
        lift_str_addf(why, apart, whole->shape.name);
    else if (at % align)
        lift_str_addf(why,
                      "planes of '%s' take %zu bytes, and kernels begin at multiples of "
                      "%lld",
                      whole->shape.name, planes_apart(whole), (long long)align);
    return why->len == 0;
}

static bool same_array(const struct plan_array *whole, const struct plan_array *window,
                       struct lift_str *why)
{
    if (!layout_same(&whole->place, &window->place))
        lift_str_addf(why, apart, whole->shape.name);
    return why->len == 0;
}

static bool window_fits(const struct part *p, struct overlap_window *w,
                        struct lift_str *why)
{
    const struct lift_plan *all = p->plan;
    bool good = true;

    for (int i = 0; good && i < all->input_count; i++) {
        const struct plan_array *a = &all->in[i], *b = &w->plan->in[i];

        good = parts_cuts(p->all, 0, &a->shape, true) ? is_view(p, w, a, b, why)
                                                      : same_array(a, b, why);
    }
    for (int o = 0; good && o < all->output_count; o++) {
        const struct plan_array *a = &all->out[o], *b = &w->plan->out[o];

        good = is_view(p, w, a, b, why);
        if (good && a->shared_with != b->shared_with)
            lift_str_addf(why, "kernels of boundary planes store '%s' elsewhere than %s",
                          a->shape.name, "the kernel of the part");
    }
    return why->len == 0;
}

static bool part_fits(const struct part *p, struct lift_str *why)
{
    for (int k = 0; k < OVERLAP_WINDOWS; k++)
        if (p->overlap->window[k].length && !window_fits(p, &p->overlap->window[k], why))
            return false;
    return true;
}

bool overlap_fits(struct parts *parts, struct lift_str *why)
{
    LIFT_SCOPED(lift_str) own = {0};
    bool good = true;

    for (int i = 0; good && i < parts->own_count; i++) {
        good = part_fits(&parts->own[i], &own);
        if (!good)
            lift_str_addf(why, "on '%s', %s", parts->own[i].device, lift_str_get(&own));
    }
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
        if (v)
            lift_error_fini(&v->failure);
        free(v);
        p->overlap = NULL;
    }
    parts->overlaps = false;
}
