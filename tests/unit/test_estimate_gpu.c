/* Static estimates of kernels of GPUs: several time steps a launch, latencies, and units
 * of double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate_world.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_in_registers_pay),
                                       cmocka_unit_test(few_threads_wait_for_loads),
                                       cmocka_unit_test(units_of_double_precision)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
