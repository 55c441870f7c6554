/* One attempt to refute a rule: shared by check.c (the campaign) and check_case.c. */
#ifndef RULES_CHECK_CHECK_H
#define RULES_CHECK_CHECK_H

#include "ir/value.h"
#include "rules/check/check_gen.h"
#include "rules/rule_check.h"

enum case_outcome {
    CASE_NO_DRAW, /* the draw failed, a condition fails, or the redex has no value */
    CASE_AGREES,
    CASE_ILL_TYPED,  /* the right-hand side has a type error */
    CASE_OTHER_TYPE, /* the types of the two sides differ */
    CASE_DIFFERS,    /* the values differ, or the right-hand side has no value */
};

struct check_case {
    const struct lift_rule *rule;
    const struct lift_check_options *options;
    struct lift_rng *rng;
    struct check_marks *marks; /* of the rule, and of its tunables drawn so far */
    int max_len, fuel;
    bool plain;   /* the redex is the whole term, never inside a function */
    int64_t code; /* selects small sizes; -1: random sizes */
    bool round;   /* round the inputs to multiples of 1/4 */
    int special;  /* percent of the inputs that are -0, infinite, NaN, subnormal, ... */
    enum case_outcome outcome;
    int agreed;           /* results with equal values: several for a native rule */
    uint32_t measure;     /* size of the counterexample */
    struct lift_str text; /* the counterexample; "" if none */
};

/* Draws one redex and checks every result of the rule on it. Replaces 'text' if a result
 * fails. */
void check_case_run(struct check_case *c);

/* Compares two values by the soundness class of the rule; writes the first difference to
 * 'where'. 'most' is the largest magnitude of the inputs. */
enum case_outcome check_compare(const struct lift_rule *rule, double most,
                                struct lift_value a, struct lift_value b,
                                struct lift_str *where);

/* check.c: checks one rule with all its instances. */
void check_rule(const struct lift_rule *rule, const struct lift_check_options *options,
                lift_check_visit *visit, void *user);

#endif
