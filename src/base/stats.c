#include "base/stats.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int lift_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *sorted(const double *values, int count)
{
    double *copy = lift_resize(NULL, (size_t)count, sizeof *copy);

    memcpy(copy, values, (size_t)count * sizeof *copy);
    qsort(copy, (size_t)count, sizeof *copy, lift_by_value);
    return copy;
}

static double middle(const double *ascending, int count)
{
    return (ascending[(count - 1) / 2] + ascending[count / 2]) / 2;
}

double lift_median(const double *values, int count)
{
    double *ascending, median;

    if (count <= 0)
        return 0;
    ascending = sorted(values, count);
    median = middle(ascending, count);
    free(ascending);
    return median;
}

/* The largest k for which the k-th smallest and the k-th largest of 'count' values
 * enclose the median with the given confidence; at least 1. The k-th smallest is above
 * the median if fewer than k values are below the median. The number of values below the
 * median has the distribution of the heads of 'count' coins. */
static int rank_of(int count, double confidence, double *promised)
{
    double exactly = -count * M_LN2, outside = 0; /* logarithm of the probability */
    int k = 0;

    for (;;) {
        double more = outside + exp(exactly); /* probability of fewer than k + 1 heads */

        if (k >= 1 && (2 * (k + 1) > count || 1 - 2 * more < confidence))
            break;
        outside = more;
        exactly += log((double)(count - k) / (k + 1));
        k++;
    }
    *promised = count > 1 ? 1 - 2 * outside : 0;
    return k;
}

struct lift_interval lift_median_interval(const double *values, int count,
                                          double confidence)
{
    struct lift_interval interval = {0};
    double *ascending;
    int k;

    if (count <= 0)
        return interval;
    ascending = sorted(values, count);
    k = rank_of(count, confidence, &interval.confidence);
    interval.median = middle(ascending, count);
    interval.low = ascending[k - 1];
    interval.high = ascending[count - k];
    free(ascending);
    return interval;
}

struct lift_interval lift_interval_scaled(struct lift_interval interval, double factor)
{
    interval.median *= factor;
    interval.low *= factor;
    interval.high *= factor;
    return interval;
}

bool lift_interval_ties(const struct lift_interval *a, const struct lift_interval *b)
{
    return a->low <= b->high && b->low <= a->high;
}

struct lift_interval lift_share_interval(int hits, int count)
{
    const double z = 1.959964; /* quantile of the normal distribution for 95 % */
    double n = count, share = count > 0 ? hits / n : 0, middle, half;

    if (count <= 0)
        return (struct lift_interval){.high = 1, .confidence = 0.95};
    middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return (struct lift_interval){.median = share,
                                  .low = hits > 0 ? middle - half : 0,
                                  .high = hits < count ? middle + half : 1,
                                  .confidence = 0.95};
}

int lift_stats_keep(const double *values, const int *left_out, int count, double *out)
{
    int kept = 0;

    for (int i = 0; i < count; i++)
        if (!left_out || left_out[i] <= 0)
            out[kept++] = values[i];
    if (kept || count <= 0)
        return kept;
    memcpy(out, values, (size_t)count * sizeof *values);
    return count;
}
