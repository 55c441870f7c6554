/* Spaces whose points are listed: the rows in lexicographic order form a tree of
 * prefixes. */
#include "base/bug.h"
#include "base/memory.h"
#include "tuner/space/space_core.h"
#include <stdlib.h>
#include <string.h>

static int compare(const int *a, const int *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The first row that is not below the prefix, or with 'after' the first row above the
 * prefix. */
static int64_t bound(const struct lift_space *s, const int *index, int at, bool after)
{
    int64_t lo = 0, hi = s->row_count;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if (compare(s->rows + mid * s->param_count, index, at) < after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int64_t space_rows(const struct lift_space *s, const int *index, int at, int64_t *begin)
{
    int64_t first = bound(s, index, at, false);

    if (begin)
        *begin = first;
    return bound(s, index, at, true) - first;
}

struct sorter {
    const int *row;
    int count;
};

static int by_row(const void *a, const void *b)
{
    const struct sorter *x = a, *y = b;

    return compare(x->row, y->row, x->count);
}

/* Stores the rows sorted and without duplicates. */
static void take_rows(struct lift_space *s, const int *points, int64_t count)
{
    LIFT_FREED struct sorter *sorted =
        lift_resize(NULL, (size_t)count + 1, sizeof *sorted);
    size_t width = (size_t)s->param_count;
    int *rows = LIFT_NEW_ARRAY(s->arena, int, (size_t)count *width + 1);

    for (int64_t i = 0; i < count; i++)
        sorted[i] = (struct sorter){points + i * s->param_count, s->param_count};
    qsort(sorted, (size_t)count, sizeof *sorted, by_row);
    for (int64_t i = 0; i < count; i++)
        if (!i || by_row(&sorted[i - 1], &sorted[i])) {
            if (width)
                memcpy(rows + (size_t)s->row_count * width, sorted[i].row,
                       width * sizeof *rows);
            s->row_count++;
        }
    s->rows = rows;
}

struct lift_space *lift_space_create_table(struct lift_arena *arena,
                                           const struct lift_param *params,
                                           int param_count, const int *points,
                                           int64_t point_count)
{
    struct lift_space *s = lift_space_create(arena, params, param_count, NULL, 0);

    for (int64_t i = 0; i < point_count; i++)
        for (int k = 0; k < param_count; k++)
            LIFT_ASSERT(points[i * param_count + k] >= 0 &&
                        points[i * param_count + k] < params[k].count);
    take_rows(s, points, point_count);
    s->possible = s->row_count > 0;
    return s;
}
