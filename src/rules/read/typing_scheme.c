/* Schemes of primitives (ir/scheme.h) as types of patterns. */
#include "rules/read/typing.h"

/* What the names stand for, and what they stand for in the repetition at hand. */
struct instance {
    struct typer *t;
    const struct lift_scheme *s;
    struct ty *types[LIFT_SCHEME_NAMES][LIFT_MAX_ARGS];
    lift_nat sizes[LIFT_SCHEME_NAMES][LIFT_MAX_ARGS];
    int each, count;
};

static lift_nat size_of(struct instance *x, const struct lift_scheme_size *p)
{
    struct sizes *sizes = &x->t->sizes;
    lift_nat a, *known;

    if (p->op == '1')
        return size_const(sizes, p->value);
    if (p->op == 'n') {
        known = &x->sizes[p->value][x->s->names[p->value].each ? x->each : 0];
        *known = *known ? *known : size_unknown(sizes);
        return *known;
    }
    a = size_of(x, p->a);
    for (int i = 1; i < (p->more ? x->count : 2); i++) {
        x->each = p->more ? i : x->each;
        a = size_make(sizes, p->op, a, size_of(x, p->b));
    }
    return a;
}

/* Lanes of vectors are numbers in rules. */
static struct ty *type_of(struct instance *x, const struct lift_scheme_type *p)
{
    struct ty *parts[LIFT_MAX_ARGS], *elem, **known;
    const struct lift_scheme_name *name = &x->s->names[p->name];
    int count = p->more ? x->count : p->count;

    switch (p->kind) {
    case SCHEME_NAME:
        known = &x->types[p->name][name->each ? x->each : 0];
        *known =
            *known ? *known
                   : ty_var(x->t, name->heads == HEADS_LANE ? HEADS_SCALAR : name->heads);
        return *known;
    case SCHEME_SCALAR:
        return ty_scalar(x->t, p->scalar);
    case SCHEME_ARRAY:
        elem = type_of(x, p->elem);
        return ty_array(x->t, elem, size_of(x, p->len));
    case SCHEME_VECTOR:
        elem = type_of(x, p->elem);
        return ty_vector(x->t, elem, size_of(x, p->len));
    case SCHEME_TUPLE:
        for (int i = 0; i < count; i++) {
            x->each = p->more ? i : x->each;
            parts[i] = type_of(x, p->parts[i < p->count ? i : p->count - 1]);
        }
        return ty_tuple(x->t, parts, count, false);
    }
    return NULL;
}

void scheme_signature(struct typer *t, const struct lift_scheme *s, int count,
                      const lift_nat *nats, struct signature *out)
{
    struct instance x = {.t = t, .s = s, .count = count};

    *out = (struct signature){.result = NULL};
    for (int i = 0; i < LIFT_MAX_NATS && nats[i]; i++)
        x.sizes[s->nats[i]][0] = nats[i];
    for (x.each = 0; x.each < count; x.each++) {
        const struct lift_scheme_slot *slot = lift_scheme_slot(s, x.each);

        for (int k = 0; k < slot->arity; k++)
            out->params[x.each][k] = type_of(&x, slot->params[k]);
        if (slot->arity)
            out->fun_results[x.each] = type_of(&x, slot->type);
        else
            out->args[x.each] = type_of(&x, slot->type);
    }
    out->result = type_of(&x, s->result);
}
