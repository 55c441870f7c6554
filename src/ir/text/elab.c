/* The environment, and the expressions that are not calls. */
#include "base/memory.h"
#include "ir/text/elab_t.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void elab_init(struct elab *el, struct lift_ir *ir, struct lift_arena *arena,
               const struct lift_source *source, struct lift_error *errors)
{
    *el = (struct elab){.ir = ir, .arena = arena, .source = source, .errors = errors};
    el->real = LIFT_F32;
    el->f32 = lift_type_scalar(ir, LIFT_F32);
    el->f64 = lift_type_scalar(ir, LIFT_F64);
    el->i32 = lift_type_scalar(ir, LIFT_I32);
    el->boolean = lift_type_scalar(ir, LIFT_BOOL);
}

void elab_fini(struct elab *el)
{
    free(el->heights);
    el->heights = NULL;
}

void elab_error(struct elab *el, struct lift_span span, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_vfail_at(el->errors, el->source, span, format, args);
    va_end(args);
    longjmp(el->failed, 1);
}

const char *elab_type_text(struct elab *el, lift_type t)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_type_print(t, &text);
    return lift_arena_strdup(el->arena, lift_str_get(&text));
}

/* ---- limits */

void elab_enter(struct elab *el, struct lift_span span)
{
    if (el->levels >= ELAB_MAX_LEVELS)
        elab_error(el, span, "nested too deeply, the functions that are called included");
    if (el->steps >= ELAB_MAX_STEPS)
        elab_error(el, span,
                   "too large a program, the functions that are called included");
    el->levels++;
    el->steps++;
}

void elab_leave(struct elab *el)
{
    el->levels--;
}

static void grow_heights(struct elab *el, uint32_t id)
{
    uint32_t cap = el->height_cap ? el->height_cap : 1024;

    while (cap <= id)
        cap *= 2;
    el->heights = lift_resize(el->heights, cap, sizeof *el->heights);
    memset(el->heights + el->height_cap, 0, (cap - el->height_cap) * sizeof *el->heights);
    el->height_cap = cap;
}

static uint16_t higher(uint16_t height, int than)
{
    if (than > UINT16_MAX)
        than = UINT16_MAX;
    return height > than ? height : (uint16_t)than;
}

static struct elab_height height_of(struct elab *el, lift_expr e)
{
    struct elab_height height = {1, 1};

    if (e->id >= el->height_cap)
        grow_heights(el, lift_ir_expr_count(el->ir));
    if (el->heights[e->id].bare)
        return el->heights[e->id];
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        struct elab_height h = height_of(el, lift_expr_child(e, i));

        height.bare = higher(height.bare, h.bare + !(i == 0 && lift_expr_is_chained(e)));
        height.chain = higher(height.chain, h.chain + 1);
    }
    el->heights[e->id] = height;
    return height;
}

lift_expr elab_checked(struct elab *el, lift_expr e, struct lift_span span)
{
    if (e->size > ELAB_MAX_NODES)
        elab_error(el, span, "a term of more than %d nodes", ELAB_MAX_NODES);
    if (height_of(el, e).bare > ELAB_MAX_HEIGHT)
        elab_error(el, span, "a term of more than %d levels", ELAB_MAX_HEIGHT);
    if (height_of(el, e).chain > ELAB_MAX_CHAIN)
        elab_error(el, span, "a term of more than %d operators in a row", ELAB_MAX_CHAIN);
    if (!elab_type_in_bounds(e->type))
        elab_error(el, span, "a result whose type is too large");
    return e;
}

/* ---- names. A name with '@' has its meaning in the language; programs declare no such
 * names. */

static const struct env *bind(struct elab *el, struct env entry)
{
    return lift_arena_copy(el->arena, &entry, sizeof entry);
}

const struct env *elab_bind_value(struct elab *el, const struct env *env,
                                  const char *name, struct value value)
{
    return bind(
        el, (struct env){.next = env, .name = name, .kind = ENV_VALUE, .value = value});
}

