/* Matches patterns up to alpha equivalence. Interned nodes are compared by identity. */
#include "rules/rule_t.h"
#include <math.h>
#include <string.h>

struct deferred {
    lift_nat pat, value;
};

struct matcher {
    struct lift_ir *ir;
    const struct rule_def *def;
    struct bindings *b;
    lift_type types[RULE_MAX_BINDERS]; /* of the bound variables, outermost first */
    struct deferred later[RULE_MAX_NATS];
    int later_count;
};

static bool match(struct matcher *m, const struct pat *p, lift_expr e, int depth);

/* Renumbers 'e', found under 'depth' binders of the pattern, for the place of the redex.
 * Returns NULL if 'e' uses a variable of these binders. */
static lift_expr lift_out(struct matcher *m, lift_expr e, int depth)
{
    if (depth == 0 || e->loose == 0)
        return e;
    if (lift_expr_uses_bound(e, 0, depth))
        return NULL;
    return lift_expr_shift(m->ir, e, -depth, 0);
}

static bool bind(lift_expr *slot, lift_expr e)
{
    if (!e || (*slot && *slot != e))
        return false;
    *slot = e;
    return true;
}

/* True if 'e' uses no pattern variables except the arguments of the application. */
static bool uses_only_arguments(const struct pat *p, lift_expr e, int depth)
{
    for (int i = 0; i < depth; i++) {
        bool given = false;

        for (int k = 0; k < p->count; k++)
            given = given || p->args[k]->index == i;
        if (!given && lift_expr_uses_bound(e, i, 1))
            return false;
    }
    return true;
}

/* Returns the function of f(y...) whose value is 'e'. A lambda over all binders of the
 * pattern makes 'e' closed at the redex. The body of the function applies this lambda to
 * the new parameters. */
static lift_expr abstract_arguments(struct matcher *m, const struct pat *p, lift_expr e,
                                    int depth)
{
    lift_type params[LIFT_MAX_PARAMS];
    lift_expr args[RULE_MAX_BINDERS];
    lift_expr whole = lift_expr_lambda(m->ir, m->types, depth, NULL, e);
    bool same = p->count == depth;

    for (int k = 0; k < p->count; k++) {
        params[k] = m->types[depth - 1 - p->args[k]->index];
        same = same && p->args[k]->index == depth - 1 - k;
    }
    if (same)
        return whole;
    for (int level = 0; level < depth; level++)
        args[level] = lift_expr_bound(
            m->ir, 0, m->types[level]); /* the application removes unused arguments */
    for (int k = 0; k < p->count; k++)
        args[depth - 1 - p->args[k]->index] =
            lift_expr_bound(m->ir, p->count - 1 - k, params[k]);
    whole = lift_expr_shift(m->ir, whole, p->count, 0);
    return lift_expr_lambda(m->ir, params, p->count, NULL,
                            lift_expr_apply(m->ir, whole, args));
}

static bool match_app(struct matcher *m, const struct pat *p, lift_expr e, int depth)
{
    if (e->kind == LIFT_EXPR_LAMBDA || depth > LIFT_MAX_PARAMS)
        return false;
    if (e->loose && !uses_only_arguments(p, e, depth))
        return false;
    return bind(&m->b->funs[p->index], abstract_arguments(m, p, e, depth));
}

/* All open literals of a rule have one type: the type of the first matched literal. */
static bool bind_real(struct matcher *m, lift_expr e)
{
    enum lift_scalar scalar = e->type->scalar;

    if (!(m->def->reals >> scalar & 1) || (m->b->real_set && m->b->real != scalar))
        return false;
    m->b->real_set = true;
    m->b->real = scalar;
    return true;
}

/* Rounds the pattern's number like a literal of a program. */
static bool match_lit(struct matcher *m, const struct pat *p, lift_expr e)
{
    double number;

    if (e->kind != LIFT_EXPR_LIT ||
        !(p->open ? bind_real(m, e) : lift_type_is_scalar(e->type, p->scalar)))
        return false;
    if (!lift_scalar_is_real(e->type->scalar))
        return e->u.integer == p->integer;
    number = lift_scalar_round(e->type->scalar, p->number);
    return isfinite(number) && e->u.number == number &&
           !signbit(e->u.number) == !signbit(number);
}

