/* Sets of equal expressions in one or more statements, for passes that eliminate common
 * subexpressions. */
#ifndef CODEGEN_NODES_H
#define CODEGEN_NODES_H

#include "codegen/gen.h"

/* A class of equal expressions and its uses in the statements. */
struct node {
    kx e; /* the arguments are canonical, too */
    uint64_t hash;
    int uses;     /* number of uses */
    bool always;  /* every execution computes the expression */
    bool changes; /* the expression reads variables or buffers that change */
    kx same;      /* the first variable with this value */
    kx var;       /* the replacement; NULL: none yet */
};

/* 'changing': names of variables and buffers that the statements change. A zeroed struct
 * is empty. */
struct nodes {
    struct gen *g;
    struct lift_table nodes;
    struct lift_ptrmap seen; /* from expression to node */
    struct lift_ptrmap changing;
    struct lift_ptrmap same; /* from a variable to an earlier variable of equal value */
    bool both; /* common expressions of both alternatives count as always computed */
};

struct node *cg_node(struct nodes *p, kx e);
/* Counts a use of the node. The first use, and the first use that is always computed,
 * also count for its arguments. */
void cg_node_use(struct nodes *p, struct node *n, bool always);
/* Notes the declaration of a variable with the node's value. A later variable with the
 * same value becomes an alias. */
void cg_node_name(struct nodes *p, struct node *n, const char *name);
/* The expression over variables. The first call declares a variable for each node that
 * has two uses, is always computed, and does not change. */
kx cg_node_extract(struct nodes *p, struct node *n);
/* As cg_node_extract, for the value of a variable's declaration. The variable replaces
 * the node if possible. */
kx cg_node_declare(struct nodes *p, struct node *n, const char *name);
void cg_nodes_fini(struct nodes *p);

#endif
