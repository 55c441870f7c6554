/* The candidates that wait for a trial, from all sources, in one list with one order. A
 * search (tuner/search.h) is one source; it records which configurations were given, so
 * that each is tried once. Frontier and search use neither clock nor device: equal seeds
 * and equal results give equal sequences. In a job of several ranks, the frontier gives
 * only configurations of its rank. */
#ifndef EXPLORE_SESSION_FRONTIER_H
#define EXPLORE_SESSION_FRONTIER_H

#include "tuner/search.h"

struct frontier;

/* The joint space must outlive the frontier. The caller releases the frontier with
 * destroy, which accepts NULL. */
struct frontier *frontier_create(const struct lift_joint *joint,
                                 const struct lift_technique *technique, uint64_t seed);
void frontier_destroy(struct frontier *f);

/* The frontier's search, which receives results. */
struct lift_search *frontier_search(struct frontier *f);

/* Sources of candidates, in order of priority. Wanted, promising, temporal and, after
 * some of these, proposed candidates take turns. Temporal candidates are ordered by their
 * estimates, which grow with the rank: the estimates of one number of time steps have
 * similar errors, so the first candidates have several numbers. */
enum frontier_source {
    FRONTIER_FIRST,     /* the naive kernel, and the best kernel of earlier sessions */
    FRONTIER_SEED,      /* fast at other sizes or on other devices */
    FRONTIER_WANTED,    /* its expression uses the user's own rules */
    FRONTIER_PROMISING, /* good estimate */
    FRONTIER_TEMPORAL,  /* good estimate among those with as many time steps a launch */
    FRONTIER_PROPOSED,  /* proposed by the technique */
    FRONTIER_DELAYED,   /* its expression crashed too often */
    FRONTIER_SOURCES
};

struct frontier_item {
    struct lift_choice choice;
    enum frontier_source source;
    const void *owner; /* the only device session that may run its trial; NULL: any */
    bool known;        /* from an earlier session: the technique already has the result */
    double guessed;    /* its estimate, if temporal */
    int rank;          /* number of better estimates with as many time steps a launch */
};

/* Adds a candidate after the others of its source. A candidate of FRONTIER_FIRST or
 * FRONTIER_DELAYED may be known; any other is claimed. Returns false if the claim fails,
 * or the source is full. */
enum { FRONTIER_SEEDS = 10, FRONTIER_OPENINGS = 64, FRONTIER_DELAYS = 4096 };
bool frontier_add(struct frontier *f, const struct frontier_item *item);

/* The next candidate for the device session, except delayed ones. Returns false if there
 * is none. The caller may take several before their results are known. */
bool frontier_next(struct frontier *f, const void *owner, struct frontier_item *out);
/* Notes a result of a source: seconds a time step. Of promising and temporal candidates,
 * those with the clearly faster result get more turns. */
void frontier_note(struct frontier *f, enum frontier_source source, double seconds);
/* The first delayed candidate. */
bool frontier_next_delayed(struct frontier *f, const void *owner,
                           struct frontier_item *out);
bool frontier_has_delayed(const struct frontier *f, const void *owner);

#endif
