/* What must hold of sizes and tunables for a term to have a value: the side conditions of
 * its primitives. The constraints of a tuning space are made from these. */
#ifndef IR_CONSTRAINT_H
#define IR_CONSTRAINT_H

#include "ir/expr.h"

enum lift_side_kind {
    LIFT_SIDE_LE,      /* a <= b */
    LIFT_SIDE_DIVIDES, /* a divides b; that a >= 1 is a condition of its own */
};

/* True if it holds for all values of the variables, as far as their ranges tell. */
bool lift_side_proved(enum lift_side_kind kind, lift_nat a, lift_nat b);

/* A number in a condition of a primitive. */
enum lift_side_number {
    LIFT_SIDE_ZERO,
    LIFT_SIDE_ONE,
    LIFT_SIDE_SIXTEEN,
    LIFT_SIDE_N0,
    LIFT_SIDE_N1,
    LIFT_SIDE_NEXT, /* that after N0 */
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

/* The first line of a primitive, its others behind it, as far as their 'op' is the same;
 * NULL if it has none. */
const struct lift_prim_side *lift_prim_sides(enum lift_op op);
/* Such a number, given the nats of the node and the length of its last argument, NULL if
 * that is no array; NULL if it is that. */
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

/* The side conditions of all primitives in 'e' that cannot be proved from the ranges of
 * the variables, each once, and the tunables that 'e' mentions, each once; both in the
 * order in which a walk from the leaves up meets them. The lists live in 'arena'. A
 * condition that is known to fail is among them. */
struct lift_side_conditions lift_expr_constraints(struct lift_arena *arena, lift_expr e);

#endif
