/* Temporal blocking among the rows of a database: of all kernels of a program at the same
 * sizes on the same device, one answers the request. The others are shown with it. */
#include "base/memory.h"
#include "cli/best.h"
#include <stdlib.h>
#include <string.h>

/* True for rows of the same name, sizes, precision and device. */
static bool is_alike(const struct lift_db_best *a, const struct lift_db_best *b)
{
    return !strcmp(a->program, b->program) && !strcmp(a->sizes, b->sizes) &&
           !strcmp(a->dtype, b->dtype) && lift_hash_equal(a->device_id, b->device_id);
}

/* ---- which rows compute the same program */

/* A stored program of single steps. */
struct single {
    struct lift_hash program;
    struct lift_source source;
    struct depth_ids ids;
};

struct grouping {
    struct best *b;
    int *group; /* of each row: the first row of its group */
    struct single *singles;
    int count, cap;
};

static struct depth_ids *ids_of(struct grouping *g, const struct lift_db_best *row)
{
    char hex[LIFT_HASH_HEX];
    const struct lift_db_filter which = {.program = lift_hash_hex(row->program_id, hex)};
    struct single one = {.program = row->program_id};

    for (int i = 0; i < g->count; i++)
        if (lift_hash_equal(g->singles[i].program, row->program_id))
            return &g->singles[i].ids;
    if (!best_stored_source(g->b, &which, row->program, &one.source))
        return NULL;
    one.ids.source = &one.source;
    LIFT_ROOM(g->singles, g->count, g->cap);
    g->singles[g->count++] = one;
    for (int i = 0; i < g->count; i++) /* the list may have moved */
        g->singles[i].ids.source = &g->singles[i].source;
    return &g->singles[g->count - 1].ids;
}

/* A database is data: a row's number of steps counts only if the program of single steps
 * with this number of steps is the row's program. Without single steps in the database
 * ('unchecked'), rows of different numbers of steps belong together. */
static bool are_of_one(struct grouping *g, const struct lift_db_best *first,
                       const struct lift_db_best *row, bool unchecked)
{
    struct depth_ids *ids;

    if (lift_hash_equal(first->program_id, row->program_id))
        return first->steps == row->steps;
    if (unchecked)
        return first->steps != row->steps;
    ids = first->steps == 1 && row->steps > 1 ? ids_of(g, first) : NULL;
    return ids && depth_is_of(ids, row->steps, row->program_id);
}

/* True if the database has no program of single steps for these rows, and no two programs
 * with the same number of steps. */
static bool is_unchecked(const struct best *b, const struct lift_db_best *row)
{
    bool seen[LIFT_MAX_STEPS + 1] = {false};

    for (int i = 0; i < b->count; i++) {
        int steps = b->rows[i].steps;

        if (!is_alike(&b->rows[i], row))
            continue;
        if (steps < 2 || steps > LIFT_MAX_STEPS || seen[steps])
            return false;
        seen[steps] = true;
    }
    return true;
}

/* Rows are in the order of steps, so single steps come first. A group has one row of each
 * number of steps. */
static void group_rows(struct grouping *g)
{
    const struct best *b = g->b;

    for (int i = 0; i < b->count; i++) {
        const struct lift_db_best *row = &b->rows[i];
        bool unchecked = is_unchecked(b, row);

        g->group[i] = i;
        for (int k = 0; k < i && g->group[i] == i; k++)
            if (g->group[k] == k && is_alike(&b->rows[k], row) &&
                are_of_one(g, &b->rows[k], row, unchecked))
                g->group[i] = k;
    }
}

static void keep_own(struct best *b)
{
    struct depth_ids ids = {.source = &b->source};
    int count = 0;

    for (int i = 0; i < b->count; i++)
        if (depth_is_of(&ids, b->rows[i].steps, b->rows[i].program_id))
            b->rows[count++] = b->rows[i];
    b->count = count;
}

/* ---- the answer of a group */

/* Returns the row of a group that answers; -1: none computes a run of so few steps. */
static int answer_of(const struct grouping *g, int group)
{
    const struct best *b = g->b;
    struct depth_speeds speeds = {{0}};
    int row_of[LIFT_MAX_STEPS + 1], at_once;

    memset(row_of, -1, sizeof row_of);
    for (int i = group; i < b->count; i++) {
        int steps = b->rows[i].steps;

        if (g->group[i] != group || steps < 1 || steps > LIFT_MAX_STEPS)
            continue;
        row_of[steps] = i;
        speeds.gpts[steps] = b->rows[i].gpts;
    }
    at_once = depth_fastest(&speeds);
    if (b->run)
        at_once = depth_split(&speeds, b->run, 0).part[0].at_once;
    return at_once ? row_of[at_once] : group;
}

static void keep_answers(struct grouping *g)
{
    struct best *b = g->b;
    struct lift_db_best *answers = lift_alloc((size_t)b->count + 1, sizeof *answers);
    struct lift_db_best *all = b->rows;
    int count = 0;

    b->others = lift_alloc((size_t)b->count + 1, sizeof *b->others);
    for (int i = 0; i < b->count; i++) {
        int answer = g->group[i] == i ? answer_of(g, i) : -1;

        if (answer < 0)
            continue;
        for (int k = i; k < b->count; k++)
            if (g->group[k] == i && k != answer)
                b->others[b->other_count++] = (struct best_other){all[k], count};
        answers[count++] = all[answer];
    }
    free(all);
    b->rows = answers;
    b->count = count;
}

void best_join_depths(struct best *b)
{
    LIFT_FREED int *group = lift_alloc((size_t)b->count + 1, sizeof *group);
    struct grouping g = {.b = b, .group = group};

    if (b->by_name)
        keep_own(b);
    group_rows(&g);
    keep_answers(&g);
    for (int i = 0; i < g.count; i++)
        lift_source_free(&g.singles[i].source);
    free(g.singles);
}

const struct lift_db_best *best_other(const struct best *b,
                                      const struct lift_db_best *row, bool single)
{
    const struct lift_db_best *best = NULL;
    int index = (int)(row - b->rows);

    for (int i = 0; i < b->other_count; i++) {
        const struct lift_db_best *other = &b->others[i].row;

        if (b->others[i].answer == index && (other->steps == 1) == single &&
            (!best || other->gpts > best->gpts))
            best = other;
    }
    return best;
}
