/* A trial has two steps, each in a separate process. A builder generates and compiles the
 * code of a candidate. A runner checks the kernel, at a small size against the
 * interpreter and at the problem's size against the reference kernel, and times it. Code
 * is generated once: the builder's answer has a job, which later builders and the runner
 * read. For a large problem both steps run on a slab first, and on the whole grid only if
 * the kernel is promising on the slab. Only these processes open the device. */
#ifndef EXPLORE_TRIAL_H
#define EXPLORE_TRIAL_H

#include "base/states.h"
#include "device/load.h"
#include "explore/configurations.h"
#include "explore/input_data.h"
#include "tuner/db_trial.h"
#include "tuner/worker.h"

/* Inputs of the search (first and second inputs) and of the final benchmark. */
enum { EXPLORE_FIRST, EXPLORE_SECOND, EXPLORE_THIRD, EXPLORE_TRUTHS };

/* A reference kernel of a device with separate memory (explore/reference.h): a
 * configuration of an expression. */
enum { EXPLORE_NAIVE, EXPLORE_WITNESS, EXPLORE_OWN };
struct explore_own {
    struct candidate_space space;
    int point[LIFT_SPACE_PARAMS];
};

/* Data that processes inherit when they are forked. */
struct explore_bench {
    const struct explore_problem *problem;
    const char *device;                  /* as for lift_device_open */
    const struct lift_device_info *info; /* description of the device */
    struct candidate_space *spaces; /* a worker makes spaces with 'term' NULL from the
                                       configuration in a request */
    const struct configurations_spaces *later; /* NULL: no space is missing */
    uint64_t seed;                             /* seed of the first inputs */
    lift_expr plain; /* the sweep, or the program, lowered for the host: the reference
                        kernel */
    const struct explore_own *own; /* the device's reference kernels; NULL: none */
    bool second; /* a kernel that becomes the best is checked on second inputs, too */
    const struct explore_bench *slab; /* tried first (slab.h); NULL: no slab */
    /* Benches of the device for each number of time steps a launch, by the request's
     * 'depth'; NULL: only this bench. */
    const struct explore_bench *depths;
};

/* The bench of a request, from the first bench of its device. */
static inline const struct explore_bench *
explore_bench_at(const struct explore_bench *first, int depth)
{
    return first->depths ? &first->depths[depth] : first;
}

#define TRIAL_PATIENCE 2.0 /* most seconds */

/* A worker's task in a request. */
enum trial_task {
    TRIAL_CANDIDATE, /* a builder builds it, a runner checks and times it */
    TRIAL_HEALTH,    /* likewise, with the kernel whose result is known */
    TRIAL_REFERENCE, /* the runner makes the reference of the first inputs; with SMALL it
                        only builds the reference kernels */
    TRIAL_LOAD,      /* the runner checks the finalist of 'slot', and keeps it */
    TRIAL_TIME,      /* the runner takes samples of the finalist in 'slot' */
};

/* The binaries that a builder compiles, or-ed; 0: the builder generates the code. A
 * runner with SMALL alone makes only the check at a small size. */
enum trial_parts {
    TRIAL_FULL = 1,  /* at the problem's size */
    TRIAL_SMALL = 2, /* at a small size, if the candidate has one */
    TRIAL_BOTH = TRIAL_FULL | TRIAL_SMALL,
};

/* The job and binaries of the builder's reply follow the struct. A builder without a job
 * generates the code first. With a job for the slab and no binaries to compile, the
 * builder generates the code at the problem's size again. */
struct trial_request {
    int device_session; /* index of the builder's bench */
    int depth;          /* index of the number of time steps (explore_bench_at) */
    enum trial_task task;
    unsigned parts;
    int candidates;
    struct lift_configuration
        options; /* options of the decisions, for a missing candidate space */
    int point[LIFT_SPACE_PARAMS];
    bool slab;     /* on the slab of the bench, not on the whole grid */
    bool known;    /* it passed the check at a small size */
    double best;   /* seconds a time step of the best kernel so far on the request's grid;
                      0: none */
    bool alone;    /* time it fully, without regard to the best kernel */
    bool quiet;    /* the runner asks its parent for quiet while it times kernels */
    bool baseline; /* the naive kernel: take several samples though it is slow */
    double patience;   /* seconds of launches after which sampling ends; TRIAL_PATIENCE if
                          'alone' */
    int slot, samples; /* finalist of the final benchmark, and number of its samples */
    size_t job_size, full_size, small_size;
};

enum { TRIAL_SAMPLES = 32, TRIAL_REASON = 200, TRIAL_CHECKS = 8 };

