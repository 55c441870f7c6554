/* Constants: an expression without inputs, evaluated once by the interpreter. */
#include "ir/text/elab_t.h"
#include "lift/eval.h"
#include <math.h>

static const struct value none = {0};

enum { MAX_CONST_STEPS = 100000 };

static bool evaluate(struct elab *el, lift_expr e, struct lift_span span,
                     struct lift_value *out)
{
    struct lift_eval_env env = {.max_steps = MAX_CONST_STEPS};
    LIFT_SCOPED(lift_str) why = {0};

    if (e->type->kind != LIFT_TYPE_SCALAR)
        elab_error(el, span, "a constant is a number or a condition");
    else if (e->loose || !lift_eval(&env, e, el->arena, out, &why))
        elab_error(el, span, "not a constant: %s",
                   why.len ? lift_str_get(&why) : "it depends on a variable");
    return !el->failed;
}

static lift_expr literal(struct elab *el, lift_type t, struct lift_value v)
{
    if (v.kind == LIFT_VALUE_FLOAT) /* there is one NaN only */
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
    struct lift_value number;

    if (!e || (e->kind != LIFT_EXPR_LIT && !evaluate(el, e, n->span, &number)))
        return none;
    out = elab_make_data(el, e->kind == LIFT_EXPR_LIT ? e : literal(el, e->type, number),
                         n->span);
    out.flex = v.flex;
    if (v.flex == FLEX_NO && lift_type_is_scalar(e->type, LIFT_I32))
        out.flex = FLEX_INT;
    return out;
}

bool elab_const_number(struct elab *el, const struct env *env,
                       const struct syntax_node *n, enum lift_scalar scalar, double *out)
{
    struct value v = elab_const(el, env, n);
    lift_expr e = elab_settle_as(el, &v, scalar);

    if (!e)
        return false;
    if (!lift_type_is_scalar(e->type, scalar))
        return elab_error(el, n->span, "expected a number of type '%s'",
                          lift_scalar_name(scalar));
    *out = lift_scalar_is_real(scalar) ? e->u.number : (double)e->u.integer;
    return true;
}
