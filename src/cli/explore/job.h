/* One problem explored by the ranks of a job: processes that mpirun or srun started,
 * each with a separate device and database. The ranks communicate by files next to
 * the database:
 *
 *     lift.db                the results before the job; after it, all results
 *     lift.db.rank3.db       the results of rank 3 (lift_explore_rank_db)
 *     lift.db.rank3.state    the state: "running HOST PID" or "ended STATUS"; touched
 *                            every few seconds while the rank runs
 *
 * Rank 0 waits for the other ranks, merges their databases, runs the final benchmark,
 * and removes the merged files. */
#ifndef CLI_EXPLORE_JOB_H
#define CLI_EXPLORE_JOB_H

#include "cli/explore/explore_args.h"
#include <jansson.h>

/* Runs this process as a rank of args->job. Returns the exit status; only rank 0
 * prints a summary. */
int cli_explore_job(const struct lift_explore_options *options,
                    const struct explore_args *args);

/* ---- job_state.c */

enum cli_rank_is {
    CLI_RANK_UNKNOWN, /* the rank has no state file */
    CLI_RANK_RUNNING,
    CLI_RANK_GONE, /* the rank ran on this machine, and its process is gone */
    CLI_RANK_ENDED,
};

struct cli_rank_state {
    enum cli_rank_is is;
    int status;     /* the exit status, if ENDED */
    int64_t pid;    /* if RUNNING or GONE */
    double touched; /* last change of the file, in seconds of its file system's clock */
};

/* Appends the path of the state file. */
void cli_rank_state_path(const char *base, int rank, struct lift_str *out);
void cli_rank_state_read(const char *path, struct cli_rank_state *out);
/* Writes the state "running"; false after a message. */
bool cli_rank_running(const char *path);
bool cli_rank_ended(const char *path, int status);

/* ---- job_merge.c */

/* The result of a rank. */
struct cli_rank {
    enum { CLI_RANK_DONE, CLI_RANK_FAILED, CLI_RANK_DEAD } end;
    int status;     /* exit status, if FAILED */
    bool gone;      /* if DEAD: its process is gone */
    bool merged;    /* the database has the rank's results */
    int64_t trials; /* number of new trials in the merge */
};

/* Waits until all ranks but 0 have ended, or gave no sign of life for 'silence'
 * seconds, or the user presses Ctrl-C twice. */
void cli_ranks_wait(const char *base, double silence, struct cli_rank *ranks, int count);
/* Merges the databases of the ranks, and of earlier jobs, into 'base'. Removes the
 * databases of ended ranks, unless 'keep'. Reports failed merges and dead ranks, and
 * differing bandwidths if 'says'. Returns CLI_FAILED after such an error, or if a
 * rank failed. */
int cli_ranks_merge(const char *base, struct cli_rank *ranks, int count, bool keep,
                    bool says);
/* Prints a line for all ranks, or returns the same data as JSON. */
void cli_ranks_print(const struct cli_rank *ranks, int count);
json_t *cli_ranks_json(const struct cli_rank *ranks, int count);

#endif
