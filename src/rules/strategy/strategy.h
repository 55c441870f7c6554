/* Strategies as data: private to src/rules. */
#ifndef RULE_STRATEGY_H
#define RULE_STRATEGY_H

#include "rules/rule_t.h"
#include "rules/strategy.h"

enum { STRATEGY_DIMS = 5 }; /* rules of a name are for 0 .. 4 dimensions */

/* A strategy that fails leaves the term unchanged. */
enum strategy_kind {
    STRATEGY_RULE,   /* result number 'max' of a rule, from 0; fails if the rule has fewer
                        results. A macro has one. */
    STRATEGY_SEQ,    /* all in order; fails if one fails */
    STRATEGY_CHOICE, /* the first that succeeds; the combinator "try" ends with an empty
                        SEQ, which never fails */
    STRATEGY_ANY,    /* all in order, skipping those that fail; fails if all fail */
    STRATEGY_REPEAT, /* repeats while it succeeds and changes the term, at most 'max'
                        times; fails below 'least' successes */
    STRATEGY_TOPDOWN,   /* at the first place where it succeeds, outermost first; fails if
                           nowhere */
    STRATEGY_BOTTOMUP,  /* likewise, innermost first */
    STRATEGY_ALL,       /* once at each child; fails if it fails at one */
    STRATEGY_ONE,       /* at the first child where it succeeds; fails if there is none */
    STRATEGY_SOME,      /* at every child where it succeeds; fails if there is none */
    STRATEGY_AT,        /* at a position of the term; fails if there is none */
    STRATEGY_NORMALISE, /* everywhere, innermost first, until no rule applies, at most
                           'max' steps: never fails. Subterms known to be normal are
                           skipped. */
    STRATEGY_EACH,   /* once at every loop of the position's kind, the rule of the loop's
                        number: 0 for the innermost loop of a nest, 1 for the next, ...;
                        items are not counted. Loops beyond the last rule are unchanged.
                        Fails if no rule applies at any loop. */
    STRATEGY_RANKED, /* the rule for the dimensions of the term's value, or for the most
                        dimensions below; fails if all rules have more dimensions */
};

struct lift_strategy {
    enum strategy_kind kind;
    const lift_strategy *parts;
    int count;
    const struct lift_rule *const *rules; /* RULE: one; NORMALISE; EACH, RANKED: by
                                             dimensions, NULL where there is none */
    int rule_count;
    int least, max; /* REPEAT; NORMALISE: max; RULE: max, the number of the result */
    const struct lift_position *position; /* AT, EACH */
};

/* A deep copy of the strategy in the arena. */
lift_strategy strategy_keep(struct lift_arena *arena, struct lift_strategy s);
lift_strategy strategy_of_parts(struct lift_arena *arena, enum strategy_kind kind,
                                const lift_strategy *parts, int count);

/* One run on a term. */
struct strategy_run {
    struct lift_ir *ir;
    struct rule_fresh *fresh;
    struct lift_steps *steps;
    struct lift_path at;     /* of the current subterm */
    int depth;               /* macros around it */
    lift_strategy otherwise; /* for stages at which an option fails; may be NULL */
    int applied;             /* stages at which the option succeeded */
    bool blocks;             /* stages that are repeated together count as one */
    int inside;              /* repeated iterates around 'at' */
    bool result; /* 'at' is on the path to the result; walks then skip members that have
                    fewer dimensions than others */
};

/* NULL on failure, without new steps. */
lift_expr strategy_exec(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_exec_rule(struct strategy_run *r, const struct lift_rule *rule,
                             int choice, lift_expr e);
/* 'e' with child 'i' replaced by the result of 'form'; NULL if 'form' fails, or if walks
 * skip the child. */
typedef lift_expr strategy_form(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_at_child(struct strategy_run *r, lift_strategy s, lift_expr e, int i,
                            strategy_form *form);
bool strategy_leaves_out(const struct strategy_run *r, lift_expr e, int child);
/* Moves 'at' to a child of 'e'. strategy_leave moves back; pass it the value that
 * strategy_enter returned. */
bool strategy_enter(struct strategy_run *r, lift_expr e, int child);
void strategy_leave(struct strategy_run *r, bool result);
/* strategy_option.c: applies the strategy of an option to the program or to each stage.
 */
lift_expr strategy_option(struct strategy_run *r, const struct lift_rule *macro,
                          lift_expr e);
/* strategy_dims.c */
lift_expr strategy_each(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_ranked(struct strategy_run *r, lift_strategy s, lift_expr e);
/* Runs 's' at a position of 'e'; NULL if it fails there. */
lift_expr strategy_at(struct strategy_run *r, const struct lift_path *at, lift_strategy s,
                      lift_expr e);
/* strategy_normal.c */
lift_expr strategy_normalise(struct strategy_run *r, lift_strategy s, lift_expr e);

/* read_strategy.c: text to a strategy. */
struct syntax_parser;
struct strategy_reader {
    struct lift_arena *arena;
    struct syntax_parser *p;
    struct rule_scope scope; /* the rules and macros that a strategy may name */
    const char *self;        /* the macro being read, or NULL */
    int depth;
};
lift_strategy strategy_read(struct strategy_reader *x);
const struct lift_rule *strategy_read_rule(struct strategy_reader *x);
/* read_position.c: the position of 'at' and 'each'. */
void strategy_read_position(struct strategy_reader *x, struct lift_position *out);
/* True if 'word' is a combinator, such as "seq". */
bool strategy_is_word(const char *word);
/* The combinator of a kind; kinds without a separate combinator have none. */
const char *strategy_word(enum strategy_kind kind);

/* strategy_shape.c: the root operation that a strategy requires, the root operation of
 * its results, and the operation at a position; LIFT_OP_COUNT: unknown. */
enum lift_op strategy_root(lift_strategy s);
enum lift_op strategy_leaves(lift_strategy s);
enum lift_op strategy_position_op(const struct lift_position *position);

/* The only rule that 's' names, with any numbers; NULL if it names several. */
const struct lift_rule *strategy_only_rule(lift_strategy s);

/* A rule of 's' that violates the soundness class 'allowed' of a macro; NULL: none. */
const struct lift_rule *strategy_unsound(lift_strategy s, enum lift_rule_class allowed);

#endif
