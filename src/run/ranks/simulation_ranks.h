/* A simulation by several processes of a job, each with a part of the grid. Without a
 * job, one process has the whole grid. */
#ifndef RUN_SIMULATION_RANKS_H
#define RUN_SIMULATION_RANKS_H

#include "run/ranks/ranks.h"
#include "run/simulation_t.h"

/* simulation_ranks.c: a barrier of all ranks. Returns false on all ranks if a rank
 * failed; the first failed rank prints the reason. No barrier may follow a failure or the
 * loss of a rank. */
bool sim_meet(struct sim *s, bool good);
/* A barrier of ranks that have not failed, which also sends bytes to others (team_word).
 */
bool sim_tell(struct sim *s, const void *mine, size_t bytes);
/* After the preparation, waits for others have the time limit of an exchange. */
void sim_is_prepared(struct sim *s);

/* Joins the other processes after this process's own checks, and makes the list of all
 * devices. */
bool sim_join(struct sim *s, bool good);
/* Before each launch: the ranks agree on stopping, on searches for NaN and on the time of
 * launches. */
bool sim_turn(struct sim *s);
/* Ends MPI; also ends all ranks if this rank failed without informing the others. */
void sim_leave(struct sim *s);

/* simulation_share.c */

/* Ranges of planes and rows: the two outermost dimensions of an array. A missing
 * dimension has length 1. */
struct sim_planes {
    int64_t first[PARTS_DIMS], count[PARTS_DIMS];
};

/* Returns the part of an array that this process writes and checks. Each element belongs
 * to exactly one process. 'input' is -1 for an output. */
struct sim_planes sim_own(const struct sim *s, const struct explore_shape *shape,
                          int input);
enum { SIM_RANGES = PARTS_RANGES * PARTS_RANGES };
/* Lists the ranges of an input that this process's kernels read: 1 to SIM_RANGES. */
int sim_needed(const struct sim *s, int input, struct sim_planes out[SIM_RANGES]);
/* Returns the length of a dimension; 1 if the dimension is missing. */
int64_t sim_length(const struct explore_shape *shape, int dim);
/* Runs of contiguous elements: one run for all planes, or one run a plane. */
struct sim_runs {
    int64_t first, count, apart, runs; /* in elements; 'runs' is the number of runs */
};
struct sim_runs sim_runs_of(const struct explore_shape *shape,
                            const struct sim_planes *planes);

/* Returns a piece of a file of which this process writes its part. */
struct grid_part sim_piece(const struct sim *s, const struct explore_shape *shape,
                           int input, const void *data);
/* Returns a piece that the first process writes. */
struct grid_part sim_piece_once(const struct sim *s, const void *data, size_t bytes);
/* Writes a file by all processes, as grid_write does by one. */
bool sim_write_file(struct sim *s, const char *path, const struct grid_part *parts,
                    int count, bool lasting);

/* An array after one step or after several consecutive steps. */
struct sim_rows {
    const struct explore_shape *shape; /* of one row */
    int input;                         /* -1: an output */
    const void *data;
    int64_t count;
};
/* Hashes all elements by a sum, which does not depend on their distribution. */
bool sim_hash(struct sim *s, const struct sim_rows *rows, struct lift_hash *hash);
/* The non-finite elements of an array. */
struct sim_infinite {
    int64_t count, first;
    double value; /* of the first one */
};
bool sim_find_infinite(struct sim *s, const struct explore_shape *shape, int input,
                       const void *data, struct sim_infinite *out);

#endif
