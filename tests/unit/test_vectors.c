/* Vectors and straight-line code: terms as text, run on devices and compared with the
 * interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_terms.h"
#include "only.h"
#include <stdio.h>

/* '@' in a term is the level of its outermost loop. */
static const struct vector_case {
    const char *name, *text;
    /* stands in the source for the host, and in that for OpenCL; NULL: not looked at */
    const char *host, *opencl;
    const char *hides; /* stands in neither; NULL: not looked at */
} cases[] = {
    {"loads and stores of whole vectors",
     "input x: [[f32]12]5; map(fun(r => asScalar(r)), @fun(r => mapSeq(fun(v => v * v), "
     "asVector(4, r))), x))",
     "*(lift_f32x4 *)&out[", "(*(__global float4 *)&out[", NULL},
    {"the last vector has lanes too many",
     "input x: [f32]22;"
     "take(21, asScalar(@fun(v => v * v - v), asVector(4, pad(0, 2, clamp, x)))))",
     "LIFT_MIN", "(*(__global float4 *)&out[g0 * 4]) = x_1", NULL},
    {"vectors beyond the end of a row, of which nothing is needed, stay vectors",
     "input x: [[f32]12]5; map(fun(r => take(12, asScalar(r))),"
     " @fun(r => mapSeq(fun(v => v * v - v), asVector(4, pad(0, 8, any, r)))), x))",
     "(*(const lift_f32x4 *)&x[", "(*(__global const float4 *)&x[", "x{"},
    {"the same before a row",
     "input x: [[f32]12]5; map(fun(r => drop(4, asScalar(r))),"
     " @fun(r => mapSeq(fun(v => v * v - v), asVector(4, pad(4, 0, any, r)))), x))",
     "(*(const lift_f32x4 *)&x[", "(*(__global const float4 *)&x[", "x{"},
    {"lanes beyond the end of what vectors do not divide",
     "input x: [[f32]11]5; map(fun(r => take(11, asScalar(r))),"
     " @fun(r => mapSeq(fun(v => v * v - v), asVector(4, pad(0, 1, any, r)))), x))",
     NULL, NULL, NULL},
    {"the first vector has lanes too many",
     "input x: [f32]24; drop(3, asScalar(@fun(v => v + v), asVector(4, x))))", NULL,
     "(*(__global const float4 *)&x[", NULL},
    {"both, of vectors of eight",
     "input x: [f32]40; drop(5, take(37, asScalar(@fun(v => v * v), asVector(8, x)))))",
     "lift_f32x8", "float8", NULL},
    {"lanes that are not side by side in the result",
     "input x: [[f32]8]5;"
     "transpose(@fun(r => asScalar(mapUnroll(fun(v => v * v), asVector(4, r)))), x))",
     "[3]", ".s3", NULL},
    {"a boundary that repeats the last element tears lanes apart",
     "input x: [f32]11; asScalar(@fun(v => v + v), asVector(4, pad(3, 2, clamp, x))))",
     " ? (*(const lift_f32x4 *)&x[", " ? vload4(0, &x[", NULL},
    {"a mirror",
     "input x: [f32]11; asScalar(@fun(v => v + v), asVector(4, pad(6, 7, mirror, x))))",
     " ? (*(const lift_f32x4 *)&x[", " ? vload4(0, &x[", NULL},
    {"a periodic boundary",
     "input x: [f32]11; asScalar(@fun(v => v + v), asVector(4, pad(5, 4, wrap, x))))",
     " ? (*(const lift_f32x4 *)&x[", " ? vload4(0, &x[", NULL},
    {"a boundary of values",
     "input x: [f32]11;"
     "asScalar(@fun(v => v + v), asVector(4, pad(5, 4, constant 0.5f, x))))",
     " ? (*(const lift_f32x4 *)&x[", " ? vload4(0, &x[", NULL},
    {"a boundary inside a boundary",
     "input x: [f32]9; asScalar(@fun(v => v + v),"
     " asVector(4, pad(2, 1, clamp, pad(3, 5, constant 0.5f, x)))))",
     " ? (*(const lift_f32x4 *)&x[", " ? vload4(0, &x[", NULL},
    {"choices between vectors that are loaded, computed or made of a number",
     "input k: [f32]2; input x: [f32]11; asScalar(@fun(v => if k[0] < 0.5f then (if k[1] "
     "< 0.0f then v * v + v else if k[0] < k[1] then splat(4, 2.0f) else v) else -v), "
     "asVector(4, pad(5, 4, constant 0.5f, x))))",
     " ? (lift_f32x4)(", " ? ", NULL},
    {"a border around an interior",
     "input x: [f32]16; input y: [f32]11;"
     "asScalar(@fun(v => v + v), asVector(4, inset(2, 3, x, y))))",
     " ? (*(const lift_f32x4 *)&y[", " ? vload4(0, &y[", NULL},
    {"a row in registers, loaded by vectors; what nothing reads is not loaded",
     "input x: [f32]40;"
     "join(@fun(r => let p = toPrivate(asScalar(mapUnroll(fun(v => v), asVector(4, r)))) "
     "in mapUnroll(fun(w => w[0] + 2.0f * w[2]), slide(3, 1, take(6, p)))), split(20, "
     "x)))",
     "reg_1_5 = x_3[1]", "reg_1_5 = x_3.s1", "reg_1_6"},
    {"elements of a row that was loaded by vectors are not loaded again",
     "input x: [f32]40;"
     "join(@fun(r => let p = toPrivate(asScalar(mapUnroll(fun(v => v), asVector(4, r)))) "
     "in mapUnroll(fun(w => w.0[0] + 2.0f * w.1 * w.1), zip(slide(3, 1, take(6, p)), "
     "take(4, drop(2, r))))), split(20, x)))",
     "* 20 + 4]", "* 20 + 4]", "* 20 + 2]"},
    {"nor those that a boundary tears apart",
     "input x: [f32]38;"
     "join(@fun(r => let p = toPrivate(asScalar(mapUnroll(fun(v => v), asVector(4, r)))) "
     "in mapUnroll(fun(w => w.0 + 2.0f * w.1 * w.1), zip(take(4, p), take(4, r)))), "
     "split(20, pad(1, 1, clamp, x))))",
     " ? (", " ? ", NULL},
    {"lanes of a vector that is made of scalars are these",
     "input x: [f32]24; join(@fun(r => let p = toPrivate(asScalar(mapUnroll(fun(v => v), "
     "asVector(4, map(fun(e => e * 3.0f - 1.0f), r))))) in mapUnroll(fun(w => w[0] * "
     "w[1]), "
     "slide(2, 1, take(3, p)))), split(8, x)))",
     "[p0 * 8 + 2]", "[g0 * 8 + 2]", "* 8 + 3]"},
    {"results in registers, stored by vectors, with a tail",
     "input x: [f32]30; take(30, join(@fun(r => asScalar(mapUnroll(fun(v => v), "
     "asVector(4, toPrivate(mapUnroll(fun(e => e * e - 1.0f), r)))))),"
     " split(8, pad(0, 2, clamp, x)))))",
     "} else {", "} else {", NULL},
    {"elements of a vector that is computed",
     "input x: [f32]24; @fun(r => asScalar(map(fun(v => v * v), asVector(4, r)))[1] -"
     " 3.0f * asScalar(map(fun(v => v * v), asVector(4, r)))[6]), split(8, x))",
     NULL, NULL, NULL},
    {"a number in all lanes",
     "input x: [f32]22; take(21, asScalar(@fun(v => v * splat(4, 3.0f) - splat(4, "
     "x[5])), "
     "asVector(4, pad(0, 2, clamp, x)))))",
     NULL, NULL, NULL},
    {"lanes of numbers",
     "input x: [f32]24; @fun(r => asScalar(map(fun(v => splat(4, x[2])), asVector(4, "
     "r)))[1] - r[2]), split(8, x))",
     NULL, NULL, NULL},
    {"a tail that is a loop",
     "input x: [f32]14; take(14, join(@fun(c => mapUnroll(fun(e => e * e), c)), split(4, "
     "pad(0, 2, clamp, x)))))",
     "for (long i", "for (", NULL},
    {"a tail of straight-line code",
     "input x: [f32]14; take(14, join(@fun(c => mapUnroll(fun(w => w[0] * w[2] + w[1]), "
     "c)), split(4, pad(0, 2, clamp, slide(3, 1, pad(1, 1, clamp, x)))))))",
     "} else {", "} else {", NULL},
    {"a tail in two dimensions",
     "input x: [[f32]10]7; take2((7, 10), untile2(@fun(a => mapSeq(fun(t => "
     "mapUnroll(fun(r => mapUnroll(fun(e => e * e - 2.0f), r)), t)), a)),"
     " tile2((3, 4), pad2(0, (2, 2), clamp, x)))))",
     "} else {", "} else {", NULL},
    {"loads of straight-line code by fours, of two arrays",
     "input x: [f32]22; input y: [f32]22; join(@fun(c => mapUnroll[loads=4](fun(w => "
     "w.0[0] * w.1[2] + w.0[2] - w.1[1]), c)), split(5, zip(slide(3, 1, x), slide(3, 1, "
     "y)))))",
     "*(const lift_f32x4 *)&y[", "vload4(0, &y[", NULL},
    {"vectors of 8, and the remainder one by one",
     "input x: [f32]22; join(@fun(c => mapUnroll[loads=8](fun(w => w[0] * w[2] + w[1]), "
     "c)), split(10, slide(3, 1, x))))",
     "*(const lift_f32x8 *)&x[", "vload8(0, &x[", NULL},
    {"a guarded element is not loaded with its neighbours",
     "input x: [f32]18; take(18, join(@fun(c => mapUnroll[loads=4](fun(w => w[0] * w[2] "
     "+ w[1]), c)), split(6, slide(3, 1, pad(1, 1, constant 0.5f, x))))))",
     "*(const lift_f32x4 *)&x[", "vload4(0, &x[", "&x[p0 * 6 - 1]"},
    {"tests on indices behind the values that they choose",
     "input x: [f32]18; join(@fun(c => mapUnroll[tests=last](fun(e => e), "
     "toPrivate(mapUnroll[tests=last](fun(p => if p.1 > 2 then p.0 * p.0 - 1.0f else if "
     "p.1 == 1 then p.0 else 0.25f), c)))), split(6, zip(x, array(18, fun(i => i))))))",
     "if (!(", "if (!(", NULL},
    {"but for sums that are added to what they were",
     "input x: [[f32]3]18; join(@fun(c => mapUnroll[tests=last](fun(e => e), "
     "toPrivate(mapUnroll[tests=last](fun(p => reduceUnroll(fun(a, v => if p.1 > 2 then "
     "a + v * v else a - v), 0.5f, p.0)), c)))), split(6, zip(x, array(18, fun(i => "
     "i))))))",
     NULL, NULL, "if (!("},
    {"and for loads that may miss their array",
     "input x: [f32]18; join(@fun(c => mapUnroll[tests=last](fun(e => e), "
     "toPrivate(mapUnroll[tests=last](fun(w => w[0] * w[2] + w[1]), c)))), split(6, "
     "slide(3, 1, pad(1, 1, constant 0.5f, x)))))",
     "? x[", "? x[", "if (!("},
    {"two lanes of an aligned vector",
     "input x: [f32]40; join(@fun(c => mapUnroll[loads=4](fun(w => w[0] * w[2] + w[1]), "
     "c)), split(4, slide(3, 1, take(38, x)))))",
     "*(const lift_f32x4 *)&x[p0 * 4 + 4]", "(*(__global const float4 *)&x[g0 * 4 + 4])",
     "[4 "},
    {"two lanes of what may end between them and the rest",
     "input x: [f32]38; join(@fun(c => mapUnroll[loads=4](fun(w => w[0] * w[2] + w[1]), "
     "c)), split(4, slide(3, 1, x))))",
     "x[p0 * 4 + 5]", "x[g0 * 4 + 5]", NULL},
    {"gaps",
     "input x: [f32]40; join(@fun(c => mapUnroll[loads=2](fun(w => w[0] * w[3] + w[4]), "
     "c)), split(2, slide(5, 3, x))))",
     "*(const lift_f32x2 *)&x[", "vload2(0, &x[", NULL},
    {"columns side by side in one stream, loaded by twos",
     "input x: [[f32]14]9;"
     "join(@fun(c => transpose(mapSeqSlide(fun(w => mapUnroll[loads=2](fun(v => v[0][1] "
     "- 2.0f * v[2][1] + v[1][0] * v[1][2]), transpose(w))), 3, 1, transpose(c)))),"
     " split(4, transpose(map(fun(r => slide(3, 1, r)), x)))))",
     "lift_f32x2", "float2", NULL},
    {"columns side by side in one stream",
     "input x: [[f32]14]9;"
     "join(@fun(c => transpose(mapSeqSlide(fun(w => mapUnroll(fun(v => v[0][1] - 2.0f * "
     "v[2][1] + v[1][0] * v[1][2]), transpose(w))), 3, 1, transpose(c)))),"
     " split(4, transpose(map(fun(r => slide(3, 1, r)), x)))))",
     NULL, NULL, NULL},
    {"the same with a tail",
     "input x: [[f32]15]9; take(13, "
     "join(@fun(c => transpose(mapSeqSlide(fun(w => mapUnroll(fun(v => v[0][1] - 2.0f * "
     "v[2][1] + v[1][0] * v[1][2]), transpose(w))), 3, 1, transpose(c)))),"
     " split(4, pad(0, 3, clamp, transpose(map(fun(r => slide(3, 1, r)), x)))))))",
     NULL, NULL, NULL},
    {"columns that overlap at the last element only",
     "input x: [[f32]6]9;"
     "join(@fun(c => transpose(mapSeqSlide(fun(w => mapUnroll(fun(v => v[0][1] - 2.0f * "
     "v[2][2] + v[1][0]), transpose(w))), 3, 1, transpose(c)))),"
     " split(3, transpose(map(fun(r => slide(3, 1, pad(1, 1, clamp, r))), x)))))",
     NULL, NULL, NULL},
};

