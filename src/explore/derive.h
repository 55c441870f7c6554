/* The derivation graph of a problem for a kind of device: terms reached from the program
 * by rules, equal terms merged, all parents kept. Its low-level expressions are
 * configurations of the decisions (rules/decision.h), made when they are asked for. */
#ifndef EXPLORE_DERIVE_H
#define EXPLORE_DERIVE_H

#include "base/table.h"
#include "device/device.h"
#include "explore/candidate_space.h"
#include "explore/reason_counts.h"
#include "rules/decision.h"

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
    bool stored, configuration_stored; /* marks for whoever writes the nodes, and the
                                  configurations of leaves, down */
    bool leaf;
};

/* A low-level expression. */
struct derive_leaf {
    int node;
    struct explore_conditions conditions;    /* of the rules that were applied */
    struct lift_configuration configuration; /* the first that has this expression */
};

struct derivation {
    struct lift_ir *ir;
    const struct explore_problem *problem;
    const struct lift_rules *rules;
    enum lift_dialect dialect;
    unsigned device; /* of enum lift_option_device: what options may ask; what the dialect
                        has, until it is said what the device has */
    struct derive_node *nodes; /* the root first */
    int node_count, node_cap;
    int *table; /* by hash; open addressing */
    int table_cap;
    struct derive_leaf *leaves; /* in the order in which they were asked for */
    int leaf_count, leaf_cap;
    int rewrites;                   /* rule applications */
    struct lift_table prefixes;     /* of configurations: configurations.c */
    int unfit;                      /* configurations beyond a limit: not made */
    struct reason_counts unlowered; /* configurations without an expression, by reason */
};

/* A graph that has the program alone. Problem and rules outlive it. Ended by
 * derive_destroy. */
struct derivation *derive_create(const struct explore_problem *p,
                                 const struct lift_rules *rules,
                                 enum lift_dialect dialect);
void derive_destroy(struct derivation *d);

/* A term of the graph with the conditions of the rules that were applied. */
struct derived {
    int node;
    struct explore_conditions conditions;
};

/* What a strategy makes of a term; false if it fails, and in 'why' what a rule said of
 * it, or NULL. */
bool derive_run(struct derivation *d, const struct derived *from, lift_strategy s,
                struct derived *out, const char **why);
/* Adds a low-level term to the leaves; false if it is one already. */
bool derive_add_leaf(struct derivation *d, const struct derived *term,
                     const struct lift_configuration *configuration);
/* Rules that change values, be it by rounding only, need the program's leave. */
bool derive_allows(const struct explore_problem *p, const struct lift_rule *rule);
/* True if every loop and reduction of a term has a level of that dialect, and the term
 * inlines no step into later steps at too high a cost. Otherwise false and the reason,
 * unless 'why' is NULL. lowered.c */
bool derive_is_lowered(lift_expr term, enum lift_dialect dialect, struct lift_str *why);

/* The node of a term, made if it is new. graph.c */
int derive_node(struct derivation *d, lift_expr term);
/* Adds the steps as edges, one rule after the other, and the macros that they belong to;
 * returns the last node. The steps are those of the node's term. */
int derive_steps(struct derivation *d, int from, const struct lift_steps *steps);

#endif
