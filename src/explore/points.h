/* Points of the decisions (lift/decision.h) made into terms. What several points have in
 * common is made once; what cannot be made is known after one attempt. */
#ifndef EXPLORE_POINTS_H
#define EXPLORE_POINTS_H

#include "explore/phase.h"
#include "lift/decision.h"

/* The low-level expression of a point, added to the leaves if it is new; its node. -1 and
 * the reason if there is none. */
int points_add(struct deriver *v, const struct lift_point *point, struct lift_str *why);

/* Leaves of all families that are for the device, with each option of the decisions that
 * explorations begin with, then with each option of a user's own; at most so many leaves
 * in all. */
void points_add_families(struct deriver *v, int most);

/* Calls 'visit' with every point that has one option more, less or another. */
typedef void points_visit(void *user, const struct lift_point *point);
void points_neighbours(const struct deriver *v, const struct lift_point *point,
                       points_visit *visit, void *user);

#endif
