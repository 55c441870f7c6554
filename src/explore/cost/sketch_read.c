/* Reading for a sketch: a function for each of LIFT_WALKS, as in src/codegen/read.c. */
#include "base/bug.h"
#include "explore/cost/sketch_t.h"
#include "explore/explore_ops.h"
#include <math.h>

enum { SHORT_REDUCTION = 16 }; /* compilers make straight-line code of those */

/* ---- primitives */

static sx r_map(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    const struct sketch_value *stored = sk_remembered(env, e);
    struct sketch_value x = {
        .kind = SVALUE_EXPR, .expr = lift_expr_arg(e, 1), .env = env};

    if (stored)
        return sk_read_value(d, stored, path);
    x.at = sk_index(d, sk_pop(d, &path), NULL);
    return sk_computed(d, lift_expr_arg(e, 0), sk_bind(d, env, x), path);
}

static sx r_iterate(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    double m = sk_number(d, e->u.prim.nats[0]);
    enum { MOST = 64 };
    struct sketch_value x = {
        .kind = SVALUE_EXPR, .expr = lift_expr_arg(e, 1), .env = env};

    d->failed |= d->places && m > MOST;
    for (double i = 0; i < m && i < MOST; i++)
        x = (struct sketch_value){.kind = SVALUE_EXPR,
                                  .expr = lift_expr_arg(e, 0)->u.lambda.body,
                                  .env = sk_bind(d, env, x)};
    return sk_read_value(d, &x, path);
}

static sx r_let(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    const struct sketch_value *known = sk_remembered(env, e);
    struct sketch_value v;

    if (known)
        return sk_read_value(d, known, path);
    v = (struct sketch_value){.kind = SVALUE_EXPR,
                              .expr = lift_expr_arg(e, 1)->u.lambda.body,
                              .env =
                                  sk_bind(d, env, sk_value(d, lift_expr_arg(e, 0), env))};
    sk_remember(d, env, e, v);
    return sk_read_value(d, &v, path);
}

static sx r_view(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    int slot = lift_view_argument(e->op, path);

    return sk_read(d, lift_expr_arg(e, slot), env,
                   lift_view_read(&d->indices, e, slot, path));
}

/* pads of all kinds and inset: the interior, with the tests that tell it from the rest.
 * Of a pad whose values do not matter, only what leaves the buffer is read elsewhere.
 */
static sx r_pad(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    int slot = e->arg_count - 1;
    lift_expr inside = lift_expr_arg(e, slot);
    double n = sk_number(d, inside->type->len), lo, hi, beyond;
    sx i = sk_pop(d, &path), j = lift_view_index(&d->indices, e, slot, i);
    bool any = e->op == LIFT_PAD && e->u.prim.attrs[0] == LIFT_PAD_ANY;

    if (d->places) {
        sk_border_places(d, e, env, i, path);
        if (e->op != LIFT_INSET)
            j = sk_from(d, j,
                        (struct sketch_origin){.kind = SKETCH_PAD,
                                               .pad = e,
                                               .before = sk_number(d, e->u.prim.nats[0]),
                                               .after = sk_number(d, e->u.prim.nats[1])});
        return sk_read(d, inside, env, sk_index(d, j, path));
    }
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

static sx r_pad_value(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    return r_pad(d, e, env, path);
}

static sx r_pad_stored(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    return r_pad(d, e, env, path);
}

static sx r_inset(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    return e->op == LIFT_INSET ? r_pad(d, e, env, path) : r_view(d, e, env, path);
}

/* The part in the middle of the range. */
static sx r_concat(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    sx i;
    double lo, hi, at, before = 0;
    int part = 0;

    if (d->places) {
        sk_concat_places(d, e, env, path);
        return NULL;
    }
    i = sk_pop(d, &path);
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
                   sk_index(d, lift_view_index(&d->indices, e, part, i), path));
}

static sx r_array(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    sx i = sk_pop(d, &path);

    return sk_read(d, lift_expr_arg(e, 0)->u.lambda.body,
                   sk_bind(d, env, sk_number_value(i)), path);
}

static sx r_reorder(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    senv inner = sk_bind(d, env, sk_number_value(sk_pop(d, &path)));
    sx at = sk_read(d, lift_expr_arg(e, 0)->u.lambda.body, inner, NULL);

    if (!at)
        at = sk_from(d, sk_const(d, 0), (struct sketch_origin){.kind = SKETCH_UNKNOWN});
    return sk_read(d, lift_expr_arg(e, 1), env, sk_index(d, at, path));
}

static sx r_devices(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    return (void)e, (void)env, (void)path, sk_const(d, 0);
}

static sx r_inject(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    sk_added(d, e, env);
    return r_view(d, e, env, path);
}

/* Where nothing has stored it, it is read where it came from. */
static sx r_stored(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    const struct sketch_value *stored = sk_remembered(env, e);

    return stored ? sk_read_value(d, stored, path)
                  : sk_read(d, lift_expr_arg(e, 0), env, path);
}

static sx r_vector(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    int loop = d->loop;
    sx i = sk_pop(d, &path), lane = path && path->index ? sk_pop(d, &path) : NULL;

    if (!lane)
        lane = sk_open(d, SKETCH_LANES, 0, e->type->elem->count);
    r_view(d, e, env, sk_index(d, i, sk_index(d, lane, NULL)));
    d->loop = loop;
    return NULL;
}

static sx r_lane(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    return r_view(d, e, env, path);
}

static sx r_windows(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    return sk_slide_places(d, e, env, path);
}

