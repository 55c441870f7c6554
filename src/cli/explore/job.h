/* One problem explored by the ranks of a job: processes that mpirun or srun started, each
 * with a separate device and database. They communicate by files next to the database:
 *
 *     lift.db                the results before the job; after it, all results
 *     lift.db.rank3.db       the results of rank 3 (lift_explore_rank_db)
 *     lift.db.rank3.state    how it stands: "running HOST PID" or "ended STATUS"; touched
 *                            every few seconds while it runs
 *
 * Rank 0 waits for the others, merges their databases, runs the final benchmark, and
 * removes the merged files. */
#ifndef CLI_EXPLORE_JOB_H
#define CLI_EXPLORE_JOB_H

#include "cli/explore/explore_args.h"
#include <jansson.h>

/* As a rank of args->job. Returns the exit status; only rank 0 prints a summary. */
int cli_explore_job(const struct lift_explore_options *options,
                    const struct explore_args *args);

/* ---- job_state.c */

enum cli_rank_is {
    CLI_RANK_UNKNOWN, /* it left no word */
    CLI_RANK_RUNNING,
    CLI_RANK_GONE, /* it was running on this machine, and has no process any more */
    CLI_RANK_ENDED,
};

struct cli_rank_state {
    enum cli_rank_is is;
    int status;     /* its exit status, if ENDED */
    int64_t pid;    /* if RUNNING or GONE */
    double touched; /* when the file was changed, in seconds of its file system's clock */
};

/* Appends the path of the file. */
void cli_rank_state_path(const char *base, int rank, struct lift_str *out);
void cli_rank_state_read(const char *path, struct cli_rank_state *out);
/* False after a message. */
bool cli_rank_running(const char *path);
bool cli_rank_ended(const char *path, int status);

/* ---- job_merge.c */

/* What became of a rank. */
struct cli_rank {
    enum { CLI_RANK_DONE, CLI_RANK_FAILED, CLI_RANK_DEAD } end;
    int status;     /* of FAILED */
    bool gone;      /* of DEAD: its process is not there any more */
    bool merged;    /* what it found is in the database */
    int64_t trials; /* of these, new ones */
};

/* Waits until all but rank 0 have ended, or show no sign of life for so many seconds, or
 * Ctrl-C comes twice. */
void cli_ranks_wait(const char *base, double silence, struct cli_rank *ranks, int count);
/* Puts their databases, and those that earlier jobs left, into 'base', and removes those
 * of ranks that ended, unless 'keep'. Tells which could not be put there, and who is
 * dead; bandwidths that differ, if 'says'. CLI_FAILED if there was any, or a rank failed.
 */
int cli_ranks_merge(const char *base, struct cli_rank *ranks, int count, bool keep,
                    bool says);
/* A line for all of them; the same as JSON. */
void cli_ranks_print(const struct cli_rank *ranks, int count);
json_t *cli_ranks_json(const struct cli_rank *ranks, int count);

#endif
