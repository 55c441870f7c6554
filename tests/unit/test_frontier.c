/* The order in which candidates of several sources are tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/session/frontier.h"
#include <stdlib.h>

enum { POINTS = 64 };

struct world {
    struct lift_arena *arena;
    struct frontier *frontier;
};

static bool propose(void *state, struct lift_choice *choice)
{
    int *next = state;

    *choice = (struct lift_choice){.values = {POINTS - 1 - (*next)++}};
    return *next <= POINTS;
}

static void init(void *state, const struct search_seen *seen, struct lift_rng *rng)
{
    (void)state, (void)seen, (void)rng;
}

static void observe(void *state, const struct lift_choice *choice,
                    struct lift_outcome outcome)
{
    (void)state, (void)choice, (void)outcome;
}

static const struct lift_technique downwards = {.name = "downwards",
                                                .state_size = sizeof(int),
                                                .init = init,
                                                .propose = propose,
                                                .observe = observe};

enum { OPENED = 20, EARLY = 16 };

/* Promising candidates have the values 0 to OPENED - 1; temporal ones have the next, and
 * better estimates the later they are added. */
static int make_world(void **state)
{
    static int64_t values[POINTS];
    struct world *w = calloc(1, sizeof *w);
    struct lift_param param = {.name = "n", .values = values, .count = POINTS};
    struct lift_joint_expr expr = {0};

    w->arena = lift_arena_create();
    for (int i = 0; i < POINTS; i++)
        values[i] = i + 1;
    expr.space = lift_space_create(w->arena, &param, 1, NULL, 0);
    w->frontier = frontier_create(
        lift_joint_create(w->arena, &(struct lift_joint_parts){&expr, 1}), &downwards, 1);
    for (int i = 0; i < 2 * OPENED; i++) {
        const struct frontier_item item = {.choice = {.values = {i}},
                                           .source = i < OPENED ? FRONTIER_PROMISING
                                                                : FRONTIER_TEMPORAL,
                                           .guessed = POINTS - i};

        assert_true(frontier_add(w->frontier, &item));
    }
    *state = w;
    return 0;
}

static int drop_world(void **state)
{
    struct world *w = *state;

    frontier_destroy(w->frontier);
    lift_arena_destroy(w->arena);
    free(w);
    return 0;
}

/* Counts the sources of the next candidates. */
static void draw(struct world *w, int count, int of[FRONTIER_SOURCES])
{
    struct frontier_item item;

    for (int i = 0; i < FRONTIER_SOURCES; i++)
        of[i] = 0;
    for (int i = 0; i < count; i++) {
        assert_true(frontier_next(w->frontier, NULL, &item));
        of[item.source]++;
    }
}

/* Without results, single sweeps and temporal blocking alternate. */
static void test_alternate(void **state)
{
    struct world *w = *state;
    struct frontier_item item;

    for (int i = 0; i < EARLY; i++) {
        assert_true(frontier_next(w->frontier, NULL, &item));
        assert_int_equal(item.source, i % 2 ? FRONTIER_TEMPORAL : FRONTIER_PROMISING);
        assert_int_equal(item.choice.values[0], i % 2 ? 2 * OPENED - 1 - i / 2 : i / 2);
    }
}

static void test_faster_kind(void **state)
{
    struct world *w = *state;
    int of[FRONTIER_SOURCES];

    frontier_note(w->frontier, FRONTIER_PROMISING, 2);
    frontier_note(w->frontier, FRONTIER_TEMPORAL, 1);
    draw(w, EARLY, of);
    assert_int_equal(of[FRONTIER_TEMPORAL], 12);
    assert_int_equal(of[FRONTIER_PROMISING], 4);
}

/* A difference of 5 % is none. */
static void test_as_fast(void **state)
{
    struct world *w = *state;
    int of[FRONTIER_SOURCES];

    frontier_note(w->frontier, FRONTIER_PROMISING, 1.05);
    frontier_note(w->frontier, FRONTIER_TEMPORAL, 1);
    draw(w, EARLY, of);
    assert_int_equal(of[FRONTIER_TEMPORAL], EARLY / 2);
}

