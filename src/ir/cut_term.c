/* A term over several devices. The function of its mapDevice is the term itself, with the
 * length of a part in place of that of the grid; what it does at the ends of a part that
 * has neighbours there is dropped with the elements that are theirs. */
#include "ir/cut_t.h"

/* ---- places in the whole grid */

struct shifting {
    struct lift_ir *ir;
    const struct cut_ends *ends;
    lift_nat whole;  /* stands for the length of the grid where that is a number */
    lift_expr first; /* place of the first element of the part */
};

/* The function of an index of the part as one of an index of the whole. */
static lift_expr shift_index(struct shifting *s, lift_expr fun)
{
    lift_expr x = lift_fresh(s->ir, "i", lift_type_scalar(s->ir, LIFT_I32));
    lift_expr at = lift_call2(s->ir, LIFT_ADD, x, s->first);

    if (s->ends->ring)
        at = lift_call2(s->ir, LIFT_MOD, at, ir_size(s->ir, s->whole));
    return lift_fun(s->ir, lift_expr_apply(s->ir, fun, &at), x);
}

static bool is_place(const struct shifting *s, lift_expr e)
{
    return lift_expr_is(e, LIFT_ARRAY) && lift_nat_has(e->type->len, s->ends->var) &&
           lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 1);
}

static lift_expr whole_size(void *user, lift_expr e)
{
    const struct shifting *s = user;

    return lift_expr_is(e, LIFT_NAT)
               ? ir_size(s->ir, lift_nat_with(e->u.prim.nats[0], s->ends->var, s->whole))
               : NULL;
}

static lift_expr whole_place(void *user, lift_expr e, lift_expr to)
{
    struct shifting *s = user;
    lift_expr f;

    if (!to || !is_place(s, e))
        return to;
    f = shift_index(s, lift_expr_arg(to, 0));
    return lift_expr_rebuild(s->ir, to, &f, NULL);
}

/* ---- the function of a part */

struct part_sizes {
    lift_nat var, part, whole;
};

static lift_nat part_size(void *user, lift_nat n)
{
    const struct part_sizes *s = user;

    return n == s->var ? s->part : n == s->whole ? s->var : NULL;
}

lift_expr cut_body(struct lift_ir *ir, lift_expr e, const struct cut_ends *ends,
                   lift_nat whole, lift_expr first)
{
    struct shifting s = {ir, ends, whole, first};

    return ends->places ? lift_expr_mapped(
                              &(struct lift_expr_map){ir, &s, whole_size, whole_place}, e)
                        : e;
}

/* A grid, or each of a tuple of them. */
static lift_expr turn(struct lift_ir *ir, int dim, lift_expr e,
                      lift_expr (*form)(struct lift_ir *ir, int dim, lift_expr xs))
{
    lift_expr members[LIFT_MAX_ARGS];

    if (!e || dim == 0 || e->type->kind != LIFT_TYPE_TUPLE)
        return form(ir, dim, e);
    for (int i = 0; i < e->type->count; i++)
        members[i] = form(ir, dim, lift_get(ir, i, e));
    return lift_call(ir, LIFT_TUPLE, members, e->type->count);
}

/* The grids of a part: the parameter itself, or its members, turned back. */
static lift_expr parameter(struct lift_ir *ir, const lift_expr *turned, int count,
                           const struct part_sizes *sizes, int dim, lift_expr *of)
{
    lift_type types[LIFT_MAX_ARGS];
    lift_expr y;

    for (int i = 0; i < count; i++)
        types[i] = turned[i]->type;
    y = lift_fresh(ir, "part",
                   ir_grid_of(ir,
                              count == 1 ? types[0] : lift_type_tuple(ir, types, count),
                              sizes->part));
    for (int i = 0; i < count; i++)
        of[i] = lift_unturn(ir, dim, count == 1 ? y : lift_get(ir, i, y));
    return y;
}

/* fun(first, part => e) for a part of any length. */
static lift_expr part_function(struct lift_ir *ir, lift_expr e, const lift_expr *grids,
                               const lift_expr *turned, int count,
                               const struct cut_ends *ends)
{
    struct part_sizes sizes = {ends->var, lift_part_length(ir, ends->dim), NULL};
    lift_expr first = lift_fresh(ir, "first", lift_type_scalar(ir, LIFT_I32));
    lift_expr from[LIFT_MAX_ARGS], to[LIFT_MAX_ARGS], y;

    sizes.whole = lift_nat_var(ir->nats, "the whole", LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    e = cut_body(ir, e, ends, sizes.whole, first);
    e = lift_expr_subst(ir, e, part_size, &sizes, NULL);
    y = parameter(ir, turned, count, &sizes, ends->dim, to);
    for (int i = 0; i < count; i++)
        from[i] = lift_expr_free(ir, grids[i]->u.name, to[i]->type);
    e = e ? lift_expr_replace(ir, e, from, to, count) : NULL;
    e = turn(ir, ends->dim, e, lift_turn);
    return lift_fun2(ir, e, first, y);
}

lift_expr cut_term(struct lift_ir *ir, lift_expr e, const lift_expr *grids, int count,
                   const struct cut_ends *ends, lift_expr shares)
{
    const struct lift_device_parts parts = {
        .dim = ends->dim,
        .before = lift_nat_const(ir->nats, ends->before),
        .after = lift_nat_const(ir->nats, ends->after),
        .ring = ends->ring,
        .shares = shares};
    lift_expr cut[LIFT_MAX_ARGS], turned[LIFT_MAX_ARGS], xs[LIFT_MAX_ARGS];
    int n = 0;

    for (int i = 0; i < count; i++)
        if (ir_type_has(grids[i]->type, ends->var)) {
            cut[n] = grids[i];
            turned[n] = lift_turn(ir, ends->dim, grids[i]);
            xs[n] = lift_exchange(ir, &parts, turned[n]);
            n++;
        }
    if (n == 0) {
        lift_str_add(ends->why, "no grid of that length is read");
        return NULL;
    }
    e = lift_map_device(ir, &parts, part_function(ir, e, cut, turned, n, ends),
                        n == 1 ? xs[0] : lift_call(ir, LIFT_TUPLE, xs, n));
    return turn(ir, ends->dim, e, lift_unturn);
}

/* ---- any term */

struct found {
    lift_expr grids[LIFT_MAX_ARGS];
    int count;
    bool full;
};

static bool find_grids(void *found, lift_expr e)
{
    struct found *f = found;

    if (e->kind == LIFT_EXPR_FREE && e->type->kind == LIFT_TYPE_ARRAY) {
        f->full |= f->count == LIFT_MAX_ARGS;
        if (!f->full)
            f->grids[f->count++] = e;
    }
    return true;
}

lift_expr lift_cut_term(struct lift_ir *ir, lift_expr e, const struct lift_shared *shared,
                        struct lift_str *why)
{
    struct cut_ends ends = {.dim = shared->dim, .why = why};
    struct found f = {.count = 0};

    lift_expr_each(e, find_grids, &f);
    if (f.full)
        lift_str_add(why, "it reads too many grids");
    if (f.full || !cut_find_ends(ir, e, f.grids, f.count, &ends))
        return NULL;
    return cut_term(ir, e, f.grids, f.count, &ends, shared->shares);
}