const struct env *elab_bind_nat(struct elab *el, const struct env *env, const char *name,
                                lift_nat nat)
{
    return bind(el, (struct env){.next = env, .name = name, .kind = ENV_NAT, .nat = nat});
}

const struct env *elab_bind_type(struct elab *el, const struct env *env, const char *name,
                                 lift_type type)
{
    return bind(el,
                (struct env){.next = env, .name = name, .kind = ENV_TYPE, .type = type});
}

const struct env *elab_lookup(const struct env *env, const char *name)
{
    while (env && strcmp(env->name, name) != 0)
        env = env->next;
    return env;
}

bool elab_is_primitive(const char *name)
{
    int dims;

    return lift_prim_find(name) != LIFT_OP_COUNT || elab_find_sugar(name, &dims);
}

/* 'own' is the name with '@'. */
static const struct env *bind_number(struct elab *el, const struct env *env,
                                     const char *own, double number)
{
    struct value v = elab_make_data(el, lift_expr_float(el->ir, LIFT_F64, number),
                                    (struct lift_span){0});

    v.flex = FLEX_FLOAT;
    env = elab_bind_value(el, env, own, v);
    return bind(el, (struct env){.next = env,
                                 .name = syntax_bare(own),
                                 .kind = ENV_VALUE,
                                 .builtin = true,
                                 .value = v});
}

const struct env *elab_prelude(struct elab *el)
{
    const struct env *env = bind_number(el, NULL, "@inf", (double)INFINITY);

    env = bind_number(el, env, "@nan", (double)NAN);
    return bind_number(el, env, "@pi", 3.14159265358979323846);
}

/* ---- values */

struct value elab_make_data(struct elab *el, lift_expr e, struct lift_span span)
{
    return (struct value){.kind = VALUE_DATA, .e = e, .depth = el->depth, .span = span};
}

struct value elab_make_fun(struct elab *el, struct closure c, struct lift_span span)
{
    return (struct value){
        .kind = VALUE_FUN, .fun = lift_arena_copy(el->arena, &c, sizeof c), .span = span};
}

lift_expr elab_here(struct elab *el, const struct value *v)
{
    if (v->kind == VALUE_FUN)
        elab_error(el, v->span, "expected data, but got a function");
    return lift_expr_shift(el->ir, v->e, el->depth - v->depth, 0);
}

lift_expr elab_settled(struct elab *el, const struct value *v)
{
    return elab_settle_as(el, v, v->flex == FLEX_INT ? LIFT_I32 : el->real);
}

lift_expr elab_data(struct elab *el, const struct env *env, const struct syntax_node *n)
{
    struct value v = elab_expr(el, env, n);

    return elab_settled(el, &v);
}

/* ---- expressions */

static struct value elab_name(struct elab *el, const struct env *env,
                              const struct syntax_node *n)
{
    const struct env *entry = elab_lookup(env, n->text);
    lift_nat nat = entry ? entry->nat : NULL;
    struct value v;

    if (nat)
        return elab_prim(el, LIFT_NAT, &(struct lift_prim_args){.nats = {nat}}, NULL,
                         n->span);
    if (entry && entry->kind == ENV_VALUE) {
        v = entry->value;
        v.span = n->span;
        return v;
    }
    if (entry)
        elab_error(el, n->span, "'%s' is a type, not a value", n->text);
    if (!elab_is_primitive(syntax_bare(n->text)))
        elab_error(el, n->span, "unknown name '%s'", n->text);
    return elab_make_fun(
        el, (struct closure){.kind = CLOSURE_PRIM, .node = n, .env = env}, n->span);
}

