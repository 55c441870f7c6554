/* Stores the measurements of a plan in the planner's database. */
#ifndef RUN_PLAN_STORE_H
#define RUN_PLAN_STORE_H

#include "explore/explore.h"
#include "explore/trial.h"
#include "run/chosen.h"

/* The database, and the origin of the measurements. */
struct plan_store {
    const char *path; /* of the database, created if absent; NULL: store nothing */
    const struct lift_explore_device *device; /* of the measurements */
    const struct lift_rules *rules;
};

/* A candidate, the builder's reply with the data after it, and the result. */
struct plan_timed {
    const struct chosen_candidate *candidate;
    struct lift_str built;
    struct trial_reply end;
};

/* Stores correct kernels as trials of a new session. If the database cannot be written,
 * it stays unchanged and 'why' has the reason; the measurements remain valid. */
void plan_store(const struct plan_store *where, const struct explore_problem *p,
                const struct plan_timed *list, int count, struct lift_str *why);

#endif
