/* The candidates that wait to be tried, from all sources, in one list with one order. A
 * search (tuner/search.h) is one of the sources; it knows which points were given, so
 * that the loop gets each once. Neither sees clock or device: the same seed and the same
 * answers give the same sequence. Where a space is shared out the frontier gives only
 * points of this share. */
#ifndef EXPLORE_SESSION_FRONTIER_H
#define EXPLORE_SESSION_FRONTIER_H

#include "tuner/search.h"

struct frontier;

/* The joint space outlives it. Ended by destroy (NULL is legal). */
struct frontier *frontier_create(const struct lift_joint *joint,
                                 const struct lift_technique *technique, uint64_t seed);
void frontier_destroy(struct frontier *f);

/* Its search, which receives outcomes. */
struct lift_search *frontier_search(struct frontier *f);

/* Where a candidate comes from, in the order in which sources are asked. Wanted and
 * promising candidates take turns, so that neither waits for the other. */
enum frontier_source {
    FRONTIER_FIRST,     /* the naive kernel, and the best one of earlier sessions */
    FRONTIER_SEED,      /* it was fast elsewhere */
    FRONTIER_WANTED,    /* of an expression of the user's own rules */
    FRONTIER_PROMISING, /* it has a good estimate */
    FRONTIER_PROPOSED,  /* the technique proposed it, as no other item waited */
    FRONTIER_DELAYED,   /* its expression crashed too often */
    FRONTIER_SOURCES
};

struct frontier_item {
    struct lift_choice choice;
    enum frontier_source source;
    const void *owner; /* only this device session gets it; NULL: any does */
    bool known;        /* from an earlier session: the technique is not told again */
};

/* Adds a candidate behind those of its source. A candidate of FRONTIER_FIRST or
 * FRONTIER_DELAYED may be known, any other is claimed. False if it cannot be claimed, or
 * the source has as many as it may. */
enum { FRONTIER_SEEDS = 10, FRONTIER_OPENINGS = 64, FRONTIER_DELAYS = 4096 };
bool frontier_add(struct frontier *f, const struct frontier_item *item);

/* The next candidate for that device session but for the delayed ones. False if there is
 * none left. Several may be asked for before their outcomes are known. */
bool frontier_next(struct frontier *f, const void *owner, struct frontier_item *out);
/* The first delayed one. */
bool frontier_next_delayed(struct frontier *f, const void *owner,
                           struct frontier_item *out);
bool frontier_has_delayed(const struct frontier *f, const void *owner);

#endif
