/* Random moves from points that are known, shared by techniques. */
#ifndef TUNER_SEARCH_SEARCH_MOVES_H
#define TUNER_SEARCH_SEARCH_MOVES_H

#include "tuner/joint.h"

/* A random neighbour: one parameter changed to any value, or the values carried over to a
 * near expression. False, and 'to' is 'from', if it has none. */
bool search_move(const struct lift_joint *joint, struct lift_rng *rng,
                 const struct lift_choice *from, struct lift_choice *to);
/* A point of the expression of 'a' close to values that are taken from 'a' or 'b' by
 * chance. */
void search_cross(const struct lift_joint *joint, struct lift_rng *rng,
                  const struct lift_choice *a, const struct lift_choice *b,
                  struct lift_choice *to);

#endif
