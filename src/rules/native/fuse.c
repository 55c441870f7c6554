/* Rules for fusion and fission of maps, and for maps inside zips. */
#include "rules/native/natives.h"
#include "rules/nd.h"

enum { MANY = 1000 }; /* limit of counted occurrences */

/* Counts the evaluations of 'what', up to 2. An occurrence in a function counts as 2,
 * since the function may be applied many times. */
static int uses(lift_expr e, lift_expr what)
{
    int count = 0;

    if (e == what)
        return 1;
    if (e->kind == LIFT_EXPR_LAMBDA)
        return 2 * nd_count(e->u.lambda.body, what, 1);
    for (int i = 0; i < lift_expr_child_count(e) && count < 2; i++)
        count += uses(lift_expr_child(e, i), what);
    return count;
}

/* Returns f(value), with a let if f would compute the value twice. */
static lift_expr apply_once(struct lift_ir *ir, lift_expr f, lift_expr value)
{
    lift_expr z = lift_fresh(ir, "z", value->type);

    if (nd_is_view(value) || uses(lift_expr_apply(ir, f, &z), z) <= 1)
        return lift_expr_apply(ir, f, &value);
    return lift_let(ir, value, f);
}

/* map_n(f, map_n(g, x)) = map_n(f . g, x) */
void rule_fuse(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    int d = redex->numbers.dims;
    lift_expr f, g, xs, y;

    if (!nd_is_map(ir, d, redex->at, &f, &xs) || !nd_is_map(ir, d, xs, &g, &xs))
        return;
    y = lift_fresh(ir, "y", g->type->parts[0]);
    redex_emit(redex,
               lift_map_n(ir, d,
                          lift_fun(ir, apply_once(ir, f, lift_expr_apply(ir, g, &y)), y),
                          xs));
}

/* let(v, f) = f(v) if f(v) computes v at most once, or v is a view. A value in global
 * memory keeps its let, because each occurrence without the let would be stored. */
void rule_inline_once(struct rule_redex *redex)
{
    lift_expr value = redex->at->u.prim.args[0], f = redex->at->u.prim.args[1];
    lift_expr to =
        lift_expr_is(value, LIFT_TO_GLOBAL) ? redex->at : apply_once(redex->ir, f, value);

    if (to != redex->at)
        redex_emit(redex, to);
}

/* ---- fission */

struct fission {
    struct rule_redex *redex;
    lift_expr y, body, xs;
};

/* map(f, xs) = map(fun(z => body[z for s]), map(fun(y => s), xs)), if the new body does
 * not contain y. */
static void split_at(struct fission *x, lift_expr s)
{
    struct lift_ir *ir = x->redex->ir;
    lift_expr z = lift_fresh(ir, "z", s->type);
    lift_expr rest = nd_replace(ir, x->body, s, z);

    if (nd_count(rest, x->y, 1))
        return;
    redex_emit(x->redex, lift_map(ir, lift_fun(ir, rest, z),
                                  lift_map(ir, lift_fun(ir, s, x->y), x->xs)));
}

/* Splits at each subterm that uses y and no variable bound inside the body. */
static bool find_splits(void *fission, lift_expr e)
{
    struct fission *x = fission;

    if (e == x->y || !nd_count(e, x->y, 1))
        return false;
    if (e != x->body && e->loose == 0 && lift_type_is_data(e->type) &&
        x->redex->results->count < RULE_MAX_RESULTS)
        split_at(x, e);
    return true;
}

void rule_fission(struct rule_redex *redex)
{
    lift_expr f = redex->at->u.prim.args[0];
    struct fission x = {.redex = redex, .xs = redex->at->u.prim.args[1]};

    x.y = lift_fresh(redex->ir, "y", f->type->parts[0]);
    x.body = lift_expr_apply(redex->ir, f, &x.y);
    lift_expr_each(x.body, find_splits, &x);
}

/* ---- zips */

struct zipped_maps {
    lift_expr f[LIFT_MAX_ARGS]; /* NULL: the member is not a map */
};

static lift_expr apply_members(struct lift_ir *ir, void *user, lift_expr t)
{
    struct zipped_maps *z = user;
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < t->type->count; i++) {
        members[i] = lift_get(ir, i, t);
        if (z->f[i])
            members[i] = lift_expr_apply(ir, z->f[i], &members[i]);
    }
    return lift_call(ir, LIFT_TUPLE, members, t->type->count);
}

/* zip_n(map_n(f, x), y, ...) = map_n(fun(t => (f(t.0), t.1, ...)), zip_n(x, y, ...)) */
void rule_zip_of_maps(struct rule_redex *redex)
{
    lift_expr members[LIFT_MAX_ARGS], zip;
    struct zipped_maps z = {{0}};
    int d = redex->numbers.dims, maps = 0;
    int count = nd_is_zip(redex->ir, d, redex->at, members);

    for (int i = 0; i < count; i++) {
        lift_expr xs;

        if (!nd_is_map(redex->ir, d, members[i], &z.f[i], &xs)) {
            z.f[i] = NULL;
            continue;
        }
        members[i] = xs;
        maps++;
    }
    if (!maps)
        return;
    zip = lift_zip_n(redex->ir, d, members, count);
    redex_emit(redex, lift_map_n(redex->ir, d,
                                 lift_lambda(redex->ir, "t", nd_under(zip->type, d),
                                             apply_members, &z),
                                 zip));
}

/* Rewrites the body of a function of a tuple as a function of member k only; NULL if the
 * body uses another member. */
static lift_expr of_member(struct lift_ir *ir, lift_expr body, lift_expr tuple, int k)
{
    lift_expr part = lift_get(ir, k, tuple), e;

    if (nd_count(body, part, MANY) != nd_count(body, tuple, MANY))
        return NULL;
    e = lift_fresh(ir, "e", part->type);
    return body == part ? part : lift_fun(ir, nd_replace(ir, body, part, e), e);
}

/* map_n(fun(t => f(t.k)), zip_n(x_0, x_1, ...)) = map_n(f, x_k). If f is the identity,
 * the result is x_k. */
void rule_zip_select(struct rule_redex *redex)
{
    lift_expr members[LIFT_MAX_ARGS], f, g, t, xs;
    int d = redex->numbers.dims, count;

    if (!nd_is_map(redex->ir, d, redex->at, &f, &xs))
        return;
    count = nd_is_zip(redex->ir, d, xs, members);
    if (count == 0)
        return;
    t = lift_fresh(redex->ir, "t", f->type->parts[0]);
    f = lift_expr_apply(redex->ir, f, &t);
    for (int k = 0; k < count; k++) {
        g = of_member(redex->ir, f, t, k);
        if (!g)
            continue;
        redex_emit(redex, g->kind == LIFT_EXPR_LAMBDA
                              ? lift_map_n(redex->ir, d, g, members[k])
                              : members[k]);
        return;
    }
}
