/* Several steps of a time loop as one program, by the interpreter: its time loop equals
 * that of the single step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "ir/eval.h"
#include "lift/program.h"
#include "time_loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A grid of tuples with members that read each other, and a constant input. */
static const char two_fields[] =
    "size nx = 7, ny = 5\n"
    "type g = [[f32]nx]ny\n"
    "param k: f32 = 0.25\n"
    "stencil two(a: g, b: g, c: g) -> (x, y) =\n"
    "    map2(fun((w, v, s) => (v[1][1] + k * (w[0][1] + w[2][1]) * s,\n"
    "        w[1][1] - 0.5 * v[1][0])),\n"
    "        zip2(slide2(3, 1, pad2(1, 1, clamp, a)),\n"
    "            slide2(3, 1, pad2(1, 1, wrap, b)), c))\n"
    "time (a, b) <- (x, y)\n";

/* Inputs become each other, through more than one step; an unused output; a name that is
 * in use; 'let's around the outputs. */
static const char chain[] =
    "size n = 9\n"
    "stencil chain(u: [f32]n, v: [f32]n, w: [f32]n, next_before: [f32]n) -> (next, sum) "
    "{\n"
    "    val windows = map(fun(x => x[0] + 0.5 * x[2]), slide(3, 1, pad(1, 1, clamp, "
    "w)))\n"
    "    return (map(fun((a, b) => a - 0.25 * b), zip(windows, u)),\n"
    "        map(fun((a, b) => a + b), zip(windows, v)))\n"
    "}\n"
    "time (u, v, w) <- (v, w, next)\n";

/* A program that has a type for the default sizes only. */
static const char numbers[] = "size n = 12\n"
                              "stencil numbers(x: [f32]n) -> y =\n"
                              "    map(fun((a, b) => a + 0.5 * b), zip(x, array(12, "
                              "i => f32(i))))\n"
                              "time (x) <- (y)\n";

static void load_source(const char *name, struct lift_source *out)
{
    struct lift_error errors = {0};
    char path[512];

    if (strchr(name, '\n')) {
        *out = (struct lift_source){lift_strdup("test"), lift_strdup(name), strlen(name)};
        return;
    }
    snprintf(path, sizeof path, "%s/programs/%s.lift", getenv("LIFT_SOURCE_DIR"), name);
    assert_true(lift_source_load(path, out, &errors));
}

/* Inputs after some steps, by name: the first names in 'b' are the program's, then those
 * of its parameters. */
static void advance(const struct lift_program *p, int steps, struct lift_arena *arena,
                    struct lift_binding *b)
{
    struct lift_eval_env env = {.values = b,
                                .value_count = p->input_count + p->param_count};

    for (int n = 0; n < steps; n++)
        advance_once(p, &env, arena, b);
}

static void bind_all(const struct lift_program *p, struct lift_arena *arena,
                     struct lift_binding b[LIFT_MAX_ARGS + LIFT_MAX_SCALARS])
{
    struct lift_rng rng;

    lift_rng_seed(&rng, 5);
    for (int i = 0; i < p->input_count; i++) {
        int64_t count;
        double *data;

        assert_true(lift_type_scalars(p->inputs[i].type, NULL, NULL, &count));
        data = malloc((size_t)count * sizeof *data);
        for (int64_t k = 0; k < count; k++)
            data[k] = 1 + lift_rng_unit(&rng);
        b[i].name = p->inputs[i].name;
        assert_true(lift_value_from_doubles(arena, p->inputs[i].type, NULL, NULL, data,
                                            &b[i].value));
        free(data);
    }
    for (int i = 0; i < p->param_count; i++)
        b[p->input_count + i] = (struct lift_binding){
            p->params[i].name, lift_value_float(p->params[i].value)};
}

static const struct lift_program *load(struct lift_ir *ir,
                                       const struct lift_source *source,
                                       const struct lift_program_options *o)
{
    struct lift_error errors = {0};
    const struct lift_program *p = lift_program_load(ir, source, o, &errors);

    lift_error_print(&errors, stderr);
    assert_non_null(p);
    return p;
}

static void assert_equal(const struct lift_value *a, const struct lift_value *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == LIFT_VALUE_FLOAT) {
        assert_true(a->u.number == b->u.number);
        return;
    }
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++)
        assert_equal(&a->u.items[i], &b->u.items[i]);
}

