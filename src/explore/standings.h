/* The fastest verified candidates of a problem on a device, each once. */
#ifndef EXPLORE_STANDINGS_H
#define EXPLORE_STANDINGS_H

#include "lift/joint.h"

enum { STANDINGS = 32 };

struct standing {
    struct lift_choice choice;
    double seconds; /* as it was measured last */
};

/* '{0}' is a valid empty one. */
struct standings {
    struct standing rows[STANDINGS]; /* the fastest first */
    int count;
};

/* A candidate was verified and timed: its place is by this time, whatever it was before.
 */
void standings_put(struct standings *s, const struct lift_choice *choice, double seconds);
/* It turned out to be wrong. */
void standings_drop(struct standings *s, const struct lift_choice *choice);

#endif
