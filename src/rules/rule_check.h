/* The soundness check of rules: proves nothing, but tries hard to refute. Every rule is
 * instantiated many times with random well-typed terms (sizes 1..24, all small windows,
 * steps and tiles, functions that depend on order and on outer variables, all kinds of
 * boundary); both sides are evaluated by the interpreter on random inputs and compared.
 */
#ifndef RULES_RULE_CHECK_H
#define RULES_RULE_CHECK_H

#include "ir/eval.h"
#include "rules/rule.h"

struct lift_check_options {
    int instances; /* wanted for each rule; 0: 1000 */
    int jobs;      /* processes that share the rules; 0 or 1: this one alone */
    uint64_t seed;
    double seconds; /* of processor time, for each rule; 0: 60 */
    /* What C functions mean, if rules carry any (tuner/functions.h): NULL, or called in
     * processes that share the rules, of which there is one at least. 'lost' says what
     * became of one by its wait status. */
    lift_user_fun *user_fun;
    void (*lost)(void *user, int status, struct lift_str *out);
    void *user;
};

enum lift_check_verdict {
    LIFT_CHECK_PASSED,
    LIFT_CHECK_REFUTED,   /* a counterexample was found: another value, none, another type
                           */
    LIFT_CHECK_ILL_TYPED, /* the right-hand side of an instance cannot be typed */
    LIFT_CHECK_TOO_FEW,   /* not enough instances could be built: a failure too */
    LIFT_CHECK_CRASHED,   /* the process that checked it ended: a bug in a native rule, or
                             in a C function */
};

struct lift_check_report {
    const struct lift_rule *rule;
    enum lift_check_verdict verdict;
    int instances; /* compared */
    int tried;     /* drawn, the ones that did not fit included */
    double seconds;
    const char
        *detail; /* smallest counterexample: both terms, inputs and results; else "" */
};

/* Checks 'count' rules and calls 'visit' for each, in their order; 'detail' is valid
 * during the call. True if all passed. Same seed, same reports, whatever the number of
 * jobs. */
typedef void lift_check_visit(void *user, const struct lift_check_report *report);
bool lift_rules_check(const struct lift_rule *const *rules, int count,
                      const struct lift_check_options *options, lift_check_visit *visit,
                      void *user);
const char *lift_check_verdict_name(enum lift_check_verdict verdict);

#endif
