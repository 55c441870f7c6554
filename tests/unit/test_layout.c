/* Layouts: halos in buffers, aligned rows, results in place. Devices run terms, and the
 * results are compared with the interpreter; wrong layouts are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/runner.h"
#include "explore/trial/interpret.h"
#include "kernel_terms.h"
#include "only.h"
#include "points.h"
#include "problem_world.h"
#include "rules/rule.h"
#include "rules/strategy.h"

/* A 5 x 7 grid, a function of a point's neighbours, and a halo around the grid. */
#define GRID "input x: [[f32]7]5; fun cross(w) = w[0][1] + 2.0f * w[1][0] - w[2][1];"
#define TWO "input v: [[f32]7]5;" GRID
#define HALO "map(padStored(1, 1, 0.5f), padStored(1, 1, array(7, fun(i => 0.5f)), x))"
#define CLAMP "slide2(3, 1, pad2(1, 1, clamp, x))"

static const struct layout_case {
    const char *name, *text;
    /* stand in the source of a kernel, or do not; NULL: not looked at */
    const char *shows, *hides;
} cases[] = {
    {"a halo is read without a test",
     GRID "@fun(r => #fun(w => cross(w)), r)), slide2(3, 1, " HALO "))",
     "x: 1081 elements, element (i, j) at 9 + 8 i + j", "?"},
    {"two halos of one input, and the input itself",
     GRID "@fun(r => #fun(t => t.0[0][1] - t.0[2][1] + t.1[0] * t.2 + t.1[4]), r)),"
          "  zip2(slide2(3, 1, " HALO "),"
          "       map(fun(r => slide(5, 1, padStored(3, 1, 0.5f, r))), x), x))",
     "element (i, j) at 13 + 10 i + j", "?"},
    {"a halo beyond rows that clamp",
     GRID "@fun(r => #fun(w => cross(w)), r)), slide2(3, 1, "
          "  map(pad(1, 1, clamp), padStored(1, 1, array(7, fun(i => 0.5f)), x))))",
     NULL, NULL},
    {"tiles that hang over the end of a grid read on, without a test",
     GRID "alignRows(8, 0, map(fun(r => take(7, r)), take(5, join(@fun(t =>"
          "  mapSeq(fun(r => #fun(w => cross(w)), r)), t)),"
          "  split(4, pad2(0, 3, any, slide2(3, 1, " HALO "))))))))",
     NULL, ", 4) * 8"},
    {"a halo of a halo",
     "input x: [f32]11;"
     "@fun(w => w[0] - 2.0f * w[1] + w[6]), slide(7, 1, padStored(1, 2, 0.25f,"
     "  padStored(2, 1, 0.25f, x))))",
     "x: 1041 elements, element (i) at 3 + i", "?"},
    {"rows at multiples", GRID "alignRows(8, 0, @fun(r => #fun(e => 2.0f * e), r)), x))",
     "x: 1064 elements, element (i, j) at 0 + 8 i + j", NULL},
    {"rows apart", GRID "apart(4, 1, @fun(r => #fun(e => 2.0f * e), r)), x))",
     "x: 1067 elements, element (i, j) at 0 + 9 i + j", NULL},
    {"planes apart, whose rows are not",
     "input x: [[[f32]7]5]3; apart(64, 16, @fun(p => mapSeq(fun(r => #fun(e => 2.0f * "
     "e), "
     "r)), p)), x))",
     "element (i, j, k) at 0 + 80 i + 7 j + k", NULL},
    {"the first element after a border at a multiple, with a halo",
     GRID "alignRows(16, 1, @fun(r => #fun(w => cross(w)), r)), slide2(3, 1, " HALO ")))",
     "element (i, j) at 31 + 16 i + j", "?"},
    {"rows of two results",
     GRID "alignRows(8, 0, unzip2(@fun(r => #fun(e => (e, 2.0f * e)), r)), x)))",
     "other: 1064 elements", NULL},
    {"temporaries have rows, too",
     GRID "alignRows(8, 0, let y = toGlobal(@fun(r => #fun(e => 2.0f * e), r)), x)) in"
          "  @fun(r => #fun(w => cross(w)), r)), slide2(3, 1, pad2(1, 1, clamp, y))))",
     "temp_1: 1064 elements", NULL},
    {"the halo of a stage, and of one grid of two",
     GRID "let y = toGlobal(@fun(r => #fun(e => 2.0f * e), r)), x)) in"
          "  let z = toGlobal(@fun(r => #fun(w => (cross(w), w[1][1])), r)), slide2(3, 1,"
          "    map(padStored(1, 1, 0.5f), padStored(1, 1, array(7, fun(i => 0.5f)), y))))"
          "  ) in"
          "  @fun(r => #fun(w => cross(w)), r)), slide2(3, 1,"
          "    map(padStored(1, 1, 0.5f), padStored(1, 1, array(7, fun(i => 0.5f)),"
          "      unzip(map(unzip, z)).0))))",
     "all others hold 0.5f", "?"},
    {"a result in place",
     TWO "inPlace(v, @fun(r => #fun(t => cross(t.0) - t.1), r)), zip2(" CLAMP ", v)))",
     "out: stored in v", "*restrict out"},
    {"in place, in a buffer with a halo and aligned rows",
     TWO "alignRows(8, 0, inPlace(v, @fun(r => #fun(t => cross(t.0) - t.1), r)),"
         "  zip2(slide2(3, 1, " HALO "), v))))",
     "out: stored in v", "?"},
    {"one of two results in place",
     TWO "(inPlace(v, @fun(r => #fun(t => cross(t.0) - t.1), r)), zip2(" CLAMP ", v))),"
         " @fun(r => #fun(e => 2.0f * e), r)), x))",
     "out: stored in v", NULL},
    {"two results of one loop in place, one of them in an input that it does not read",
     "input w: [[f32]7]5;" TWO "inPlace((v, w), unzip2(@fun(r => #fun(t => (cross(t.0) - "
     "t.1, 2.0f * cross(t.0))), r)), zip2(" CLAMP ", v))))",
     "other: stored in w", NULL},
    {"in place in tiles with a rest of no value",
     TWO
     "inPlace(v, take(5, join(@fun(t => mapSeq(fun(r => #fun(e => e + 1.0f), r)), t)),"
     "  split(2, pad(0, 1, any, v))))))",
     "out: stored in v", NULL},
    {"in place by parts, each a kernel that reads its own points",
     TWO "inPlace(v, concat(@fun(r => #fun(e => 2.0f * e), r)), take(2, v)),"
         "  @fun(r => #fun(t => t.0 - t.1), r)), drop(2, zip2(v, x)))))",
     "out: stored in v", NULL},
    {"a kernel before the one that overwrites reads all",
     TWO "let y = toGlobal(@fun(r => #fun(w => cross(w)), r)),"
         "  slide2(3, 1, pad2(1, 1, clamp, v)))) in"
         "  inPlace(v, @fun(r => #fun(t => cross(t.0) - t.1), r)), zip2(" CLAMP ", y)))",
     "out: stored in v", NULL},
    {"in place in tiles with a rest",
     TWO
     "inPlace(v, take(5, join(@fun(t => mapSeq(fun(r => #fun(e => e + 1.0f), r)), t)),"
     "  split(2, pad(0, 1, clamp, v))))))",
     "out: stored in v", NULL},
};

