/* Footprints against the interpreter: a NaN in the middle of an input spreads to exactly
 * the points of the footprint. Includes forms that no shipped program has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/explore_footprint.h"
#include "ir/eval.h"
#include "ref/ref.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 8192, MOST_VALUES = 9 * 4096 };

struct world {
    struct lift_ir *ir;
    struct lift_source source;
    const struct lift_program *program;
    struct lift_footprints prints;
};

static void find(struct world *w, const struct lift_program_options *o)
{
    struct lift_error errors = {0};
    struct lift_str why = {0};

    w->ir = lift_ir_create();
    w->program = lift_program_load(w->ir, &w->source, o, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(w->program);
    if (!lift_footprints_find(w->ir, w->program, &w->prints, &why))
        fail_msg("%s: %s", w->program->name, lift_str_get(&why));
    assert_true(w->prints.complete);
    lift_str_fini(&why);
    lift_error_fini(&errors);
}

static void open_text(struct world *w, const char *text)
{
    w->source = (struct lift_source){"text", text, strlen(text)};
    find(w, NULL);
}

static const struct lift_footprint *only(const struct world *w, int input)
{
    const struct lift_footprint *found = NULL;

    for (int i = 0; i < w->prints.count; i++)
        if (w->prints.items[i].input == input) {
            assert_null(found);
            found = &w->prints.items[i];
        }
    assert_non_null(found);
    return found;
}

/* ---- the programs that ship */

static void open_file(struct world *w, const struct ref_program *ref)
{
    int side = 4 * ref->radius + 3; /* the border is far */
    struct lift_size_setting s[] = {{"nx", side}, {"ny", side}, {"nz", side}};
    struct lift_error errors = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/programs/%s.lift", getenv("LIFT_SOURCE_DIR"),
             ref->name);
    assert_true(lift_source_load(path, &w->source, &errors));
    find(w, &(struct lift_program_options){.sizes = s, .size_count = ref->dims});
}

/* A NaN in the middle of one input, all else ones. */
static void evaluate(const struct world *w, int input, int64_t cells, double *out)
{
    struct lift_binding b[LIFT_MAX_ARGS + LIFT_MAX_SCALARS];
    struct lift_eval_env env = {.values = b};
    struct lift_arena *arena = lift_ir_arena(w->ir);
    struct lift_value value;
    double data[MOST_CELLS];

    for (int i = 0; i < w->program->input_count; i++) {
        for (int64_t k = 0; k < cells; k++)
            data[k] = i == input && k == cells / 2 ? (double)NAN : 1;
        b[env.value_count].name = w->program->inputs[i].name;
        assert_true(lift_value_from_doubles(arena, w->program->inputs[i].type, NULL, NULL,
                                            data, &b[env.value_count++].value));
    }
    for (int i = 0; i < w->program->param_count; i++)
        b[env.value_count++] = (struct lift_binding){
            w->program->params[i].name, lift_value_float(w->program->params[i].value)};
    assert_true(lift_eval(&env, w->program->body, arena, &value, NULL));
    assert_int_equal(lift_value_scalars(value), cells * w->program->output_count);
    lift_value_flatten(value, out);
}

static void place_of(int64_t cell, int64_t side, int rank, int64_t *at)
{
    for (int d = rank; d-- > 0; cell /= side)
        at[d] = cell % side;
}

/* Whether the NaN is in an output at that cell. */
static bool reached(const struct world *w, const double *out, int64_t cell, int64_t cells)
{
    bool found = false;

    for (int o = 0; o < w->program->output_count; o++)
        found |= isnan(out[o * cells + cell]);
    return found;
}

static void check_input(const struct world *w, const char *name, int input)
{
    const struct lift_footprint *f = only(w, input);
    int rank = lift_type_rank(w->program->inputs[input].type);
    int64_t side = w->program->sizes[0].value, cells = side, met = 0;
    int64_t middle[3], point[3], from[3] = {0}, to[3] = {0};
    double out[MOST_VALUES];

    for (int d = 1; d < rank; d++)
        cells *= side;
    assert_true(cells <= MOST_CELLS && rank == f->dim_count && rank == f->rank);
    assert_true(cells * w->program->output_count <= MOST_VALUES);
    evaluate(w, input, cells, out);
    place_of(cells / 2, side, rank, middle);
    for (int64_t c = 0; c < cells; c++) {
        if (!reached(w, out, c, cells))
            continue;
        place_of(c, side, rank, point);
        for (int d = 0; d < rank; d++) {
            int64_t offset = middle[d] - point[d];

            from[d] = !met || offset < from[d] ? offset : from[d];
            to[d] = !met || offset > to[d] ? offset : to[d];
        }
        met++;
    }
    if (met != f->points)
        fail_msg("%s: %d points instead of %d", name, (int)f->points, (int)met);
    for (int d = 0; d < rank; d++) {
        const struct lift_footprint_dim *dim = &f->dims[d];

        if (dim->kind != LIFT_FOOTPRINT_EXACT || dim->follows != d || dim->step != 1 ||
            dim->from != from[d] || dim->to != to[d])
            fail_msg("%s, dimension %d: %d..%d instead of %d..%d", name, d,
                     (int)dim->from, (int)dim->to, (int)from[d], (int)to[d]);
    }
}

