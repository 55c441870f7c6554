/* The joint space of the kernel families of real programs: neighbourhoods and columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate/joint_space.h"
#include "explore/configurations.h"
#include "problem_world.h"
#include <string.h>

enum { EXPRS = 400, LEAST_NEAR = 4, MOST_NEAR = 32 };

static const struct lift_device_info processor = {.name = "a processor",
                                                  .runtime = "host",
                                                  .arch = "x86-64",
                                                  .dialect = LIFT_DIALECT_OPENMP,
                                                  .compute_units = 2};

struct world {
    struct lift_rules *rules;
    struct explore_problem *problem;
    struct derivation *derivation;
    struct candidate_space spaces[EXPRS];
    int leaves[EXPRS];
    int count;
    struct lift_joint *joint;
};

static struct lift_joint *make_joint(const struct world *w)
{
    struct explore_joint_expr exprs[EXPRS];

    for (int i = 0; i < w->count; i++)
        exprs[i] = (struct explore_joint_expr){
            .candidates = &w->spaces[i],
            .configuration = &w->derivation->leaves[w->leaves[i]].configuration,
            .steps = 1};
    return explore_joint_make(lift_ir_arena(w->problem->ir),
                              &(struct explore_joint_parts){w->rules, exprs, w->count});
}

static void begin(struct world *w, const char *program)
{
    struct lift_str why = {0};

    memset(w, 0, sizeof *w);
    w->rules = lift_rules_shipped();
    w->problem = load_program(program, NULL, 0);
    w->derivation = derive_create(w->problem, w->rules, processor.dialect);
    configurations_add_families(w->derivation, EXPRS);
    for (int i = 0; i < w->derivation->leaf_count; i++) {
        const struct configurations_spaces from = {.derivation = w->derivation,
                                                   .device = &processor};

        w->leaves[w->count] = i;
        w->count += configurations_space(&from, &w->derivation->leaves[i],
                                         &w->spaces[w->count], &why);
    }
    lift_str_fini(&why);
    assert_true(w->count > 50);
    w->joint = make_joint(w);
}

static void end(struct world *w)
{
    derive_destroy(w->derivation);
    explore_problem_destroy(w->problem);
    lift_rules_destroy(w->rules);
}

static bool has(const int *list, int count, int expr)
{
    for (int i = 0; i < count; i++)
        if (list[i] == expr)
            return true;
    return false;
}

/* Lists are of the right length, without repetition, mutual as a rule, and always the
 * same. */
static void test_near(void **state)
{
    struct world w;
    struct lift_joint *again;
    int mutual = 0, all = 0;

    (void)state;
    begin(&w, "jacobi2d5");
    again = make_joint(&w);
    for (int i = 0; i < w.count; i++) {
        int count, other_count;
        const int *near = lift_joint_near(w.joint, i, &count);

        assert_in_range(count, LEAST_NEAR, MOST_NEAR);
        assert_false(has(near, count, i));
        assert_memory_equal(near, lift_joint_near(again, i, &other_count),
                            sizeof *near * (size_t)count);
        assert_int_equal(other_count, count);
        for (int k = 0; k < count; k++) {
            const int *back = lift_joint_near(w.joint, near[k], &other_count);

            assert_false(has(near, k, near[k]));
            mutual += has(back, other_count, i);
            all++;
        }
    }
    print_message("%d of %d are mutual\n", mutual, all);
    assert_true(2 * mutual > all);
    end(&w);
}

static const struct lift_configuration *point_of(const struct world *w, int expr)
{
    return &w->derivation->leaves[w->leaves[expr]].configuration;
}

static int differences(const struct world *w, int a, int b)
{
    int count = 0;

    for (int i = 0; i < lift_decision_count(w->rules); i++)
        count += point_of(w, a)->option[i] != point_of(w, b)->option[i];
    return count;
}

/* No expression that is left out differs in fewer decisions than one that is near, and
 * those that differ in one alone are near unless there are too many. */
static void test_fewest(void **state)
{
    struct world w;
    int pairs = 0, near_pairs = 0;

    (void)state;
    begin(&w, "jacobi2d5");
    for (int i = 0; i < w.count; i++) {
        int count, furthest = 0;
        const int *near = lift_joint_near(w.joint, i, &count);

        for (int k = 0; k < count; k++)
            if (differences(&w, i, near[k]) > furthest)
                furthest = differences(&w, i, near[k]);
        for (int k = 0; k < w.count; k++) {
            int apart = differences(&w, i, k);

            assert_true(k == i || apart > 0);
            if (k != i && !has(near, count, k))
                assert_true(apart >= furthest);
            pairs += apart == 1;
            near_pairs += apart == 1 && has(near, count, k);
        }
    }
    print_message("%d of %d are near\n", near_pairs, pairs);
    assert_true(pairs > 10);
    assert_true(10 * near_pairs >= 9 * pairs);
    end(&w);
}

/* The option that a column is called by. */
static const struct lift_option *option_of(const struct world *w, const char *name)
{
    struct lift_configuration point = {{0}};
    struct lift_str why = {0};
    const struct lift_option *found = NULL;

    if (!lift_configuration_read(w->rules, name, &point, &why))
        fail_msg("column '%s': %s", name, lift_str_get(&why));
    for (int i = 0; i < lift_decision_count(w->rules); i++)
        if (point.option[i] != 0)
            found = lift_configuration_option(w->rules, &point, i);
    lift_str_fini(&why);
    assert_non_null(found);
    return found;
}

/* Each column is named after an option, which some points have and others lack. */
static void test_columns(void **state)
{
    struct world w;
    double *values;

    (void)state;
    begin(&w, "srad1");
    values = calloc((size_t)lift_joint_columns(w.joint), sizeof *values);
    assert_non_null(values);
    assert_true(lift_joint_feature_columns(w.joint) > 10);
    for (int c = 0; c < lift_joint_feature_columns(w.joint); c++) {
        const struct lift_option *o = option_of(&w, lift_joint_column_name(w.joint, c));
        int having = 0;

        for (int i = 0; i < w.count; i++) {
            struct lift_choice choice;
            bool has_it = point_of(&w, i)->option[o->decision->index] == o->index;

            assert_true(lift_joint_start(w.joint, i, &choice));
            lift_joint_features(w.joint, &choice, values);
            assert_true(values[c] == has_it);
            having += has_it;
        }
        assert_true(having > 0 && having < w.count);
    }
    free(values);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_fewest),
        cmocka_unit_test(test_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
