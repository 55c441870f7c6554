/* The final benchmark: at the end of a session the fastest candidates are built again,
 * checked on inputs that the search has not seen, and timed turn by turn. */
#ifndef EXPLORE_FINAL_FINAL_H
#define EXPLORE_FINAL_FINAL_H

#include "explore/trial.h"

struct session;
struct device_session;

enum {
    FINALISTS = 5,
    MOST_FINALISTS = 10, /* with those that join */
    FINAL_ROUNDS = 8,
    FINAL_SAMPLES = 4, /* of a finalist in a round */
    NAIVE_SAMPLES = 3, /* of the naive kernel at least, one in a round */
};

/* Seconds that it is likely to take; 0 if there will be none. */
double final_seconds(const struct session *s);
/* Notes the cost of a trial. */
void final_note(struct device_session *l, const struct trial_reply *build,
                const struct trial_reply *end);
/* Runs it on all devices and stores it. False if the database says no; a final benchmark
 * that cannot be held for another reason is left out. */
bool session_final(struct session *s);

#endif
