/* Sizes and types.
 *
 * Numbers are limited to LIFT_NAT_MOST, so that no operation on nats can overflow. A
 * larger number is an error. */
#include "ir/cut.h"
#include "ir/text/elab_t.h"
#include "lift/build.h"
#include <string.h>

/* True if no number of elements is too large. Types share their parts, so a small type
 * may be a huge tree: visits at most 'budget' nodes. */
static bool in_bounds(lift_type t, int *budget)
{
    int64_t points = 1;

    if (--*budget < 0)
        return false;
    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        if (__builtin_mul_overflow(points, lift_nat_measure(t->len, NULL, NULL),
                                   &points) ||
            points > LIFT_NAT_MOST)
            return false;
    for (int i = 0; t->parts && i < t->count; i++)
        if (!in_bounds(t->parts[i], budget))
            return false;
    return t->kind != LIFT_TYPE_FUN || in_bounds(t->elem, budget);
}

bool elab_type_in_bounds(lift_type t)
{
    int budget = ELAB_MAX_TYPE;

    return in_bounds(t, &budget);
}

/* ---- sizes */

lift_nat elab_value_nat(struct elab *el, const struct value *v)
{
    if (v->kind != VALUE_DATA)
        return NULL;
    if (v->e->kind == LIFT_EXPR_LIT && lift_type_is_scalar(v->e->type, LIFT_I32))
        return lift_nat_const(lift_ir_nats(el->ir), v->e->u.integer);
    return lift_expr_is(v->e, LIFT_NAT) ? v->e->u.prim.nats[0] : NULL;
}

static lift_nat nat_name(struct elab *el, const struct env *env,
                         const struct syntax_node *n)
{
    const struct env *entry = elab_lookup(env, n->text);
    lift_nat nat = NULL;

    if (entry && entry->kind == ENV_NAT)
        return entry->nat;
    if (entry && entry->kind == ENV_VALUE)
        nat = elab_value_nat(el, &entry->value);
    if (nat && lift_nat_measure(nat, NULL, NULL) > LIFT_NAT_MOST)
        elab_error(el, n->span, "a size that is too large");
    if (nat)
        return nat;
    if (entry)
        elab_error(el, n->span, "expected a size, but '%s' is none", n->text);
    elab_error(el, n->span, "unknown size '%s'", n->text);
}

struct size_reader {
    struct elab *el;
    const struct env *env;
};

/* The value of a name or a call. A program function that hides a function of sizes is an
 * error. */
static lift_nat leaf(void *user, const struct syntax_node *n)
{
    const struct size_reader *r = user;
    const struct env *own;
    const char *name;

    if (n->kind == NODE_NAME)
        return nat_name(r->el, r->env, n);
    if (n->kind != NODE_CALL)
        return NULL;
    name = n->args[0]->kind == NODE_NAME ? n->args[0]->text : "";
    own = elab_lookup(r->env, name);
    if (own && own->kind == ENV_VALUE && own->value.kind == VALUE_FUN &&
        (strcmp(name, "min") == 0 || strcmp(name, "max") == 0 ||
         strcmp(name, "ceil") == 0))
        elab_error(r->el, n->span,
                   "expected a size, but '%s' is a function of the program: '@%s' is the "
                   "one of sizes",
                   name, name);
    return NULL;
}

static void fail(void *user, struct lift_span span, const char *text)
{
    elab_error(((struct size_reader *)user)->el, span, "%s", text);
}

lift_nat elab_nat(struct elab *el, const struct env *env, const struct syntax_node *n)
{
    struct size_reader r = {el, env};
    struct syntax_sizes sizes = {lift_ir_nats(el->ir), leaf, fail, &r};
    lift_nat nat;

    elab_enter(el, n->span);
    nat = syntax_size(&sizes, n);
    elab_leave(el);
    return nat;
}

/* ---- types */

