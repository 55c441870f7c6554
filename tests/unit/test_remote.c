/* Grids that are laid out, poisoned and compared by the device, against the same by the
 * processor, on every device found here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/trial/device_grids.h"
#include "ops_bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20 };

/* Rows with a halo, at multiples or not, around them a number or nothing; every fourth
 * without a layout. */
static struct place random_place(struct bench *b, int round)
{
    struct place p = {.scalar = round % 5 ? LIFT_F32 : LIFT_F64,
                      .laid_out = round % 4 != 0};
    struct lift_layout *l = &p.layout;
    int64_t stride = 1;

    l->dims = (int)lift_rng_range(&b->rng, 1, 3);
    l->offset = lift_rng_range(&b->rng, 0, 70);
    for (int d = l->dims - 1; d >= 0; d--) {
        l->length[d] = lift_rng_range(&b->rng, 1, 40);
        l->stride[d] = stride;
        stride *= l->length[d] + lift_rng_range(&b->rng, 0, 9);
    }
    p.count = p.laid_out ? l->offset + stride + lift_rng_range(&b->rng, 0, 70)
                         : lift_rng_range(&b->rng, 1, 4000);
    p.filled = p.laid_out && round % 3 == 0;
    p.fill = 0.25 * round;
    return p;
}

static int64_t grid_count(const struct place *p)
{
    int64_t count = p->laid_out ? 1 : p->count;

    for (int d = 0; p->laid_out && d < p->layout.dims; d++)
        count *= p->layout.length[d];
    return count;
}

static void put(const struct place *p, void *data, int64_t at, double value)
{
    if (p->scalar == LIFT_F32)
        ((float *)data)[at] = (float)value;
    else
        ((double *)data)[at] = value;
}

static void *random_grid(struct bench *b, const struct place *p)
{
    void *grid = malloc((size_t)grid_count(p) * sizeof(double));

    for (int64_t i = 0; i < grid_count(p); i++)
        put(p, grid, i, (double)lift_rng_range(&b->rng, -99, 99));
    return grid;
}

static struct lift_buffer *upload(struct bench *b, const void *data, size_t bytes)
{
    struct lift_buffer *buffer = b->device->runtime->alloc(b->device, bytes, &b->failure);

    good(b, buffer != NULL);
    if (data)
        good(b, b->device->runtime->write(b->device, buffer, data, bytes, &b->failure));
    return buffer;
}

static void assert_holds(struct bench *b, struct lift_buffer *buffer, const void *bytes,
                         size_t size)
{
    void *now = malloc(size);

    good(b, b->device->runtime->read(b->device, buffer, now, size, &b->failure));
    assert_memory_equal(now, bytes, size);
    free(now);
}

static size_t grid_bytes(const struct place *p)
{
    return (size_t)grid_count(p) * (size_t)lift_scalar_bytes(p->scalar);
}

static void test_lay_out(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct place p = random_place(b, i);
        void *grid = random_grid(b, &p), *whole = malloc(layout_bytes(&p));
        struct lift_buffer *from = upload(b, grid, grid_bytes(&p));
        struct lift_buffer *to = upload(b, NULL, layout_bytes(&p));

        layout_write(&p, grid, whole);
        good(b, remote_lay_out(b->device, to, &p, from, &b->failure));
        assert_holds(b, to, whole, layout_bytes(&p));
        b->device->runtime->release(b->device, from);
        b->device->runtime->release(b->device, to);
        free(grid);
        free(whole);
    }
}

static void test_poison(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct place p = random_place(b, i);
        void *grid = malloc(grid_bytes(&p)), *whole = malloc(layout_bytes(&p));
        struct lift_buffer *to = upload(b, NULL, layout_bytes(&p));

        memset(grid, 0xff, grid_bytes(&p));
        layout_write(&p, grid, whole);
        good(b, remote_poison(b->device, to, &p, &b->failure));
        assert_holds(b, to, whole, layout_bytes(&p));
        b->device->runtime->release(b->device, to);
        free(grid);
        free(whole);
    }
}

/* Results of a kernel: correct, two wrong elements, NaN, or a write outside its buffer.
 */
static void test_compare(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < 3 * ROUNDS; i++) {
        struct place p = random_place(b, i);
        void *want = random_grid(b, &p), *got = malloc(grid_bytes(&p));
        void *whole = malloc(layout_bytes(&p));
        struct lift_buffer *w = upload(b, want, grid_bytes(&p)), *g;
        struct explore_verdict there = {.bound = 0.5}, here = {.bound = 0.5};
        int64_t count = grid_count(&p);
        struct remote_pair pair = {.want = w, .place = &p, .count = count};

        memcpy(got, want, grid_bytes(&p));
        if (i % 3 == 1)
            put(&p, got, lift_rng_range(&b->rng, 0, count - 1), 1e3);
        if (i % 3 == 2)
            put(&p, got, lift_rng_range(&b->rng, 0, count - 1), NAN);
        layout_write(&p, got, whole);
        pair.got = g = upload(b, whole, layout_bytes(&p));
        good(b, remote_compare(b->device, pair, 1000, &there, &b->failure));
        explore_compare(&here, (struct explore_pair){p.scalar, got, want, false, count},
                        1000);
        assert_int_equal(there.bad, here.bad);
        assert_int_equal(there.first_bad, here.first_bad);
        assert_int_equal(there.nonfinite, here.nonfinite);
        assert_true(there.max_error == here.max_error);
        b->device->runtime->release(b->device, w);
        b->device->runtime->release(b->device, g);
        free(want);
        free(got);
        free(whole);
    }
}

static void test_written_around(void **state)
{
    struct bench *b = *state;

    for (int i = 1; i < ROUNDS; i += 4) {
        struct place p = random_place(b, i);
        void *grid = random_grid(b, &p), *whole = malloc(layout_bytes(&p));
        struct lift_buffer *want = upload(b, grid, grid_bytes(&p)), *got;
        struct explore_verdict verdict = {.bound = 0.5};

        if (p.layout.offset > 0) {
            layout_write(&p, grid, whole);
            put(&p, whole, lift_rng_range(&b->rng, 0, p.layout.offset - 1), 12345);
            got = upload(b, whole, layout_bytes(&p));
            assert_false(remote_compare(
                b->device, (struct remote_pair){got, want, &p, grid_count(&p)}, 0,
                &verdict, &b->failure));
            assert_int_equal(b->failure.code, LIFT_ERROR_OVERFLOW);
            lift_error_fini(&b->failure);
            b->device->runtime->release(b->device, got);
        }
        b->device->runtime->release(b->device, want);
        free(grid);
        free(whole);
    }
}

static int run_device(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lay_out),
        cmocka_unit_test(test_poison),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_written_around),
    };

    device_name = name;
    return cmocka_run_group_tests_name(name, tests, open_bench, close_bench);
}

int main(void)
{
    return on_every_device(run_device) ? EXIT_FAILURE : EXIT_SUCCESS;
}
