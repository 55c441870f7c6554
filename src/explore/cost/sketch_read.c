/* Reading for a sketch: values, and the reads that cost time. */
#include "base/bug.h"
#include "explore/cost/sketch_t.h"
#include "explore/explore_ops.h"
#include <math.h>

enum { SHORT_REDUCTION = 16 }; /* compilers unroll shorter reductions */
enum { MOST_ITERATIONS = 64 };

/* ---- values */

static bool is_known(sx a)
{
    return a && a->depth >= 0;
}

static sx test(struct drawer *d, double chance)
{
    struct sketch_index *x =
        lift_arena_alloc(d->arena, offsetof(struct sketch_index, by));

    x->base = chance;
    x->from = NULL;
    x->depth = -1;
    return x;
}

/* The probability that a test holds; -1: unknown. */
static double chance_of(sx a)
{
    return a && a->depth < 0 ? a->base : -1;
}

static const void *literal(void *user, lift_expr e)
{
    return sk_const(user, e->type->scalar == LIFT_I32 || e->type->scalar == LIFT_BOOL
                              ? (double)e->u.integer
                              : e->u.number);
}

static const void *as_index(void *user, const void *value, lift_nat n)
{
    struct drawer *d = user;

    (void)n;
    return is_known(value) ? value
                           : sk_from(d, sk_const(d, 0),
                                     (struct sketch_origin){.kind = SKETCH_UNKNOWN});
}

static int64_t count(void *user, lift_nat iterations)
{
    struct drawer *d = user;
    double m = sk_number(d, iterations);

    d->failed |= d->places && m > MOST_ITERATIONS;
    return (int64_t)fmin(m, MOST_ITERATIONS);
}

/* Drops a comparison of indices that their ranges decide. */
static sx compare(struct drawer *d, lift_expr e, sx a, sx b)
{
    sx off = sk_linear(d, b, 1, a, -1);
    double lo, hi;

    sk_known_range(d, off, &lo, &hi);
    if (e->op == LIFT_LT && (lo > 0 || hi <= 0))
        return sk_const(d, lo > 0);
    if (e->op == LIFT_LE && (lo >= 0 || hi < 0))
        return sk_const(d, lo >= 0);
    if (e->op == LIFT_EQ && (lo > 0 || hi < 0))
        return sk_const(d, 0);
    sk_tests(d, off, 1);
    return e->op == LIFT_EQ || hi <= lo ? NULL
                                        : test(d, fmin(1, fmax(0, hi / (hi - lo))));
}

static bool is_number(sx a)
{
    for (int i = 0; i < a->depth; i++)
        if (a->by[i])
            return false;
    return true;
}

/* Folds integers to a linear function. Others become a number without a value: compilers
 * know the number. */
static sx fold(struct drawer *d, lift_expr e, const void *const *args)
{
    sx quotient, rest, a = args[0], b = e->arg_count > 1 ? args[1] : a;

    LIFT_ASSERT(a && b);
    switch (e->op) {
    case LIFT_ADD:
    case LIFT_SUB:
        return sk_linear(d, a, 1, b, e->op == LIFT_ADD ? 1 : -1);
    case LIFT_MUL:
        return is_number(b)   ? sk_linear(d, a, b->base, b, 0)
               : is_number(a) ? sk_linear(d, b, a->base, a, 0)
                              : NULL;
    case LIFT_DIV:
    case LIFT_MOD:
        if (!is_number(b) || b->base < 1 || e->type->scalar != LIFT_I32)
            return a;
        sk_divide(d, a, b->base, &quotient, &rest);
        return e->op == LIFT_DIV ? quotient : rest;
    case LIFT_LT:
    case LIFT_LE:
    case LIFT_EQ:
        return compare(d, e, a, b);
    case LIFT_SELECT:
        return is_number(a) ? args[a->base != 0 ? 1 : 2] : NULL;
    case LIFT_USER_FUN:
        return NULL;
    default:
        return d->places && e->type->scalar == LIFT_I32 && e->op != LIFT_TO_I32
                   ? sk_from(d, a, (struct sketch_origin){.kind = SKETCH_ROUNDED})
                   : a;
    }
}

/* The operations of a scalar function of data. 'predicate': a function of indices. */
static double ops_of(const struct drawer *d, lift_expr e, bool predicate)
{
    const struct sketch_request *r = d->request;
    bool adds = e->op == LIFT_ADD || e->op == LIFT_SUB;

    if (!r->gpu)
        return lift_op_weight(e->op);
    if (predicate || (adds && (lift_expr_is(lift_expr_arg(e, 0), LIFT_MUL) ||
                               lift_expr_is(lift_expr_arg(e, 1), LIFT_MUL))))
        return 0;
    return lift_op_weight(e->op) * (e->type->scalar == LIFT_F64 ? r->f64_ops : 1);
}

