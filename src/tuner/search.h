/* Searches of a joint space: ask for a point, tell its time. One technique a file of
 * src/tuner/search, one const struct, one line in src/tuner/search/search_registry.c. A
 * technique never sees clock, device or database; chance comes from the generator that is
 * passed in, so that the same seed and the same answers give the same sequence. */
#ifndef TUNER_SEARCH_H
#define TUNER_SEARCH_H

#include "base/rng.h"
#include "tuner/joint.h"

/* The result of a point. The technique receives failed points, too. */
struct lift_outcome {
    bool ok;
    double seconds; /* of the kernel; only if ok */
};

/* All points of the space that were proposed, claimed or told, with their outcomes: the
 * search keeps the list, its technique reads it (src/tuner/search/search_seen.h). */
struct search_seen;

struct lift_technique {
    const char *name;
    const char *doc;
    size_t state_size; /* zeroed memory handed to the calls below */
    /* 'seen' and 'rng' outlive the state. Outcomes that 'seen' has already are observed
     * afterwards. */
    void (*init)(void *state, const struct search_seen *seen, struct lift_rng *rng);
    /* Writes the next point; false if there is none. The search asks again if the point
     * is in 'seen', where it adds the point. It may ask for several before it tells of
     * them, in any order. */
    bool (*propose)(void *state, struct lift_choice *choice);
    /* Tells of a point, which is in 'seen' with its outcome: of one proposed, or of one
     * known from elsewhere, such as an earlier session or a seed. NULL: nothing is
     * learned beyond 'seen'. */
    void (*observe)(void *state, const struct lift_choice *choice,
                    struct lift_outcome outcome);
    void (*fini)(void *state); /* NULL: the state owns nothing */
};

/* Ends with NULL; the first is the default. 'find' answers NULL for an unknown name. */
extern const struct lift_technique *const lift_techniques[];
const struct lift_technique *lift_technique_find(const char *name);

/* A search by one technique. The joint space outlives it. Ended by destroy (NULL is
 * legal). */
struct lift_search;
struct lift_search *lift_search_create(const struct lift_joint *joint,
                                       const struct lift_technique *technique,
                                       uint64_t seed);
void lift_search_destroy(struct lift_search *s);

/* A point of this share that was not proposed, claimed or told before; false if the
 * technique has none. */
bool lift_search_next(struct lift_search *s, struct lift_choice *choice);
/* True if a point is of this share and was not proposed, claimed or told before; from
 * then on it was. */
bool lift_search_claim(struct lift_search *s, const struct lift_choice *choice);
/* Whether it was proposed, claimed or told. */
bool lift_search_knows(const struct lift_search *s, const struct lift_choice *choice);
/* Of points that are told several times the fastest outcome counts. */
void lift_search_tell(struct lift_search *s, const struct lift_choice *choice,
                      struct lift_outcome outcome);
/* How many points were told. */
int lift_search_told(const struct lift_search *s);
/* The fastest points that were told, of an expression each, the fastest first; their
 * number. */
int lift_search_fastest(const struct lift_search *s, struct lift_choice *out, int most);
/* The least seconds of each expression among the outcomes; infinite: there is none. */
void lift_search_least(const struct lift_search *s, double *least, int exprs);
/* Restarts the technique in a space with more expressions, and gives it the earlier
 * results again. Earlier expressions keep their numbers. */
void lift_search_widen(struct lift_search *s, const struct lift_joint *joint);

#endif
