/* Random moves from known points, shared by techniques. */
#ifndef TUNER_SEARCH_SEARCH_MOVES_H
#define TUNER_SEARCH_SEARCH_MOVES_H

#include "tuner/joint.h"

/* Moves to a random neighbour: changes one parameter to any value, or carries the
 * values to a near expression. Returns false, with 'to' equal to 'from', if there is
 * no neighbour. */
bool search_move(const struct lift_joint *joint, struct lift_rng *rng,
                 const struct lift_choice *from, struct lift_choice *to);

#endif
