/* Strategies as data: private to src/rules. */
#ifndef RULE_STRATEGY_H
#define RULE_STRATEGY_H

#include "rules/rule_t.h"
#include "rules/strategy.h"

enum { STRATEGY_DIMS = 5 }; /* rules of a name are for 0 .. 4 dimensions */

/* What fails leaves the term as it was. */
enum strategy_kind {
    STRATEGY_RULE, /* one of the results that a rule may have, from 0; fails if there are
                      not so many. A macro has one. */
    STRATEGY_SEQ,  /* all in turn; fails if one fails */
    STRATEGY_CHOICE,   /* the first that does not fail; the last part of a 'try' is the
                          empty SEQ, which never fails */
    STRATEGY_ANY,      /* all in turn that do not fail; fails if all do */
    STRATEGY_REPEAT,   /* as often as it succeeds and changes something, at most 'max'
                          times; fails if it fails before 'least' times */
    STRATEGY_TOPDOWN,  /* at the first place where it succeeds, outermost first; fails if
                          nowhere */
    STRATEGY_BOTTOMUP, /* likewise, innermost first */
    STRATEGY_ALL,  /* once at each of the immediate children; fails if it fails at one */
    STRATEGY_ONE,  /* at the first of them where it succeeds; fails if it does at none */
    STRATEGY_SOME, /* at every one where it succeeds; fails if it does at none */
    STRATEGY_AT,   /* at a position of the term; fails if there is none */
    STRATEGY_NORMALISE, /* everywhere, innermost first, until no rule applies, at most
                           'max' steps: never fails. Places that are known to be normal
                           are not looked at again. */
    STRATEGY_EACH,      /* at every loop of that kind that there is, once, the rule of its
                           number: 0 for the innermost loop of a nest, 1 for the one around it,
                           ...; items are not counted. Loops beyond the last rule are left.
                           Fails if there is no loop at which a rule applies. */
    STRATEGY_RANKED,    /* the rule for as many dimensions as the term's value has, or for
                           the most there is one for, if it has more; fails if there is none
                           for so few */
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

/* It and all that it points to, copied into the arena. */
lift_strategy strategy_keep(struct lift_arena *arena, struct lift_strategy s);
lift_strategy strategy_of_parts(struct lift_arena *arena, enum strategy_kind kind,
                                const lift_strategy *parts, int count);

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
    bool result; /* 'at' is on the way to the result, of which walks leave out the members
                    that have fewer dimensions than others */
};

/* NULL if it fails, and then there are no new steps. */
lift_expr strategy_exec(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_exec_rule(struct strategy_run *r, const struct lift_rule *rule,
                             int choice, lift_expr e);
/* 'e' with child 'i' replaced by what 'form' makes of it; NULL if that fails, or if the
 * child is left out. */
typedef lift_expr strategy_form(struct strategy_run *r, lift_strategy s, lift_expr e);
lift_expr strategy_at_child(struct strategy_run *r, lift_strategy s, lift_expr e, int i,
                            strategy_form *form);
bool strategy_leaves_out(const struct strategy_run *r, lift_expr e, int child);
/* To a child of 'e', and back with what the former returned. */
bool strategy_enter(struct strategy_run *r, lift_expr e, int child);
void strategy_leave(struct strategy_run *r, bool result);
/* strategy_option.c: the strategy of an option, where it belongs. */
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
    struct rule_scope scope; /* what it may name */
    const char *self;        /* the macro in the making, or NULL */
    int depth;
};
lift_strategy strategy_read(struct strategy_reader *x);
const struct lift_rule *strategy_read_rule(struct strategy_reader *x);
/* read_position.c: where 'at' and 'each' go. */
void strategy_read_position(struct strategy_reader *x, struct lift_position *out);
/* Whether it is a combinator, such as "seq". */
bool strategy_is_word(const char *word);
/* The word of a kind of its own. */
const char *strategy_word(enum strategy_kind kind);

/* strategy_shape.c: what must stand at the root of its term, what it leaves there, and
 * what stands at a position; LIFT_OP_COUNT if that is not known. */
enum lift_op strategy_root(lift_strategy s);
enum lift_op strategy_leaves(lift_strategy s);
enum lift_op strategy_position_op(const struct lift_position *position);

/* The rule that it names, wherever and with whatever numbers, if it names no other. */
const struct lift_rule *strategy_only_rule(lift_strategy s);

/* A rule of it that changes more than a macro of that class may; NULL if there is none.
 */
const struct lift_rule *strategy_unsound(lift_strategy s, enum lift_rule_class allowed);

#endif
