/* Substitution. All walks stop at subterms that cannot change, and share results of
 * shared subterms through a memo keyed by node and number of binders passed. */
#include "base/bug.h"
#include "ir/ir_t.h"
#include <string.h>

/* One walk: 'leaf' returns the replacement of a variable, or NULL to keep the variable.
 * 'skip' returns true for subterms that cannot change. 'depth' counts the binders between
 * the root and the node. */
struct walk {
    struct lift_ir *ir;
    lift_expr (*leaf)(struct walk *w, lift_expr e, int depth);
    bool (*skip)(struct walk *w, lift_expr e, int depth);
    struct lift_table memo;
    int by, from;          /* for lift_expr_shift */
    const lift_expr *args; /* for lift_expr_apply and lift_expr_abstract */
    int arg_count;
    uint64_t frees; /* for lift_expr_abstract: bits of the variables */
};

struct memo {
    lift_expr from, to;
    int depth;
};

static bool memo_equal(const void *entry, const void *key)
{
    const struct memo *a = entry, *b = key;

    return a->from == b->from && a->depth == b->depth;
}

static uint64_t memo_hash(lift_expr e, int depth)
{
    return ir_mix_ptr((uint64_t)depth + 1, e);
}

/* Smaller terms are walked again instead of cached. */
enum { WORTH_A_MEMO = 24 };

static lift_expr walk(struct walk *w, lift_expr e, int depth)
{
    lift_expr children[LIFT_MAX_ARGS];
    struct memo key = {e, NULL, depth}, *known;
    int n = lift_expr_child_count(e);
    lift_expr to;

    if (w->skip(w, e, depth))
        return e;
    if (n == 0) {
        to = w->leaf(w, e, depth);
        return to ? to : e;
    }
    if (e->size >= WORTH_A_MEMO) {
        known = lift_table_find(&w->memo, memo_hash(e, depth), &key, memo_equal);
        if (known)
            return known->to;
    }
    for (int i = 0; i < n; i++)
        children[i] = walk(w, lift_expr_child(e, i),
                           depth + (e->kind == LIFT_EXPR_LAMBDA ? e->arg_count : 0));
    to = lift_expr_rebuild(w->ir, e, children, NULL);
    LIFT_ASSERT(to);
    if (e->size >= WORTH_A_MEMO) {
        struct memo *m = LIFT_NEW(w->ir->arena, struct memo);

        *m = (struct memo){e, to, depth};
        lift_table_insert(&w->memo, memo_hash(e, depth), m);
    }
    return to;
}

static lift_expr run(struct walk *w, lift_expr e)
{
    lift_expr to = walk(w, e, 0);

    lift_table_fini(&w->memo);
    return to;
}

static bool skip_closed(struct walk *w, lift_expr e, int depth)
{
    return e->loose <= depth + w->from;
}

static lift_expr shift_leaf(struct walk *w, lift_expr e, int depth)
{
    if (e->kind != LIFT_EXPR_BOUND || e->u.index < depth + w->from)
        return NULL;
    LIFT_ASSERT(e->u.index + w->by >= depth);
    return lift_expr_bound(w->ir, e->u.index + w->by, e->type);
}

lift_expr lift_expr_shift(struct lift_ir *ir, lift_expr e, int by, int from)
{
    struct walk w = {.ir = ir, .leaf = shift_leaf, .skip = skip_closed};

    if (by == 0 || e->loose <= from)
        return e;
    w.by = by;
    w.from = from;
    return run(&w, e);
}

static lift_expr apply_leaf(struct walk *w, lift_expr e, int depth)
{
    int index = e->u.index - depth;

    if (e->kind != LIFT_EXPR_BOUND || index < 0)
        return NULL;
    if (index >= w->arg_count)
        return lift_expr_bound(w->ir, e->u.index - w->arg_count, e->type);
    return lift_expr_shift(w->ir, w->args[w->arg_count - 1 - index], depth, 0);
}

lift_expr lift_expr_apply(struct lift_ir *ir, lift_expr lambda, const lift_expr *args)
{
    struct walk w = {.ir = ir, .leaf = apply_leaf, .skip = skip_closed};

    LIFT_ASSERT(lambda->kind == LIFT_EXPR_LAMBDA);
    for (int i = 0; i < lambda->arg_count; i++)
        LIFT_ASSERT(args[i]->type == lambda->type->parts[i]);
    w.args = args;
    w.arg_count = lambda->arg_count;
    return run(&w, lambda->u.lambda.body);
}

static bool skip_others(struct walk *w, lift_expr e, int depth)
{
    return !(e->frees & w->frees) && e->loose <= depth;
}

static lift_expr abstract_leaf(struct walk *w, lift_expr e, int depth)
{
    if (e->kind == LIFT_EXPR_BOUND && e->u.index >= depth)
        return lift_expr_bound(w->ir, e->u.index + w->arg_count, e->type);
    for (int i = w->arg_count - 1; e->kind == LIFT_EXPR_FREE && i >= 0; i--)
        if (w->args[i] == e)
            return lift_expr_bound(w->ir, depth + w->arg_count - 1 - i, e->type);
    return NULL;
}

/* The printed name: the part before the '#' that makes a name unique. */
static const char *hint_of(struct lift_ir *ir, const char *name)
{
    const char *mark = strchr(name, '#');

    return mark ? lift_arena_strndup(ir->arena, name, (size_t)(mark - name)) : name;
}

