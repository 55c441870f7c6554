/* The derivations of what was tried, as one tree: each expression below the one that a
 * rule made it from. */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include "cli/cli.h"

/* Prints the tree of a problem on a device, as text or as a graph of Graphviz. Chains of
 * rules without a branch are one edge. False: the database says why. */
bool cli_tree(struct lift_db *db, const struct lift_db_explored *problem, bool dot);

#endif
