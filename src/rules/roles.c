#include "rules/roles.h"
#include "base/number.h"
#include "ir/spine.h"
#include "rules/native/interior.h"
#include <string.h>

/* ---- dimensions on the output spine */

struct dims dims_of(lift_type result)
{
    struct dims d = {.count = 0};
    int rank, grid;

    for (; result->kind == LIFT_TYPE_TUPLE; result = result->parts[grid])
        for (grid = 0; lift_has_fewer_dims(result, grid);)
            grid++;
    rank = lift_type_rank(result);
    for (int i = 0; i < rank && i < DIMS_MOST; i++)
        d.of[d.count++] = (int8_t)i;
    return d;
}

int dims_first(const struct dims *dims)
{
    return dims->count ? dims->of[0] : -1;
}

static struct dims without_first(const struct dims *dims)
{
    struct dims d = {.count = dims->count ? dims->count - 1 : 0};

    memcpy(d.of, dims->of + 1, (size_t)d.count);
    return d;
}

static struct dims with_first(int first, const struct dims *rest)
{
    struct dims d = {.count = rest->count < DIMS_MOST ? rest->count + 1 : DIMS_MOST};

    d.of[0] = (int8_t)first;
    memcpy(d.of + 1, rest->of, (size_t)(d.count - 1));
    return d;
}

static struct dims swapped(const struct dims *dims)
{
    struct dims d = *dims;

    if (d.count >= 2) {
        d.of[0] = dims->of[1];
        d.of[1] = dims->of[0];
    }
    return d;
}

/* Merges the outermost two dimensions. The merged dimension is known only if both
 * correspond to the same dimension of the result. */
static struct dims merged(const struct dims *dims)
{
    struct dims d = without_first(dims);

    if (d.count && d.of[0] != dims->of[0])
        d.of[0] = -1;
    return d;
}

/* Returns the dimensions below a function that only moves the elements of its parameter.
 */
static struct dims below_movement(lift_expr lambda, const struct dims *dims)
{
    lift_expr e = lambda->u.lambda.body;
    struct dims d = *dims;

    for (int slot = lift_moved_slot(e); slot >= 0; slot = lift_moved_slot(e)) {
        struct dims above = d;

        d = dims_below(e, slot, &above);
        e = lift_expr_child(e, slot);
    }
    return d;
}

static struct dims below_map(lift_expr map, int child, const struct dims *dims)
{
    struct dims rest = without_first(dims);

    if (child == 0)
        return rest;
    if (map->op == LIFT_MAP && lift_moved_slot(map) == 1)
        rest = below_movement(map->u.prim.args[0], &rest);
    return with_first(dims_first(dims), &rest);
}

struct dims dims_below(lift_expr e, int child, const struct dims *dims)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return *dims;
    if (lift_op_is_map(e->op) || e->op == LIFT_MAP_SEQ_SLIDE)
        return below_map(e, child, dims);
    switch (e->op) {
    case LIFT_JOIN:
    case LIFT_JOIN_SHIFT:
        return with_first(dims_first(dims), dims);
    case LIFT_SPLIT:
        return merged(dims);
    case LIFT_TRANSPOSE:
        return swapped(dims);
    default:
        return *dims;
    }
}

/* ---- roles */

void roles_note_stream(struct lift_loops *all, int parent, int dim)
{
    for (int i = parent; i >= 0; i = all->items[i].parent)
        if (all->items[i].dim == dim && dim >= 0)
            all->items[i].levels = 1;
}

static bool is_item(const struct lift_loop *l)
{
    return l->map->op == LIFT_MAP_UNROLL;
}

/* Inner loops follow outer loops in the list, so the pass runs from last to first. */
static void count_nested(struct lift_loops *all)
{
    for (int i = all->count - 1; i >= 0; i--) {
        const struct lift_loop *l = &all->items[i];
        int own = !is_item(l);

        if (l->parent >= 0) {
            struct lift_loop *up = &all->items[l->parent];

            up->nested = (int)lift_max(up->nested, l->nested + own);
        }
        for (int k = l->parent; own && l->dim >= 0 && k >= 0; k = all->items[k].parent)
            if (all->items[k].dim == l->dim)
                all->items[k].levels = (int)lift_max(all->items[k].levels, l->levels + 1);
    }
}

static bool is_within(const struct lift_path *at, const struct lift_path *outer)
{
    return at->count >= outer->count &&
           memcmp(at->steps, outer->steps, outer->count) == 0;
}

static enum lift_role role_of(const struct lift_loop *l, const struct lift_path *interior)
{
    if (l->storage != LIFT_OP_COUNT)
        return is_item(l) ? LIFT_ROLE_ITEM : LIFT_ROLE_COPY;
    if (l->copies)
        return LIFT_ROLE_BORDER;
    if (!is_within(&l->at, interior))
        return LIFT_ROLE_FACE;
    if (is_item(l))
        return LIFT_ROLE_ITEM;
    if (l->levels > 1)
        return LIFT_ROLE_BLOCK;
    if (l->levels == 1)
        return LIFT_ROLE_TILE;
    return l->streams > 0 ? LIFT_ROLE_PLANE : LIFT_ROLE_POINT;
}

void roles_find(lift_expr term, struct lift_loops *all)
{
    struct lift_path interior;

    place_interior(term, &interior);
    count_nested(all);
    for (int i = all->count - 1; i >= 0; i--)
        all->items[i].role = role_of(&all->items[i], &interior);
    for (int i = all->count - 1; i >= 0; i--) {
        const struct lift_loop *l = &all->items[i];

        for (int k = l->parent; k >= 0; k = all->items[k].parent)
            if (all->items[k].role == l->role)
                all->items[k].index = (int)lift_max(all->items[k].index, l->index + 1);
    }
}

const char *lift_role_name(enum lift_role role)
{
    static const char *const names[LIFT_ROLES] = {"point", "plane", "tile",   "block",
                                                  "item",  "face",  "border", "copy"};

    return names[role];
}