/* The technique takes turns after some results, and no candidate waits for ever. */
static void test_technique(void **state)
{
    struct world *w = *state;
    int of[FRONTIER_SOURCES];
    struct frontier_item item;

    draw(w, EARLY, of);
    assert_int_equal(of[FRONTIER_PROPOSED], 0);
    draw(w, POINTS - EARLY, of);
    assert_true(of[FRONTIER_PROPOSED] > 0);
    assert_int_equal(of[FRONTIER_PROMISING], OPENED - EARLY / 2);
    assert_int_equal(of[FRONTIER_TEMPORAL], OPENED - EARLY / 2);
    assert_false(frontier_next(w->frontier, NULL, &item));
}

/* The technique's first turn is level with the other sources' turns: two proposals for
 * each opened candidate of a kind, not as many as were opened before. */
static void test_technique_starts_level(void **state)
{
    struct world *w = *state;
    int of[FRONTIER_SOURCES];

    draw(w, EARLY, of);
    draw(w, 8, of);
    assert_int_equal(of[FRONTIER_PROPOSED], 4);
    assert_int_equal(of[FRONTIER_PROMISING], 2);
    assert_int_equal(of[FRONTIER_TEMPORAL], 2);
}

/* A kind that turns out faster gets more of the next turns; earlier turns remain. */
static void test_faster_later(void **state)
{
    struct world *w = *state;
    int of[FRONTIER_SOURCES];

    draw(w, EARLY / 2, of);
    frontier_note(w->frontier, FRONTIER_PROMISING, 2);
    frontier_note(w->frontier, FRONTIER_TEMPORAL, 1);
    draw(w, EARLY / 2, of);
    assert_int_equal(of[FRONTIER_TEMPORAL], 6);
    assert_int_equal(of[FRONTIER_PROMISING], 2);
}

/* A kind that is three times as fast gets nine times as many turns. */
static void test_much_faster(void **state)
{
    struct world *w = *state;
    int of[FRONTIER_SOURCES];

    frontier_note(w->frontier, FRONTIER_PROMISING, 3);
    frontier_note(w->frontier, FRONTIER_TEMPORAL, 1);
    draw(w, 10, of);
    assert_int_equal(of[FRONTIER_TEMPORAL], 9);
    assert_int_equal(of[FRONTIER_PROMISING], 1);
}

/* Of two numbers of time steps with estimates 1 and 1.07, the second one is not last. */
static void test_ranks(void **state)
{
    struct world *w = *state;
    struct frontier_item item;
    int expected[] = {0, 0, 1, 0, 1};

    draw(w, 2 * OPENED, (int[FRONTIER_SOURCES]){0});
    for (int i = 0; i < 6; i++)
        assert_true(frontier_add(
            w->frontier, &(struct frontier_item){.choice = {.values = {2 * OPENED + i}},
                                                 .source = FRONTIER_TEMPORAL,
                                                 .guessed = i < 3 ? 1 : 1.07,
                                                 .rank = i % 3}));
    for (int i = 0; i < 5;) {
        assert_true(frontier_next(w->frontier, NULL, &item));
        if (item.source == FRONTIER_TEMPORAL && item.choice.values[0] >= 2 * OPENED)
            assert_int_equal((item.choice.values[0] - 2 * OPENED) / 3, expected[i++]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_alternate, make_world, drop_world),
        cmocka_unit_test_setup_teardown(test_faster_kind, make_world, drop_world),
        cmocka_unit_test_setup_teardown(test_as_fast, make_world, drop_world),
        cmocka_unit_test_setup_teardown(test_technique, make_world, drop_world),
        cmocka_unit_test_setup_teardown(test_technique_starts_level, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(test_ranks, make_world, drop_world),
        cmocka_unit_test_setup_teardown(test_faster_later, make_world, drop_world),
        cmocka_unit_test_setup_teardown(test_much_faster, make_world, drop_world),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
