/* Nats compiled to a short postfix program over the values of a space's parameters,
 * since constraints are evaluated millions of times. */
#ifndef TUNER_SPACE_SPACE_EVAL_H
#define TUNER_SPACE_SPACE_EVAL_H

#include "tuner/space.h"

enum tuner_op {
    TUNER_OP_CONST,
    TUNER_OP_PARAM,
    TUNER_OP_ADD,
    TUNER_OP_MUL,
    TUNER_OP_DIV,
    TUNER_OP_MIN,
    TUNER_OP_MAX,
};

struct tuner_insn {
    enum tuner_op op;
    int64_t value; /* the constant, or the parameter's index */
};

struct tuner_code {
    struct tuner_insn *insns;
    int count;
    uint32_t params; /* bit i: parameter i occurs */
};

/* Compiles a nat. A variable that is not a parameter is a bug: the sizes of a problem
 * are numbers. */
struct tuner_code tuner_compile(struct lift_arena *arena, lift_nat n,
                                const struct lift_param *params, int param_count);
/* Returns false if the value does not exist (a divisor below 1) or does not fit. */
bool tuner_eval(const struct tuner_code *code, const int64_t *values, int64_t *result);

struct tuner_range {
    int64_t lo, hi;
};

/* Computes bounds of the value, given the range of each parameter. Returns false if
 * the value may not exist or not fit; bounds are then unknown. */
bool tuner_bounds(const struct tuner_code *code, const struct tuner_range *params,
                  struct tuner_range *result);

#endif
