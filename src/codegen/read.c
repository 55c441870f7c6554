/* Reads values: a walk (ir/walk.h) whose values are expressions. */
#include "base/bug.h"
#include "codegen/gen.h"
#include "ir/halo.h"

static kx read_arg(struct gen *g, lift_expr e, int slot, lift_env env, lift_access path)
{
    return cg_read(g, lift_expr_arg(e, slot), env, path);
}

static lift_nat pop(struct gen *g, lift_access *path)
{
    return lift_walk_pop(&g->walker, path);
}

static const void *r_pad(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    lift_nat j = lift_view_index(&g->walker.indices, e, 0, pop(g, &path));
    lift_nat n = lift_expr_arg(e, 0)->type->len, last = lift_nat_add_const(n, -1);

    if (e->u.prim.attrs.pad.kind == LIFT_PAD_ANY && g->wishes && g->wishes->zeroes)
        return read_arg(g, e, 0, env, cg_index(g, j, path));
    if (e->u.prim.attrs.pad.kind == LIFT_PAD_ANY && !cg_is_inside(g, j, last))
        return cg_read_any(g, lift_expr_arg(e, 0), env, j, path);
    if (!cg_holds_or_wished(g, j) || !cg_holds_or_wished(g, lift_nat_sub(last, j)))
        j = cg_by_facts(g, cg_reindex(e->u.prim.attrs.pad.kind, j, n));
    return read_arg(g, e, 0, env, cg_index(g, j, path));
}

/* Reads a padValue at position 'j' of its array. */
static kx read_padded(struct gen *g, lift_expr e, lift_env env, lift_nat j,
                      lift_access path)
{
    lift_nat n = lift_expr_arg(e, 1)->type->len;
    lift_env both = lift_walk_bind(
        &g->walker, lift_walk_bind(&g->walker, env, lift_walk_known(kx_nat(g->ir, j))),
        lift_walk_known(kx_nat(g->ir, n)));
    struct side in = {lift_expr_arg(e, 1), env, path, j, cg_clamp_to(g, j, n)};
    struct side out = {lift_expr_arg(e, 0)->u.lambda.body, both, path, NULL, NULL};

    return cg_choose(g, j, n, &in, &out);
}

bool cg_is_zero(lift_expr value)
{
    lift_expr fill = lift_halo_fill(value);

    if (!fill || fill->kind != LIFT_EXPR_LIT)
        return false;
    return lift_scalar_is_real(fill->type->scalar) ? kx_same_number(fill->u.number, 0)
                                                   : fill->u.integer == 0;
}

/* Notes position 'j' and returns true if a position outside 0 .. n - 1 may count as an
 * element that is zero. */
static bool reads_zero(struct gen *g, lift_expr value, lift_nat j, lift_nat n)
{
    struct edges *z = g->wishes ? g->wishes->zeroes : NULL;

    if (!z || z->count == CG_EDGES || !cg_is_zero(value) ||
        cg_is_inside(g, j, lift_nat_add_const(n, -1)))
        return false;
    z->at[z->count] = j;
    z->length[z->count++] = n;
    return true;
}

static const void *r_pad_value(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    lift_nat j = lift_view_index(&g->walker.indices, e, 1, pop(g, &path));
    lift_nat n = lift_expr_arg(e, 1)->type->len;

    if (reads_zero(g, lift_expr_arg(e, 0)->u.lambda.body, j, n))
        return read_arg(g, e, 1, env, cg_index(g, j, path));
    return read_padded(g, e, env, j, path);
}

static const void *r_inset(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    lift_nat i, j, n = lift_expr_arg(e, 1)->type->len;
    struct side in, out;

    if (e->op == LIFT_INSET_BOX)
        return cg_read_box(g, e, env, path);
    i = pop(g, &path);
    j = lift_view_index(&g->walker.indices, e, 1, i);
    in = (struct side){lift_expr_arg(e, 1), env, path, j, cg_clamp_to(g, j, n)};
    out = (struct side){lift_expr_arg(e, 0), env, path, i, i};
    return cg_choose(g, j, n, &in, &out);
}

