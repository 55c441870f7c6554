/* A model of a joint space: the results so far, and a forest that predicts the speed
 * of other points from the results. Model-guided techniques share this model. */
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
    struct search_nearby nearby[SEARCH_AROUND];
    size_t around[SEARCH_AROUND]; /* points to look around */
    int around_count;
    struct forest *forest;
    size_t fitted; /* results at the last fit */
    double least;  /* the lowest target of the last fit */
    float *row;    /* buffer for one row */
};

void search_model_init(struct search_model *m, const struct search_seen *seen,
                       struct lift_rng *rng);
void search_model_fini(struct search_model *m);

/* Grows a new forest if enough results are new. At least one point must be
 * successful. */
void search_model_refresh(struct search_model *m);
/* The logarithm of the expected improvement of a point, for a normal distribution
 * with the forest's mean and deviation. Requires a refresh. */
double search_model_promise(struct search_model *m, const struct lift_choice *choice);

/* Picks the unseen point with the greatest expected improvement among neighbours of
 * the fastest points and some random points. Returns false if all points are seen. At
 * least one point must be successful. */
bool search_model_pick(struct search_model *m, struct lift_choice *choice);
/* Draws a random point as far as possible from all seen points. If the space has
 * estimates, only points with good estimates count. */
bool search_model_spread(struct search_model *m, struct lift_choice *choice);

#endif