static const void *scalar(void *user, lift_expr e, const void *const *args)
{
    struct drawer *d = user;
    int lanes = e->type->kind == LIFT_TYPE_VECTOR ? e->type->count : 1;
    bool all = e->arg_count > 0;
    double chance = e->op == LIFT_AND ? 1 : -1;
    sx value = NULL;

    for (int i = 0; i < e->arg_count; i++) {
        double own = chance_of(args[i]);

        all = all && is_known(args[i]);
        chance = chance < 0 || own < 0 ? -1 : chance * own;
    }
    if (all)
        value = fold(d, e, args);
    else if (chance >= 0)
        value = test(d, chance);
    if (!is_known(value) && e->op != LIFT_SPLAT)
        sk_ops(d, ops_of(d, e, all || chance >= 0), lanes);
    return value;
}

/* ---- elements in memory */

/* True if the index of an element of the window is a number when the code is written. */
static bool is_fixed(const struct drawer *d, sx index)
{
    const struct sketch_loop *l = &d->out->loops[d->loop];

    for (; l->parent >= 0; l = &d->out->loops[l->parent])
        if (l->depth < index->depth && index->by[l->depth] && l->kind != SKETCH_UNROLL &&
            l->kind != SKETCH_LANES)
            return false;
    return true;
}

static sx read_window(struct drawer *d, const struct sketch_window *w, lift_access path)
{
    sx k = lift_walk_pop(&d->walker, &path), known;
    int kept = d->kept;

    d->kept = w->depth >= 0 && is_fixed(d, k) ? w->depth : kept;
    known = sk_read(d, w->xs, w->env, sk_index(d, sk_linear(d, w->first, 1, k, 1), path));
    d->kept = kept;
    return known;
}

static const void *load(void *user, const struct lift_bound *v, lift_access path)
{
    struct drawer *d = user;
    const struct sketch_mem *mem = v->mem;

    if (v->kind == LIFT_BOUND_WINDOW)
        return read_window(d, v->window, path);
    if (mem->ring) {
        struct sketch_ring *r = mem->ring;
        sx index = lift_walk_pop(&d->walker, &path);
        double lo, hi;

        sk_range(d, sk_linear(d, index, 1, r->window->first, -1), &lo, &hi);
        r->lo = fmin(r->lo, lo + r->before);
        r->hi = fmax(r->hi, hi + r->before);
    }
    if (!d->failed)
        sk_access(d, mem, lift_access_append(d->arena, v->at, path), false);
    return NULL;
}

static const void *input(void *user, lift_expr e, lift_access path)
{
    const struct sketch_mem *mem = sk_input(user, e);

    if (mem)
        sk_access(user, mem, path, false);
    return NULL;
}

/* ---- primitives */

static const void *r_map(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    const struct lift_bound *stored = sk_remembered(d, e, env);

    return stored ? lift_walk_bound(&d->walker, stored, path)
                  : sk_computed(d, e, env, path);
}

/* Pads of all kinds and inset: reads the interior, with the predicates for the boundary.
 * If the pad's values do not matter, only reads outside the buffer are redirected. */
static const void *r_pad(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    int slot = e->arg_count - 1;
    lift_expr inside = lift_expr_arg(e, slot);
    double n = sk_number(d, inside->type->len), lo, hi, beyond;
    sx j = lift_view_index(&d->walker.indices, e, slot, lift_walk_pop(&d->walker, &path));
    bool any = e->op == LIFT_PAD && e->u.prim.attrs.pad.kind == LIFT_PAD_ANY;

    d->out->halo |= e->op == LIFT_PAD_STORED;
    if (e->op != LIFT_PAD_STORED) {
        sk_known_range(d, j, &lo, &hi);
        beyond = (lo < 0) + (hi >= n);
        if (!any)
            sk_tests(d, j, beyond);
        if (e->op == LIFT_PAD)
            sk_edges(d, j, beyond, !any);
    }
    return sk_read(d, inside, env, sk_index(d, j, path));
}

static const void *r_inset(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;

    return e->op == LIFT_INSET ? r_pad(d, e, env, path)
                               : lift_walk_view(&d->walker, e, env, path);
}

/* Reads the part in the middle of the range. */
static const void *r_concat(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    sx i = lift_walk_pop(&d->walker, &path);
    double lo, hi, at, before = 0;
    int part = 0;

    sk_range(d, i, &lo, &hi);
    at = floor((lo + hi) / 2);
    for (; part + 1 < e->arg_count; part++) {
        double n = sk_number(d, lift_expr_arg(e, part)->type->len);

        if (at < before + n)
            break;
        before += n;
    }
    sk_ops(d, lo < hi, 1);
    return sk_read(d, lift_expr_arg(e, part), env,
                   sk_index(d, lift_view_index(&d->walker.indices, e, part, i), path));
}

