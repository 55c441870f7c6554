/* The reference kernel: the naive kernel for the host, compiled without fast-math, run at
 * the problem's size. The kernel is of one time step, and each step of a launch of the
 * problem is a launch of the reference kernel. */
#ifndef EXPLORE_REFERENCE_H
#define EXPLORE_REFERENCE_H

#include "explore/trial.h"
#include "rules/rule.h"
#include "tuner/worker.h"

/* The problem of the reference kernel: the sweep, unless the bench's problem has none. */
const struct explore_problem *
explore_reference_problem(const struct explore_bench *bench);
/* Lowers the program for the host by these rules, as the reference kernel of 'bench'.
 * Returns false and the reason on failure. */
bool explore_reference_lower(struct explore_bench *bench, const struct lift_rules *rules,
                             struct lift_str *why);
/* Allocates a reference result and sets the seed of its inputs: 'bench->seed', or a seed
 * derived from it. Call before starting a process that fills the result or compares with
 * it. Returns false and the reason on failure. */
bool explore_reference_room(struct explore_bench *bench, int truth, struct lift_str *why);
/* Gives the first result's memory to another result; the first result is then invalid. */
void explore_reference_reuse(struct explore_bench *bench, int truth);
/* Frees all reference results. */
void explore_reference_free(struct explore_bench *bench);

/* Fills the first 'truths' reference results of 'bench' in a separate process. A
 * reference kernel that is wrong at a small odd size fills none. Returns false and the
 * reason on failure. */
bool explore_reference_make(struct explore_bench *bench, int truths,
                            struct lift_str *why);
/* Does all three: lowers, allocates 'truths' results and fills them. */
bool explore_reference_plain(struct explore_bench *bench, const struct lift_rules *rules,
                             int truths, struct lift_str *why);

/* Likewise, concurrently with other work. */
struct explore_reference;

/* The reference results to make for a bench and for its slab: bits, 1 << EXPLORE_FIRST
 * and so on. */
struct explore_wanted {
    unsigned whole, slab;
};

/* The slab's results are made first. 'runner' is the bench's idle worker for host
 * kernels. NULL: a separate process computes the reference, and its memory returns to the
 * system. */
struct explore_reference *explore_reference_begin(struct explore_bench *bench,
                                                  struct lift_worker *runner,
                                                  struct explore_wanted wanted);
/* The worker to poll. */
struct lift_worker *explore_reference_worker(const struct explore_reference *r);
/* Returns true once all results are filled, or making them has failed; then sets 'good',
 * and 'why' on failure. */
bool explore_reference_step(struct explore_reference *r, bool *good,
                            struct lift_str *why);
/* True if the reference result of the slab, or of the problem, is filled. */
bool explore_reference_has(const struct explore_reference *r, bool slab, int truth);
/* Seconds to make the problem's first reference result, preparation included. */
double explore_reference_seconds(const struct explore_reference *r);
/* Ends the work without waiting; accepts NULL. */
void explore_reference_end(struct explore_reference *r);

#endif
