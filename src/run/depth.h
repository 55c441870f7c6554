/* Temporal blocking: kernels that compute several time steps a launch, in a run of more
 * steps. */
#ifndef RUN_DEPTH_H
#define RUN_DEPTH_H

#include "base/hash.h"
#include "base/str.h"
#include "lift/chosen.h"
#include "lift/program.h"
#include <stdbool.h>

struct chooser;

/* The ids of the program 'source', which has single steps, with 1 to 16 time steps a
 * launch. depth_is_of computes them at first use. 'source' belongs to the caller. */
struct depth_ids {
    const struct lift_source *source;
    bool tried[LIFT_MAX_STEPS + 1];
    struct lift_hash id[LIFT_MAX_STEPS + 1]; /* all 0: no such program */
};
/* Returns true if 'id' is the program with 'steps' time steps a launch. Other numbers of
 * steps than 1 to 16 are of no program. */
bool depth_is_of(struct depth_ids *ids, int steps, struct lift_hash id);
/* Copies the source with 'steps' time steps a launch; the caller releases 'out'. Returns
 * false with diagnostics if the program has no such steps. */
bool depth_source(const struct lift_source *source, int steps, struct lift_source *out,
                  struct lift_error *errors);

/* The speeds of kernels by their time steps a launch, in 10^9 updates of grid points a
 * second, every step counted. 0: no kernel. */
struct depth_speeds {
    double gpts[LIFT_MAX_STEPS + 1];
};

/* Finds the fastest kernels of the chooser's program in its database, for every number of
 * time steps a launch. All of them are of the nearest explored device and sizes; '*how'
 * says how near. The program must have single steps, and 'ids' must be of its source.
 * Speeds are all 0 if there are no kernels, or no database. Returns false if the database
 * fails. */
bool depth_find(const struct chooser *c, struct depth_ids *ids, struct depth_speeds *out,
                enum lift_chosen_how *how);

/* Some launches of a run, in their order. */
struct depth_part {
    int at_once; /* time steps a launch */
    int64_t launches;
};
enum {
    DEPTH_KERNELS = 3
}; /* at most: of most launches, of the remainder, single steps */
struct depth_split {
    struct depth_part part[DEPTH_KERNELS];
    int count;
    /* The predicted time for 10^9 grid points, changes of kernels included. */
    double seconds;
};
/* Divides a run of 'steps' steps into launches that take the least time, from the most
 * time steps a launch to the fewest. A change of kernels costs as much as some single
 * sweeps, because the state is copied. If there is no speed of single steps, they count
 * as slow. 'now' is the number of steps a launch of the kernel that has the state; 0:
 * none. The launches then begin with this kernel if this saves a change. */
struct depth_split depth_split(const struct depth_speeds *speeds, int64_t steps, int now);

/* Returns the time steps a launch of the kernel with the least time a step; 0: there are
 * no kernels. */
int depth_fastest(const struct depth_speeds *speeds);

/* 'steps' steps, computed 'times' times. The caller needs the state after each time. */
struct depth_run {
    int64_t steps;
    double times;
};
/* Keeps the speeds of at most three kernels, with which all runs together take the least
 * time. A second kernel of several steps is kept only if it saves two percent. Single
 * steps are always kept. */
void depth_keep(struct depth_speeds *speeds, const struct depth_run *runs, int count);

/* Returns the time steps a launch of the kernel that, with single steps, computes soonest
 * the remainder of a run of 'steps' steps after launches of 'most' steps. 'steps' 0: any
 * remainder. Returns 1 if this kernel saves less than two percent. */
int depth_of_rest(const struct depth_speeds *speeds, int most, int64_t steps);

/* Appends "166 launches of 6 time steps, then 4 single steps". */
void depth_describe(const struct depth_split *split, struct lift_str *out);

#endif
