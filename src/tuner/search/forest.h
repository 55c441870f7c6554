/* A forest of extremely randomised trees for regression, after Geurts, Ernst and
 * Wehenkel, "Extremely randomized trees" (Machine Learning 63, 2006). Every tree sees
 * all rows. A node tests one random threshold on each of some columns and keeps the
 * best. */
#ifndef TUNER_SEARCH_FOREST_H
#define TUNER_SEARCH_FOREST_H

#include "base/rng.h"
#include <stdbool.h>

struct forest;

struct forest_options {
    int trees;
    int leaf;   /* a node with fewer rows is not split */
    int tries;  /* columns that a node tests; 0: all */
    int always; /* a column that each node tries first; -1: none */
};

/* The trees' prediction for a row: the mean of their leaves, and the deviation
 * between and within the leaves. */
struct forest_answer {
    double mean, deviation;
};

struct forest *forest_create(int columns, const struct forest_options *options);
void forest_destroy(struct forest *forest);
/* Grows new trees from 'count' > 0 rows of 'columns' numbers each. The forest does
 * not refer to rows and targets afterwards. */
void forest_fit(struct forest *forest, const float *rows, const float *targets, int count,
                struct lift_rng *rng);
/* Requires a fit. */
struct forest_answer forest_predict(const struct forest *forest, const float *row);
/* The reduction of the variance, times the rows, by splits on a column in all trees
 * of the last fit. */
double forest_gain(const struct forest *forest, int column);

#endif
