/* A forest of extremely randomised trees for regression, after Geurts, Ernst and
 * Wehenkel, "Extremely randomized trees" (Machine Learning 63, 2006): every tree sees all
 * rows, a node tries one random threshold on each of some columns and keeps the best. */
#ifndef TUNER_SEARCH_FOREST_H
#define TUNER_SEARCH_FOREST_H

#include "base/rng.h"
#include <stdbool.h>

struct forest;

struct forest_options {
    int trees;
    int leaf;   /* rows below which a node is not split */
    int tries;  /* columns that a node tries; 0: all */
    int always; /* a column that each node tries first; -1: none */
};

/* What the trees answer for a row: the mean of their leaves and the deviation between
 * and within them. */
struct forest_answer {
    double mean, deviation;
};

struct forest *forest_create(int columns, const struct forest_options *options);
void forest_destroy(struct forest *forest);
/* Grows the trees anew from 'count' > 0 rows of 'columns' numbers each. Copies nothing:
 * rows and targets may go afterwards. */
void forest_fit(struct forest *forest, const float *rows, const float *targets, int count,
                struct lift_rng *rng);
/* Only after a fit. */
struct forest_answer forest_predict(const struct forest *forest, const float *row);
/* The variance of the targets, times the rows, that splits on a column take away in all
 * trees of the last fit. */
double forest_gain(const struct forest *forest, int column);

#endif
