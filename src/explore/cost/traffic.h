/* The memory that references touch while loops run, and the traffic between a cache and
 * the next level: a layer-condition model. */
#ifndef EXPLORE_COST_TRAFFIC_H
#define EXPLORE_COST_TRAFFIC_H

#include <stdbool.h>

/* A loop, as a reference sees it. */
struct traffic_span {
    double by; /* bytes from one iteration to the next */
    double extent;
};

enum { TRAFFIC_SPANS = 32, TRAFFIC_GROUPS = 64, TRAFFIC_REFS = 512 };

/* References with the same steps, that differ by constants. */
struct traffic_group {
    double at[TRAFFIC_REFS]; /* bytes, ascending, each once */
    int count;
    double width;  /* bytes of each */
    double weight; /* transfers per touched byte: 2 for a store with write allocate */
    bool cached;   /* false: stays in L1, since it is small or often used */
    struct traffic_span spans[TRAFFIC_SPANS]; /* the innermost first */
};

/* Bytes in whole granules that a group touches while its first 'spans' loops run. */
double traffic_footprint(const struct traffic_group *g, int spans, double granule);

/* The groups of one loop nest; all have the same number of spans and the same extents. */
struct traffic_nest {
    struct traffic_group *groups;
    int count, spans;
};

struct traffic_cache {
    double capacity, granule;
    /* Data of at most this size always stays; larger data, up to the capacity, stays in
     * part. 0: the whole capacity. */
    double sure;
    /* Bytes so far apart share the same few places: the size of a way. 0: they may lie
     * anywhere. */
    double period;
};

/* What a footprint takes of a cache: more than its bytes where most of them share few
 * places, as the rows of a grid do that lie a power of two apart. */
double traffic_occupied(const struct traffic_group *g, int spans,
                        const struct traffic_cache *cache);

/* Bytes that move into and out of the cache while the whole nest runs. The data of the
 * largest inner part that fits stays in the cache, so each iteration of the next loop
 * moves only new data. If the part fits partly, the result is the mean of both cases,
 * weighted by the share of the cache that it fills. */
double traffic_behind(const struct traffic_nest *nest, const struct traffic_cache *cache);

#endif
