/* Values: to and from flat buffers, comparison, random ones. */
#include "eval_fixture.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

static struct lift_value tuple_rows(struct fixture *f, double last)
{
    lift_type pair = lift_type_tuple(f->ir, (lift_type[]){f->f32, f->i32}, 2);
    struct lift_value v;

    assert_true(lift_value_from_doubles(f->arena, arr(f, pair, 2), NULL, NULL,
                                        (double[]){0.5, 1, 1.5, last}, &v));
    return v;
}

static void test_values(void **state)
{
    struct fixture *f = *state;
    struct lift_value a = tuple_rows(f, 2), b = tuple_rows(f, 3), c;
    lift_nat n = lift_nat_var(f->nats, "n", LIFT_VAR_SIZE, 1, 100);
    lift_type t = lift_type_array(f->ir, lift_type_vector(f->ir, LIFT_F64, 2), n);
    double flat[6];
    int64_t count;

    assert_int_equal(lift_value_scalars(a), 4);
    lift_value_flatten(a, flat);
    assert_memory_equal(flat, ((double[]){0.5, 1, 1.5, 2}), 4 * sizeof *flat);
    assert_true(lift_value_close(a, a, 0, 0, NULL));
    assert_false(lift_value_close(a, b, 1, 1, &f->text));
    assert_string_equal(lift_str_get(&f->text), "[1].1: 2 against 3");
    assert_false(lift_type_scalars(t, NULL, NULL, &count));
    f->sizes = (struct lift_nat_env){(const char *[]){"n"}, (int64_t[]){3}, 1};
    assert_true(lift_type_scalars(t, lift_nat_env_value, &f->sizes, &count));
    assert_int_equal(count, 6);
    assert_true(lift_value_from_floats(f->arena, t, lift_nat_env_value, &f->sizes,
                                       (float[]){1, 2, 3, 4, 5, 6}, &c));
    lift_str_clear(&f->text);
    lift_value_print(c, 2, &f->text);
    assert_string_equal(lift_str_get(&f->text), "[<1, 2>, <3, 4>, ...]");
    assert_false(lift_value_close(a, c, 0, 0, NULL));
}

static void test_close(void **state)
{
    static const struct {
        double a, b, absolute, relative;
        bool close;
    } rows[] = {
        {1, 1, 0, 0, true},
        {1, 1.1, 0.11, 0, true},
        {1, 1.1, 0.09, 0, false},
        {100, 101, 0, 0.01, true},
        {100, 102, 0, 0.01, false},
        {NAN, NAN, 0, 0, true},
        {NAN, 1, 9, 9, false},
        {1, NAN, 9, 9, false},
        {INFINITY, 1, 9, 9, false},
        {INFINITY, INFINITY, 0, 0, true},
        {INFINITY, -INFINITY, 9, 9, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(lift_value_close(lift_value_float(rows[i].a),
                                          lift_value_float(rows[i].b), rows[i].absolute,
                                          rows[i].relative, NULL),
                         rows[i].close);
}

static void test_same(void **state)
{
    static const struct {
        double a, b;
        bool same;
    } rows[] = {
        {0.0, 0.0, true},           {0.0, -0.0, false},
        {NAN, -NAN, true},          {NAN, 1, false},
        {INFINITY, INFINITY, true}, {INFINITY, -INFINITY, false},
        {DBL_TRUE_MIN, 0, false},   {1, 1 + DBL_EPSILON, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(lift_value_same(lift_value_float(rows[i].a),
                                         lift_value_float(rows[i].b), NULL),
                         rows[i].same);
}

/* All kinds of values occur, each exact in its type; sums of ordinary values are rounded.
 */
static void test_special_values(void **state)
{
    enum { COUNT = 2000 };
    struct fixture *f = *state;
    lift_type f64 = lift_type_scalar(f->ir, LIFT_F64);
    lift_type t =
        arr(f, lift_type_tuple(f->ir, (lift_type[]){f->f32, f64, f->i32}, 3), COUNT);
    int zeros[2] = {0}, infinite = 0, nan = 0, subnormal = 0, extreme = 0, rounded = 0;
    struct lift_value v;
    struct lift_rng rng;

    lift_rng_seed(&rng, 5);
    assert_true(lift_value_special(
        f->arena, t, &(struct lift_value_draw){.bits = true, .percent = 60}, &rng, &v));
    for (int i = 0; i < COUNT; i++) {
        const struct lift_value *row = v.u.items[i].u.items;
        double x = row[0].u.number, y = row[1].u.number;

        assert_true(isnan(x) || (double)(float)x == x);
        zeros[0] += x == 0 && !signbit(x);
        zeros[1] += x == 0 && signbit(x);
        infinite += isinf(x) != 0;
        nan += isnan(x) || isnan(y);
        subnormal += fpclassify((float)x) == FP_SUBNORMAL;
        extreme += row[2].u.integer == INT32_MIN;
        rounded += i && isfinite(x) &&
                   (double)(float)(x + v.u.items[i - 1].u.items->u.number) !=
                       x + v.u.items[i - 1].u.items->u.number;
    }
    assert_true(zeros[0] > 9 && zeros[1] > 9 && infinite > 9 && nan > 9);
    assert_true(subnormal > 9 && extreme > 9 && rounded > 99);
}

/* Some lie at a number and next to it, and many on each side; without 'bits', none lie
 * at it. */
static void test_values_about(void **state)
{
    enum { COUNT = 4000 };
    struct fixture *f = *state;
    const double about[] = {100, -0.1f};

    for (int bits = 0; bits < 2; bits++) {
        struct lift_value_draw draw = {bits, 0, about, 2};
        int at = 0, next = 0, below = 0, above = 0;
        struct lift_value v;
        struct lift_rng rng;

        lift_rng_seed(&rng, 5);
        assert_true(lift_value_special(f->arena, arr(f, f->f32, COUNT), &draw, &rng, &v));
        for (int i = 0; i < COUNT; i++) {
            double x = v.u.items[i].u.number;

            assert_true((double)(float)x == x);
            at += x == 100 || x == about[1];
            next += x == nextafterf(100, INFINITY) || x == nextafterf(-0.1f, -INFINITY);
            above += x > 101;
            below += x > 50 && x < 99;
        }
        assert_true(above > 20 && below > 20);
        assert_true(bits ? at > 50 && next > 50 : at < 5 && next < 5);
    }
}

static void test_random_values(void **state)
{
    struct fixture *f = *state;
    lift_type t =
        arr(f, lift_type_tuple(f->ir, (lift_type[]){f->f32, f->i32, f->bool_}, 3), 500);
    struct lift_value a, b;
    struct lift_rng rng;

    lift_rng_seed(&rng, 5);
    assert_true(lift_value_random(f->arena, t, NULL, NULL, &rng, &a));
    lift_rng_seed(&rng, 5);
    assert_true(lift_value_random(f->arena, t, NULL, NULL, &rng, &b));
    assert_true(lift_value_close(a, b, 0, 0, NULL));
    for (int i = 0; i < 500; i++) {
        const struct lift_value *row = a.u.items[i].u.items;

        assert_true(row[0].u.number >= -1 && row[0].u.number < 1);
        assert_true((double)(float)row[0].u.number == row[0].u.number);
        assert_true(row[1].u.integer >= -9 && row[1].u.integer <= 9);
        assert_int_equal(row[2].kind, LIFT_VALUE_BOOL);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values),         TEST(test_close),        TEST(test_same),
        TEST(test_special_values), TEST(test_values_about), TEST(test_random_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
