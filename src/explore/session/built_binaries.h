/* What the fastest verified tries were built to, so that the final need not build it
 * again. */
#ifndef EXPLORE_SESSION_BUILT_BINARIES_H
#define EXPLORE_SESSION_BUILT_BINARIES_H

#include "explore/final/final.h"
#include "explore/session/try_queue.h"

struct finalist;

/* '{0}' is a valid empty one. */
struct built_binaries {
    struct built_binary {
        struct lift_choice choice;
        double seconds;
        struct trial_reply build;
        struct lift_str texts;
        struct binary *full, *small;
    } rows[MOST_FINALISTS];
    int count;
};

/* A try that was verified: it is kept, if it is one of the fastest. */
void built_binaries_put(struct built_binaries *p, struct cache *cache,
                        const struct attempt *a);
bool built_binaries_has(const struct built_binaries *p, const struct lift_choice *choice);
/* Gives the finalist what a builder would answer; false if there is nothing of it. */
bool built_binaries_take(const struct built_binaries *p, struct finalist *one);
void built_binaries_fini(struct built_binaries *p, struct cache *cache);

#endif
