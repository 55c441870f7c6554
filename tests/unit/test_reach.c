/* How far programs reach into their inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "ir/reach.h"
#include "lift/program.h"
#include <cmocka.h>

/* Expected reach into the first input, along two dimensions. */
struct reached {
    const char *body;
    bool known, wraps;
    int64_t lo[2], hi[2];
};

#define STAR "map2(w => w[0][1] + w[1][0] + w[2][3], slide2((3, 4), 1, "

static const struct reached cases[] = {
    {"map2(a => a + 1.0, x)", true, false, {0, 0}, {0, 0}},
    {"map2(a => 1.0, y)", true, false, {0, 0}, {0, 0}}, /* nothing is read */
    {STAR "pad2((1, 1), (1, 2), constant 0.0, x)))", true, false, {-1, -1}, {1, 2}},
    {STAR "pad2((0, 0), (2, 3), clamp, x)))", true, false, {0, 0}, {2, 3}},
    /* left of the result, but a boundary repeats the element at its place */
    {"map2(a => a, take2((10, 20), pad2(3, 0, clamp, x)))",
     true,
     false,
     {-3, -3},
     {0, 0}},
    /* mirrored, an element lies on the other side, as far away */
    {"map2(a => a, take2((10, 20), pad2(3, 0, mirror, x)))",
     true,
     false,
     {-3, -3},
     {3, 3}},
    {"map2(a => a, take2((10, 20), pad2(3, 0, wrap, x)))",
     true,
     true,
     {-3, -3},
     {-3, -3}},
    /* around the ends of another length, or repeated after that: anywhere */
    {"map2(a => a, take2((7, 17), pad2(3, 0, wrap, take2((7, 17), x))))",
     true,
     true,
     {-3, -3},
     {-3, -3}},
    {"map2(a => a, take2((10, 20), pad2(3, 0, wrap, take2((7, 17), x))))",
     false,
     false,
     {0, 0},
     {0, 0}},
    {"map2(a => a, take2((10, 20), pad2(1, 0, wrap, take2((10, 20), pad2(1, 0, clamp, "
     "x)))))",
     false,
     false,
     {0, 0},
     {0, 0}},
    {"map2(a => a, take2((10, 20), pad2(1, 0, clamp, take2((10, 20), pad2(1, 0, wrap, "
     "x)))))",
     true,
     true,
     {-2, -2},
     {-1, -1}},
    {"inset2(1, 2, x, map2(a => a, take2((7, 17), x)))", true, false, {-1, -1}, {0, 0}},
    {"map2(fun((w, b) => w[1][0] * b), zip2(slide2((2, 1), 1, pad2((0, 0), (1, 0), "
     "clamp, x)), "
     "x))",
     true,
     false,
     {0, 0},
     {1, 0}},
    {"map(r => map(w => reduce(add, 0.0, w), slide(5, 1, pad(2, 2, clamp, r))), x)",
     true,
     false,
     {0, -2},
     {0, 2}},
    /* rows of a window, one after the other */
    {"map2(w => reduce(add, 0.0, join(w)), slide2((3, 4), 1, pad2(1, (1, 2), clamp, x)))",
     true,
     false,
     {-1, -1},
     {1, 2}},
    {"transpose(transpose(x))", true, false, {0, 0}, {0, 0}},
    {"map(r => map(fun((a, b) => a + b), zip(r, x[0])), x)",
     false,
     false,
     {0, 0},
     {0, 0}},
    {"map(r => reorder(i => 19 - i, r), x)", false, false, {0, 0}, {0, 0}},
};

static void check(const struct reached *want)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_str text = {0};
    struct lift_error errors = {0};
    struct lift_source source;
    const struct lift_program *program;
    struct lift_reach reach;

    lift_str_addf(&text, "stencil p(x: [[f32]20]10, y: [[f32]20]10) -> z = %s",
                  want->body);
    source = (struct lift_source){"p.lift", lift_str_get(&text), text.len};
    program = lift_program_load(ir, &source, NULL, &errors);
    if (!program)
        fail_msg("%s: %s", want->body, lift_str_get(&errors.text));
    reach.array = program->inputs[0].var;
    lift_reach_find(program->body, 2, &reach, 1);
    if (reach.known != want->known)
        fail_msg("%s: known is %d", want->body, reach.known);
    for (int d = 0; d < 2 && reach.known; d++)
        if (reach.lo[d] != want->lo[d] || reach.hi[d] != want->hi[d] ||
            reach.wraps[d] != want->wraps)
            fail_msg("%s: %lld to %lld along %d", want->body, (long long)reach.lo[d],
                     (long long)reach.hi[d], d);
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_ir_destroy(ir);
}

static void test_reach(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reach)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
