/* Calls of primitives, by the letters of their parameters in lift/prims.def. */
#include "ir/text/elab_t.h"
#include <string.h>

int call_count(const struct call *c)
{
    return c->arg_count + c->extra_count;
}

struct lift_span call_span(const struct call *c, int i)
{
    return i < c->arg_count ? c->args[i]->span : c->extra[i - c->arg_count].span;
}

struct value call_value(struct elab *el, const struct call *c, int i)
{
    return i < c->arg_count ? elab_expr(el, c->env, c->args[i])
                            : c->extra[i - c->arg_count];
}

lift_nat call_nat(struct elab *el, const struct call *c, int i)
{
    lift_nat n;

    if (i < c->arg_count)
        return elab_nat(el, c->env, c->args[i]);
    n = elab_value_nat(el, &c->extra[i - c->arg_count]);
    if (!n)
        elab_error(el, call_span(c, i), "expected a size");
    return n;
}

const struct syntax_node *call_syntax(struct elab *el, const struct call *c, int i)
{
    if (i >= c->arg_count)
        elab_error(el, call_span(c, i), "'%s' cannot take this argument here", c->name);
    return c->args[i];
}

struct lift_span call_name_span(const struct call *c)
{
    return c->node->kind == NODE_CALL ? c->node->args[0]->span : c->node->span;
}

void call_arity_error(struct elab *el, const struct call *c, int wanted)
{
    elab_error(el, call_name_span(c), "'%s' expects %d argument%s, but got %d", c->name,
               wanted, wanted == 1 ? "" : "s", call_count(c));
}

struct value call_partial(struct elab *el, const struct call *c)
{
    return elab_make_fun(
        el, (struct closure){.kind = CLOSURE_PARTIAL, .node = c->node, .env = c->env},
        c->node->span);
}

struct value elab_prim(struct elab *el, enum lift_op op,
                       const struct lift_prim_args *args, const struct lift_span *spans,
                       struct lift_span whole)
{
    struct lift_type_error error = {.arg = -1};
    int64_t number;
    lift_expr e;

    if (op == LIFT_NAT && lift_nat_is_const(args->nats[0], &number) &&
        (number > INT32_MAX || number < INT32_MIN))
        elab_error(el, whole, "a size that does not fit in i32");
    e = lift_expr_prim(el->ir, op, args, &error);
    if (!e)
        elab_error(el, error.arg >= 0 && spans ? spans[error.arg] : whole, "%s",
                   error.text);
    if (op == LIFT_TO_GLOBAL && !el->global.end)
        el->global = whole;
    if (op == LIFT_TO_GLOBAL && !el->bound_global.end && e->loose > 0)
        el->bound_global = whole;
    return elab_make_data(el, elab_checked(el, e, whole), whole);
}

/* ---- attributes */

static int attr_value(struct elab *el, const struct lift_attr_info *info,
                      const struct syntax_node *n)
{
    int word = n->kind == NODE_NAME ? lift_attr_value(info, n->text) : -1;

    if (word >= 0)
        return word;
    if (info->words) {
        const char *words = info->words[0];

        for (int i = 1; info->words[i]; i++)
            if (*info->words[i])
                words = lift_arena_printf(el->arena, "%s, %s", words, info->words[i]);
        elab_error(el, n->span, "expected one of %s", words);
    }
    if (n->kind != NODE_INT || n->integer < 0 || n->integer > 1 << 20)
        elab_error(el, n->span, "'%s' expects a small number", info->name);
    return (int)n->integer;
}

static void read_options(struct elab *el, const struct lift_prim_info *info,
                         const struct call *c, int attrs[LIFT_MAX_ATTRS])
{
    for (int i = 0; i < c->node->option_count; i++) {
        const struct syntax_option *o = &c->node->options[i];
        int a = lift_prim_option(info, o->name);

        if (a < 0)
            elab_error(el, o->span, "'%s' has no option '%s'", info->name, o->name);
        attrs[a] = attr_value(el, &info->attrs[a], o->value);
    }
}

/* ---- arguments */

struct slots {
    struct value values[LIFT_MAX_ARGS];
    struct lift_span spans[LIFT_MAX_ARGS];
    int count;
};

static void read_slot(struct elab *el, const struct call *c, int i, struct slots *s)
{
    if (s->count == LIFT_MAX_ARGS)
        elab_error(el, call_span(c, i), "more than %d arguments", LIFT_MAX_ARGS);
    s->spans[s->count] = call_span(c, i);
    s->values[s->count++] = call_value(el, c, i);
}

/* Reads nats, attributes and values in the order of the letters. */
static void read_args(struct elab *el, const struct lift_prim_info *info,
                      const struct call *c, struct lift_prim_args *args, struct slots *s)
{
    int arg = 0, nats = 0, attrs = 0;

    for (const char *p = info->params; *p; p++) {
        if (*p == '1' || *p == '2')
            continue;
        if (*p == 'N')
            args->nats[nats++] = call_nat(el, c, arg++);
        else if (*p == 'A')
            args->attrs.at[attrs] =
                attr_value(el, &info->attrs[attrs], call_syntax(el, c, arg++)),
            attrs++;
        else if (*p == '*')
            while (arg < call_count(c))
                read_slot(el, c, arg++, s);
        else
            read_slot(el, c, arg++, s);
    }
}

/* Types a literal that is the initial value of a reduction. The literal gets the type of
 * the elements, or the type of arithmetic on the elements. */
