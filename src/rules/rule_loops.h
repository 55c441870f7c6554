/* The loops of a term: the maps that code generation writes as loops. They stand on the
 * way of the result, from where it is computed to the root of the term, or on that of a
 * value that toLocal, toPrivate or toGlobal stores; all other maps are views. */
#ifndef RULES_RULE_LOOPS_H
#define RULES_RULE_LOOPS_H

#include "rules/rule.h"

/* What a loop is for. It is not written down: the dimension of the result that a loop
 * runs along, and what is nested in it, say it. */
enum lift_role {
    LIFT_ROLE_POINT,  /* over points: of the whole, or of a tile */
    LIFT_ROLE_PLANE,  /* over points of a plane, inside a stream */
    LIFT_ROLE_TILE,   /* over tiles: inside is a loop or a stream along the same dimension
                       */
    LIFT_ROLE_BLOCK,  /* over blocks of tiles */
    LIFT_ROLE_ITEM,   /* over points that are straight-line code (mapUnroll) */
    LIFT_ROLE_FACE,   /* of a part of the result beside the largest one, its interior */
    LIFT_ROLE_BORDER, /* it only copies elements */
    LIFT_ROLE_COPY,   /* it fills what toLocal, toPrivate or toGlobal stores */
    LIFT_ROLES
};

struct lift_loop {
    struct lift_path at;
    lift_expr map;        /* any level; a plain 'map' has none yet */
    enum lift_op storage; /* what stores its value; LIFT_OP_COUNT: it is of the result */
    int parent;           /* the loop around it on the same way; -1: none */
    int above, below;     /* loops around it, and the most that are nested in it */
    int streams;          /* mapSeqSlide around it on the same way */
    bool copies;          /* it and all inside only copy elements, which others compute: a
                             border */
    int dim; /* the dimension of the result, 0 the outermost; -1: not known */
    enum lift_role role;
    int nested; /* the most loops nested in it, items not counted */
    int index;  /* the most loops of its role nested in it, so 0: the innermost */
    int levels; /* of loops and streams along its dimension in it, items not counted */
};

/* In preorder. Starts as '{0}'; released by lift_loops_fini. */
struct lift_loops {
    struct lift_loop *items;
    int count, cap;
    bool has_local; /* something is stored in local memory */
    bool too_deep;  /* parts that are nested too deeply for a path are left out */
};

/* 'grids': of a result, those of the members with the most dimensions alone. */
void lift_loops_find(lift_expr term, bool grids, struct lift_loops *out);
void lift_loops_fini(struct lift_loops *loops);
/* "tile" */
const char *lift_role_name(enum lift_role role);

#endif
