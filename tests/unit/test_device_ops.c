/* Bulk operations, on every device found here, against plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/input_data.h"
#include "ops_bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, MOST = 1 << 17 };

static const enum lift_scalar scalars[] = {LIFT_F32, LIFT_F64, LIFT_I32, LIFT_BOOL};

/* ---- a buffer and its expected content */

struct shadow {
    struct lift_grid grid;
    unsigned char *bytes;
    int64_t count; /* elements of the buffer */
    size_t width;
};

static void put(const struct shadow *s, int64_t at, double value)
{
    float f = (float)value;
    int32_t i = (int32_t)value;
    unsigned char c = value > 0;
    const void *from[] = {&f, &value, &i, &c};

    memcpy(s->bytes + (size_t)at * s->width, from[s->grid.scalar], s->width);
}

static double get(const struct shadow *s, int64_t at)
{
    const void *from = s->bytes + (size_t)at * s->width;
    double d;
    float f;
    int32_t i;

    memcpy(&f, from, s->grid.scalar == LIFT_F32 ? 4 : 0);
    memcpy(&d, from, s->grid.scalar == LIFT_F64 ? 8 : 0);
    memcpy(&i, from, s->grid.scalar == LIFT_I32 ? 4 : 0);
    return s->grid.scalar == LIFT_F32   ? (double)f
           : s->grid.scalar == LIFT_F64 ? d
           : s->grid.scalar == LIFT_I32 ? i
                                        : *(const unsigned char *)from;
}

static void upload(struct bench *b, struct shadow *s)
{
    good(b, b->device->runtime->write(b->device, s->grid.buffer, s->bytes,
                                      (size_t)s->count * s->width, &b->failure));
}

static void assert_uploaded(struct bench *b, const struct shadow *s)
{
    size_t size = (size_t)s->count * s->width;
    unsigned char *now = malloc(size);

    good(b, b->device->runtime->read(b->device, s->grid.buffer, now, size, &b->failure));
    assert_memory_equal(now, s->bytes, size);
    free(now);
}

/* A box of these lengths with random gaps around it. */
static struct shadow make(struct bench *b, enum lift_scalar scalar,
                          const struct lift_box *lengths)
{
    struct shadow s = {.width = (size_t)lift_scalar_bytes(scalar)};
    struct lift_box *box = &s.grid.box;
    int64_t stride = 1;

    *box = *lengths;
    box->offset = lift_rng_range(&b->rng, 0, 9);
    for (int k = box->dims - 1; k >= 0; k--) {
        box->stride[k] = stride;
        stride *= box->length[k] +
                  lift_rng_range(&b->rng, 0, 1) * lift_rng_range(&b->rng, 0, 5);
    }
    s.count = box->offset + stride + lift_rng_range(&b->rng, 0, 9);
    s.grid.scalar = scalar;
    s.grid.buffer =
        b->device->runtime->alloc(b->device, (size_t)s.count * s.width, &b->failure);
    good(b, s.grid.buffer != NULL);
    s.bytes = malloc((size_t)s.count * s.width);
    for (int64_t i = 0; i < s.count; i++)
        put(&s, i, (double)lift_rng_range(&b->rng, -50, 50));
    upload(b, &s);
    return s;
}

static void destroy(struct bench *b, struct shadow *s)
{
    b->device->runtime->release(b->device, s->grid.buffer);
    free(s->bytes);
}

static struct lift_box random_lengths(struct bench *b)
{
    struct lift_box box = {.dims = (int)lift_rng_range(&b->rng, 1, 4)};
    int64_t most = MOST;

    for (int k = 0; k < box.dims; k++) {
        box.length[k] = lift_rng_range(&b->rng, 1, most < 300 ? most : 300);
        most /= box.length[k];
    }
    if (box.dims == 1)
        box.length[0] = lift_rng_range(&b->rng, 1, MOST);
    return box;
}

static int64_t elements(const struct lift_box *box)
{
    int64_t count = 1;

    for (int k = 0; k < box->dims; k++)
        count *= box->length[k];
    return count;
}

/* Where element 'e', row-major, lies. */
static int64_t at(const struct shadow *s, int64_t e)
{
    const struct lift_box *box = &s->grid.box;
    int64_t place = box->offset;

    for (int k = box->dims - 1; k >= 0; k--) {
        place += e % box->length[k] * box->stride[k];
        e /= box->length[k];
    }
    return place;
}

/* ---- tests */

static void test_fill(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct lift_box lengths = random_lengths(b);
        struct shadow s = make(b, scalars[i % 4], &lengths);
        unsigned char element[8];

        for (size_t k = 0; k < sizeof element; k++)
            element[k] = (unsigned char)lift_rng_below(&b->rng, 256);
        for (int64_t e = 0; e < elements(&lengths); e++)
            memcpy(s.bytes + (size_t)at(&s, e) * s.width, element, s.width);
        good(b, lift_ops_fill(b->ops, &s.grid, element, &b->failure));
        assert_uploaded(b, &s);
        destroy(b, &s);
    }
}

