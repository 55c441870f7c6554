/* Side conditions of primitives: relations of sizes and tunables without which a term
 * has no value. The tuner derives the constraints of a search space from the side
 * conditions. */
#ifndef IR_CONSTRAINT_H
#define IR_CONSTRAINT_H

#include "ir/expr.h"

enum lift_side_kind {
    LIFT_SIDE_LE,      /* a <= b */
    LIFT_SIDE_DIVIDES, /* a divides b; a >= 1 is a separate condition */
};

/* True if the ranges of the variables prove the condition for all their values. */
bool lift_side_proved(enum lift_side_kind kind, lift_nat a, lift_nat b);

/* A number in a condition of a primitive. */
enum lift_side_number {
    LIFT_SIDE_ZERO,
    LIFT_SIDE_ONE,
    LIFT_SIDE_SIXTEEN,
    LIFT_SIDE_N0,
    LIFT_SIDE_N1,
    LIFT_SIDE_NEXT, /* N0 + 1 */
    LIFT_SIDE_LENGTH,
};

/* A line of ir/prim_sides.def. */
struct lift_prim_side {
    enum lift_op op;
    enum lift_side_number a;
    enum lift_side_kind kind;
    enum lift_side_number b;
    const char *why, *problem;
};

/* The first line of a primitive; the lines of this 'op' are contiguous. NULL: the
 * primitive has none. */
const struct lift_prim_side *lift_prim_sides(enum lift_op op);
/* The value of 'number', given the nats of the node and the length of its last argument
 * (NULL: no array). NULL: 'number' is LENGTH and 'length' is NULL. */
lift_nat lift_side_value(enum lift_side_number number, const lift_nat *nats,
                         lift_nat length);

struct lift_side_condition {
    enum lift_side_kind kind;
    lift_nat a, b;
    const char *why; /* "'split' into equal parts", ...: for reports; static text */
};

struct lift_tunable {
    const char *name, *key; /* lift_nat_tunable */
    int64_t lo, hi;
};

struct lift_side_conditions {
    const struct lift_side_condition *items;
    int count;
    const struct lift_tunable *tunables;
    int tunable_count;
};

/* The side conditions of 'e' that the ranges of the variables do not prove, including
 * conditions that always fail, and the tunables of 'e'. Each occurs once, in postorder.
 * Both lists live in 'arena'. */
struct lift_side_conditions lift_expr_constraints(struct lift_arena *arena, lift_expr e);

#endif
