/* Joint spaces of random spaces with common parameter names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/joint.h"
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPRS = 7, MAX_PARAMS = 4, MAX_VALUES = 6 };

struct world {
    struct lift_arena *arena;
    struct lift_nats *nats;
    struct lift_rng rng;
    struct lift_joint_expr exprs[EXPRS];
    struct lift_joint *joint;
};

static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

/* Parameters with some of the names, always with their own values. The product of the
 * first and the last is bounded, which may exclude every combination. */
static const struct lift_space *random_space(struct world *w)
{
    struct lift_param params[MAX_PARAMS];
    int64_t values[MAX_PARAMS][MAX_VALUES];
    struct lift_constraint c = {.kind = LIFT_CONSTRAINT_LE, .why = "product"};
    int count = (int)lift_rng_range(&w->rng, 1, MAX_PARAMS);
    int name = (int)lift_rng_range(&w->rng, 0, 2);

    for (int i = 0; i < count; i++) {
        int64_t v = 0;

        params[i] = (struct lift_param){names[name + i], values[i],
                                        (int)lift_rng_range(&w->rng, 1, MAX_VALUES)};
        for (int k = 0; k < params[i].count; k++)
            values[i][k] = v += lift_rng_range(&w->rng, 1, 3);
    }
    c.a = lift_nat_mul(
        lift_nat_var(w->nats, params[0].name, LIFT_VAR_TUNABLE, 1, 100),
        lift_nat_var(w->nats, params[count - 1].name, LIFT_VAR_TUNABLE, 1, 100));
    c.b = lift_nat_const(w->nats, lift_rng_range(&w->rng, 0, 40));
    return lift_space_create(w->arena, params, count, &c, 1);
}

/* Every expression is near to the next; expression i has the features i and 1. */
static void begin(struct world *w, uint64_t seed)
{
    static const char *const features[] = {"number", "one"};
    double columns[EXPRS][2];
    int near[EXPRS][2];

    memset(w, 0, sizeof *w);
    w->arena = lift_arena_create();
    w->nats = lift_nats_create(w->arena);
    lift_rng_seed(&w->rng, seed);
    for (int i = 0; i < EXPRS; i++) {
        columns[i][0] = i;
        columns[i][1] = 1;
        near[i][0] = (i + 1) % EXPRS;
        near[i][1] = (i + EXPRS - 1) % EXPRS;
        w->exprs[i] = (struct lift_joint_expr){random_space(w), columns[i], near[i], 2};
    }
    w->joint = lift_joint_create(
        w->arena, &(struct lift_joint_parts){w->exprs, EXPRS, features, 2});
}

static void end(struct world *w)
{
    lift_nats_fini(w->nats);
    lift_arena_destroy(w->arena);
}

/* Enumeration, numbers and sizes agree with the spaces. */
static void check_numbers(const struct world *w)
{
    struct lift_choice c, at;
    int64_t n = 0, expected = 0;
    bool exact;

    for (int i = 0; i < EXPRS; i++)
        expected += lift_space_size(w->exprs[i].space, INT64_MAX);
    for (bool more = lift_joint_next(w->joint, &c, true); more;
         more = lift_joint_next(w->joint, &c, false)) {
        assert_true(lift_joint_valid(w->joint, &c));
        assert_true(lift_joint_at(w->joint, n, &at));
        assert_true(lift_choice_equal(&c, &at));
        assert_true(lift_choice_hash(&c) == lift_choice_hash(&at));
        assert_int_equal(lift_joint_index(w->joint, &c), n);
        n++;
    }
    assert_int_equal(n, expected);
    assert_false(lift_joint_at(w->joint, n, &at));
    assert_false(lift_joint_at(w->joint, -1, &at));
    assert_true(lift_joint_valid_size(w->joint, &exact) == n);
    assert_true(exact);
}

static int64_t value_of(const struct lift_space *space, const int *point,
                        const char *name)
{
    bool found;
    int64_t value = lift_space_value(space, point, name, &found);

    return found ? value : -1;
}

/* A valid point that is carried over to its own expression stays; elsewhere values that
 * exist and are valid together stay. */