bool elab_scalar_word(const char *word, enum lift_scalar *out)
{
    static const struct {
        const char *word;
        enum lift_scalar scalar;
    } words[] = {
        {"f32", LIFT_F32},    {"f64", LIFT_F64},    {"i32", LIFT_I32},
        {"bool", LIFT_BOOL},  {"Float", LIFT_F32},  {"float", LIFT_F32},
        {"Double", LIFT_F64}, {"double", LIFT_F64}, {"Int", LIFT_I32},
        {"int", LIFT_I32},    {"Bool", LIFT_BOOL},  {"f16", LIFT_F16},
        {"bf16", LIFT_BF16},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) {
            *out = words[i].scalar;
            return true;
        }
    return false;
}

static lift_type type_name(struct elab *el, const struct env *env,
                           const struct syntax_node *n)
{
    const struct env *entry = elab_lookup(env, n->text);
    enum lift_scalar scalar;

    if (entry && entry->kind == ENV_TYPE)
        return entry->type;
    if (!elab_scalar_word(n->text, &scalar))
        elab_error(el, n->span, "unknown type '%s'", n->text);
    return lift_type_scalar(el->ir, scalar);
}

static lift_type type_vector(struct elab *el, const struct syntax_node *n)
{
    enum lift_scalar scalar;
    int64_t width = n->args[0]->integer;

    if (!elab_scalar_word(n->text, &scalar) || scalar == LIFT_BOOL)
        elab_error(el, n->span, "expected a vector of f32, f64 or i32");
    if (width < 1 || width > 64)
        elab_error(el, n->args[0]->span, "the width of a vector is from 1 to 64");
    return lift_type_vector(el->ir, scalar, (int)width);
}

static lift_type type_array(struct elab *el, const struct env *env,
                            const struct syntax_node *n)
{
    lift_type elem = elab_type(el, env, n->args[0]), t;
    lift_nat len = elab_nat(el, env, n->args[1]);

    if (!lift_type_is_data(elem))
        elab_error(el, n->args[0]->span, "an array of functions");
    if (lift_nat_hi(len) < 0)
        elab_error(el, n->args[1]->span, "an array of negative length");
    t = lift_type_array(el->ir, elem, len);
    if (!elab_type_in_bounds(t))
        elab_error(el, n->span, "a type that is too large");
    return t;
}

static lift_type type_list(struct elab *el, const struct env *env,
                           const struct syntax_node *n)
{
    lift_type parts[LIFT_MAX_ARGS + 1];
    int count = n->arg_count - (n->kind == NODE_TYPE_FUN);
    int limit = n->kind == NODE_TYPE_FUN ? LIFT_MAX_PARAMS : LIFT_MAX_ARGS;
    lift_type t;

    if (count > limit)
        elab_error(el, n->span, "more than %d types", limit);
    for (int i = 0; i < n->arg_count; i++) {
        parts[i] = elab_type(el, env, n->args[i]);
        if (n->kind == NODE_TYPE_TUPLE && !lift_type_is_data(parts[i]))
            elab_error(el, n->args[i]->span, "a tuple of functions");
    }
    t = n->kind == NODE_TYPE_FUN ? lift_type_fun(el->ir, parts, count, parts[count])
                                 : lift_type_tuple(el->ir, parts, count);
    if (!elab_type_in_bounds(t))
        elab_error(el, n->span, "a type that is too large");
    return t;
}

lift_type elab_type(struct elab *el, const struct env *env, const struct syntax_node *n)
{
    lift_type t;

    elab_enter(el, n->span);
    if (n->kind == NODE_TYPE_NAME)
        t = type_name(el, env, n);
    else if (n->kind == NODE_TYPE_VECTOR)
        t = type_vector(el, n);
    else if (n->kind == NODE_TYPE_ARRAY)
        t = type_array(el, env, n);
    else if (n->kind == NODE_TYPE_STORE) {
        t = elab_type(el, env, n->args[0]);
        t = elab_stored_type(el, t, elab_storage_word(el, n->text, n->span), n->span);
    } else
        t = type_list(el, env, n);
    elab_leave(el);
    return t;
}
