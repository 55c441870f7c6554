/* Kernels for every kind of result: each low-level expression yields a source, and its
 * term equals the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate.h"
#include "explore/configurations.h"
#include "meaning.h"
#include "problem_world.h"
#include <stdlib.h>
#include <string.h>

/* After the sizes n and m, the parameter k and the inputs x, z (rows), g, h (grids), q
 * (integers). */
static const char *const results[] = {
    "x",
    "map(fun(e => e), x)",
    "array(n, fun(i => f32(i) * 0.5f))",
    "array2(m, n, fun(i, j => f32(i) * 0.5f + f32(j)))",
    "reorder(fun(i => n - 1 - i), x)",
    "reorder(fun(i => n - 1 - i), map(fun(e => e + 1.0f), x))",
    "pad(2, 3, clamp, x)",
    "pad(2, 1, value fun(i, l => f32(i + l)), map(fun(e => e + 1.0f), x))",
    "pad2(2, 1, mirror, g)",
    "slide(3, 2, x)",
    "slide2(3, 1, g)",
    "slide(2, 1, map(fun(e => e * e), x))",
    "transpose(g)",
    "map(fun(r => transpose(slide(2, 1, r))), g)",
    "take(3, x)",
    "drop(3, map(fun(e => e + 1.0f), x))",
    "concat(x, map(fun(e => e + 1.0f), x), pad(1, 0, wrap, z))",
    "split(1, join(g))",
    "g[1]",
    "map(fun(r => r[1]), g)",
    "map(fun(w => w[2]), slide(3, 1, x))",
    "reduce(add, 0.0f, x)",
    "x[2]",
    "let y = pad(1, 1, wrap, x) in y",
    "let t = map(fun((a, b) => (a + b, a * b)), zip(x, z)) in unzip(t).0",
    "let t = zip(x, z) in (unzip(t).1, map(fun(e => e.0 - e.1), t))",
    "zip(x, map(fun(e => 2.0f * e), z))",
    "zip2(g, h)",
    "(g, pad(1, 0, clamp, x), map(fun(e => e + 1.0f), z), x[0])",
    "if k > 0i then x else z",
    "if k > 0i then map(fun(e => 2.0f * e), x) else z",
    "if k > 0i then (if k > 2i then map2(sqrt, g) else h) else pad2(1, 0, clamp, "
    "take2((m - 1, n - 1), g))",
    "if k > 0i then (x, map2(abs, g)) else (map(fun(e => e + 1.0f), x), h)",
    "(if k > 0i then x else pad(0, 1, clamp, drop(1, x)), g)",
    "map(fun((a, b) => if a[0] > 0.0f then map(fun(e => e + 1.0f), a) else b), zip(g, "
    "h))",
    "inset(1, 2, x, drop(3, z))",
    "inset2(1, 1, g, take2((m - 2, n - 2), h))",
    "map(fun(e => e + 1i), q)",
    "(q, map(fun(e => -e), q))",
    "map(fun(e => f64(e) * 0.1d), x)",
    "pad(1, 2, constant (1.0f, 7i), zip(x, q))",
    "map(fun(w => w[0].0 + f32(w[2].1)), slide(3, 1, pad(1, 1, constant (1, 2), zip(x, "
    "q))))",
    "reduce(fun(a, r => map(fun((p, e) => p + e), zip(a, r))), x, g)",
    "map(fun(w => reduce(fun((a, s), e => (s, a - e)), (0.0f, 0.5f), w)), slide(3, 1, "
    "x))",
    "map(fun(w => reduce(fun(a, e => array(2, fun(i => a[1] * f32(i) + e))), "
    "array(2, fun(i => 1.0f)), w)), slide(3, 1, x))",
    "map(fun(r => reduce(fun((l, s), e => (e > 0.5f, if l then e else s)), "
    "(false, 0.0f), map(fun(e => e), r)).1), g)",
};

enum { RESULTS = sizeof results / sizeof *results };

