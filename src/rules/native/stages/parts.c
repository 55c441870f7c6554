/* The intermediates of a result, and the parts that a tile needs of them. */
#include "rules/native/stages/parts.h"
#include "ir/reach.h"
#include "ir/spine.h"
#include "rules/nd.h"
#include <string.h>

/* ---- intermediates */

static const char repeats[] =
    "kernels of steps are repeated, which 'steps' makes of several";

/* Returns the number of outer dimensions in which grids have equal lengths. */
static int common_rank(const lift_expr *grids, int count)
{
    lift_nat len[2][LIFT_MAX_DIMS];
    int same = LIFT_MAX_DIMS;

    for (int i = 0; i < count; i++) {
        int rank = lift_type_rank(grids[i]->type), d = 0;

        same = rank < same ? rank : same;
        nd_lengths(grids[i]->type, same, len[i > 0]);
        while (i > 0 && d < same && len[0][d] == len[1][d])
            d++;
        same = i > 0 ? d : same;
    }
    return same;
}

/* ---- the result
 *
 * Separate kernels add points to a grid, and compute lists: members of the result that
 * have fewer dimensions than others. */

static bool is_list(lift_expr result, int member)
{
    return result->type->kind == LIFT_TYPE_TUPLE &&
           lift_has_fewer_dims(result->type, member);
}

static int member_count(lift_expr result)
{
    return result->type->kind == LIFT_TYPE_TUPLE ? result->type->count : 1;
}

static lift_expr member(struct lift_ir *ir, lift_expr result, int i)
{
    if (result->type->kind != LIFT_TYPE_TUPLE)
        return result;
    return lift_expr_is(result, LIFT_TUPLE) ? result->u.prim.args[i]
                                            : lift_get(ir, i, result);
}

/* Finds the grids of the result before points add to them; returns their number. */
static int find_grids(const struct stages *x, lift_expr grids[LIFT_MAX_ARGS])
{
    int count = 0;

    for (int i = 0; i < member_count(x->whole); i++) {
        lift_expr e = member(x->ir, x->whole, i);

        while (lift_expr_is(e, LIFT_INJECT))
            e = e->u.prim.args[0];
        if (!is_list(x->whole, i))
            grids[count++] = e;
    }
    return count;
}

/* Applies the injections around 'old' to 'grid'. */
static lift_expr with_points(struct lift_ir *ir, lift_expr old, lift_expr grid)
{
    return lift_expr_is(old, LIFT_INJECT)
               ? lift_expr_with_child(ir, old, 0,
                                      with_points(ir, old->u.prim.args[0], grid))
               : grid;
}

/* Builds the whole result with other grids. */
static lift_expr with_grids(const struct stages *x, const lift_expr *grids)
{
    lift_expr members[LIFT_MAX_ARGS];
    int count = member_count(x->whole);

    for (int i = 0; i < count; i++) {
        members[i] = member(x->ir, x->whole, i);
        if (!is_list(x->whole, i))
            members[i] = with_points(x->ir, members[i], *grids++);
    }
    return x->whole->type->kind == LIFT_TYPE_TUPLE
               ? lift_call(x->ir, LIFT_TUPLE, members, count)
               : members[0];
}

/* Builds the whole result from the tiled grids 'e'. One nest may compute several grids
 * and store each grid directly: copies of members of a let need no kernel
 * (src/codegen/passed.c). */
static lift_expr whole(const struct stages *x, lift_expr e)
{
    lift_expr grids[LIFT_MAX_ARGS], all;
    int count = find_grids(x, grids);
    bool only = count == member_count(x->whole);

    for (int i = 0; i < count; i++)
        only &= grids[i] == member(x->ir, x->whole, i);
    if (only || !e)
        return e;
    if (!x->zipped)
        return with_grids(x, &e);
    all = lift_fresh(x->ir, "grids", e->type);
    for (int i = 0; i < count; i++)
        grids[i] = nd_copy_all(x->ir, lift_get(x->ir, i, all));
    return lift_let(x->ir, lift_call1(x->ir, LIFT_TO_GLOBAL, e),
                    lift_fun(x->ir, with_grids(x, grids), all));
}

