/* States of a machine. Some virtual machines move between placements of their cores
 * while they run, every few seconds or minutes. In one placement, memory is nearly twice
 * as fast as in the other. The round trip of a cache line between two cores
 * distinguishes the states (device/clocks.h). Times of different states are not
 * comparable. With one state, or without known round trips, these functions have no
 * effect. */
#ifndef BASE_STATES_H
#define BASE_STATES_H

#include <stdbool.h>

/* Round trips in seconds before and after a measurement; 0: unknown. */
struct lift_trip {
    double before, after;
};

/* True if both round trips are of one state, or one is unknown. */
bool lift_states_same(double trip, double other);
/* True if the state did not change during the measurement, as far as is known. */
bool lift_trip_steady(struct lift_trip trip);

/* Sorts measurements into states, numbered from 0 on by rising round trips. A disturbed
 * measurement has state -1: its round trips before and after are of different states. A
 * measurement with an unknown round trip is also disturbed, if others are known. Returns
 * the number of states. If no round trip is known, all measurements have state 0. */
int lift_states_find(const struct lift_trip *trips, int count, int *states);
/* The most frequent state; -1 if all measurements were disturbed, or there are none. */
int lift_states_most(const int *states, int count);

#endif
