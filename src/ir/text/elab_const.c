/* Constants: the interpreter evaluates an expression without inputs once. */
#include "ir/eval.h"
#include "ir/text/elab_t.h"
#include <math.h>

enum { MAX_CONST_STEPS = 100000 };

/* Returns NULL, or the reason why 'e' has no value. */
static const char *evaluate(struct elab *el, lift_expr e, struct lift_value *out)
{
    struct lift_eval_env env = {.max_steps = MAX_CONST_STEPS};
    LIFT_SCOPED(lift_str) why = {0};

    if (e->loose)
        return "it depends on a variable";
    return lift_eval(&env, e, el->arena, out, &why)
               ? NULL
               : lift_arena_strdup(el->arena, lift_str_get(&why));
}

static lift_expr literal(struct elab *el, lift_expr e, struct lift_span span)
{
    lift_type t = e->type;
    struct lift_value v;
    const char *why;

    if (e->kind == LIFT_EXPR_LIT)
        return e;
    if (t->kind != LIFT_TYPE_SCALAR)
        elab_error(el, span, "a constant is a number or a condition");
    why = evaluate(el, e, &v);
    if (why)
        elab_error(el, span, "not a constant: %s", why);
    if (v.kind == LIFT_VALUE_FLOAT) /* makes all NaN equal */
        return lift_expr_float(el->ir, t->scalar,
                               isnan(v.u.number) ? (double)NAN : v.u.number);
    return v.kind == LIFT_VALUE_BOOL ? lift_expr_bool(el->ir, v.u.integer)
                                     : lift_expr_int(el->ir, v.u.integer);
}

struct value elab_const(struct elab *el, const struct env *env,
                        const struct syntax_node *n)
{
    struct value v = elab_expr(el, env, n), out;
    lift_expr e = elab_here(el, &v);

    out = elab_make_data(el, literal(el, e, n->span), n->span);
    out.flex = v.flex;
    if (v.flex == FLEX_NO && lift_type_is_scalar(e->type, LIFT_I32))
        out.flex = FLEX_INT;
    return out;
}

double elab_const_number(struct elab *el, const struct env *env,
                         const struct syntax_node *n, enum lift_scalar scalar)
{
    struct value v = elab_const(el, env, n);
    lift_expr e = elab_settle_as(el, &v, scalar);

    if (!lift_type_is_scalar(e->type, scalar))
        elab_error(el, n->span, "expected a number of type '%s'",
                   lift_scalar_name(scalar));
    return lift_scalar_is_real(scalar) ? e->u.number : (double)e->u.integer;
}
