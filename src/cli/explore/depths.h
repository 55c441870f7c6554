/* Explores several depths, numbers of time steps that a launch computes, with one
 * budget by successive halving (docs/internals.md). */
#ifndef CLI_EXPLORE_DEPTHS_H
#define CLI_EXPLORE_DEPTHS_H

#include "cli/explore/exploration.h"
#include "cli/explore/explore_args.h"

/* Explores the depths of 'args'. Returns the exit status. */
int cli_explore_depths(const struct explore_args *args,
                       const struct lift_explore_options *options);

/* depths_print.c: prints a line for each depth of the JSON of 'depths'. */
void cli_depths_print(const json_t *depths);

#endif