static void settle_init(struct elab *el, struct slots *s)
{
    lift_type xs = s->values[2].kind == VALUE_DATA ? s->values[2].e->type : NULL;
    enum lift_scalar scalar;

    if (s->values[1].flex == FLEX_NO || !xs || xs->kind != LIFT_TYPE_ARRAY ||
        xs->elem->kind != LIFT_TYPE_SCALAR)
        return;
    scalar = xs->elem->scalar;
    if (lift_scalar_is_storage(scalar))
        scalar = LIFT_F32;
    s->values[1] =
        elab_make_data(el, elab_settle_as(el, &s->values[1], scalar), s->spans[1]);
}

static lift_expr function_arg(struct elab *el, enum lift_op op,
                              const struct lift_prim_args *args, int slot,
                              const struct slots *s)
{
    struct lift_type_error error = {.arg = -1};
    lift_type params[LIFT_MAX_PARAMS];
    const struct value *v = &s->values[slot];
    int count;

    if (v->kind == VALUE_DATA)
        elab_error(el, s->spans[slot], "'%s' expects a function, but got '%s'",
                   lift_prim_info(op)->name, elab_type_text(el, v->e->type));
    count = lift_prim_fun_params(el->ir, op, args, slot, params, &error);
    if (!count)
        elab_error(el, s->spans[error.arg >= 0 ? error.arg : slot], "%s", error.text);
    return elab_lambda(el, v, params, count, params[count]);
}

static struct value build_call(struct elab *el, enum lift_op op, const struct call *c,
                               struct lift_prim_args *args, struct slots *s)
{
    if (lift_op_is_reduce(op))
        settle_init(el, s);
    args->arg_count = s->count;
    for (int i = 0; i < s->count; i++)
        if (!lift_prim_fun_arity(op, i))
            args->args[i] = elab_settled(el, &s->values[i]);
    for (int i = 0; i < s->count; i++)
        if (lift_prim_fun_arity(op, i))
            args->args[i] = function_arg(el, op, args, i, s);
    return elab_prim(el, op, args, s->spans, call_name_span(c));
}

/* Returns true if the call lacks its last argument; reports an error if the call lacks
 * others. */
static bool is_partial(struct elab *el, const struct lift_prim_info *info,
                       const struct call *c)
{
    int wanted = 0, got = call_count(c);
    char last = info->params[strlen(info->params) - 1];

    for (const char *p = info->params; *p; p++)
        wanted += *p != '1' && *p != '2';
    if (last == '*' ? got >= wanted : got == wanted)
        return false;
    if (last != 'E' || got != wanted - 1 || c->extra_count || c->node->kind != NODE_CALL)
        call_arity_error(el, c, wanted);
    return true;
}

static struct value primitive(struct elab *el, enum lift_op op, const struct call *c)
{
    const struct lift_prim_info *info = lift_prim_info(op);
    struct lift_prim_args args = {0};
    struct slots s = {.count = 0};

    if (is_partial(el, info, c))
        return call_partial(el, c);
    if (op == LIFT_USER_FUN)
        return elab_user_fun(el, c);
    read_options(el, info, c, args.attrs.at);
    read_args(el, info, c, &args, &s);
    if (info->level == LIFT_LEVEL_SCALAR &&
        info->params[strspn(info->params, "E")] == '\0')
        return elab_scalar(el, op, s.values, s.count, call_name_span(c));
    return build_call(el, op, c, &args, &s);
}

struct value elab_call(struct elab *el, const struct call *c)
{
    int dims;
    const struct sugar *s = elab_find_sugar(c->name, &dims);
    enum lift_op op = s ? LIFT_OP_COUNT : lift_prim_find(c->name);

    if (s && c->node->option_count)
        elab_error(el, c->node->options[0].span, "'%s' has no options", c->name);
    if (s)
        return elab_sugar(el, s, dims, c);
    if (op == LIFT_OP_COUNT)
        elab_error(el, call_name_span(c), "unknown name '%s'", c->name);
    return primitive(el, op, c);
}

static void not_a_function(struct elab *el, const struct syntax_node *callee)
{
    if (callee->kind == NODE_NAME && elab_is_primitive(callee->text))
        elab_error(el, callee->span,
                   "expected a function, but '%s' is data of the program: '@%s' is the "
                   "primitive",
                   callee->text, callee->text);
    elab_error(el, callee->span, "expected a function, but this is data");
}

static struct value call_function(struct elab *el, const struct env *env,
                                  const struct value *f, const struct syntax_node *n)
{
    struct value args[LIFT_MAX_ARGS] = {0};
    int count = n->arg_count - 1;

    if (f->kind == VALUE_DATA)
        not_a_function(el, n->args[0]);
    if (n->option_count)
        elab_error(el, n->options[0].span, "only primitives have options");
    if (count > LIFT_MAX_ARGS)
        elab_error(el, n->span, "more than %d arguments", LIFT_MAX_ARGS);
    for (int i = 0; i < count; i++)
        args[i] = elab_expr(el, env, n->args[i + 1]);
    return elab_apply(el, f->fun, args, count, n->args[0]->span);
}

struct value elab_call_node(struct elab *el, const struct env *env,
                            const struct syntax_node *n)
{
    const struct syntax_node *callee = n->args[0];
    struct call c = {.name = syntax_bare(callee->text),
                     .node = n,
                     .env = env,
                     .args = n->args + 1,
                     .arg_count = n->arg_count - 1};
    struct value f;

    if (callee->kind == NODE_NAME && !elab_lookup(env, callee->text))
        return elab_call(el, &c);
    f = elab_expr(el, env, callee);
    return call_function(el, env, &f, n);
}
