#include "ir/halo.h"

static struct lift_halo nothing(void)
{
    return (struct lift_halo){.input = NULL};
}

static struct lift_halo whole(struct lift_ir *ir, lift_expr input)
{
    struct lift_halo h = {
        .input = input, .grid = input->type, .dims = lift_type_rank(input->type)};

    if (h.dims < 1 || h.dims > LIFT_HALO_DIMS)
        return nothing();
    for (int d = 0; d < h.dims; d++) {
        h.before[d] = h.after[d] = lift_nat_const(lift_ir_nats(ir), 0);
        h.straight[d] = true;
    }
    return h;
}

struct lift_halo lift_halo_element(const struct lift_halo *xs)
{
    struct lift_halo h = *xs;

    h.first++;
    if (!xs->input || --h.dims < 1)
        return nothing();
    for (int d = 0; d < h.dims; d++) {
        h.before[d] = xs->before[d + 1];
        h.after[d] = xs->after[d + 1];
        h.straight[d] = xs->straight[d + 1];
    }
    return h;
}

/* The outermost dimension is the outermost dimension of 'xs'; the function gives the
 * inner dimensions. */
static struct lift_halo of_map(struct lift_ir *ir, lift_expr e,
                               const struct lift_halo_scope *scope)
{
    struct lift_halo xs = lift_halo_of(ir, e->u.prim.args[1], scope), out = xs;
    struct lift_halo_scope inner = {lift_halo_element(&xs), scope};
    struct lift_halo body;

    if (!inner.halo.input)
        return nothing();
    body = lift_halo_of(ir, e->u.prim.args[0]->u.lambda.body, &inner);
    if (body.input != xs.input || body.first != xs.first + 1)
        return nothing();
    out.grid = body.grid;
    for (int d = 0; d < body.dims; d++) {
        out.before[d + 1] = body.before[d];
        out.after[d + 1] = body.after[d];
        out.straight[d + 1] = body.straight[d];
    }
    return out;
}

struct lift_halo lift_halo_named(struct lift_ir *ir, lift_expr value)
{
    struct lift_halo h = nothing();

    if (lift_expr_is(value, LIFT_TO_GLOBAL) && value->type->kind == LIFT_TYPE_ARRAY)
        h = whole(ir, value);
    h.stage = h.input;
    return h;
}

/* The type of 'grid' with other elements. */
static lift_type of_elements(struct lift_ir *ir, lift_type grid, lift_type element)
{
    return grid->kind == LIFT_TYPE_ARRAY
               ? lift_type_array(ir, of_elements(ir, grid->elem, element), grid->len)
               : element;
}

/* A grid of tuples counts as one grid for each member, elementwise. */
static struct lift_halo of_member(struct lift_ir *ir, lift_expr e,
                                  const struct lift_halo_scope *scope)
{
    struct lift_halo h = lift_halo_of(ir, e->u.prim.args[0], scope);
    lift_type base = h.input ? lift_type_base(h.grid) : NULL;
    int k = e->u.prim.attrs.get.k;

    if (!h.input || base->kind != LIFT_TYPE_TUPLE || k >= base->count)
        return nothing();
    h.grid = of_elements(ir, h.grid, base->parts[k]);
    return h;
}

static struct lift_halo of_prim(struct lift_ir *ir, lift_expr e,
                                const struct lift_halo_scope *scope)
{
    struct lift_halo h = nothing();

    if (lift_op_is_map(e->op))
        return of_map(ir, e, scope);
    switch (e->op) {
    case LIFT_ALIGN_ROWS:
    case LIFT_APART:
    case LIFT_PREFETCH:
    case LIFT_UNZIP:
        return lift_halo_of(ir, e->u.prim.args[0], scope);
    case LIFT_GET:
        return of_member(ir, e, scope);
    case LIFT_PAD:
    case LIFT_TAKE:
    case LIFT_DROP:
        h = lift_halo_of(ir, e->u.prim.args[0], scope);
        h.straight[0] = false;
        return h;
    case LIFT_PAD_STORED:
        h = lift_halo_of(ir, e->u.prim.args[1], scope);
        if (!h.input || !h.straight[0])
            return nothing();
        h.before[0] = lift_nat_add(h.before[0], e->u.prim.nats[0]);
        h.after[0] = lift_nat_add(h.after[0], e->u.prim.nats[1]);
        return h;
    default:
        return h;
    }
}

struct lift_halo lift_halo_of(struct lift_ir *ir, lift_expr e,
                              const struct lift_halo_scope *scope)
{
    switch (e->kind) {
    case LIFT_EXPR_FREE:
        return whole(ir, e);
    case LIFT_EXPR_BOUND:
        for (int i = 0; scope && i < e->u.index; i++)
            scope = scope->outer;
        return scope ? scope->halo : nothing();
    case LIFT_EXPR_PRIM:
        return of_prim(ir, e, scope);
    default:
        return nothing();
    }
}

/* True for literals, parameters, and arithmetic on them. */
static bool is_known(lift_expr e)
{
    if (e->kind == LIFT_EXPR_PRIM)
        for (int i = 0; i < e->arg_count; i++)
            if (!is_known(e->u.prim.args[i]))
                return false;
    if (e->kind == LIFT_EXPR_PRIM)
        return lift_prim_info(e->op)->level == LIFT_LEVEL_SCALAR &&
               e->op != LIFT_USER_FUN;
    return e->type->kind == LIFT_TYPE_SCALAR &&
           (e->kind == LIFT_EXPR_LIT || e->kind == LIFT_EXPR_FREE);
}

lift_expr lift_halo_fill(lift_expr value)
{
    while (lift_expr_is(value, LIFT_ARRAY))
        value = value->u.prim.args[0]->u.lambda.body;
    if (value->type->kind != LIFT_TYPE_SCALAR || value->type->scalar == LIFT_BOOL)
        return NULL;
    return is_known(value) ? value : NULL;
}