static void check_carry(struct world *w, const struct lift_choice *from)
{
    for (int e = 0; e < EXPRS; e++) {
        const struct lift_space *space = w->exprs[e].space;
        struct lift_choice to, again;
        bool possible = lift_space_size(space, 1) > 0;

        assert_int_equal(lift_joint_carry(w->joint, from, e, &to), possible);
        if (!possible)
            continue;
        assert_int_equal(to.expr, e);
        assert_true(lift_joint_valid(w->joint, &to));
        assert_true(lift_joint_carry(w->joint, from, e, &again));
        assert_true(lift_choice_equal(&to, &again));
        if (e == from->expr)
            assert_true(lift_choice_equal(&to, from));
    }
}

/* Values carried between expressions of the same parameters. */
static void test_carry_values(void **state)
{
    static const int64_t fine[] = {1, 2, 3, 4, 6, 8, 12, 16}, coarse[] = {1, 4, 16, 64};
    struct lift_param a[] = {{"x", fine, 8}, {"y", fine, 8}};
    struct lift_param b[] = {{"y", coarse, 4}, {"x", coarse, 4}, {"z", fine, 8, 12}};
    struct lift_arena *arena = lift_arena_create();
    struct lift_joint_expr exprs[] = {{lift_space_create(arena, a, 2, NULL, 0)},
                                      {lift_space_create(arena, b, 3, NULL, 0)}};
    struct lift_joint *joint =
        lift_joint_create(arena, &(struct lift_joint_parts){exprs, 2});
    struct lift_choice from = {0, {6, 2}}, to; /* x = 12, y = 3 */

    (void)state;
    assert_true(lift_joint_carry(joint, &from, 1, &to));
    assert_int_equal(value_of(exprs[1].space, to.values, "x"), 16);
    assert_int_equal(value_of(exprs[1].space, to.values, "y"), 4);
    assert_int_equal(value_of(exprs[1].space, to.values, "z"), 12);
    assert_true(lift_joint_carry(joint, &to, 0, &to));
    assert_int_equal(value_of(exprs[0].space, to.values, "x"), 16);
    assert_int_equal(value_of(exprs[0].space, to.values, "y"), 4);
    assert_true(lift_joint_start(joint, 1, &to));
    assert_int_equal(value_of(exprs[1].space, to.values, "x"), 16);
    assert_int_equal(value_of(exprs[1].space, to.values, "z"), 12);
    lift_arena_destroy(arena);
}

/* Values as text, known here or not, valid here or not. */
static void test_carry_json(void **state)
{
    static const int64_t values[] = {1, 4, 16, 64};
    static const int64_t few[] = {0, 1, 2, 3};
    struct lift_param params[] = {
        {"x", values, 4}, {"y", values, 4, 4}, {"t", few, 4, .tacit = true}};
    struct lift_arena *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);
    struct lift_constraint c = {LIFT_CONSTRAINT_LE,
                                lift_nat_var(nats, "x", LIFT_VAR_TUNABLE, 1, 64),
                                lift_nat_const(nats, 16), "test"};
    struct lift_joint_expr expr = {lift_space_create(arena, params, 3, &c, 1)};
    struct lift_joint *joint =
        lift_joint_create(arena, &(struct lift_joint_parts){&expr, 1});
    struct lift_choice to;

    (void)state;
    assert_true(lift_joint_carry_json(joint, "{\"t\":2}", 0, &to));
    assert_int_equal(value_of(expr.space, to.values, "t"), 2);
    assert_true(lift_joint_carry_json(joint, "{\"x\":60,\"z\":3}", 0, &to));
    assert_int_equal(value_of(expr.space, to.values, "t"), 0);
    assert_int_equal(value_of(expr.space, to.values, "x"), 16);
    assert_int_equal(value_of(expr.space, to.values, "y"), 4);
    assert_true(lift_joint_carry_json(joint, "{}", 0, &to));
    assert_false(lift_joint_carry_json(joint, "{\"x\":\"a\"}", 0, &to));
    assert_false(lift_joint_carry_json(joint, "[1]", 0, &to));
    assert_false(lift_joint_carry_json(joint, "{", 0, &to));
    lift_nats_fini(nats);
    lift_arena_destroy(arena);
}

