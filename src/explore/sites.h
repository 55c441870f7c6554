/* The loops of a term (lift/rule_loops.h) and what lowering wants to know of them. */
#ifndef EXPLORE_SITES_H
#define EXPLORE_SITES_H

#include "lift/rule.h"

/* Where the length of a map comes from. */
enum site_class {
    SITE_PLAIN, /* a dimension of the grid, or a part of it */
    SITE_OUTER, /* a number of tiles: a size divided by a tunable */
    SITE_INNER, /* within a tile: it mentions a tunable otherwise */
};

struct site {
    struct lift_path at;
    lift_expr map;
    enum site_class cls;
    enum lift_op
        storage;       /* of the copy that it belongs to; LIFT_OP_COUNT: of the result */
    int parent;        /* the site around it on the same spine; -1: none */
    int above, below;  /* sites around it, and the most that are nested in it */
    int outers;        /* of the whole chain: sites of class OUTER */
    int streams_above; /* mapSeqSlide around it on the same spine */
    bool lowered;      /* it is no plain map any more */
    bool copies;       /* a border (lift/rule_loops.h) */
};

struct sites {
    struct site *items;
    int count;
    struct lift_path *reduces; /* plain reduce, wherever it stands */
    int reduce_count;
    bool has_local; /* something is stored in local memory */
    bool too_deep;  /* there are some that no path leads to */
};

/* One block of memory, which the caller frees. */
struct sites *explore_sites(lift_expr term);

#endif