static void test_programs(void **state)
{
    (void)state;
    for (const struct ref_program *ref = ref_programs; ref->name; ref++) {
        struct world w;

        open_file(&w, ref);
        for (int i = 0; i < w.program->input_count; i++)
            check_input(&w, ref->name, i);
        lift_ir_destroy(w.ir);
        lift_source_free(&w.source);
    }
}

/* ---- other forms */

static void assert_dim(const struct lift_footprint *f, int dim, int follows, int step,
                       int from, int to)
{
    const struct lift_footprint_dim *d = &f->dims[dim];

    assert_int_equal(d->kind, LIFT_FOOTPRINT_EXACT);
    assert_int_equal(d->follows, follows);
    assert_int_equal(d->step, step);
    assert_int_equal(d->from, from);
    assert_int_equal(d->to, to);
}

static void assert_pad(const struct lift_footprint_dim *d, const char *kind, int before,
                       int after)
{
    assert_int_equal(d->pad_count, 1);
    assert_string_equal(d->pads[0].kind, kind);
    assert_int_equal(d->pads[0].before, before);
    assert_int_equal(d->pads[0].after, after);
}

static void test_asymmetric(void **state)
{
    struct world w;
    const struct lift_footprint *f;

    (void)state;
    open_text(&w, "size n = 100, m = 64\n"
                  "stencil s(u: [[f32]m]n, v: [f32](2*n)) -> (a, b) ="
                  "  (map2(w -> w[0][0] + w[1][2], slide2((2, 3), 1,"
                  "     pad(1, 0, wrap, map(pad(2, 0, clamp), u)))),"
                  "   map(s -> s[1] + s[0], slide(2, 2, v)))");
    f = only(&w, 0);
    assert_dim(f, 0, 0, 1, -1, 0);
    assert_dim(f, 1, 1, 1, -2, 0);
    assert_pad(&f->dims[0], "wrap", 1, 0);
    assert_pad(&f->dims[1], "clamp", 2, 0);
    assert_int_equal(f->points, 2);
    assert_false(f->star || f->box);
    assert_int_equal(f->outputs, 1);
    f = only(&w, 1);
    assert_dim(f, 0, 0, 2, 0, 1);
    assert_int_equal(f->outputs, 2);
    assert_int_equal(w.prints.points, 6400);
    assert_int_equal(w.prints.read, 4 * (6400 + 200));
    assert_int_equal(w.prints.written, 4 * (6400 + 100));
    lift_ir_destroy(w.ir);
}

static void test_moved(void **state)
{
    struct world w;

    (void)state;
    open_text(&w, "size n = 100, m = 64\n"
                  "stencil s(u: [[f32]m]n, k: [f32]9, q: [f32]n, x: [f32]n, y: [f32]n)"
                  " -> (a, b, c, d) ="
                  "  (transpose(u), map(t -> reduce(add, t, k), reorder(i => n-1-i, q)),"
                  "   concat(take(1, x), map(w -> w[0] + w[2], slide(3, 1, x)),"
                  "     drop(n-1, x)),"
                  "   reorder(i => i * i % n, y))");
    assert_dim(only(&w, 0), 0, 1, 1, 0, 0);
    assert_dim(only(&w, 0), 1, 0, 1, 0, 0);
    assert_dim(only(&w, 1), 0, -1, 0, 0, 8);
    assert_int_equal(only(&w, 1)->points, 9);
    assert_dim(only(&w, 2), 0, 0, -1, 99, 99);
    assert_dim(only(&w, 3), 0, 0, 1, -1, 1);
    assert_int_equal(only(&w, 3)->points, 3);
    assert_int_equal(only(&w, 4)->dims[0].kind, LIFT_FOOTPRINT_ANYWHERE);
    assert_int_equal(only(&w, 4)->points, 0);
    lift_ir_destroy(w.ir);
}

