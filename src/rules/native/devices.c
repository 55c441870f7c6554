/* A grid over several devices: ir/cut.h makes the term. */
#include "ir/cut.h"
#include "rules/native/natives.h"
#include "rules/nd.h"
#include <string.h>

/* ---- variables of functions around the redex */

/* They stand for grids like free ones. */
struct open {
    lift_expr vars[LIFT_MAX_PARAMS]; /* Bound count-1 first */
    int count;
    /* Members of those that are tuples, and a grid for each. */
    lift_expr members[LIFT_MAX_ARGS], grids[LIFT_MAX_ARGS];
    int member_count;
};

static void add_members(struct lift_ir *ir, lift_expr var, struct open *o)
{
    for (int i = 0; var->type->kind == LIFT_TYPE_TUPLE && i < var->type->count &&
                    o->member_count < LIFT_MAX_ARGS;
         i++) {
        o->members[o->member_count] = lift_get(ir, i, var);
        o->grids[o->member_count++] = lift_fresh(ir, "x", var->type->parts[i]);
    }
}

/* NULL if there are too many. */
static lift_expr open_redex(struct lift_ir *ir, lift_expr e, struct open *o)
{
    lift_type types[LIFT_MAX_PARAMS];

    *o = (struct open){.count = e->loose};
    if (e->loose > LIFT_MAX_PARAMS)
        return NULL;
    for (int i = 0; i < o->count; i++) {
        types[i] = nd_bound_type(e, o->count - 1 - i);
        types[i] = types[i] ? types[i] : lift_type_scalar(ir, LIFT_I32);
        o->vars[i] = lift_fresh(ir, "x", types[i]);
        add_members(ir, o->vars[i], o);
    }
    if (o->count == 0)
        return e;
    e = lift_expr_apply(ir, lift_expr_lambda(ir, types, o->count, NULL, e), o->vars);
    return lift_expr_replace(ir, e, o->members, o->grids, o->member_count);
}

static lift_expr close_redex(struct lift_ir *ir, lift_expr e, const struct open *o)
{
    if (o->count == 0 || !e)
        return e;
    e = lift_expr_replace(ir, e, o->grids, o->members, o->member_count);
    return lift_expr_abstract(ir, o->vars, o->count, e)->u.lambda.body;
}

/* ---- the rules */

static bool has_dimension(lift_type t, int dim)
{
    bool all = t->kind == LIFT_TYPE_TUPLE;

    for (int i = 0; all && i < t->count; i++)
        all = has_dimension(t->parts[i], dim);
    return all || (t->kind == LIFT_TYPE_ARRAY && lift_type_rank(t) > dim);
}

static void cut(struct rule_redex *redex, lift_expr shares)
{
    const struct lift_shared shared = {redex->numbers.dims - 1, shares};
    LIFT_SCOPED(lift_str) why = {0};
    lift_expr e = redex->at;
    struct open o;

    if (e->kind != LIFT_EXPR_PRIM || e->op == LIFT_MAP_DEVICE ||
        !has_dimension(e->type, shared.dim))
        return;
    e = open_redex(redex->ir, e, &o);
    if (e)
        e = lift_cut_term(redex->ir, e, &shared, &why);
    if (e)
        redex_emit(redex, close_redex(redex->ir, e, &o));
    else if (why.len)
        redex_refuse(redex,
                     lift_arena_strdup(lift_ir_arena(redex->ir), lift_str_get(&why)));
}

/* The first number is how many parts there are, the second one of which dimension. */
void rule_devices(struct rule_redex *redex)
{
    int shares[LIFT_MAX_ARGS];

    for (int i = 0; i < redex->numbers.parts; i++)
        shares[i] = 1;
    cut(redex, lift_shares(redex->ir, shares, redex->numbers.parts));
}

/* The same with a tunable for the share of each part. */
void rule_devices_uneven(struct rule_redex *redex)
{
    lift_type i32 = lift_type_scalar(redex->ir, LIFT_I32);
    lift_expr parts[LIFT_MAX_ARGS];

    for (int i = 0; i < redex->numbers.parts; i++) {
        lift_nat share = redex_tunable(redex, "share", 1, 8);
        lift_expr x = lift_fresh(redex->ir, "i", i32);
        lift_expr f = lift_fun(redex->ir, nd_size(redex->ir, share), x);

        parts[i] = lift_array(redex->ir, lift_nat_const(lift_ir_nats(redex->ir), 1), f);
    }
    cut(redex, lift_call(redex->ir, LIFT_CONCAT, parts, redex->numbers.parts));
}

void rule_edges_first(struct rule_redex *redex)
{
    struct lift_prim_args a;

    lift_expr_args(redex->at, &a);
    a.attrs.device.first = LIFT_FIRST_EDGES;
    redex_emit(redex, lift_make(redex->ir, LIFT_MAP_DEVICE, &a));
}