static const struct {
    const char *text, *why;
} refused[] = {
    {TWO "inPlace(v, @fun(r => #fun(w => cross(w)), r)),"
         "  slide2(3, 1, pad2(1, 1, clamp, v))))",
     "elements of 'v' that are read afterwards"},
    {TWO "inPlace(v, @fun(r => #fun(e => 2.0f * e), r)), reorder(fun(i => 4 - i), v)))",
     "elements of 'v' that are read afterwards"},
    {TWO "(inPlace(v, @fun(r => #fun(e => 2.0f * e), r)), v)),"
         " @fun(r => #fun(e => 3.0f * e), r)), v))",
     "elements of 'v' that are read afterwards"},
    {TWO "(inPlace(v, @fun(r => #fun(e => 2.0f * e), r)), v)),"
         " inPlace(v, @fun(r => #fun(e => 3.0f * e), r)), v)))",
     "two results overwrite the same input ('inPlace')"},
    /* rows of 7 in tiles of 4, the last shifted inward: some elements are written twice
     */
    {TWO "inPlace(v, map(fun(r => joinShift(7, r)), @fun(r => #fun(t => mapSeq(fun(e => "
         "e + 1.0f), t)), r)), map(fun(r => slideShift(4, 4, r)), v))))",
     "'inPlace' in what may have elements that are written twice"},
    {TWO
     "inPlace(v, joinShift(5, @fun(t => mapSeq(fun(r => #fun(e => e + 1.0f), r)), t)),"
     " slideShift(2, 2, v))))",
     "'inPlace' in what may have elements that are written twice"},
    {TWO "inPlace(x, @fun(r => #fun(e => 2.0f * e), r)), x))",
     "'inPlace' in what is needed after the launch"},
    /* the second result reads elements that the first one has overwritten */
    {"input w: [[f32]7]5;" TWO "inPlace((v, w), unzip2(@fun(r => #fun(t => (cross(t.0) - "
     "t.1, 2.0f * t.1)), r)), zip2(" CLAMP ", v))))",
     "elements of 'v' that are read afterwards"},
    {TWO "inPlace((v, x), unzip2(@fun(r => #fun(e => (2.0f * e, e)), r)), x)))",
     "'inPlace' in what is needed after the launch"},
    {TWO "inPlace((v, v), unzip2(@fun(r => #fun(e => (2.0f * e, e)), r)), x)))",
     "two results overwrite the same input ('inPlace')"},
    {TWO "inPlace(map(fun(r => r), v), @fun(r => #fun(e => 2.0f * e), r)), x))",
     "'inPlace' in what is no input"},
    {TWO "@fun(r => #fun(e => 2.0f * e), r)), inPlace(v, x))",
     "'inPlace' of a value that is no result"},
    {GRID "@fun(r => #fun(e => 2.0f * e), r)),"
          "  padStored(1, 1, array(7, fun(i => 0.5f)), map(fun(r => map(neg, r)), x)))",
     "'padStored' of a value that is neither input nor intermediate"},
    {GRID "@fun(r => #fun(e => 2.0f * e), r)),"
          "  padStored(1, 1, array(7, fun(i => f32(i))), x))",
     "'padStored' of a value that is neither input nor intermediate"},
    {TWO "@fun(r => #fun(t => t.0 - t.1), r)), zip2("
         "  padStored(1, 1, array(7, fun(i => 0.5f)), x),"
         "  padStored(1, 1, array(7, fun(i => 0.25f)), v)))",
     "'padStored' by two numbers around arrays of one shape"},
    {GRID "apart(64, 4, alignRows(8, 0, @fun(r => #fun(e => 2.0f * e), r)), x)))",
     "'apart' by what 'alignRows' does not divide"},
    {GRID "apart(64, 4, apart(64, 8, @fun(r => #fun(e => 2.0f * e), r)), x)))",
     "two 'apart' for arrays of one shape"},
    {GRID "alignRows(8, 0, alignRows(16, 0, @fun(r => #fun(e => 2.0f * e), r)), x)))",
     "two 'alignRows' for arrays of one shape"},
};

