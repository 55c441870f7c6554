/* Layer conditions: the footprint of loops, and its part that stays in a cache, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/cost/traffic.h"

/* ---- footprints */

static void footprints_of_loops(void **state)
{
    static struct traffic_group g = {.weight = 1, .cached = true};
    struct traffic_nest nest = {&g, 1, 3};

    (void)state;
    /* a[z][y][x +- 1] and a[z +- 1][y][x] of rows of 256 floats, 64 rows, 32 planes */
    g.width = 4;
    g.count = 5;
    g.at[0] = -65536;
    g.at[1] = -4;
    g.at[2] = 0;
    g.at[3] = 4;
    g.at[4] = 65536;
    g.spans[0] = (struct traffic_span){4, 256};
    g.spans[1] = (struct traffic_span){1024, 64};
    g.spans[2] = (struct traffic_span){65536, 32};
    assert_float_equal(traffic_footprint(&g, 0, 4), 5 * 4, 0);
    assert_float_equal(traffic_footprint(&g, 1, 4), 1024 + 1032 + 1024, 1);
    assert_float_equal(traffic_footprint(&g, 2, 4), 3 * 65536, 1e3);
    assert_float_equal(traffic_footprint(&g, 3, 4), 34 * 65536, 5e4);
    /* if three planes fit, each is fetched once, otherwise three times */
    assert_float_equal(traffic_behind(&nest, &(struct traffic_cache){4e5, 64}),
                       34 * 65536, 1e5);
    assert_float_equal(traffic_behind(&nest, &(struct traffic_cache){1e5, 64}),
                       32 * 3 * 65536, 1e5);
    /* a column touches a line for each float */
    g.count = 1;
    g.at[0] = 0;
    g.spans[0] = (struct traffic_span){1024, 64};
    assert_float_equal(traffic_footprint(&g, 1, 64), 64 * 64, 0);
}

/* Halves of four rows, of tiles of 64: each lies in the gaps of another. */
static void footprints_with_gaps(void **state)
{
    static struct traffic_group g = {.width = 4, .count = 4, .at = {0, 2048, 4096, 6144}};

    (void)state;
    g.spans[0] = (struct traffic_span){4, 256};
    g.spans[1] = (struct traffic_span){4 * 2048, 16};
    g.spans[2] = (struct traffic_span){64 * 2048, 4};
    assert_float_equal(traffic_footprint(&g, 1, 4), 4 * 1024, 1);
    assert_float_equal(traffic_footprint(&g, 2, 4), 64 * 1024, 1);
    assert_float_equal(traffic_footprint(&g, 3, 4), 256 * 1024, 1);
    /* the row behind the last of an iteration is the next one's first */
    g.count = 5;
    g.at[4] = 8192;
    assert_float_equal(traffic_footprint(&g, 2, 4), 65 * 1024, 1);
    assert_float_equal(traffic_footprint(&g, 3, 4), 257 * 1024, 12 * 1024);
}

/* ---- layer conditions, by hand */

enum { STAR_SIDE = 256, STAR_RADIUS = 4, STAR_POINTS = 25 };

/* A star of radius 4 in a grid of 256^3 floats: rows of 1 KiB, planes of 256 KiB. */
static void make_star(struct traffic_group *g)
{
    static const double steps[] = {4, 4 * STAR_SIDE, 4 * STAR_SIDE * STAR_SIDE};
    int count = 0;

    *g = (struct traffic_group){.weight = 1, .cached = true, .width = 4};
    for (int d = 2; d >= 0; d--)
        for (int k = -STAR_RADIUS; k < 0; k++)
            g->at[count++] = k * steps[d];
    g->at[count++] = 0;
    for (int d = 0; d < 3; d++)
        for (int k = 1; k <= STAR_RADIUS; k++)
            g->at[count++] = k * steps[d];
    g->count = count;
    assert_int_equal(count, STAR_POINTS);
}

/* Bytes a point into a cache of which all is sure. */
static double star_bytes(struct traffic_group *g, int spans, double capacity)
{
    struct traffic_nest nest = {g, 1, spans};
    struct traffic_cache cache = {.capacity = capacity, .granule = 4};
    double points = (double)STAR_SIDE * STAR_SIDE * STAR_SIDE;

    return traffic_behind(&nest, &cache) / points;
}

/* If nine planes fit, each float is loaded once, otherwise nine times, or seventeen
 * times if not even seventeen rows fit. */
