#include "base/states.h"
#include "base/memory.h"
#include "base/stats.h"
#include <stdlib.h>

/* Within a state, round trips differ by 20 %; between states, by a factor of four. */
static const double apart = 1.6;

bool lift_states_same(double trip, double other)
{
    if (trip <= 0 || other <= 0)
        return true;
    return trip <= apart * other && other <= apart * trip;
}

bool lift_trip_steady(struct lift_trip trip)
{
    return lift_states_same(trip.before, trip.after);
}

/* Sorts all known round trips and keeps the first of each group of neighbours. Returns
 * the number of groups. */
static int find_groups(const struct lift_trip *trips, int count, double *firsts)
{
    int known = 0, groups = 0;
    double last = 0;

    for (int i = 0; i < count; i++) {
        if (trips[i].before > 0)
            firsts[known++] = trips[i].before;
        if (trips[i].after > 0)
            firsts[known++] = trips[i].after;
    }
    qsort(firsts, (size_t)known, sizeof *firsts, lift_by_value);
    for (int i = 0; i < known; i++) {
        double trip = firsts[i];

        if (groups == 0 || trip > apart * last)
            firsts[groups++] = trip;
        last = trip;
    }
    return groups;
}

/* The group of a round trip; -1: unknown. */
static int group_of(const double *firsts, int groups, double trip)
{
    int group = groups - 1;

    if (trip <= 0)
        return -1;
    while (group > 0 && trip < firsts[group])
        group--;
    return group;
}

/* Renumbers the states, skipping groups without an undisturbed measurement. */
static int number_states(int *states, int count, int groups)
{
    int number = 0;

    for (int g = 0; g < groups; g++) {
        bool any = false;

        for (int i = 0; i < count; i++)
            if (states[i] == g) {
                states[i] = number;
                any = true;
            }
        number += any;
    }
    return number;
}

int lift_states_find(const struct lift_trip *trips, int count, int *states)
{
    LIFT_FREED double *firsts = lift_resize(NULL, 2 * (size_t)count + 1, sizeof *firsts);
    int groups = find_groups(trips, count, firsts);

    for (int i = 0; i < count; i++) {
        int before = group_of(firsts, groups, trips[i].before);
        int after = group_of(firsts, groups, trips[i].after);

        states[i] = groups == 0 ? 0 : before == after ? before : -1;
    }
    return groups ? number_states(states, count, groups) : count > 0;
}

int lift_states_most(const int *states, int count)
{
    int best = -1, most = 0;

    for (int i = 0; i < count; i++) {
        int same = 0;

        for (int k = 0; k < count; k++)
            same += states[k] == states[i];
        if (states[i] >= 0 && (same > most || (same == most && states[i] < best))) {
            most = same;
            best = states[i];
        }
    }
    return best;
}
