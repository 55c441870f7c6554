/* The fastest verified candidates of a problem on a device, each once. */
#ifndef EXPLORE_SESSION_FASTEST_H
#define EXPLORE_SESSION_FASTEST_H

#include "tuner/joint.h"

enum { FASTEST_ROWS = 32 };

struct fastest_row {
    struct lift_choice choice;
    double seconds; /* as it was measured last */
};

/* '{0}' is a valid empty one. */
struct fastest {
    struct fastest_row rows[FASTEST_ROWS]; /* the fastest first */
    int count;
};

/* A candidate was verified and timed: its place is by this time, whatever it was before.
 */
void fastest_put(struct fastest *s, const struct lift_choice *choice, double seconds);
/* It turned out to be wrong. */
void fastest_drop(struct fastest *s, const struct lift_choice *choice);

#endif
