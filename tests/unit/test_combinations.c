/* How many combinations of options there are, and draws of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rules/combinations.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Needs in both directions: of decisions before, and of one after. */
static const char few[] = "rule regroup reassociates\n"
                          "  (a + b) + c ~> a + (b + c)\n"
                          "decision a default a0\n"
                          "option a1 of a\n"
                          "option a2 of a\n"
                          "decision b default b0\n"
                          "option b1 of b needs a = a1 or a2\n"
                          "option b2 of b excludes a = a1 device groups\n"
                          "option b3 of b reassociates like regroup\n"
                          "  = topdown(regroup)\n"
                          "decision c default c0\n"
                          "option c1 of c needs b = b1, a = a2\n"
                          "option c2 of c device threads\n"
                          "option c3 of c excludes a = a0 or a1 and b = b0\n"
                          "option c4 of c needs b = b3 or a = a2 or b = b2\n"
                          "option a3 of a needs c = c2\n";

/* By hand, of 'few': (a, b) and how many c, on groups and relaxed:
 * a0 with b0: c0; a0 with b2, b3: c0, c3, c4; a1 with b0: c0; a1 with b1: c0, c3; a1 with
 * b3: c0, c3, c4; a2 with b0, b2, b3: c0, c3, c4; a2 with b1: c0, c1, c3, c4; a3: none
 * without c2. */
enum { FEW_ON_GROUPS = 1 + 6 + 1 + 2 + 3 + 9 + 4 };

static struct lift_rules *rules_of(const char *text)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};

    if (!lift_rules_load(rules, "few.rules", text, &errors))
        fail_msg("%s", lift_str_get(&errors.text));
    lift_error_fini(&errors);
    return rules;
}

static bool fits(const struct lift_rules *rules, const struct lift_configuration *point,
                 unsigned device, bool relaxed)
{
    struct lift_str why = {0};
    bool good = lift_configuration_fits(rules, point, device, relaxed, &why);

    lift_str_fini(&why);
    return good;
}

/* One by one. */
static int count_from(const struct lift_rules *rules, struct lift_configuration *point,
                      int from, unsigned device, bool relaxed)
{
    int count = 0;

    if (from == lift_decision_count(rules))
        return fits(rules, point, device, relaxed);
    for (int i = 0; i < lift_decision_get(rules, from)->option_count; i++) {
        point->option[from] = (uint8_t)i;
        count += count_from(rules, point, from + 1, device, relaxed);
    }
    point->option[from] = 0;
    return count;
}

static double count_of(const struct lift_rules *rules, unsigned device, bool relaxed,
                       double *error)
{
    struct lift_combinations *c;
    struct lift_rng rng;
    double count;

    lift_rng_seed(&rng, 1);
    c = lift_combinations_create(rules, device, relaxed, &rng);
    count = lift_combinations_count(c, error);
    lift_combinations_destroy(c);
    return count;
}

static void test_counts(void **state)
{
    struct lift_rules *rules = rules_of(few);
    double error;

    (void)state;
    for (int i = 0; i < 4; i++) {
        unsigned device = i % 2 ? LIFT_ON_GROUPS : LIFT_ON_THREADS;
        struct lift_configuration point = {{0}};
        int known = count_from(rules, &point, 0, device, i / 2);

        assert_true(count_of(rules, device, i / 2, &error) == known);
        assert_true(error == 0);
    }
    assert_true(count_of(rules, LIFT_ON_GROUPS, true, &error) == FEW_ON_GROUPS);
    lift_rules_destroy(rules);
}

