/* Rules backed by a C function. A native rule is one function that looks at a redex and
 * emits what it may become, and one that draws redexes for the check; natives.c has the
 * table, and a *.rules file the numbers, the class and the documentation. */
#ifndef RULES_NATIVE_NATIVE_H
#define RULES_NATIVE_NATIVE_H

#include "lift/build.h"
#include "rules/rule_t.h"

struct rule_native;

struct rule_redex {
    struct lift_ir *ir;
    lift_expr at; /* the redex; of the root operation that the table says */
    struct rule_numbers numbers; /* in the name of the rule */
    const struct rule_native *native;
    struct rule_fresh *fresh;
    struct rule_results *results;
    int first_condition; /* of the result in the making */
};

typedef void rule_native_fn(struct rule_redex *redex);

struct check_gen; /* check_gen.h */
/* A random redex, NULL if the draw did not succeed. */
typedef lift_expr rule_redex_fn(struct check_gen *gen);

struct rule_native {
    const char *name;  /* of the rule, without its numbers */
    enum lift_op root; /* of the redexes; LIFT_OP_COUNT: any */
    enum lift_op flat; /* the same if its first number is 1, where the form is another */
    int numbers;       /* in its name, the number of dimensions as the last */
    rule_native_fn *fn;
    rule_redex_fn *redex; /* NULL: the rule has patterns of redexes behind "like" */
    int most;             /* the largest first number, if that is no dimension; else 0 */
    rule_native_fn *column; /* of a rule for all columns of a stream of planes */
};

/* NULL if there is none. */
const struct rule_native *rule_native_find(const char *name);

/* What it sizes, a word of ir/tunable.h, in which of the rule's dimensions (0: the
 * outermost; the word may have none). */
lift_nat redex_tunable(struct rule_redex *redex, const char *word, int index, int64_t lo,
                       int64_t hi);
/* The one of that dimension, the same for all redexes; NULL if its key is taken. */
lift_nat redex_same_tunable(struct rule_redex *redex, const char *word, int index,
                            int64_t lo, int64_t hi);
/* A condition of the next result. False if it is known to fail, or mentions no tunable
 * and cannot be shown. */
bool redex_require(struct rule_redex *redex, enum lift_side_kind kind, lift_nat a,
                   lift_nat b, const char *why);
/* There is no result, for a reason that a user can act on; a literal. */
void redex_refuse(struct rule_redex *redex, const char *why);
/* One result; NULL (an ill-typed term) counts as none. Takes the conditions so far. */
void redex_emit(struct rule_redex *redex, lift_expr to);

/* Conditions as apply.c sees them: proved, possible (and then recorded), or not. */
enum cond_state { COND_PROVED, COND_OPEN, COND_FAILS };
enum cond_state rule_condition(struct rule_results *out, enum lift_side_kind kind,
                               lift_nat a, lift_nat b, const char *why);

#endif
