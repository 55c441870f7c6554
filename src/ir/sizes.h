/* Sizes and tunables by their names, as command lines and launches have them. */
#ifndef IR_SIZES_H
#define IR_SIZES_H

#include "base/arena.h"
#include "lift/program.h"

/* Tunables of launches, which no rule makes: the work-items of a group, a dimension, and
 * the groups that a compute unit has to have room for. No size is called so. */
extern const char *const lift_local_names[3];
extern const char lift_resident_name[];

/* "nx=256,ny=256", or {"nx":256,"ny":256} as 'lift best' prints it, to settings in
 * 'arena'; false and a diagnostic if malformed. */
bool lift_sizes_parse(struct lift_arena *arena, const char *text,
                      const struct lift_size_setting **out, int *count,
                      struct lift_error *errors);

#endif