/* The job, the log with its NUL and the binaries follow the struct. The job begins with
 * the source and the flags, each with its NUL (candidate_write). A runner sends only the
 * log. A builder that compiled a given job sends the log and the binaries. */
struct trial_reply {
    enum lift_trial_status status; /* OK from a builder: the kernel compiled */
    char reason[TRIAL_REASON];
    bool killed; /* somebody killed the process, perhaps without a fault of the trial */
    struct lift_resources resources;
    struct lift_db_check checks[TRIAL_CHECKS];
    int check_count;
    double samples[TRIAL_SAMPLES]; /* seconds of one launch */
    struct lift_db_clock clocks[TRIAL_SAMPLES];
    struct lift_trip trips[TRIAL_SAMPLES];
    int sample_count;
    bool is_best; /* faster than the best kernel; measured alternately if the runner keeps
                     the best kernel */
    /* Seconds a time step of the best kernel: of the former one in the machine's state
     * then (0: none), and if it was timed again (otherwise 0). */
    double best_then, best_now;
    struct lift_load_sum load;            /* work of other processes during the samples */
    double compile_s, check_s, measure_s; /* seconds of the step */
    double reference_s;              /* seconds to make references, not part of check_s */
    char made_on_host[TRIAL_REASON]; /* why the host, not the device, makes references
                                        from this trial on; or empty */
    bool no_reference;         /* the trial ended because a reference cannot be made */
    size_t source_size;        /* bytes of the source in the job */
    size_t job_size, log_size; /* 0: absent */
    size_t full_size, small_size;
    struct lift_hash full_key, small_key; /* cache keys, set by the builder */
};

/* 'user' is a struct explore_bench, for builders the first of an array. */
lift_worker_serve explore_build_serve, explore_run_serve;

/* Limits in seconds. A builder has $LIFT_CC_SECONDS (60) for each compilation. A launch
 * has $LIFT_RUN_SECONDS (10), where 'best' is the request's. The last function limits a
 * runner's work between launches. */
double explore_build_seconds(void);
double explore_launch_seconds(const struct explore_problem *p, double best);
double explore_run_seconds(const struct explore_problem *p);
/* Performs the first step by a worker that serves it. Returns false if the trial ends.
 * 'reply' keeps the data after the struct. 'asked' has equal parts in both steps. */
bool explore_trial_build(struct lift_worker *builder, const struct trial_request *asked,
                         struct lift_str *reply, struct trial_reply *out);
/* Likewise for the second step. 'built' is the builder's reply. */
bool explore_trial_run(struct lift_worker *runner, const struct trial_request *asked,
                       const struct lift_str *built, double seconds,
                       struct lift_str *reply, struct trial_reply *out);

/* Reads a worker's reply, or the reason for a missing reply. */
enum trial_step { TRIAL_BUILDS, TRIAL_RUNS };
bool trial_read(struct lift_worker_result result, enum trial_step step,
                const struct lift_str *reply, struct trial_reply *out);

/* The reply of a step under construction, in the worker. */
struct trial_outcome {
    struct trial_reply reply;
    struct lift_str log;
};
void trial_start(struct trial_outcome *t);
/* The log of a step, in the worker's reply; "" without a log. */
const char *trial_log(const struct trial_reply *end, const struct lift_str *reply);
/* Adds the earlier result on the slab to 'reply', the result on the whole grid. */
void trial_add_slab(struct trial_reply *reply, const struct trial_reply *slab);
/* Copies the samples at full clocks, or all if there are none, to 'kept', which has room
 * for TRIAL_SAMPLES. Returns their number. */
int trial_kept(const struct trial_reply *reply, double *kept);
/* The median of the kept samples, rounded as in the database; 0 without samples. */
double trial_median(const struct trial_reply *reply);
/* The median of a kernel that computes 'steps' time steps, divided by 'steps'. It is
 * scaled to the machine's state when the first best kernel was found, by the best
 * kernel's time now. If that time differs from the score by more than a factor of 2, a
 * disturbance changed one of them, and the score is not scaled: errors do not multiply
 * from best kernel to best kernel. 'best_score' is the best kernel's score, or 0; the
 * function sets it if this kernel is better, never to a larger score. */
double trial_score(const struct trial_reply *end, int steps, double *best_score);
/* Ends the trial: keeps the first line of the reason, and the rest in the log. Returns
 * false, for use in 'return'. */
bool trial_end(struct trial_outcome *t, enum lift_trial_status status,
               const char *reason);
bool trial_end_failure(struct trial_outcome *t, struct lift_error *error);
/* Appends a nonempty text with its NUL; returns the length. */
size_t trial_add_text(struct lift_str *reply, const struct lift_str *text);

#endif