/* The inputs 'v' and 'w' die. */
static lift_expr open_world(struct world *w, const char *text, const char *const levels[])
{
    lift_expr e = open_term(w, text, levels);

    for (int i = 0; i < w->in_count; i++)
        w->dying[i] = strchr("vw", w->in[i]->u.name[0]);
    return e;
}

static void check(const struct layout_case *c, struct lift_device *dev,
                  const char *const levels[], const int local[3])
{
    const struct lift_module *m;
    struct world w;
    lift_expr e;

    print_message("%s\n", c->name);
    e = open_world(&w, c->text, levels);
    m = generate(&w, e, lift_device_info(dev)->dialect, local);
    assert_texts(m->source, c->shows, c->hides);
    assert_computes(&w, e, dev, local);
    lift_ir_destroy(w.ir);
}

static void check_device(const char *name, const char *const levels[],
                         const int local[][3], int locals)
{
    struct lift_device *dev = open_or_skip(name);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int l = 0; l < locals; l++)
            check(&cases[i], dev, levels, local[l]);
    lift_device_close(dev);
}

static const char *const host_levels[] = {"mapPar(", "", "mapSimd("};
static const char *const gpu_levels[] = {"mapGlb(1, ", "", "mapGlb(0, "};

static void test_host(void **state)
{
    static const int local[][3] = {{1, 1, 1}};

    (void)state;
    check_device("host", host_levels, local, 1);
}