static void test_copy(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct lift_box lengths = random_lengths(b);
        struct lift_box flat = lift_box_flat(0, elements(&lengths));
        struct shadow to = make(b, scalars[i % 4], i % 3 ? &lengths : &flat);
        struct shadow from = make(b, scalars[i % 4], i % 3 == 1 ? &flat : &lengths);

        for (int64_t e = 0; e < elements(&lengths); e++)
            memcpy(to.bytes + (size_t)at(&to, e) * to.width,
                   from.bytes + (size_t)at(&from, e) * to.width, to.width);
        good(b, lift_ops_copy(b->ops, &to.grid, &from.grid, &b->failure));
        assert_uploaded(b, &to);
        assert_uploaded(b, &from);
        destroy(b, &to);
        destroy(b, &from);
    }
}

/* Makes some elements differ by one, and some NaN; returns the expected findings. */
static struct lift_ops_difference spoil(struct bench *b, const struct shadow *got,
                                        const struct shadow *want, double bound)
{
    struct lift_ops_difference d = {.first_bad = -1};
    bool floats = got->grid.scalar == LIFT_F32 || got->grid.scalar == LIFT_F64;

    for (int64_t e = 0; e < elements(&got->grid.box); e++) {
        double value = get(want, at(want, e)), other;
        bool nan = floats && lift_rng_below(&b->rng, 500) == 0;
        bool far = lift_rng_below(&b->rng, 100) == 0;

        other = got->grid.scalar == LIFT_BOOL ? (far ? !value : value) : value + far;
        put(got, at(got, e), nan ? NAN : other);
        d.nonfinite += nan;
        if (!nan && far)
            d.max_error = 1;
        if (nan || (far && bound < 1)) {
            d.first_bad = d.bad++ == 0 ? e : d.first_bad;
        }
    }
    return d;
}

static void test_compare(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct lift_box lengths = random_lengths(b);
        struct lift_box flat = lift_box_flat(0, elements(&lengths));
        struct shadow got = make(b, scalars[i % 4], &lengths);
        struct shadow want = make(b, scalars[i % 4], i % 3 ? &lengths : &flat);
        double bound = i % 5 == 0 && i % 4 < 2 ? 1.5 : 0;
        struct lift_ops_difference right = spoil(b, &got, &want, bound), d;

        upload(b, &got);
        good(b, lift_ops_compare(b->ops, &got.grid, &want.grid, bound, &d, &b->failure));
        assert_int_equal(d.bad, right.bad);
        assert_int_equal(d.first_bad, right.first_bad);
        assert_int_equal(d.nonfinite, right.nonfinite);
        assert_true(d.max_error == right.max_error);
        destroy(b, &got);
        destroy(b, &want);
    }
}

static void test_alike_infinities_are_good(void **state)
{
    struct bench *b = *state;
    struct lift_box four = lift_box_flat(0, 4);
    struct shadow got = make(b, LIFT_F32, &four), want = make(b, LIFT_F32, &four);
    const double wanted[] = {INFINITY, NAN, INFINITY, 1};
    const double found[] = {INFINITY, NAN, -INFINITY, INFINITY};
    struct lift_ops_difference d;

    for (int i = 0; i < 4; i++) {
        put(&want, at(&want, i), wanted[i]);
        put(&got, at(&got, i), found[i]);
    }
    upload(b, &got);
    upload(b, &want);
    good(b, lift_ops_compare(b->ops, &got.grid, &want.grid, 0, &d, &b->failure));
    assert_int_equal(d.bad, 2);
    assert_int_equal(d.first_bad, 2);
    assert_int_equal(d.nonfinite, 1);
    destroy(b, &got);
    destroy(b, &want);
}

/* The digest depends on the content of the box, not on its position. */
static void test_digest(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct lift_box lengths = random_lengths(b);
        struct shadow s = make(b, scalars[i % 4], &lengths);
        struct shadow copy = make(b, scalars[i % 4], &lengths);
        int64_t e = lift_rng_range(&b->rng, 0, elements(&lengths) - 1);
        uint64_t first = 0, second = 0, changed = 0;

        good(b, lift_ops_copy(b->ops, &copy.grid, &s.grid, &b->failure) &&
                    lift_ops_digest(b->ops, &s.grid, &first, &b->failure) &&
                    lift_ops_digest(b->ops, &copy.grid, &second, &b->failure));
        assert_true(first == second);
        s.bytes[(size_t)at(&s, e) * s.width] ^= 1;
        upload(b, &s);
        good(b, lift_ops_digest(b->ops, &s.grid, &changed, &b->failure));
        assert_true(first != changed);
        destroy(b, &s);
        destroy(b, &copy);
    }
}

