/* A model of a joint space: the results so far, and a forest that predicts from them the
 * speed of other points. Techniques that are guided by a model share it. */
#ifndef TUNER_SEARCH_SEARCH_MODEL_H
#define TUNER_SEARCH_SEARCH_MODEL_H

#include "tuner/search/forest.h"
#include "tuner/search/search_features.h"
#include "tuner/search/search_seen.h"
#include "tuner/search_nearby.h"

struct search_model {
    const struct lift_joint *joint;
    struct lift_rng *rng;
    const struct search_seen *seen;
    struct search_features features;
    struct search_nearby nearby[SEARCH_BEST];
    struct forest *forest;
    size_t fitted; /* points told at the last fit */
    double least;  /* the lowest target of the last fit */
    float *row;    /* room for one */
};

void search_model_init(struct search_model *m, const struct search_seen *seen,
                       struct lift_rng *rng);
void search_model_fini(struct search_model *m);

/* Grows the forest anew if enough was told since. Only if some point was good. */
void search_model_refresh(struct search_model *m);
/* The logarithm of the improvement to expect of a point, as if the forest's answer were
 * normal. Only after a refresh. */
double search_model_promise(struct search_model *m, const struct lift_choice *choice);

/* The point that is not yet seen with the greatest expected improvement among the
 * neighbours of the fastest ones and some random ones. False if all points are seen. Only
 * if some point was good. */
bool search_model_pick(struct search_model *m, struct lift_choice *choice);
/* A random point as far as possible from those seen so far, of those that are guessed to
 * be fast if the space has guesses. */
bool search_model_spread(struct search_model *m, struct lift_choice *choice);

#endif
