/* Fuses two nests of a result over the same points:
 *
 *     (.. map_n(f, x) .., .. map_n(g, y) ..)
 *   = let m = toGlobal(unzip_n(map_n(fun(t => (f(t.0), g(t.1))), zip_n(x, y))))
 *     in (.. copy of m.0 .., .. copy of m.1 ..)
 *
 * so that the fused nest reads common inputs once. The nests are parts of different
 * members of the result, and have a common input. If a copy is the only reader of a
 * member, code generation stores the member directly (src/codegen/passed.c), so that m
 * needs no memory. Lengths such as 'w' and 'max(w, 4)' are equal only at usual sizes. The
 * fused nest has the larger length, and the copies drop the surplus.
 *
 * The fused maps are of one kind, and lowered maps stay lowered. Other bodies are
 * executed one after the other. */
#include "base/memory.h"
#include "ir/spine.h"
#include "rules/native/interior.h"
#include "rules/native/natives.h"
#include "rules/nd.h"
#include <stdlib.h>
#include <string.h>

struct nest {
    struct lift_path at;
    lift_expr map;
    int member; /* member of the result that contains the nest; -1: the result is not a
                   tuple */
};

struct nests {
    struct lift_ir *ir;
    lift_expr term;
    struct nest *items;
    int count, cap;
    struct nest here; /* the current place of the search */
};

static bool is_loop(lift_expr e)
{
    return e->kind == LIFT_EXPR_PRIM && lift_op_is_map(e->op) &&
           e->op != LIFT_MAP_UNROLL && !nd_is_copy(e) &&
           lift_type_base(e->type)->kind != LIFT_TYPE_VECTOR;
}

static void find_nests(struct nests *n, lift_expr e)
{
    bool parts = lift_moves_each(e);
    int moved = lift_moved_slot(e), member = n->here.member;

    if (!parts && moved < 0 && is_loop(e)) {
        LIFT_ROOM(n->items, n->count, n->cap);
        n->items[n->count] = n->here;
        n->items[n->count++].map = e;
    }
    if (n->here.at.count == LIFT_MAX_PATH)
        return;
    for (int i = 0; (parts || moved >= 0) && i < e->arg_count; i++) {
        if (!parts && i != moved)
            continue;
        n->here.at.steps[n->here.at.count++] = (uint8_t)i;
        if (member < 0 && e->op == LIFT_TUPLE)
            n->here.member = i;
        find_nests(n, lift_expr_child(e, i));
        n->here.at.count--;
        n->here.member = member;
    }
}

/* ---- choosing a pair */

struct use {
    lift_expr of,
        with; /* 'of': the input to find; 'with': a term that must also read it */
    bool found;
};

static bool find_use(void *use, lift_expr e)
{
    struct use *u = use;

    u->found |= e == u->of;
    return !u->found && (e->frees & u->of->frees);
}

static bool find_common(void *common, lift_expr e)
{
    struct use *c = common, u = {.of = e};

    if (e->kind == LIFT_EXPR_FREE && e->type->kind == LIFT_TYPE_ARRAY)
        lift_expr_each(c->with, find_use, &u);
    c->found |= u.found;
    return !c->found;
}

/* True if both are maps of one kind, with equal attributes. */
static bool are_alike(lift_expr a, lift_expr b)
{
    struct lift_prim_args x, y;

    if (a->kind != LIFT_EXPR_PRIM || b->kind != LIFT_EXPR_PRIM || a->op != b->op ||
        !is_loop(a) || !is_loop(b))
        return false;
    lift_expr_args(a, &x);
    lift_expr_args(b, &y);
    return memcmp(x.nats, y.nats, sizeof x.nats) == 0 &&
           memcmp(x.attrs.at, y.attrs.at, sizeof x.attrs.at) == 0;
}

static bool belong_together(const struct nests *n, const struct nest *a,
                            const struct nest *b)
{
    struct use common = {.with = b->map};

    if (a->member == b->member || !are_alike(a->map, b->map) ||
        !interior_same_lengths(n->term, a->map->type, b->map->type))
        return false;
    lift_expr_each(a->map, find_common, &common);
    return common.found;
}

/* ---- fusing a pair */

