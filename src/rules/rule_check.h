/* The soundness check of rules: a random test that can refute rules, but cannot prove
 * rules. The check instantiates every rule with many random well-typed terms. Terms have
 * sizes 1..24, all small windows, steps and tiles, and all kinds of boundary. Functions
 * depend on order and on outer variables. The interpreter evaluates both sides on random
 * inputs; the check compares the values. */
#ifndef RULES_RULE_CHECK_H
#define RULES_RULE_CHECK_H

#include "ir/eval.h"
#include "rules/rule.h"

struct lift_check_options {
    int instances; /* for each rule; 0: 1000 */
    int jobs;      /* processes that share the rules; 0 or 1: the calling process alone */
    uint64_t seed;
    double seconds; /* limit of processor time for each rule; 0: 60 */
    /* Evaluates C functions in rules (tuner/functions.h); may be NULL. If set, at least
     * one child process checks the rules and makes the calls. 'lost' describes the wait
     * status of a crashed child. */
    lift_user_fun *user_fun;
    void (*lost)(void *user, int status, struct lift_str *out);
    void *user;
};

enum lift_check_verdict {
    LIFT_CHECK_PASSED,
    LIFT_CHECK_REFUTED,   /* a counterexample: values or types differ, or one side has no
                             value */
    LIFT_CHECK_ILL_TYPED, /* the right-hand side of an instance has a type error */
    LIFT_CHECK_TOO_FEW,   /* too few instances could be built; a failure */
    LIFT_CHECK_CRASHED,   /* the checking process crashed: a bug in a native rule or in a
                             C function */
};

struct lift_check_report {
    const struct lift_rule *rule;
    enum lift_check_verdict verdict;
    int instances; /* number of compared instances */
    int tried;     /* number of draws, including instances that did not fit */
    double seconds;
    const char
        *detail; /* smallest counterexample: both terms, inputs and results; "" if none */
};

/* Checks 'count' rules and calls 'visit' for each rule, in order. 'detail' is valid
 * during the call. Returns true if all rules passed. The reports depend on the seed and
 * not on the number of jobs. */
typedef void lift_check_visit(void *user, const struct lift_check_report *report);
bool lift_rules_check(const struct lift_rule *const *rules, int count,
                      const struct lift_check_options *options, lift_check_visit *visit,
                      void *user);
const char *lift_check_verdict_name(enum lift_check_verdict verdict);

#endif
