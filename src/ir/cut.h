/* Cutting a grid along a dimension over several devices; words are those of the slowest
 * one. A part is some planes of the grid, and ghost planes on both sides, which are those
 * of its neighbours. It runs the program itself, at a smaller size: whatever the program
 * does at the ends of a grid, it does there to ghost planes only, where a part has a
 * neighbour. So many of them are wrong after a launch; they are fetched anew. */
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
    const char *size; /* of the planes: the length of all grids in this dimension */
    /* Planes that are wrong after a launch, at the first and at the last end of a part
     * that has a neighbour there. */
    int64_t before, after;
    bool ring; /* the grid is periodic: the last plane is next to the first one */
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

/* How a program is cut along dimension 'dim', 0 the outermost one; its sizes are
 * variables (lift_program_load_general). 'planes' is the number of planes of the whole
 * grid. The program of a part may be cut again, along another dimension. False, and why,
 * if it cannot be: words that follow "program 'NAME' cannot be cut over devices: ". */
bool lift_cut_find(struct lift_ir *ir, const struct lift_program *program, int dim,
                   int64_t planes, struct lift_cut *out, struct lift_str *why);

/* The program of a part at whose ends, before and behind where 'open' says so, there are
 * planes of the grid in memory: it reads them there, and all that it computes is right;
 * inputs are padStored by what does not matter. 'cut' is along the planes. NULL, and why,
 * if there is none: words that follow "...: ". */
const struct lift_program *lift_cut_open(struct lift_ir *ir, const struct lift_cut *cut,
                                         const struct lift_program *part,
                                         const bool *open, struct lift_str *why);

/* Planes of an input that a part fetches at both ends after so many launches; none if the
 * input is whole on each device, or no time loop changes it. After one launch it is
 * enough to fetch the planes that are read; later launches read ghost planes of all
 * fields, which earlier ones computed. */
struct lift_fetched {
    int64_t before, after;
};
struct lift_fetched lift_cut_fetched(const struct lift_cut *cut,
                                     const struct lift_program *program, int input,
                                     int64_t launches);

#endif