static void layers_of_a_star(void **state)
{
    static struct traffic_group g;

    (void)state;
    make_star(&g);
    g.spans[0] = (struct traffic_span){4, STAR_SIDE};
    g.spans[1] = (struct traffic_span){4 * STAR_SIDE, STAR_SIDE};
    g.spans[2] = (struct traffic_span){4 * STAR_SIDE * STAR_SIDE, STAR_SIDE};
    assert_float_equal(star_bytes(&g, 3, 9.2 * 262144), 4, 0.2);
    assert_float_equal(star_bytes(&g, 3, 8.9 * 262144), 9 * 4, 0.5);
    assert_float_equal(star_bytes(&g, 3, 18 * 1024), 9 * 4, 0.5);
    assert_float_equal(star_bytes(&g, 3, 16 * 1024), 17 * 4, 0.5);
}

/* Tiles of 64 x 16, of which planes follow each other: nine of them stay in 40 KiB. A
 * plane of the tile and its halo of 8 rows and 8 columns comes for each. */
static void layers_of_tiles(void **state)
{
    static struct traffic_group g;

    (void)state;
    make_star(&g);
    g.spans[0] = (struct traffic_span){4, 64};
    g.spans[1] = (struct traffic_span){4 * STAR_SIDE, 16};
    g.spans[2] = (struct traffic_span){4 * STAR_SIDE * STAR_SIDE, STAR_SIDE};
    g.spans[3] = (struct traffic_span){4 * 64, STAR_SIDE / 64.0};
    g.spans[4] = (struct traffic_span){4 * STAR_SIDE * 16, STAR_SIDE / 16.0};
    assert_float_equal(star_bytes(&g, 5, 48e3), 4 * 24.0 * 72 / (16 * 64), 0.3);
    assert_true(star_bytes(&g, 5, 20e3) > 4 * 9);
}

/* A working set slightly larger than the cache stays in part. */
static void some_of_it_stays(void **state)
{
    static struct traffic_group g;
    struct traffic_nest nest = {&g, 1, 3};
    struct traffic_cache cache = {.granule = 4};
    double kept, lost, taken;

    (void)state;
    make_star(&g);
    g.spans[0] = (struct traffic_span){4, STAR_SIDE};
    g.spans[1] = (struct traffic_span){4 * STAR_SIDE, STAR_SIDE};
    g.spans[2] = (struct traffic_span){4 * STAR_SIDE * STAR_SIDE, STAR_SIDE};
    taken = traffic_footprint(&g, 2, 4);
    cache.capacity = 1.01 * taken;
    kept = traffic_behind(&nest, &cache);
    cache.capacity = 0.99 * taken;
    lost = traffic_behind(&nest, &cache);
    cache.capacity = 1.5 * taken;
    cache.sure = 0.5 * taken;
    assert_float_equal(traffic_behind(&nest, &cache), (kept + lost) / 2, lost / 1e3);
}

/* Lines 16 KiB apart share one set of a way of 4 KiB; rows of 512 bytes that are 2 KiB
 * apart use a fourth of the sets. */
static void powers_of_two_share_places(void **state)
{
    static struct traffic_group g = {.weight = 1, .cached = true, .count = 1, .width = 4};
    struct traffic_cache cache = {.capacity = 32768, .granule = 64, .period = 4096};

    (void)state;
    g.spans[0] = (struct traffic_span){16384, 384};
    assert_float_equal(traffic_footprint(&g, 1, 64), 384 * 64, 0);
    assert_float_equal(traffic_occupied(&g, 1, &cache), 384 * 64 * 64, 0);
    g.spans[0].by += 64;
    assert_float_equal(traffic_occupied(&g, 1, &cache), 384 * 64, 384);
    g.spans[0] = (struct traffic_span){4, 128};
    g.spans[1] = (struct traffic_span){2048, 16};
    assert_float_equal(traffic_occupied(&g, 2, &cache), 4 * traffic_footprint(&g, 2, 64),
                       16 * 512);
    cache.period = 0;
    assert_float_equal(traffic_occupied(&g, 2, &cache), traffic_footprint(&g, 2, 64), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(footprints_of_loops),
        cmocka_unit_test(footprints_with_gaps),
        cmocka_unit_test(layers_of_a_star),
        cmocka_unit_test(layers_of_tiles),
        cmocka_unit_test(some_of_it_stays),
        cmocka_unit_test(powers_of_two_share_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
