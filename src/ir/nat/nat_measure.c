/* Bounds of the numbers in nats, so that no source text can cause an overflow. */
#include "base/bug.h"
#include "ir/nat/nat_t.h"

static int64_t add_sat(int64_t a, int64_t b)
{
    int64_t c;

    return __builtin_add_overflow(a, b, &c) ? INT64_MAX : c;
}

static int64_t mul_sat(int64_t a, int64_t b)
{
    int64_t c;

    return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

static int64_t measure_atom(const struct nat_atom *a, lift_nat_weight *weight, void *user)
{
    int64_t x, y;

    if (a->kind == LIFT_ATOM_VAR)
        return weight ? weight(user, a->self) : 2;
    x = lift_nat_measure(a->a, weight, user);
    y = lift_nat_measure(a->b, weight, user);
    return a->kind == LIFT_ATOM_DIV ? mul_sat(2, mul_sat(x, y)) : add_sat(x, y);
}

int64_t lift_nat_measure(lift_nat n, lift_nat_weight *weight, void *user)
{
    int64_t sum = 0;

    for (int i = 0; i < n->count; i++) {
        const struct nat_mono *m = n->terms[i].mono;
        int64_t part = n->terms[i].coef;

        part = part == INT64_MIN ? INT64_MAX : part < 0 ? -part : part;
        for (int f = 0; f < m->count && part < INT64_MAX; f++)
            part = mul_sat(part, measure_atom(m->factors[f], weight, user));
        sum = add_sat(sum, part);
    }
    return sum ? sum : 1;
}

/* A bound for the result of 'a op b'. */
static int64_t predicted(char op, lift_nat a, lift_nat b)
{
    int64_t ma = lift_nat_measure(a, NULL, NULL), mb = lift_nat_measure(b, NULL, NULL);

    if (lift_nat_is_const(a, NULL) && lift_nat_is_const(b, NULL) && op != '*')
        return add_sat(ma, mb);
    switch (op) {
    case '*':
        return mul_sat(ma, mb);
    case '/':
        return mul_sat(2, mul_sat(ma, mb));
    case '%':
        return mul_sat(4, mul_sat(ma, mul_sat(mb, mb)));
    default:
        return add_sat(ma, mb);
    }
}

lift_nat lift_nat_combine(char op, lift_nat a, lift_nat b)
{
    if (predicted(op, a, b) > LIFT_NAT_MOST)
        return NULL;
    switch (op) {
    case '+':
        return lift_nat_add(a, b);
    case '-':
        return lift_nat_sub(a, b);
    case '*':
        return lift_nat_mul(a, b);
    case '/':
        return lift_nat_div(a, b);
    case '%':
        return lift_nat_mod(a, b);
    }
    LIFT_BUG("no operation '%c' of sizes", op);
}

void lift_nat_each_number(lift_nat n, void (*visit)(void *user, int64_t number),
                          void *user)
{
    for (int i = 0; i < n->count; i++) {
        const struct nat_mono *m = n->terms[i].mono;

        visit(user, n->terms[i].coef);
        for (int f = 0; f < m->count; f++)
            if (m->factors[f]->kind != LIFT_ATOM_VAR) {
                lift_nat_each_number(m->factors[f]->a, visit, user);
                lift_nat_each_number(m->factors[f]->b, visit, user);
            }
    }
}
