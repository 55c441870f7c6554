/* Cutting a grid along its slowest dimension over several devices. A part is some planes
 * of the grid, and ghost planes on both sides, which are those of its neighbours. It runs
 * the program itself, at a smaller size: whatever the program does at the ends of a grid,
 * it does there to ghost planes only, where a part has a neighbour. So many of them are
 * wrong after a launch; they are fetched anew. */
#ifndef LIFT_CUT_H
#define LIFT_CUT_H

#include "lift/program.h"
#include "lift/str.h"

struct lift_cut {
    const char *size; /* of the planes: the outermost length of all grids */
    /* Planes that are wrong after a launch, at the first and at the last end of a part
     * that has a neighbour there. */
    int64_t before, after;
    bool ring; /* the grid is periodic: the last plane is beside the first one */
    /* Of an input: whether it is cut, or whole on each device; and which planes of it are
     * read for plane p: from p - before to p + after, if that is known. */
    bool cut[LIFT_MAX_ARGS], known[LIFT_MAX_ARGS];
    int64_t read_before[LIFT_MAX_ARGS], read_after[LIFT_MAX_ARGS];
    /* The program of a part, in the context of the program that was cut, or that program
     * itself. 'first' and 'planes' are NULL, or it asks where a plane lies: then it has a
     * parameter of the name 'first', the place of the part's first plane in the whole
     * grid, in a ring counted from 0 on; and a size of the name 'planes', the number of
     * planes of the whole grid. */
    const struct lift_program *part;
    const char *first, *planes;
};

/* How a program is cut, whose sizes are variables (lift_program_load_general). 'planes'
 * is the number of planes of the whole grid. False, and why, if it cannot be: words that
 * follow "program 'NAME' cannot be cut over devices: ". */
bool lift_cut_find(struct lift_ir *ir, const struct lift_program *program, int64_t planes,
                   struct lift_cut *out, struct lift_str *why);

#endif
