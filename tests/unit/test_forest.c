/* Forests on functions with known values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/importance.h"
#include "tuner/search/forest.h"
#include <cmocka.h>
#include <math.h>

enum { ROWS = 300, COLUMNS = 4 };

static const struct forest_options options = {
    .trees = 40, .leaf = 2, .tries = 0, .always = -1};
static float rows[ROWS][COLUMNS], targets[ROWS];

/* A step in the first column, a slope in the second, the others say nothing. */
static float truth(const float *row)
{
    return (row[0] > 3 ? 2.0F : 0.0F) + row[1] / 8;
}

static void draw(struct lift_rng *rng, float *row)
{
    for (int c = 0; c < COLUMNS; c++)
        row[c] = (float)lift_rng_below(rng, 8);
}

static struct forest *grown(struct lift_rng *rng)
{
    struct forest *f = forest_create(COLUMNS, &options);

    for (int i = 0; i < ROWS; i++) {
        draw(rng, rows[i]);
        targets[i] = truth(rows[i]);
    }
    forest_fit(f, rows[0], targets, ROWS, rng);
    return f;
}

static void test_rows_not_seen(void **state)
{
    struct lift_rng rng;
    struct forest *f;
    double error = 0;

    (void)state;
    lift_rng_seed(&rng, 1);
    f = grown(&rng);
    for (int i = 0; i < ROWS; i++) {
        float row[COLUMNS];
        struct forest_answer a;

        draw(&rng, row);
        a = forest_predict(f, row);
        error += fabs(a.mean - truth(row)) / ROWS;
        assert_true(a.deviation >= 0 && a.mean >= 0 && a.mean <= 3);
    }
    assert_true(error < 0.05);
    forest_destroy(f);
}

/* Learnt rows are predicted without uncertainty; the same generator gives the same
 * forest. */
static void test_rows_learnt(void **state)
{
    struct lift_rng rng, again;
    struct forest *f, *g;

    (void)state;
    lift_rng_seed(&rng, 2);
    lift_rng_seed(&again, 2);
    f = grown(&rng);
    g = grown(&again);
    for (int i = 0; i < ROWS; i++) {
        struct forest_answer a = forest_predict(f, rows[i]);
        struct forest_answer b = forest_predict(g, rows[i]);

        assert_true(fabs(a.mean - targets[i]) < 1e-5 && a.deviation < 1e-3);
        assert_true(a.mean == b.mean && a.deviation == b.deviation);
    }
    forest_destroy(f);
    forest_destroy(g);
}

/* One row, equal rows with different targets, and no columns at all: a leaf each. */
static void test_nothing_to_split(void **state)
{
    static const float same[4][1] = {{1}, {1}, {1}, {1}}, values[] = {1, 2, 3, 6};
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 3);
    for (int columns = 0; columns < 2; columns++)
        for (int count = 1; count <= 4; count += 3) {
            struct forest *f = forest_create(columns, &options);
            struct forest_answer a;

            forest_fit(f, same[0], values, count, &rng);
            a = forest_predict(f, same[0]);
            assert_true(fabs(a.mean - (count == 1 ? 1 : 3)) < 1e-6);
            assert_true(count == 1 ? a.deviation == 0 : a.deviation > 1);
            forest_destroy(f);
        }
    forest_destroy(NULL);
}

/* The time of a made-up kernel depends on the first column most, on the second less, on
 * the others not at all. */
static void test_importance(void **state)
{
    enum { COUNT = 200, WIDTH = 5 };
    static float cells[COUNT][WIDTH], times[COUNT];
    struct lift_rng rng;
    double shares[WIDTH], again[WIDTH], sum = 0, explained;

    (void)state;
    lift_rng_seed(&rng, 4);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < WIDTH; k++)
            cells[i][k] = (float)lift_rng_below(&rng, 6);
        times[i] = 3 * cells[i][0] + cells[i][1];
    }
    explained = lift_importance(cells[0], times, COUNT, WIDTH, shares);
    assert_true(explained > 0.8 && explained <= 1);
    for (int k = 0; k < WIDTH; k++)
        sum += shares[k];
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(shares[0] > 0.7 && shares[1] > 0.04 && shares[0] + shares[1] > 0.9);
    assert_true(lift_importance(cells[0], times, COUNT, WIDTH, again) == explained);
    assert_memory_equal(shares, again, sizeof shares);

    for (int i = 0; i < COUNT; i++)
        times[i] = 1;
    assert_true(lift_importance(cells[0], times, COUNT, WIDTH, shares) == 0);
    assert_true(shares[0] == 0 && shares[WIDTH - 1] == 0);
    assert_true(lift_importance(cells[0], times, 0, WIDTH, shares) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_not_seen),
        cmocka_unit_test(test_rows_learnt),
        cmocka_unit_test(test_nothing_to_split),
        cmocka_unit_test(test_importance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
