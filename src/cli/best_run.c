/* Chooses the kernel for a run of many steps: the one with the least total time,
 * including single steps for the remainder. */
#include "base/memory.h"
#include "cli/best.h"
#include "run/depth.h"
#include <math.h>
#include <string.h>

/* True for rows of the same program, sizes and device. */
static bool is_alike(const struct lift_db_best *a, const struct lift_db_best *b)
{
    return !strcmp(a->program, b->program) && !strcmp(a->sizes, b->sizes) &&
           !strcmp(a->dtype, b->dtype) && lift_hash_equal(a->device_id, b->device_id);
}

static double single_of(const struct best *b, const struct lift_db_best *row)
{
    for (int i = 0; i < b->count; i++)
        if (b->rows[i].steps == 1 && is_alike(&b->rows[i], row))
            return b->rows[i].gpts;
    return 0;
}

/* The time of a run. Without a kernel of single steps, the remainder uses an
 * unexplored kernel, which the estimate assumes to be as fast as the row's. */
static double seconds_of(const struct best *b, const struct lift_db_best *row)
{
    double single = single_of(b, row);

    return depth_run_seconds(b->run, row->steps, row->gpts,
                             single > 0 ? single : row->gpts);
}

static bool is_best(const struct best *b, const struct lift_db_best *row)
{
    double own = seconds_of(b, row);

    for (int i = 0; i < b->count; i++) {
        const struct lift_db_best *other = &b->rows[i];

        if (is_alike(other, row) &&
            (seconds_of(b, other) < own || (seconds_of(b, other) == own && other < row)))
            return false;
    }
    return !isinf(own);
}

/* True if another program of the same name has a row with the same number of steps. */
static bool has_rival(const struct best *b, const struct lift_db_best *row)
{
    for (int i = 0; i < b->count; i++)
        if (b->rows[i].steps == row->steps && is_alike(&b->rows[i], row) &&
            !lift_hash_equal(b->rows[i].program_id, row->program_id))
            return true;
    return false;
}

static void keep_own(struct best *b)
{
    int count = 0;

    for (int i = 0; i < b->count; i++)
        if (depth_is_of(&b->source, b->rows[i].steps, b->rows[i].program_id))
            b->rows[count++] = b->rows[i];
    b->count = count;
}

static bool are_of_one(const struct best *b)
{
    for (int i = 0; i < b->count; i++)
        if (has_rival(b, &b->rows[i])) {
            cli_fail(CLI_USAGE,
                     "the database has several programs of the name '%s': give the file "
                     "of one",
                     b->rows[i].program);
            return false;
        }
    return true;
}

bool best_for_run(struct best *b)
{
    LIFT_FREED bool *keep = lift_alloc((size_t)b->count + 1, sizeof *keep);
    int count = 0;
    bool good;

    if (b->source.text)
        keep_own(b);
    good = are_of_one(b);
    for (int i = 0; i < b->count && good; i++)
        keep[i] = is_best(b, &b->rows[i]);
    for (int i = 0; i < b->count && good; i++)
        if (keep[i])
            b->rows[count++] = b->rows[i];
    b->count = count;
    return good;
}
