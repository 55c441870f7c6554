/* The fastest verified candidates of a problem on a device, each once. */
#ifndef EXPLORE_SESSION_FASTEST_H
#define EXPLORE_SESSION_FASTEST_H

#include "explore/trial/binary_cache.h"
#include "tuner/joint.h"

enum { FASTEST_ROWS = 32 };

struct fastest_row {
    struct lift_choice choice;
    double seconds;     /* as it was measured last */
    struct built built; /* for the final benchmark; without binaries if an earlier session
                           found it */
};

/* '{0}' is a valid empty one. */
struct fastest {
    struct fastest_row rows[FASTEST_ROWS]; /* the fastest first */
    int count;
};

/* A candidate was verified and timed: its place is by this time, whatever it was before.
 * 'built' is copied; NULL: it stays as it was. */
void fastest_put(struct fastest *s, const struct lift_choice *choice, double seconds,
                 const struct built *built);
/* NULL: it is not among them. */
const struct fastest_row *fastest_find(const struct fastest *s,
                                       const struct lift_choice *choice);
/* It turned out to be wrong. */
void fastest_drop(struct fastest *s, const struct lift_choice *choice);
void fastest_fini(struct fastest *s);

#endif
