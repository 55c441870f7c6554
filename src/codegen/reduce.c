/* Reductions: an accumulator in a variable, or in a variable for each scalar of which it
 * consists, by a loop or in straight-line code. */
#include "codegen/gen.h"

enum { MOST_UNROLLED = 1024, MOST_SCALARS = 64 };

/* ---- accumulators of several scalars */

/* The path and the destination of one scalar of the accumulator. */
struct leaf {
    lift_access path;
    lift_dest dest;
};

struct accumulator {
    struct lift_bound value;
    struct leaf leaves[MOST_SCALARS]; /* unused if the accumulator is a variable */
    int leaf_count;
    bool too_large;
};

static void add_leaves(struct gen *g, struct accumulator *acc, lift_type t,
                       struct leaf at)
{
    int64_t n = t->kind == LIFT_TYPE_TUPLE ? t->count : 1;

    if (t->kind == LIFT_TYPE_ARRAY)
        n = cg_const(g, t->len, "the length of an accumulator");
    if (lift_type_is_value(t)) {
        acc->too_large |= acc->leaf_count == MOST_SCALARS;
        if (!acc->too_large)
            acc->leaves[acc->leaf_count++] = at;
        return;
    }
    for (int64_t i = 0; i < n && !acc->too_large; i++) {
        bool member = t->kind == LIFT_TYPE_TUPLE;
        lift_nat index = lift_nat_const(g->nats, i);
        lift_access step = member ? cg_member(g, (int)i, NULL) : cg_index(g, index, NULL);
        struct leaf next = {lift_access_append(g->arena, at.path, step),
                            member ? lift_dest_member(g->arena, at.dest, (int)i)
                                   : lift_dest_at(g->arena, at.dest, index)};

        add_leaves(g, acc, member ? t->parts[i] : t->elem, next);
    }
}

/* Computes all values before the first store, since each value may depend on the whole
 * accumulator. */
static void store_leaves(struct gen *g, const struct accumulator *acc, lift_expr e,
                         lift_env env)
{
    kx values[MOST_SCALARS];

    for (int i = 0; i < acc->leaf_count; i++)
        values[i] = cg_variable(g, "next", cg_read(g, e, env, acc->leaves[i].path));
    for (int i = 0; i < acc->leaf_count; i++)
        cg_store(g, values[i], acc->leaves[i].dest);
}

static void declare_leaves(struct gen *g, lift_expr e, lift_env env,
                           struct accumulator *acc)
{
    const struct mem *mem = cg_mem(g, e->type, KSPACE_PRIVATE, cg_name(g, "acc"));

    acc->value = (struct lift_bound){.kind = LIFT_BOUND_MEM, .mem = mem};
    add_leaves(g, acc, e->type, (struct leaf){NULL, lift_dest_mem(g->arena, mem)});
    if (acc->too_large) {
        cg_fail(g, lift_type_base(e->type),
                "'%s' with an accumulator of more than %d scalars",
                lift_prim_info(e->op)->name, MOST_SCALARS);
        return;
    }
    cg_declare(g, mem);
    store_leaves(g, acc, lift_expr_arg(e, 1), env);
}

/* ---- reductions */

static void declare(struct gen *g, lift_expr e, lift_env env, struct accumulator *acc)
{
    const char *name;
    kx first;

    if (!lift_type_is_value(e->type)) {
        declare_leaves(g, e, env, acc);
        return;
    }
    first = cg_read(g, lift_expr_arg(e, 1), env, NULL);
    name = cg_name(g, "acc");
    cg_emit(g, ks_decl(g->arena, name, first));
    acc->value = lift_walk_known(kx_var(g->ir, name, e->type));
}

/* acc = f(acc, xs[index]) */
static void accumulate(struct gen *g, lift_expr e, lift_env env,
                       const struct accumulator *acc, lift_nat index)
{
    lift_expr f = lift_expr_arg(e, 0), body = f->u.lambda.body;
    lift_env inner = lift_walk_element(&g->walker, lift_expr_arg(e, 2), env, index, f,
                                       lift_walk_bind(&g->walker, env, acc->value));

    if (acc->value.kind == LIFT_BOUND_KNOWN)
        cg_emit(g, ks_assign(g->arena, ((kx)acc->value.known)->name,
                             cg_read(g, body, inner, NULL)));
    else
        store_leaves(g, acc, body, inner);
}

struct lift_bound cg_reduced(struct gen *g, lift_expr e, lift_env env)
{
    const struct lift_bound *known = cg_remembered(g, e, env);
    int64_t n = cg_const(g, lift_expr_arg(e, 2)->type->len, "the length of a reduction");
    struct accumulator acc = {.leaf_count = 0};
    struct scope scope;

    if (known)
        return *known;
    if (e->op == LIFT_REDUCE_UNROLL && n > MOST_UNROLLED)
        cg_fail(g, lift_type_base(e->type), "'reduceUnroll' of %lld elements",
                (long long)n);
    cg_prepare(g, lift_expr_arg(e, 2), env);
    declare(g, e, env, &acc);
    for (int64_t i = 0; e->op == LIFT_REDUCE_UNROLL && i < n && !g->failed; i++)
        accumulate(g, e, env, &acc, lift_nat_const(g->nats, i));
    if (e->op == LIFT_REDUCE_SEQ && n > 0) {
        scope = cg_enter(g, g->block);
        accumulate(g, e, env, &acc, cg_open_loop(g, KLOOP_SEQ, 0, n));
        cg_leave(g, scope);
    }
    cg_remember(g, e, env, acc.value);
    return acc.value;
}
