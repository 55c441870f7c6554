/* The owner of an element of a stream that is divided among work-items: the path by which
 * the owner reads it in registers or loads it. */
#include "codegen/stream/window.h"

/* Expresses an index relative to its owner, the work-item 'places' further. False if the
 * distance is not constant. */
static bool find_owner(struct gen *g, const struct spread *s, int dim, lift_nat *index,
                       int64_t *places)
{
    int64_t d = 0, own;
    bool found = false;

    for (int i = 0; i < g->own_count && !found; i++) {
        lift_nat first = lift_nat_mul_const(g->own[i].var, s->per);

        found =
            g->own[i].dim == dim && lift_nat_is_const(lift_nat_sub(*index, first), &d);
    }
    own = ((d % s->per) + s->per) % s->per;
    *places = (d - own) / s->per;
    *index = lift_nat_add_const(lift_nat_mul_const(s->item, s->per), own);
    return found && *places > -s->items && *places < s->items;
}

bool owners_find(struct gen *g, const struct stream *s, lift_access *rest,
                 int64_t places[WINDOW_SPREAD])
{
    lift_nat index[WINDOW_SPREAD];
    lift_access p = *rest;

    for (int d = s->spread_count - 1; d >= 0; d--, p = p->next) {
        if (!p || !p->index)
            return false;
        index[d] = p->index;
        if (!find_owner(g, &s->spread[d], d, &index[d], &places[d]))
            return false;
    }
    for (int d = 0; d < s->spread_count; d++)
        p = cg_index(g, index[d], p);
    *rest = p;
    return true;
}

/* The stream that divides values computed from circular buffers; NULL: none. */
static const struct stream *shared_out(const struct window *w)
{
    for (int i = 0; i < w->stream_count; i++)
        if (w->streams[i]->spread_count)
            return w->streams[i];
    return NULL;
}

/* The path with the index at position 'depth' replaced. */
static lift_access with_index(struct gen *g, lift_access p, int depth, lift_nat index)
{
    return depth == 0 ? cg_index(g, index, p->next)
                      : cg_index(g, p->index, with_index(g, p->next, depth - 1, index));
}

/* The index along the row if the row has 'count' elements; otherwise NULL. */
static lift_nat index_in_row(const struct stream *s, lift_access p, int depth,
                             int64_t count)
{
    lift_type row = s->node->type->elem;
    int64_t length;

    for (; depth > 0 && p && p->index && row->kind == LIFT_TYPE_ARRAY; depth--) {
        p = p->next;
        row = row->elem;
    }
    return p && row->kind == LIFT_TYPE_ARRAY && lift_nat_is_const(row->len, &length) &&
                   length == count
               ? p->index
               : NULL;
}

/* The work-items of a row hold its elements consecutively. An element without an owner in
 * the row is outside the row. */
bool owners_find_in_ring(struct gen *g, const struct window *w, const struct stream *s,
                         lift_access *rest, int64_t *place)
{
    const struct stream *of = w->asks ? shared_out(w) : NULL;
    lift_nat index;

    if (!of || s->kind != STREAM_LOCAL || w->filling || w->phase != WINDOW_RUN)
        return false;
    index = index_in_row(s, *rest, of->spread_count - 1,
                         of->spread[0].items * of->spread[0].per);
    if (!index || !find_owner(g, &of->spread[0], 0, &index, place) ||
        (*place != 1 && *place != -1))
        return false;
    *rest = with_index(g, *rest, of->spread_count - 1, index);
    return true;
}
