/* Storage types, 'store f16': the type in memory differs from the type of computation. */
#include "base/bug.h"
#include "ir/text/elab_t.h"
#include "lift/build.h"
#include <string.h>

enum lift_scalar elab_storage_word(struct elab *el, const char *word,
                                   struct lift_span span)
{
    enum lift_scalar scalar;

    if (!elab_scalar_word(word, &scalar) || !lift_scalar_is_storage(scalar))
        elab_error(el, span, "expected f16 or bf16 behind 'store', but got '%s'", word);
    return scalar;
}

lift_type elab_stored_type(struct elab *el, lift_type t, enum lift_scalar scalar,
                           struct lift_span span)
{
    if (t->kind == LIFT_TYPE_SCALAR && lift_scalar_is_real(t->scalar))
        return lift_type_scalar(el->ir, scalar);
    if (t->kind != LIFT_TYPE_ARRAY)
        elab_error(el, span, "only arrays of floating-point numbers can be stored as %s",
                   lift_scalar_name(scalar));
    return lift_type_array(el->ir, elab_stored_type(el, t->elem, scalar, span), t->len);
}

void elab_storage(struct elab *el, struct elab_storage *s, int i, lift_type t,
                  const char *word, struct lift_span span)
{
    s->as[i] = elab_storage_word(el, word, span);
    if (lift_type_is_scalar(lift_type_base(t), s->as[i]))
        return;
    s->any = s->known[i] = true;
    elab_stored_type(el, t, s->as[i], span);
}

/* Converts by an additional map, for elements that this term does not compute. */
static lift_expr stored_elements(struct lift_ir *ir, lift_expr e,
                                 const struct elab_storage *s)
{
    lift_type base = lift_type_base(e->type);
    const char *name = "x";
    lift_expr body = elab_stored(ir, lift_expr_bound(ir, 0, base), s);

    return lift_map_n(ir, lift_type_rank(e->type),
                      lift_expr_lambda(ir, &base, 1, &name, body), e);
}

static lift_expr stored_members(struct lift_ir *ir, lift_expr e,
                                const struct elab_storage *s)
{
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < s->count; i++) {
        struct elab_storage one = {1, s->known[i], {s->known[i]}, {s->as[i]}};

        members[i] = lift_expr_is(e, LIFT_TUPLE) ? e->u.prim.args[i] : lift_get(ir, i, e);
        members[i] = elab_stored(ir, members[i], &one);
    }
    return lift_call(ir, LIFT_TUPLE, members, s->count);
}

/* Converts in the function of a map and the body of a let, so that loops are unchanged.
 */
lift_expr elab_stored(struct lift_ir *ir, lift_expr e, const struct elab_storage *s)
{
    int f = lift_expr_is(e, LIFT_MAP) ? 0 : lift_expr_is(e, LIFT_LET) ? 1 : -1;
    struct lift_prim_args args;
    lift_expr of;

    if (!s->any)
        return e;
    if (f >= 0 || lift_expr_is(e, LIFT_UNZIP)) {
        lift_expr_args(e, &args);
        f = f < 0 ? 0 : f;
        of = args.args[f];
        args.args[f] =
            of->kind == LIFT_EXPR_LAMBDA
                ? lift_expr_lambda(ir, of->type->parts, of->arg_count, of->u.lambda.names,
                                   elab_stored(ir, of->u.lambda.body, s))
                : elab_stored(ir, of, s);
        return lift_expr_prim(ir, e->op, &args, NULL);
    }
    if (e->type->kind == LIFT_TYPE_TUPLE)
        return stored_members(ir, e, s);
    if (e->type->kind != LIFT_TYPE_SCALAR)
        return stored_elements(ir, e, s);
    if (!lift_type_is_scalar(e->type, LIFT_F32))
        e = lift_call1(ir, LIFT_TO_F32, e);
    return lift_call1(ir, elab_storing_op(s->as[0]), e);
}
