/* Searches of a joint space: ask for a point, then tell its time. Each technique is
 * one file of src/tuner/search with one const struct, and one line in
 * src/tuner/search/search_registry.c. A technique uses no clock, device or database.
 * Random numbers come from the caller's generator, so that equal seeds and results
 * give equal sequences. */
#ifndef TUNER_SEARCH_H
#define TUNER_SEARCH_H

#include "base/rng.h"
#include "tuner/joint.h"

/* The result of a point. The technique receives failed points, too. */
struct lift_outcome {
    bool ok;
    double seconds; /* time of the kernel; only if ok */
};

/* All points of the space that were proposed, claimed or told, with their results.
 * The search maintains the list, and its technique reads the list
 * (src/tuner/search/search_seen.h). */
struct search_seen;

struct lift_technique {
    const char *name;
    const char *doc;
    size_t state_size; /* size of the state, which is zeroed before 'init' */
    /* 'seen' and 'rng' outlive the state. The search calls 'observe' for existing
     * results afterwards. */
    void (*init)(void *state, const struct search_seen *seen, struct lift_rng *rng);
    /* Writes the next point; false if there is none. The search asks again if the
     * point is in 'seen'; otherwise the search adds the point. The search may ask for
     * several points before it reports their results, in any order. */
    bool (*propose)(void *state, struct lift_choice *choice);
    /* Reports a point with its result, which 'seen' already has. The point was
     * proposed, or is known from an earlier session or a seed. NULL: the technique
     * uses 'seen' only. */
    void (*observe)(void *state, const struct lift_choice *choice,
                    struct lift_outcome outcome);
    void (*fini)(void *state); /* NULL: the state owns no memory */
};

/* Ends with NULL; the first is the default. 'find' returns NULL for an unknown name. */
extern const struct lift_technique *const lift_techniques[];
const struct lift_technique *lift_technique_find(const char *name);

/* A search by one technique. The joint space must outlive the search. The caller ends
 * the search with destroy (NULL is legal). */
struct lift_search;
struct lift_search *lift_search_create(const struct lift_joint *joint,
                                       const struct lift_technique *technique,
                                       uint64_t seed);
void lift_search_destroy(struct lift_search *s);

/* Returns a point of this share that was not proposed, claimed or told before; false
 * if the technique has none. */
bool lift_search_next(struct lift_search *s, struct lift_choice *choice);
/* Claims a point. Returns true if the point is of this share and was not proposed,
 * claimed or told before. */
bool lift_search_claim(struct lift_search *s, const struct lift_choice *choice);
/* True if the point was proposed, claimed or told. */
bool lift_search_knows(const struct lift_search *s, const struct lift_choice *choice);
/* Reports the result of a point. Of several results of a point, the fastest counts. */
void lift_search_tell(struct lift_search *s, const struct lift_choice *choice,
                      struct lift_outcome outcome);
/* Number of points with a result. */
int lift_search_told(const struct lift_search *s);
/* Finds the fastest points with a result, one for each expression, the fastest first.
 * Returns their number. */
int lift_search_fastest(const struct lift_search *s, struct lift_choice *out, int most);
/* Writes the least seconds of each expression among the results; infinite: no result. */
void lift_search_least(const struct lift_search *s, double *least, int exprs);
/* Restarts the technique in a space with more expressions, and reports the earlier
 * results again. Earlier expressions keep their numbers. */
void lift_search_widen(struct lift_search *s, const struct lift_joint *joint);

#endif
