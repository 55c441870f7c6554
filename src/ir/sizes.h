/* Sizes and tunables by name, in command lines and launches. */
#ifndef IR_SIZES_H
#define IR_SIZES_H

#include "base/arena.h"
#include "lift/program.h"

/* Tunables of launches, which no rule introduces: the work-items of a group in each
 * dimension, and the minimum of resident groups on a compute unit. Sizes must not have
 * these names. */
extern const char *const lift_local_names[3];
extern const char lift_resident_name[];

/* Parses "nx=256,ny=256", or {"nx":256,"ny":256} as 'lift best' prints sizes, to
 * settings in 'arena'. Returns false and a diagnostic if the text is malformed. */
bool lift_sizes_parse(struct lift_arena *arena, const char *text,
                      const struct lift_size_setting **out, int *count,
                      struct lift_error *errors);

#endif
