/* Binaries by device and source. A builder reuses a recent binary, and waits for a binary
 * that another builder compiles. */
#ifndef EXPLORE_TRIAL_BINARY_CACHE_H
#define EXPLORE_TRIAL_BINARY_CACHE_H

#include "explore/trial.h"

struct binary {
    struct lift_hash key;
    bool making; /* somebody compiles it */
    struct lift_str bytes;
    struct lift_resources resources;
    int users;
    uint64_t used; /* when last, in uses of the cache */
};

/* '{0}' is a valid empty one. */
struct cache {
    struct binary **items;
    int count, cap;
    size_t bytes;
    uint64_t clock;
};

/* NULL if there is none. The caller is a user of what it gets, until it releases it. */
struct binary *cache_find(struct cache *c, struct lift_hash key);
/* One that the caller is about to make, and uses. Then either it is made, or it is
 * forgotten. */
struct binary *cache_add(struct cache *c, struct lift_hash key);
void cache_made(struct cache *c, struct binary *b, const char *bytes, size_t size);
void cache_forget(struct cache *c, struct binary *b);
/* NULL is legal. */
void cache_release(struct binary *b);
void cache_fini(struct cache *c);

/* What builders have made of a candidate. '{0}' is a valid empty one. */
struct built {
    struct trial_reply reply;    /* of the last builder */
    struct lift_str texts;       /* the job and the log; empty: there is no source */
    struct binary *full, *small; /* NULL: not there yet, or not wanted */
};

/* Another user of the same binaries, with a copy of the texts; 'out' is overwritten. */
void built_copy(struct built *out, const struct built *from);
void built_release(struct built *b);
/* Appends the job and the binaries, of which the request says how large they are. */
void built_send(const struct built *b, struct trial_request *asked,
                struct lift_str *request);

#endif
