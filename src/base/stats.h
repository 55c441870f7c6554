/* Statistics of repeated measurements, without assumptions about their distribution.
 * Times of kernels have long tails and, on some machines, two peaks. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>

/* The order of two doubles, for qsort. */
int lift_by_value(const void *a, const void *b);

/* The median; 0 if there are no values. */
double lift_median(const double *values, int count);

/* An interval for the true median. 'low' is the k-th smallest value and 'high' the k-th
 * largest. k is the largest number for which the binomial distribution guarantees at
 * least the requested confidence. With too few values, the smallest and the largest
 * value. 'confidence' is the guaranteed confidence, if the values are independent. */
struct lift_interval {
    double median, low, high;
    double confidence; /* 0 .. 1 */
};

/* All zero if there are no values. */
struct lift_interval lift_median_interval(const double *values, int count,
                                          double confidence);
/* Multiplies an interval's numbers. */
struct lift_interval lift_interval_scaled(struct lift_interval interval, double factor);
/* True if the intervals have a common value, so neither is smaller. */
bool lift_interval_ties(const struct lift_interval *a, const struct lift_interval *b);

/* Wilson's interval for the true share, with 95 % confidence, if 'hits' of 'count' draws
 * were hits. The interval has a width even for 0 and for 'count' hits. 'median' is the
 * share of the draws. From 0 to 1 without draws. */
struct lift_interval lift_share_interval(int hits, int count);

/* Copies the values with 'left_out' (may be NULL) not above zero to 'out', which is as
 * large as 'values'. If there is no such value, copies all. Returns the number of copied
 * values. */
int lift_stats_keep(const double *values, const int *left_out, int count, double *out);

#endif
