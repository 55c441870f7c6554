#include "tuner/search/search_model.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

enum {
    TREES = 30,
    SPLIT = 2,    /* leaf size in rows below which a node is not split */
    COLUMNS = 16, /* columns that a node tests */
    ROWS = 512,   /* rows for growing a forest, at most */
    WARM = 60,    /* up to this number of results, each result triggers a new forest */
    SLACK = 40    /* later, a new forest follows growth of the results by 1/SLACK */
};

/* Times are capped at this multiple of the median. */
static const double slowest = 2;

void search_model_init(struct search_model *m, const struct search_seen *seen,
                       struct lift_rng *rng)
{
    struct forest_options options = {TREES, SPLIT, COLUMNS};

    *m = (struct search_model){.joint = seen->joint, .seen = seen, .rng = rng};
    search_features_init(&m->features, seen->joint);
    options.always = m->features.estimate;
    m->forest = forest_create(m->features.width, &options);
    m->row = lift_resize(NULL, (size_t)m->features.width + 1, sizeof *m->row);
}

void search_model_fini(struct search_model *m)
{
    for (int i = 0; i < SEARCH_AROUND; i++)
        free(m->nearby[i].items);
    forest_destroy(m->forest);
    search_features_fini(&m->features);
    free(m->row);
    *m = (struct search_model){0};
}

/* ---- the forest */

struct ordered {
    double seconds;
    size_t number;
};

static int fastest_first(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;

    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Keeps the fastest of many points, and some of the others at equal distances. */
static size_t thin(struct ordered *points, size_t count)
{
    size_t half = ROWS / 2, rest = count - half;

    if (count <= ROWS)
        return count;
    for (size_t i = 0; i < ROWS - half; i++)
        points[half + i] = points[half + i * rest / (ROWS - half)];
    return ROWS;
}

/* The cap of times, in seconds: 'slowest' times the median of successful points. At
 * least one point must be successful. */
static double cut_off(const struct ordered *points, size_t count)
{
    size_t good = 0;

    while (good < count && !isinf(points[good].seconds))
        good++;
    return slowest * points[(good - 1) / 2].seconds;
}

static void grow_forest(struct search_model *m, const struct ordered *points,
                        size_t count, double cut)
{
    size_t width = (size_t)m->features.width;
    LIFT_FREED float *rows = lift_resize(NULL, count * (width + 1) + 1, sizeof *rows);
    float *targets = rows + count * width;

    for (size_t i = 0; i < count; i++) {
        double seconds = points[i].seconds < cut ? points[i].seconds : cut;

        search_features_row(&m->features, &m->seen->points[points[i].number].choice,
                            rows + i * width);
        targets[i] = (float)log(seconds / points[0].seconds);
    }
    forest_fit(m->forest, rows, targets, (int)count, m->rng);
    m->least = 0;
}

static void fit(struct search_model *m)
{
    size_t count = 0;
    LIFT_FREED struct ordered *points = lift_resize(NULL, m->seen->told, sizeof *points);
    double cut;

    for (size_t i = 0; i < m->seen->count; i++)
        if (m->seen->points[i].told)
            points[count++] = (struct ordered){m->seen->points[i].seconds, i};
    qsort(points, count, sizeof *points, fastest_first);
    cut = cut_off(points, count);
    grow_forest(m, points, thin(points, count), cut);
    m->fitted = count;
}

void search_model_refresh(struct search_model *m)
{
    size_t told = m->seen->told, due = told <= WARM ? 1 : 1 + told / SLACK;

    if (!m->fitted || told - m->fitted >= due)
        fit(m);
}

double search_model_promise(struct search_model *m, const struct lift_choice *choice)
{
    struct forest_answer a;
    double z, value;

    search_features_row(&m->features, choice, m->row);
    a = forest_predict(m->forest, m->row);
    a.deviation += 1e-9;
    z = (m->least - a.mean) / a.deviation;
    value = a.deviation * (z * 0.5 * erfc(-z * M_SQRT1_2) +
                           exp(-z * z / 2) * M_2_SQRTPI * M_SQRT1_2 / 2);
    return value > 1e-300 ? log(value) : z - 1000;
}
