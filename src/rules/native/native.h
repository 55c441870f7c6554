/* Native rules: rules implemented in C. One function inspects a redex and emits its
 * results; another function draws redexes for the check. natives.def has the table. A
 * *.rules file has the numbers, the class and the documentation. */
#ifndef RULES_NATIVE_NATIVE_H
#define RULES_NATIVE_NATIVE_H

#include "lift/build.h"
#include "rules/rule_t.h"

struct rule_native;

struct rule_redex {
    struct lift_ir *ir;
    lift_expr at;                /* the redex; the table gives its root operation */
    struct rule_numbers numbers; /* numbers in the name of the rule */
    const struct rule_native *native;
    struct rule_fresh *fresh;
    struct rule_results *results;
    int first_condition; /* first condition of the next result */
};

typedef void rule_native_fn(struct rule_redex *redex);

struct check_gen; /* check_gen.h */
/* Draws a random redex; NULL if the draw failed. */
typedef lift_expr rule_redex_fn(struct check_gen *gen);

struct rule_native {
    const char *name;  /* name of the rule, without its numbers */
    enum lift_op root; /* root operation of the redexes; LIFT_OP_COUNT: any */
    enum lift_op flat; /* the root if the first number is 1; LIFT_OP_COUNT: any */
    int numbers; /* how many numbers the name has; the last is the number of dimensions */
    rule_native_fn *fn;
    rule_redex_fn *redex; /* NULL: the rule has redex patterns after "like" */
    int most; /* the largest first number; 0: the first number is a dimension */
    rule_native_fn *column; /* rewrites one column; set for rules that rewrite all columns
                               of a stream of planes */
};

/* NULL if no native rule has this name. */
const struct rule_native *rule_native_find(const char *name);

/* Makes a tunable, named by a word of ir/tunable.h and dimension 'index' of the rule (0:
 * the outermost). Words without dimension ignore 'index'. */
lift_nat redex_tunable(struct rule_redex *redex, const char *word, int index, int64_t lo,
                       int64_t hi);
/* Returns the tunable of this word and dimension, which all redexes share; NULL if
 * another variable has the key. */
lift_nat redex_same_tunable(struct rule_redex *redex, const char *word, int index,
                            int64_t lo, int64_t hi);
/* Adds a condition to the next result. Returns false if the condition always fails, or if
 * it has no tunable and cannot be proved. */
bool redex_require(struct rule_redex *redex, enum lift_side_kind kind, lift_nat a,
                   lift_nat b, const char *why);
/* Rejects the redex. 'why', a string literal, gives a reason that a user can act on. */
void redex_refuse(struct rule_redex *redex, const char *why);
/* Adds a result with the conditions added since the last result. NULL (a type error) adds
 * no result. */
void redex_emit(struct rule_redex *redex, lift_expr to);

/* The state of a condition: proved; open, and recorded by rule_condition; or false. */
enum cond_state { COND_PROVED, COND_OPEN, COND_FAILS };
enum cond_state rule_condition(struct rule_results *out, enum lift_side_kind kind,
                               lift_nat a, lift_nat b, const char *why);

#endif
