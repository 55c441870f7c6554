/* Strategies beyond those of rules/rule.h: positions by description, and strategies as
 * text.
 *
 * A position is a path ("0.1.0"), or the first or n-th node, in preorder, that a
 * description fits: a primitive ("slide"), or a map that becomes a loop and is none yet.
 * Such maps stand on the way of the result from where it is computed to the root of the
 * term, or on that of a value that is stored; all other maps are views. */
#ifndef RULES_STRATEGY_H
#define RULES_STRATEGY_H

#include "rules/rule.h"
#include "rules/rule_loops.h"

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
/* False if there is no such position. 'grids': of a result, look at the members with the
 * most dimensions alone. */
bool lift_position_find(lift_expr term, const struct lift_position *position, bool grids,
                        struct lift_path *out);
/* As it stands in 'at(PLACE, s)'. */
void lift_position_print(const struct lift_position *position, struct lift_str *out);

/* A strategy as a *.rules file has it after '=', over the rules and macros of a set. NULL
 * and a diagnostic if malformed; 'source' must outlive 'errors'. */
lift_strategy lift_strategy_read(struct lift_arena *arena, const struct lift_rules *rules,
                                 const struct lift_source *source,
                                 struct lift_error *errors);
/* The first part of a strategy that fails on a term, as text in 'out': of a sequence, the
 * first that fails after those before it, and so for macros. With " fails" behind it, and
 * the reason if a rule gives one. */
void lift_strategy_explain(struct lift_ir *ir, lift_strategy s, lift_expr term,
                           const struct lift_program *program, struct lift_str *out);
/* True if it succeeds on every term. */
bool lift_strategy_never_fails(lift_strategy s);

#endif