static void test_opencl(void **state)
{
    static const int local[][3] = {{1, 1, 1}, {4, 2, 1}};

    (void)state;
    check_device("opencl", gpu_levels, local, 2);
}

static void test_refused(void **state)
{
    static const char *const outputs[] = {"out", "other"};

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct lift_str why = {0};
        struct world w;
        lift_expr e = open_world(&w, refused[i].text, host_levels);
        struct lift_codegen_options o = {.name = "test",
                                         .inputs = w.in,
                                         .input_count = w.in_count,
                                         .dying = w.dying,
                                         .outputs = outputs,
                                         .output_count =
                                             e->type->kind == LIFT_TYPE_TUPLE ? 2 : 1};

        if (lift_codegen(w.ir, e, &o, &why))
            fail_msg("it is not refused: %s", refused[i].text);
        if (!strstr(lift_str_get(&why), refused[i].why))
            fail_msg("'%s' instead of '%s'", lift_str_get(&why), refused[i].why);
        lift_str_fini(&why);
        lift_ir_destroy(w.ir);
    }
}

/* An access to a known multiple of the vector size is one vector access. */
static void test_aligned_vectors(void **state)
{
    static const char text[] =
        GRID "alignRows(8, 0, @fun(r => asScalar(#fun(v => v * v), asVector(4, "
             "take(4, r))))), x))";
    static const int local[] = {1, 1, 1};
    struct world w;
    lift_expr e = open_world(&w, text, gpu_levels);
    const char *source = generate(&w, e, LIFT_DIALECT_OPENCL, local)->source;

    (void)state;
    /* rows of 7 elements, and of 8 */
    assert_non_null(strstr(source, "vload4(0, &x[g0 * 7 + g1 * 4])"));
    assert_non_null(strstr(source, "(*(__global float4 *)&out[g0 * 8 + g1 * 4]) = "));
    lift_ir_destroy(w.ir);
}

/* A grid of 2 x 3 with a halo, and stray writes of a kernel. */
static void test_place(void **state)
{
    struct place p = {
        .scalar = LIFT_I32,
        .count = 15,
        .laid_out = true,
        .layout = {.dims = 2, .length = {2, 3}, .stride = {5, 1}, .offset = 6},
        .filled = true,
        .fill = 7};
    static const int32_t grid[] = {1, 2, 3, 4, 5, 6};
    static const int32_t want[] = {7, 7, 7, 7, 7, 7, 1, 2, 3, 7, 7, 4, 5, 6, 7};
    int32_t buffer[15], got[6];

    (void)state;
    layout_write(&p, grid, buffer);
    assert_memory_equal(buffer, want, sizeof want);
    assert_true(layout_read(&p, buffer, got));
    assert_memory_equal(got, grid, sizeof grid);
    for (int i = 0; i < 15; i++) {
        layout_write(&p, grid, buffer);
        buffer[i]++;
        assert_int_equal(layout_read(&p, buffer, got), want[i] != 7);
    }
    layout_poison(&p, buffer);
    for (int i = 0; i < 15; i++)
        assert_int_equal(buffer[i], want[i] == 7 ? 7 : -1);
    assert_true(layout_read(&p, buffer, got));
    assert_int_equal(got[0], -1);
    p.filled = false;
    layout_write(&p, grid, buffer);
    assert_int_equal(buffer[0], -1);
    assert_int_equal(buffer[6], 1);
    assert_true(layout_read(&p, buffer, got));
    layout_poison(&p, buffer);
    for (int i = 0; i < 15; i++)
        assert_int_equal(buffer[i], -1);
}

/* ---- data of candidates */

static const struct lift_size_setting sizes[] = {{"nx", 9}, {"ny", 7}, {"nz", 5}};

/* A module of a program's kernel. */
static void make_module(struct explore_problem *p, const struct lift_rules *rules,
                        const char *point, struct lift_device *dev,
                        struct runner_module *out)
{
    lift_strategy s = point_strategy(lift_ir_arena(p->ir), rules, point);
    struct runner_request r = {.problem = p,
                               .term = lift_strategy_run(p->ir, s, p->root, NULL),
                               .numbers = &p->sizes,
                               .dialect = LIFT_DIALECT_OPENMP};
    struct lift_error failure = {0};
    struct lift_str why = {0};

