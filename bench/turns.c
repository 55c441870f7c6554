#include "turns.h"
#include "base/bug.h"
#include "base/stats.h"
#include <math.h>
#include <stdlib.h>

/* ---- states */

static int count_samples(const struct turns_result *r)
{
    int count = 0;

    for (int i = 0; i < r->count; i++)
        count += r->entries[i].count;
    return count;
}

void turns_find_states(struct turns_result *r)
{
    int count = count_samples(r), at = 0;
    struct lift_trip *trips = calloc((size_t)count + 1, sizeof *trips);
    int *states = calloc((size_t)count + 1, sizeof *states);

    LIFT_ASSERT(trips && states);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->entries[i].count; k++)
            trips[at++] = r->entries[i].turns[k].trip;
    r->states = lift_states_find(trips, count, states);
    at = 0;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->entries[i].count; k++)
            r->entries[i].turns[k].state = states[at++];
    free(states);
    free(trips);
}

double turns_round_trip(const struct turns_result *r, int state)
{
    double *trips = calloc((size_t)count_samples(r) + 1, sizeof *trips), median;
    int count = 0;

    LIFT_ASSERT(trips);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->entries[i].count; k++)
            if (r->entries[i].turns[k].state == state)
                trips[count++] = r->entries[i].turns[k].trip.after;
    median = lift_median(trips, count);
    free(trips);
    return median;
}

int turns_most(const struct turns_result *r)
{
    int best = -1, most = 0;

    for (int s = 0; s < r->states; s++) {
        int same = 0;

        for (int i = 0; i < r->count; i++)
            for (int k = 0; k < r->entries[i].count; k++)
                same += r->entries[i].turns[k].state == s;
        if (same > most) {
            most = same;
            best = s;
        }
    }
    return best;
}

int turns_disturbed(const struct turns_entry *e)
{
    int count = 0;

    for (int k = 0; k < e->count; k++)
        count += e->turns[k].state < 0;
    return count;
}

/* ---- figures */

/* Sorts the values. */
static struct figure figure_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, lift_by_value);
    return (struct figure){lift_median(values, count), values[(count - 1) / 4],
                           values[count - 1 - (count - 1) / 4]};
}

double turns_spread(struct figure f)
{
    return f.median > 0 ? 50 * (f.high - f.low) / f.median : 0;
}

int turns_figure(const struct turns_entry *e, int state, struct figure *out)
{
    double seconds[TURNS_ROUNDS];
    int count = 0;

    *out = (struct figure){0};
    for (int k = 0; k < e->count; k++)
        if (e->turns[k].state == state)
            seconds[count++] = e->turns[k].seconds;
    if (count)
        *out = figure_of(seconds, count);
    return count;
}

static const struct turn *nearest(const struct turns_entry *e, const struct turn *to)
{
    const struct turn *best = NULL;

    for (int k = 0; k < e->count; k++) {
        const struct turn *t = &e->turns[k];

        if (t->state == to->state &&
            (!best || fabs(t->at - to->at) < fabs(best->at - to->at)))
            best = t;
    }
    return best;
}

int turns_ratio(const struct turns_entry *a, const struct turns_entry *b, int state,
                struct figure *out)
{
    double ratios[TURNS_ROUNDS];
    int count = 0;

    *out = (struct figure){0};
    for (int k = 0; k < a->count; k++) {
        const struct turn *mine = &a->turns[k], *yours;

        if (mine->state < 0 || (state >= 0 && mine->state != state))
            continue;
        yours = nearest(b, mine);
        if (yours)
            ratios[count++] = yours->seconds / mine->seconds;
    }
    if (count)
        *out = figure_of(ratios, count);
    return count;
}

const struct turns_entry *turns_best(const struct turns_result *r, enum turns_kind kind,
                                     int state)
{
    const struct turns_entry *best = NULL;
    double most = 0;

    if (state < 0)
        state = turns_most(r);
    for (int i = 0; i < r->count; i++) {
        const struct turns_entry *e = &r->entries[i];
        struct figure f;
        double rate;

        if (e->kind != kind || turns_figure(e, state, &f) == 0)
            continue;
        rate = (kind == TURNS_CEILING ? e->bytes : 1) / f.median;
        if (rate > most) {
            most = rate;
            best = e;
        }
    }
    return best;
}