static const struct lift_device_info devices[] = {
    {.name = "host",
     .arch = "x86_64 avx512f",
     .dialect = LIFT_DIALECT_OPENMP,
     .local_bytes = 1 << 20},
    {.name = "gpu",
     .arch = "none",
     .dialect = LIFT_DIALECT_OPENCL,
     .max_group_size = 256,
     .max_group_dims = {256, 256, 64},
     .local_bytes = 48 * 1024},
};

static struct explore_problem *load(const char *result)
{
    static const char head[] =
        "size n = 13, m = 6\nparam k: i32 = 1\n"
        "stencil f(x: [f32]n, z: [f32]n, g: [[f32]n]m, h: [[f32]n]m, q: [i32]n)";
    static const char *const names[] = {"", "a", "(a, b)", "(a, b, c)", "(a, b, c, d)"};
    struct explore_problem *p = NULL;

    for (int outputs = 1; !p && outputs < 5; outputs++) {
        char text[1024];
        struct lift_source source = {"test.lift", text, 0};
        struct lift_error errors = {0};

        snprintf(text, sizeof text, "%s -> %s = %s\n", head, names[outputs], result);
        source.len = strlen(text);
        p = explore_problem_load(&source, NULL, 0, &errors);
        if (!p && outputs == 4)
            lift_error_print(&errors, stderr);
        lift_error_fini(&errors);
    }
    assert_non_null(p);
    return p;
}

static void assert_source(const struct candidate_request *request,
                          const struct explore_numbers *n)
{
    struct runner_module module = {0};
    struct lift_str why = {0};

    if (!candidate_generate(request, n, &module, &why))
        fail_msg("%s", lift_str_get(&why));
    runner_unload(NULL, &module);
    lift_str_fini(&why);
}

/* False if no values of its tunables fit the sizes. */
static bool check_leaf(const struct explore_problem *p, const struct derivation *d,
                       int leaf, const struct lift_device_info *device)
{
    struct candidate_space candidates;
    struct lift_str why = {0};
    struct lift_rng rng;
    struct explore_numbers n;
    int point[LIFT_SPACE_PARAMS];
    struct candidate_request request = {
        .problem = p, .device = device, .candidates = &candidates, .point = point};
    struct candidate_space_request asked = {.problem = p,
                                            .device = device,
                                            .term = d->nodes[d->leaves[leaf].node].term,
                                            .conditions = d->leaves[leaf].conditions};

    lift_rng_seed(&rng, 3);
    if (!candidate_space_make(&asked, &candidates, &why)) {
        lift_str_fini(&why);
        return false;
    }
    assert_true(lift_space_sample(candidates.space, &rng, point));
    explore_numbers_of(p, &candidates, point, &n);
    assert_source(&request, &n);
    assert_true(explore_small_sizes(p, &candidates, &n, &why));
    assert_means(p, &candidates, &n);
    assert_source(&request, &n);
    lift_str_fini(&why);
    return true;
}

/* Takes the problem. */
static void check(struct explore_problem *p, const char *what,
                  const struct lift_device_info *device)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct derivation *d = derive_create(p, rules, device->dialect);
    int checked = 0;

    configurations_add_families(d, 4);
    for (int i = 0; i < d->leaf_count; i++)
        checked += check_leaf(p, d, i, device);
    if (checked == 0)
        fail_msg("no low-level expression of '%s' for %s", what, device->name);
    derive_destroy(d);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
}

static void test_host(void **state)
{
    (void)state;
    for (int i = 0; i < RESULTS; i++)
        check(load(results[i]), results[i], &devices[0]);
}

static void test_groups(void **state)
{
    (void)state;
    for (int i = 0; i < RESULTS; i++)
        check(load(results[i]), results[i], &devices[1]);
}

/* ---- large programs */

static void check_text(struct lift_str *text, const char *what)
{
    for (int i = 0; i < 2; i++)
        check(load_text(text->data), what, &devices[i]);
    lift_str_fini(text);
}