    assert_non_null(r.term);
    if (!runner_generate(&r, out, &why))
        fail_msg("%s", lift_str_get(&why));
    assert_true(runner_build(dev, out, "", NULL, &failure));
    lift_str_fini(&why);
}

static bool launch_is_right(struct lift_device *dev, struct runner_module *m,
                            struct runner_data *d, const struct explore_answer *want)
{
    struct lift_error failure = {0};
    bool right = true;

    assert_true(runner_launch(dev, m, d, 1, NULL, &failure));
    assert_true(runner_read(dev, d, 0, &failure));
    for (int64_t k = 0; k < want->leaves[0].count; k++)
        right &=
            fabs(explore_element(runner_result(), LIFT_F32, k) - want->data[0][k]) < 1e-4;
    return right;
}

/* Candidates of different layouts alternate on the same data; each that overwrites an
 * input finds its original values. */
static void test_turns(void **state)
{
    static const char *const points[] = {"omp_rows,update=in_place",
                                         "omp_rows,halo=allocated", "omp_rows"};
    struct explore_problem *p = load_program("acoustic", sizes, 3);
    struct lift_rules *rules = lift_rules_shipped();
    struct explore_question question = {p, p->root, &p->sizes, 7, false};
    struct lift_error failure = {0};
    struct lift_device *dev = lift_device_open("host", &failure);
    struct lift_str why = {0};
    struct explore_answer want;
    struct runner_data data;

    (void)state;
    assert_non_null(dev);
    assert_true(explore_interpret(&question, &want, &why));
    assert_true(runner_data_create(p, dev, &p->sizes, 7, &data, &failure));
    for (int turn = 0; turn < 6; turn++) {
        struct runner_module m;
        bool overwrites = turn % 3 == 0;

        make_module(p, rules, points[turn % 3], dev, &m);
        assert_true(runner_fit(dev, &m, &data, &failure));
        assert_true(runner_poison(dev, &data, &failure));
        assert_true(launch_is_right(dev, &m, &data, &want));
        assert_int_equal(launch_is_right(dev, &m, &data, &want), !overwrites);
        runner_unload(dev, &m);
    }
    runner_data_destroy(dev, &data);
    explore_answer_fini(&want);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
    lift_device_close(dev);
}

static const char rim[] = "size nx = 9, ny = 7\n"
                          "param rim: f32 = 1.5\n"
                          "stencil blur(x: [[f32]nx]ny) -> out =\n"
                          "    map2(fun(w => w[0][1] - w[1][2] + w[2][1]),\n"
                          "        slide2(3, 1, pad2(1, 1, constant 2.0 * rim, x)))\n";

/* The number around a grid may depend on parameters. */
static void test_parameters(void **state)
{
    struct lift_source source = {"rim.lift", rim, sizeof rim - 1};
    struct lift_error errors = {0};
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &errors);
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error failure = {0};
    struct lift_device *dev = lift_device_open("host", &failure);
    struct lift_str why = {0};
    struct explore_answer want;
    struct runner_module m;
    struct runner_data data;

    (void)state;
    lift_error_print(&errors, stderr);
    assert_true(p && dev);
    assert_true(explore_interpret(
        &(struct explore_question){p, p->root, &p->sizes, 7, false}, &want, &why));
    make_module(p, rules, "omp_rows,halo=allocated", dev, &m);
    assert_non_null(strstr(m.module->source, "all others hold 2.0f * rim"));
    assert_true(runner_data_create(p, dev, &p->sizes, 7, &data, &failure));
    assert_true(runner_fit(dev, &m, &data, &failure));
    assert_true(runner_poison(dev, &data, &failure));
    assert_true(launch_is_right(dev, &m, &data, &want));
    runner_unload(dev, &m);
    runner_data_destroy(dev, &data);
    explore_answer_fini(&want);
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
    explore_problem_destroy(p);
    lift_device_close(dev);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),      cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_aligned_vectors),
        cmocka_unit_test(test_place),     cmocka_unit_test(test_turns),
        cmocka_unit_test(test_parameters)};

    only(argc, argv);
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
