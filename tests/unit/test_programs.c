/* Each program of programs/ against its plain C reference, by the interpreter, at small
 * odd sizes, and against its row in docs/programs.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "ir/eval.h"
#include "lift/program.h"
#include "ref/ref.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYER = 2 };

static const int sizes[][3] = {{13, 11, 7}, {5, 17, 9}, {33, 6, 5}};

/* With the default sizes if there are no options. */
static const struct lift_program *load_with(struct lift_ir *ir,
                                            const struct ref_program *ref,
                                            const struct lift_program_options *o)
{
    struct lift_error errors = {0};
    struct lift_source source;
    const struct lift_program *program = NULL;
    char path[512];

    snprintf(path, sizeof path, "%s/programs/%s.lift", getenv("LIFT_SOURCE_DIR"),
             ref->name);
    if (lift_source_load(path, &source, &errors))
        program = lift_program_load(ir, &source, o, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(program);
    lift_error_fini(&errors);
    lift_source_free(&source);
    return program;
}

/* The size after the grid's sizes is the width of a layer. */
static const struct lift_program *load(struct lift_ir *ir, const struct ref_program *ref,
                                       const struct ref_problem *p)
{
    const struct lift_program *usual = load_with(ir, ref, NULL);
    const int lengths[] = {p->nx, p->ny, p->nz};
    struct lift_size_setting s[LIFT_MAX_SIZES];
    struct lift_program_options o = {.sizes = s, .size_count = usual->size_count};

    for (int i = 0; i < usual->size_count; i++)
        s[i] = (struct lift_size_setting){usual->sizes[i].name,
                                          i < ref->dims ? lengths[i] : p->layer};
    return load_with(ir, ref, &o);
}

/* Away from zero, where some programs divide. */
static float *random_grid(size_t cells, uint64_t seed)
{
    float *grid = malloc(cells * sizeof *grid);
    struct lift_rng rng;

    lift_rng_seed(&rng, seed);
    for (size_t i = 0; i < cells; i++)
        grid[i] = (float)(0.5 + lift_rng_unit(&rng));
    return grid;
}

static void compare(const struct ref_program *ref, const float *want, const double *got,
                    size_t cells)
{
    for (size_t i = 0; i < cells; i++)
        if (!(fabs(got[i] - want[i]) <= 2e-6 * (1 + fabs(want[i]))))
            fail_msg("%s: cell %zu is %g instead of %g", ref->name, i, got[i], want[i]);
}

static void check(const struct ref_program *ref, struct ref_problem p)
{
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *program = load(ir, ref, &p);
    struct lift_binding b[REF_MAX_INPUTS + LIFT_MAX_SCALARS];
    struct lift_eval_env env = {.values = b};
    size_t cells = ref_cells(ref, &p);
    size_t results = cells * (size_t)ref->output_count;
    float *in[REF_MAX_INPUTS], *out[REF_MAX_OUTPUTS];
    float *want = malloc(results * sizeof *want);
    double *got = malloc(results * sizeof *got);
    struct lift_value value;
    struct lift_str error = {0};

    assert_int_equal(program->input_count, ref->input_count);
    assert_int_equal(program->output_count, ref->output_count);
    for (int i = 0; i < ref->output_count; i++)
        out[i] = want + (size_t)i * cells;
    for (int i = 0; i < ref->input_count; i++) {
        struct lift_binding *bind = &b[env.value_count++];

        assert_string_equal(program->inputs[i].name, ref->inputs[i]);
        in[i] = random_grid(cells, (uint64_t)i + 1);
        bind->name = program->inputs[i].name;
        assert_true(lift_value_from_floats(lift_ir_arena(ir), program->inputs[i].type,
                                           NULL, NULL, in[i], &bind->value));
    }
    for (int i = 0; i < program->param_count; i++)
        b[env.value_count++] = (struct lift_binding){
            program->params[i].name, lift_value_float(program->params[i].value)};
    if (!lift_eval(&env, program->body, lift_ir_arena(ir), &value, &error))
        fail_msg("%s: %s", ref->name, lift_str_get(&error));
    assert_int_equal(lift_value_scalars(value), results);
    lift_value_flatten(value, got);
    ref->fn(&p, (const float *const *)in, out);
    compare(ref, want, got, results);
    for (int i = 0; i < ref->input_count; i++)
        free(in[i]);
    free(want);
    free(got);
    lift_str_fini(&error);
    lift_ir_destroy(ir);
}

/* A program that keeps its border needs room for one neighbourhood. */
static int at_least(const struct ref_program *ref, int size)
{
    int window = 2 * ref->radius + 1;

    return ref->border != REF_KEEP || size > window ? size : window;
}

static void test_programs(void **state)
{
    (void)state;
    for (const struct ref_program *ref = ref_programs; ref->name; ref++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            check(ref, (struct ref_problem){
                           at_least(ref, sizes[s][0]), at_least(ref, sizes[s][1]),
                           ref->dims == 3 ? at_least(ref, sizes[s][2]) : 1, LAYER});
}

/* The rest of the row that begins with the program's name. */
static const char *row_of(const struct lift_source *docs, const char *name)
{
    struct lift_str key = {0};
    const char *row;

    lift_str_addf(&key, "| `%s` |", name);
    row = strstr(docs->text, lift_str_get(&key));
    if (!row)
        fail_msg("docs/programs.md has no row for '%s'", name);
    row += key.len;
    lift_str_fini(&key);
    return row;
}

/* Column 0 follows the name. */
static void check_cell(const char *name, const char *row, int column, const char *want)
{
    for (; column > 0; column--)
        row = strchr(row, '|') + 1;
    row += *row == ' ';
    if (strncmp(row, want, strlen(want)) != 0 || row[strlen(want)] != ' ')
        fail_msg("docs/programs.md, %s: '%.20s' instead of '%s'", name, row, want);
}

static void check_row(const struct ref_program *ref, const char *row)
{
    static const char *const borders[] = {[REF_KEEP] = "kept",
                                          [REF_EDGE] = "clamped",
                                          [REF_ZERO] = "zero",
                                          [REF_WRAP] = "wrapped"};
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *p = load_with(ir, ref, NULL);
    char text[80];

    check_cell(ref->name, row, 2, borders[ref->border]);
    assert_in_range(p->size_count, ref->dims, ref->dims + 1);
    snprintf(text, sizeof text, ref->dims == 3 ? "%dx%dx%d" : "%dx%d",
             (int)p->sizes[0].value, (int)p->sizes[1].value, (int)p->sizes[2].value);
    check_cell(ref->name, row, 3, text);
    snprintf(text, sizeof text, "%d", 4 * (p->input_count + p->output_count));
    check_cell(ref->name, row, 4, text);
    lift_ir_destroy(ir);
}

static void test_documented(void **state)
{
    struct lift_error errors = {0};
    struct lift_source docs;
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s/docs/programs.md", getenv("LIFT_SOURCE_DIR"));
    assert_true(lift_source_load(path, &docs, &errors));
    for (const struct ref_program *ref = ref_programs; ref->name; ref++)
        check_row(ref, row_of(&docs, ref->name));
    lift_source_free(&docs);
}

/* With sizes as variables: every output has the type of its grid. */
static void test_symbolic(void **state)
{
    (void)state;
    for (const struct ref_program *ref = ref_programs; ref->name; ref++) {
        struct lift_ir *ir = lift_ir_create();
        struct lift_program_options symbolic = {.symbolic = true};
        const struct lift_program *p = load_with(ir, ref, &symbolic);

        assert_int_equal(p->output_count, ref->output_count);
        assert_ptr_equal(p->outputs[0].type, p->inputs[0].type);
        for (int i = 0; i < p->size_count; i++)
            assert_false(lift_nat_is_const(p->sizes[i].nat, NULL));
        lift_ir_destroy(ir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_symbolic),
        cmocka_unit_test(test_documented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
