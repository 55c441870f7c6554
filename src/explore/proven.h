/* What the fastest verified tries were built to, so that the final need not build it
 * again. */
#ifndef EXPLORE_PROVEN_H
#define EXPLORE_PROVEN_H

#include "explore/final.h"
#include "explore/queue.h"

struct finalist;

/* '{0}' is a valid empty one. */
struct proven {
    struct proven_row {
        struct lift_choice choice;
        double seconds;
        struct trial_reply build;
        struct lift_str texts;
        struct binary *full, *small;
    } rows[MOST_FINALISTS];
    int count;
};

/* A try that was verified: it is kept, if it is one of the fastest. */
void proven_put(struct proven *p, struct cache *cache, const struct attempt *a);
bool proven_has(const struct proven *p, const struct lift_choice *choice);
/* Gives the finalist what a builder would answer; false if there is nothing of it. */
bool proven_take(const struct proven *p, struct finalist *one);
void proven_fini(struct proven *p, struct cache *cache);

#endif