static struct value elab_tuple(struct elab *el, const struct env *env,
                               const struct syntax_node *n)
{
    struct lift_prim_args args = {.arg_count = n->arg_count};
    struct lift_span spans[LIFT_MAX_ARGS];

    if (n->arg_count > LIFT_MAX_ARGS)
        elab_error(el, n->span, "a tuple of more than %d members", LIFT_MAX_ARGS);
    for (int i = 0; i < n->arg_count; i++) {
        args.args[i] = elab_data(el, env, n->args[i]);
        spans[i] = n->args[i]->span;
    }
    return elab_prim(el, LIFT_TUPLE, &args, spans, n->span);
}

static struct value elab_member(struct elab *el, const struct env *env,
                                const struct syntax_node *n)
{
    struct lift_prim_args args = {.arg_count = 1};

    args.args[0] = elab_data(el, env, n->args[0]);
    args.attrs.get.k = n->integer > INT32_MAX ? INT32_MAX : (int)n->integer;
    return elab_prim(el, LIFT_GET, &args, &n->args[0]->span, n->span);
}

static struct value elab_index(struct elab *el, const struct env *env,
                               const struct syntax_node *n)
{
    struct lift_prim_args args = {.arg_count = 1};

    args.args[0] = elab_data(el, env, n->args[0]);
    args.nats[0] = elab_nat(el, env, n->args[1]);
    return elab_prim(el, LIFT_AT, &args, &n->args[0]->span, n->span);
}

static struct value elab_if(struct elab *el, const struct env *env,
                            const struct syntax_node *n)
{
    struct value v[3];

    for (int i = 0; i < 3; i++)
        v[i] = elab_expr(el, env, n->args[i]);
    return elab_scalar(el, LIFT_SELECT, v, 3, n->span);
}

static struct value elab_pipe(struct elab *el, const struct env *env,
                              const struct syntax_node *n)
{
    struct value x = elab_expr(el, env, n->args[0]);
    struct value f = elab_expr(el, env, n->args[1]);

    if (f.kind != VALUE_FUN)
        elab_error(el, n->args[1]->span, "'|>' expects a function on its right side");
    return elab_apply(el, f.fun, &x, 1, n->span);
}

static struct value elab_compose(struct elab *el, const struct env *env,
                                 const struct syntax_node *n)
{
    struct closure c = {.kind = CLOSURE_COMPOSE};
    struct value side[2];

    for (int i = 0; i < 2; i++) {
        side[i] = elab_expr(el, env, n->args[i]);
        if (side[i].kind == VALUE_DATA)
            elab_error(el, n->args[i]->span, "'>>' expects a function on either side");
    }
    c.f = side[0].fun;
    c.g = side[1].fun;
    return elab_make_fun(el, c, n->span);
}

static struct value dispatch(struct elab *el, const struct env *env,
                             const struct syntax_node *n)
{
    switch (n->kind) {
    case NODE_NAME:
        return elab_name(el, env, n);
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_BOOL:
        return elab_literal(el, n);
    case NODE_UNARY:
        return elab_operator(el, env, n);
    case NODE_BINARY:
        return n->op == TOKEN_PIPE      ? elab_pipe(el, env, n)
               : n->op == TOKEN_COMPOSE ? elab_compose(el, env, n)
                                        : elab_operator(el, env, n);
    case NODE_IF:
        return elab_if(el, env, n);
    case NODE_TUPLE:
        return elab_tuple(el, env, n);
    case NODE_CALL:
        return elab_call_node(el, env, n);
    case NODE_INDEX:
        return elab_index(el, env, n);
    case NODE_MEMBER:
        return elab_member(el, env, n);
    case NODE_LAMBDA:
        return elab_make_fun(
            el, (struct closure){.kind = CLOSURE_LAMBDA, .node = n, .env = env}, n->span);
    case NODE_LET:
        return elab_let(el, env, n);
    default:
        elab_error(el, n->span, "expected an expression");
    }
}

struct value elab_expr(struct elab *el, const struct env *env,
                       const struct syntax_node *n)
{
    struct value v;

    elab_enter(el, n->span);
    v = dispatch(el, env, n);
    elab_leave(el);
    v.span = n->span;
    return v;
}
