/* A trial in two steps, each in a separate process: a builder generates and compiles the
 * code of a candidate, a runner checks the kernel, at a small size against the
 * interpreter and at the problem's size against the plain reference, and times it. Code
 * is generated once: the builder's answer has a job, which later builders and the runner
 * read. Of a large problem a slab comes first, in the same two steps, and the whole grid
 * only if the kernel is promising there. The processes alone open the device. */
#ifndef EXPLORE_TRIAL_H
#define EXPLORE_TRIAL_H

#include "base/states.h"
#include "explore/configurations.h"
#include "explore/input_data.h"
#include "tuner/db_trial.h"
#include "tuner/worker.h"

/* What the plain reference makes of inputs, at the problem's size. */
struct explore_truth {
    uint64_t seed;                     /* of the inputs */
    void *outputs[EXPLORE_MAX_LEAVES]; /* shared memory */
    double *magnitude;                 /* largest value of each; shared, too */
};

/* Of the search, and of the final benchmark. */
enum { EXPLORE_FIRST, EXPLORE_SECOND, EXPLORE_THIRD, EXPLORE_TRUTHS };

/* What the processes are given when they are forked. */
struct explore_bench {
    const struct explore_problem *problem;
    const char *device;                  /* as for lift_device_open */
    const struct lift_device_info *info; /* of that device */
    struct candidate_space *spaces; /* those of 'term' NULL are made by the point that
                                 comes    with a request */
    const struct configurations_spaces *later; /* how; NULL: all are there */
    uint64_t seed;                             /* of the first inputs */
    lift_expr
        plain; /* the program lowered plainly for the host: what truths are made by */
    struct explore_truth truths[EXPLORE_TRUTHS];
    const struct explore_bench *slab; /* trials run on it first (slab.h); NULL: no slab */
};

#define TRIAL_PATIENCE 2.0 /* seconds, the longest */

/* What a worker does with a request. */
enum trial_task {
    TRIAL_CANDIDATE, /* a builder builds it, a runner checks and times it */
    TRIAL_HEALTH,    /* the same with the kernel whose result is known */
    TRIAL_TRUTH,     /* a runner on the host fills the truth of number 'candidates' */
    TRIAL_LOAD,      /* the runner checks the finalist of 'slot', and keeps it */
    TRIAL_TIME,      /* the runner takes samples of that finalist */
};

/* The binaries that a builder compiles, to be or-ed; none: it generates the code. A
 * runner that is given SMALL alone makes the check at a small size and nothing else. */
enum trial_parts {
    TRIAL_FULL = 1,  /* at the problem's size */
    TRIAL_SMALL = 2, /* at a small size, if there is one */
    TRIAL_BOTH = TRIAL_FULL | TRIAL_SMALL,
};

/* A job and binaries follow, as they stand in the builder's reply. A builder without a
 * job generates the code first. One that has a job and compiles nothing generates the
 * code at the problem's size anew: the job is of the slab. */
struct trial_request {
    int device_session; /* a builder's bench is the one of that number */
    enum trial_task task;
    unsigned parts;
    int candidates;
    struct lift_configuration
        options; /* of the decisions, for a candidate space that may not be there */
    int point[LIFT_SPACE_PARAMS];
    bool slab;         /* on the slab of the bench, not on the whole grid */
    bool known;        /* it was right at a small size */
    double best;       /* seconds of the best kernel so far, on that grid; 0: none */
    bool alone;        /* timed in full, whatever the best one takes */
    double patience;   /* seconds of launches after which no more samples are taken; the
                          longest if it is alone */
    int slot, samples; /* of the final benchmark: the finalist, and how many to take */
    size_t job_size, full_size, small_size;
};

enum { TRIAL_SAMPLES = 32, TRIAL_REASON = 200, TRIAL_CHECKS = 8 };

/* The job, the log with its NUL and the binaries follow the struct. The job begins with
 * the source and the flags, each with its NUL (candidate_write). A runner sends only the
 * log; so does a builder that was given a job and compiled it, with the binaries. */
struct trial_reply {
    enum lift_trial_status status; /* OK from a builder: built */
    char reason[TRIAL_REASON];
    bool killed; /* the process was, by somebody else: it may be no fault of the trial */
    struct lift_resources resources;
    struct lift_db_check checks[TRIAL_CHECKS];
    int check_count;
    double samples[TRIAL_SAMPLES]; /* seconds of one launch */
    struct lift_db_clock clocks[TRIAL_SAMPLES];
    struct lift_trip trips[TRIAL_SAMPLES];
    int sample_count;
    bool is_best; /* faster than the best one, measured turn by turn if that is held */
    double best_then; /* seconds of the best one before, as the machine was; 0: none */
    double best_now;  /* seconds of the best one, if it was timed again; otherwise 0 */
    double compile_s, check_s, measure_s; /* cost of the step */
    size_t source_size;                   /* of the job */
    size_t job_size, log_size;            /* 0: there is none */
    size_t full_size, small_size;
    struct lift_hash full_key, small_key; /* of the builder: what binaries are made of */
};

/* 'user' is a struct explore_bench; of a builder, the first of an array. */
lift_worker_serve explore_build_serve, explore_run_serve;

/* Limits in seconds: of a builder, by $LIFT_CC_SECONDS (60) for each compilation; of one
 * launch, where 'best' is that of the request, by $LIFT_RUN_SECONDS (10); of all that a
 * runner does between launches. */
double explore_build_seconds(void);
double explore_launch_seconds(const struct explore_problem *p, double best);
double explore_run_seconds(const struct explore_problem *p);
/* Each step by a worker that serves it. False if that is the end of the trial. 'reply'
 * keeps what follows the struct. 'asked' names the same parts in both steps. */
bool explore_trial_build(struct lift_worker *builder, const struct trial_request *asked,
                         struct lift_str *reply, struct trial_reply *out);
/* 'built' is the builder's reply. */
bool explore_trial_run(struct lift_worker *runner, const struct trial_request *asked,
                       const struct lift_str *built, double seconds,
                       struct lift_str *reply, struct trial_reply *out);

/* What a worker that serves so has said, or what became of it. */
enum trial_step { TRIAL_BUILDS, TRIAL_RUNS };
bool trial_read(struct lift_worker_result result, enum trial_step step,
                const struct lift_str *reply, struct trial_reply *out);

/* A step in the process that takes it: its answer so far. */
struct trial_outcome {
    struct trial_reply reply;
    struct lift_str log;
};
void trial_start(struct trial_outcome *t);
/* The log of a step, in the reply of its worker; "" if there is none. */
const char *trial_log(const struct trial_reply *end, const struct lift_str *reply);
/* What a trial did on the whole grid, 'reply', with what it had done on a slab. */
void trial_add_slab(struct trial_reply *reply, const struct trial_reply *slab);
/* The median of the samples as the database takes it; 0 if there are none. */
double trial_median(const struct trial_reply *reply);
/* The same as if the machine still were as it was when the first best one was found, by
 * what the best one takes now: 'best_score' is that one's score, or 0, and is set if this
 * one is better. */
double trial_score(const struct trial_reply *end, double *best_score);
/* The end of the trial: keeps the first line of the reason, and the rest in the log. Both
 * return false, for 'return'. */
bool trial_end(struct trial_outcome *t, enum lift_trial_status status,
               const char *reason);
bool trial_end_failure(struct trial_outcome *t, struct lift_error *error);
/* Appends a text with its NUL, if there is one, and says how long it is. */
size_t trial_add_text(struct lift_str *reply, const struct lift_str *text);

#endif
