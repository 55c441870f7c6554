/* Destinations of a sketch: where the elements of a result go. */
#include "explore/cost/sketch_t.h"
#include "lift/spine.h"
#include <math.h>

sdest sk_dest(struct drawer *d, struct sketch_dest dest)
{
    return lift_arena_copy(d->arena, &dest, sizeof dest);
}

/* The chain that a movement lambda makes of its parameter. */
static sdest into_map(struct drawer *d, lift_expr node, sdest dest)
{
    lift_expr f = node->u.prim.args[0], e = f->u.lambda.body;
    sdest inner = sk_dest(d, (struct sketch_dest){.kind = SDEST_HERE});

    if (!lift_is_movement(f))
        return NULL;
    while (e->kind == LIFT_EXPR_PRIM && inner) {
        int slot = lift_moved_slot(e);

        inner = sk_dest_into(d, e, slot, inner);
        e = e->u.prim.args[slot];
    }
    return inner ? sk_dest(d, (struct sketch_dest){.kind = SDEST_MAP,
                                                   .parent = dest,
                                                   .inner = inner})
                 : NULL;
}

static double part_offset(struct drawer *d, lift_expr node, int slot)
{
    double n = 0;

    for (int i = 0; i < slot; i++)
        n += sk_number(d, node->u.prim.args[i]->type->len);
    return n;
}

sdest sk_dest_into(struct drawer *d, lift_expr node, int slot, sdest dest)
{
    lift_expr x = node->u.prim.args[slot];
    struct sketch_dest to = {.parent = dest, .k = slot, .kind = SDEST_SAME};

    switch (node->op) {
    case LIFT_JOIN:
    case LIFT_JOIN_SHIFT:
        to.kind = SDEST_JOIN;
        to.n = sk_number(d, x->type->elem->len);
        break;
    case LIFT_SPLIT:
        to.kind = SDEST_SPLIT;
        to.n = sk_number(d, node->u.prim.nats[0]);
        break;
    case LIFT_TRANSPOSE:
    case LIFT_UNZIP:
        to.kind = SDEST_SWAP;
        break;
    case LIFT_DROP:
        to.kind = SDEST_OFFSET;
        to.n = -sk_number(d, node->u.prim.nats[0]);
        break;
    case LIFT_INSET:
        to.kind = slot == 0 ? SDEST_SAME : SDEST_OFFSET;
        to.n = sk_number(d, node->u.prim.nats[0]);
        break;
    case LIFT_CONCAT:
        to.kind = SDEST_OFFSET;
        to.n = part_offset(d, node, slot);
        break;
    case LIFT_TUPLE:
        to.kind = SDEST_MEMBER;
        break;
    case LIFT_ZIP:
        to.kind = SDEST_ZIP;
        break;
    case LIFT_AS_SCALAR:
        to.kind = SDEST_JOIN;
        to.n = x->type->elem->count;
        break;
    case LIFT_TAKE:
        to.kind = SDEST_TAKE;
        to.n = sk_number(d, node->u.prim.nats[0]);
        break;
    case LIFT_ALIGN_ROWS:
    case LIFT_APART:
    case LIFT_PREFETCH:
    case LIFT_IN_PLACE:
        return dest;
    case LIFT_MAP:
        return into_map(d, node, dest);
    default:
        return NULL;
    }
    return sk_dest(d, to);
}

static spath follow(struct drawer *d, sdest dest, spath p, const struct sketch_mem **mem);

/* Swaps the first two steps: [i][j] and [j][i], [i].k and .k[i]. */
static spath swap(struct drawer *d, spath p)
{
    spath q = p->next, rest = sk_index(d, p->index, q->next);

    return q->index ? sk_index(d, q->index, rest) : sk_member(d, q->member, rest);
}

static spath split(struct drawer *d, double n, spath p)
{
    sx quotient, rest;

    sk_divide(d, p->index, n, &quotient, &rest);
    return sk_index(d, quotient, sk_index(d, rest, p->next));
}

/* Paths that are too short for a step do not fit the type. */
static bool fits(sdest dest, spath p)
{
    switch (dest->kind) {
    case SDEST_AT:
    case SDEST_MEMBER:
        return true;
    case SDEST_JOIN:
        return p && p->index && p->next && p->next->index;
    case SDEST_SWAP:
        return p && p->index && p->next;
    default:
        return p && p->index;
    }
}

/* The iterations of the loop to be cut that an index below 'n' allows. */
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

static spath step(struct drawer *d, sdest dest, spath p)
{
    switch (dest->kind) {
    case SDEST_TAKE:
        if (d->cut >= 0)
            limit(d, p->index, dest->n);
        return p;
    case SDEST_AT:
        return sk_index(d, dest->at, p);
    case SDEST_MEMBER:
        return sk_member(d, dest->k, p);
    case SDEST_JOIN:
        return sk_index(d, sk_linear(d, p->index, dest->n, p->next->index, 1),
                        p->next->next);
    case SDEST_SPLIT:
        return split(d, dest->n, p);
    case SDEST_SWAP:
        return swap(d, p);
    case SDEST_OFFSET:
        return sk_index(d, sk_linear(d, p->index, 1, sk_const(d, dest->n), 1), p->next);
    case SDEST_ZIP:
        return sk_index(d, p->index, sk_member(d, dest->k, p->next));
    case SDEST_MAP:
        return sk_index(d, p->index,
                        follow(d, dest->inner, p->next, &(const struct sketch_mem *){0}));
    default:
        return p;
    }
}

static spath follow(struct drawer *d, sdest dest, spath p, const struct sketch_mem **mem)
{
    for (; dest->kind != SDEST_MEM && dest->kind != SDEST_HERE; dest = dest->parent) {
        if (!fits(dest, p)) {
            d->failed = true;
            return p;
        }
        p = step(d, dest, p);
    }
    *mem = dest->mem;
    return p;
}

/* A path to the first leaf of a type. */
static spath first_leaf(struct drawer *d, lift_type t)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        return sk_index(d, sk_const(d, 0), first_leaf(d, t->elem));
    if (t->kind == LIFT_TYPE_TUPLE)
        return sk_member(d, 0, first_leaf(d, t->parts[0]));
    return t->kind == LIFT_TYPE_VECTOR ? sk_index(d, sk_const(d, 0), NULL) : NULL;
}

void sk_cut(struct drawer *d, sdest dest, lift_type type)
{
    const struct sketch_mem *mem;

    d->cut = d->loop;
    follow(d, dest, first_leaf(d, type), &mem);
    d->cut = -1;
}

void sk_store(struct drawer *d, sdest dest, spath path)
{
    const struct sketch_mem *mem = NULL;

    path = follow(d, dest, path, &mem);
    if (!d->failed)
        sk_access(d, mem, path, true);
}