/* Reads both sides, each by the share of points that takes it. */
static const void *r_select(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    sx cond = sk_read(d, lift_expr_arg(e, 0), env, NULL);
    double share = d->share, chance = d->once ? chance_of(cond) : -1;

    if (is_known(cond) && is_number(cond))
        return sk_read(d, lift_expr_arg(e, cond->base != 0 ? 1 : 2), env, path);
    for (int i = 0; i < 2; i++) {
        d->share = chance < 0 ? share : share * (i == 0 ? chance : 1 - chance);
        sk_read(d, lift_expr_arg(e, 1 + i), env, path);
    }
    d->share = share;
    sk_ops(d, 1, 1);
    return NULL;
}

/* Ignores the few elements that an 'inject' adds. */
static const void *r_inject(void *user, lift_expr e, lift_env env, lift_access path)
{
    return lift_walk_view(&((struct drawer *)user)->walker, e, env, path);
}

static const void *r_windows(void *user, lift_expr e, lift_env env, lift_access path)
{
    (void)e, (void)env, (void)path;
    ((struct drawer *)user)->failed = true;
    return NULL;
}

static const void *r_vector(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    int loop = d->loop;
    sx i = lift_walk_pop(&d->walker, &path);
    sx lane = path && path->index ? lift_walk_pop(&d->walker, &path)
                                  : sk_open(d, SKETCH_LANES, 0, e->type->elem->count);

    lift_walk_view(&d->walker, e, env, sk_index(d, i, sk_index(d, lane, NULL)));
    d->loop = loop;
    return NULL;
}

static const void *r_reduce(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    const struct lift_walker *w = &d->walker;
    int loop = d->loop;
    double n = sk_number(d, lift_expr_arg(e, 2)->type->len);
    bool straight = e->op == LIFT_REDUCE_UNROLL || n <= SHORT_REDUCTION;
    lift_expr f = lift_expr_arg(e, 0);
    lift_env inner;
    sx i;

    d->failed |= e->op == LIFT_REDUCE;
    if (d->failed || (path && sk_remembered(d, e, env)))
        return NULL;
    sk_prepare(d, lift_expr_arg(e, 2), env);
    lift_walk_all(w, lift_expr_arg(e, 1), env, e->type, NULL, sk_const(d, 0));
    if (n > 1 && straight && e->op != LIFT_REDUCE_UNROLL)
        sk_rolled(d);
    i = sk_open(d, straight ? SKETCH_UNROLL : SKETCH_REDUCE, 0, n);
    inner = lift_walk_element(w, lift_expr_arg(e, 2), env, i, f,
                              lift_walk_bind(w, env, lift_walk_known(NULL)));
    lift_walk_all(w, f->u.lambda.body, inner, e->type, NULL, sk_const(d, 0));
    d->loop = loop;
    if (path)
        sk_remember(d, e, env, &(struct lift_bound){.kind = LIFT_BOUND_KNOWN});
    return NULL;
}

/* Scalars are computed once in an environment. */
const void *sk_read(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    bool scalar = e->kind == LIFT_EXPR_PRIM && !path && lift_type_is_value(e->type);
    const struct lift_bound *known = scalar ? sk_remembered(d, e, env) : NULL;
    sx value;

    d->failed |= d->places && d->places->left-- <= 0;
    if (d->failed)
        return NULL;
    if (known && known->kind == LIFT_BOUND_KNOWN)
        return known->known;
    value = lift_walk_find(&d->walker, e, env, path);
    if (scalar && !known)
        sk_remember(d, e, env,
                    &(struct lift_bound){.kind = LIFT_BOUND_KNOWN, .known = value});
    return value;
}

const struct lift_walk_ops sk_cost_ops = {
    .read = sk_read,
    .input = input,
    .literal = literal,
    .scalar = scalar,
    .as_index = as_index,
    .load = load,
    .count = count,
    .prepare = sk_prepare,
    .remembered = sk_remembered,
    .remember = sk_remember,
    .own =
        {
            [LIFT_WALK_MAP] = r_map,
            [LIFT_WALK_PAD] = r_pad,
            [LIFT_WALK_PAD_VALUE] = r_pad,
            [LIFT_WALK_PAD_STORED] = r_pad,
            [LIFT_WALK_INSET] = r_inset,
            [LIFT_WALK_CONCAT] = r_concat,
            [LIFT_WALK_SELECT] = r_select,
            [LIFT_WALK_INJECT] = r_inject,
            [LIFT_WALK_WINDOWS] = r_windows,
            [LIFT_WALK_VECTOR] = r_vector,
            [LIFT_WALK_REDUCE] = r_reduce,
        },
};
