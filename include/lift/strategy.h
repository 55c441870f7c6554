/* Strategies beyond those of lift/rule.h: positions by description, and strategies as
 * text.
 *
 * A position is a path ("0.1.0"), or the first or n-th node, in preorder, that a
 * description fits: a primitive ("slide"), or a map that becomes a loop and is none yet.
 * Such maps stand on the way of the result from where it is computed to the root of the
 * term, or on that of a value that is stored; all other maps are views. */
#ifndef LIFT_STRATEGY_H
#define LIFT_STRATEGY_H

#include "lift/rule.h"
#include "lift/rule_loops.h"

enum { LIFT_RULE_DIMS = 5 }; /* rules of a name are for 0 .. 4 dimensions */

enum lift_position_kind {
    LIFT_POSITION_PATH,
    LIFT_POSITION_PRIM,
    LIFT_POSITION_LOOP,     /* of the result */
    LIFT_POSITION_BORDER,   /* of the result, but it only copies elements */
    LIFT_POSITION_COPY,     /* of a value that toLocal, toPrivate or toGlobal stores */
    LIFT_POSITION_INTERIOR, /* the largest of the parts that the result consists of */
    LIFT_POSITION_OUTER,    /* of the result, no loop is around it */
    LIFT_POSITION_ROLE,     /* of the result, and of that role */
};

struct lift_position {
    enum lift_position_kind kind;
    enum lift_op op;       /* PRIM */
    enum lift_role role;   /* ROLE: POINT, PLANE, TILE, BLOCK or FACE */
    int nth;               /* from 1; not of a PATH */
    int below;             /* loops: so many are nested in it at most, of a ROLE those
                              of the same; -1: any number */
    struct lift_path path; /* PATH */
};

/* Whether a loop that has no level yet is one of those described: not of a PATH, a PRIM
 * or the INTERIOR. */
bool lift_position_fits(const struct lift_position *position,
                        const struct lift_loop *loop);
/* False if there is no such position. */
bool lift_position_find(lift_expr term, const struct lift_position *position,
                        struct lift_path *out);
/* As it stands in 'at(PLACE, s)'. */
void lift_position_print(const struct lift_position *position, struct lift_str *out);

/* One of the results that a rule may have at a position, from 0; fails if there are not
 * so many. A macro has one. */
lift_strategy lift_strategy_pick(struct lift_arena *arena, const struct lift_rule *rule,
                                 int choice);
/* At one of the immediate children: the first where it succeeds; fails if it does at
 * none. */
lift_strategy lift_strategy_one(struct lift_arena *arena, lift_strategy s);
/* At every immediate child where it succeeds; fails if it does at none. */
lift_strategy lift_strategy_some(struct lift_arena *arena, lift_strategy s);
/* At a position of the term that the strategy is given; fails if there is none. */
lift_strategy lift_strategy_at(struct lift_arena *arena,
                               const struct lift_position *position, lift_strategy s);
/* One rule for each number of dimensions: rules[d], where NULL is none. */
struct lift_by_dims {
    const struct lift_rule *rules[LIFT_RULE_DIMS];
};
/* At every loop of that kind that there is, once, the rule of its number: 0 for the
 * innermost loop of a nest, 1 for the one around it, ...; items are not counted. Loops
 * beyond the last rule are left. Fails if there is no loop at which a rule applies. */
lift_strategy lift_strategy_each(struct lift_arena *arena,
                                 const struct lift_position *position,
                                 const struct lift_by_dims *by);
/* The rule for as many dimensions as the term's value has, or for the most there is one
 * for, if it has more; fails if there is none for so few. */
lift_strategy lift_strategy_ranked(struct lift_arena *arena,
                                   const struct lift_by_dims *by);

/* A strategy as a *.rules file has it after '=', over the rules and macros of a set. NULL
 * and a diagnostic if malformed; 'source' must outlive 'diags'. */
lift_strategy lift_strategy_read(struct lift_arena *arena, const struct lift_rules *rules,
                                 const struct lift_source *source,
                                 struct lift_diags *diags);
/* The first part of a strategy that fails on a term, as text in 'out': of a sequence, the
 * first that fails after those before it, and so for macros. With " fails" behind it, and
 * the reason if a rule gives one. */
void lift_strategy_explain(struct lift_ir *ir, lift_strategy s, lift_expr term,
                           struct lift_str *out);
/* True if it succeeds on every term. */
bool lift_strategy_never_fails(lift_strategy s);

#endif
