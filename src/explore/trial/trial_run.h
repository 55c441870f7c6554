/* Internal declarations of the second step of a trial. */
#ifndef EXPLORE_TRIAL_TRIAL_RUN_H
#define EXPLORE_TRIAL_TRIAL_RUN_H

#include "explore/candidate.h"
#include "explore/reference.h"
#include "explore/trial/interpret.h"
#include "explore/trial/timing.h"

enum { RUN_ANSWERS = 32 };

/* The interpreter's results at some small sizes. */
struct small_answer {
    const struct explore_problem *problem;
    int64_t sizes[EXPLORE_MAX_SIZES];
    uint64_t seed; /* seed of the inputs */
    struct explore_answer answer;
};

/* The best kernel timed in this process, kept with its buffers for later timing. */
struct incumbent {
    struct candidate candidate;
    struct runner_data data; /* unused while it shares the run's buffers */
    bool shares;
    struct timing timing;
    double seconds, timed_at; /* seconds a time step; 0: none */
    double least;             /* its shortest 'seconds' so far: disturbances lengthen */
    double trip;              /* state of the machine at its last timing: base/states.h */
};

/* State kept between requests for one grid: the problem's or its slab. */
struct run_state {
    const struct explore_bench *bench; /* of the last request: see run_turn */
    struct lift_device *device;
    struct lift_clocks *clocks;
    struct incumbent incumbent;
    struct runner_data data; /* buffers at the problem's size */
    bool data_ready;
    /* Where buffers rotate: the life of struct timing, by time steps a launch; 0: not
     * known yet. */
    int lives[LIFT_MAX_STEPS + 1];
    struct small_answer answers[RUN_ANSWERS];
    int answer_count;
    struct lift_worker *interpreter; /* see struct explore_question; NULL: not needed */
    struct references *references;   /* of all grids */
    struct run_state *slab;    /* state of the slab on this device; NULL: not used yet */
    struct final_state *final; /* final_run.c; NULL: not used yet */
};

/* State of one request. */
struct run {
    struct run_state *state;
    const struct trial_request *request;
    struct candidate candidate; /* the candidate with its binaries */
    double first_seconds;       /* seconds of the checked launch */
    bool quiet;                 /* the parent has stopped other work */
    struct trial_outcome t;
};

/* trial.c: opens the device and its clocks, and makes room for data; returns NULL and a
 * failure. */
struct run_state *run_open(const struct explore_bench *bench, struct lift_error *error);
/* Loads the job's candidate, with the binaries that follow the job. */
bool run_load(struct run *r, const char *job);
/* Sends the outcome as a struct trial_reply. */
void run_send(struct run *r, struct lift_str *reply);

/* check.c: checks at a small size, then at the problem's size, unless only SMALL is
 * requested. All functions return false at the end of the trial. */
bool run_check(struct run *r);
/* trial.c: asks the parent for quiet, if the request allows it; ends the quiet. */
void run_begin_quiet(struct run *r);
void run_end_quiet(struct run *r);
/* check.c: makes the reference of the first inputs, or only builds its kernels. */
void run_reference(struct run *r);
/* Releases the best kernel and all buffers. */
void run_drop(struct run_state *s);
/* measure.c: prepares the state for candidates of another number of time steps. Buffers
 * of equal inputs stay, and so does the best kernel if memory suffices. Returns false and
 * a failure. */
bool run_turn(struct run_state *s, const struct explore_bench *bench,
              struct lift_error *error);
/* The time steps of a launch, by the state's bench. */
int run_steps(const struct run_state *s);
/* Prepares data for the module at the problem's size. */
bool run_prepare(struct run *r, const struct runner_module *m);
/* trial.c: announces the time limits of the request's launches. */
void run_limit(const struct run *r);
/* final_run.c: loads or times a finalist. */
void run_final(struct run *r, const char *job);
/* measure.c: times a kernel after the checked launch, which served as the warm-up. On a
 * slab, a kernel that is not promising gets the status SLAB. */
bool run_measure(struct run *r);
/* Determines how often the candidate may run on the run's data. */
bool run_life(struct run *r, struct timing *t);
/* measure.c: leaves the run's buffers to the best kernel if it shares them and the module
 * needs others. */
void run_part(struct run *r, const struct runner_module *m);
/* measure.c: true if there is memory for a second set of buffers. */
bool run_has_room(const struct run_state *s);
/* check.c: ends the quiet; after the timing, checks that inputs and halos are unchanged
 * and the results are still correct. If timed launches changed the inputs, checks one
 * more launch. */
bool run_confirm(struct run *r);
/* check.c: before a kernel becomes the best, checks it on second inputs. Restores the
 * data afterwards. */
bool run_second(struct run *r);

#endif
