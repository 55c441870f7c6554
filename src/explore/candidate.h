/* A point of an expression's space as source: what is compiled, and what a binary of it
 * is run by. The same point gives the same source in every process. */
#ifndef EXPLORE_CANDIDATE_H
#define EXPLORE_CANDIDATE_H

#include "explore/runner.h"
#include "explore/trial.h"

struct candidate {
    const struct explore_arm *arm;
    const char *flags; /* of the compiler */
    struct explore_numbers numbers, small_numbers;
    struct runner_module full, small; /* no small one if the arm is fixed */
};

/* False, and why not in the reply and its log. 'out' is to be released in any case. */
bool candidate_make(const struct explore_bench *bench, const struct trial_request *asked,
                    struct candidate *out, struct trial_outcome *t);
void candidate_fini(struct lift_device *device, struct candidate *c);

#endif
