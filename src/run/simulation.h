/* 'lift run': many steps of a program's time loop on grids from files. The caller handles
 * signals and prints. */
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

/* Writes an array after each 'every' steps. */
struct sim_snapshot {
    int64_t every;
    const char *pattern; /* of the file's name: see sim_is_pattern */
    const char *field;   /* NULL: the first output */
};

struct sim_progress {
    int64_t step, steps;
    double gpts;       /* since the first step; 10^9 points a second */
    double copy_share; /* share of the device's copy bandwidth; 0: unknown */
    bool in_cache;     /* of the copy bandwidth in the last-level cache */
    double seconds;    /* of kernels */
};

enum sim_stage { SIM_SETUP, SIM_COMPILE, SIM_COPY, SIM_KERNELS, SIM_WRITE, SIM_STAGES };

struct sim_options {
    const char *file;      /* a .lift file */
    const char *precision; /* "single" or "double"; NULL: the program's own */
    const char *sizes;
    const char *devices; /* sharing the grid: "cuda:0,cuda:1=2", with weights */
    int cut[2]; /* parts along planes and along rows, of several devices; 0: planes only
                 */
    int64_t exchange_every; /* launches between exchanges, on several devices; 0: 1 */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
    bool graphs; /* repeat launches as graphs if the driver supports graphs */
    /* Time limit of a launch with its exchange, and of waits for other ranks; 0: ten
     * minutes. */
    double exchange_seconds;
    /* The processes of this simulation; NULL: one process. Each process has a part of the
     * grid on a device of its node: its local rank selects the device in 'devices'.
     * sim_destroy ends all processes if this process failed without informing the others.
     */
    const struct lift_job *job;
    const char *database; /* NULL: none */
    double plan_seconds; /* seconds to explore kernels that the database lacks; 0: none */
    int64_t steps;       /* the last step, counted from the beginning of the run */
    /* Values: a .npy file, a file of raw elements, a number, or a function of the indices
     * ("(i, j) => 0.5 * i + j"). Values of scalar parameters are numbers. */
    const struct sim_word *in;
    const struct sim_word *out; /* files: .npy, otherwise raw */
    /* Names "CORNERS,WEIGHTS" of two inputs; values are files of points. The points
     * determine both inputs (lift/points.h). */
    const struct sim_word *points;
    const struct sim_word *records; /* arrays after each launch, in one file an array */
    const struct sim_snapshot *snapshots;
    int in_count, out_count, snapshot_count, point_count, record_count;
    const char *checkpoint;   /* NULL: none */
    int64_t checkpoint_every; /* steps; 0: only when 'stop' ends the run */
    /* Steps between two searches of the state for NaN and infinities, which end the run.
     * 0: the searches take 1 % of the time; below 0: no searches, even at the end. */
    int64_t check_every;
    const char *from;                  /* the checkpoint to resume from; NULL: none */
    const volatile sig_atomic_t *stop; /* not 0: stop soon */
    void (*report)(void *user,
                   const struct sim_progress *progress); /* between launches */
    void *user;
};

enum sim_end {
    SIM_DONE,
    SIM_STOPPED,    /* by 'stop'; the checkpoint is written */
    SIM_NOT_FINITE, /* 'error' names the first NaN or infinity; the records are written,
                       after the last step also all outputs */
    SIM_FAILED,     /* 'error' describes the failure */
    SIM_USAGE,      /* 'error' describes the wrong option or user file */
};

/* Times of the last measured launch and its overlapped exchange, by the device's driver,
 * in seconds since the launch began. */
struct sim_times {
    const char *device;
    double edges;        /* end of the boundary planes' computation */
    double began, taken; /* begin and end of the transfer of ghost planes */
    double inner;        /* end of the inner planes' computation */
};

struct sim_result {
    enum sim_end end;
    struct lift_error error; /* of SIM_NOT_FINITE, SIM_FAILED and SIM_USAGE */
    bool elsewhere;          /* another rank failed and reports the reason */
    int signal;              /* the signal that stopped one of the ranks */
    const char *note;        /* a note to the user on a resumed run; NULL: none */
    const char *program, *sizes, *dtype, *device, *chosen, *kernel; /* once prepared */
    const char *parts; /* distribution of planes over devices; NULL: one device */
    struct lift_str
        launches;    /* at the end: "as graphs of 24 launches", a reason, or "" */
    double exchange; /* seconds of exchanges, included in those of kernels */
    bool hung; /* a device does not respond: its thread keeps its memory, and the process
                  must end soon after sim_destroy */
    int at_once; /* steps of most launches */
    /* At the end: "166 launches of 6 time steps, 4 single steps"; "" if no kernel of
     * several time steps a launch is known. */
    struct lift_str depths;
    const char
        *unused; /* why the kernel with the least time a step is not used; or NULL */
    const struct sim_times *times; /* of devices of this process, at the end */
    int time_count;
    int64_t first, step; /* the step before the first computed step, and the last step */
    double seconds[SIM_STAGES];
    double loop; /* from the beginning of the first step to the end of the last */
    double gpts, copy_share; /* as in sim_progress */
    bool in_cache;           /* likewise */
};

struct sim;

/* Checks the inputs and compiles the kernels. Never returns NULL; the result owns its
 * texts. 'good' becomes false on failure. */
struct sim *sim_prepare(const struct sim_options *options, bool *good);
/* Runs the steps and writes the results. */
enum sim_end sim_run(struct sim *sim);
const struct sim_result *sim_result(const struct sim *sim);
void sim_destroy(struct sim *sim);

/* Returns true if a file name has one conversion, "%d" or "%05d", and no other '%'. */
bool sim_is_pattern(const char *pattern);

#endif