/* Returns the grid of the result, or a grid of tuples of the values of all grids at a
 * point. */
static lift_expr zipped(struct stages *x)
{
    lift_expr grids[LIFT_MAX_ARGS];
    int count = find_grids(x, grids);

    x->zipped = count > 1 ? common_rank(grids, count) : 0;
    if (count == 1)
        return grids[0];
    return x->zipped < x->of.dims ? NULL : lift_zip_n(x->ir, x->zipped, grids, count);
}

static bool refuse(struct stages *x, const char *why)
{
    x->why = why;
    return false;
}

/* Adds an intermediate: the value of the let 'e'. */
static bool add_stage(struct stages *x, lift_expr e)
{
    struct stage *s = &x->items[x->count];

    if (x->count == MAX_STAGES)
        return refuse(x, "there are more than 32 intermediates");
    s->value = e->u.prim.args[0];
    if (lift_expr_is(s->value, LIFT_TO_GLOBAL))
        s->value = s->value->u.prim.args[0];
    if (lift_is_repeated(s->value))
        return refuse(x, repeats);
    s->var = lift_fresh(x->ir, e->u.prim.args[1]->u.lambda.names[0], s->value->type);
    x->count++;
    return lift_type_rank(s->value->type) >= x->of.dims;
}

static bool reads_stage(const struct stages *x, lift_expr e)
{
    bool reads = false;

    for (int i = 0; i < x->count && !reads; i++)
        reads = nd_count(e, x->items[i].var, 1) > 0;
    return reads;
}

/* True if injections or lists of the result read an intermediate, which tiles do not
 * store in global memory. */
static bool reads_apart(const struct stages *x)
{
    bool reads = false;

    for (int i = 0; i < member_count(x->whole) && !reads; i++) {
        lift_expr e = member(x->ir, x->whole, i);

        for (; lift_expr_is(e, LIFT_INJECT); e = e->u.prim.args[0])
            reads |=
                reads_stage(x, e->u.prim.args[1]) || reads_stage(x, e->u.prim.args[2]);
        reads |= is_list(x->whole, i) && reads_stage(x, e);
    }
    return reads;
}

/* Finds the grids that lets at the root bind, stored or not. */
static bool find_stages(struct stages *x, lift_expr e)
{
    lift_expr result;

    for (; lift_expr_is(e, LIFT_LET);
         e = lift_expr_apply(x->ir, e->u.prim.args[1], &x->items[x->count - 1].var))
        if (!add_stage(x, e))
            return false;
    if (lift_is_repeated(e))
        return refuse(x, repeats);
    x->whole = e;
    result = zipped(x);
    x->items[x->count].value = result;
    if (result && reads_apart(x))
        return refuse(x,
                      "points, or an output of fewer dimensions, read an intermediate");
    return x->count && result && nd_lengths(result->type, x->of.dims, x->len);
}

/* ---- inputs */

static bool is_input(const struct stages *x, lift_expr e)
{
    if (e->kind != LIFT_EXPR_FREE || lift_type_rank(e->type) < x->of.dims)
        return false;
    for (int i = 0; i < x->count; i++)
        if (x->items[i].var == e)
            return false;
    return true;
}

static lift_expr find_input(const struct stages *x, lift_expr e)
{
    lift_expr found = is_input(x, e) ? e : NULL;

    for (int i = 0; !found && i < lift_expr_child_count(e); i++)
        found = find_input(x, lift_expr_child(e, i));
    return found;
}

/* Inserts an input as the first intermediate. */
static void put_first(struct stages *x, lift_expr input)
{
    lift_expr var = lift_fresh(x->ir, input->u.name, input->type);

    for (int i = x->count; i >= 0; i--) {
        x->items[i + 1] = x->items[i];
        if (!x->items[i].input)
            x->items[i + 1].value = nd_replace(x->ir, x->items[i].value, input, var);
    }
    x->items[0] = (struct stage){.var = var, .value = input, .input = true};
    x->count++;
}