static void assert_shows(const char *source, const char *text)
{
    if (text && !strstr(source, text))
        fail_msg("no '%s' in\n%s", text, source);
}

static void check(const struct vector_case *c, struct lift_device *dev, const char *level,
                  const int local[3])
{
    struct world w;
    enum lift_dialect dialect = lift_device_info(dev)->dialect;
    const char *levels[] = {level, level, level};
    const struct lift_module *m;
    lift_expr e;

    print_message("%s\n", c->name);
    e = open_term(&w, c->text, levels);
    m = generate(&w, e, dialect, local);
    assert_shows(m->source, dialect == LIFT_DIALECT_OPENCL ? c->opencl : c->host);
    if (c->hides && strstr(m->source, c->hides))
        fail_msg("'%s' in\n%s", c->hides, m->source);
    assert_computes(&w, e, dev, local);
    lift_ir_destroy(w.ir);
}

static void check_device(const char *name, const char *level, const int local[][3],
                         int locals)
{
    struct lift_device *dev = open_or_skip(name);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int l = 0; l < locals; l++)
            check(&cases[i], dev, level, local[l]);
    lift_device_close(dev);
}

static void test_host(void **state)
{
    static const int local[][3] = {{1, 1, 1}};

    (void)state;
    check_device("host", "mapPar(", local, 1);
}

static void test_opencl(void **state)
{
    static const int local[][3] = {{1, 1, 1}, {4, 1, 1}};

    (void)state;
    check_device("opencl", "mapGlb(0, ", local, 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
                                       cmocka_unit_test(test_opencl)};

    only(argc, argv);
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
