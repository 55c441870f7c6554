/* One attempt to refute a rule: shared by check.c (the campaign) and check_case.c. */
#ifndef RULES_CHECK_CHECK_H
#define RULES_CHECK_CHECK_H

#include "ir/value.h"
#include "rules/check/check_gen.h"
#include "rules/rule_check.h"

enum case_outcome {
    CASE_NO_DRAW, /* no redex came of it, or the rule's conditions fail, or no value */
    CASE_AGREES,
    CASE_ILL_TYPED,  /* the right-hand side cannot be built */
    CASE_OTHER_TYPE, /* it can, but has another type */
    CASE_DIFFERS,    /* it has another value, or none */
};

struct check_case {
    const struct lift_rule *rule;
    const struct lift_check_options *options;
    struct lift_rng *rng;
    struct check_marks *marks; /* of the rule, and of its tunables as they are met */
    int max_len, fuel;
    bool plain;   /* the redex by itself, never inside a function */
    int64_t code; /* which small sizes, -1: random ones */
    bool round;   /* inputs are multiples of 1/4 */
    int special;  /* percent of the inputs that are -0, infinite, NaN, subnormal, ... */
    enum case_outcome outcome;
    int agreed;       /* results compared and found equal: several for a native rule */
    uint32_t measure; /* size of the counterexample */
    struct lift_str text; /* the counterexample, if there is one */
};

/* Draws one redex and checks every result of the rule on it. 'text' is replaced. */
void check_case_run(struct check_case *c);

/* Whether two values agree as the class of the rule promises; 'where' says at which
 * element they do not. 'most' is the magnitude of the inputs. */
enum case_outcome check_compare(const struct lift_rule *rule, double most,
                                struct lift_value a, struct lift_value b,
                                struct lift_str *where);

/* check.c: all instances of one rule. */
void check_rule(const struct lift_rule *rule, const struct lift_check_options *options,
                lift_check_visit *visit, void *user);

#endif
