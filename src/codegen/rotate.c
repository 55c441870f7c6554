#include "codegen/rotate.h"
#include "ir/spine.h"
#include <string.h>

/* ---- the state */

static bool add_grids(struct rotation *r, lift_type t)
{
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        if (!add_grids(r, t->parts[i]))
            return false;
    if (t->kind == LIFT_TYPE_TUPLE)
        return true;
    if (r->count == ROTATE_PARTS)
        return false;
    r->from[r->count] = -1;
    r->type[r->count++] = t;
    return true;
}

static int grids_of(lift_type t)
{
    int n = 0;

    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        n += grids_of(t->parts[i]);
    return t->kind == LIFT_TYPE_TUPLE ? n : 1;
}

/* The first grid of 'e', a part of the variable that is bound 'index' binders outside;
 * -1: 'e' is no such part. */
static int grid_of(lift_expr e, int index)
{
    int grid;

    if (e->kind == LIFT_EXPR_BOUND)
        return (int)e->u.index == index ? 0 : -1;
    if (!lift_expr_is(e, LIFT_GET))
        return -1;
    grid = grid_of(e->u.prim.args[0], index);
    for (int i = 0; grid >= 0 && i < e->u.prim.attrs.get.k; i++)
        grid += grids_of(e->u.prim.args[0]->type->parts[i]);
    return grid;
}

static void find_passed(struct rotation *r, lift_expr e, int index, int *grid)
{
    int from = grid_of(lift_copied(e), index);

    if (lift_expr_is(e, LIFT_TUPLE)) {
        for (int i = 0; i < e->arg_count; i++)
            find_passed(r, e->u.prim.args[i], index, grid);
        return;
    }
    for (int i = 0; i < *grid && from >= 0; i++)
        from = r->from[i] == from ? -1 : from;
    if (e->type->kind == LIFT_TYPE_ARRAY)
        r->from[*grid] = from;
    *grid += grids_of(e->type);
}

/* ---- the buffers */

static bool holds(const int *state, int count, int buffer)
{
    for (int i = 0; i < count; i++)
        if (state[i] == buffer)
            return true;
    return false;
}

/* A buffer for this grid that neither the previous state nor this state uses. Adds a
 * buffer if there is none. */
static int free_buffer(struct rotation *r, lift_type *of, int grid, const int *old,
                       const int *now)
{
    int b = 0;

    while (b < r->buffers &&
           (of[b] != r->type[grid] || holds(old, r->count, b) || holds(now, r->count, b)))
        b++;
    of[b] = r->type[grid];
    r->buffers = b < r->buffers ? r->buffers : b + 1;
    return b;
}

/* Computes the states until a state recurs. False if ROTATE_STATES are too few. */
static bool turn(struct rotation *r)
{
    lift_type of[3 * ROTATE_PARTS] = {NULL};

    r->buffers = r->count;
    for (int i = 0; i < r->count; i++)
        of[i] = r->type[r->states[0][i] = i];
    for (int t = 1; t < ROTATE_STATES; t++) {
        const int *old = r->states[t - 1];
        int *now = r->states[t];

        for (int i = 0; i < r->count; i++)
            now[i] = r->from[i] < 0 ? -1 : old[r->from[i]];
        for (int i = 0; i < r->count; i++)
            if (now[i] < 0)
                now[i] = free_buffer(r, of, i, old, now);
        for (int s = 0; s < t; s++)
            if (!memcmp(r->states[s], now, (size_t)r->count * sizeof *now)) {
                r->first = s + 1;
                r->cycle = t - s;
                return true;
            }
    }
    return false;
}

bool cg_rotation_find(struct rotation *r, lift_expr step)
{
    lift_expr e = step->u.lambda.body->u.prim.args[0];
    int index = 0, grid = 0;

    *r = (struct rotation){0};
    if (!add_grids(r, e->type))
        return false;
    for (; lift_expr_is(e, LIFT_LET); index++)
        e = e->u.prim.args[1]->u.lambda.body;
    find_passed(r, e, index, &grid);
    if (turn(r))
        return true;
    for (int i = 0; i < r->count; i++)
        r->from[i] = -1;
    return turn(r);
}

int cg_rotation_buffer(const struct rotation *r, int64_t t, int grid)
{
    if (t >= r->first)
        t = r->first + (t - r->first) % r->cycle;
    return r->states[t - 1][grid];
}

int64_t cg_rotation_before(const struct rotation *r, int64_t n)
{
    return n < r->first ? n : r->first + (n - r->first) % r->cycle;
}

/* ---- loops of zero iterations */

static lift_expr without_iterate(void *user, lift_expr e)
{
    (void)user;
    return lift_expr_mentions(e, LIFT_ITERATE) ? NULL : e;
}

/* Replaces a value that is repeated zero times by its initial value. Removes a let that
 * names a variable, or whose body is the name. */
static lift_expr busy(void *ir, lift_expr e, lift_expr to)
{
    lift_expr value, f, of;

    if (lift_is_repeated(to) && lift_nat_is(to->u.prim.nats[0], 0))
        return to->u.prim.args[1];
    if (to == e || !lift_expr_is(to, LIFT_LET))
        return to;
    value = to->u.prim.args[0], f = to->u.prim.args[1];
    of = lift_expr_is(value, LIFT_TO_GLOBAL) ? value->u.prim.args[0] : value;
    if (value != e->u.prim.args[0] && of->kind != LIFT_EXPR_PRIM)
        return lift_expr_apply(ir, f, &of);
    return f != e->u.prim.args[1] && f->u.lambda.body->kind == LIFT_EXPR_BOUND &&
                   f->u.lambda.body->u.index == 0
               ? of
               : to;
}

lift_expr cg_without_idle(struct lift_ir *ir, lift_expr e)
{
    return lift_expr_mapped(&(struct lift_expr_map){ir, ir, without_iterate, busy}, e);
}
