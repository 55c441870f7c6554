/* Destinations: the places of the elements of a result. */
#include "base/bug.h"
#include "ir/spine.h"
#include "ir/view.h"

static lift_dest new_dest(struct lift_arena *arena, struct lift_dest dest)
{
    return lift_arena_copy(arena, &dest, sizeof dest);
}

lift_dest lift_dest_mem(struct lift_arena *arena, const void *mem)
{
    return new_dest(arena, (struct lift_dest){LIFT_DEST_MEM, NULL, {.mem = mem}});
}

lift_dest lift_dest_at(struct lift_arena *arena, lift_dest parent, const void *index)
{
    return new_dest(arena, (struct lift_dest){LIFT_DEST_AT, parent, {.at = index}});
}

lift_dest lift_dest_member(struct lift_arena *arena, lift_dest parent, int k)
{
    return new_dest(arena, (struct lift_dest){LIFT_DEST_MEMBER, parent, {.k = k}});
}

lift_dest lift_dest_each(struct lift_arena *arena, const lift_dest *each)
{
    return new_dest(arena, (struct lift_dest){LIFT_DEST_EACH, NULL, {.each = each}});
}

bool lift_dest_parts(lift_dest dest)
{
    while (dest->parent)
        dest = dest->parent;
    return dest->kind == LIFT_DEST_EACH;
}

/* The chain of destinations from the parameter of a movement lambda to HERE. */
static lift_dest into_map(struct lift_arena *arena, lift_expr node, lift_dest dest)
{
    lift_expr f = node->u.prim.args[0], e = f->u.lambda.body;
    lift_dest inner = new_dest(arena, (struct lift_dest){LIFT_DEST_HERE, NULL, {NULL}});

    if (!lift_is_movement(f))
        return NULL;
    for (; e->kind == LIFT_EXPR_PRIM; e = lift_expr_child(e, lift_moved_slot(e)))
        inner = lift_dest_into(arena, e, lift_moved_slot(e), inner);
    return new_dest(arena, (struct lift_dest){LIFT_DEST_MAP, dest, {.inner = inner}});
}

lift_dest lift_dest_into(struct lift_arena *arena, lift_expr node, int slot,
                         lift_dest dest)
{
    struct lift_view v;

    if (node->op == LIFT_MAP)
        return into_map(arena, node, dest);
    lift_view_of(node, slot, &v);
    if (v.keeps == LIFT_KEEPS_NONE)
        return NULL;
    if (v.move == LIFT_MOVE_SAME && v.keeps == LIFT_KEEPS_ALL)
        return dest;
    return new_dest(arena, (struct lift_dest){LIFT_DEST_VIEW, dest, {.view = v}});
}

static lift_access step(const struct lift_indices *x, lift_dest d, lift_access p,
                        const struct lift_conditions *conditions)
{
    lift_access out;
    const void *none;

    switch (d->kind) {
    case LIFT_DEST_AT:
        return lift_access_index(x->arena, d->u.at, p);
    case LIFT_DEST_MEMBER:
        return lift_access_member(x->arena, d->u.k, p);
    case LIFT_DEST_VIEW:
        out = lift_view_out(x, &d->u.view, p);
        if (d->u.view.keeps != LIFT_KEEPS_ALL)
            conditions->each(conditions->user, &d->u.view, p, out);
        return out;
    case LIFT_DEST_MAP:
        if (!p || !p->index)
            break;
        out = lift_dest_follow(x, d->u.inner, p->next, conditions, &none);
        return lift_access_index(x->arena, p->index, out);
    case LIFT_DEST_MEM:
    case LIFT_DEST_HERE:
    case LIFT_DEST_EACH:
        LIFT_BUG("a destination of kind %d", d->kind);
    }
    x->ops->misfit(x->user);
    return p;
}

lift_access lift_dest_follow(const struct lift_indices *x, lift_dest dest,
                             lift_access path, const struct lift_conditions *conditions,
                             const void **mem)
{
    while (dest->parent || dest->kind == LIFT_DEST_EACH)
        if (dest->parent) {
            path = step(x, dest, path, conditions);
            dest = dest->parent;
        } else {
            dest = dest->u.each[path->member];
            path = path->next;
        }
    *mem = dest->kind == LIFT_DEST_MEM ? dest->u.mem : NULL;
    return path;
}