/* Boundaries, several steps, footprints of low-level terms; sums of arrays. */
static void test_nested(void **state)
{
    struct world w;

    (void)state;
    open_text(&w, "size n = 64, m = 32\n"
                  "fun sum(w) = reduceSeq(add, 0.0, w)\n"
                  "stencil s(x: [f32]n, z: [f32]n, y: [f32]n, q: [f32]n, r: [[f32]n]m)"
                  " -> (a, b, c, d) ="
                  "  (inset(1, 2, z, map(w -> w[0] + w[3], slide(4, 1, x))),"
                  "   iterate(4, v => map(sum, slide(3, 1, pad(1, 1, mirror, v))), y),"
                  "   mapSeqSlide(w -> w[0] + w[1], 2, 1, toGlobal(mapSeq(v -> v * 2.0f,"
                  "     pad(1, 0, constant 0.0f, q)))),"
                  "   reduce((acc, row) => map(t -> t.0 + t.1, zip(acc, row)), z, r))");
    assert_dim(only(&w, 0), 0, 0, 1, -1, 2);
    assert_int_equal(only(&w, 0)->points, 2);
    assert_dim(only(&w, 2), 0, 0, 1, -4, 4);
    assert_int_equal(only(&w, 2)->points, 9);
    assert_pad(&only(&w, 2)->dims[0], "mirror", 1, 1);
    assert_dim(only(&w, 3), 0, 0, 1, -1, 0);
    assert_pad(&only(&w, 3)->dims[0], "constant", 1, 0);
    assert_dim(only(&w, 4), 0, -1, 0, 0, 31);
    assert_int_equal(only(&w, 4)->dims[1].kind, LIFT_FOOTPRINT_ABOUT);
    assert_int_equal(only(&w, 4)->dims[1].follows, 0);
    assert_int_equal(only(&w, 1)->outputs, 1u | 8u);
    lift_ir_destroy(w.ir);
}

static void test_too_much(void **state)
{
    struct world w = {.ir = lift_ir_create()};
    const char *text = "size n = 64\n"
                       "stencil s(x: [f32]n) -> y = iterate(40, v => map(w -> w[0] + "
                       "w[1] + w[2], slide(3, 1, pad(1, 1, clamp, v))), x)";
    struct lift_error errors = {0};
    struct lift_str why = {0};

    (void)state;
    w.source = (struct lift_source){"text", text, strlen(text)};
    w.program = lift_program_load(w.ir, &w.source, NULL, &errors);
    assert_non_null(w.program);
    assert_true(lift_footprints_find(w.ir, w.program, &w.prints, &why));
    assert_false(w.prints.complete);
    assert_int_equal(w.prints.count, 0);
    assert_int_equal(w.prints.in_place[0], 0);
    lift_ir_destroy(w.ir);
}

/* ---- operations, and buffers that may be used again */

static void test_operations(void **state)
{
    struct world w;

    (void)state;
    open_text(&w, "size n = 64\n"
                  "const h = 2.0 * 3.0\n"
                  "fun twice(v) = 2.0f * v\n"
                  "stencil s(x: [f32]n, k: [i32]n) -> y = map((w, i) => if i > 0 then "
                  "(w[0] + w[1] + w[2]) / h else sqrt(w[1]), zip(slide(3, 1, "
                  "pad(1, 1, clamp, map(twice, x))), k))");
    assert_float_equal(w.prints.ops.flops, 5, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_ADD], 2, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_MUL], 1, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_DIV], 1, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_SQRT], 1, 1e-12);
    assert_float_equal(w.prints.ops.others, 2, 1e-12);
    assert_float_equal(w.prints.intensity, 5 / 12., 1e-12);
    lift_ir_destroy(w.ir);
}

/* A star of radius 1 as table 6 of StencilPy counts it: 7 products, 6 sums. Weights are
 * computed by the compiler, and a sum that begins with 0 has an addition less. */
