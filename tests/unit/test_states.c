/* Which state a machine was in, from made-up round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/states.h"
#include <cmocka.h>

enum { MOST = 8 };

/* In nanoseconds, before and after, and the states that are expected. */
struct sample {
    double before, after;
    int state;
};

static void expect(const struct sample *samples, int count, int states, int most)
{
    struct lift_trip trips[MOST];
    int found[MOST];

    for (int i = 0; i < count; i++)
        trips[i] = (struct lift_trip){1e-9 * samples[i].before, 1e-9 * samples[i].after};
    assert_int_equal(lift_states_find(trips, count, found), states);
    for (int i = 0; i < count; i++)
        if (found[i] != samples[i].state)
            fail_msg("sample %d is in state %d instead of %d", i, found[i],
                     samples[i].state);
    assert_int_equal(lift_states_most(found, count), most);
}

static void test_one(void **state)
{
    static const struct sample samples[] = {{80, 95, 0}, {102, 84, 0}, {88, 88, 0}};

    (void)state;
    expect(samples, 3, 1, 0);
    expect(samples, 1, 1, 0);
    expect(samples, 0, 0, -1);
}

/* Devices without cores, or with one, stay in one state. */
static void test_unknown(void **state)
{
    static const struct sample samples[] = {{0, 0, 0}, {0, 0, 0}};

    (void)state;
    expect(samples, 2, 1, 0);
}

static void test_two(void **state)
{
    static const struct sample samples[] = {{360, 410, 1}, {400, 85, -1}, {80, 90, 0},
                                            {95, 350, -1}, {355, 0, -1},  {0, 0, -1},
                                            {372, 440, 1}, {344, 361, 1}};

    (void)state;
    expect(samples, 8, 2, 1);
}

/* A single reading far from all others is no state. */
static void test_stray(void **state)
{
    static const struct sample samples[] = {{80, 84, 0}, {81, 1500, -1}, {360, 350, 1}};

    (void)state;
    expect(samples, 3, 2, 0);
}

static void test_all_disturbed(void **state)
{
    static const struct sample samples[] = {{80, 360, -1}, {350, 82, -1}};

    (void)state;
    expect(samples, 2, 0, -1);
}

static void test_pairs(void **state)
{
    (void)state;
    assert_true(lift_states_same(80e-9, 100e-9));
    assert_false(lift_states_same(80e-9, 360e-9));
    assert_false(lift_states_same(360e-9, 80e-9));
    assert_true(lift_states_same(0, 360e-9));
    assert_true(lift_trip_steady((struct lift_trip){0, 0}));
    assert_true(lift_trip_steady((struct lift_trip){80e-9, 85e-9}));
    assert_false(lift_trip_steady((struct lift_trip){80e-9, 350e-9}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),   cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_two),   cmocka_unit_test(test_stray),
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_all_disturbed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
