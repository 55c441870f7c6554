/* Equal expressions of one or more statements, each once: what passes that look for
 * common ones count and take out. */
#ifndef CODEGEN_NODES_H
#define CODEGEN_NODES_H

#include "codegen/gen.h"

/* One of a set of equal expressions, with the uses that the statements make of it. */
struct node {
    kx e; /* its arguments are those of nodes */
    uint64_t hash;
    int uses;     /* by different places */
    bool always;  /* computed whatever the conditions say */
    bool changes; /* it reads what the statements change */
    kx same;      /* the first variable that is declared as this */
    kx var;       /* where it was put */
};

/* 'changing': names of variables and buffers that the statements change. Zero is empty.
 */
struct nodes {
    struct gen *g;
    struct lift_table nodes;
    struct lift_ptrmap seen; /* from expression to node */
    struct lift_ptrmap changing;
    struct lift_ptrmap same; /* from the name of a variable to one declared before it */
    bool both; /* what both alternatives of a test compute is computed always */
};

struct node *cg_node(struct nodes *p, kx e);
/* Counts a use, and those inside at the first one and when it becomes certain. */
void cg_node_use(struct nodes *p, struct node *n, bool always);
/* A variable of this name is declared as the node; a later one is another name for it. */
void cg_node_name(struct nodes *p, struct node *n, const char *name);
/* The expression over variables, which are declared in the current block at the first
 * call: one for each node that is used twice, computed always, and does not change. */
kx cg_node_extract(struct nodes *p, struct node *n);
/* The same for the value of the declaration of a variable, which serves where it can. */
kx cg_node_declare(struct nodes *p, struct node *n, const char *name);
void cg_nodes_fini(struct nodes *p);

#endif
