/* The joint space of real derivations: what is near, and what the columns say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/derive.h"
#include "explore/joint.h"
#include "explore/story.h"
#include "problem_world.h"
#include <math.h>
#include <string.h>

enum { SHAPES = 60, EXPRS = 300, LEAST_NEAR = 4, MOST_NEAR = 32 };

static const struct lift_device_info processor = {.name = "a processor",
                                                  .runtime = "host",
                                                  .arch = "x86-64",
                                                  .dialect = LIFT_DIALECT_OPENMP,
                                                  .compute_units = 2};

struct world {
    struct lift_rules *rules;
    struct explore_problem *problem;
    struct derivation *derivation;
    struct explore_arm arms[EXPRS];
    int leaves[EXPRS];
    char *stories[EXPRS];
    int count;
    struct lift_joint *joint;
};

static struct lift_joint *make_joint(const struct world *w)
{
    return explore_joint_make(lift_ir_arena(w->problem->ir),
                              &(struct explore_joint_parts){
                                  w->derivation, w->rules, w->arms, w->leaves, w->count});
}

static void begin(struct world *w, const char *program)
{
    struct lift_str why = {0}, story = {0};

    memset(w, 0, sizeof *w);
    w->rules = lift_rules_shipped();
    w->problem = load_program(program, NULL, 0);
    w->derivation = explore_derive(w->problem, w->rules, &processor,
                                   (struct derive_limits){SHAPES, EXPRS});
    for (int i = 0; i < w->derivation->leaf_count; i++) {
        const struct derive_leaf *leaf = &w->derivation->leaves[i];

        w->leaves[w->count] = i;
        if (!explore_arm_make(
                &(struct explore_arm_request){.problem = w->problem,
                                              .device = &processor,
                                              .term =
                                                  w->derivation->nodes[leaf->node].term,
                                              .conditions = leaf->conditions},
                &w->arms[w->count], &why))
            continue;
        lift_str_clear(&story);
        explore_story(w->derivation, i, &story);
        w->stories[w->count++] = lift_str_take(&story);
    }
    lift_str_fini(&why);
    assert_true(w->count > 100);
    w->joint = make_joint(w);
}

static void end(struct world *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->stories[i]);
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

/* The length of the word there, and the blank behind it. */
static size_t word(const char *text)
{
    size_t len = strcspn(text, " ");

    return len + (text[len] == ' ');
}

/* True if 'more' is 'less' and one word somewhere in it. */
static bool one_word_more(const char *less, const char *more)
{
    while (*less && word(less) == word(more) && !strncmp(less, more, word(less))) {
        less += word(less);
        more += word(more);
    }
    return *less && !strcmp(less, more + word(more));
}

static bool says(const char *story, const char *name)
{
    size_t len = strlen(name);

    for (; *story; story += word(story))
        if (!strncmp(story, name, len) && strchr(" *", story[len]))
            return true;
    return false;
}

/* Derivations of which one has a word more than the other belong to neighbours. */
static void test_one_word(void **state)
{
    struct world w;
    int pairs = 0, near_pairs = 0;

    (void)state;
    begin(&w, "jacobi2d5");
    for (int i = 0; i < w.count; i++)
        for (int k = 0; k < w.count; k++) {
            int count;
            const int *near = lift_joint_near(w.joint, i, &count);

            if (one_word_more(w.stories[i], w.stories[k])) {
                pairs++;
                near_pairs += has(near, count, k);
            }
        }
    print_message("%d of %d are near\n", near_pairs, pairs);
    assert_true(pairs > 10);
    assert_true(10 * near_pairs >= 9 * pairs);
    end(&w);
}

/* A column with a macro's or rule's name agrees with the derivation in words. */
static void test_columns(void **state)
{
    struct world w;
    int columns, checked = 0;
    double *values;

    (void)state;
    begin(&w, "srad1");
    columns = lift_joint_columns(w.joint);
    values = calloc((size_t)columns, sizeof *values);
    assert_non_null(values);
    for (int c = 0; c < lift_joint_feature_columns(w.joint); c++) {
        const char *name = lift_joint_column_name(w.joint, c);
        double least = INFINITY, most = -INFINITY;

        for (int i = 0; i < w.count; i++) {
            struct lift_choice choice;

            assert_true(lift_joint_start(w.joint, i, &choice));
            lift_joint_features(w.joint, &choice, values);
            least = values[c] < least ? values[c] : least;
            most = values[c] > most ? values[c] : most;
            if (lift_rules_find(w.rules, name) && says(w.stories[i], name)) {
                assert_true(values[c] == 1);
                checked++;
            }
        }
        assert_true(least < most);
    }
    assert_true(checked > 100);
    free(values);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_one_word),
        cmocka_unit_test(test_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
