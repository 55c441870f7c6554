/* Compiled kernels in a folder of the user, so that a later process need not compile them
 * again: the first that is set of $LIFT_CACHE, $XDG_CACHE_HOME/lift and ~/.cache/lift.
 * LIFT_CACHE=off: none.
 *
 * Code from there is executed. So a folder or file that another user owns or
 * may write is ignored. An entry has the whole text
 * that it was compiled from, which is compared, and a hash of its bytes. */
#ifndef EXPLORE_KEPT_BINARIES_H
#define EXPLORE_KEPT_BINARIES_H

#include "explore/runner.h"

/* As runner_build, but a module that was compiled before, by the same compiler with the
 * same flags for the same device, is loaded. */
bool runner_build_kept(struct lift_device *device, struct runner_module *m,
                       const char *flags, struct lift_error *error);

#endif
