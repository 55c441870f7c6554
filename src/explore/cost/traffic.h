/* How much memory references touch while loops run, and how much of it moves between a
 * cache and what lies behind it: a layer-condition model. */
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
    double weight; /* how often what is touched moves: a store that has to fetch first
                      moves twice */
    bool cached;   /* false: too small or too busy to leave the first cache */
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
    /* What takes no more than that stays for sure; what takes more, up to the capacity,
     * in part. 0: all of the capacity is sure. */
    double sure;
    /* Bytes so far apart share the same few places: the size of a way. 0: they may lie
     * anywhere. */
    double period;
};

/* What a footprint takes of a cache: more than its bytes where most of them share few
 * places, as the rows of a grid do that lie a power of two apart. */
double traffic_occupied(const struct traffic_group *g, int spans,
                        const struct traffic_cache *cache);

/* Bytes that move into and out of the cache while the whole nest runs: what the largest
 * inner part of it touches that fits stays, and from one iteration of the loop around it
 * to the next only what is new moves. Of a part that may stay it is the mean of both,
 * weighted by how nearly it fills the cache. */
double traffic_behind(const struct traffic_nest *nest, const struct traffic_cache *cache);

#endif
