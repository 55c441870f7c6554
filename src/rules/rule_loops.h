/* The loops of a term: the maps that code generation writes as loops. A loop is on the
 * output spine of the result (ir/spine.h), or of a value that toLocal, toPrivate or
 * toGlobal stores. All other maps are views. */
#ifndef RULES_RULE_LOOPS_H
#define RULES_RULE_LOOPS_H

#include "rules/rule.h"

/* The role of a loop, inferred from the dimension of the result that the loop runs along
 * and from the loops nested in it. */
enum lift_role {
    LIFT_ROLE_POINT, /* over points of the whole grid, or of a tile */
    LIFT_ROLE_PLANE, /* over points of a plane, inside a stream */
    LIFT_ROLE_TILE,  /* over tiles: contains a loop or stream along its dimension */
    LIFT_ROLE_BLOCK, /* over blocks of tiles */
    LIFT_ROLE_ITEM,  /* over points that are straight-line code (mapUnroll) */
    LIFT_ROLE_FACE, /* over a part of the result outside its largest part, the interior */
    LIFT_ROLE_BORDER, /* it only copies elements */
    LIFT_ROLE_COPY,   /* it computes a value that toLocal, toPrivate or toGlobal stores */
    LIFT_ROLES
};

struct lift_loop {
    struct lift_path at;
    lift_expr map;        /* any level; a plain 'map' has none yet */
    enum lift_op storage; /* the primitive that stores its value; LIFT_OP_COUNT: a loop of
                             the result */
    int parent;           /* the loop around it on this spine; -1: none */
    int above, below;     /* loops around it, and the maximal depth of loops in it */
    int streams;          /* mapSeqSlide around it on this spine */
    bool copies;          /* it and all loops in it only copy elements: a border */
    int dim; /* the dimension of the result, 0 the outermost; -1: not known */
    enum lift_role role;
    int nested; /* maximal depth of loops in it, without items */
    int index;  /* maximal depth of loops of its role in it; 0: the innermost */
    int levels; /* depth of loops and streams along its dimension in it, without items */
};

/* In preorder. Starts as '{0}'; released by lift_loops_fini. */
struct lift_loops {
    struct lift_loop *items;
    int count, cap;
    bool has_local; /* the term stores a value in local memory */
    bool too_deep;  /* loops nested too deeply for a path are omitted */
};

/* Finds the loops of 'term'. 'grids': only loops of result members with the most
 * dimensions. */
void lift_loops_find(lift_expr term, bool grids, struct lift_loops *out);
void lift_loops_fini(struct lift_loops *loops);
/* "tile" */
const char *lift_role_name(enum lift_role role);

#endif