static void test_weights(void **state)
{
    struct world w;

    (void)state;
    open_text(&w,
              "size n = 64 in 3..\n"
              "fun dot(x, c) = reduce((sum, (x, c)) => sum + c * x, 0.0, zip(x, c))\n"
              "fun line(x, m, k) = dot(x, array(m, i => 0.125 * (7 + k + i)))\n"
              "fun point(w) = line(w[1], 3, 1) + line(take(1, map(r => r[1], w)), 1, 4)"
              " + line(drop(2, map(r => r[1], w)), 1, 5)\n"
              "stencil s(x: [[f32]n]n) -> y = map2(point, slide2(3, 1, x))");
    assert_float_equal(w.prints.ops.by[LIFT_ADD], 4, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_MUL], 5, 1e-12);
    assert_float_equal(w.prints.ops.flops, 9, 1e-12);
    assert_float_equal(w.prints.ops.others, 0, 1e-12);
    lift_ir_destroy(w.ir);
    /* An array along the grid is computed for each of its points. */
    open_text(&w, "size n = 64\n"
                  "stencil s(x: [f32]n) -> y = map((a, b) => a * b, "
                  "zip(x, array(n, i => 0.5f * f32(i))))");
    assert_float_equal(w.prints.ops.by[LIFT_MUL], 2, 1e-12);
    assert_float_equal(w.prints.ops.others, 1, 1e-12);
    lift_ir_destroy(w.ir);
    /* A sum that begins with another value has all its additions. */
    open_text(&w,
              "size n = 64\n"
              "stencil s(x: [f32]n) -> y = map(w => reduce(add, 1.0f, w), slide(3, 1, "
              "pad(1, 1, clamp, x)))");
    assert_float_equal(w.prints.ops.flops, 3, 1e-12);
    lift_ir_destroy(w.ir);
}

/* Only the element of an array that is read is computed; values of parameters alone are
 * computed once a launch. */
static void test_computed(void **state)
{
    struct world w;

    (void)state;
    open_text(&w,
              "size n = 64\n"
              "param a: f32 = 0.5\n"
              "fun scaled(w) = map(v => a / 3.0f * v, w)\n"
              "fun point(w) = scaled(w)[0] + scaled(w)[2]\n"
              "stencil s(x: [f32]n) -> y = map(point, slide(3, 1, pad(1, 1, clamp, x)))");
    assert_float_equal(w.prints.ops.by[LIFT_ADD], 1, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_MUL], 2, 1e-12);
    assert_float_equal(w.prints.ops.by[LIFT_DIV], 0, 1e-12);
    lift_ir_destroy(w.ir);
}

/* Table 6 of Sai et al., "A Portable Framework for Accelerating Stencil Computations on
 * Modern Node Architectures". star2d4r adds pairs before it multiplies, as their listing
 * 1: 16 + 9 operations instead of 16 + 17. */
static void test_published(void **state)
{
    static const struct {
        const char *name;
        double flops;
    } table[] = {
        {"star2d1r", 9},  {"star2d2r", 17},   {"star2d3r", 25}, {"star2d4r", 25},
        {"star3d1r", 13}, {"star3d2r", 25},   {"star3d3r", 37}, {"star3d4r", 49},
        {"box2d1r", 17},  {"box2d2r", 49},    {"box2d3r", 97},  {"box2d4r", 161},
        {"box3d1r", 53},  {"box3d2r", 249},   {"box3d3r", 685}, {"box3d4r", 1457},
        {"j2d5pt", 10},   {"j2d9pt-gol", 18}, {"j2d9pt", 18},   {"j3d27pt", 54}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct ref_program *ref = ref_programs;
        struct world w;

        while (ref->name && strcmp(ref->name, table[i].name) != 0)
            ref++;
        assert_non_null(ref->name);
        open_file(&w, ref);
        if (w.prints.ops.flops != table[i].flops)
            fail_msg("%s: %g operations instead of %g", ref->name, w.prints.ops.flops,
                     table[i].flops);
        lift_ir_destroy(w.ir);
        lift_source_free(&w.source);
    }
}

static void test_in_place(void **state)
{
    struct world w;

    (void)state;
    open_text(&w, "size n = 64\n"
                  "stencil s(p: [f32]n, u: [f32]n, c: [f32]n) -> next = map((a, w, b) => "
                  "b * (w[0] + w[2]) - a, zip(p, slide(3, 1, pad(1, 1, clamp, u)), c))\n"
                  "time (p, u) <- (u, next)");
    assert_int_equal(w.prints.in_place[0], 1);
    assert_int_equal(w.prints.in_place[1], 0); /* neighbours are read, and it stays */
    assert_int_equal(w.prints.in_place[2], 0); /* is needed in the next step */
    lift_ir_destroy(w.ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),   cmocka_unit_test(test_asymmetric),
        cmocka_unit_test(test_moved),      cmocka_unit_test(test_nested),
        cmocka_unit_test(test_weights),    cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_operations), cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_computed),   cmocka_unit_test(test_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
