/* Lowering: every loop of a term is given a level that the device has, every reduction a
 * way to be done. Each choice is the application of a rule of the group 'lowering'. */
#ifndef EXPLORE_LOWER_H
#define EXPLORE_LOWER_H

#include "lift/kernel.h"
#include "lift/rule.h"

struct lowering {
    lift_expr term;
    struct lift_steps steps; /* from the term that was lowered; arena of the IR */
};

/* All ways to lower 'term' for a dialect: legal nestings only, each result once. The list
 * lives in the arena of the IR. 0 if there is none, and then 'why' (may be NULL) says
 * why. */
int explore_lower(struct lift_ir *ir, const struct lift_rules *rules, lift_expr term,
                  enum lift_dialect dialect, const struct lowering **out,
                  struct lift_str *why);

/* True if every loop and reduction of a term has a level, and one of that dialect. */
bool explore_is_lowered(lift_expr term, enum lift_dialect dialect);

/* The plainest one: a parallel outermost loop on the host, sequential ones inside. NULL
 * if there is none. */
lift_expr explore_lower_plainly(struct lift_ir *ir, const struct lift_rules *rules,
                                lift_expr term, struct lift_str *why);
/* Without threads: what one would write down first. */
lift_expr explore_lower_sequentially(struct lift_ir *ir, const struct lift_rules *rules,
                                     lift_expr term, struct lift_str *why);

#endif
