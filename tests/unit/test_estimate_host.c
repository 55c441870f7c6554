/* Static estimates of kernels of processors: the term's vectors, and the threads' local
 * memory. */
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
    candidates = space_of(&w, "omp_vector_rows,halo=allocated,pitch=aligned", &processor);
    whole = estimate_at(&w, &candidates, &processor, "{\"compiler\": 1, \"vector\": 8}");
    gcc = estimate_at(&w, &candidates, &processor, "{\"compiler\": 1, \"vector\": 16}");
    clang = estimate_at(&w, &candidates, &processor, "{\"compiler\": 2, \"vector\": 16}");
    assert_true(gcc.compute > 2 * whole.compute);
    assert_true(clang.compute < 1.1 * whole.compute);
    end(&w);
}

/* Without a halo in the buffers, vectors that cross an end of a row are loaded lane by
 * lane. Separate loops for the ends keep all other vectors whole. */
static void lanes_one_by_one(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates[3];
    struct explore_estimate plain, halo, ends;
    const char *vectors = "{\"vector\": 8}";

    (void)state;
    fresh_problem(&w, "jacobi3d27");
    candidates[0] = space_of(&w, "omp_vector_rows", &processor);
    candidates[1] =
        space_of(&w, "omp_vector_rows,halo=allocated,pitch=aligned", &processor);
    candidates[2] = space_of(&w, "omp_vector_rows,row_ends=masked_vectors", &processor);
    plain = estimate_at(&w, &candidates[0], &processor, vectors);
    halo = estimate_at(&w, &candidates[1], &processor, vectors);
    ends = estimate_at(&w, &candidates[2], &processor, vectors);
    assert_true(plain.compute > 2 * halo.compute);
    assert_true(plain.compute > 1.5 * ends.compute);
    end(&w);
}

/* Three planes of each of three intermediates, read cyclically: a working set larger than
 * a cache, within these bounds, comes from the next level. A thread may use more than its
 * L2. */
static void rings_and_caches(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    struct explore_estimate narrow, wide;
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);

    (void)state;
    fresh_steps(&w, "jacobi3d7", 4);
    candidates = space_of(&w, "omp_streamed_pencils", &processor);
    wide = estimate_at(&w, &candidates, &processor, "{\"slab_z\": 64, \"tile_y\": 32}");
    assert_int_equal(wide.local_bytes, 3 * (38 + 36 + 34) * 256 * 4);
    if (cache < 128 << 10 || cache > 1 << 20)
        cache = 0;
    narrow = estimate_at(&w, &candidates, &processor, "{\"slab_z\": 64, \"tile_y\": 2}");
    wide = estimate_at(&w, &candidates, &processor, "{\"slab_z\": 64, \"tile_y\": 192}");
    assert_true(!cache || wide.local_bytes > (double)cache);
    assert_true(!cache || narrow.bytes[1] < wide.bytes[1]);
    end(&w);
}

/* Strips of a row count as one row: predicates at its ends prevent no vectors. With many
 * loads, straight-line code of a strip needs no pointer loads; with few loads, a strip
 * costs no more than its part of the row. */
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
        candidates[0] = space_of(&w, "omp_rows,unrolling=full", &processor);
        candidates[1] = space_of(&w, "omp_strips,boundary=copied", &processor);
        rows = estimate_at(&w, &candidates[0], &processor, "{}");
        strips = estimate_at(&w, &candidates[1], &processor, "{\"strip\": 8}");
        assert_true(strips.contiguous > 0.95);
        assert_true(strips.compute < (i ? 1.2 : 0.95) * rows.compute);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_vectors), cmocka_unit_test(lanes_one_by_one),
        cmocka_unit_test(rings_and_caches), cmocka_unit_test(strips_of_lanes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
