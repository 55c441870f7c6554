/* Moves values that every step of a time loop recomputes without change into a separate
 * program, which runs once. */
#ifndef RUN_ONCE_H
#define RUN_ONCE_H

#include "lift/program.h"

struct once_split {
    struct lift_str name;       /* of the program */
    struct lift_str once, step; /* texts of programs, NAME_once and NAME_step */
    struct lift_str grids;      /* grids that program 'once' computes and 'step' reads */
};

/* Splits off pointwise library functions of inputs that no step changes, such as sines of
 * a medium. Steps of the second program on the results of the first program equal steps
 * of the original. Returns false with a diagnostic if the text is no program, has no time
 * loop, or has no such functions. */
bool once_split(const struct lift_source *source, struct once_split *out,
                struct lift_error *errors);
void once_split_fini(struct once_split *split);

#endif
