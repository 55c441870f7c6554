/* Slabs: how many planes of a problem are tried first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/configurations.h"
#include "explore/trial/slab.h"
#include "problem_world.h"
#include "rules/strategy.h"

static const int64_t mib = 1 << 20;

static int64_t size_of(const struct explore_problem *p, const char *name)
{
    int64_t value;

    assert_true(lift_nat_env_value((void *)&p->sizes, name, &value));
    return value;
}

/* The planes are a multiple of 64 fewer, no others are missing, and it is large enough.
 */
static void assert_slab(const char *program, const char *planes, int64_t bytes)
{
    struct explore_problem *p = load_program(program, NULL, 0);
    const struct explore_problem *slab = explore_slab_of(p, bytes);
    int64_t left_out;

    assert_non_null(slab);
    for (int i = 0; i < p->sizes.count; i++)
        if (strcmp(p->sizes.names[i], planes) != 0)
            assert_int_equal(slab->sizes.values[i], p->sizes.values[i]);
    left_out = size_of(p, planes) - size_of(slab, planes);
    assert_true(left_out > 0 && left_out % 64 == 0 && size_of(slab, planes) >= 64);
    assert_true(slab->bytes >= bytes && slab->bytes * 2 <= p->bytes + bytes);
    assert_true(slab->points < p->points);
    assert_true(slab->points * size_of(p, planes) == p->points * size_of(slab, planes));
    explore_problem_destroy(p);
}

static void test_planes(void **state)
{
    (void)state;
    assert_slab("acoustic", "nz", 256 * mib);
    assert_slab("acoustic_iso", "nz", 256 * mib);
    assert_slab("jacobi2d5", "ny", 64 * mib);
}

static void assert_none(const char *program, const struct lift_size_setting *sizes,
                        int count, int64_t bytes)
{
    struct explore_problem *p = load_program(program, sizes, count);

    assert_null(explore_slab_of(p, bytes));
    explore_problem_destroy(p);
}

/* Nothing is gained, or there is no size of the planes alone. */
static void test_none(void **state)
{
    static const struct lift_size_setting flat[] = {
        {"nx", 8192}, {"ny", 8192}, {"nz", 100}};

    (void)state;
    assert_none("acoustic", NULL, 0, 1024 * mib);
    assert_none("acoustic", flat, 3, mib);
    assert_none("tests/unit/cube", NULL, 0, mib);
}

/* Of tiles of so many planes, of a grid of 512, those on a slab of 64; 0: it is not tried
 * there. */
static int64_t on_slab(int64_t planes)
{
    static const struct lift_device_info device = {.name = "gpu",
                                                   .arch = "sm_90",
                                                   .dialect = LIFT_DIALECT_CUDA,
                                                   .compute_units = 100,
                                                   .max_group_size = 1024,
                                                   .max_group_dims = {1024, 1024, 64}};
    static const struct lift_size_setting cube[] = {
        {"nx", 512}, {"ny", 512}, {"nz", 512}};
    const struct lift_size_setting set[] = {
        {"tile_z", planes}, {"tile_y", 16}, {"tile_x", 64}};
    struct explore_problem *p = load_program("jacobi3d7", cube, 3);
    const struct explore_problem *slab = explore_slab_of(p, 100 * mib);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_steps steps = {0};
    struct lift_str why = {0};
    struct candidate_space candidates;
    const int point[LIFT_SPACE_PARAMS] = {0};
    struct explore_numbers n;
    int64_t answer = 0;

    assert_non_null(slab);
    assert_non_null(lift_rules_find(rules, "tiling(3)"));
    assert_int_equal(size_of(slab, "nz"), 64);
    assert_true(candidate_space_make(
        &(struct candidate_space_request){
            .problem = p,
            .device = &device,
            .term = lift_strategy_run(
                p->ir,
                lift_strategy_topdown(
                    lift_ir_arena(p->ir),
                    lift_strategy_rule(lift_ir_arena(p->ir),
                                       lift_rules_find(rules, "tiling(3)"))),
                p->root, &steps),
            .conditions = {steps.conditions, steps.condition_count},
            .set = set,
            .set_count = 3},
        &candidates, &why));
    if (explore_slab_numbers(slab, &candidates, point, &n))
        assert_true(lift_nat_env_value(&n.env, "tile_z", &answer));
    lift_steps_fini(&steps);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
    return answer;
}

static void test_tiles(void **state)
{
    (void)state;
    assert_int_equal(on_slab(8), 8);
    assert_int_equal(on_slab(32), 32);
    assert_int_equal(on_slab(64), 64);
    assert_int_equal(on_slab(48), 0); /* 96 of 64 planes; 528 of 512 */
    assert_int_equal(on_slab(128), 64);
    assert_int_equal(on_slab(512), 64);
}

/* Whether two threads share out tiles of so many planes of the slab as they do of the
 * grid, of 512 planes. */
static bool is_shared(int64_t planes)
{
    static const struct lift_device_info device = {.name = "processor",
                                                   .arch = "x86_64 avx2",
                                                   .dialect = LIFT_DIALECT_OPENMP,
                                                   .compute_units = 2,
                                                   .is_cpu = true};
    static const struct lift_size_setting cube[] = {
        {"nx", 512}, {"ny", 512}, {"nz", 512}};
    const struct lift_size_setting set[] = {
        {"tile_z", planes}, {"tile_y", 16}, {"tile_x", 64}};
    struct explore_problem *p = load_program("jacobi3d7", cube, 3);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_str why = {0};
    struct candidate_space candidates;
    const int point[LIFT_SPACE_PARAMS] = {0};
    bool answer;

    assert_true(candidate_space_make(
        &(struct candidate_space_request){
            .problem = p,
            .device = &device,
            .term =
                configurations_term(p, rules, LIFT_DIALECT_OPENMP, "omp_blocked", &why),
            .set = set,
            .set_count = 3},
        &candidates, &why));
    answer = explore_slab_is_shared(explore_slab_of(p, 100 * mib), &candidates, point,
                                    &device);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
    return answer;
}

/* A slab of 64 planes has one tile where the grid has several. */
static void test_shares(void **state)
{
    (void)state;
    assert_true(is_shared(16));
    assert_true(is_shared(32));
    assert_false(is_shared(64));
    assert_false(is_shared(128));
    assert_true(is_shared(512));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes), cmocka_unit_test(test_none),
        cmocka_unit_test(test_tiles), cmocka_unit_test(test_shares)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