lift_expr lift_expr_abstract(struct lift_ir *ir, const lift_expr *frees, int count,
                             lift_expr body)
{
    struct walk w = {.ir = ir, .leaf = abstract_leaf, .skip = skip_others};
    const char *names[LIFT_MAX_PARAMS];
    lift_type types[LIFT_MAX_PARAMS];

    LIFT_ASSERT(count <= LIFT_MAX_PARAMS);
    for (int i = 0; i < count; i++) {
        LIFT_ASSERT(frees[i]->kind == LIFT_EXPR_FREE);
        names[i] = hint_of(ir, frees[i]->u.name);
        types[i] = frees[i]->type;
        w.frees |= frees[i]->frees;
    }
    w.args = frees;
    w.arg_count = count;
    return lift_expr_lambda(ir, types, count, names, run(&w, body));
}

bool lift_expr_uses_bound(lift_expr e, int first, int count)
{
    if (e->loose <= first)
        return false;
    if (e->kind == LIFT_EXPR_BOUND)
        return e->u.index >= first && e->u.index < first + count;
    if (e->kind == LIFT_EXPR_LAMBDA)
        return lift_expr_uses_bound(e->u.lambda.body, first + e->arg_count, count);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (lift_expr_uses_bound(lift_expr_child(e, i), first, count))
            return true;
    return false;
}

/* Copies with sizes substituted, often into another context. */
struct copy {
    struct lift_ir *into;
    bool same; /* 'into' is the context of the term: terms without sizes stay */
    lift_nat_lookup *lookup;
    void *user;
    struct lift_type_error *error;
    struct lift_ptrmap done;
};

static lift_expr copy_expr(struct copy *c, lift_expr e);

static lift_expr copy_prim(struct copy *c, lift_expr e)
{
    struct lift_prim_args args;

    lift_expr_args(e, &args);
    for (int i = 0; i < LIFT_MAX_NATS; i++)
        if (args.nats[i])
            args.nats[i] =
                lift_nat_subst(c->into->nats, args.nats[i], c->lookup, c->user);
    for (int i = 0; i < args.arg_count; i++)
        if (!(args.args[i] = copy_expr(c, args.args[i])))
            return NULL;
    return lift_expr_prim(c->into, e->op, &args, c->error);
}

static lift_expr copy_lambda(struct copy *c, lift_expr e)
{
    lift_type types[LIFT_MAX_PARAMS];
    lift_expr body = copy_expr(c, e->u.lambda.body);

    for (int i = 0; i < e->arg_count; i++)
        types[i] = lift_type_subst(c->into, e->type->parts[i], c->lookup, c->user);
    return body ? lift_expr_lambda(c->into, types, e->arg_count, e->u.lambda.names, body)
                : NULL;
}

static lift_expr copy_node(struct copy *c, lift_expr e)
{
    lift_type t;

    switch (e->kind) {
    case LIFT_EXPR_PRIM:
        return copy_prim(c, e);
    case LIFT_EXPR_LAMBDA:
        return copy_lambda(c, e);
    case LIFT_EXPR_LIT:
        if (lift_scalar_is_real(e->type->scalar))
            return lift_expr_float(c->into, e->type->scalar, e->u.number);
        return e->type->scalar == LIFT_BOOL ? lift_expr_bool(c->into, e->u.integer)
                                            : lift_expr_int(c->into, e->u.integer);
    default:
        t = lift_type_subst(c->into, e->type, c->lookup, c->user);
        return e->kind == LIFT_EXPR_BOUND ? lift_expr_bound(c->into, e->u.index, t)
                                          : lift_expr_free(c->into, e->u.name, t);
    }
}

static lift_expr copy_expr(struct copy *c, lift_expr e)
{
    lift_expr to = c->same && !e->sized ? e : lift_ptrmap_get(&c->done, e);

    if (to)
        return to;
    to = copy_node(c, e);
    if (to)
        lift_ptrmap_put(&c->done, e, (void *)to);
    return to;
}

lift_expr lift_expr_subst(struct lift_ir *into, lift_expr e, lift_nat_lookup *lookup,
                          void *user, struct lift_type_error *error)
{
    struct copy c = {.into = into, .same = ir_owns(into, e), .lookup = lookup};
    lift_expr to;

    c.user = user;
    c.error = error;
    to = copy_expr(&c, e);

    lift_ptrmap_fini(&c.done);
    return to;
}

/* ---- maps */

static lift_expr map(const struct lift_expr_map *m, struct lift_ptrmap *done, lift_expr e)
{
    lift_expr children[LIFT_MAX_ARGS], to = lift_ptrmap_get(done, e);
    int n = lift_expr_child_count(e);

    if (to)
        return to;
    to = m->before ? m->before(m->user, e) : NULL;
    if (!n)
        return to ? to : e;
    if (!to) {
        for (int i = 0; i < n; i++) {
            children[i] = map(m, done, lift_expr_child(e, i));
            if (!children[i])
                return NULL;
        }
        to = lift_expr_rebuild(m->ir, e, children, NULL);
        to = m->after ? m->after(m->user, e, to) : to;
    }
    if (to)
        lift_ptrmap_put(done, e, (void *)to);
    return to;
}

lift_expr lift_expr_mapped(const struct lift_expr_map *m, lift_expr e)
{
    LIFT_SCOPED(lift_ptrmap) done = {0};

    return map(m, &done, e);
}

/* Replacement of closed nodes. */
struct replacing {
    const lift_expr *from, *to;
    int count;
};

static lift_expr replacement(void *user, lift_expr e)
{
    const struct replacing *r = user;

    for (int i = 0; i < r->count; i++)
        if (r->from[i] == e)
            return r->to[i];
    return NULL;
}

lift_expr lift_expr_replace(struct lift_ir *ir, lift_expr e, const lift_expr *from,
                            const lift_expr *to, int count)
{
    struct replacing r = {from, to, count};

    return lift_expr_mapped(&(struct lift_expr_map){ir, &r, replacement, NULL}, e);
}
