/* What happens in the worker process: a candidate is compiled, checked at a small size
 * against the interpreter and at the problem's size against the plain reference, and
 * timed. The worker alone opens the device. */
#ifndef EXPLORE_TRIAL_H
#define EXPLORE_TRIAL_H

#include "explore/arm.h"
#include "explore/data.h"
#include "lift/db_try.h"
#include "lift/worker.h"

/* What the worker is given when it is forked. */
struct explore_bench {
    const struct explore_problem *problem;
    const char *device;                  /* as for lift_device_open */
    const struct lift_device_info *info; /* of that device */
    const struct explore_arm *arms;
    uint64_t seed; /* of the data */
    void
        *reference[EXPLORE_MAX_LEAVES]; /* outputs at the problem's size; shared memory */
    double magnitude[EXPLORE_MAX_LEAVES]; /* largest value of each */
};

enum trial_step {
    TRIAL_BUILD, /* source and binary; kept for the next request */
    TRIAL_RUN,   /* checks and times what was built last */
};

struct trial_request {
    enum trial_step step;
    int arm;
    int point[LIFT_SPACE_PARAMS];
    double best; /* seconds of the best kernel so far; 0: none */
};

enum { TRIAL_SAMPLES = 32, TRIAL_REASON = 200 };

/* The texts follow the struct, one after the other, each with its NUL. */
struct trial_reply {
    enum lift_try_status status; /* OK after BUILD: go on */
    char reason[TRIAL_REASON];
    struct lift_resources resources;
    struct lift_db_check checks[2];
    int check_count;
    double samples[TRIAL_SAMPLES];
    int sample_count;
    size_t source_size, flags_size, log_size; /* 0: there is none */
};

/* 'user' is a struct explore_bench. */
lift_worker_serve explore_trial_serve;

/* Limits of the two steps, in seconds; 'best' is that of the request. */
extern const double explore_build_seconds;
double explore_run_seconds(const struct explore_problem *p,
                           const struct lift_device_info *device, double best);
/* One request to a worker that serves so. False if that is the end of the try. 'reply'
 * keeps the texts, which begin after the struct. */
bool explore_trial_call(struct lift_worker *worker, const struct trial_request *asked,
                        double seconds, struct lift_str *reply, struct trial_reply *out);

#endif
