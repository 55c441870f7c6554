/* The derivations of all trials as one tree: each expression is a child of the expression
 * from which a rule made it. */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include "cli/cli.h"

/* Prints the tree of a problem on a device, as text or as a Graphviz graph. A chain
 * of rules without a branch is one edge. Returns false with an error of the database. */
bool cli_tree(struct lift_db *db, const struct lift_db_explored *problem, bool dot);

#endif
