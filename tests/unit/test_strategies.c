/* The shipped kernel families, on programs: each yields a low-level term that equals the
 * program, and a kernel that computes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate_space.h"
#include "explore/runner.h"
#include "meaning.h"
#include "only.h"
#include "points.h"
#include "problem_world.h"
#include "rules/strategy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4 }; /* of the tuning space; the first alone is run on devices */

static const struct lift_device_info host = {.name = "host",
                                             .arch = "x86_64 avx2",
                                             .dialect = LIFT_DIALECT_OPENMP,
                                             .local_bytes = 1 << 20};

/* The target of the terms, and a device of its kind to run them; NULL: no device. */
struct target {
    const struct lift_device_info *info;
    struct lift_device *device;
};

/* 'shows' stands in the source of the kernel, unless a loop has but one iteration. */
static const struct family {
    const char *name, *shows;
} host_families[] =
    {
        {"omp_rows", "omp parallel for"},
        {"omp_blocked", "omp parallel for"},
        {"omp_collapse", "collapse(2)"},
        {"omp_tasks", "taskloop grainsize(1) collapse(2)"},
        {"omp_taskloop", "omp taskloop\n"},
        {"omp_shift", "omp parallel for"},
        {"omp_unroll", "omp parallel for"},
},
  gpu_families[] = {
      {"gmem", "get_global_id(0)"},
      {"tiled", "get_local_id(0)"},
      {"smem", "local float"},
      {"shift", "get_global_id(0)"},
      {"unroll", "get_global_id(0)"},
      {"shift_tiled", "get_local_id(0)"},
      {"unroll_tiled", "get_local_id(0)"},
};

/* NULL without a device of the kind. */
static struct lift_device *open_device(const char *name)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open(name, &failure);

    if (!device)
        print_message("kernels are not run: %s\n", lift_str_get(&failure.text));
    lift_error_fini(&failure);
    return device;
}

static void close_device(struct lift_device *device)
{
    if (device)
        lift_device_close(device);
}

static void good(bool ok, const struct lift_error *failure)
{
    if (!ok)
        fail_msg("%s", lift_str_get(&failure->text));
}

/* Single precision against the interpreter's double. */
static void assert_close(const struct runner_data *data, int output,
                         const struct explore_answer *want)
{
    enum lift_scalar scalar = data->outputs[output].scalar;

    assert_int_equal(data->outputs[output].count, want->leaves[output].count);
    for (int64_t k = 0; k < want->leaves[output].count; k++) {
        double is = explore_element(runner_result(), scalar, k);

        if (!(fabs(is - want->data[output][k]) <= 1e-4 * (1 + fabs(is))))
            fail_msg("output %d is %g instead of %g at %lld", output, is,
                     want->data[output][k], (long long)k);
    }
}

/* Compiles and runs the kernel of a request, and compares all that it writes. */
static void assert_runs(const struct runner_request *r, const struct explore_numbers *n,
                        struct lift_device *device)
{
    const struct explore_answer *want = meaning_of(r->problem, n);
    struct runner_module m;
    struct runner_data data;
    struct lift_error failure = {0};
    struct lift_str text = {0};

    if (!runner_generate(r, &m, &text))
        fail_msg("no code: %s", lift_str_get(&text));
    good(runner_build(device, &m, "", &text, &failure), &failure);
    good(
        runner_data_create(r->problem, device, r->numbers, MEANING_SEED, &data, &failure),
        &failure);
    good(runner_fit(device, &m, &data, &failure), &failure);
    good(runner_poison(device, &data, &failure), &failure);
    good(runner_launch(device, &m, &data, 1, NULL, &failure), &failure);
    assert_int_equal(want->count, data.output_count);
    for (int i = 0; i < want->count; i++) {
        good(runner_read(device, &data, i, &failure), &failure);
        assert_close(&data, i, want);
    }
    runner_data_destroy(device, &data);
    runner_unload(device, &m);
    lift_str_fini(&text);
}

/* True if 'shows' stands in the source. */
static bool source_shows(const struct runner_request *r, const char *shows)
{
    struct runner_module m;
    struct lift_str why = {0};
    bool shown;

    if (!runner_generate(r, &m, &why))
        fail_msg("no code: %s", lift_str_get(&why));
    shown = strstr(m.module->source, shows) != NULL;
    runner_unload(NULL, &m);
    lift_str_fini(&why);
    return shown;
}

