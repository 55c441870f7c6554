/* The second step of a trial: what its files share. */
#ifndef EXPLORE_TRIAL_TRIAL_RUN_H
#define EXPLORE_TRIAL_TRIAL_RUN_H

#include "explore/candidate.h"
#include "explore/trial/interpret.h"
#include "explore/trial/timing.h"

enum { RUN_ANSWERS = 32 };

/* The interpreter's answer at some small sizes. */
struct small_answer {
    int64_t sizes[EXPLORE_MAX_SIZES];
    uint64_t seed; /* of the inputs */
    struct explore_answer answer;
};

/* The best kernel that was timed here, with its buffers, to be timed again. */
struct incumbent {
    struct candidate candidate;
    struct runner_data data; /* spare, while it shares those of the run */
    bool shares;
    struct timing timing;
    double seconds, timed_at; /* 0: there is none */
    double trip;              /* in which state of the machine: base/states.h */
};

/* What lasts from request to request, of one grid: the problem's or its slab. */
struct run_state {
    const struct explore_bench *bench;
    struct lift_device *device;
    struct lift_clocks *clocks;
    struct incumbent incumbent;
    struct runner_data data; /* at the problem's size */
    bool data_ready;
    struct small_answer answers[RUN_ANSWERS];
    int answer_count;
    struct lift_worker *interpreter; /* see there; NULL: none is needed */
    /* On devices with separate memory: the bench's reference results there, or NULL. */
    struct lift_buffer *truths[EXPLORE_TRUTHS][EXPLORE_MAX_LEAVES];
    struct run_state *slab;     /* on the same device; NULL: none was asked for */
    struct runner_module plain; /* what truths are made by, once one was */
    bool plain_checked;         /* it was right at a small size */
    struct final_state *final;  /* final_run.c; NULL: nothing was asked of it */
};

/* One request. */
struct run {
    struct run_state *state;
    const struct trial_request *request;
    struct candidate candidate; /* with binaries */
    double first_seconds;       /* of the launch that was checked */
    struct trial_outcome t;
};

/* trial.c: the device, its clocks and room for data; NULL and a failure. */
struct run_state *run_open(const struct explore_bench *bench, struct lift_error *error);
/* The candidate of the job, with the binaries that follow it. */
bool run_load(struct run *r, const char *job);
/* The outcome, as trial_reply says. */
void run_send(struct run *r, struct lift_str *reply);

/* check.c: at a small size, then at the problem's, if not only SMALL is wanted. All
 * calls: false at the end of the trial. */
bool run_check(struct run *r);
/* Gives back the best kernel and all buffers. */
void run_drop(struct run_state *s);
/* Room for data of that module at the problem's size. */
bool run_prepare(struct run *r, const struct runner_module *m);
/* reference_grid.c: fills the truth of the request's number; 'process' is the state that
 * is not of a slab. */
bool run_truth(struct run *r, struct run_state *process);
/* final_run.c: a finalist is loaded, or timed. */
void run_final(struct run *r, const char *job);
/* measure.c: the launch that was checked was the warm-up. On a slab a kernel that is not
 * promising has the status SLAB. */
bool run_measure(struct run *r);
/* How often the candidate may be launched on the data of the run; one that was checked
 * was launched once. */
bool run_life(struct run *r, struct timing *t);
/* measure.c: leaves the run's buffers to the best kernel, if that shares them and the
 * module cannot. */
void run_part(struct run *r, const struct runner_module *m);
/* measure.c: whether there is room for as many more buffers. */
bool run_has_room(const struct run_state *s);
/* check.c: after the timing, checks that inputs and halos are unchanged and the results
 * are still correct. */
bool run_confirm(struct run *r);
/* check.c: before a kernel is called the best: it is right on a second input, too. The
 * data are as they were before. */
bool run_second(struct run *r);

#endif