/* All scalars of which an accumulator consists; of an array the first element. */
static void read_all(struct drawer *d, lift_expr e, senv env, lift_type t,
                     lift_access path)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        read_all(d, e, env, t->elem,
                 lift_access_append(d->arena, path, sk_index(d, sk_const(d, 0), NULL)));
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        read_all(d, e, env, t->parts[i],
                 lift_access_append(d->arena, path, sk_member(d, i, NULL)));
    if (lift_type_is_value(t))
        sk_read(d, e, env, path);
}

static sx r_reduce(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    int loop = d->loop;
    double n = sk_number(d, lift_expr_arg(e, 2)->type->len);
    bool straight = e->op == LIFT_REDUCE_UNROLL || n <= SHORT_REDUCTION;
    lift_expr f = lift_expr_arg(e, 0);
    senv inner;
    sx i;

    if (d->places) {
        sk_reduce_places(d, e, env, path);
        return NULL;
    }
    if (path && sk_remembered(env, e))
        return NULL;
    sk_prepare(d, lift_expr_arg(e, 2), env);
    read_all(d, lift_expr_arg(e, 1), env, e->type, NULL);
    if (n > 1 && straight && e->op != LIFT_REDUCE_UNROLL)
        sk_rolled(d);
    i = sk_open(d, straight ? SKETCH_UNROLL : SKETCH_REDUCE, 0, n);
    inner = sk_bind(d, sk_bind(d, env, sk_number_value(NULL)),
                    sk_element(d, lift_expr_arg(e, 2), env, i, f));
    read_all(d, f->u.lambda.body, inner, e->type, NULL);
    d->loop = loop;
    if (path)
        sk_remember(d, env, e, sk_number_value(NULL));
    return NULL;
}

/* ---- scalars */

static sx r_nat(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    (void)env, (void)path;
    return sk_const(d, sk_number(d, e->u.prim.nats[0]));
}

/* A comparison of indices that their ranges decide is none. */
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
    d->chance = e->op == LIFT_EQ || hi <= lo ? -1 : fmin(1, fmax(0, hi / (hi - lo)));
    return NULL;
}

static bool is_number(sx a)
{
    for (int i = 0; i < a->depth; i++)
        if (a->by[i])
            return false;
    return true;
}

/* Integers: the linear function. Others: some number, which only says that compilers know
 * it. */
static sx fold(struct drawer *d, lift_expr e, const sx *args)
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

static sx r_scalar(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    int lanes = e->type->kind == LIFT_TYPE_VECTOR ? e->type->count : 1;
    sx args[LIFT_MAX_ARGS] = {NULL}, known = NULL;
    bool all = true;
    double chance = e->op == LIFT_AND ? 1 : -1;

    (void)path;
    for (int i = 0; i < e->arg_count; i++) {
        args[i] = sk_read(d, lift_expr_arg(e, i), env, NULL);
        all = all && args[i];
        chance = chance < 0 || d->chance < 0 ? -1 : chance * d->chance;
    }
    d->chance = chance;
    if (all && e->arg_count)
        known = fold(d, e, args);
    if (!known && e->op != LIFT_SPLAT)
        sk_ops(d, lift_op_weight(e->op), lanes);
    return known;
}

static sx r_select(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    sx cond = sk_read(d, lift_expr_arg(e, 0), env, NULL);
    double share = d->share, chance;

    if (cond && is_number(cond))
        return sk_read(d, lift_expr_arg(e, cond->base != 0 ? 1 : 2), env, path);
    chance = d->once ? d->chance : -1;
    for (int i = 0; i < 2; i++) {
        d->share = chance < 0 ? share : share * (i == 0 ? chance : 1 - chance);
        sk_read(d, lift_expr_arg(e, 1 + i), env, path);
    }
    d->share = share;
    d->chance = -1;
    sk_ops(d, 1, 1);
    return NULL;
}

typedef sx reader(struct drawer *d, lift_expr e, senv env, lift_access path);

static reader *const readers[] = {
#define WALK(word, name, view) [LIFT_WALK_##word] = r_##name,
    LIFT_WALKS(WALK)
#undef WALK
};

/* Scalars are computed once in an environment. */
static sx read_prim(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    bool scalar = !path && lift_type_is_value(e->type);
    const struct sketch_value *known = scalar ? sk_remembered(env, e) : NULL;
    sx value;

    if (known && known->kind == SVALUE_SCALAR) {
        d->chance = known->chance;
        return known->known;
    }
    d->chance = -1;
    if (!d->places && (e->op == LIFT_REDUCE || e->op == LIFT_MAP_SEQ_SLIDE))
        d->failed = true;
    if (d->failed)
        return NULL;
    value = readers[lift_walk_of(e->op)](d, e, env, path);
    if (scalar && !known)
        sk_remember(d, env, e, sk_scalar_value(d, value));
    return value;
}

static sx read_free(struct drawer *d, lift_expr e, lift_access path)
{
    const struct explore_problem *p = d->request->problem;

    for (int i = 0; i < p->input_count; i++)
        if (p->inputs[i] == e)
            sk_access(d, &d->inputs[i], path, false);
    return NULL;
}

sx sk_read(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    d->failed |= d->places && d->places->left-- <= 0;
    if (d->failed)
        return NULL;
    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        for (int i = e->u.index; i--;)
            env = (senv)env->next;
        return sk_read_value(d, &env->value, path);
    case LIFT_EXPR_FREE:
        return read_free(d, e, path);
    case LIFT_EXPR_LIT:
        return sk_const(d, e->type->scalar == LIFT_I32 || e->type->scalar == LIFT_BOOL
                               ? (double)e->u.integer
                               : e->u.number);
    case LIFT_EXPR_PRIM:
        return read_prim(d, e, env, path);
    case LIFT_EXPR_LAMBDA:
        break;
    }
    LIFT_BUG("a function is read");
}
