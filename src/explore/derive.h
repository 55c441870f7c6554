/* The derivation graph: terms reached from the program by rules, equal terms merged, all
 * parents kept. */
#ifndef EXPLORE_DERIVE_H
#define EXPLORE_DERIVE_H

#include "explore/arm.h"
#include "explore/tally.h"
#include "lift/decision.h"
#include "lift/device.h"
#include "lift/table.h"

struct derive_edge {
    int parent; /* node; -1 ends the list */
    const struct lift_rule *rule;
    int choice;
    struct lift_path at;
    const struct derive_edge *next;
};

/* A macro that led to a node by so many steps. */
struct derive_macro {
    int parent; /* where it was applied */
    const struct lift_rule *macro;
    struct lift_path at;
    int steps, depth; /* 0: not part of another macro */
    const struct derive_macro *next;
};

struct derive_node {
    lift_expr term;
    const struct derive_edge *edges; /* the first-found last */
    const struct derive_macro *macros;
    bool stored; /* a mark for whoever writes the nodes down */
    bool shaped; /* it is one of the terms that are lowered */
    bool leaf;
};

/* A low-level expression. */
struct derive_leaf {
    int node;
    struct explore_conditions conditions; /* of the rules that were applied */
    bool stored;                          /* a mark for whoever writes the leaves down */
    bool is_point;
    struct lift_point point; /* the first that has this expression, if one has */
};

struct derivation {
    struct lift_ir *ir;
    struct derive_node *nodes; /* the root first */
    int node_count, node_cap;
    int *table; /* by hash; open addressing */
    int table_cap;
    struct derive_leaf *leaves; /* in the order in which they deserve to be tried */
    int leaf_count, leaf_cap;
    bool has_plain;        /* leaves[leaf_count] is the program lowered in the first way,
                              which may be one of the leaves before it, too */
    const char *plain_why; /* why not; NULL: it has one */
    int rewrites;          /* rule applications */
    struct lift_table prefixes; /* of points: points.c */
    struct derive_reach {
        int shapes;      /* terms that were found before lowering */
        int shapes_cut;  /* beyond the limit: not lowered */
        int shapes_open; /* of those lowered: not rewritten further */
        int exprs;       /* low-level expressions that were found; all are distinct */
        int exprs_cut;   /* beyond the limit: no leaves */
        struct tally unlowered; /* shapes and kernels that give none, by reason */
    } reach;
};

struct derive_limits {
    int shapes, exprs;
};

/* Derives low-level expressions for a device; none is a legal answer, and then
 * 'reach.unlowered' says why. Ended by derive_destroy. */
struct derivation *explore_derive(const struct explore_problem *p,
                                  const struct lift_rules *rules,
                                  const struct lift_device_info *device,
                                  struct derive_limits most);
/* The same of the prepared program alone, lowered in all ways: what is taken where
 * nothing is known. No leaves, and then 'why' says why. */
struct derivation *explore_derive_plainly(const struct explore_problem *p,
                                          const struct lift_rules *rules,
                                          const struct lift_device_info *device,
                                          struct lift_str *why);
/* The program made ready for plain lowering in a dialect: nothing tiled; a border that is
 * kept is copied beside the interior, or, where there are groups, chosen point by point.
 */
lift_expr explore_prepare(const struct explore_problem *p, const struct lift_rules *rules,
                          enum lift_dialect dialect);
void derive_destroy(struct derivation *d);

/* The node of a term, made if it is new. */
int derive_node(struct derivation *d, lift_expr term);
/* True if the term is a node and a leaf. */
bool derive_is_leaf(const struct derivation *d, lift_expr term);
/* Adds the steps as edges, one rule after the other, and the macros that they belong to;
 * returns the last node. The steps are those of the node's term. */
int derive_steps(struct derivation *d, int from, const struct lift_steps *steps);

#endif
