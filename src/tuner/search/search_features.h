/* Points as rows of numbers for a forest: the columns of the joint space, the
 * estimate, and numbers that a tree cannot derive easily. These are how often 2
 * divides a value (alignment, full vectors and warps), and products of two parameters
 * (block sizes, areas of tiles). */
#ifndef TUNER_SEARCH_SEARCH_FEATURES_H
#define TUNER_SEARCH_SEARCH_FEATURES_H

#include "tuner/joint.h"

struct search_features {
    const struct lift_joint *joint;
    int base;       /* columns of the joint space */
    int params;     /* number of columns of parameters, the last ones of 'base' */
    int paired;     /* number of first columns whose products are computed */
    int width;      /* numbers in a row */
    int estimate;   /* its column; -1: the space has no estimates */
    int **columns;  /* [expression][parameter]: index among the parameters' columns */
    double *values; /* buffer for 2 * 'base' numbers */
};

void search_features_init(struct search_features *f, const struct lift_joint *joint);
void search_features_fini(struct search_features *f);
/* Fills 'width' numbers, with -1 if the expression has no such parameter. */
void search_features_row(const struct search_features *f,
                         const struct lift_choice *choice, float *row);
/* The distance of two points. A parameter adds the fraction of its list of values
 * between the two values, or 1 if only one point has it. A different feature adds 1. */
double search_features_distance(const struct search_features *f,
                                const struct lift_choice *a, const struct lift_choice *b);

#endif
