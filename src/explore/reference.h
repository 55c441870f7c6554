/* The plain reference: the program lowered in the plainest way, compiled without
 * fast-math, run once at the problem's size. */
#ifndef EXPLORE_REFERENCE_H
#define EXPLORE_REFERENCE_H

#include "explore/trial.h"
#include "lift/rule.h"
#include "lift/worker.h"

/* Fills the first so many of 'bench->truths' (shared memory, released by
 * explore_reference_free) by a worker of its own: inputs by 'bench->seed', then second
 * ones. 'term' is the program lowered plainly for the host; it is first compared with the
 * interpreter at a small odd size. False and the reason. */
bool explore_reference_make(struct explore_bench *bench, lift_expr term, int truths,
                            struct lift_str *why);
/* The same of the bench's program, lowered plainly by these rules. */
bool explore_reference_plain(struct explore_bench *bench, const struct lift_rules *rules,
                             int truths, struct lift_str *why);

/* The same beside other work: begun here (NULL and the reason), polled for by the worker,
 * and ended by 'end', which waits for nothing; then 'bench' is as it would be. 'step' is
 * true once it is there, or has failed for that reason. */
struct explore_reference;
struct explore_reference *explore_reference_begin(struct explore_bench *bench,
                                                  const struct lift_rules *rules,
                                                  int truths, struct lift_str *why);
struct lift_worker *explore_reference_worker(const struct explore_reference *r);
bool explore_reference_step(struct explore_reference *r, bool *good,
                            struct lift_str *why);
void explore_reference_end(struct explore_reference *r); /* NULL is legal */

void explore_reference_free(struct explore_bench *bench);

#endif
