/* The data that kernels are verified on: random, and the same in every process. */
#ifndef EXPLORE_INPUT_DATA_H
#define EXPLORE_INPUT_DATA_H

#include "device/device_ops.h"
#include "explore/problem.h"

/* Another seed, of another distribution: what a kernel gets right by accident on inputs
 * of one it will hardly get right on the other. */
uint64_t explore_second_seed(uint64_t seed);
/* And one more, of the second's distribution. */
uint64_t explore_third_seed(uint64_t seed);
/* A second seed for a small check: half of the inputs are as far away as the problem's
 * reach says, if it says so. */
uint64_t explore_far_seed(const struct explore_problem *p, uint64_t seed);
/* False of a seed whose inputs a device does not make itself (explore_random). */
bool explore_seed_is_plain(uint64_t seed);
/* Errors on inputs of such a seed may be larger by this factor than explore_bound
 * says. */
double explore_seed_width(uint64_t seed);

/* Element 'k' of input buffer 'buffer': a float of [-1, 1) or, for positive problems,
 * [0.5, 1.5), exact in f32; an integer of -9 .. 9, or 1 .. 9. With a second seed a float
 * of (-2, 2), those in the middle more often, or of [0.25, 2), small ones more often, and
 * integers at the ends of the range more often. */
double explore_datum(const struct explore_problem *p, uint64_t seed, int buffer,
                     enum lift_scalar scalar, int64_t k);
/* A whole buffer, as its scalar type. */
void explore_fill(const struct explore_problem *p, uint64_t seed, int buffer,
                  const struct explore_leaf *leaf, void *data);

/* How a device makes it itself. */
struct lift_random explore_random(const struct explore_problem *p, uint64_t seed,
                                  int buffer);

/* Sets element 'k' of a buffer, rounded to its type; of integers what C makes of it. */
void explore_set_element(void *data, enum lift_scalar scalar, int64_t k, double value);
/* Element 'k' of a buffer as a double. */
double explore_element(const void *data, enum lift_scalar scalar, int64_t k);

/* How far two results are apart. */
struct explore_verdict {
    double max_error, bound;
    int64_t bad, first_bad; /* -1: none */
    bool nonfinite;         /* where a number was expected */
};
/* Absolute error allowed of an output against a reference of that magnitude. */
double explore_bound(const struct explore_problem *p, int output, enum lift_scalar scalar,
                     double magnitude);
/* The same on inputs of that seed. */
double explore_seed_bound(const struct explore_problem *p, uint64_t seed, int output,
                          enum lift_scalar scalar, double magnitude);
/* Which share of its points may differ by more, since a comparison of rounded values
 * decides about them: four times the share that single precision was seen to decide
 * otherwise, and the share of values so close to where they decide that the rounding of
 * the operations before can. None of an output about which no such comparison decides. */
double explore_excused(const struct explore_problem *p, int output);
double explore_magnitude(const void *data, enum lift_scalar scalar, int64_t count);
/* Numbers to compare: raw ones with doubles or with raw ones. */
struct explore_pair {
    enum lift_scalar scalar;
    const void *got, *want;
    bool doubles; /* 'want' is doubles */
    int64_t count;
};
/* Adds to 'verdict', whose bound is that of the caller; 'base' is added to positions. */
void explore_compare(struct explore_verdict *verdict, struct explore_pair pair,
                     int64_t base);
/* After an output of so many points, before which 'bad' were bad: those that may be are
 * not. */
void explore_excuse(struct explore_verdict *verdict, const struct explore_problem *p,
                    int output, int64_t count, int64_t bad);

#endif