static lift_expr without_private(void *ir, lift_expr e, lift_expr to)
{
    (void)e;
    if (to && lift_expr_is(to, LIFT_TO_PRIVATE))
        return to->u.prim.args[0];
    return to && lift_expr_is(to, LIFT_LET) &&
                   lift_type_is_value(to->u.prim.args[0]->type)
               ? lift_expr_apply(ir, to->u.prim.args[1], to->u.prim.args)
               : to;
}

/* Makes inputs intermediates, and removes private storage and lets of values from all
 * intermediates. */
static bool find_inputs(struct stages *x)
{
    const struct lift_expr_map m = {x->ir, x->ir, NULL, without_private};

    for (int i = 0; i <= x->count; i++)
        x->items[i].value = lift_expr_mapped(&m, x->items[i].value);
    for (int i = 0; i <= x->count; i++) {
        lift_expr input = x->items[i].input ? NULL : find_input(x, x->items[i].value);

        if (input && x->count == MAX_STAGES) {
            x->why = "there are more than 32 intermediates and inputs";
            return false;
        }
        if (input)
            put_first(x, input);
        i -= input != NULL;
    }
    return true;
}

/* ---- parts */

static void take_in(int64_t *lo, int64_t *hi, int64_t from, int64_t to)
{
    *lo = from < *lo ? from : *lo;
    *hi = to > *hi ? to : *hi;
}

/* Widens 'p' by the reads of an array. Each element of 'by' reads the range 'r'. */
static void widen(struct part *p, const struct part *by, const struct lift_reach *r,
                  int dims)
{
    for (int d = 0; d < dims; d++)
        take_in(&p->lo[d], &p->hi[d], by->lo[d] + r->lo[d], by->hi[d] + r->hi[d]);
}

/* Finds the parts of earlier intermediates that intermediate r needs. */
static bool need(struct stages *x, int r)
{
    static const struct part point;
    struct lift_reach reach[MAX_STAGES + 1];
    struct stage *by = &x->items[r];

    for (int i = 0; i < r; i++)
        reach[i].array = x->items[i].var;
    reach[r].array = NULL; /* the reads of inputs */
    lift_reach_find(by->value, x->of.first, reach, r + 1);
    widen(&by->reach, &point, &reach[r], x->of.first);
    for (int i = 0; i < r; i++) {
        struct stage *s = &x->items[i];

        if (reach[i].read && !reach[i].known)
            return refuse(x, "a grid point reads more of an intermediate than a "
                             "neighbourhood of a fixed size");
        by->of[i].read = nd_count(by->value, s->var, 1) > 0;
        memcpy(by->of[i].at.lo, reach[i].lo, sizeof reach[i].lo);
        memcpy(by->of[i].at.hi, reach[i].hi, sizeof reach[i].hi);
        s->used |= by->of[i].read;
        if (!reach[i].read)
            continue;
        for (int d = 0; d < x->of.first; d++)
            x->wraps[d] |= reach[i].wraps[d], x->repeats[d] |= reach[i].repeats[d];
        for (int d = 1; d < x->of.first; d++)
            s->beside |= reach[i].lo[d] || reach[i].hi[d];
        widen(&s->part, &by->part, &reach[i], x->of.first);
        widen(&by->reach, &point, &reach[i], x->of.first);
    }
    return true;
}

/* True if all grids with a periodic boundary have the length of the tiled grid. */
static bool ends_meet(struct stages *x)
{
    for (int i = 0; i < x->count; i++) {
        lift_nat len[LIFT_MAX_DIMS];

        nd_lengths(x->items[i].var->type, x->of.dims, len);
        for (int d = 0; x->items[i].used && d < x->of.first; d++)
            if (x->wraps[d] && len[d] != x->len[d])
                return refuse(x, "an intermediate is read around the ends ('wrap') of a "
                                 "grid, and another intermediate has another size");
    }
    return true;
}

/* Finds the needed parts, from the result back to the first intermediate. */
static bool find(struct stages *x, lift_expr e)
{
    if (!lift_expr_is(e, LIFT_LET))
        return refuse(x, lift_is_repeated(e) ? repeats : NULL);
    x->why = "an intermediate, or the result, has fewer dimensions";
    if (!stages_open(&x->opened, x->ir, e) || !find_stages(x, x->opened.e) ||
        (x->registers && !find_inputs(x)))
        return false;
    x->items[x->count].used = true;
    for (int r = x->count; r >= 0; r--)
        if (x->items[r].used && !need(x, r))
            return false;
    return ends_meet(x);
}

