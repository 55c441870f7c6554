/* Names of tunables: each names the sized object, without a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "explore/candidate_space.h"
#include "explore/configurations.h"
#include "explore/derive.h"
#include "ir/constraint.h"
#include "ir/tunable.h"
#include "lift/parse.h"
#include "rules/decision.h"
#include <cmocka.h>
#include <jansson.h>

#include "problem_world.h"

static const char line[] = "size n = 1000\n"
                           "stencil line(g: [f32]n) -> out =\n"
                           "    map(w -> w[0] + w[1] + w[2], slide(3, 1, pad(1, 1, "
                           "clamp, g)))\n";

static bool has_digit(const char *name)
{
    return strpbrk(name, "0123456789") != NULL;
}

/* Printed and read again, a term has the same hash: its text has all that the hash is
 * made of. */
static void survives_printing(lift_expr term)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_str text = {0};
    struct lift_error errors = {0};
    lift_expr again;

    lift_term_print(term, &text);
    again = lift_term_parse(ir, &(struct lift_source){"t", text.data, text.len}, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(again);
    assert_true(lift_hash_equal(again->hash, term->hash));
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_ir_destroy(ir);
}

/* The number of tunables. */
static int names_of(lift_expr term)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_side_conditions all = lift_expr_constraints(arena, term);

    for (int i = 0; i < all.tunable_count; i++) {
        const struct lift_tunable *t = &all.tunables[i];

        assert_false(has_digit(t->name));
        assert_non_null(lift_tunable_word_of(t->name));
        assert_true(lift_tunable_called(t->name, t->key, t->key));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(t->name, all.tunables[k].name);
    }
    lift_arena_destroy(arena);
    survives_printing(term);
    return all.tunable_count;
}

static void check_families(struct explore_problem *p, struct lift_rules *rules, int least)
{
    static const enum lift_dialect dialects[] = {LIFT_DIALECT_OPENMP, LIFT_DIALECT_CUDA};
    int count = 0;

    for (int i = 0; i < lift_family_count(rules); i++)
        for (int d = 0; d < 2; d++) {
            struct lift_str why = {0};
            lift_expr term = configurations_term(p, rules, dialects[d],
                                                 lift_family_get(rules, i)->name, &why);

            if (term)
                count += names_of(term);
            lift_str_fini(&why);
        }
    assert_true(count >= least);
    explore_problem_destroy(p);
}

static void test_families(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    check_families(load_text(line), rules, 20);
    check_families(load_program("jacobi2d5", NULL, 0), rules, 100);
    check_families(load_program("jacobi3d7", NULL, 0), rules, 200);
    check_families(load_steps("jacobi3d7", LIFT_F32, 2, NULL, 0), rules, 20);
    lift_rules_destroy(rules);
}

/* A configuration by the former names, as an older database has it. */
static char *former_json(const struct lift_space *space, const int *point)
{
    json_t *object = json_object();
    char *text;

    for (int i = 0; i < lift_space_param_count(space); i++) {
        const struct lift_param *p = lift_space_param(space, i);

        assert_non_null(p->former);
        json_object_set_new(object, p->former, json_integer(p->values[point[i]]));
    }
    text = json_dumps(object, JSON_SORT_KEYS);
    json_decref(object);
    return text;
}

