/* The fastest verified candidates of a problem on a device, without repetition. */
#ifndef EXPLORE_SESSION_FASTEST_H
#define EXPLORE_SESSION_FASTEST_H

#include "explore/trial/binary_cache.h"
#include "tuner/joint.h"

enum { FASTEST_ROWS = 32 };

struct fastest_row {
    struct lift_choice choice;
    double seconds;     /* seconds of the last measurement */
    struct built built; /* for the final benchmark; without binaries for results of
                           earlier sessions */
};

/* '{0}' is a valid empty list. */
struct fastest {
    struct fastest_row rows[FASTEST_ROWS]; /* sorted, the fastest first */
    int count;
};

/* Sets the time of a verified candidate; its last time alone determines its rank. 'built'
 * is copied; NULL keeps the former binaries. */
void fastest_put(struct fastest *s, const struct lift_choice *choice, double seconds,
                 const struct built *built);
/* Returns NULL if the candidate is not among the rows. */
const struct fastest_row *fastest_find(const struct fastest *s,
                                       const struct lift_choice *choice);
/* Removes a candidate that proved wrong. */
void fastest_drop(struct fastest *s, const struct lift_choice *choice);
void fastest_fini(struct fastest *s);

#endif