bool stages_find(struct stages *x, struct rule_redex *redex)
{
    bool good = find(x, redex->at);

    if (!good && x->why)
        redex_refuse(redex, x->why);
    return good;
}

/* Returns the range of all elements that a tile reads. */
static struct part margin(const struct stages *x)
{
    struct part all = {.lo = {0}};

    for (int i = 0; i <= x->count; i++) {
        const struct stage *s = &x->items[i];

        for (int d = 0; s->used && d < x->of.first; d++)
            take_in(&all.lo[d], &all.hi[d], s->part.lo[d] + s->reach.lo[d],
                    s->part.hi[d] + s->reach.hi[d]);
    }
    return all;
}

lift_expr stages_inside(const struct stages *x, const lift_nat *k, int first)
{
    struct lift_ir *ir = x->ir;
    struct part all = margin(x);
    lift_expr holds = NULL;

    for (int d = first; d < x->of.first; d++) {
        lift_expr begin = stages_begin(x, d, k[d]), test[2];
        lift_nat past = lift_nat_sub(x->len[d], lift_nat_add_const(k[d], all.hi[d]));

        test[0] = lift_call2(ir, LIFT_LE, lift_expr_int(ir, -all.lo[d]), begin);
        test[1] = lift_call2(ir, LIFT_LE, begin, nd_size(ir, past));
        for (int i = 0; i < 2; i++)
            holds = holds ? lift_call2(ir, LIFT_AND, holds, test[i]) : test[i];
    }
    return holds;
}

/* ---- tiles */

lift_expr stages_begin(const struct stages *x, int d, lift_nat k)
{
    lift_expr i = x->of.first == 1 ? x->tile : lift_get(x->ir, d, x->tile);

    return lift_call2(x->ir, LIFT_MUL, i, nd_size(x->ir, k));
}

/* Builds fun((i, j, ...) => (i, j, ...)), or the identity of one index. */
static lift_expr index_tuple(const struct stages *x)
{
    lift_type i32 = lift_type_scalar(x->ir, LIFT_I32), types[LIFT_MAX_DIMS];
    lift_expr vars[LIFT_MAX_DIMS];
    int n = x->of.first;

    for (int i = 0; i < n; i++) {
        types[i] = i32;
        vars[i] = lift_expr_bound(x->ir, n - 1 - i, i32);
    }
    return lift_expr_lambda(x->ir, types, n, NULL,
                            n == 1 ? vars[0] : lift_call(x->ir, LIFT_TUPLE, vars, n));
}

lift_expr stages_tile_var(const struct stages *x)
{
    return lift_fresh(x->ir, "i", index_tuple(x)->u.lambda.body->type);
}

/* Drops elements after the end of the outer 'm' dimensions. */
static lift_expr taken(const struct stages *x, int m, lift_expr grid)
{
    grid = lift_take_n(x->ir, m, x->len, grid);
    return whole(x, x->zipped ? lift_unzip_n(x->ir, x->zipped, grid) : grid);
}

lift_expr stages_whole(const struct stages *x, lift_expr grid)
{
    return grid ? stages_close(&x->opened, x->ir, taken(x, 1, grid)) : NULL;
}

lift_expr stages_untiled(const struct stages *x, lift_expr body, const lift_nat *k)
{
    lift_nat tiles[LIFT_MAX_DIMS];
    lift_expr grid;
    int m = x->of.first;

    if (!body)
        return NULL;
    for (int d = 0; d < m; d++)
        tiles[d] = lift_nat_ceil_div(x->len[d], k[d]);
    grid = lift_map_n(x->ir, m, lift_fun(x->ir, body, x->tile),
                      lift_array_n(x->ir, m, tiles, index_tuple(x)));
    return stages_close(&x->opened, x->ir, taken(x, m, lift_untile_n(x->ir, m, grid)));
}
