/* Strategies, in addition to rules/rule.h: positions by description, and strategies as
 * text.
 *
 * A position is a path ("0.1.0"), or the n-th node in preorder that matches a
 * description. A description is a primitive ("slide"), or a map that will become a loop.
 * Such maps are on the output spine of the result or of a stored value; all other maps
 * are views. */
#ifndef RULES_STRATEGY_H
#define RULES_STRATEGY_H

#include "rules/rule.h"
#include "rules/rule_loops.h"

enum lift_position_kind {
    LIFT_POSITION_PATH,
    LIFT_POSITION_PRIM,
    LIFT_POSITION_LOOP,     /* of the result */
    LIFT_POSITION_BORDER,   /* of the result; only copies elements */
    LIFT_POSITION_COPY,     /* of a value that toLocal, toPrivate or toGlobal stores */
    LIFT_POSITION_INTERIOR, /* the largest part of the result */
    LIFT_POSITION_OUTER,    /* of the result, without a surrounding loop */
    LIFT_POSITION_ROLE,     /* of the result, with the given role */
};

struct lift_position {
    enum lift_position_kind kind;
    enum lift_op op;     /* PRIM */
    enum lift_role role; /* ROLE: POINT, PLANE, TILE, BLOCK or FACE */
    int nth;             /* counts from 1; unused for PATH */
    int below; /* maximal depth of nested loops; for a ROLE, of nested loops with this
                  role; -1: any number */
    struct lift_path path; /* PATH */
};

/* True if a loop without a level matches 'position'. 'position' is not of kind PATH, PRIM
 * or INTERIOR. */
bool lift_position_fits(const struct lift_position *position,
                        const struct lift_loop *loop);
/* Returns false if 'term' has no such position. With 'grids', considers only result
 * members with the most dimensions. */
bool lift_position_find(lift_expr term, const struct lift_position *position, bool grids,
                        struct lift_path *out);
/* Prints the position in the syntax of 'at(PLACE, s)'. */
void lift_position_print(const struct lift_position *position, struct lift_str *out);

/* Reads a strategy in the syntax of *.rules files, with the rules and macros of a set.
 * Returns NULL and a diagnostic if the text is malformed; 'source' must outlive 'errors'.
 */
lift_strategy lift_strategy_read(struct lift_arena *arena, const struct lift_rules *rules,
                                 const struct lift_source *source,
                                 struct lift_error *errors);
/* Appends the first part of a strategy that fails on a term, then " fails", and the
 * reason if a rule gives one. The search descends into sequences and macros. */
void lift_strategy_explain(struct lift_ir *ir, lift_strategy s, lift_expr term,
                           const struct lift_program *program, struct lift_str *out);
/* True if 's' succeeds on every term. */
bool lift_strategy_never_fails(lift_strategy s);

#endif