static void check_sum(int terms)
{
    struct lift_str text = {0};

    lift_str_add(&text, "size n = 3000\nstencil f(x: [f32]n) -> y = map(fun(w => w[0]");
    for (int i = 1; i < terms; i++)
        lift_str_addf(&text, " + %d.5f * w[%d]", i % 7, i);
    lift_str_addf(&text, "), slide(%d, 1, pad(%d, 0, clamp, x)))\n", terms, terms - 1);
    check_text(&text, "a long sum");
}

static void test_long_sum(void **state)
{
    (void)state;
    check_sum(2000);
}

static void test_many_reductions(void **state)
{
    struct lift_str text = {0};

    (void)state;
    lift_str_add(&text, "size n = 30\nstencil f(x: [f32]n) -> y = map(fun(w => w[0]");
    for (int i = 0; i < 120; i++)
        lift_str_addf(&text, " + reduce(add, %d.0f, take(2, w))", i);
    lift_str_add(&text, "), slide(3, 1, x))\n");
    check_text(&text, "a sum of 120 reductions");
}

/* Each output has an interior and six parts of a border. */
static void test_many_kernels(void **state)
{
    struct lift_str text = {0};

    (void)state;
    lift_str_add(&text, "size n = 8\nstencil f(x: [[[f32]n]n]n) -> (");
    for (int i = 0; i < 10; i++)
        lift_str_addf(&text, "%sy%d", i ? ", " : "", i);
    lift_str_add(&text, ") = (");
    for (int i = 0; i < 10; i++)
        lift_str_addf(&text,
                      "%sinset3(1, 1, x, map3(fun(w => w[%d][1][0]), slide3(3, 1, x)))",
                      i ? ", " : "", i % 3);
    lift_str_add(&text, ")\n");
    check(load_text(text.data), "seventy kernels", &devices[0]);
    lift_str_fini(&text);
}

static void test_long_windows(void **state)
{
    struct lift_str text = {0};

    (void)state;
    lift_str_add(&text, "size n = 3000\nstencil f(x: [f32]n) -> y =\n"
                        "    map(fun(w => reduce(add, 0.0f, w)),\n"
                        "        slide(257, 1, pad(128, 128, wrap, x)))\n");
    check_text(&text, "windows of 257");
    lift_str_add(&text, "size n = 640, m = 640\nstencil f(x: [[f32]n]m) -> y =\n"
                        "    map2(fun(w => w[0][0] - w[64][30]),\n"
                        "        slide2(65, 1, pad2(32, 32, mirror, x)))\n");
    check_text(&text, "windows of 65 by 65");
}

/* With four dimensions of nested views the interpreter takes hundreds of steps for an
 * operation. There, small sizes are smaller, and the work is at most four times the
 * target. */
static void test_steps(void **state)
{
    struct lift_str text = {0}, why = {0};
    struct explore_problem *p;
    struct explore_numbers n;
    struct explore_answer answer;

    (void)state;
    lift_str_add(&text,
                 "size n = 3\n"
                 "fun most(w) = reduce(max, 0.0f, join(join(join(w))))\n"
                 "fun sum(w) = reduce(add, 0.0f, join(join(join(w))))\n"
                 "stencil f(x: [[[[f32](2 * n)](2 * n)](2 * n)](2 * n)) -> y =\n"
                 "    map4(sum, tile4(2, map4(most, slide4(3, 1, pad4(1, 1, mirror, "
                 "x)))))\n");
    p = load_text(text.data);
    assert_true(explore_problem_ready(p, NULL, NULL));
    explore_numbers_of(p, NULL, NULL, &n);
    assert_true(explore_small_sizes(p, NULL, &n, &why));
    assert_true(explore_interpret(
        &(struct explore_question){p, p->root, &n.env, 1, false, NULL}, &answer, &why));
    assert_in_range(answer.steps, 1000, 4 * 64 * 1000 * 1000);
    explore_answer_fini(&answer);
    explore_problem_destroy(p);
    lift_str_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),         cmocka_unit_test(test_groups),
        cmocka_unit_test(test_long_sum),     cmocka_unit_test(test_many_reductions),
        cmocka_unit_test(test_many_kernels), cmocka_unit_test(test_long_windows),
        cmocka_unit_test(test_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
