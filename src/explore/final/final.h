/* The final benchmark at the end of a session. The fastest candidates are built, checked
 * on inputs new to them, and timed alternately. */
#ifndef EXPLORE_FINAL_FINAL_H
#define EXPLORE_FINAL_FINAL_H

#include "explore/trial.h"

struct session;
struct device_session;

enum {
    FINALISTS = 5,
    MOST_FINALISTS = 10, /* later ones included */
    FINAL_ROUNDS = 8,
    FINAL_SAMPLES = 4, /* samples of a finalist in a round */
    NAIVE_SAMPLES = 3, /* least number of samples of the naive kernel, one in a round */
};

/* Expected seconds; 0: no final benchmark. */
double final_seconds(const struct session *s);
/* Notes the cost of a trial. */
void final_note(struct device_session *l, const struct trial_reply *build,
                const struct trial_reply *end);
/* Runs the final benchmark on all devices and stores the results. Returns false if the
 * database fails. A benchmark that fails for another reason is skipped. */
bool session_final(struct session *s);

#endif
