/* Statistics of bench_host, from artificial samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/turns.h"
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

/* In which state a sample is taken; BETWEEN is disturbed. */
enum state { SLOW, FAST, BETWEEN };

static const struct lift_trip trips[] = {
    {80e-9, 90e-9}, {360e-9, 400e-9}, {90e-9, 350e-9}};

static struct turns_entry *add(struct turns_result *r, enum turns_kind kind)
{
    struct turns_entry *e = &r->entries[r->count++];

    e->kind = kind;
    return e;
}

static void take(struct turns_entry *e, double at, double seconds, enum state state)
{

    e->turns[e->count++] =
        (struct turn){.seconds = seconds, .at = at, .trip = trips[state]};
}

static void near(double got, double want)
{
    if (fabs(got - want) > 1e-9)
        fail_msg("%g instead of %g", got, want);
}

/* Ours is twice as fast in either state; in the fast one everything takes half as long.
 * The machine changes its state during the second round and before the fourth. */
static struct turns_result *example(void)
{
    static const enum state states[][2] = {
        {SLOW, SLOW}, {SLOW, BETWEEN}, {FAST, FAST}, {SLOW, SLOW}};
    struct turns_result *r = calloc(1, sizeof *r);
    struct turns_entry *ours, *plain, *copy;

    assert_non_null(r);
    ours = add(r, TURNS_OURS);
    plain = add(r, TURNS_PLAIN);
    copy = add(r, TURNS_CEILING);
    copy->bytes = 100;
    for (int k = 0; k < 4; k++) {
        take(ours, 10 * k, states[k][0] == FAST ? 0.5 : 1, states[k][0]);
        take(plain, 10 * k + 1, states[k][1] == FAST ? 1 : 2, states[k][1]);
        take(copy, 10 * k + 2, states[k][1] == FAST ? 2 : 4, states[k][1]);
    }
    turns_find_states(r);
    return r;
}

static void test_states(void **state)
{
    struct turns_result *r = example();

    (void)state;
    assert_int_equal(r->states, 2);
    near(turns_round_trip(r, 0), 90e-9);
    near(turns_round_trip(r, 1), 400e-9);
    assert_int_equal(turns_disturbed(&r->entries[0]), 0);
    assert_int_equal(turns_disturbed(&r->entries[1]), 1);
    free(r);
}

static void test_figures(void **state)
{
    struct turns_result *r = example();
    struct figure f;

    (void)state;
    assert_int_equal(turns_figure(&r->entries[0], 0, &f), 3);
    near(f.median, 1);
    assert_int_equal(turns_figure(&r->entries[0], 1, &f), 1);
    near(f.median, 0.5);
    assert_int_equal(turns_figure(&r->entries[0], 2, &f), 0);
    near(f.median, 0);
    free(r);
}

static void test_ratios(void **state)
{
    struct turns_result *r = example();
    const struct turns_entry *ours = &r->entries[0], *plain = &r->entries[1];
    struct figure f;

    (void)state;
    assert_int_equal(turns_ratio(ours, plain, 0, &f), 3);
    near(f.median, 2);
    assert_int_equal(turns_ratio(ours, plain, 1, &f), 1);
    near(f.median, 2);
    assert_int_equal(turns_ratio(ours, plain, -1, &f), 4);
    near(f.low, 2);
    near(f.high, 2);
    assert_int_equal(turns_ratio(plain, ours, -1, &f), 3); /* one was disturbed */
    near(f.median, 0.5);
    free(r);
}

/* The nearest in time, of the same state. */
static void test_nearest(void **state)
{
    struct turns_result *r = calloc(1, sizeof *r);
    struct turns_entry *a, *b;
    struct figure f;

    (void)state;
    assert_non_null(r);
    a = add(r, TURNS_OURS);
    b = add(r, TURNS_HAND);
    take(a, 100, 1, SLOW);
    take(b, 10, 5, SLOW);
    take(b, 80, 3, SLOW);
    take(b, 99, 9, FAST);
    take(b, 130, 7, SLOW);
    turns_find_states(r);
    assert_int_equal(turns_ratio(a, b, 0, &f), 1);
    near(f.median, 3);
    assert_int_equal(turns_ratio(a, b, 1, &f), 0);
    free(r);
}

static void test_best(void **state)
{
    struct turns_result *r = example();
    struct turns_entry *other = add(r, TURNS_PLAIN), *triad = add(r, TURNS_CEILING);

    (void)state;
    take(other, 50, 1.5, SLOW);
    take(other, 51, 3, FAST);
    triad->bytes = 300;
    take(triad, 52, 10, SLOW);
    turns_find_states(r);
    assert_ptr_equal(turns_best(r, TURNS_PLAIN, 0), other);
    assert_ptr_equal(turns_best(r, TURNS_PLAIN, 1), &r->entries[1]);
    assert_ptr_equal(turns_best(r, TURNS_PLAIN, -1), other); /* most are slow */
    assert_ptr_equal(turns_best(r, TURNS_CEILING, 0), triad);
    assert_null(turns_best(r, TURNS_HAND, 0));
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states), cmocka_unit_test(test_figures),
        cmocka_unit_test(test_ratios), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_best),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