static void test_former_names(void **state)
{
    struct explore_problem *p = load_program("jacobi3d7", NULL, 0);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_rng rng;
    struct lift_str why = {0};
    struct candidate_space_request request = {.problem = p, .device = &opencl_gpu};
    struct candidate_space candidates;
    int point[LIFT_SPACE_PARAMS], read[LIFT_SPACE_PARAMS];
    char *json;

    (void)state;
    lift_rng_seed(&rng, 1);
    request.term = configurations_term(p, rules, LIFT_DIALECT_OPENCL, "smem", &why);
    assert_true(candidate_space_make(&request, &candidates, &why));
    assert_true(lift_space_sample(candidates.space, &rng, point));
    json = former_json(candidates.space, point);
    assert_non_null(strstr(json, "\"k2\""));
    assert_non_null(strstr(json, "\"local0\""));
    assert_true(lift_space_parse(candidates.space, json, read));
    for (int i = 0; i < lift_space_param_count(candidates.space); i++)
        assert_int_equal(read[i], point[i]);
    free(json);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

/* The naive kernel's block: x, y, z; 0: no such dimension. */
static void naive_block(struct explore_problem *p, int most, int64_t out[3])
{
    static const char *const names[3] = {"block_x", "block_y", "block_z"};
    struct lift_device_info device = opencl_gpu;
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d = derive_create(p, rules, device.dialect);
    struct candidate_space_request request = {.problem = p, .device = &device};
    struct lift_str why = {0};
    struct candidate_space candidates;
    struct explore_numbers numbers;
    struct derive_leaf leaf;
    int point[LIFT_SPACE_PARAMS];

    device.max_group_size = most;
    assert_true(configurations_naive(d, &leaf, &why));
    request.term = d->nodes[leaf.node].term;
    request.conditions = leaf.conditions;
    assert_true(candidate_space_make(&request, &candidates, &why));
    assert_true(candidate_space_nearest(&candidates, "{}", point));
    explore_numbers_of(p, &candidates, point, &numbers);
    for (int i = 0; i < 3; i++)
        out[i] = explore_launch_number(&numbers, names[i], 0);
    derive_destroy(d);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void assert_block(const int64_t block[3], int x, int y, int z)
{
    assert_int_equal(block[0], x);
    assert_int_equal(block[1], y);
    assert_int_equal(block[2], z);
}

static void test_naive_blocks(void **state)
{
    static const struct lift_size_setting small[] = {{"nx", 5}, {"ny", 3}};
    int64_t block[3];

    (void)state;
    naive_block(load_text(line), 1024, block);
    assert_block(block, 256, 0, 0);
    naive_block(load_program("star2d1r", NULL, 0), 1024, block);
    assert_block(block, 64, 4, 0);
    naive_block(load_program("star2d1r", small, 2), 1024, block);
    assert_block(block, 64, 4, 0);
    naive_block(load_program("star3d1r", NULL, 0), 1024, block);
    assert_block(block, 64, 4, 1);
    naive_block(load_program("star3d1r", NULL, 0), 128, block);
    assert_int_equal(block[0] * block[1] * block[2], 128);
    assert_true(block[0] >= 32);
}

static void test_words(void **state)
{
    int count;
    const struct lift_tunable_word *words = lift_tunable_words(&count);

    (void)state;
    for (int i = 0; i < count; i++) {
        char name[LIFT_TUNABLE_NAME];
        int dim = words[i].kind == LIFT_TUNABLE_DIMENSIONAL ? 2 : -1;

        assert_false(has_digit(words[i].word));
        assert_true(strlen(words[i].meaning) > 10);
        lift_tunable_name(name, words[i].word, dim, 1, true);
        assert_ptr_equal(lift_tunable_word_of(name), &words[i]);
        if (words[i].kind == LIFT_TUNABLE_LAUNCH)
            assert_string_equal(lift_tunable_now(words[i].former), words[i].word);
    }
    assert_null(lift_tunable_word_of("tile"));
    assert_null(lift_tunable_word_of("vector_x"));
    assert_null(lift_tunable_word_of("k0"));
}

static void test_compilers(void **state)
{
    (void)state;
    assert_string_equal(lift_tunable_value_word("compiler", LIFT_CLANG), "clang");
    assert_int_equal(lift_tunable_value("compiler", "gcc", 3), LIFT_GCC);
    assert_int_equal(lift_tunable_value("compiler", "icc", 3), -1);
    assert_null(lift_tunable_value_word("tile_x", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families), cmocka_unit_test(test_former_names),
        cmocka_unit_test(test_naive_blocks), cmocka_unit_test(test_words),
        cmocka_unit_test(test_compilers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
