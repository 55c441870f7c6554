/* Tunables at sizes where they were not timed. */
#include "chosen_world.h"
#include "lift/chosen.h"

static const char sweep[] =
    "size nx = 1000, ny = 1000, nz = 1000\n"
    "stencil sweep(g: [[[f32]nx]ny]nz) -> out =\n"
    "    map3(w -> w[0][1][1] + w[1][0][1] + w[1][1][0] - 6.0f * w[1][1][1]\n"
    "        + w[1][1][2] + w[1][2][1] + w[2][1][1],\n"
    "        slide3(3, 1, pad3(1, 1, clamp, g)))\n";

static const char there[] = "{\"nx\":1000,\"ny\":1000,\"nz\":1000}";
/* By the former names, as older databases have them. */
static const char timed[] = "{\"flags\":0,\"index\":32,\"k0\":1000,\"k1\":16,\"k2\":64,"
                            "\"local0\":64,\"local1\":4,\"resident\":2}";

/* Checks the tunables of a stream along z, in tiles, after a resize. */
static void expect(const char *sizes, const char *changes)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct explore_problem *p = problem_of(sweep, sizes);
    struct derivation *d = derive_create(p, rules, board.dialect);
    struct lift_arena *arena = lift_arena_create();
    const struct chooser c = {
        .problem = p, .device = &board, .rules = rules, .arena = arena};
    struct chosen_candidate candidate = {.how = LIFT_CHOSEN_SIZE, .from_sizes = there};
    struct candidate_space_request request = {.problem = p, .device = &board};
    struct lift_configuration point = {{0}};
    struct derived made;
    struct lift_str said = {0};

    d->device = explore_option_device(&board);
    assert_true(lift_configuration_read(
                    rules,
                    "tiling=guarded,streaming=planes,window=circular,parallel=blocks",
                    &point, &said) &&
                configurations_make(d, &point, &made, &said));
    request.term = d->nodes[made.node].term;
    request.conditions = made.conditions;
    assert_true(candidate_space_make(&request, &candidate.candidates, &said));
    assert_true(candidate_space_nearest(&candidate.candidates, timed, candidate.point));
    resize_point(&c, &candidate);
    chosen_changes(&candidate.candidates, candidate.point, timed, &said);
    assert_string_equal(lift_str_get(&said), changes);
    lift_str_fini(&said);
    derive_destroy(d);
    explore_problem_destroy(p);
    lift_rules_destroy(rules);
    lift_arena_destroy(arena);
}

/* A second tile for the last planes alone would take as long as the first. */
static void test_tiles_that_fit(void **state)
{
    (void)state;
    expect("nz=1004", "; changed to fit: tile_z 1000 to 1004");
    expect("nz=500", "; changed to fit: tile_z 1000 to 500");
    expect("nz=4", "; changed to fit: tile_z 1000 to 4");
}

static void test_others_stay(void **state)
{
    (void)state;
    expect("nz=1000", "");
    expect("nx=2000", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles_that_fit),
        cmocka_unit_test(test_others_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
