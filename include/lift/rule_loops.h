/* The loops of a term: the maps that code generation writes as loops. They stand on the
 * way of the result, from where it is computed to the root of the term, or on that of a
 * value that toLocal, toPrivate or toGlobal stores; all other maps are views. */
#ifndef LIFT_RULE_LOOPS_H
#define LIFT_RULE_LOOPS_H

#include "lift/rule.h"

struct lift_loop {
    struct lift_path at;
    lift_expr map;        /* any level; a plain 'map' has none yet */
    enum lift_op storage; /* what stores its value; LIFT_OP_COUNT: it is of the result */
    int parent;           /* the loop around it on the same way; -1: none */
    int above, below;     /* loops around it, and the most that are nested in it */
    int streams;          /* mapSeqSlide around it on the same way */
    bool copies;          /* it and all inside only copy elements, which others compute: a
                             border */
};

/* In preorder. Starts as '{0}'; released by lift_loops_fini. */
struct lift_loops {
    struct lift_loop *items;
    int count, cap;
    bool has_local; /* something is stored in local memory */
    bool too_deep;  /* parts that are nested too deeply for a path are left out */
};

void lift_loops_find(lift_expr term, struct lift_loops *out);
void lift_loops_fini(struct lift_loops *loops);

#endif