/* A settled parameter moves in neighbours only. */
static void test_settled(void **state)
{
    static const int64_t values[] = {1, 2, 3, 4};
    struct lift_param params[] = {{"x", values, 4}, {"c", values, 3, 2, .settled = true}};
    struct lift_arena *arena = lift_arena_create();
    struct lift_joint_expr expr = {lift_space_create(arena, params, 2, NULL, 0)};
    struct lift_joint *joint =
        lift_joint_create(arena, &(struct lift_joint_parts){&expr, 1});
    struct lift_choice drawn, moved = {.expr = 0};
    struct lift_rng rng;
    int seen = 0;

    (void)state;
    lift_rng_seed(&rng, 3);
    for (int i = 0; i < 64; i++) {
        assert_true(i % 2 ? lift_joint_sample(joint, &rng, &drawn)
                          : lift_joint_sample_in(joint, 0, &rng, &drawn));
        assert_int_equal(value_of(expr.space, drawn.values, "c"), 2);
        seen |= 1 << value_of(expr.space, drawn.values, "x");
    }
    assert_int_equal(seen, 2 + 4 + 8 + 16);
    assert_true(lift_joint_carry_json(joint, "{\"c\":3}", 0, &moved));
    assert_int_equal(value_of(expr.space, moved.values, "c"), 3);
    lift_arena_destroy(arena);
}

struct list {
    struct lift_choice items[256];
    int count;
};

static void note(void *user, const struct lift_choice *choice)
{
    struct list *list = user;

    assert_true(list->count < 256);
    list->items[list->count++] = *choice;
}

static bool contains(const struct list *list, const struct lift_choice *choice)
{
    for (int i = 0; i < list->count; i++)
        if (lift_choice_equal(&list->items[i], choice))
            return true;
    return false;
}

static void check_neighbours(const struct world *w, const struct lift_choice *from)
{
    static struct list step, value, near, back;

    step.count = value.count = near.count = 0;
    lift_joint_neighbours(w->joint, from, LIFT_JOINT_STEP, note, &step);
    lift_joint_neighbours(w->joint, from, LIFT_JOINT_VALUE, note, &value);
    lift_joint_neighbours(w->joint, from, LIFT_JOINT_EXPR, note, &near);
    for (int i = 0; i < step.count; i++) {
        assert_true(contains(&value, &step.items[i]));
        back.count = 0;
        lift_joint_neighbours(w->joint, &step.items[i], LIFT_JOINT_STEP, note, &back);
        assert_true(contains(&back, from));
    }
    for (int i = 0; i < value.count; i++) {
        assert_int_equal(value.items[i].expr, from->expr);
        assert_true(lift_joint_valid(w->joint, &value.items[i]));
        assert_false(lift_choice_equal(&value.items[i], from));
    }
    for (int i = 0; i < near.count; i++) {
        int off = abs(near.items[i].expr - from->expr);

        assert_true(off == 1 || off == EXPRS - 1);
        assert_true(lift_joint_valid(w->joint, &near.items[i]));
    }
}

static void check_features(const struct world *w, const struct lift_choice *c)
{
    double columns[2 + sizeof names / sizeof names[0]];
    int count = lift_joint_columns(w->joint);

    assert_in_range(count, 3, 2 + sizeof names / sizeof names[0]);
    assert_int_equal(lift_joint_feature_columns(w->joint), 2);
    lift_joint_features(w->joint, c, columns);
    assert_true(columns[0] == c->expr && columns[1] == 1);
    for (int i = 2; i < count; i++) {
        int64_t value = value_of(w->exprs[c->expr].space, c->values,
                                 lift_joint_column_name(w->joint, i));

        assert_true(columns[i] == (value < 0 ? -1 : log2((double)value)));
    }
}

static void test_random_joints(void **state)
{
    int points = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct world w;
        struct lift_choice c;

        begin(&w, seed);
        check_numbers(&w);
        for (int i = 0; i < 10 && lift_joint_sample(w.joint, &w.rng, &c); i++) {
            check_carry(&w, &c);
            check_neighbours(&w, &c);
            check_features(&w, &c);
            points++;
        }
        for (int e = 0; e < EXPRS; e++)
            if (lift_joint_sample_in(w.joint, e, &w.rng, &c)) {
                assert_int_equal(c.expr, e);
                assert_true(lift_joint_valid(w.joint, &c));
            }
        end(&w);
    }
    assert_true(points > 500);
}

