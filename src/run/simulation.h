/* Many steps of a program's time loop on grids of files: 'lift run'. Signals are the
 * caller's; nothing is printed. */
#ifndef RUN_SIMULATION_H
#define RUN_SIMULATION_H

#include "base/job.h"
#include "lift/plan.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* "NAME=VALUE", of an input or an output. */
struct sim_word {
    const char *name, *value;
};

/* An array after each 'every' steps. */
struct sim_snapshot {
    int64_t every;
    const char *pattern; /* of the file's name: see sim_is_pattern */
    const char *field;   /* NULL: the first output */
};

struct sim_progress {
    int64_t step, steps;
    double gpts;       /* since the first step; 10^9 points a second */
    double copy_share; /* as a share of the device's copy bandwidth; 0: unknown */
    double seconds;    /* that kernels took */
};

enum sim_stage { SIM_SETUP, SIM_COMPILE, SIM_COPY, SIM_KERNELS, SIM_WRITE, SIM_STAGES };

struct sim_options {
    const char *file;      /* a .lift file */
    const char *precision; /* "single" or "double"; NULL: as the program says */
    const char *sizes;
    const char *devices; /* that share the grid, "cuda:0,cuda:1=2", with weights */
    int cut[2]; /* parts of planes, and of rows, of several devices; 0: planes alone */
    int64_t exchange_every; /* launches, on several devices; 0 is as 1 */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
    bool graphs; /* launches that come again are one for the driver, where it can */
    /* The time limit of a launch and its exchange, and of waiting for other ranks; 0: ten
     * minutes. */
    double exchange_seconds;
    /* Other processes that run the same: each has a part of the grid, on a device of its
     * node: the one that 'devices' has at its local rank. NULL: there are none.
     * sim_destroy ends them all if this one failed and they cannot know. */
    const struct lift_job *job;
    const char *database; /* NULL: none */
    double plan_seconds; /* seconds to explore kernels that the database lacks; 0: none */
    int64_t steps;       /* the last one, counted from the beginning of the run */
    /* Values: a .npy file, a file of raw elements, a number, or a function of the indices
     * ("(i, j) => 0.5 * i + j"); of scalar parameters numbers. */
    const struct sim_word *in;
    const struct sim_word *out; /* files: .npy, otherwise raw */
    /* "CORNERS,WEIGHTS" of files of points: both inputs are made of them, as
     * lift/points.h says. */
    const struct sim_word *points;
    const struct sim_word *records; /* arrays as they are after each launch, together */
    const struct sim_snapshot *snapshots;
    int in_count, out_count, snapshot_count, point_count, record_count;
    const char *checkpoint;   /* NULL: none */
    int64_t checkpoint_every; /* 0: only when it is stopped */
    /* Steps after which the state is searched for NaN and infinities, which end the run;
     * 0: after so many that it costs 1 % of the time; below 0: never, not even at the
     * end. */
    int64_t check_every;
    const char *from;                  /* the checkpoint to resume from; NULL: none */
    const volatile sig_atomic_t *stop; /* not 0: stop soon */
    void (*report)(void *user, const struct sim_progress *progress); /* now and then */
    void *user;
};

enum sim_end {
    SIM_DONE,
    SIM_STOPPED,    /* by 'stop'; the checkpoint is written */
    SIM_NOT_FINITE, /* 'error' says where there is a NaN; after the last step all is
                       written, before it the records */
    SIM_FAILED,     /* 'error' describes it */
    SIM_USAGE,      /* likewise; the options are wrong, or files of the user */
};

/* Times of the last measured launch and its overlapped exchange, by the device's driver:
 * seconds since its beginning. */
struct sim_times {
    const char *device;
    double edges;        /* are computed until then */
    double began, taken; /* planes of neighbours are on their way in between */
    double inner;        /* the planes between are computed until then */
};

struct sim_result {
    enum sim_end end;
    struct lift_error error; /* why; not finite, failed and usage */
    bool elsewhere;          /* another rank has failed, and says why */
    int signal;              /* that stopped one of the ranks */
    const char *note; /* what the user should know of a continued run; NULL: nothing */
    const char *program, *sizes, *dtype, *device, *chosen, *kernel; /* once prepared */
    const char *parts; /* how several devices share the planes; NULL: there is one */
    struct lift_str
        launches;    /* at the end: "as graphs of 24 launches", or why not; or "" */
    double exchange; /* of the seconds of kernels, those of exchanges */
    bool hung; /* a device gives no answer: its thread is left with what it uses, and the
                  process must end soon after sim_destroy */
    int at_once;                   /* steps of a launch */
    const struct sim_times *times; /* of devices of this process, at the end */
    int time_count;
    int64_t first, step; /* the step that it began behind, and the last one */
    double seconds[SIM_STAGES];
    double loop; /* from the beginning of the first step to the end of the last */
    double gpts, copy_share; /* as in sim_progress */
};

struct sim;

/* Everything before the first step: inputs are looked at, and kernels compiled. Never
 * NULL; texts of the result belong to it. False in 'good' where it failed. */
struct sim *sim_prepare(const struct sim_options *options, bool *good);
/* Runs the steps and writes the results. */
enum sim_end sim_run(struct sim *sim);
const struct sim_result *sim_result(const struct sim *sim);
void sim_destroy(struct sim *sim);

/* Whether a name of files has one place for a number, "%d" or "%05d", and no other '%'.
 */
bool sim_is_pattern(const char *pattern);

#endif
