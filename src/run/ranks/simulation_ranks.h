/* A simulation by several processes of a job, each with a part of the grid. Without a
 * job, one process has the whole grid. */
#ifndef RUN_SIMULATION_RANKS_H
#define RUN_SIMULATION_RANKS_H

#include "run/ranks/ranks.h"
#include "run/simulation_t.h"

/* simulation_ranks.c. A barrier of all ranks; false on all if one of them failed, of
 * which the first prints the reason. No barrier follows that, nor the loss of a rank. */
bool sim_meet(struct sim *s, bool good);
/* The same of ranks that have not failed: bytes for others (team_word). */
bool sim_tell(struct sim *s, const void *mine, size_t bytes);
/* After the first step, others are waited for no longer than an exchange may take. */
void sim_is_prepared(struct sim *s);

/* Once what this process alone can see is checked: joins the others, and makes the list
 * of the devices of all. */
bool sim_join(struct sim *s, bool good);
/* Before each launch: whether somebody was asked to stop, and how long launches take. */
bool sim_turn(struct sim *s);
/* Ends MPI; and all ranks, if this one failed and the others do not know. */
void sim_leave(struct sim *s);

/* simulation_share.c */

/* Some planes of an array, and of each some rows, of its two outermost dimensions; it has
 * one of those that are missing. */
struct sim_planes {
    int64_t first[PARTS_DIMS], count[PARTS_DIMS];
};

/* What this process looks after of an array: all processes together have each element
 * once. 'input' is -1 of an output. */
struct sim_planes sim_own(const struct sim *s, const struct explore_shape *shape,
                          int input);
enum { SIM_RANGES = PARTS_RANGES * PARTS_RANGES };
/* What its kernels read of an input: 1 to SIM_RANGES ranges. */
int sim_needed(const struct sim *s, int input, struct sim_planes out[SIM_RANGES]);
/* Elements of a dimension; 1 of one that is missing. */
int64_t sim_length(const struct explore_shape *shape, int dim);
/* Runs of adjacent elements: the rows of several planes together, or of one plane each.
 */
struct sim_runs {
    int64_t first, count, apart, runs; /* elements, but for the number of runs */
};
struct sim_runs sim_runs_of(const struct explore_shape *shape,
                            const struct sim_planes *planes);

/* A piece of a file, of which this process writes some bytes. */
struct grid_part sim_piece(const struct sim *s, const struct explore_shape *shape,
                           int input, const void *data);
/* One that the first process writes. */
struct grid_part sim_piece_once(const struct sim *s, const void *data, size_t bytes);
/* The file as grid_write makes it, by all processes. */
bool sim_write_file(struct sim *s, const char *path, const struct grid_part *parts,
                    int count, bool lasting);

/* An array as it was after one step or several, one after the other. */
struct sim_rows {
    const struct explore_shape *shape; /* of one row */
    int input;                         /* -1: an output */
    const void *data;
    int64_t count;
};
/* A sum over all elements: the same however they are shared out. */
bool sim_hash(struct sim *s, const struct sim_rows *rows, struct lift_hash *hash);
/* The non-finite elements of an array. */
struct sim_infinite {
    int64_t count, first;
    double value; /* of the first one */
};
bool sim_find_infinite(struct sim *s, const struct explore_shape *shape, int input,
                       const void *data, struct sim_infinite *out);

#endif
