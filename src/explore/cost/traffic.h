/* The memory that references touch while loops run, and the traffic between a cache and
 * the next level: a layer-condition model. */
#ifndef EXPLORE_COST_TRAFFIC_H
#define EXPLORE_COST_TRAFFIC_H

#include <stdbool.h>

/* A loop from the view of a reference. */
struct traffic_span {
    double by; /* stride in bytes */
    double extent;
};

enum { TRAFFIC_SPANS = 32, TRAFFIC_GROUPS = 64, TRAFFIC_REFS = 512 };

/* References with equal steps, that differ by constants. */
struct traffic_group {
    double at[TRAFFIC_REFS]; /* bytes, ascending, without repetition */
    int count;
    double width;  /* bytes of each */
    double weight; /* transfers per touched byte: 2 for a store with write allocate */
    bool cached;   /* false: stays in L1, since it is small or often used */
    struct traffic_span spans[TRAFFIC_SPANS]; /* from the innermost outwards */
};

/* Bytes in whole granules that a group touches while its first 'spans' loops run. */
double traffic_footprint(const struct traffic_group *g, int spans, double granule);

/* The groups of one loop nest; all have equal numbers of spans and equal extents. */
struct traffic_nest {
    struct traffic_group *groups;
    int count, spans;
};

struct traffic_cache {
    double capacity, granule;
    /* Data of at most this size always stays; larger data, up to the capacity, stays in
     * part. 0: the whole capacity. */
    double sure;
    /* Addresses at this distance in bytes share the few places of a set: the size of a
     * way. 0: any place. */
    double period;
};

/* The bytes that a footprint occupies in a cache. The number exceeds the footprint if
 * most of it shares few places. Rows of a grid at a distance of a power of two are an
 * example. */
double traffic_occupied(const struct traffic_group *g, int spans,
                        const struct traffic_cache *cache);

/* Bytes that move into and out of the cache while the whole nest runs. The data of the
 * largest inner part that fits stays in the cache, so each iteration of the next loop
 * moves only new data. If the part fits partly, the result is the mean of both cases,
 * weighted by the share of the cache that it fills. */
double traffic_behind(const struct traffic_nest *nest, const struct traffic_cache *cache);

#endif
