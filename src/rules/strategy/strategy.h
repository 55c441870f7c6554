/* Strategies as data: private to src/rules. */
#ifndef RULE_STRATEGY_H
#define RULE_STRATEGY_H

#include "lift/strategy.h"
#include "rules/rule_t.h"

enum strategy_kind {
    STRATEGY_RULE,
    STRATEGY_SEQ,
    STRATEGY_CHOICE, /* the last part of a 'try' is the empty SEQ, which never fails */
    STRATEGY_ANY,
    STRATEGY_REPEAT,
    STRATEGY_TOPDOWN,
    STRATEGY_BOTTOMUP,
    STRATEGY_ALL,
    STRATEGY_ONE,
    STRATEGY_SOME,
    STRATEGY_AT,
    STRATEGY_NORMALISE,
    STRATEGY_EACH,
    STRATEGY_RANKED,
};

struct lift_strategy {
    enum strategy_kind kind;
    const lift_strategy *parts;
    int count;
    const struct lift_rule *const *rules; /* RULE: one; NORMALISE; EACH, RANKED: by
                                             dimensions, NULL where there is none */
    int rule_count;
    int least, max; /* REPEAT; NORMALISE: max; RULE: max, which of its results */
    const struct lift_position *position; /* AT, EACH */
};

/* One run on a term. */
struct strategy_run {
    struct lift_ir *ir;
    struct rule_fresh *fresh;
    struct lift_steps *steps;
    struct lift_path at;     /* where the current subterm stands */
    int depth;               /* macros around it */
    lift_strategy otherwise; /* for stages at which an option fails; may be NULL */
    int applied;             /* stages at which it did not */
    bool blocks;             /* stages that are repeated together count as one */
    int inside;              /* of how many repeated ones */
};

/* NULL if it fails, and then there are no new steps. */
lift_expr strategy_exec(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_exec_rule(struct strategy_run *r, const struct lift_rule *rule,
                             int choice, lift_expr e);
/* strategy_dims.c */
lift_expr strategy_each(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_ranked(struct strategy_run *r, lift_strategy s, lift_expr e);
/* Runs 's' at a position of 'e'; NULL if it fails there. */
lift_expr strategy_at(struct strategy_run *r, const struct lift_path *at, lift_strategy s,
                      lift_expr e);
/* strategy_normal.c */
lift_expr strategy_normalise(struct strategy_run *r, lift_strategy s, lift_expr e);

/* read_strategy.c: text to a strategy. */
struct rule_reader;
struct syntax_parser;
struct strategy_reader {
    struct lift_arena *arena;
    struct syntax_parser *p;
    struct rule_reader *r;   /* for messages */
    struct rule_scope scope; /* what it may name */
    const char *self;        /* the macro in the making, or NULL */
    int depth;
};
/* NULL after an error. */
lift_strategy strategy_read(struct strategy_reader *x);
const struct lift_rule *strategy_read_rule(struct strategy_reader *x);
/* read_position.c: where 'at' and 'each' go. False after an error. */
bool strategy_read_position(struct strategy_reader *x, struct lift_position *out);
/* Whether it is a combinator, such as "seq". */
bool strategy_is_word(const char *word);

/* strategy_shape.c: what must stand at the root of its term, what it leaves there, and
 * what stands at a position; LIFT_OP_COUNT if that is not known. */
enum lift_op strategy_root(lift_strategy s);
enum lift_op strategy_leaves(lift_strategy s);
enum lift_op strategy_position_op(const struct lift_position *position);

/* A rule of it that changes more than a macro of that class may; NULL if there is none.
 */
const struct lift_rule *strategy_unsound(lift_strategy s, enum lift_rule_class allowed);

#endif
