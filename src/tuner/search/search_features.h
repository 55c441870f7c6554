/* Points as rows of numbers for a forest: the columns of the joint space, and what a tree
 * finds hard to see by itself: how often 2 divides a value (alignment, full vectors and
 * warps), the products of two parameters (work-group sizes, areas of tiles), and the
 * estimate. */
#ifndef TUNER_SEARCH_SEARCH_FEATURES_H
#define TUNER_SEARCH_SEARCH_FEATURES_H

#include "tuner/joint.h"

struct search_features {
    const struct lift_joint *joint;
    int base;       /* columns of the joint space */
    int params;     /* of them of parameters: the last ones */
    int paired;     /* of which products are made: the first ones */
    int width;      /* of a row */
    int estimate;   /* its column; -1: the space has no estimates */
    int **columns;  /* [expression][parameter]: which of the parameters' columns */
    double *values; /* room for two times 'base' numbers */
};

void search_features_init(struct search_features *f, const struct lift_joint *joint);
void search_features_fini(struct search_features *f);
/* Fills 'width' numbers; -1 where the expression has no such parameter. */
void search_features_row(const struct search_features *f,
                         const struct lift_choice *choice, float *row);
/* How far two points are from each other: a parameter counts by the part of its list of
 * values that lies between, 1 if only one of them has it; a feature that differs is 1. */
double search_features_distance(const struct search_features *f,
                                const struct lift_choice *a, const struct lift_choice *b);

#endif
