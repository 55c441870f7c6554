/* Straight-line code that would take compilers minutes is rejected before compilation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate.h"
#include "explore/configurations.h"
#include "problem_world.h"

static const struct lift_device_info host = {.name = "host",
                                             .arch = "x86_64",
                                             .dialect = LIFT_DIALECT_OPENMP,
                                             .local_bytes = 1 << 20};
static const struct lift_device_info pocl = {.name = "pocl",
                                             .arch = "none",
                                             .is_cpu = true,
                                             .dialect = LIFT_DIALECT_OPENCL,
                                             .max_group_size = 256,
                                             .max_group_dims = {256, 256, 64},
                                             .local_bytes = 48 * 1024};

/* Applies 'stage' to the grid 'x' of three dimensions several times. */
static struct explore_problem *load(const char *stage, int times)
{
    struct lift_str text = {0};
    struct lift_error errors = {0};
    struct lift_source source = {.name = "test.lift"};
    struct explore_problem *p;

    lift_str_addf(&text, "size n = 32\nfun stage(x) = %s\n", stage);
    lift_str_add(&text, "stencil f(x: [[[f32]n]n]n) -> y = ");
    for (int i = 0; i < times; i++)
        lift_str_add(&text, "stage(");
    lift_str_add(&text, "x");
    for (int i = 0; i < times; i++)
        lift_str_add(&text, ")");
    source.text = text.data;
    source.len = text.len;
    p = explore_problem_load(&source, NULL, 0, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_error_fini(&errors);
    lift_str_fini(&text);
    return p;
}

/* The program in one loop nest, with reductions unrolled, or as loops. */
struct trial {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    bool unrolled, any_length;
};

static bool has_source(const struct trial *t, struct lift_str *why)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d = derive_create(t->problem, rules, t->device->dialect);
    const struct configurations_spaces from = {.derivation = d, .device = t->device};
    struct lift_configuration one = {{0}};
    struct candidate_space candidates;
    struct explore_numbers numbers;
    struct runner_module module = {0};
    int point[LIFT_SPACE_PARAMS] = {0};
    bool made;

    assert_true(lift_configuration_read(
        rules, t->unrolled ? "sequential,unrolling=full" : "sequential", &one, why));
    if (!configurations_add(d, &one)) {
        lift_str_add(why, configurations_why_none(d));
        derive_destroy(d);
        lift_rules_destroy(rules);
        return false;
    }
    assert_true(configurations_space(&from, &d->leaves[0], &candidates, why));
    assert_true(lift_expr_mentions(candidates.term, LIFT_REDUCE_UNROLL) == t->unrolled);
    assert_true(lift_space_next(candidates.space, point, true));
    explore_numbers_of(t->problem, &candidates, point, &numbers);
    made = candidate_generate(&(struct candidate_request){.problem = t->problem,
                                                          .device = t->device,
                                                          .candidates = &candidates,
                                                          .point = point,
                                                          .any_length = t->any_length},
                              &numbers, &module, why);
    runner_unload(NULL, &module);
    derive_destroy(d);
    lift_rules_destroy(rules);
    return made;
}

/* NULL: there is a source. */
static void assert_refused(const struct trial *t, const char *reason)
{
    struct lift_str why = {0};
    bool made = has_source(t, &why);

    if (made == (reason != NULL) || (reason && !strstr(lift_str_get(&why), reason)))
        fail_msg("%s: %s", t->device->name, lift_str_get(&why));
    lift_str_fini(&why);
}

#define MEAN(n, r)                                                                       \
    "map3(fun(w => reduce(add, 0.0f, join(join(w)))), slide3(" n ", 1, pad3(" r ", " r   \
    ", clamp, x)))"

/* Nineteen thousand reads for a point, in a loop of three nested ones or one by one. */
static void test_nested(void **state)
{
    struct explore_problem *p = load(MEAN("3", "1"), 3);

    (void)state;
    assert_refused(&(struct trial){p, &host, true, false}, "straight-line code of ");
    assert_refused(&(struct trial){p, &opencl_gpu, true, false}, ": at most 8192");
    assert_refused(&(struct trial){p, &pocl, true, false}, ": at most 4096");
    assert_refused(&(struct trial){p, &host, false, false}, NULL);
    assert_refused(&(struct trial){p, &opencl_gpu, false, false}, NULL);
    assert_refused(&(struct trial){p, &opencl_gpu, true, true}, NULL);
    explore_problem_destroy(p);
}

#define SUM(f, x) "reduce(fun(s, e => s + " f "), 0.0f, " x ")"

/* The largest stencil that ships has as many points. */
static void test_large(void **state)
{
    struct explore_problem *p = load(
        "map3(fun(w => " SUM(SUM(SUM("e", "e"), "e"), "w") "), slide3(9, 1, pad3(4, 4, "
                                                           "clamp, x)))",
        1);

    (void)state;
    assert_refused(&(struct trial){p, &host, true, false}, NULL);
    assert_refused(&(struct trial){p, &opencl_gpu, true, false}, NULL);
    assert_refused(&(struct trial){p, &pocl, true, false}, NULL);
    explore_problem_destroy(p);
}

#define STAR                                                                             \
    "map3(fun(w => w[0][1][1] + w[1][0][1] + w[1][1][0] + w[1][1][1] + w[1][1][2] + "    \
    "w[1][2][1] + w[2][1][1]), slide3(3, 1, pad3(1, 1, clamp, x)))"

/* Seven to the power of nine reads, of which few differ. */
static void test_reads(void **state)
{
    struct explore_problem *p = load(STAR, 9);

    (void)state;
    assert_refused(&(struct trial){p, &host, false, false}, "10 million steps");
    explore_problem_destroy(p);
}

/* Forty-six thousand reads: a plan would compile them, if there were no limit at all. */
static void test_whole(void **state)
{
    struct explore_problem *p = load(MEAN("6", "2"), 2);

    (void)state;
    assert_refused(&(struct trial){p, &pocl, true, true}, "a kernel of ");
    assert_refused(&(struct trial){p, &pocl, true, true}, ": at most 32768");
    assert_refused(&(struct trial){p, &pocl, false, false}, NULL);
    explore_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