/* 'repeat' times a block of 'steps' steps equals single steps. */
static void check(const char *name, const struct lift_program_options *o, int steps,
                  int repeat)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_arena *arena = lift_arena_create();
    struct lift_binding want[LIFT_MAX_ARGS + LIFT_MAX_SCALARS] = {{0}};
    struct lift_binding got[LIFT_MAX_ARGS + LIFT_MAX_SCALARS];
    struct lift_source source;
    struct lift_error errors = {0};
    const struct lift_program *one, *many;

    load_source(name, &source);
    one = load(ir, &source, o);
    assert_true(lift_source_steps(&source, steps, &errors));
    many = load(ir, &source, o);
    assert_int_equal(many->steps, steps);
    assert_string_equal(many->name, one->name);
    assert_int_equal(lift_hash_equal(lift_program_id(one), lift_program_id(many)),
                     steps == 1);
    bind_all(one, arena, want);
    memcpy(got, want, sizeof got);
    advance(one, steps * repeat, arena, want);
    advance(many, repeat, arena, got);
    for (int i = 0; i < one->input_count; i++)
        assert_equal(&want[i].value, &got[i].value);
    lift_source_free(&source);
    lift_arena_destroy(arena);
    lift_ir_destroy(ir);
}

static void test_meaning(void **state)
{
    static const struct lift_size_setting odd[] = {{"nx", 7}, {"ny", 5}, {"nz", 3}};
    static const struct lift_size_setting wide[] = {{"nx", 9}, {"ny", 11}, {"nz", 9}};
    static const struct {
        const char *name;
        const struct lift_size_setting *sizes;
        int size_count;
    } cases[] = {{"jacobi2d5", odd, 2}, {"acoustic", odd, 3}, {"acoustic_iso", wide, 3},
                 {"heat", odd, 3},      {"srad", odd, 2},     {"elastic2d", odd, 2},
                 {two_fields, odd, 2},  {chain, NULL, 0},     {numbers, NULL, 0}};
    static const int steps[] = {1, 2, 3, 7};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            struct lift_program_options o = {.sizes = cases[i].sizes,
                                             .size_count = cases[i].size_count};

            check(cases[i].name, &o, steps[k], 2);
        }
}

static void check_text(const char *name, int steps, const char *wanted)
{
    struct lift_source source;
    struct lift_error errors = {0};

    load_source(name, &source);
    assert_true(lift_source_steps(&source, steps, &errors));
    if (!strstr(source.text, wanted))
        fail_msg("no '%s' in\n%s", wanted, source.text);
    lift_source_free(&source);
}

/* Values of earlier steps that the time loop needs get names; sizes stay symbolic where
 * possible. */
static void test_text(void **state)
{
    (void)state;
    check_text("jacobi2d5", 2, "-> out =\n    let grid_1 = ");
    check_text("jacobi2d5", 2, "time (grid) <- (out)\nsteps 2\n");
    check_text("acoustic", 3, "-> (next, next_before) =");
    check_text("acoustic", 3, "time (prev, cur) <- (next_before, next)\nsteps 3\n");
    check_text(chain, 2, "time (u, v, w) <- (w, next_before_, next)\nsteps 2\n");
    check_text(chain, 3,
               "time (u, v, w) <- (next_before2, next_before_, next)\nsteps 3\n");
    check_text(two_fields, 2, "size nx = 7\nsize ny = 5\n");
    check_text(numbers, 2, "size n = 12 in 12..12\n");
}

static void refuses(const char *name, int steps, const char *why)
{
    struct lift_source source;
    struct lift_error errors = {0};
    size_t len;

    load_source(name, &source);
    len = source.len;
    assert_false(lift_source_steps(&source, steps, &errors));
    assert_int_equal(lift_error_count(&errors), 1);
    if (!strstr(lift_str_get(&errors.text), why))
        fail_msg("'%s'", lift_str_get(&errors.text));
    assert_int_equal(source.len, len);
    lift_error_fini(&errors);
    lift_source_free(&source);
}

static void test_refusals(void **state)
{
    (void)state;
    refuses("jacobi2d5", 0, "0 steps of 'jacobi2d5' a launch: 1 to 16 are possible");
    refuses("jacobi2d5", 17, "1 to 16 are possible");
    refuses("size n = 8\nstencil s(x: [f32]n) = x\n", 2, "it has no time loop");
    refuses("size n = 8\nstencil s(x: [f32]n) -> y = x time (x) <- (y) steps 2\n", 2,
            "it already states its number of steps");
    refuses("size n = 8\nstencil s(x: [f32]n) = q\n", 2, "'q'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
