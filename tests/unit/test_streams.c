/* Streams: terms with mapSeqSlide as text, run on devices and compared with the
 * interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_terms.h"
#include "only.h"

/* Levels are written '@' for columns that are shared out, '%' for groups, '#' for points
 * of a group: with their bracket, as for each device. */
static const struct stream_case {
    const char *name, *text;
    /* stand in the source of a kernel, or do not; NULL: not looked at */
    const char *shows, *hides;
    bool own; /* only where a work-item has one point */
} cases[] = {
    {"a partial sum is kept from its plane to the last one",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[1].0 + 3.0f * w[3].1 + w[4].1), 5, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1] - v[2])),"
     "          slide(3, 1, pad(2, 0, clamp, col))), col))), transpose(x)))",
     "win_7 = win_1 + 2.0f * win_2 - win_3;", NULL, false},
    {"the same, unrolled",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => mapSeqSlide[window=unroll](fun(w => w[1].0 + 3.0f * w[3].1 + "
     "w[4].1), 5, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1] - v[2])),"
     "          slide(3, 1, pad(2, 0, clamp, col))), col))), transpose(x)))",
     NULL, NULL, false},
    {"a chain of partial sums, the first of them no member of the zip",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => mapSeqSlide(fun(w => 0.5f * (w[2].0 + w[2].1)), 3, 1,"
     "  zip(map(fun(t => toPrivate(t[0].0 + 2.0f * t[1].1)), slide(2, 1, zip("
     "        pad(1, 0, clamp, map(fun(v => toPrivate(v[0] - 3.0f * v[1])),"
     "                             slide(2, 1, pad(1, 0, clamp, col)))),"
     "        pad(1, 0, clamp, col)))), col))), transpose(x)))",
     "win_5 = win_3 + 2.0f * win_2;", NULL, false},
    {"a chain that is read late",
     "input x: [[f32]5]11;"
     "transpose(@fun(col => mapSeqSlide(fun(w => 0.5f * (w[0].0 + w[1].0 + w[3].1)), 4, "
     "1,"
     "  zip(map(fun(t => toPrivate(t[0].0 + 2.0f * t[1].1)), slide(2, 1, zip("
     "        pad(1, 0, clamp, map(fun(v => toPrivate(v[0] - 3.0f * v[1])),"
     "                             slide(2, 1, pad(1, 0, clamp, col)))),"
     "        pad(1, 0, clamp, col)))), col))), transpose(x)))",
     "win_8 = win_3 + 2.0f * win_2;", NULL, false},
    {"several sums together, and one stream alone",
     "input x: [[f32]6]9;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[0].0 * w[2].1), 3, 1,"
     "  map(fun(v => toPrivate((v[0] + v[1], v[0] - v[1]))), slide(2, 1, col)))),"
     "  transpose(x)))",
     NULL, NULL, false},
    {"windows that step over elements",
     "input x: [[f32]6]14;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[0].0 + w[3].0 * w[4].1), 5, 2,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])), slide(2, 1, pad(1, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL, false},
    {"windows that step, unrolled",
     "input x: [[f32]6]17;"
     "transpose(@fun(col => mapSeqSlide[window=unroll](fun(w => w[0].0 + w[3].0 * "
     "w[4].1), "
     "5, 2,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])), slide(2, 1, pad(1, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL, false},
    {"one step",
     "input x: [[f32]6]3;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[0].0 + w[2].1), 3, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])), slide(2, 1, pad(1, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL, false},
    {"rotations of different lengths, made equal",
     "input x: [[f32]6]40;"
     "transpose(@fun(col => mapSeqSlide[window=unroll](fun(w => w[4].0 + w[0].1 * "
     "w[8].1), "
     "9, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[4])), slide(5, 1, pad(4, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL, false},
    {"two positions a step, with stored sums",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => join(mapSeqSlide(fun(W => mapUnroll(fun(w => w[1].0 - 2.0f * "
     "w[3].1),"
     "  slide(4, 1, W))), 5, 2, zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])),"
     "  slide(2, 1, pad(1, 0, clamp, col))), col)))), transpose(x)))",
     NULL, NULL, false},
    {"a stored array: two points a work-item",
     "input x: [[f32]8]13;"
     "join(map(fun(t => join(transpose(t))), split(1, transpose(@fun(cols => "
     "  mapSeqSlide(fun(w => mapUnroll(fun(j => j), map(fun(p => p.0 + p.1), "
     "zip(w[1].0, w[2].1)))), 3, 1,"
     "  zip(map(fun(v => toPrivate(mapUnroll(fun(q => q.0 - 2.0f * q.1), zip(v[0], "
     "v[1])))), slide(2, 1, pad(1, 0, clamp, cols))), cols))),"
     "  split(2, transpose(x)) |> map(transpose))))))",
     NULL, NULL, false},
    {"columns of a plane in registers",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, transpose(t))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"the same, fetched one step before",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[prefetch=1]("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, transpose(t))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"the same, unrolled and fetched before",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[window=unroll, prefetch=1]("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, transpose(t))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"planes in a ring",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, map(fun(p => toLocal(#fun(e "
     "=> e), p))), transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"planes in a ring, unrolled",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[window=unroll]("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, map(fun(p => toLocal(#fun(e "
     "=> e), p))), transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"planes in a ring, copied one step before",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[stages=2]("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, map(fun(p => toLocal(#fun(e "
     "=> e), p))), transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"planes in a ring, copied two steps before",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[stages=3, copy=async]("
     "fun(W => #fun(q => q[0][1] + 2.0f * q[1][0] - q[2][2] * q[1][1] + q[2][1]), "
     "transpose(map(fun(r => slide(3, 1, r)), W)))), 3, 1, map(fun(p => toLocal(#fun(e "
     "=> e), p))), transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"a star: the plane in local memory, the column in registers",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide("
     "fun(W => #fun(a => a.0[0] - 3.0f * a.0[2] + a.1[0][1] * a.1[2][1] + a.1[1][1]), "
     "zip(slide(3, 1, W[1].0), transpose(map(fun(r => slide(3, 1, r)), map(fun(w => "
     "w.1), W)))))), 3, 1, zip(map(fun(p => toLocal(#fun(e => e), p))), transpose(t)), "
     "transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"a star, in stages",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[window=unroll, prefetch=1, "
     "stages=2, copy=async]("
     "fun(W => #fun(a => a.0[0] - 3.0f * a.0[2] + a.1[0][1] * a.1[2][1] + a.1[1][1]), "
     "zip(slide(3, 1, W[1].0), transpose(map(fun(r => slide(3, 1, r)), map(fun(w => "
     "w.1), W)))))), 3, 1, zip(map(fun(p => toLocal(#fun(e => e), p))), transpose(t)), "
     "transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"the first plane of the window in local memory, fetched one step before",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[prefetch=1, stages=2]("
     "fun(W => #fun(a => a.0[0] - 3.0f * a.0[2] + a.1[1]), zip(slide(3, 1, W[0].0), "
     "slide(3, 1, W[1].1)))), 3, 1, zip(map(fun(p => toLocal(#fun(e => e), p))), "
     "transpose(t)), transpose(t)))),"
     " slide(4, 2, transpose(x)))))",
     NULL, NULL, false},
    {"the same, and a partial sum of the plane as it arrives",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[prefetch=1, stages=2]("
     "fun(W => #fun(a => a.0[0] + a.1[1] - 3.0f * a.2), zip(slide(3, 1, W[0].0), "
     "slide(3, 1, W[1].1), W[1].2))), 3, 1, zip(map(fun(p => toLocal(#fun(e => e), p))), "
     "transpose(t)), transpose(t), map(fun(v => toPrivate(#fun(q => q[0][0] - 2.0f * "
     "q[0][2]), transpose(map(fun(r => slide(3, 1, r)), v))))), slide(1, 1, map(fun(p => "
     "toLocal(#fun(e => 2.0f * e), p))), transpose(t))))))),"
     " slide(4, 2, transpose(x)))))",
     NULL, NULL, true},
    {"a partial sum of the plane as it arrives",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide("
     "fun(W => #fun(a => a.0 + a.1[2][1] * a.1[0][1]), zip(W[1].0, transpose(map(fun(r "
     "=> slide(3, 1, r)), map(fun(w => w.1), W)))))), 3, 1, zip(map(fun(v => "
     "toPrivate(#fun(q => q[1][0] - 2.0f * q[1][2] + q[0][1]), transpose(map(fun(r => "
     "slide(3, 1, r)), v))))), slide(2, 1, pad(1, 0, clamp, transpose(t)))), "
     "transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, true},
    {"a partial sum of the plane in local memory",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide[stages=2]("
     "fun(W => #fun(a => a.0 + a.1[2][1] * a.1[0][1]), zip(W[1].0, transpose(map(fun(r "
     "=> slide(3, 1, r)), map(fun(w => w.2), W)))))), 3, 1, zip(map(fun(v => "
     "toPrivate(#fun(q => q[0][0] - 2.0f * q[0][2]), transpose(map(fun(r => slide(3, 1, "
     "r)), v))))), slide(1, 1, map(fun(p => toLocal(#fun(e => e), p))), transpose(t)))), "
     "map(fun(p => toLocal(#fun(e => e), p))), transpose(t)), transpose(t)))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, true},
    {"two points a work-item",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide("
     "fun(W => join(#fun(q => mapUnroll(fun(p => p[0][1] + 2.0f * p[1][0] - p[2][2]), "
     "q)), split(2, transpose(map(fun(r => slide(3, 1, r)), W)))))), 3, 1, "
     "transpose(t))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
    {"the plane of a step in local memory",
     "input x: [[f32]14]9;"
     "map(fun(r => join(r)), transpose(%fun(t => mapSeqSlide("
     "fun(W => let p = toLocal(#fun(e => e), W[1])) in #fun(a => a.0[0] - a.0[2] + "
     "a.1[0][1] * a.1[2][1]), zip(slide(3, 1, p), transpose(map(fun(r => slide(3, 1, "
     "r)), W))))), 3, 1, transpose(t))),"
     " slide(6, 4, transpose(x)))))",
     NULL, NULL, false},
};

static void check(const struct stream_case *c, struct lift_device *dev,
                  const char *const levels[3], const int local[3])
{
    struct world w;
    enum lift_dialect dialect = lift_device_info(dev)->dialect;
    const struct lift_module *m;
    lift_expr e;

    print_message("%s\n", c->name);
    e = open_term(&w, c->text, levels);
    m = generate(&w, e, dialect, local);
    assert_texts(m->source, c->shows, c->hides);
    if (getenv("LIFT_TEST_SHOW"))
        puts(m->source);
    assert_computes(&w, e, dev, local);
    lift_ir_destroy(w.ir);
}

static void check_device(const char *name, const char *const levels[3],
                         const int local[][3], int locals)
{
    struct lift_device *dev = open_or_skip(name);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int l = 0; l < locals; l++)
            if (!cases[i].own || l == locals - 1)
                check(&cases[i], dev, levels, local[l]);
    lift_device_close(dev);
}

static void test_host(void **state)
{
    static const int local[][3] = {{1, 1, 1}};
    static const char *const levels[] = {"mapPar(", "mapPar(", "mapSimd("};

    (void)state;
    check_device("host", levels, local, 1);
}

static void test_opencl(void **state)
{
    static const int local[][3] = {{1, 1, 1}, {4, 2, 1}};
    static const char *const levels[] = {"mapGlb(0, ", "mapWrg(0, ", "mapLcl(0, "};

    (void)state;
    check_device("opencl", levels, local, 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
                                       cmocka_unit_test(test_opencl)};

    only(argc, argv);
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
