/* A candidate (a configuration of an expression) as source: the text to compile and the
 * data to launch its binary. A builder writes the source; other processes read it. */
#ifndef EXPLORE_CANDIDATE_H
#define EXPLORE_CANDIDATE_H

#include "explore/runner.h"
#include "explore/trial.h"

/* The parts of a source. */
struct candidate_request {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    const struct candidate_space *candidates;
    const int *point;
    bool local_functions; /* see runner_request */
    const char *beside;   /* see runner_request */
    bool any_length; /* the limit on straight-line code is off; the limit on the whole
                        kernel stays */
};

/* Generates the source at sizes and tunables given as numbers; returns false and the
 * reason on failure. The caller releases 'out' with runner_unload in any case. */
bool candidate_generate(const struct candidate_request *request,
                        const struct explore_numbers *numbers, struct runner_module *out,
                        struct lift_str *why);
/* The flags of the request's compiler; they live as long as the problem. */
const char *candidate_flags(const struct candidate_request *request);

struct candidate {
    const char *flags;                    /* compiler flags */
    struct explore_numbers small_numbers; /* also set for a candidate read from a job */
    struct runner_module full, small;     /* no 'small' if the space is fixed */
};

/* Generates the candidate's code; an existing small module stays. On failure returns
 * false; the reply and its log have the reason. The caller releases 'c' in any case. */
bool candidate_make(const struct explore_bench *bench, const struct trial_request *asked,
                    struct candidate *c, struct trial_outcome *t);
/* Appends the source at the problem's size and the flags, each with its NUL. Then appends
 * all data needed to compile and run the candidate, in this program's memory layout: only
 * processes of this program read the job. */
void candidate_write(const struct candidate *c, struct lift_str *out);
/* Reads a candidate of a problem of the same program. The caller releases 'out'. */
void candidate_read(const char *job, const struct explore_problem *p,
                    struct candidate *out);
void candidate_fini(struct lift_device *device, struct candidate *c);

#endif
