/* Instances of patterns: evaluates sizes, and builds terms with the typed constructors.
 */
#include "base/bug.h"
#include "rules/read/typing.h"
#include <stdio.h>

/* ---- sizes */

static lift_nat length_of(lift_expr e, int64_t dim)
{
    lift_type t = e ? e->type : NULL;

    for (; t && t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        if (dim-- == 0)
            return t->len;
    return NULL;
}

int rule_size_index(const struct rule_names *names, lift_nat var)
{
    for (int i = 0; i < names->nat_count; i++)
        if (names->nats[i].var == var)
            return i;
    return -1;
}

struct values {
    struct lift_nats *nats;
    const struct rule_names *names;
    const struct bindings *b;
    bool failed;
};

static lift_nat value_at(const struct values *s, int index)
{
    const struct rule_size *size = &s->names->nats[index];

    return size->of < 0 ? s->b->nats[index] : length_of(s->b->exprs[size->of], size->dim);
}

static lift_nat value_of(void *user, lift_nat var)
{
    struct values *s = user;
    lift_nat n = value_at(s, rule_size_index(s->names, var));

    s->failed = s->failed || !n;
    return n ? n : lift_nat_const(s->nats, 1);
}

/* Returns true if all divisors in 'n' are at least 1. */
static bool divides(struct values *s, lift_nat n)
{
    int factors;

    for (int i = 0; i < lift_nat_term_count(n); i++) {
        lift_nat_term(n, i, &factors);
        for (int f = 0; f < factors; f++) {
            struct lift_atom a = lift_nat_factor(n, i, f);

            if (a.kind == LIFT_ATOM_VAR)
                continue;
            if (!divides(s, a.a) || !divides(s, a.b))
                return false;
            if (a.kind == LIFT_ATOM_DIV &&
                lift_nat_lo(lift_nat_subst(s->nats, a.b, value_of, s)) < 1)
                return false;
        }
    }
    return true;
}

lift_nat rule_nat(struct lift_nats *nats, const struct rule_names *names, lift_nat n,
                  const struct bindings *b)
{
    struct values s = {nats, names, b, false};
    int index = rule_size_index(names, n);
    int64_t number;
    lift_nat value;

    if (index >= 0)
        return value_at(&s, index);
    if (lift_nat_is_const(n, &number))
        return lift_nat_const(nats, number);
    if (!divides(&s, n))
        return NULL;
    value = lift_nat_subst(nats, n, value_of, &s);
    return s.failed ? NULL : value;
}

/* ---- terms */

struct builder {
    struct lift_ir *ir;
    const struct rule_names *names;
    struct bindings *b;
    struct lift_type_error *error;
    lift_type types[RULE_MAX_BINDERS];
    struct typer *typer; /* set while a rule is typed; otherwise NULL */
};

static lift_expr build(struct builder *c, const struct pat *p, int depth);

static lift_expr refuse(struct builder *c, const char *why)
{
    if (c->error) {
        c->error->arg = -1;
        snprintf(c->error->text, sizeof c->error->text, "%s", why);
    }
    return NULL;
}

static lift_expr shifted(struct builder *c, lift_expr e, int depth)
{
    return depth && e->loose ? lift_expr_shift(c->ir, e, depth, 0) : e;
}

static lift_expr build_app(struct builder *c, const struct pat *p, int depth)
{
    lift_expr f = shifted(c, c->b->funs[p->index], depth);
    lift_expr args[LIFT_MAX_PARAMS];

    for (int i = 0; i < p->count; i++) {
        args[i] = build(c, p->args[i], depth);
        if (!args[i])
            return NULL;
        if (lift_type_unify(c->ir, f->type->parts[i], args[i]->type))
            continue;
        if (!c->typer)
            return refuse(c, "a function is applied to an argument of another type");
        type_argument(c->typer, f, i, args[i]->type);
        return NULL;
    }
    /* the body of an arbitrary function of a rule uses no parameter */
    return c->typer ? f->u.lambda.body : lift_expr_apply(c->ir, f, args);
}

static lift_expr build_lit(struct builder *c, const struct pat *p)
{
    enum lift_scalar scalar = p->open ? c->b->real : p->scalar;

    if (c->typer && p->open)
        return lift_expr_free(c->ir, "0.0", c->typer->real);
    switch (scalar) {
    case LIFT_F32:
    case LIFT_F64:
    case LIFT_F16:
    case LIFT_BF16:
        return lift_expr_float(c->ir, scalar, p->number);
    case LIFT_I32:
        return lift_expr_int(c->ir, p->integer);
    case LIFT_BOOL:
        return lift_expr_bool(c->ir, p->integer != 0);
    }
    return NULL;
}

/* Builds a lambda for slot 'slot' of a primitive whose other arguments are in 'a'. */
static lift_expr build_lambda(struct builder *c, const struct pat *p, enum lift_op op,
                              const struct lift_prim_args *a, int slot, int depth)
{
    lift_type params[LIFT_MAX_PARAMS];
    lift_expr body;

    if (depth + p->count > RULE_MAX_BINDERS)
        return refuse(c, "the rule nests too many functions");
    if (lift_prim_fun_params(c->ir, op, a, slot, params, c->error) != p->count)
        return NULL;
    for (int i = 0; i < p->count; i++)
        c->types[depth + i] = params[i];
    body = build(c, p->args[0], depth + p->count);
    return body ? lift_expr_lambda(c->ir, params, p->count, p->names, body) : NULL;
}

static bool build_list(struct builder *c, const struct pat *p, struct lift_prim_args *a,
                       int depth)
{
    a->arg_count = c->b->list_count;
    for (int i = 0; i < a->arg_count; i++) {
        c->b->attrs[RULE_PLACE] = i;
        a->args[i] = build(c, p->args[0], depth);
        if (!a->args[i])
            return false;
    }
    return true;
}

/* Builds data before functions, because the types of a function's parameters follow from
 * the data. */
static bool build_args(struct builder *c, const struct pat *p, struct lift_prim_args *a,
                       int depth)
{
    a->arg_count = p->count;
    for (int i = 0; i < p->count; i++)
        if (p->args[i]->kind != PAT_LAMBDA) {
            a->args[i] = build(c, p->args[i], depth);
            if (!a->args[i])
                return false;
        }
    for (int i = 0; i < p->count; i++)
        if (p->args[i]->kind == PAT_LAMBDA) {
            a->args[i] = build_lambda(c, p->args[i], p->op, a, i, depth);
            if (!a->args[i])
                return false;
        }
    return true;
}

static lift_expr build_prim(struct builder *c, const struct pat *p, int depth)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);
    struct lift_prim_args a = {.text = p->text};

    for (int i = 0; i < info->nat_count; i++) {
        a.nats[i] = c->typer ? type_size(c->typer, p->nats[i])
                             : rule_nat(lift_ir_nats(c->ir), c->names, p->nats[i], c->b);
        if (!a.nats[i])
            return refuse(c, "a size has no value");
    }
    for (int i = 0; i < info->attr_count; i++)
        a.attrs.at[i] =
            p->attrs[i].meta < 0 ? p->attrs[i].value : c->b->attrs[p->attrs[i].meta];
    if (p->list ? !build_list(c, p, &a, depth) : !build_args(c, p, &a, depth))
        return NULL;
    return lift_expr_prim(c->ir, p->op, &a, c->error);
}

