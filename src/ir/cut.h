/* Cuts a grid along a dimension over several devices. The comments use the words of the
 * outermost dimension. A part consists of own planes, and of ghost planes on both sides,
 * which are copies of the neighbours' planes.
 *
 * Each device runs the unchanged program on its part. At an end with a neighbour, the
 * boundary handling of the program affects ghost planes only. A launch leaves these
 * ghost planes wrong, and the runtime then fetches them again. */
#ifndef IR_CUT_H
#define IR_CUT_H

#include "base/str.h"
#include "lift/build.h"
#include "lift/program.h"

enum {
    LIFT_PART_DIMS = 3
}; /* dimensions along which a grid can be cut, outermost first */

struct lift_cut {
    int dim;
    const char *size; /* the size variable that is the length of all grids in 'dim' */
    /* Planes that a launch leaves wrong at the first and at the last end of a part, where
     * the part has a neighbour. */
    int64_t before, after;
    bool ring; /* the grid is periodic: the last plane is next to the first plane */
    /* Indexed by input. 'cut': each device holds a part of the input; otherwise the
     * whole input. 'known': plane p of the result reads planes p - read_before to p +
     * read_after. */
    bool cut[LIFT_MAX_ARGS], known[LIFT_MAX_ARGS];
    int64_t read_before[LIFT_MAX_ARGS], read_after[LIFT_MAX_ARGS];
    /* The program of a part, in the IR context of the uncut program; the two may be
     * equal. If the program uses the index of a plane, the part has two more arguments.
     * Parameter 'first' is the index of its first plane in the whole grid (from 0 if
     * periodic). Size 'planes' is the number of planes of the whole grid. Otherwise both
     * names are NULL. */
    const struct lift_program *part;
    const char *first, *planes;
};

/* Cuts a program along dimension 'dim' (0: outermost). The sizes of the program are
 * variables (lift_program_load_general). 'planes' is the number of planes of the whole
 * grid. The program of a part may be cut again along another dimension. On failure
 * returns false and appends to 'why' the reason that follows "program 'NAME' cannot be
 * cut over devices: ". */
bool lift_cut_find(struct lift_ir *ir, const struct lift_program *program, int dim,
                   int64_t planes, struct lift_cut *out, struct lift_str *why);

/* The program of a part that reads its neighbours' planes directly from memory before
 * (open[0]) and after (open[1]) its own planes. So the part computes every own plane
 * correctly. Its inputs are wrapped in padStored, whose padding values are arbitrary.
 * 'cut' is along dimension 0. On failure returns NULL and appends the reason to 'why'. */
const struct lift_program *lift_cut_open(struct lift_ir *ir, const struct lift_cut *cut,
                                         const struct lift_program *part,
                                         const bool *open, struct lift_str *why);

/* The planes of 'input' that a part fetches at both ends after every 'launches'
 * launches. Zero if each device holds the whole input, or no time loop changes the
 * input. After one launch a part fetches the planes that the program reads. After
 * several, a part fetches ghost planes of all fields, since later launches read results
 * of earlier launches. */
struct lift_fetched {
    int64_t before, after;
};
struct lift_fetched lift_cut_fetched(const struct lift_cut *cut,
                                     const struct lift_program *program, int input,
                                     int64_t launches);

#endif
