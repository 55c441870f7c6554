/* A try in two steps, each in a process of its own: a builder compiles a candidate, a
 * runner checks what was built, at a small size against the interpreter and at the
 * problem's size against the plain reference, and times it. Of a large problem a slab is
 * tried first, in the same two steps; the problem itself is what is promising there. The
 * processes alone open the device. */
#ifndef EXPLORE_TRIAL_H
#define EXPLORE_TRIAL_H

#include "base/states.h"
#include "explore/input_data.h"
#include "explore/points.h"
#include "tuner/db_try.h"
#include "tuner/worker.h"

/* What the plain reference makes of inputs, at the problem's size. */
struct explore_truth {
    uint64_t seed;                     /* of the inputs */
    void *outputs[EXPLORE_MAX_LEAVES]; /* shared memory */
    double *magnitude;                 /* largest value of each; shared, too */
};

/* Of the search, and of the final. */
enum { EXPLORE_FIRST, EXPLORE_SECOND, EXPLORE_THIRD, EXPLORE_TRUTHS };

/* What the processes are given when they are forked. */
struct explore_bench {
    const struct explore_problem *problem;
    const char *device;                  /* as for lift_device_open */
    const struct lift_device_info *info; /* of that device */
    struct candidate_space *spaces;    /* those of 'term' NULL are made by the point that
                                    comes    with a request */
    const struct points_spaces *later; /* how; NULL: all are there */
    uint64_t seed;                     /* of the first inputs */
    lift_expr
        plain; /* the program lowered plainly for the host: what truths are made by */
    struct explore_truth truths[EXPLORE_TRUTHS];
    const struct explore_bench *slab; /* what is tried first (slab.h); NULL: nothing is */
};

/* What is asked of a builder; HEALTH of a runner, too, and SMALL: the check at a small
 * size and nothing else. To be or-ed, HEALTH excepted. */
#define TRIAL_PATIENCE 2.0 /* seconds, the longest */

enum trial_want {
    TRIAL_SOURCE = 1, /* source and flags */
    TRIAL_FULL = 2,   /* the binary at the problem's size */
    TRIAL_SMALL = 4,  /* and at a small size, if there is one */
    TRIAL_HEALTH = 8, /* the known kernel: to be built, or to be run */
    TRIAL_TRUTH =
        16, /* of a runner on the host: to fill the truth of number 'candidates' */
    TRIAL_LOAD =
        32, /* of the final's runner: the finalist of 'slot' is checked and kept */
    TRIAL_TIME = 64, /* and that one's samples of a round */
};

/* To a runner, the binaries follow as they stand in the builder's reply. */
struct trial_request {
    int device_session; /* a builder's bench is the one of that number */
    unsigned want;
    int candidates;
    struct lift_point
        options; /* of the decisions, for a candidate space that may not be there */
    int point[LIFT_SPACE_PARAMS];
    bool slab;         /* on the slab of the bench, not on the whole grid */
    bool known;        /* it was right at a small size */
    double best;       /* seconds of the best kernel so far, on that grid; 0: none */
    bool alone;        /* timed in full, whatever the best one takes */
    double patience;   /* seconds of launches after which no more samples are taken; the
                          longest if it is alone */
    int slot, samples; /* of the final benchmark: the finalist, and how many to take */
    size_t full_size, small_size;
};

enum { TRIAL_SAMPLES = 32, TRIAL_REASON = 200, TRIAL_CHECKS = 8 };

/* The texts follow the struct, each with its NUL, and then the binaries. A runner sends
 * no source, flags and binaries. */
struct trial_reply {
    enum lift_try_status status; /* OK from a builder: go on */
    char reason[TRIAL_REASON];
    bool killed; /* the process was, by somebody else: it may be no fault of the try */
    struct lift_resources resources;
    struct lift_db_check checks[TRIAL_CHECKS];
    int check_count;
    double samples[TRIAL_SAMPLES]; /* seconds of one launch */
    struct lift_db_clock clocks[TRIAL_SAMPLES];
    struct lift_trip trips[TRIAL_SAMPLES];
    int sample_count;
    bool is_best; /* faster than the best one, measured turn by turn if that is held */
    double best_then; /* seconds of the best one before, as the machine was; 0: none */
    double best_now;  /* seconds of the best one, if it was timed again; else 0 */
    double compile_s, check_s, measure_s;     /* what the step cost */
    size_t source_size, flags_size, log_size; /* 0: there is none */
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
/* Each step by a worker that serves it. False if that is the end of the try. 'reply'
 * keeps what follows the struct. A builder that is asked for nothing makes everything; a
 * runner is asked for the small check only if the builder was for the small binary alone.
 */
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
/* The log of a step, in the text that came with its answer; "" if there is none. */
const char *trial_log(const struct trial_reply *end, const struct lift_str *texts);
/* What a try did on the whole grid, 'reply', with what it had done on a slab. */
void trial_add_slab(struct trial_reply *reply, const struct trial_reply *slab);
/* The median of the samples as the database takes it; 0 if there are none. */
double trial_median(const struct trial_reply *reply);
/* The same as if the machine still were as it was when the first best one was found, by
 * what the best one takes now: 'best_score' is that one's score, or 0, and is set if this
 * one is better. */
double trial_score(const struct trial_reply *end, double *best_score);
/* The end of the try: keeps the first line of the reason, and the rest in the log. Both
 * return false, for 'return'. */
bool trial_end(struct trial_outcome *t, enum lift_try_status status, const char *reason);
bool trial_end_failure(struct trial_outcome *t, struct lift_error *error);
/* Appends a text with its NUL, if there is one, and says how long it is. */
size_t trial_add_text(struct lift_str *reply, const struct lift_str *text);

#endif
