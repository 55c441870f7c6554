/* Static estimates of kernels of GPUs: several time steps a launch, latencies, and units
 * of double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate_world.h"
#include "explore/candidate.h"

static double seconds_a_step(struct world *w, int steps, const char *family,
                             const char *json)
{
    struct candidate_space candidates;

    fresh_steps(w, "star2d1r", steps);
    candidates = space_of(w, family, &gpu);
    return estimate_at(w, &candidates, &gpu, json).seconds / steps;
}

/* Measured on an H200, 8192^2: 512, 1388 and 2841 GPts/s. */
static void steps_in_registers_pay(void **state)
{
    static const char strips[] = "{\"slab_y\":128,\"vectors_x\":1,\"block_x\":32}";
    struct world w = {.rules = lift_rules_shipped()};
    double one, four, eight, sixteen;

    (void)state;
    one = seconds_a_step(&w, 1, "gmem_row_vector", "{\"block_x\":32,\"block_y\":4}");
    four = seconds_a_step(&w, 4, "register_strips", strips);
    eight = seconds_a_step(&w, 8, "register_strips", strips);
    sixteen = seconds_a_step(&w, 16, "register_strips", strips);
    assert_true(four < one / 2 && four > one / 4);
    assert_true(eight < four && eight < one / 3 && eight > one / 8);
    assert_true(sixteen > eight); /* the registers of so many steps are spilled */
    end(&w);
}

/* 24 threads compute one row after another of 4096^2 points: a thread waits for the loads
 * of some 700,000 points one after another. */
static void few_threads_wait_for_loads(void **state)
{
    struct world w = {.rules = lift_rules_shipped()};
    struct candidate_space candidates;
    double few, many;

    (void)state;
    fresh_problem(&w, "jacobi2d5");
    candidates = space_of(&w, "tiling=two_level,parallel=blocks", &gpu);
    many = estimate_at(&w, &candidates, &gpu,
                       "{\"tile_x\":2048,\"tile_y\":512,\"inner_tile_x\":128,"
                       "\"inner_tile_y\":64,\"block_x\":64,\"block_y\":4}")
               .seconds;
    few = estimate_at(&w, &candidates, &gpu,
                      "{\"tile_x\":4096,\"tile_y\":24,\"inner_tile_x\":4096,"
                      "\"inner_tile_y\":1,\"block_x\":1,\"block_y\":2}")
              .seconds;
    assert_true(many < 1e-3);
    assert_true(few > 0.02);
    end(&w);
}

/* An "sm_89" has two units for double precision where an "sm_90" has 64. */
static void units_of_double_precision(void **state)
{
    struct world w = {.rules = lift_rules_shipped(), .program = "star2d1r"};
    struct lift_device_info other = gpu;
    struct candidate_space candidates;
    double few, many;

    (void)state;
    other.arch = "sm_89";
    w.problem = load_steps(w.program, LIFT_F64, 1, NULL, 0);
    candidates = space_of(&w, "gmem", &gpu);
    many = estimate_at(&w, &candidates, &gpu, "{\"block_x\":32,\"block_y\":4}").compute;
    few = estimate_at(&w, &candidates, &other, "{\"block_x\":32,\"block_y\":4}").compute;
    assert_true(few > 5 * many);
    end(&w);
}

/* The shared memory of the code of a point. */
static int64_t shared_bytes(struct world *w, const struct candidate_space *candidates,
                            const char *json)
{
    struct lift_arena *arena = lift_arena_create();
    const struct lift_joint_expr expr = {.space = candidates->space};
    const struct lift_joint *joint =
        lift_joint_create(arena, &(struct lift_joint_parts){&expr, 1});
    struct candidate_request request = {
        .problem = w->problem, .device = &gpu, .candidates = candidates};
    struct runner_module module = {0};
    struct explore_numbers numbers;
    struct lift_choice choice;
    struct lift_str why = {0};
    int64_t bytes;

    assert_true(lift_joint_carry_json(joint, json, 0, &choice));
    request.point = choice.values;
    explore_numbers_of(w->problem, candidates, choice.values, &numbers);
    assert_true(candidate_generate(&request, &numbers, &module, &why));
    bytes = module.module->kernels[0].local_bytes;
    runner_unload(NULL, &module);
    lift_str_fini(&why);
    lift_arena_destroy(arena);
    return bytes;
}

/* Rows of threads exchange the points next to other rows of all streams but the last. */
static void estimates_have_the_shared_memory_of_code(void **state)
{
    static const char *const points[] = {
        "{\"threads_y\":8,\"points_y\":1,\"slab_z\":128,\"vectors_x\":1,"
        "\"block_x\":32,\"block_y\":8}",
        "{\"threads_y\":4,\"points_y\":6,\"slab_z\":128,\"vectors_x\":1,"
        "\"block_x\":32,\"block_y\":4}"};
    struct world w = {.rules = lift_rules_shipped()};

    (void)state;
    for (int steps = 2; steps <= 3; steps++)
        for (int i = 0; i < 2; i++) {
            struct candidate_space candidates;

            fresh_steps(&w, "star3d1r", steps);
            candidates = space_of(&w, "register_strips", &gpu);
            assert_int_equal(estimate_at(&w, &candidates, &gpu, points[i]).local_bytes,
                             shared_bytes(&w, &candidates, points[i]));
        }
    end(&w);
}

/* Five planes of 32 times 32 points with vectors of eight: 320 KiB. */
static void too_much_shared_memory(void **state)
{
    struct world w = {.rules = lift_rules_shipped(), .program = "star3d1r", .steps = 2};
    struct candidate_space candidates;
    struct explore_estimate e;

    (void)state;
    w.problem = load_steps(w.program, LIFT_F64, w.steps, NULL, 0);
    candidates = space_of(&w, "register_strips", &gpu);
    assert_false(estimated(&w, &candidates, &gpu,
                           "{\"threads_y\":32,\"points_y\":1,\"slab_z\":16,"
                           "\"vectors_x\":2,\"block_x\":32,\"block_y\":32}",
                           &e));
    assert_true(e.exceeds);
    assert_true(e.local_bytes == 5 * 32 * 32 * 8 * 8);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_in_registers_pay),
        cmocka_unit_test(few_threads_wait_for_loads),
        cmocka_unit_test(units_of_double_precision),
        cmocka_unit_test(estimates_have_the_shared_memory_of_code),
        cmocka_unit_test(too_much_shared_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
