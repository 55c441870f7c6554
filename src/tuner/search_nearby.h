/* The neighbours of a point of a joint space. */
#ifndef TUNER_SEARCH_NEARBY_H
#define TUNER_SEARCH_NEARBY_H

#include "tuner/joint.h"

struct search_nearby {
    size_t told; /* number + 1 of the point, if a model has its result; 0: none */
    struct lift_choice *items;
    size_t count, cap;
};
/* Adds a neighbour: 'user' is the struct search_nearby. */
void search_nearby_add(void *user, const struct lift_choice *choice);

#endif
