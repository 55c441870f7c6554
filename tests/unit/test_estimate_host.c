/* Static estimates of kernels of processors: vectors of the term, and what threads have
 * in local memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate_world.h"
#include <unistd.h>

/* gcc has vectors that are wider than registers in memory, clang in several of these. */
static void wide_vectors(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate whole, gcc, clang;

    (void)state;
    fresh_problem(&w, "jacobi3d7");
    candidates = space_of(&w, "hostVectorRows,layout=aligned", &processor);
    whole = estimate_at(&w, &candidates, &processor, "{\"compiler\": 1, \"w0_4_16\": 8}");
    gcc = estimate_at(&w, &candidates, &processor, "{\"compiler\": 1, \"w0_4_16\": 16}");
    clang =
        estimate_at(&w, &candidates, &processor, "{\"compiler\": 2, \"w0_4_16\": 16}");
    assert_true(gcc.compute > 2 * whole.compute);
    assert_true(clang.compute < 1.1 * whole.compute);
    end(&w);
}

/* Where rows have no halo in their buffers, vectors that reach beyond an end are loaded
 * lane by lane; ends that are loops of their own leave all others whole. */
static void lanes_one_by_one(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates[3];
    struct explore_estimate plain, halo, ends;
    const char *vectors = "{\"w0_4_16\": 8}";

    (void)state;
    fresh_problem(&w, "jacobi3d27");
    candidates[0] = space_of(&w, "hostVectorRows", &processor);
    candidates[1] = space_of(&w, "hostVectorRows,layout=aligned", &processor);
    candidates[2] = space_of(&w, "hostVectorRows,ends=vectors", &processor);
    plain = estimate_at(&w, &candidates[0], &processor, vectors);
    halo = estimate_at(&w, &candidates[1], &processor, vectors);
    ends = estimate_at(&w, &candidates[2], &processor, vectors);
    assert_true(plain.compute > 2 * halo.compute);
    assert_true(plain.compute > 1.5 * ends.compute);
    end(&w);
}

/* Three planes of each of three stages, used in turn: what is larger than a cache, within
 * these bounds, comes from the next. A thread may have more than its second one holds. */
static void rings_and_caches(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate narrow, wide;
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);

    (void)state;
    fresh_steps(&w, "jacobi3d7", 4);
    candidates = space_of(&w, "hostStageBars", &processor);
    wide = estimate_at(&w, &candidates, &processor, "{\"k0\": 64, \"k1\": 32}");
    assert_int_equal(wide.local_bytes, 3 * (38 + 36 + 34) * 256 * 4);
    if (cache < 128 << 10 || cache > 1 << 20)
        cache = 0;
    narrow = estimate_at(&w, &candidates, &processor, "{\"k0\": 64, \"k1\": 2}");
    wide = estimate_at(&w, &candidates, &processor, "{\"k0\": 64, \"k1\": 192}");
    assert_true(!cache || wide.local_bytes > (double)cache);
    assert_true(!cache || narrow.bytes[1] < wide.bytes[1]);
    end(&w);
}

/* Stages that lag have a slot more in each ring, and one barrier a step in place of one
 * for each loop of stages. */
static void barriers_of_stages(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates[4];
    struct explore_estimate each, once;
    const char *tiles = "{\"k0\": 128, \"k1\": 32, \"k2\": 32}";

    (void)state;
    fresh_steps(&w, "jacobi3d7", 4);
    candidates[0] = space_of(&w, "hostWaves", &processor);
    candidates[1] = space_of(&w, "hostWaves,tile=wavesLag", &processor);
    candidates[2] = space_of(&w, "stageStreams", &gpu);
    candidates[3] = space_of(&w, "stageStreamsLag", &gpu);
    each = estimate_at(&w, &candidates[0], &processor, "{}");
    once = estimate_at(&w, &candidates[1], &processor, "{}");
    assert_true(3 * once.local_bytes == 4 * each.local_bytes);
    assert_true(once.overhead < 0.6 * each.overhead);
    each = estimate_at(&w, &candidates[2], &gpu, tiles);
    once = estimate_at(&w, &candidates[3], &gpu, tiles);
    assert_true(3 * once.local_bytes == 4 * each.local_bytes);
    assert_true(once.overhead < 0.4 * each.overhead);
    end(&w);
}

