/* What each step of a time loop computes anew though it does not change, as a program of
 * its own. */
#ifndef RUN_ONCE_H
#define RUN_ONCE_H

#include "lift/program.h"

struct once_split {
    struct lift_str name;       /* of the program */
    struct lift_str once, step; /* texts of programs, NAME_once and NAME_step */
    struct lift_str grids;      /* what the first computes and the second reads */
};

/* Splits what is computed point by point, by functions of libraries, of inputs that no
 * step changes: sines of a medium, say. Steps of the second program on the results of the
 * first give what those of the program give. False, with a diagnostic, if the text is
 * none of the language, has no time loop or nothing of that kind. */
bool once_split(const struct lift_source *source, struct once_split *out,
                struct lift_error *errors);
void once_split_fini(struct once_split *split);

#endif
