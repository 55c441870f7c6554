/* Applies functions to arguments.
 *
 * The elaborator substitutes an argument at each use. If this duplicates a computation,
 * a 'let' around the result binds the argument instead. Views, literals and variables
 * are always substituted. */
#include "base/bug.h"
#include "ir/text/elab_t.h"
#include <string.h>

/* The arguments that are being bound to parameters. */
struct binding {
    const struct env *env; /* scope of the parameters' types */
    const struct syntax_param *params;
    const struct value *values;
    int count;
    const struct syntax_node *body;
    bool always_let; /* the source says 'let' */
};

/* True if 'e' only moves data; visits at most 'budget' nodes. */
static bool is_view(lift_expr e, int *budget)
{
    if (--*budget < 0)
        return false;
    if (e->kind == LIFT_EXPR_PRIM) {
        if (lift_prim_info(e->op)->level == LIFT_LEVEL_SCALAR && e->op != LIFT_NAT)
            return false;
        if (lift_op_is_reduce(e->op) || e->op == LIFT_ITERATE || e->op == LIFT_LET)
            return false;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (!is_view(lift_expr_child(e, i), budget))
            return false;
    return true;
}

enum { VIEW_BUDGET = 500 };

/* Counts the uses of Bound 'index' in 'e', up to two. */
static int count_uses(struct elab *el, lift_expr e, int index)
{
    int uses = 0;

    if (e->loose <= index)
        return 0;
    el->steps++;
    if (e->kind == LIFT_EXPR_BOUND)
        return e->u.index == index;
    if (e->kind == LIFT_EXPR_LAMBDA)
        index += e->arg_count;
    for (int i = 0; uses < 2 && i < lift_expr_child_count(e); i++)
        uses += count_uses(el, lift_expr_child(e, i), index);
    return uses;
}

static struct value member(struct elab *el, const struct value *tuple, int k)
{
    struct lift_prim_args args = {.arg_count = 1};

    args.attrs.get.k = k;
    args.args[0] = elab_here(el, tuple);
    if (lift_expr_is(args.args[0], LIFT_TUPLE))
        return elab_make_data(el, args.args[0]->u.prim.args[k], tuple->span);
    return elab_prim(el, LIFT_GET, &args, &tuple->span, tuple->span);
}

/* Binds the names of a pattern to a value that is used directly, any number of times. */
static const struct env *bind_pattern(struct elab *el, const struct env *env,
                                      const struct syntax_param *p, const struct value *v)
{
    if (p->name)
        return elab_bind_value(el, env, p->name, *v);
    if (v->kind != VALUE_DATA || v->e->type->kind != LIFT_TYPE_TUPLE ||
        v->e->type->count != p->part_count)
        elab_error(el, p->span,
                   "expected a tuple of %d members for this pattern, but got '%s'",
                   p->part_count,
                   v->kind == VALUE_DATA ? elab_type_text(el, v->e->type) : "a function");
    for (int i = 0; i < p->part_count; i++) {
        struct value part = member(el, v, i);

        env = bind_pattern(el, env, &p->parts[i], &part);
    }
    return env;
}

static void check_annotation(struct elab *el, const struct binding *b, int i,
                             struct value *v)
{
    lift_type t = elab_type(el, b->env, b->params[i].type);

    if (v->kind != VALUE_DATA)
        return;
    if (v->flex != FLEX_NO && t->kind == LIFT_TYPE_SCALAR)
        *v = elab_make_data(el, elab_settle_as(el, v, t->scalar), v->span);
    if (v->e->type != t)
        elab_error(el, v->span, "expected '%s', but got '%s'", elab_type_text(el, t),
                   elab_type_text(el, v->e->type));
}

static struct value bind_next(struct elab *el, const struct env *env,
                              const struct binding *b, int i);

static struct value bind_directly(struct elab *el, const struct env *env,
                                  const struct binding *b, int i, const struct value *v)
{
    return bind_next(el, bind_pattern(el, env, &b->params[i], v), b, i + 1);
}

/* Builds let(v, fun(p => rest)). If p is used once, substitutes v for p in 'rest'
 * instead. */
static struct value close_let(struct elab *el, const struct binding *b, int i,
                              const struct value *v, lift_expr value, struct value rest)
{
    const char *name = b->params[i].name ? b->params[i].name : "t";
    lift_expr body, lambda;

    el->depth++;
    body = b->always_let ? elab_settled(el, &rest) : elab_here(el, &rest);
    el->depth--;
    lambda = lift_expr_lambda(el->ir, &value->type, 1, &name, body);
    if (b->always_let || count_uses(el, body, 0) > 1) {
        struct lift_prim_args args = {.args = {value, lambda}, .arg_count = 2};

        return elab_prim(el, LIFT_LET, &args, NULL, v->span);
    }
    rest.e = elab_checked(el, lift_expr_apply(el->ir, lambda, &value), rest.span);
    rest.depth = el->depth;
    return rest;
}

static struct value bind_with_let(struct elab *el, const struct env *env,
                                  const struct binding *b, int i, const struct value *v)
{
    lift_expr value = elab_settled(el, v);
    struct value bound, rest;

    el->depth++;
    bound = elab_make_data(el, lift_expr_bound(el->ir, 0, value->type), v->span);
    rest = bind_directly(el, env, b, i, &bound);
    el->depth--;
    return rest.kind == VALUE_FUN ? bind_directly(el, env, b, i, v)
                                  : close_let(el, b, i, v, value, rest);
}

static bool wants_let(const struct binding *b, const struct value *v)
{
    int budget = VIEW_BUDGET;

    if (v->kind != VALUE_DATA)
        return false;
    return b->always_let || (v->flex == FLEX_NO && !is_view(v->e, &budget));
}

static struct value bind_next(struct elab *el, const struct env *env,
                              const struct binding *b, int i)
{
    struct value v, out;

    if (i == b->count)
        return elab_expr(el, env, b->body);
    v = b->values[i];
    if (b->params[i].type)
        check_annotation(el, b, i, &v);
    elab_enter(el, v.span);
    out = wants_let(b, &v) ? bind_with_let(el, env, b, i, &v)
                           : bind_directly(el, env, b, i, &v);
    elab_leave(el);
    return out;
}

struct value elab_let(struct elab *el, const struct env *env, const struct syntax_node *n)
{
    struct value v = elab_expr(el, env, n->args[0]);
    struct binding b = {.env = env,
                        .params = n->params,
                        .values = &v,
                        .count = 1,
                        .body = n->args[1],
                        .always_let = n->op == TOKEN_LET};

    return bind_next(el, env, &b, 0);
}

/* ---- applications */

static struct value apply_lambda(struct elab *el, const struct closure *f,
                                 const struct value *args, int count,
                                 struct lift_span span)
{
    const struct syntax_node *n = f->node;
    struct syntax_param tuple = {
        .parts = n->params, .part_count = n->param_count, .span = n->span};
    struct binding b = {.env = f->env,
                        .params = n->params,
                        .values = args,
                        .count = count,
                        .body = n->args[0]};

    if (n->loose_params && count == 1 && n->param_count > 1)
        b.params = &tuple;
    else if (n->param_count != count)
        elab_error(el, span, "a function of %d argument%s is given %d", n->param_count,
                   n->param_count == 1 ? "" : "s", count);
    return bind_next(el, f->env, &b, 0);
}

static struct value apply_call(struct elab *el, const struct closure *f,
                               const struct value *args, int count)
{
    struct call c = {.node = f->node, .env = f->env, .extra = args, .extra_count = count};

    if (f->kind == CLOSURE_PARTIAL) {
        c.args = f->node->args + 1;
        c.arg_count = f->node->arg_count - 1;
        c.name = syntax_bare(f->node->args[0]->text);
    } else {
        c.name = syntax_bare(f->node->text);
    }
    return elab_call(el, &c);
}

static struct value apply(struct elab *el, const struct closure *f,
                          const struct value *args, int count, struct lift_span span)
{
    struct value v;

    switch (f->kind) {
    case CLOSURE_LAMBDA:
        return apply_lambda(el, f, args, count, span);
    case CLOSURE_PARTIAL:
    case CLOSURE_PRIM:
        return apply_call(el, f, args, count);
    case CLOSURE_COMPOSE:
        v = elab_apply(el, f->f, args, count, span);
        return elab_apply(el, f->g, &v, 1, span);
    case CLOSURE_CFUN:
        return elab_apply_cfun(el, f, args, count, span);
    }
    LIFT_BUG("closure of kind %d", (int)f->kind);
}

struct value elab_apply(struct elab *el, const struct closure *f,
                        const struct value *args, int count, struct lift_span span)
{
    struct value v;

    elab_enter(el, span);
    v = apply(el, f, args, count, span);
    elab_leave(el);
    return v;
}

/* ---- lambdas */

/* The names that printers show for the parameters. */
static void param_names(const struct closure *f, const char *names[], int count)
{
    static const char *const usual[] = {"a", "b", "c"};

    while (f->kind == CLOSURE_COMPOSE)
        f = f->f;
    for (int i = 0; i < count; i++) {
        names[i] = count == 1 ? "x" : i < 3 ? usual[i] : "d";
        if (f->kind == CLOSURE_LAMBDA && f->node->param_count == count)
            names[i] = f->node->params[i].name ? f->node->params[i].name : "t";
        else if (f->kind == CLOSURE_LAMBDA)
            names[i] = "t";
    }
}

/* A result of open type becomes the expected scalar. */
lift_expr elab_lambda(struct elab *el, const struct value *f, const lift_type *params,
                      int count, lift_type want)
{
    struct value args[LIFT_MAX_PARAMS], result;
    const char *names[LIFT_MAX_PARAMS];
    lift_expr body;

    el->depth += count;
    for (int i = 0; i < count; i++)
        args[i] = elab_make_data(el, lift_expr_bound(el->ir, count - 1 - i, params[i]),
                                 f->span);
    result = elab_apply(el, f->fun, args, count, f->span);
    body = result.flex != FLEX_NO && want && want->kind == LIFT_TYPE_SCALAR
               ? elab_settle_as(el, &result, want->scalar)
               : elab_settled(el, &result);
    el->depth -= count;
    param_names(f->fun, names, count);
    return elab_checked(el, lift_expr_lambda(el->ir, params, count, names, body),
                        f->span);
}

lift_expr elab_typed_lambda(struct elab *el, const struct value *f)
{
    const struct syntax_node *n = f->fun->node;
    lift_type params[LIFT_MAX_PARAMS];

    if (f->fun->kind != CLOSURE_LAMBDA || n->param_count > LIFT_MAX_PARAMS)
        elab_error(el, f->span, "expected data, but got a function");
    for (int i = 0; i < n->param_count; i++) {
        if (!n->params[i].type)
            elab_error(el, n->params[i].span, "expected a parameter with its type");
        params[i] = elab_type(el, f->fun->env, n->params[i].type);
    }
    return elab_lambda(el, f, params, n->param_count, NULL);
}
