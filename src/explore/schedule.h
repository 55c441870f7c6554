/* Which expression gets the next try, and at which point of its space. The budget moves
 * to the expressions that win: they come in brackets, in order of rank; of each bracket
 * all get a try, the best quarter some more and its best one more again; between the
 * brackets, and after the last, the best of all are climbed. Values of parameters that
 * the best point has by the same name, and before there is one those that a parameter
 * names itself, are the first that an expression is tried with.
 *
 * The schedule sees outcomes only, neither clock nor device: the same seed and the same
 * answers give the same sequence. */
#ifndef EXPLORE_SCHEDULE_H
#define EXPLORE_SCHEDULE_H

#include "lift/search.h"

struct explore_schedule;

/* One space an expression; the spaces outlive the schedule. Ended by destroy (NULL is
 * legal). */
struct explore_schedule *explore_schedule_create(const struct lift_space *const *spaces,
                                                 int count,
                                                 const struct lift_technique *technique,
                                                 uint64_t seed);
void explore_schedule_destroy(struct explore_schedule *schedule);

/* False if every point of every space was proposed or told of. */
bool explore_schedule_next(struct explore_schedule *schedule, int *expr, int *point);
/* Tells of a point, of one proposed or of one known from an earlier session. */
void explore_schedule_tell(struct explore_schedule *schedule, int expr, const int *point,
                           struct lift_outcome outcome);

#endif
