/* Binaries by device and source. A builder reuses a recent binary, and waits for a binary
 * that another builder compiles. */
#ifndef EXPLORE_TRIAL_BINARY_CACHE_H
#define EXPLORE_TRIAL_BINARY_CACHE_H

#include "explore/trial.h"

struct binary {
    struct lift_hash key;
    bool making; /* a builder compiles it */
    struct lift_str bytes;
    struct lift_resources resources;
    int users;
    uint64_t used; /* time of last use, counted in uses of the cache */
};

/* '{0}' is a valid empty cache. */
struct cache {
    struct binary **items;
    int count, cap;
    size_t bytes;
    uint64_t clock;
};

/* Returns NULL if the binary is missing. Otherwise the caller uses the binary until
 * cache_release. */
struct binary *cache_find(struct cache *c, struct lift_hash key);
/* Adds a binary that the caller will make, and uses it. The caller must then finish or
 * forget it. */
struct binary *cache_add(struct cache *c, struct lift_hash key);
void cache_made(struct cache *c, struct binary *b, const char *bytes, size_t size);
void cache_forget(struct cache *c, struct binary *b);
/* Accepts NULL. */
void cache_release(struct binary *b);
void cache_fini(struct cache *c);

/* A candidate's results from builders. '{0}' is a valid empty value. */
struct built {
    struct trial_reply reply;    /* reply of the last builder */
    struct lift_str texts;       /* the job and the log; empty: no source */
    struct binary *full, *small; /* NULL: not built, or not needed */
};

/* Copies the texts and adds a user to the binaries; overwrites 'out'. */
void built_copy(struct built *out, const struct built *from);
void built_release(struct built *b);
/* Appends the job and the binaries, and sets their sizes in the request. */
void built_send(const struct built *b, struct trial_request *asked,
                struct lift_str *request);

#endif
