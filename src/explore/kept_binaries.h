/* Compiled kernels in a folder of the user, so that a later process need not compile
 * them. The folder is the first that is set of $LIFT_CACHE, $XDG_CACHE_HOME/lift and
 * ~/.cache/lift. LIFT_CACHE=off: none.
 *
 * Code from the folder is executed, so folders and files that another user owns or may
 * write are ignored. An entry has its whole source text, which is compared, and a hash of
 * its bytes. */
#ifndef EXPLORE_KEPT_BINARIES_H
#define EXPLORE_KEPT_BINARIES_H

#include "explore/runner.h"

/* Like runner_build, but loads a module compiled before by the same compiler, with the
 * same flags, for the same device. */
bool runner_build_kept(struct lift_device *device, struct runner_module *m,
                       const char *flags, struct lift_error *error);

#endif
