#include "explore/trial/device_grids.h"
#include "base/fail.h"
#include <string.h>

enum { POISON = 0xff };

static struct lift_grid all_of(struct lift_buffer *buffer, const struct place *place)
{
    return (struct lift_grid){buffer, place->scalar, lift_box_flat(0, place->count)};
}

static struct lift_grid grid_of(struct lift_buffer *buffer, const struct place *place)
{
    if (!place->laid_out)
        return all_of(buffer, place);
    return (struct lift_grid){buffer, place->scalar, lift_box_of(&place->layout)};
}

static bool fill_around(struct lift_ops *ops, struct lift_buffer *buffer,
                        const struct place *place, struct lift_error *error)
{
    unsigned char element[PLACE_MOST_BYTES];
    struct lift_grid all = all_of(buffer, place);

    if (!place->laid_out)
        return true;
    layout_around(place, element);
    return lift_ops_fill(ops, &all, element, error);
}

bool remote_poison(struct lift_device *device, struct lift_buffer *buffer,
                   const struct place *place, struct lift_error *error)
{
    struct lift_ops *ops = lift_device_ops(device, error);
    struct lift_grid grid = grid_of(buffer, place);
    unsigned char element[PLACE_MOST_BYTES];

    memset(element, POISON, sizeof element);
    return ops && fill_around(ops, buffer, place, error) &&
           lift_ops_fill(ops, &grid, element, error);
}

bool remote_fill(struct lift_device *device, struct lift_buffer *buffer,
                 const struct explore_leaf *leaf, const struct lift_random *random,
                 struct lift_error *error)
{
    struct lift_ops *ops = lift_device_ops(device, error);
    struct lift_grid all = {buffer, leaf->scalar, lift_box_flat(0, leaf->count)};

    return ops && lift_ops_random(ops, &all, random, error);
}

bool remote_lay_out(struct lift_device *device, struct lift_buffer *buffer,
                    const struct place *place, struct lift_buffer *grid,
                    struct lift_error *error)
{
    struct lift_ops *ops = lift_device_ops(device, error);
    struct lift_grid to = grid_of(buffer, place), from = {grid, place->scalar, {0}};
    int64_t count = 1;

    for (int k = 0; k < to.box.dims; k++)
        count *= to.box.length[k];
    from.box = lift_box_flat(0, count);
    return ops && fill_around(ops, buffer, place, error) &&
           lift_ops_copy(ops, &to, &from, error);
}

bool remote_take(struct lift_device *device, struct remote_pair pair, double *magnitude,
                 struct lift_error *error)
{
    static const unsigned char zero[PLACE_MOST_BYTES];
    struct lift_ops *ops = lift_device_ops(device, error);
    struct lift_grid from = grid_of(pair.got, pair.place);
    struct lift_grid flat = {pair.want, pair.place->scalar, lift_box_flat(0, pair.count)};
    struct lift_ops_difference d;

    if (!ops || !lift_ops_copy(ops, &flat, &from, error) ||
        !lift_ops_fill(ops, &from, zero, error) ||
        !lift_ops_compare(ops, &from, &flat, 0, &d, error))
        return false;
    *magnitude = d.max_error;
    return true;
}

static bool gaps_are_clean(struct lift_ops *ops, const struct lift_grid *grid,
                           const struct place *place, struct lift_error *error)
{
    unsigned char element[PLACE_MOST_BYTES];
    struct lift_ops_difference d;

    if (!place->laid_out)
        return true;
    layout_around(place, element);
    if (!lift_ops_gaps(ops, grid, place->count, element, &d, error))
        return false;
    if (d.bad == 0)
        return true;
    return lift_fail(error, LIFT_ERROR_OVERFLOW,
                     "the kernel wrote around the grid of an output");
}

bool remote_compare(struct lift_device *device, struct remote_pair pair, int64_t base,
                    struct explore_verdict *v, struct lift_error *error)
{
    struct lift_ops *ops = lift_device_ops(device, error);
    struct lift_grid got = grid_of(pair.got, pair.place);
    struct lift_grid want = {pair.want, pair.place->scalar, lift_box_flat(0, pair.count)};
    struct lift_ops_difference d;

    if (!ops || !gaps_are_clean(ops, &got, pair.place, error) ||
        !lift_ops_compare(ops, &got, &want, v->bound, &d, error))
        return false;
    if (d.max_error > v->max_error)
        v->max_error = d.max_error;
    if (d.bad > 0 && v->bad == 0)
        v->first_bad = base + d.first_bad;
    v->bad += d.bad;
    v->nonfinite = v->nonfinite || d.nonfinite > 0;
    return true;
}
