/* Which of several kernels serves a run of many steps: that with which it takes least
 * time, single steps for what is no multiple included. */
#include "base/memory.h"
#include "cli/best.h"
#include "run/depth.h"
#include <math.h>
#include <string.h>

/* Of one program at the same sizes on the same device. */
static bool is_alike(const struct lift_db_best *a, const struct lift_db_best *b)
{
    return !strcmp(a->program, b->program) && !strcmp(a->sizes, b->sizes) &&
           !strcmp(a->dtype, b->dtype) && lift_hash_equal(a->device_id, b->device_id);
}

static double single_of(const struct best_kernels *k, const struct lift_db_best *row)
{
    for (int i = 0; i < k->count; i++)
        if (k->rows[i].steps == 1 && is_alike(&k->rows[i], row))
            return k->rows[i].gpts;
    return 0;
}

/* Without a kernel of single steps the rest is done by one that is not explored: as fast
 * as that of several, say. */
static double seconds_of(const struct best *b, const struct best_kernels *k,
                         const struct lift_db_best *row)
{
    double single = single_of(k, row);

    return depth_run_seconds(b->run, row->steps, row->gpts,
                             single > 0 ? single : row->gpts);
}

static bool is_best(const struct best *b, const struct best_kernels *k,
                    const struct lift_db_best *row)
{
    double own = seconds_of(b, k, row);

    for (int i = 0; i < k->count; i++) {
        const struct lift_db_best *other = &k->rows[i];

        if (is_alike(other, row) && (seconds_of(b, k, other) < own ||
                                     (seconds_of(b, k, other) == own && other < row)))
            return false;
    }
    return !isinf(own);
}

/* Of the same number of steps: two programs of one name. */
static bool has_rival(const struct best_kernels *k, const struct lift_db_best *row)
{
    for (int i = 0; i < k->count; i++)
        if (k->rows[i].steps == row->steps && is_alike(&k->rows[i], row) &&
            !lift_hash_equal(k->rows[i].program_id, row->program_id))
            return true;
    return false;
}

static void keep_own(const struct best *b, struct best_kernels *k)
{
    int count = 0;

    for (int i = 0; i < k->count; i++)
        if (depth_is_of(&b->file, k->rows[i].steps, k->rows[i].program_id))
            k->rows[count++] = k->rows[i];
    k->count = count;
}

static bool are_of_one(const struct best_kernels *k)
{
    for (int i = 0; i < k->count; i++)
        if (has_rival(k, &k->rows[i])) {
            cli_fail(CLI_USAGE,
                     "the database has several programs of the name '%s': give the file "
                     "of one",
                     k->rows[i].program);
            return false;
        }
    return true;
}

bool best_for_run(const struct best *b, struct best_kernels *k)
{
    LIFT_FREED bool *keep = lift_alloc((size_t)k->count + 1, sizeof *keep);
    int count = 0;
    bool good;

    if (b->file.text)
        keep_own(b, k);
    good = are_of_one(k);
    for (int i = 0; i < k->count && good; i++)
        keep[i] = is_best(b, k, &k->rows[i]);
    for (int i = 0; i < k->count && good; i++)
        if (keep[i])
            k->rows[count++] = k->rows[i];
    k->count = count;
    return good;
}
