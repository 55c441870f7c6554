/* A candidate (a point of an expression's space) as source: the text to compile and the
 * data to launch its binary. A builder writes it; other processes read it. */
#ifndef EXPLORE_CANDIDATE_H
#define EXPLORE_CANDIDATE_H

#include "explore/runner.h"
#include "explore/trial.h"

/* What a source is made of. */
struct candidate_request {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    const struct candidate_space *candidates;
    const int *point;
    bool local_functions; /* as in runner_request */
    const char *beside;   /* likewise */
    bool any_length;      /* of straight-line code, but not of a whole kernel */
};

/* The source at sizes and tunables that are given as numbers; false and the reason. 'out'
 * is to be released by runner_unload in any case. */
bool candidate_generate(const struct candidate_request *request,
                        const struct explore_numbers *numbers, struct runner_module *out,
                        struct lift_str *why);
/* The flags of its compiler; they live as long as the problem. */
const char *candidate_flags(const struct candidate_request *request);

struct candidate {
    const char *flags;                    /* of the compiler */
    struct explore_numbers small_numbers; /* a candidate that was read has the sizes */
    struct runner_module full, small; /* no small one if the candidate space is fixed */
};

/* Generates its code; a small module that is there stays. False, and why not in the reply
 * and its log. 'c' is to be released in any case. */
bool candidate_make(const struct explore_bench *bench, const struct trial_request *asked,
                    struct candidate *c, struct trial_outcome *t);
/* Appends the source at the problem's size and the flags, each with its NUL, then all
 * that compiling and running the candidate needs, in the memory layout of this program:
 * processes of one program read it. */
void candidate_write(const struct candidate *c, struct lift_str *out);
/* Of a problem of the same program; to be released. */
void candidate_read(const char *job, const struct explore_problem *p,
                    struct candidate *out);
void candidate_fini(struct lift_device *device, struct candidate *c);

#endif