/* Reads the parts of a concat from 'part' on. */
static kx read_parts(struct gen *g, lift_expr e, int part, lift_env env, lift_nat i,
                     lift_access path)
{
    lift_nat at = lift_view_index(&g->walker.indices, e, part, i),
             n = lift_expr_arg(e, part)->type->len;
    lift_nat facts[1] = {lift_nat_sub(lift_nat_add_const(n, -1), at)};
    struct side here = {lift_expr_arg(e, part), env, path, at, cg_clamp_to(g, at, n)};
    kx cond = part + 1 == e->arg_count ? kx_bool(g->ir, true)
                                       : kx_ge0(g->ir, facts[0], g->facts, g->fact_count);

    if (kx_is_bool(cond, true))
        return cg_read_side(g, &here, facts, 1);
    if (kx_is_bool(cond, false))
        return read_parts(g, e, part + 1, env, i, path);
    return kx_select(g->ir, cond, cg_read_side(g, &here, facts, 1),
                     read_parts(g, e, part + 1, env, i, path));
}

static const void *r_concat(void *g, lift_expr e, lift_env env, lift_access path)
{
    lift_nat i = pop(g, &path);

    return read_parts(g, e, 0, env, i, path);
}

lift_nat cg_as_index(struct gen *g, kx x, int64_t n)
{
    lift_nat index;

    if (x->kind == KX_NAT)
        return cg_by_facts(g, x->nat);
    index = cg_index_var(g, "at", n);
    cg_emit(g, ks_decl(g->arena, lift_nat_is_var(index, NULL), x));
    return index;
}

static const void *r_inject(void *g, lift_expr e, lift_env env, lift_access path)
{
    return cg_read_injected(g, e, env, path);
}

static const void *r_windows(void *g, lift_expr e, lift_env env, lift_access path)
{
    (void)env, (void)path;
    return cg_fail(g, lift_type_base(e->type), "'%s' is read as a view",
                   lift_prim_info(e->op)->name);
}

/* A scalar in a register becomes a variable at its first read. */
static const void *r_stored(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    const struct lift_bound *m = cg_remembered(g, e, env);

    if (!m && cg_reads_through(g, e))
        return read_arg(g, e, 0, env, path);
    if (!m && e->op == LIFT_TO_PRIVATE && lift_type_is_value(e->type)) {
        cg_remember(g, e, env,
                    lift_walk_value(&g->walker, "reg", lift_expr_arg(e, 0), env));
        m = cg_remembered(g, e, env);
    }
    if (!m)
        return cg_fail(g, lift_access_type(e->type, path),
                       "'%s' where no loop can store it", lift_prim_info(e->op)->name);
    return lift_walk_bound(&g->walker, m, path);
}

/* Vector 'i' of a split array. Lanes at consecutive addresses become one load. */
static kx gather(struct gen *g, lift_expr e, lift_env env, lift_nat i)
{
    lift_type type = e->type->elem;
    kx lanes[64] = {NULL};
    bool row = true;

    LIFT_ASSERT(type->count >= 1 && type->count <= 64);
    for (int l = 0; l < type->count; l++) {
        lift_access lane = cg_index(g, lift_nat_const(g->nats, l), NULL);

        lanes[l] = lift_walk_view(&g->walker, e, env, cg_index(g, i, lane));
        row = row && lanes[l]->kind == KX_LOAD &&
              lanes[l]->load.buffer == lanes[0]->load.buffer &&
              lanes[l]->load.at == lift_nat_add_const(lanes[0]->load.at, l);
    }
    return row ? kx_load(g->ir, lanes[0]->load.buffer, lanes[0]->load.at, type)
               : kx_lanes(g->ir, type, lanes, type->count);
}

/* The condition that all wishes hold. */
static kx wishes_hold(struct gen *g, struct wishes *w)
{
    kx all = kx_bool(g->ir, w->count < CG_WISHES);

    cg_drop_implied(g, w->items, w->count);
    for (int i = 0; i < w->count; i++)
        all = kx_and(g->ir, all, kx_ge0(g->ir, w->items[i], g->facts, g->fact_count));
    return all;
}

/* A vector load for an asynchronous copy. Sets g->wanted to the condition under which the
 * lanes have a meaning; elsewhere the copy is not needed. NULL if the vector is not one
 * load, or needs no condition. */
static kx copied(struct gen *g, lift_expr e, lift_env env, lift_nat i)
{
    struct kblock trial = {0};
    struct wishes own = {.count = 0};
    struct scope scope = cg_enter(g, &trial);
    kx row;

    g->wishes = &own;
    row = gather(g, e, env, i);
    g->wishes = NULL;
    cg_leave(g, scope);
    if (trial.first || !kx_can_copy(row, row->type->scalar) || own.count == 0 ||
        own.of_any < own.count)
        return NULL;
    g->wanted = wishes_hold(g, &own);
    return row;
}

