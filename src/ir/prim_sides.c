#include "ir/constraint.h"

static const struct lift_prim_side sides[] = {
#define SIDE(op, a, kind, b, why, problem)                                               \
    {LIFT_##op, LIFT_SIDE_##a, LIFT_SIDE_##kind, LIFT_SIDE_##b, why, problem},
#include "ir/prim_sides.def"
    {.op = LIFT_OP_COUNT},
};

const struct lift_prim_side *lift_prim_sides(enum lift_op op)
{
    const struct lift_prim_side *s = sides;

    if (lift_prim_info(op)->nat_count == 0)
        return NULL;
    while (s->op != op && s->op != LIFT_OP_COUNT)
        s++;
    return s->op == op ? s : NULL;
}

lift_nat lift_side_value(enum lift_side_number number, const lift_nat *nats,
                         lift_nat length)
{
    static const int64_t numbers[] = {
        [LIFT_SIDE_ZERO] = 0, [LIFT_SIDE_ONE] = 1, [LIFT_SIDE_SIXTEEN] = 16};

    switch (number) {
    case LIFT_SIDE_N0:
    case LIFT_SIDE_N1:
        return nats[number - LIFT_SIDE_N0];
    case LIFT_SIDE_NEXT:
        return lift_nat_add_const(nats[0], 1);
    case LIFT_SIDE_LENGTH:
        return length;
    default:
        return lift_nat_const(lift_nat_pool(nats[0]), numbers[number]);
    }
}
