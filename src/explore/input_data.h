/* Random data for verification, equal in every process. */
#ifndef EXPLORE_INPUT_DATA_H
#define EXPLORE_INPUT_DATA_H

#include "device/device_ops.h"
#include "explore/problem.h"

/* A seed with another distribution. A kernel that passes by accident on one distribution
 * will hardly pass on the other. */
uint64_t explore_second_seed(uint64_t seed);
/* A third seed, with the second's distribution. */
uint64_t explore_third_seed(uint64_t seed);
/* A second seed for a small check: half of the inputs have the magnitude of the problem's
 * reach, if the problem has one. */
uint64_t explore_far_seed(const struct explore_problem *p, uint64_t seed);
/* Returns false for seeds whose inputs a device cannot generate (explore_random). */
bool explore_seed_is_plain(uint64_t seed);
/* The factor by which errors on inputs of this seed may exceed explore_bound. */
double explore_seed_width(uint64_t seed);

/* Element 'k' of input buffer 'buffer'. Floats are in [-1, 1) or, for positive problems,
 * in [0.5, 1.5), exact in f32; integers are in -9 .. 9, or 1 .. 9. With a second seed,
 * floats are in (-2, 2), more often in the middle, or in [0.25, 2), more often small. Its
 * integers are more often at the ends of the range. */
double explore_datum(const struct explore_problem *p, uint64_t seed, int buffer,
                     enum lift_scalar scalar, int64_t k);
/* Fills a whole buffer with values of its scalar type. */
void explore_fill(const struct explore_problem *p, uint64_t seed, int buffer,
                  const struct explore_leaf *leaf, void *data);

/* Parameters with which a device generates the buffer. */
struct lift_random explore_random(const struct explore_problem *p, uint64_t seed,
                                  int buffer);

/* Sets element 'k' of a buffer, rounded to its type; integers as in a C conversion. */
void explore_set_element(void *data, enum lift_scalar scalar, int64_t k, double value);
/* Element 'k' of a buffer as a double. */
double explore_element(const void *data, enum lift_scalar scalar, int64_t k);

/* Differences of two results. */
struct explore_verdict {
    double max_error, bound;
    int64_t bad, first_bad; /* -1: no bad value */
    bool nonfinite;         /* NaN or infinity in place of a number */
};
/* Absolute error allowed for an output with a reference of this magnitude. */
double explore_bound(const struct explore_problem *p, int output, enum lift_scalar scalar,
                     double magnitude);
/* Likewise, for inputs of this seed. */
double explore_seed_bound(const struct explore_problem *p, uint64_t seed, int output,
                          enum lift_scalar scalar, double magnitude);
/* The share of an output's points that may exceed the bound because a comparison of
 * rounded values decides about them: four times the sum of two shares. One share took
 * another branch in single precision. The other is close enough to a threshold for
 * rounding to matter. 0 if no such comparison decides about the output. */
double explore_excused(const struct explore_problem *p, int output);
double explore_magnitude(const void *data, enum lift_scalar scalar, int64_t count);
/* Values to compare: an output with doubles, or with another output. */
struct explore_pair {
    enum lift_scalar scalar;
    const void *got, *want;
    bool doubles; /* 'want' has doubles */
    int64_t count;
};
/* Adds differences to 'verdict', which has the caller's bound; 'base' is added to
 * positions. */
void explore_compare(struct explore_verdict *verdict, struct explore_pair pair,
                     int64_t base);
/* Called after an output of 'count' points, before which 'bad' were bad. Drops the
 * output's bad points if explore_excused allows their number. */
void explore_excuse(struct explore_verdict *verdict, const struct explore_problem *p,
                    int output, int64_t count, int64_t bad);

#endif