static bool match_lambda(struct matcher *m, const struct pat *p, lift_expr e, int depth)
{
    if (e->kind != LIFT_EXPR_LAMBDA || e->arg_count != p->count ||
        depth + p->count > RULE_MAX_BINDERS)
        return false;
    for (int i = 0; i < p->count; i++)
        m->types[depth + i] = e->type->parts[i];
    return match(m, p->args[0], e->u.lambda.body, depth + p->count);
}

/* Binds a bare metavariable, or compares it with its binding. Other sizes are compared
 * after all bindings. */
static bool match_nat(struct matcher *m, lift_nat p, lift_nat n)
{
    int64_t value;
    int index;

    if (lift_nat_is_const(p, &value))
        return lift_nat_is(n, value);
    index = rule_size_index(&m->def->names, p);
    if (index >= 0 && m->def->names.nats[index].of < 0) {
        lift_nat *slot = &m->b->nats[index];

        if (*slot && *slot != n)
            return false;
        *slot = n;
        return true;
    }
    if (m->later_count == RULE_MAX_NATS)
        return false;
    m->later[m->later_count++] = (struct deferred){p, n};
    return true;
}

static bool match_attr(struct matcher *m, const struct attr_pat *p, int value)
{
    if (p->meta < 0)
        return p->value == value;
    if (m->b->attr_set[p->meta] && m->b->attrs[p->meta] != value)
        return false;
    m->b->attr_set[p->meta] = true;
    m->b->attrs[p->meta] = value;
    return true;
}

static bool match_list(struct matcher *m, const struct pat *p, lift_expr e, int depth)
{
    struct bindings *b = m->b;

    if (b->list_count && b->list_count != e->arg_count)
        return false;
    b->list_count = e->arg_count;
    if (p->args[0]->kind == PAT_META)
        return bind(&b->exprs[p->args[0]->index], lift_out(m, e, depth));
    b->attr_set[RULE_PLACE] = true;
    for (int i = 0; i < e->arg_count; i++) {
        b->attrs[RULE_PLACE] = i;
        if (!match(m, p->args[0], e->u.prim.args[i], depth))
            return false;
    }
    return true;
}

static bool match_prim(struct matcher *m, const struct pat *p, lift_expr e, int depth)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);

    if (e->kind != LIFT_EXPR_PRIM || e->op != p->op ||
        (e->arg_count != p->count && !p->list))
        return false;
    if (p->text && strcmp(p->text, e->u.prim.text) != 0)
        return false;
    for (int i = 0; i < info->attr_count; i++)
        if (!match_attr(m, &p->attrs[i], e->u.prim.attrs.at[i]))
            return false;
    for (int i = 0; i < info->nat_count; i++)
        if (!match_nat(m, p->nats[i], e->u.prim.nats[i]))
            return false;
    if (p->list)
        return match_list(m, p, e, depth);
    /* Match data first: the last argument is usually the most selective. */
    for (int i = p->count - 1; i >= 0; i--)
        if (!match(m, p->args[i], e->u.prim.args[i], depth))
            return false;
    return true;
}

static bool match(struct matcher *m, const struct pat *p, lift_expr e, int depth)
{
    switch (p->kind) {
    case PAT_META:
        return e->kind != LIFT_EXPR_LAMBDA &&
               bind(&m->b->exprs[p->index], lift_out(m, e, depth));
    case PAT_FUN:
        return e->kind == LIFT_EXPR_LAMBDA &&
               bind(&m->b->funs[p->index], lift_out(m, e, depth));
    case PAT_APP:
        return match_app(m, p, e, depth);
    case PAT_BOUND:
        return e->kind == LIFT_EXPR_BOUND && e->u.index == p->index;
    case PAT_LIT:
        return match_lit(m, p, e);
    case PAT_LAMBDA:
        return match_lambda(m, p, e, depth);
    case PAT_PRIM:
        return match_prim(m, p, e, depth);
    }
    return false;
}

bool rule_match(struct lift_ir *ir, const struct rule_def *def, lift_expr e,
                struct bindings *b)
{
    struct matcher m = {.ir = ir, .def = def, .b = b};

    memset(b, 0, sizeof *b);
    if (!match(&m, def->lhs, e, 0))
        return false;
    for (int i = 0; i < m.later_count; i++)
        if (rule_nat(lift_ir_nats(ir), &def->names, m.later[i].pat, b) !=
            m.later[i].value)
            return false;
    return true;
}
