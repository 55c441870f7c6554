/* Destinations of a sketch: where the elements of a result go. */
#include "explore/cost/sketch_t.h"
#include <math.h>

/* Limits the iterations of the loop to cut, so that an index stays below 'n'. */
static void limit(struct drawer *d, sx index, double n)
{
    struct sketch_loop *l = &d->out->loops[d->cut];
    double lo, hi, by = l->depth < index->depth ? index->by[l->depth] : 0;

    sk_range(d, index, &lo, &hi);
    if (hi >= n && d->fact_count < SKETCH_FACTS)
        d->facts[d->fact_count++] = (struct sketch_fact){index, n - 1};
    if (by <= 0)
        return;
    l->extent = fmax(1, fmin(l->extent, floor((n - 1 - lo) / by) + 1));
}

static void note_condition(void *user, const struct lift_view *v, lift_access argument,
                           lift_access result)
{
    struct drawer *d = user;

    (void)result;
    if (v->keeps != LIFT_KEEPS_FIRST || d->cut < 0)
        return;
    if (argument && argument->index)
        limit(d, argument->index, sk_number(d, v->n));
    else
        d->failed = true;
}

static lift_access follow(struct drawer *d, lift_dest dest, lift_access path,
                          const void **mem)
{
    return lift_dest_follow(&d->walker.indices, dest, path,
                            &(struct lift_conditions){note_condition, d}, mem);
}

/* A path to the first leaf of a type. */
static lift_access first_leaf(struct drawer *d, lift_type t)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        return sk_index(d, sk_const(d, 0), first_leaf(d, t->elem));
    if (t->kind == LIFT_TYPE_TUPLE)
        return sk_member(d, 0, first_leaf(d, t->parts[0]));
    return t->kind == LIFT_TYPE_VECTOR ? sk_index(d, sk_const(d, 0), NULL) : NULL;
}

void sk_cut(struct drawer *d, lift_dest dest, lift_type type)
{
    const void *mem;

    d->cut = d->loop;
    follow(d, dest, first_leaf(d, type), &mem);
    d->cut = -1;
}

void sk_store(struct drawer *d, lift_dest dest, lift_access path)
{
    const void *mem;

    path = follow(d, dest, path, &mem);
    if (!d->failed)
        sk_access(d, mem, path, true);
}