static lift_expr build_node(struct builder *c, const struct pat *p, int depth)
{
    lift_expr e;

    switch (p->kind) {
    case PAT_META:
        e = c->b->exprs[p->index];
        if (p->attrs[0].meta >= 0)
            e = e->u.prim.args[c->b->attrs[p->attrs[0].meta]];
        return shifted(c, e, depth);
    case PAT_FUN:
        return shifted(c, c->b->funs[p->index], depth);
    case PAT_APP:
        return build_app(c, p, depth);
    case PAT_BOUND:
        return lift_expr_bound(c->ir, p->index, c->types[depth - 1 - p->index]);
    case PAT_LIT:
        return build_lit(c, p);
    case PAT_PRIM:
        return build_prim(c, p, depth);
    case PAT_LAMBDA:
        break;
    }
    LIFT_BUG("a lambda of a pattern stands outside a primitive");
}

/* A node from the expansion of a form has no span; the typer then uses the span of the
 * form. */
static lift_expr build(struct builder *c, const struct pat *p, int depth)
{
    struct lift_span before;
    lift_expr e;

    if (!c->typer)
        return build_node(c, p, depth);
    before = c->typer->span;
    c->typer->span = p->span.end ? p->span : before;
    e = build_node(c, p, depth);
    if (!e)
        e = type_failed(c->typer, c->error);
    else if (p->kind == PAT_PRIM)
        type_facts(c->typer, p, e);
    c->typer->span = before;
    return e;
}

lift_expr rule_instance(struct lift_ir *ir, const struct rule_def *def,
                        struct bindings *b, struct lift_type_error *error)
{
    struct builder c = {.ir = ir, .names = &def->names, .b = b, .error = error};

    return build(&c, def->rhs, 0);
}

lift_expr rule_typed(struct typer *typer, const struct pat *p)
{
    struct lift_type_error error = {.arg = -1};
    struct builder c = {.ir = typer->r->ir,
                        .names = &typer->r->def->names,
                        .b = &typer->b,
                        .error = &error,
                        .typer = typer};

    return build(&c, p, 0);
}
