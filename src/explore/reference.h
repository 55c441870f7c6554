/* The plain reference: the program lowered in the plainest way, compiled without
 * fast-math, run at the problem's size. */
#ifndef EXPLORE_REFERENCE_H
#define EXPLORE_REFERENCE_H

#include "explore/trial.h"
#include "rules/rule.h"
#include "tuner/worker.h"

/* What the truths of 'bench' are made by, as these rules lower the program for the host.
 * False and the reason. */
bool explore_reference_lower(struct explore_bench *bench, const struct lift_rules *rules,
                             struct lift_str *why);
/* Room for a truth, and the seed of its inputs: 'bench->seed' and others that follow from
 * it. It is there before a process that fills it or compares with it is started. False
 * and the reason. */
bool explore_reference_room(struct explore_bench *bench, int truth, struct lift_str *why);
/* The memory of the first one, which is then no more. */
void explore_reference_reuse(struct explore_bench *bench, int truth);
/* Of all truths. */
void explore_reference_free(struct explore_bench *bench);

/* Fills the first 'truths' reference results of 'bench' in a separate process. A
 * reference kernel that is wrong at a small odd size fills none. False and the reason. */
bool explore_reference_make(struct explore_bench *bench, int truths,
                            struct lift_str *why);
/* All three: lowered, room for so many truths, filled. */
bool explore_reference_plain(struct explore_bench *bench, const struct lift_rules *rules,
                             int truths, struct lift_str *why);

/* The same, concurrently with other work. */
struct explore_reference;

/* Which truths of a bench, and of its slab: bits, 1 << EXPLORE_FIRST and so on. */
struct explore_wanted {
    unsigned whole, slab;
};

/* References of the slab come first. 'runner' is the bench's idle worker for host
 * kernels; NULL: a separate process computes the reference, and its memory returns to the
 * system.
 */
struct explore_reference *explore_reference_begin(struct explore_bench *bench,
                                                  struct lift_worker *runner,
                                                  struct explore_wanted wanted);
/* To be polled for. */
struct lift_worker *explore_reference_worker(const struct explore_reference *r);
/* True once all is there, or it has failed for that reason. */
bool explore_reference_step(struct explore_reference *r, bool *good,
                            struct lift_str *why);
/* Whether that truth is there, of the slab or of the problem. */
bool explore_reference_has(const struct explore_reference *r, bool slab, int truth);
/* What the first truth of the problem took, its preparation included. */
double explore_reference_seconds(const struct explore_reference *r);
/* Waits for nothing. NULL is legal. */
void explore_reference_end(struct explore_reference *r);

#endif
