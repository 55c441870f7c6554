/* Random moves from points that are known, shared by techniques. */
#ifndef TUNER_SEARCH_SEARCH_MOVES_H
#define TUNER_SEARCH_SEARCH_MOVES_H

#include "tuner/joint.h"

/* A random neighbour: one parameter changed to any value, or the values carried over to a
 * near expression. False, and 'to' is 'from', if it has none. */
bool search_move(const struct lift_joint *joint, struct lift_rng *rng,
                 const struct lift_choice *from, struct lift_choice *to);

#endif
