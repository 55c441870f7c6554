/* States of a machine. Some virtual machines are moved between placements of their cores
 * while they run, for seconds or minutes: with one, memory is nearly twice as fast as
 * with the other. The round trip of a cache line between two cores tells them apart
 * (device/clocks.h); times that were measured in different states say nothing of each
 * other. Where there is one state, or nothing is known, all of this changes nothing. */
#ifndef BASE_STATES_H
#define BASE_STATES_H

#include <stdbool.h>

/* Round trips in seconds before and after a measurement; 0: unknown. */
struct lift_trip {
    double before, after;
};

/* Both of one state, as far as is known. */
bool lift_states_same(double trip, double other);
/* Nothing says that the machine changed its state meanwhile. */
bool lift_trip_steady(struct lift_trip trip);

/* Sorts measurements: 'states' gets a number for each, from 0 on in the order of rising
 * round trips, and -1 for those that were disturbed: before and after are of different
 * states, or one of both is unknown while others are known. Returns how many states were
 * seen. If nothing is known all are in state 0. */
int lift_states_find(const struct lift_trip *trips, int count, int *states);
/* The state of most measurements; -1 if all were disturbed, or there are none. */
int lift_states_most(const int *states, int count);

#endif