static void check_space(const struct explore_problem *p,
                        const struct candidate_space *candidates,
                        const struct target *target, const char *shows)
{
    struct lift_rng rng;
    struct lift_str why = {0};
    int point[LIFT_SPACE_PARAMS];
    bool shown = false;

    lift_rng_seed(&rng, 3);
    for (int i = 0; i < (getenv("LIFT_TEST_DEVICES_ONLY") ? 1 : POINTS); i++) {
        struct explore_numbers n;
        struct runner_request r = {.problem = p,
                                   .term = candidates->term,
                                   .numbers = &n.env,
                                   .dialect = target->info->dialect,
                                   .local = {4, 2, 1}};

        assert_true(lift_space_sample(candidates->space, &rng, point));
        explore_numbers_of(p, candidates, point, &n);
        shown |= source_shows(&r, shows);
        if (!explore_small_sizes(p, candidates, &n, &why))
            fail_msg("%s", lift_str_get(&why));
        assert_means(p, candidates, &n);
        if (i == 0 && target->device)
            assert_runs(&r, &n, target->device);
    }
    if (!shown)
        fail_msg("no '%s' in the source", shows);
    lift_str_fini(&why);
}

/* Of a family, or of a macro that is one for each number of dimensions. */
static lift_strategy strategy_of(const struct lift_rules *rules,
                                 struct explore_problem *p, const char *name, int dims)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    const struct lift_rule *macro;
    char numbered[64];

    if (lift_family_find(rules, name))
        return point_strategy(arena, rules, name);
    snprintf(numbered, sizeof numbered, "%s(%d)", name, dims);
    macro = lift_rules_find(rules, numbered);
    assert_non_null(macro);
    return lift_strategy_rule(arena, macro);
}

static void check(const struct lift_rules *rules, struct explore_problem *p,
                  const struct family *f, int dims, const struct target *target)
{
    struct lift_steps steps = {0};
    struct lift_str why = {0};
    struct candidate_space candidates;
    struct lift_loops loops = {0};
    lift_expr term;

    term =
        lift_strategy_run(p->ir, strategy_of(rules, p, f->name, dims), p->root, &steps);
    if (!term)
        fail_msg("'%s' does not apply to '%s'", f->name, p->name);
    lift_loops_find(term, false, &loops);
    for (int i = 0; i < loops.count; i++)
        if (loops.items[i].map->op == LIFT_MAP)
            fail_msg("'%s' leaves a loop of '%s' without a level", f->name, p->name);
    lift_loops_fini(&loops);
    if (!candidate_space_make(
            &(struct candidate_space_request){
                .problem = p,
                .device = target->info,
                .term = term,
                .conditions = {steps.conditions, steps.condition_count}},
            &candidates, &why))
        fail_msg("'%s' of '%s': %s", f->name, p->name, lift_str_get(&why));
    print_message("%s of %s: %d steps\n", f->name, p->name, steps.count);
    check_space(p, &candidates, target, f->shows);
    lift_steps_fini(&steps);
    lift_str_fini(&why);
}

static void check_all(const char *program, int dims, const struct target *target,
                      const struct family *families, size_t count)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct explore_problem *p = load_program(program, NULL, 0);

    for (size_t i = 0; i < count; i++)
        check(rules, p, &families[i], dims, target);
    explore_problem_destroy(p);
    lift_rules_destroy(rules);
}

static const struct {
    const char *name;
    int dims;
} programs[] = {{"jacobi3d7", 3}, {"acoustic", 3}, {"hotspot2d", 2},
                {"srad2", 2},     {"fd_xyz", 3},   {"acoustic_iso", 3}};

static void test_host(void **state)
{
    struct target target = {&host, open_device("host")};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check_all(programs[i].name, programs[i].dims, &target, host_families,
                  sizeof host_families / sizeof *host_families);
    close_device(target.device);
}

static void test_opencl(void **state)
{
    struct target target = {&opencl_gpu, open_device("opencl:0")};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check_all(programs[i].name, programs[i].dims, &target, gpu_families,
                  sizeof gpu_families / sizeof *gpu_families);
    close_device(target.device);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_opencl),
    };

    only(argc, argv);
    return cmocka_run_group_tests_name("strategies", tests, NULL, NULL);
}