/* Reads a vector. If boundary checks may separate its lanes, the kernel tests at run time
 * whether one load suffices, and otherwise loads the lanes one by one. */
static const void *r_vector(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    lift_nat i = pop(g, &path);
    struct kblock trial = {0};
    struct wishes *outer = g->wishes, own = {.count = 0};
    kx plain = gather(g, e, env, i), row;
    struct scope scope;

    if (plain->kind == KX_LOAD && g->async && !outer && cg_in_shared_stream(g)) {
        row = copied(g, e, env, i);
        return row ? row : plain;
    }
    if (outer || plain->kind == KX_LOAD)
        return plain;
    scope = cg_enter(g, &trial);
    g->wishes = &own;
    row = gather(g, e, env, i);
    g->wishes = outer;
    cg_leave(g, scope);
    if (trial.first || row->kind != KX_LOAD || own.count == 0)
        return plain;
    return kx_select(g->ir, wishes_hold(g, &own), row, plain);
}

static const void *r_lane(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    lift_type type = lift_expr_arg(e, 0)->type->elem;
    lift_expr scalars = cg_scalars_under(e);
    int64_t lane;
    kx v;

    if (scalars)
        return cg_read(g, scalars, env, path);
    path = lift_view_read(&g->walker.indices, e, 0, path);
    v = read_arg(g, e, 0, env, cg_index(g, path->index, NULL));
    if (v->kind == KX_LOAD)
        return kx_load(g->ir, v->load.buffer, lift_nat_add(v->load.at, path->next->index),
                       lift_type_scalar(g->ir, type->scalar));
    if (lift_nat_is_const(path->next->index, &lane))
        return kx_lane(g->ir, v, (int)lane);
    return cg_fail(g, lift_type_scalar(g->ir, type->scalar),
                   "'asScalar' of a computed vector is read as a view");
}

/* Simplifies a comparison of indices by the facts. */
static kx compare(struct gen *g, enum lift_op op, kx a, kx b)
{
    lift_nat d = lift_nat_sub(b->nat, a->nat);
    kx c = cg_meant_ge0(g, op == LIFT_LT ? lift_nat_add_const(d, -1) : d);

    return c->kind == KX_BOOL
               ? c
               : kx_op(g->ir, op, lift_type_scalar(g->ir, LIFT_BOOL), (kx[]){a, b}, 2);
}

/* True for operators that every dialect has for its vector types. */
static bool works_on_vectors(enum lift_op op)
{
    return op == LIFT_ADD || op == LIFT_SUB || op == LIFT_MUL || op == LIFT_DIV ||
           op == LIFT_NEG || op == LIFT_SPLAT || op == LIFT_TO_F32 || op == LIFT_TO_F64 ||
           op == LIFT_TO_I32 || op == LIFT_TO_F16 || op == LIFT_TO_BF16;
}

static const void *scalar(void *user, lift_expr e, const void *const *values)
{
    struct gen *g = user;
    kx args[LIFT_MAX_ARGS] = {NULL};

    if (e->type->kind == LIFT_TYPE_VECTOR && !works_on_vectors(e->op))
        return cg_fail(g, e->type, "'%s' on vectors", lift_prim_info(e->op)->name);
    for (int i = 0; i < e->arg_count; i++)
        args[i] = values[i];
    if (e->op == LIFT_USER_FUN)
        return kx_user_fun(g->ir, e->u.prim.text, e->type, args, e->arg_count);
    if ((e->op == LIFT_LT || e->op == LIFT_LE) && e->arg_count == 2 &&
        args[0]->kind == KX_NAT && args[1]->kind == KX_NAT)
        return compare(g, e->op, args[0], args[1]);
    return kx_op(g->ir, e->op, e->type, args, e->arg_count);
}

/* Reads one alternative of a choice. With predicates=merged, g->arm tells the window that
 * only this alternative needs the element. */
static kx read_arm(struct gen *g, const struct side *side, int arm)
{
    int around = g->arm;
    kx x;

    g->arm = around || !g->block->style.tests_once ? around : arm;
    x = cg_read_side(g, side, NULL, 0);
    g->arm = around;
    return x;
}

static const void *r_select(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    kx cond = read_arg(g, e, 0, env, NULL);
    struct side sides[2] = {{lift_expr_arg(e, 1), env, path, NULL, NULL},
                            {lift_expr_arg(e, 2), env, path, NULL, NULL}};

    if (cond->kind == KX_BOOL)
        return cg_read_side(g, &sides[cond->truth ? 0 : 1], NULL, 0);
    return kx_select(g->ir, cond, read_arm(g, &sides[0], 1), read_arm(g, &sides[1], 2));
}

