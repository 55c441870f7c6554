/* The loops of a term: the maps that code generation writes as loops. A loop is on the
 * output spine of the result (ir/spine.h), or of a value that toLocal, toPrivate or
 * toGlobal stores. All other maps are views. */
#ifndef RULES_RULE_LOOPS_H
#define RULES_RULE_LOOPS_H

#include "rules/rule.h"

/* The role of a loop. The dimension of the result that the loop runs along, and the loops
 * nested in it, determine the role. */
enum lift_role {
    LIFT_ROLE_POINT, /* over points of the whole grid, or of a tile */
    LIFT_ROLE_PLANE, /* over points of a plane, inside a stream */
    LIFT_ROLE_TILE,  /* over tiles: contains a loop or stream along its dimension */
    LIFT_ROLE_BLOCK, /* over blocks of tiles */
    LIFT_ROLE_ITEM,  /* over points that are straight-line code (mapUnroll) */
    LIFT_ROLE_FACE, /* over a part of the result outside its largest part, the interior */
    LIFT_ROLE_BORDER, /* only copies elements */
    LIFT_ROLE_COPY,   /* computes a value that toLocal, toPrivate or toGlobal stores */
    LIFT_ROLES
};

struct lift_loop {
    struct lift_path at;
    lift_expr map;        /* a map of any level; a plain 'map' has no level yet */
    enum lift_op storage; /* the primitive that stores the loop's value; LIFT_OP_COUNT: a
                             loop of the result */
    int parent;           /* the surrounding loop on this spine; -1: none */
    int above, below; /* number of surrounding loops, and maximal depth of nested loops */
    int streams;      /* number of surrounding mapSeqSlide on this spine */
    bool copies;      /* the loop and all nested loops only copy elements: a border */
    int dim;          /* the dimension of the result, 0 the outermost; -1: unknown */
    enum lift_role role;
    int nested; /* maximal depth of nested loops, excluding item loops */
    int index; /* maximal depth of nested loops with this loop's role; 0: the innermost */
    int levels; /* depth of nested loops and streams along this loop's dimension,
                   excluding item loops */
};

/* Loops in preorder. Starts as '{0}'; lift_loops_fini releases the list. */
struct lift_loops {
    struct lift_loop *items;
    int count, cap;
    bool has_local; /* the term stores a value in local memory */
    bool too_deep;  /* the list omits loops nested too deeply for a path */
};

/* Finds the loops of 'term'. With 'grids', finds only loops of result members with the
 * most dimensions. */
void lift_loops_find(lift_expr term, bool grids, struct lift_loops *out);
void lift_loops_fini(struct lift_loops *loops);
/* Returns the word of rule files, such as "tile". */
const char *lift_role_name(enum lift_role role);

#endif
