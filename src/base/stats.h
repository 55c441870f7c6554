/* Statistics of repeated measurements. Nothing is assumed of how they are spread: times
 * of kernels have long tails and, on some machines, two peaks. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>

/* The order of two doubles, for qsort. */
int lift_by_value(const void *a, const void *b);

/* 0 if there are no values. */
double lift_median(const double *values, int count);

/* Between which order statistics the true median lies: 'low' is the k-th smallest value
 * and 'high' the k-th largest, with the largest k for which the binomial distribution
 * promises at least the requested confidence. With too few values, the smallest and the
 * largest. 'confidence' is the promised one, if the values are independent. */
struct lift_interval {
    double median, low, high;
    double confidence; /* 0 .. 1 */
};

/* All zero if there are no values. */
struct lift_interval lift_median_interval(const double *values, int count,
                                          double confidence);
/* Neither can be said to be smaller: the intervals have a value in common. */
bool lift_interval_ties(const struct lift_interval *a, const struct lift_interval *b);

/* Between which shares the true one lies, with 95 % confidence, if 'hits' of 'count'
 * draws were hits: Wilson's interval, which has a width at 0 and at 'count' hits, too.
 * 'median' is the share of the draws. From 0 to 1 without any. */
struct lift_interval lift_share_interval(int hits, int count);

/* Copies the values that count to 'out' (as large as 'values') and returns how many:
 * those with 'left_out' (may be NULL) not above zero or, if there is none, all. */
int lift_stats_keep(const double *values, const int *left_out, int count, double *out);

#endif