/* A row in strips is one row: a test of its ends stands in the way of no vectors. Where
 * there are many loads, straight-line code of a strip has no pointers to load, and where
 * there are few, a strip costs no more than its part of the row. */
static void strips_of_lanes(void **state)
{
    struct world w;
    struct candidate_space candidates[2];
    struct explore_estimate rows, strips;
    const char *programs[] = {"box3d2r", "heat"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        w = (struct world){.rules = lift_rules_shipped()};
        fresh_problem(&w, programs[i]);
        candidates[0] = space_of(&w, "hostRows,sums=straight", &processor);
        candidates[1] = space_of(&w, "hostStrips,border=parts", &processor);
        rows = estimate_at(&w, &candidates[0], &processor, "{}");
        strips = estimate_at(&w, &candidates[1], &processor, "{\"w0_4_32\": 8}");
        assert_true(strips.contiguous > 0.95);
        assert_true(strips.compute < (i ? 1.2 : 0.95) * rows.compute);
        end(&w);
    }
}

/* What groups share is in no local memory, and comes from the second cache: each input is
 * read once, each output written once. They wait for each other once a step, and less
 * long where they may be a step apart. */
static void planes_that_groups_share(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates[2];
    struct explore_estimate all, late;
    const char *shares = "{\"k0\": 32, \"k1\": 32, \"local0\": 32, \"local1\": 16}";
    double grid = 256.0 * 256 * 256 * 4;

    (void)state;
    fresh_steps(&w, "jacobi3d7", 4);
    candidates[0] = space_of(&w, "shares", &gpu);
    candidates[1] = space_of(&w, "sharesLate", &gpu);
    all = estimate_at(&w, &candidates[0], &gpu, shares);
    late = estimate_at(&w, &candidates[1], &gpu, shares);
    assert_true(all.local_bytes == 0 && late.local_bytes == 0);
    assert_true(all.bytes[2] >= 2 * grid && all.bytes[2] < 2.5 * grid);
    assert_true(all.bytes[1] > 8 * grid);
    assert_true(all.overhead > 256 * 5e-7 && all.overhead < 280 * 9e-7);
    assert_true(late.overhead < 0.8 * all.overhead);
    end(&w);
}

static int64_t named(const struct lift_space *space, const int *point, const char *name)
{
    bool found;
    int64_t value = lift_space_value(space, point, name, &found);

    assert_true(found);
    return value;
}

/* All of them have room at once: 100 units of 2048 work-items. */
static void shares_that_have_room(void **state)
{
    struct lift_device_info device = gpu;
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct lift_rng rng;
    int point[LIFT_SPACE_PARAMS];

    (void)state;
    device.unit_items = 2048;
    fresh_steps(&w, "jacobi3d7", 2);
    candidates = space_of(&w, "shares", &device);
    lift_rng_seed(&rng, 1);
    for (int i = 0; i < 50; i++) {
        const struct lift_space *s = candidates.space;

        assert_true(lift_space_sample(s, &rng, point));
        assert_true((255 / named(s, point, "k0") + 1) *
                        (255 / named(s, point, "k1") + 1) * named(s, point, "local0") *
                        named(s, point, "local1") <=
                    100 * 2048);
    }
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wide_vectors),
                                       cmocka_unit_test(lanes_one_by_one),
                                       cmocka_unit_test(rings_and_caches),
                                       cmocka_unit_test(barriers_of_stages),
                                       cmocka_unit_test(planes_that_groups_share),
                                       cmocka_unit_test(shares_that_have_room),
                                       cmocka_unit_test(strips_of_lanes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
