/* Elements computed where they are read. Compilers compute equal elements of a body once.
 */
#include "explore/cost/estimate_t.h"
#include <string.h>

enum { PLACES = 256 };

/* Elements of one function, with equal steps. */
struct places {
    const struct sketch_access *load;
    double at[PLACES]; /* positions of the first load, in elements, without repetition */
    int count;
    double copies; /* number of copies in all */
    bool full;     /* the list is full, and some places are missing */
};

static double step_of(const struct sketch_access *a, const struct sketch_loop *l)
{
    return l->depth >= 0 && l->depth < a->at->depth ? a->at->by[l->depth] : 0;
}

static bool is_among(const struct places *p, double at)
{
    for (int i = 0; i < p->count; i++)
        if (p->at[i] == at)
            return true;
    return false;
}

static void add_place(struct places *p, double at)
{
    if (is_among(p, at))
        return;
    p->full |= p->count == PLACES;
    if (!p->full)
        p->at[p->count++] = at;
}

/* The places of one computed element, and of its copies in straight-line code. */
static void places_of(const struct sketch *s, const struct sketch_computed *c, bool apart,
                      struct places *out)
{
    const struct sketch_access *a = out->load = &s->accesses[c->load];

    out->count = 0;
    out->copies = 1;
    out->full = false;
    add_place(out, a->at->base);
    for (int l = a->loop; l > 0 && body_is_straight(&s->loops[l]);
         l = s->loops[l].parent) {
        int extent = (int)s->loops[l].extent, count = out->count;
        double by = step_of(a, &s->loops[l]);

        if (s->loops[l].kind == SKETCH_LANES && !apart)
            continue;
        out->copies *= extent;
        for (int i = 1; i < extent && by != 0 && !out->full; i++)
            for (int k = 0; k < count; k++)
                add_place(out, out->at[k] + by * i);
    }
}

static bool are_alike(const struct sketch *s, const struct body *b,
                      const struct sketch_computed *c, const struct sketch_computed *d)
{
    const struct sketch_access *x = &s->accesses[c->load], *y = &s->accesses[d->load];

    if (c->function != d->function || c->lanes != d->lanes || x->buffer != y->buffer ||
        x->kept != y->kept)
        return false;
    for (int i = 0; i < b->chain_count; i++)
        if (step_of(x, &s->loops[b->chain[i]]) != step_of(y, &s->loops[b->chain[i]]))
            return false;
    return true;
}

/* The number of places that a step of the stream adds. If unrolling fixes the window, the
 * other values are in registers. */
static int new_places(const struct sketch *s, const struct body *b,
                      const struct places *p)
{
    const struct sketch_loop *stream = NULL;
    double by;
    int count = 0;

    for (int i = 0; i < b->chain_count; i++)
        if (s->loops[b->chain[i]].depth == p->load->kept)
            stream = &s->loops[b->chain[i]];
    by = stream && stream->fixed ? step_of(p->load, stream) : 0;
    for (int i = 0; i < p->count; i++)
        count += by == 0 || !is_among(p, p->at[i] + by);
    return count;
}

/* Collects the places of all elements computed like 'first', and marks these as done. */
static void find_alike(const struct sketch *s, const struct body *b, int first,
                       bool *done, bool apart, struct places *out)
{
    struct places more;

    places_of(s, &s->computed[first], apart, out);
    for (int i = first + 1; i < s->computed_count; i++)
        if (!done[i] && are_alike(s, b, &s->computed[first], &s->computed[i])) {
            done[i] = true;
            places_of(s, &s->computed[i], apart, &more);
            for (int k = 0; k < more.count; k++)
                add_place(out, more.at[k]);
            out->copies += more.copies;
            out->full |= more.full;
        }
}

void body_share_ops(const struct sketch *s, struct body *b, bool apart)
{
    bool done[SKETCH_COMPUTED];
    struct places places;
    double repeats;

    for (int i = 0; i < s->computed_count; i++)
        done[i] = body_anchor(s, s->computed[i].loop, &repeats) != b->loop;
    for (int i = 0; i < s->computed_count; i++) {
        const struct sketch_computed *c = &s->computed[i];
        bool each = apart || c->lanes == 1;

        if (done[i])
            continue;
        find_alike(s, b, i, done, each, &places);
        if (!places.full)
            *(c->lanes > 1 ? &b->lane_ops : &b->ops) -=
                c->ops / (each ? c->lanes : 1) *
                (places.copies - new_places(s, b, &places));
    }
}
