/* Strategies as data: private to src/rules. */
#ifndef RULE_STRATEGY_H
#define RULE_STRATEGY_H

#include "rules/rule_t.h"
#include "rules/strategy.h"

enum { STRATEGY_DIMS = 5 }; /* rules of a name are for 0 .. 4 dimensions */

/* A strategy that fails leaves the term unchanged. */
enum strategy_kind {
    STRATEGY_RULE,   /* applies a rule and takes result number 'max', from 0; fails if the
                        rule has fewer results. A macro has one result. */
    STRATEGY_SEQ,    /* applies all parts in order; fails if one part fails */
    STRATEGY_CHOICE, /* applies the first part that succeeds; the combinator "try" ends
                        with an empty SEQ, which never fails */
    STRATEGY_ANY,    /* applies all parts in order, skipping parts that fail; fails if all
                        parts fail */
    STRATEGY_REPEAT, /* repeats the part while it succeeds and changes the term, at most
                        'max' times; fails below 'least' successes */
    STRATEGY_TOPDOWN,  /* applies the part at the first place where it succeeds, outermost
                          first; fails if there is no such place */
    STRATEGY_BOTTOMUP, /* like TOPDOWN, innermost places first */
    STRATEGY_ALL, /* applies the part once at each child; fails if it fails at one child
                   */
    STRATEGY_ONE, /* applies the part at the first child where it succeeds; fails if there
                     is no such child */
    STRATEGY_SOME, /* applies the part at every child where it succeeds; fails if there is
                      no such child */
    STRATEGY_AT, /* applies the part at a position of the term; fails if there is no such
                    position */
    STRATEGY_NORMALISE, /* applies rules everywhere, innermost places first, until no rule
                           applies, at most 'max' steps; never fails. Skips subterms known
                           to be normal. */
    STRATEGY_EACH,   /* applies a rule once at every loop that matches the position. The
                        number of the loop selects the rule: 0 for the innermost loop of a
                        nest, 1 for the next, ...; items are not counted. Loops with a
                        number above the last rule are unchanged. Fails if no rule applies
                        at any loop. */
    STRATEGY_RANKED, /* applies the rule for the dimensions of the term's value, or for
                        the most dimensions below; fails if all rules have more dimensions
                      */
};

struct lift_strategy {
    enum strategy_kind kind;
    const lift_strategy *parts;
    int count;
    const struct lift_rule *const *rules; /* RULE: one rule; NORMALISE: all; EACH, RANKED:
                                             by dimensions, NULL if there is no rule */
    int rule_count;
    int least, max; /* REPEAT; NORMALISE: max; RULE: max, the number of the result */
    const struct lift_position *position; /* AT, EACH */
};

/* Copies the strategy deeply into the arena. */
lift_strategy strategy_keep(struct lift_arena *arena, struct lift_strategy s);
lift_strategy strategy_of_parts(struct lift_arena *arena, enum strategy_kind kind,
                                const lift_strategy *parts, int count);

/* State of one run on a term. */
struct strategy_run {
    struct lift_ir *ir;
    struct rule_fresh *fresh;
    struct lift_steps *steps;
    struct lift_path at; /* path of the current subterm */
    int depth;           /* number of macros around the current strategy */
    lift_strategy
        otherwise; /* applied to stored values at which an option fails; may be NULL */
    int applied;   /* number of stored values at which the option succeeded */
    bool blocks;   /* stored values that are repeated together count as one */
    int inside;    /* number of repeated iterates around 'at' */
    bool result;   /* 'at' is on the path to the result; walks then skip members that have
                      fewer dimensions than others */
};

/* Applies 's' to 'e'. On failure, returns NULL and adds no steps. */
lift_expr strategy_exec(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_exec_rule(struct strategy_run *r, const struct lift_rule *rule,
                             int choice, lift_expr e);
/* Replaces child 'i' of 'e' by the result of 'form'. NULL if 'form' fails, or if walks
 * skip the child. */
typedef lift_expr strategy_form(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_at_child(struct strategy_run *r, lift_strategy s, lift_expr e, int i,
                            strategy_form *form);
bool strategy_leaves_out(const struct strategy_run *r, lift_expr e, int child);
/* Moves 'at' to a child of 'e'. strategy_leave moves back; pass it the value that
 * strategy_enter returned. */
bool strategy_enter(struct strategy_run *r, lift_expr e, int child);
void strategy_leave(struct strategy_run *r, bool result);
/* strategy_option.c: applies the strategy of an option to the program, or to each stored
 * value and the result. */
lift_expr strategy_option(struct strategy_run *r, const struct lift_rule *macro,
                          lift_expr e);
/* strategy_dims.c */
lift_expr strategy_each(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_ranked(struct strategy_run *r, lift_strategy s, lift_expr e);
/* Runs 's' at a position of 'e'; NULL if 's' fails there. */
lift_expr strategy_at(struct strategy_run *r, const struct lift_path *at, lift_strategy s,
                      lift_expr e);
/* strategy_normal.c */
lift_expr strategy_normalise(struct strategy_run *r, lift_strategy s, lift_expr e);

/* read_strategy.c: reads a strategy from text. */
struct syntax_parser;
struct strategy_reader {
    struct lift_arena *arena;
    struct syntax_parser *p;
    struct rule_scope scope; /* the rules and macros that a strategy may name */
    const char *self;        /* the current macro, or NULL */
    int depth;
};
lift_strategy strategy_read(struct strategy_reader *x);
const struct lift_rule *strategy_read_rule(struct strategy_reader *x);
/* read_position.c: reads the position of 'at' and 'each'. */
void strategy_read_position(struct strategy_reader *x, struct lift_position *out);
/* True if 'word' is a combinator, such as "seq". */
bool strategy_is_word(const char *word);
/* Returns the combinator of a kind. 'kind' must have a combinator. */
const char *strategy_word(enum strategy_kind kind);

/* strategy_shape.c: strategy_root returns the root operation that a strategy requires,
 * strategy_leaves the root operation of its results, and strategy_position_op the
 * operation at a position. LIFT_OP_COUNT: unknown. */
enum lift_op strategy_root(lift_strategy s);
enum lift_op strategy_leaves(lift_strategy s);
enum lift_op strategy_position_op(const struct lift_position *position);

/* Returns the only rule that 's' names, with any numbers; NULL if 's' names several
 * rules. */
const struct lift_rule *strategy_only_rule(lift_strategy s);

/* Returns a rule of 's' that violates the soundness class 'allowed' of a macro; NULL:
 * none. */
const struct lift_rule *strategy_unsound(lift_strategy s, enum lift_rule_class allowed);

#endif
