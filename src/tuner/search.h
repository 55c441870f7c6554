/* Search techniques: ask for a point, tell its time. One technique a file of src/tuner,
 * one const struct, one line in src/tuner/search/search_registry.c. A technique never
 * sees clock, device or database; chance comes from the generator that is passed in, so
 * that the same seed and the same answers give the same sequence. */
#ifndef TUNER_SEARCH_H
#define TUNER_SEARCH_H

#include "base/rng.h"
#include "tuner/joint.h"

/* What came of a point. Points that failed are told too. */
struct lift_outcome {
    bool ok;
    double seconds; /* of the kernel; only if ok */
};

struct lift_technique {
    const char *name;
    const char *doc;
    size_t state_size; /* zeroed memory handed to the calls below */
    /* 'joint' and 'rng' outlive the state. */
    void (*init)(void *state, const struct lift_joint *joint, struct lift_rng *rng);
    /* Writes the next point, each point once; false when all points of the space were
     * proposed or told of. The driver drops points that were tried before and asks again;
     * it may also ask for several before it tells of them, in any order. */
    bool (*propose)(void *state, struct lift_choice *choice);
    /* Tells of a point: of one proposed, or of one known from elsewhere, such as an
     * earlier session or a seed. */
    void (*observe)(void *state, const struct lift_choice *choice,
                    struct lift_outcome outcome);
    void (*fini)(void *state);
};

/* Ends with NULL; the first is the default. 'find' answers NULL for an unknown name. */
extern const struct lift_technique *const lift_techniques[];
const struct lift_technique *lift_technique_find(const char *name);

#endif
