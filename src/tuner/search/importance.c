#include "tuner/importance.h"
#include "base/memory.h"
#include "tuner/search/forest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TREES = 40, SPLIT = 4 };

/* The fraction of the variance of the rows from 'first' on that a forest of the
 * earlier rows explains. */
static double explained(struct forest *forest, const float *rows, const float *targets,
                        int first, int count, int columns)
{
    double mean = 0, all = 0, left = 0;

    for (int i = first; i < count; i++)
        mean += targets[i] / (count - first);
    for (int i = first; i < count; i++) {
        double guess = forest_predict(forest, rows + (size_t)i * (size_t)columns).mean;

        all += (targets[i] - mean) * (targets[i] - mean);
        left += (targets[i] - guess) * (targets[i] - guess);
    }
    return all > 1e-12 ? fmax(0, 1 - left / all) : 0;
}

double lift_importance(const float *rows, const float *targets, int count, int columns,
                       double *shares)
{
    const struct forest_options options = {TREES, SPLIT, 0, -1};
    size_t width = (size_t)columns;
    LIFT_FREED float *mixed =
        lift_resize(NULL, (size_t)count * (width + 1) + 1, sizeof *mixed);
    float *mixed_targets = mixed + (size_t)count * width;
    struct forest *forest = forest_create(columns, &options);
    struct lift_rng rng;
    double sum = 0, quality = 0;
    int half = (count + 1) / 2;

    /* Rows with even numbers come first. */
    for (int i = 0; i < count; i++) {
        int to = i % 2 ? half + i / 2 : i / 2;

        memcpy(mixed + (size_t)to * width, rows + (size_t)i * width,
               width * sizeof *mixed);
        mixed_targets[to] = targets[i];
    }
    lift_rng_seed(&rng, 1);
    if (count >= 4) {
        forest_fit(forest, mixed, mixed_targets, half, &rng);
        quality = explained(forest, mixed, mixed_targets, half, count, columns);
    }
    if (count > 0)
        forest_fit(forest, rows, targets, count, &rng);
    for (int i = 0; i < columns; i++)
        sum += shares[i] = count > 0 ? forest_gain(forest, i) : 0;
    for (int i = 0; i < columns && sum > 0; i++)
        shares[i] /= sum;
    forest_destroy(forest);
    return quality;
}