/* All points of all expressions with the same chance. */
static void test_uniform(void **state)
{
    enum { POINTS = 4096, DRAWS = 40 };
    static int hits[POINTS];
    int joints = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct world w;
        struct lift_choice c;
        int n;
        double chi2 = 0;

        begin(&w, seed);
        n = (int)lift_joint_valid_size(w.joint, NULL);
        assert_true(n < POINTS);
        memset(hits, 0, sizeof hits);
        for (int i = 0; i < n * DRAWS; i++) {
            assert_true(lift_joint_sample(w.joint, &w.rng, &c));
            hits[lift_joint_index(w.joint, &c)]++;
        }
        for (int i = 0; i < n; i++)
            chi2 += (hits[i] - DRAWS) * (hits[i] - DRAWS) / (double)DRAWS;
        /* Normal in good approximation, of mean n - 1 and variance 2 (n - 1). */
        if (n > 30)
            assert_true(fabs(chi2 - (n - 1)) < 5 * sqrt(2.0 * (n - 1)));
        joints += n > 30;
        end(&w);
    }
    assert_true(joints > 5);
}

/* 4^32 points: the count of completions exceeds 64 bits at the first parameter. */
static void test_more_points_than_numbers(void **state)
{
    static const int64_t values[] = {1, 2, 3, 4};
    struct lift_param params[LIFT_SPACE_PARAMS];
    char label[LIFT_SPACE_PARAMS][8];
    struct lift_arena *arena = lift_arena_create();
    const struct lift_space *space;

    (void)state;
    for (int i = 0; i < LIFT_SPACE_PARAMS; i++) {
        snprintf(label[i], sizeof label[i], "q%d", i);
        params[i] = (struct lift_param){label[i], values, 4};
    }
    space = lift_space_create(arena, params, LIFT_SPACE_PARAMS, NULL, 0);
    assert_false(lift_space_counted(space));
    assert_true(lift_space_raw_size(space) > 0x1p63);
    lift_arena_destroy(arena);
}

/* A joint space with an uncountable space rejects numbers; all other operations work. */
static void test_uncountable(void **state)
{
    int64_t values[40];
    struct lift_param params[14];
    char label[14][8];
    struct lift_constraint c = {.kind = LIFT_CONSTRAINT_LE, .why = "sum"};
    struct lift_arena *arena = lift_arena_create();
    struct lift_nats *nats = lift_nats_create(arena);
    struct lift_joint_expr exprs[2] = {{0}};
    struct lift_joint *joint;
    struct lift_choice choice;
    struct lift_rng rng;
    bool exact;

    (void)state;
    c.a = lift_nat_const(nats, 0);
    for (int i = 0; i < 40; i++)
        values[i] = i + 1;
    for (int i = 0; i < 14; i++) {
        snprintf(label[i], sizeof label[i], "q%d", i);
        params[i] = (struct lift_param){label[i], values, 40};
        c.a = lift_nat_add(c.a, lift_nat_var(nats, label[i], LIFT_VAR_TUNABLE, 1, 40));
    }
    c.b = lift_nat_const(nats, 200);
    exprs[0].space = lift_space_create(arena, params, 2, NULL, 0);
    exprs[1].space = lift_space_create(arena, params, 14, &c, 1);
    joint = lift_joint_create(arena, &(struct lift_joint_parts){exprs, 2});
    assert_true(lift_joint_valid_size(joint, &exact) > 1e10);
    assert_false(exact);
    assert_false(lift_joint_at(joint, 0, &choice));
    lift_rng_seed(&rng, 4);
    for (int i = 0; i < 20; i++) {
        assert_true(lift_joint_sample(joint, &rng, &choice));
        assert_true(lift_joint_valid(joint, &choice));
        assert_int_equal(lift_joint_index(joint, &choice), -1);
    }
    assert_true(lift_joint_next(joint, &choice, true));
    for (int i = 1; i < 1600; i++)
        assert_true(lift_joint_next(joint, &choice, false));
    assert_int_equal(choice.expr, 0);
    assert_true(lift_joint_next(joint, &choice, false));
    assert_int_equal(choice.expr, 1);
    lift_nats_fini(nats);
    lift_arena_destroy(arena);
}

static void test_nothing(void **state)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_joint *joint =
        lift_joint_create(arena, &(struct lift_joint_parts){.count = 0});
    struct lift_choice choice;
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 1);
    assert_false(lift_joint_next(joint, &choice, true));
    assert_false(lift_joint_sample(joint, &rng, &choice));
    assert_false(lift_joint_at(joint, 0, &choice));
    assert_int_equal(lift_joint_columns(joint), 0);
    lift_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_joints),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_carry_values),
        cmocka_unit_test(test_uncountable),
        cmocka_unit_test(test_more_points_than_numbers),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_carry_json),
        cmocka_unit_test(test_settled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