static void test_others(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct lift_box lengths = random_lengths(b);
        struct shadow s = make(b, scalars[i % 4], &lengths);
        unsigned char element[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        int64_t e = lift_rng_range(&b->rng, 0, elements(&lengths) - 1);
        struct lift_ops_difference d;

        for (int64_t k = 0; k < elements(&lengths); k++)
            memcpy(s.bytes + (size_t)at(&s, k) * s.width, element, s.width);
        upload(b, &s);
        good(b, lift_ops_others(b->ops, &s.grid, element, &d, &b->failure));
        assert_int_equal(d.bad, 0);
        assert_int_equal(d.first_bad, -1);
        s.bytes[(size_t)at(&s, e) * s.width] ^= 0x80;
        upload(b, &s);
        good(b, lift_ops_others(b->ops, &s.grid, element, &d, &b->failure));
        assert_int_equal(d.bad, 1);
        assert_int_equal(d.first_bad, e);
        destroy(b, &s);
    }
}

/* Around and between the rows. */
static void test_gaps(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < ROUNDS; i++) {
        struct lift_box lengths = random_lengths(b);
        struct shadow s = make(b, scalars[i % 4], &lengths);
        const unsigned char element[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        unsigned char *inside = calloc((size_t)s.count, 1);
        struct lift_ops_difference d;
        int64_t place;

        for (int64_t e = 0; e < elements(&lengths); e++)
            inside[at(&s, e)] = 1;
        for (int64_t k = 0; k < s.count; k++)
            if (!inside[k])
                memcpy(s.bytes + (size_t)k * s.width, element, s.width);
        upload(b, &s);
        good(b, lift_ops_gaps(b->ops, &s.grid, s.count, element, &d, &b->failure));
        assert_int_equal(d.bad, 0);
        assert_int_equal(d.first_bad, -1);
        place = lift_rng_range(&b->rng, 0, s.count - 1);
        s.bytes[(size_t)place * s.width] = 0x55;
        upload(b, &s);
        good(b, lift_ops_gaps(b->ops, &s.grid, s.count, element, &d, &b->failure));
        assert_int_equal(d.bad, !inside[place]);
        assert_int_equal(d.first_bad, inside[place] ? -1 : place);
        free(inside);
        destroy(b, &s);
    }
}

/* Equal to the host's values bit by bit, for both distributions and signs. */
static void check_random(struct bench *b, enum lift_scalar scalar, bool second,
                         bool positive)
{
    enum { COUNT = 70001 };
    struct lift_box flat = lift_box_flat(0, COUNT);
    struct shadow s = make(b, scalar, &flat);
    struct explore_problem p = {.positive = positive};
    struct explore_leaf leaf = {.scalar = scalar, .count = COUNT};
    uint64_t seed = second ? explore_second_seed(41) : 41;
    struct lift_random random = explore_random(&p, seed, 2);

    explore_fill(&p, seed, 2, &leaf, s.bytes + (size_t)s.grid.box.offset * s.width);
    good(b, lift_ops_random(b->ops, &s.grid, &random, &b->failure));
    assert_uploaded(b, &s);
    destroy(b, &s);
}

static void test_random(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        for (int kind = 0; kind < 4; kind++)
            check_random(b, scalars[i], kind & 2, kind & 1);
}

static void test_nothing(void **state)
{
    struct bench *b = *state;
    struct lift_box lengths = lift_box_flat(0, 5);
    struct shadow s = make(b, LIFT_F32, &lengths);
    struct lift_ops_difference d;
    uint64_t digest = 0;

    s.grid.box.length[0] = 0;
    good(b, lift_ops_fill(b->ops, &s.grid, &digest, &b->failure) &&
                lift_ops_copy(b->ops, &s.grid, &s.grid, &b->failure) &&
                lift_ops_digest(b->ops, &s.grid, &digest, &b->failure) &&
                lift_ops_compare(b->ops, &s.grid, &s.grid, 0, &d, &b->failure));
    assert_int_equal(d.bad, 0);
    assert_int_equal(d.first_bad, -1);
    assert_true(digest == 0);
    destroy(b, &s);
}

static int run_device(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill),    cmocka_unit_test(test_copy),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_alike_infinities_are_good),
        cmocka_unit_test(test_digest),  cmocka_unit_test(test_others),
        cmocka_unit_test(test_gaps),    cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_random),
    };

    device_name = name;
    return cmocka_run_group_tests_name(name, tests, open_bench, close_bench);
}

int main(void)
{
    return on_every_device(run_device) ? EXIT_FAILURE : EXIT_SUCCESS;
}