/* Each of the few is drawn, and about as often as any other. */
static void test_draws_are_even(void **state)
{
    enum { DRAWS = 52000, MOST = 4 * 4 * 5 };
    struct lift_rules *rules = rules_of(few);
    struct lift_combinations *c;
    int drawn[MOST] = {0}, kinds = 0;
    double chi = 0;
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 7);
    c = lift_combinations_create(rules, LIFT_ON_GROUPS, true, &rng);
    for (int i = 0; i < DRAWS; i++) {
        struct lift_configuration point;

        assert_true(lift_combinations_draw(c, &rng, &point));
        assert_true(fits(rules, &point, LIFT_ON_GROUPS, true));
        drawn[(point.option[0] * 4 + point.option[1]) * 5 + point.option[2]]++;
    }
    for (int i = 0; i < MOST; i++) {
        const double expected = (double)DRAWS / FEW_ON_GROUPS;

        kinds += drawn[i] > 0;
        if (drawn[i])
            chi += (drawn[i] - expected) * (drawn[i] - expected) / expected;
    }
    assert_int_equal(kinds, FEW_ON_GROUPS);
    assert_true(chi < 65); /* of 25 degrees of freedom: one in 10,000 is above */
    lift_combinations_destroy(c);
    lift_rules_destroy(rules);
}

/* The last decision is related to all others, so that nothing is known after a few. Of 8
 * options of each of ten decisions, the last has one for each decision that needs its
 * option 0, and one that needs nothing. */
static void test_too_many_to_count(void **state)
{
    enum { DECISIONS = 10, OPTIONS = 8 };
    const double known = pow(OPTIONS, DECISIONS) * (1 + DECISIONS / (double)OPTIONS);
    struct lift_str text = {0};
    struct lift_combinations *c;
    struct lift_rules *rules;
    struct lift_configuration point;
    struct lift_rng rng;
    double count, error;

    (void)state;
    for (int i = 0; i < DECISIONS; i++) {
        lift_str_addf(&text, "decision d%d default o0\n", i);
        for (int k = 1; k < OPTIONS; k++)
            lift_str_addf(&text, "option o%d of d%d\n", k, i);
    }
    lift_str_add(&text, "decision last default free\n");
    for (int i = 0; i < DECISIONS; i++)
        lift_str_addf(&text, "option p%d of last needs d%d = o0\n", i, i);
    rules = rules_of(lift_str_get(&text));
    lift_rng_seed(&rng, 1);
    c = lift_combinations_create(rules, LIFT_ON_THREADS, false, &rng);
    count = lift_combinations_count(c, &error);
    assert_true(error > 0 && error < 0.02 * known);
    assert_true(fabs(count - known) < 5 * error);
    for (int i = 0; i < 1000; i++) {
        assert_true(lift_combinations_draw(c, &rng, &point));
        assert_true(fits(rules, &point, LIFT_ON_THREADS, false));
    }
    lift_combinations_destroy(c);
    lift_rules_destroy(rules);
    lift_str_fini(&text);
}

static void test_none(void **state)
{
    struct lift_rules *rules = rules_of("decision a default a0\n"
                                        "option a0 of a device groups\n"
                                        "decision b default b0\n"
                                        "option b1 of b\n");
    struct lift_combinations *c;
    struct lift_configuration point;
    struct lift_rng rng;
    double error;

    (void)state;
    assert_true(count_of(rules, LIFT_ON_GROUPS, false, &error) == 2);
    assert_true(count_of(rules, LIFT_ON_THREADS, false, &error) == 0 && error == 0);
    lift_rng_seed(&rng, 1);
    c = lift_combinations_create(rules, LIFT_ON_THREADS, false, &rng);
    assert_false(lift_combinations_draw(c, &rng, &point));
    lift_combinations_destroy(c);
    lift_combinations_destroy(NULL);
    lift_rules_destroy(rules);
}

/* The set that ships is counted, and its draws fit. */
static void test_shipped(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    for (unsigned device = LIFT_ON_THREADS; device <= LIFT_ON_GROUPS; device++) {
        struct lift_combinations *c;
        struct lift_configuration point;
        struct lift_rng rng;
        double error;

        lift_rng_seed(&rng, 3);
        c = lift_combinations_create(rules, device, true, &rng);
        assert_true(lift_combinations_count(c, &error) > 1e6);
        assert_true(error == 0);
        for (int i = 0; i < 1000; i++) {
            assert_true(lift_combinations_draw(c, &rng, &point));
            assert_true(fits(rules, &point, device, true));
        }
        lift_combinations_destroy(c);
    }
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),  cmocka_unit_test(test_draws_are_even),
        cmocka_unit_test(test_none),    cmocka_unit_test(test_too_many_to_count),
        cmocka_unit_test(test_shipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
