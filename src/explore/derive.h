/* The derivation graph of a problem for a kind of device: terms reached from the program
 * by rules. Equal terms are merged, and all parents are kept. The low-level expressions
 * are configurations of the decisions (rules/decision.h), made on request. */
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

/* A macro that led to a node in a number of steps. */
struct derive_macro {
    int parent; /* node to which the macro was applied */
    const struct lift_rule *macro;
    struct lift_path at;
    int steps, depth; /* 0: not part of another macro */
    const struct derive_macro *next;
};

struct derive_node {
    lift_expr term;
    const struct derive_edge *edges; /* in reverse order of discovery */
    const struct derive_macro *macros;
    bool stored, configuration_stored; /* marks of the writer of nodes and of leaves'
                                          configurations */
    bool leaf;
};

/* A low-level expression. */
struct derive_leaf {
    int node;
    struct explore_conditions conditions;    /* conditions of the applied rules */
    struct lift_configuration configuration; /* first with this expression */
};

struct derivation {
    struct lift_ir *ir;
    const struct explore_problem *problem;
    const struct lift_rules *rules;
    enum lift_dialect dialect;
    unsigned device; /* enum lift_option_device: capabilities that options may require;
                        the dialect's until the device's are known */
    struct derive_node *nodes; /* nodes[0] is the root */
    int node_count, node_cap;
    int *table; /* by hash; open addressing */
    int table_cap;
    struct derive_leaf *leaves; /* in order of request */
    int leaf_count, leaf_cap;
    int rewrites;                   /* number of rule applications */
    struct lift_table prefixes;     /* see configurations.c */
    int unfit;                      /* number of configurations skipped by a limit */
    struct reason_counts unlowered; /* configurations without an expression, by reason */
};

/* Creates a graph with the program only. Problem and rules must outlive the graph. The
 * caller releases it with derive_destroy. */
struct derivation *derive_create(const struct explore_problem *p,
                                 const struct lift_rules *rules,
                                 enum lift_dialect dialect);
void derive_destroy(struct derivation *d);

/* A term of the graph, with the conditions of the applied rules. */
struct derived {
    int node;
    struct explore_conditions conditions;
};

/* Applies a strategy to a term. Returns false if the strategy fails; 'why' receives the
 * reason that a rule gave, or NULL. */
bool derive_run(struct derivation *d, const struct derived *from, lift_strategy s,
                struct derived *out, const char **why);
/* Adds a low-level term to the leaves; returns false if it already is a leaf. */
bool derive_add_leaf(struct derivation *d, const struct derived *term,
                     const struct lift_configuration *configuration);
/* Rules that change values, even by rounding only, need the program's permission. */
bool derive_allows(const struct explore_problem *p, const struct lift_rule *rule);
/* Returns true if every loop and reduction of a term has a level of the dialect. The term
 * must also not inline a time step into later steps at too high a cost. Otherwise returns
 * false and the reason, unless 'why' is NULL. lowered.c */
bool derive_is_lowered(lift_expr term, enum lift_dialect dialect, struct lift_str *why);

/* Returns the node of a term; makes a new node if needed. graph.c */
int derive_node(struct derivation *d, lift_expr term);
/* Adds the steps as consecutive edges, and the macros that contain them; returns the last
 * node. The first step applies to the node's term. */
int derive_steps(struct derivation *d, int from, const struct lift_steps *steps);

#endif
