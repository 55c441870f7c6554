/* Tiles of which the last is moved inward: a point that two threads could store is stored
 * by one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_terms.h"
#include "only.h"
#include <stdio.h>

static const struct term_case cases[] = {
    {"one after the other, all tiles are alike",
     "input x: [[f32]5]7; joinShift(7, mapSeq(fun(t => mapPar(fun(r => mapSeq(fun(e => e "
     "* e), r)), t)), slideShift(3, 3, x)))",
     "LIFT_MIN(", "if ("},
    {"tiles of threads store their own elements",
     "input x: [[f32]5]7; joinShift(7, mapPar(fun(t => mapSeq(fun(r => mapSimd(fun(e => "
     "e * e), r)), t)), slideShift(3, 3, x)))",
     "if (p0 * 3 <= i1 + LIFT_MIN(p0 * 3, 4)) {\n                #pragma omp simd", NULL},
    {"so do those of tasks",
     "input x: [[f32]5]7; joinShift(7, mapTask(fun(t => mapSeq(fun(r => mapSimd(fun(e => "
     "e * e), r)), t)), slideShift(3, 3, x)))",
     "if (t0 * 3 <= i1 + LIFT_MIN(t0 * 3, 4))", NULL},
    {"tiles that follow each other within those of threads are alike",
     "input x: [[f32]5]7; joinShift(7, mapPar(fun(t => map(fun(u => joinShift(5, u)), "
     "transpose(mapSeq(fun(b => mapSeq(fun(r => mapSeq(fun(e => e * e), r)), b)), "
     "transpose(map(fun(r => slideShift(2, 2, r)), t)))))), slideShift(3, 3, x)))",
     "if (p0 * 3 <= ", "if (i"},
    {"loops that one pragma takes together",
     "input x: [[f32]5]7; joinShift(7, mapPar[collapse=2](fun(t => map(fun(u => "
     "joinShift(5, u)), transpose(mapSeq(fun(b => mapSeq(fun(r => mapSeq(fun(e => e * "
     "e), r)), b)), transpose(map(fun(r => slideShift(2, 2, r)), t)))))), slideShift(3, "
     "3, x)))",
     "if (i1 * 2 <= ", NULL},
    {"a tile as long as all is one",
     "input x: [f32]6; joinShift(6, mapPar(fun(t => mapSeq(fun(e => e * e), t)), "
     "slideShift(6, 6, x)))",
     NULL, "if ("},
    {"tiles that divide evenly are whole",
     "input x: [f32]6; joinShift(6, mapPar(fun(t => mapSeq(fun(e => e * e), t)), "
     "slideShift(2, 2, x)))",
     NULL, "if ("},
    {"lanes in rows that are whole",
     "input x: [[f32]29]7; joinShift(7, mapPar(fun(t => mapSeq(fun(r => joinShift(29, "
     "mapSeq(fun(c => mapVec(4, fun(e => e * e), c)), slideShift(8, 8, r)))), t)), "
     "slideShift(3, 3, x)))",
     "*(lift_f32x4 *)&out[", NULL},
    {"vectors of straight-line code",
     "input x: [f32]30; joinShift(30, mapPar(fun(t => asScalar(mapUnroll(fun(v => v * "
     "v), asVector(4, t)))), slideShift(8, 8, x)))",
     NULL, NULL},
    {"a window that moves",
     "input x: [f32]30; joinShift(28, mapPar(fun(t => mapSeqSlide(fun(w => w[0] - w[1] "
     "* w[2]), 3, 1, t)), slideShift(10, 8, x)))",
     "if (p0 * 8 <= ", NULL},
};

static void test_cases(void **state)
{
    (void)state;
    check_all_on_host(cases, sizeof cases / sizeof *cases);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};

    only(argc, argv);
    return cmocka_run_group_tests_name("tails", tests, NULL, NULL);
}
