#include "tuner/search/forest.h"
#include "base/bug.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

/* An inner node sends rows at most 'threshold' to 'child', and others to the node
 * after 'child'. A leaf has column -1, and the mean and variance of its rows. */
struct node {
    int column, child;
    float threshold, mean, variance;
};

struct forest {
    struct forest_options options;
    int columns;
    struct node *nodes; /* of all trees */
    int node_count, node_cap;
    int *roots;
    double *gains; /* by column */
    int *order;    /* the rows; rows of a node are adjacent */
    int *pick;     /* columns in random order */
    int row_cap;
};

/* One fit. */
struct growth {
    struct forest *forest;
    const float *rows, *targets;
    struct lift_rng *rng;
};

struct cut {
    int column;
    float threshold;
    double gain;
};

struct forest *forest_create(int columns, const struct forest_options *options)
{
    struct forest *f = lift_resize(NULL, 1, sizeof *f);

    *f = (struct forest){.options = *options, .columns = columns};
    f->roots = lift_resize(NULL, (size_t)options->trees, sizeof *f->roots);
    f->gains = lift_alloc((size_t)columns, sizeof *f->gains);
    f->pick = lift_resize(NULL, (size_t)columns, sizeof *f->pick);
    for (int i = 0; i < columns; i++)
        f->pick[i] = i;
    return f;
}

void forest_destroy(struct forest *f)
{
    if (!f)
        return;
    free(f->nodes);
    free(f->roots);
    free(f->gains);
    free(f->order);
    free(f->pick);
    free(f);
}

static float cell(const struct growth *g, int row, int column)
{
    return g->rows[(size_t)row * (size_t)g->forest->columns + (size_t)column];
}

/* Draws a threshold between the values of two random rows, so that the scale of a
 * column does not matter. If the values are equal, the second value is the first
 * different one. Returns false if the column is constant. */
static bool draw(const struct growth *g, const int *rows, int count, struct cut *cut)
{
    float low = cell(g, rows[lift_rng_below(g->rng, (uint64_t)count)], cut->column);
    float high = cell(g, rows[lift_rng_below(g->rng, (uint64_t)count)], cut->column);

    for (int i = 0; low == high && i < count; i++)
        high = cell(g, rows[i], cut->column);
    if (low == high)
        return false;
    if (low > high) {
        float swap = low;

        low = high;
        high = swap;
    }
    cut->threshold = low + (high - low) * (float)lift_rng_unit(g->rng);
    if (cut->threshold >= high)
        cut->threshold = low;
    return true;
}

/* The reduction of the variance by a cut, times the rows, less a constant. */
static double gain_of(const struct growth *g, const int *rows, int count,
                      const struct cut *cut)
{
    const float threshold = cut->threshold;
    double low = 0, high = 0;
    int lows = 0;

    for (int i = 0; i < count; i++) {
        int row = rows[i];

        if (cell(g, row, cut->column) > threshold) {
            high += g->targets[row];
        } else {
            low += g->targets[row];
            lows++;
        }
    }
    return low * low / lows + high * high / (count - lows);
}

/* Finds the best of random cuts, one on each of some columns that are not constant. */
static bool best_cut(const struct growth *g, const int *rows, int count, struct cut *best)
{
    struct forest *f = g->forest;
    int tries = f->options.tries ? f->options.tries : f->columns, found = 0;

    for (int i = -1; i < f->columns && found < tries; i++) {
        struct cut cut = {.column = f->options.always};

        if (i >= 0) {
            int j = i + (int)lift_rng_below(g->rng, (uint64_t)(f->columns - i));

            cut.column = f->pick[j];
            f->pick[j] = f->pick[i];
            f->pick[i] = cut.column;
        }
        if (cut.column < 0 || !draw(g, rows, count, &cut))
            continue;
        cut.gain = gain_of(g, rows, count, &cut);
        if (!found++ || cut.gain > best->gain)
            *best = cut;
    }
    return found > 0;
}

static int new_node(struct forest *f)
{
    if (f->node_count == f->node_cap) {
        f->node_cap = f->node_cap ? 2 * f->node_cap : 1024;
        f->nodes = lift_resize(f->nodes, (size_t)f->node_cap, sizeof *f->nodes);
    }
    return f->node_count++;
}

static struct node leaf(const struct growth *g, const int *rows, int count)
{
    double sum = 0, squares = 0, mean;

    for (int i = 0; i < count; i++)
        sum += g->targets[rows[i]];
    mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (g->targets[rows[i]] - mean) * (g->targets[rows[i]] - mean);
    return (struct node){-1, 0, 0, (float)mean, (float)(squares / count)};
}

/* Moves rows at most the threshold to the front, and returns their number. */
static int part(const struct growth *g, int *rows, int count, const struct cut *cut)
{
    int low = 0;

    for (int i = 0; i < count; i++)
        if (cell(g, rows[i], cut->column) <= cut->threshold) {
            int swap = rows[i];

            rows[i] = rows[low];
            rows[low++] = swap;
        }
    return low;
}

/* The depth is at most the number of distinct rows, and usually near its logarithm. */
static int grow(const struct growth *g, int *rows, int count)
{
    struct forest *f = g->forest;
    int at = new_node(f), low, child;
    struct node summary = leaf(g, rows, count);
    struct cut cut;

    f->nodes[at] = summary;
    if (count < f->options.leaf || summary.variance <= 1e-12F ||
        !best_cut(g, rows, count, &cut))
        return at;
    f->gains[cut.column] += cut.gain - (double)summary.mean * summary.mean * count;
    low = part(g, rows, count, &cut);
    grow(g, rows + low, count - low);
    child = grow(g, rows, low);
    f->nodes[at].column = cut.column;
    f->nodes[at].threshold = cut.threshold;
    f->nodes[at].child = child;
    return at;
}

void forest_fit(struct forest *f, const float *rows, const float *targets, int count,
                struct lift_rng *rng)
{
    struct growth g = {f, rows, targets, rng};

    LIFT_ASSERT(count > 0);
    if (count > f->row_cap) {
        f->row_cap = 2 * count;
        f->order = lift_resize(f->order, (size_t)f->row_cap, sizeof *f->order);
    }
    f->node_count = 0;
    for (int i = 0; i < f->columns; i++)
        f->gains[i] = 0;
    for (int i = 0; i < count; i++)
        f->order[i] = i;
    for (int t = 0; t < f->options.trees; t++)
        f->roots[t] = grow(&g, f->order, count);
}

struct forest_answer forest_predict(const struct forest *f, const float *row)
{
    double sum = 0, squares = 0, within = 0, mean, variance;

    for (int t = 0; t < f->options.trees; t++) {
        const struct node *n = f->nodes + f->roots[t];

        for (int column; (column = n->column) >= 0;)
            n = row[column] <= n->threshold ? f->nodes + n->child : n + 1;
        sum += n->mean;
        squares += (double)n->mean * n->mean;
        within += n->variance;
    }
    mean = sum / f->options.trees;
    variance = squares / f->options.trees - mean * mean + within / f->options.trees;
    return (struct forest_answer){mean, variance > 0 ? sqrt(variance) : 0};
}

double forest_gain(const struct forest *f, int column)
{
    return f->gains[column] > 0 ? f->gains[column] : 0;
}
