/* What is known of the sizes of a term that has a value: the side conditions of its
 * primitives (lift/constraint.h), as far as they tell lengths apart. */
#include "rules/read/typing.h"

static void at_least(struct typer *t, int64_t least, const struct nat_pat *n)
{
    size_fact(&t->sizes, COND_LE, size_const(&t->sizes, least), n);
}

static void pad_facts(struct typer *t, const struct pat *p,
                      const struct nat_pat *const *nats, const struct nat_pat *len)
{
    bool fits =
        p->attrs[0].meta < 0 && !lift_pad_is_wide((enum lift_pad_kind)p->attrs[0].value);

    for (int i = 0; i < 2; i++) {
        at_least(t, 0, nats[i]);
        if (fits)
            size_fact(&t->sizes, COND_LE, nats[i], len);
    }
}

void type_facts(struct typer *t, const struct pat *p, const struct nat_pat *const *nats,
                struct ty *last)
{
    struct ty *array = last ? ty_find(last) : NULL;
    const struct nat_pat *len = array && array->kind == TY_ARRAY ? array->len : NULL;

    if (!len)
        return;
    switch (p->op) {
    case LIFT_SPLIT:
    case LIFT_AS_VECTOR:
        at_least(t, 1, nats[0]);
        size_fact(&t->sizes, COND_DIVIDES, nats[0], len);
        break;
    case LIFT_SLIDE:
    case LIFT_MAP_SEQ_SLIDE:
    case LIFT_SLIDE_SHIFT:
        at_least(t, 1, nats[0]);
        at_least(t, 1, nats[1]);
        size_fact(&t->sizes, COND_LE, nats[0], len);
        break;
    case LIFT_TAKE:
    case LIFT_DROP:
        at_least(t, 0, nats[0]);
        size_fact(&t->sizes, COND_LE, nats[0], len);
        break;
    case LIFT_AT:
        at_least(t, 0, nats[0]);
        size_fact(&t->sizes, COND_LT, nats[0], len);
        break;
    case LIFT_PAD:
        pad_facts(t, p, nats, len);
        break;
    default:
        break;
    }
}
