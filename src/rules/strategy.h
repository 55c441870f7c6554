/* Strategies as data: private to src/rules. */
#ifndef RULE_STRATEGY_H
#define RULE_STRATEGY_H

#include "rule_t.h"

enum strategy_kind {
    STRATEGY_RULE,
    STRATEGY_SEQ,
    STRATEGY_CHOICE, /* the last part of a 'try' is the empty SEQ, which never fails */
    STRATEGY_REPEAT,
    STRATEGY_TOPDOWN,
    STRATEGY_BOTTOMUP,
    STRATEGY_ALL,
    STRATEGY_NORMALISE,
};

struct lift_strategy {
    enum strategy_kind kind;
    const lift_strategy *parts;
    int count;
    const struct lift_rule *const *rules; /* RULE: one; NORMALISE */
    int rule_count;
    int max; /* REPEAT, NORMALISE */
};

#endif
