/* Strategies beyond those of lift/rule.h: places by description, and strategies as text.
 *
 * A place is a path ("0.1.0"), or the first or n-th node, in preorder, that a description
 * fits: a primitive ("slide"), or a map that becomes a loop and is none yet. Such maps
 * stand on the way of the result from where it is computed to the root of the term, or on
 * that of a value that is stored; all other maps are views. */
#ifndef LIFT_STRATEGY_H
#define LIFT_STRATEGY_H

#include "lift/rule.h"

enum lift_place_kind {
    LIFT_PLACE_PATH,
    LIFT_PLACE_PRIM,
    LIFT_PLACE_LOOP,     /* of the result */
    LIFT_PLACE_BORDER,   /* of the result, but it only copies elements */
    LIFT_PLACE_COPY,     /* of a value that toLocal, toPrivate or toGlobal stores */
    LIFT_PLACE_INTERIOR, /* the largest of the parts that the result consists of */
};

struct lift_place {
    enum lift_place_kind kind;
    enum lift_op op;       /* PRIM */
    int nth;               /* from 1; not of a PATH */
    int below;             /* loops: so many are nested in it at most; -1: any number */
    struct lift_path path; /* PATH */
};

/* False if there is no such place. */
bool lift_place_find(lift_expr term, const struct lift_place *place,
                     struct lift_path *out);
/* As it stands in 'at(PLACE, s)'. */
void lift_place_print(const struct lift_place *place, struct lift_str *out);

/* One of the results that a rule may have at a place, from 0; fails if there are not so
 * many. A macro has one. */
lift_strategy lift_strategy_pick(struct lift_arena *arena, const struct lift_rule *rule,
                                 int choice);
/* At one of the immediate children: the first where it succeeds; fails if it does at
 * none. */
lift_strategy lift_strategy_one(struct lift_arena *arena, lift_strategy s);
/* At every immediate child where it succeeds; fails if it does at none. */
lift_strategy lift_strategy_some(struct lift_arena *arena, lift_strategy s);
/* At a place of the term that the strategy is given; fails if there is none. */
lift_strategy lift_strategy_at(struct lift_arena *arena, const struct lift_place *place,
                               lift_strategy s);

/* A strategy as a *.rules file has it after '=', over the rules and macros of a set. NULL
 * and a diagnostic if malformed; 'source' must outlive 'diags'. */
lift_strategy lift_strategy_read(struct lift_arena *arena, const struct lift_rules *rules,
                                 const struct lift_source *source,
                                 struct lift_diags *diags);
/* True if it succeeds on every term. */
bool lift_strategy_never_fails(lift_strategy s);

#endif