static const void *r_reduce(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct gen *g = user;
    struct lift_bound v;

    if (e->op == LIFT_REDUCE)
        return cg_fail(g, lift_access_type(e->type, path), "'reduce' was not lowered");
    v = cg_reduced(g, e, env);
    return lift_walk_bound(&g->walker, &v, path);
}

static const void *input(void *user, lift_expr e, lift_access path)
{
    struct gen *g = user;
    const struct lift_codegen_options *o = g->options;

    for (int i = 0; i < o->input_count; i++)
        if (o->inputs[i] == e)
            return cg_load(g, &g->inputs[i], path, lift_access_type(e->type, path));
    for (int i = 0; i < o->param_count; i++)
        if (o->params[i] == e)
            return kx_var(g->ir, g->binds[g->param_bind + i].name, e->type);
    return cg_fail(g, lift_access_type(e->type, path), "unknown variable '%s'",
                   e->u.name);
}

static const void *literal(void *user, lift_expr e)
{
    struct gen *g = user;

    if (e->type->scalar == LIFT_BOOL)
        return kx_bool(g->ir, e->u.integer);
    return e->type->scalar == LIFT_I32 ? kx_int(g->ir, e->u.integer)
                                       : kx_float(g->ir, e->type->scalar, e->u.number);
}

static const void *of_index(void *user, const void *index)
{
    return kx_nat(((struct gen *)user)->ir, index);
}

static const void *as_index(void *user, const void *x, lift_nat n)
{
    return cg_as_index(user, x, cg_const(user, n, "an array length"));
}

static const void *load(void *user, const struct lift_bound *v, lift_access path)
{
    struct gen *g = user;
    const struct mem *mem = v->mem;

    if (v->kind == LIFT_BOUND_WINDOW)
        return cg_read_window(g, v->window, path);
    path = lift_access_append(g->arena, v->at, path);
    return cg_load(g, mem, path, lift_access_type(mem->type, path));
}

static int64_t count(void *user, lift_nat n)
{
    return cg_const(user, n, "a number of iterations");
}

static void prepare(void *user, lift_expr e, lift_env env)
{
    cg_prepare(user, e, env);
}

static const void *variable(void *user, const char *hint, const void *value)
{
    return cg_variable(user, hint, value);
}

static const struct lift_bound *remembered(void *user, lift_expr e, lift_env env)
{
    return cg_remembered(user, e, env);
}

static void remember(void *user, lift_expr e, lift_env env,
                     const struct lift_bound *value)
{
    cg_remember(user, e, env, *value);
}

kx cg_read_here(struct gen *g, lift_expr e, lift_env env, lift_access path)
{
    return cg_may_read(g) ? lift_walk_find(&g->walker, e, env, path)
                          : cg_too_many_reads(g, lift_access_type(e->type, path));
}

kx cg_read(struct gen *g, lift_expr e, lift_env env, lift_access path)
{
    kx x;

    if (g->windows && path && path->index && cg_read_stream(g, e, env, path, &x))
        return x;
    return cg_read_here(g, e, env, path);
}

static const void *read(void *user, lift_expr e, lift_env env, lift_access path)
{
    return cg_read(user, e, env, path);
}

const struct lift_walk_ops cg_code_ops = {
    .read = read,
    .input = input,
    .literal = literal,
    .scalar = scalar,
    .of_index = of_index,
    .as_index = as_index,
    .load = load,
    .count = count,
    .prepare = prepare,
    .variable = variable,
    .remembered = remembered,
    .remember = remember,
    .own =
        {
            [LIFT_WALK_SELECT] = r_select,
            [LIFT_WALK_REDUCE] = r_reduce,
            [LIFT_WALK_WINDOWS] = r_windows,
            [LIFT_WALK_PAD] = r_pad,
            [LIFT_WALK_PAD_VALUE] = r_pad_value,
            [LIFT_WALK_INSET] = r_inset,
            [LIFT_WALK_CONCAT] = r_concat,
            [LIFT_WALK_INJECT] = r_inject,
            [LIFT_WALK_STORED] = r_stored,
            [LIFT_WALK_VECTOR] = r_vector,
            [LIFT_WALK_LANE] = r_lane,
        },
};