static lift_expr longer(struct lift_ir *ir, lift_expr xs, lift_nat n)
{
    lift_nat more = lift_nat_sub(n, xs->type->len);

    return xs->type->len == n ? xs
                              : lift_pad(ir, lift_nat_const(lift_ir_nats(ir), 0), more,
                                         LIFT_PAD_ANY, xs);
}

/* Returns the tuple of 'a' and 'b'. Fuses maps that are alike, and pads the shorter
 * array. */
static lift_expr both(struct lift_ir *ir, lift_expr a, lift_expr b)
{
    struct lift_prim_args args;
    lift_expr xs[2], zip, t, x, y;
    lift_nat n;

    if (!are_alike(a, b))
        return lift_call2(ir, LIFT_TUPLE, a, b);
    n = lift_nat_max(a->type->len, b->type->len);
    xs[0] = longer(ir, lift_expr_arg(a, 1), n);
    xs[1] = longer(ir, lift_expr_arg(b, 1), n);
    zip = lift_zip_n(ir, 1, xs, 2);
    if (!zip)
        return NULL;
    t = lift_fresh(ir, "t", zip->type->elem);
    x = lift_get(ir, 0, t);
    y = lift_get(ir, 1, t);
    x = lift_expr_apply(ir, lift_expr_arg(a, 0), &x);
    y = lift_expr_apply(ir, lift_expr_arg(b, 0), &y);
    lift_expr_args(a, &args);
    args.args[0] = lift_fun(ir, both(ir, x, y), t);
    args.args[1] = zip;
    return lift_call1(ir, LIFT_UNZIP, lift_make(ir, a->op, &args));
}

/* Copies the elements of 'm' up to the lengths of 'like', by a loop of the same kind. */
static lift_expr part(struct lift_ir *ir, lift_expr like, lift_expr m)
{
    struct lift_prim_args args;
    lift_nat len[LIFT_MAX_DIMS];
    int d = lift_type_rank(like->type);

    if (!m || d > LIFT_MAX_DIMS || !nd_lengths(like->type, d, len))
        return NULL;
    lift_expr_args(like, &args);
    args.args[0] = nd_identity(ir, "e", m->type->elem);
    args.args[1] = m;
    m = like->op == LIFT_MAP ? nd_copy_all(ir, m) : lift_make(ir, like->op, &args);
    return m && m->type != like->type ? lift_take_n(ir, d, len, m) : m;
}

static lift_expr joined(struct nests *n, const struct nest *a, const struct nest *b)
{
    struct lift_ir *ir = n->ir;
    lift_expr value = lift_call1(ir, LIFT_TO_GLOBAL, both(ir, a->map, b->map)), m, to;

    if (!value)
        return NULL;
    m = lift_fresh(ir, "m", value->type);
    to = lift_path_replace(ir, n->term, &a->at, part(ir, a->map, lift_get(ir, 0, m)));
    to = to ? lift_path_replace(ir, to, &b->at, part(ir, b->map, lift_get(ir, 1, m)))
            : NULL;
    return to ? lift_let(ir, value, lift_fun(ir, to, m)) : NULL;
}

static lift_expr first_pair(struct nests *n)
{
    for (int i = 0; i < n->count; i++)
        for (int k = i + 1; k < n->count; k++)
            if (belong_together(n, &n->items[i], &n->items[k]))
                return joined(n, &n->items[i], &n->items[k]);
    return NULL;
}

/* Fuses nests of the term's result. Steps into the lets at the root first. */
static lift_expr together(struct lift_ir *ir, lift_expr term)
{
    struct nests n = {.ir = ir, .term = term, .here.member = -1};
    lift_expr to, x;

    if (lift_expr_is(term, LIFT_LET)) {
        x = lift_fresh(ir, "x", lift_expr_arg(term, 0)->type);
        to = together(ir, lift_expr_apply(ir, lift_expr_arg(term, 1), &x));
        return to ? lift_let(ir, lift_expr_arg(term, 0), lift_fun(ir, to, x)) : NULL;
    }
    find_nests(&n, term);
    to = first_pair(&n);
    free(n.items);
    return to;
}

void rule_join_nests(struct rule_redex *redex)
{
    lift_expr to = together(redex->ir, redex->at);

    if (to)
        redex_emit(redex, to);
    else
        redex_refuse(redex,
                     "no two parts of the result are over the same points and read "
                     "an input in common");
}
