/* What is known of the sizes of a term that has a value: the side conditions of its
 * primitives (ir/constraint.h), as far as they tell lengths apart. */
#include "rules/read/typing.h"

/* Numbers as in ir/prim_sides.def. */
static lift_nat number(struct typer *t, enum lift_side_number which, const lift_nat *nats,
                       lift_nat len)
{
    switch (which) {
    case LIFT_SIDE_N0:
    case LIFT_SIDE_N1:
        return nats[which - LIFT_SIDE_N0];
    case LIFT_SIDE_NEXT:
        return size_make(&t->sizes, '+', nats[0], size_const(&t->sizes, 1));
    case LIFT_SIDE_LENGTH:
        return len;
    default:
        return size_const(&t->sizes, which == LIFT_SIDE_SIXTEEN ? 16 : (int)which);
    }
}

void type_facts(struct typer *t, const struct pat *p, const lift_nat *nats,
                struct ty *last)
{
    struct ty *array = last ? ty_find(last) : NULL;
    lift_nat len = array && array->kind == TY_ARRAY ? array->len : NULL;
    bool fits = p->op == LIFT_PAD && p->attrs[0].meta < 0 &&
                !lift_pad_is_wide((enum lift_pad_kind)p->attrs[0].value);

    if (!len)
        return;
    for (const struct lift_prim_side *s = lift_prim_sides(p->op); s && s->op == p->op;
         s++)
        size_fact(&t->sizes, s->kind == LIFT_SIDE_LE ? COND_LE : COND_DIVIDES,
                  number(t, s->a, nats, len), number(t, s->b, nats, len));
    for (int i = 0; fits && i < 2; i++)
        size_fact(&t->sizes, COND_LE, nats[i], len);
}
