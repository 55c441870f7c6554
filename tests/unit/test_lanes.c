/* Loops over lanes: terms as text, run on the host and compared with the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_terms.h"
#include "only.h"
#include <stdio.h>

static const struct term_case cases[] = {
    {"whole vectors",
     "input x: [f32]34; mapVec(8, fun(w => w[0] - 2.0f * w[2]), "
     "slide(3, 1, x))",
     "*(lift_f32x8 *)&out[", "simd"},
    {"a condition that is the same for all lanes",
     "input k: [f32]2; input x: [f32]34; mapVec(8, fun(e => if k[0] < 0.5f then (if k[1] "
     "< 0.0f then e * e + 1.0f else if k[0] < k[1] then 3.0f else e) else e - k[0]), x)",
     " ? (lift_f32x8)(", NULL},
    {"the same, and a test of each lane inside",
     "input k: [f32]2; input x: [f32]34; mapVec(16, fun(e => if k[0] < 2.0f then (if e < "
     "0.0f then k[1] else e * 2.0f) else if k[1] < 0.5f && e < k[0] then 3.0f else -e), "
     "x)",
     "lift_select_f32x16(", NULL},
    {"the same of whole numbers",
     "input k: [f32]2; input x: [f32]34; mapVec(8, fun(e => let i = i32(e * 9.0f) in "
     "f32(if k[0] < 0.5f then (if k[1] < 0.0f then i * 2i + 1i else 3i) else i - 1i)), "
     "x)",
     " ? (lift_i32x8)(", NULL},
    {"iterations that are left",
     "input x: [f32]33; mapVec(8, fun(w => w[0] - 2.0f * "
     "w[2]), slide(3, 1, x))",
     "for (long r", NULL},
    {"fewer iterations than lanes",
     "input x: [f32]9; mapVec(8, fun(w => w[0] - 2.0f * w[2]), slide(3, 1, x))",
     "omp simd", "lift_f32x8"},
    {"rows made of two vectors",
     "input x: [[f32]48]5; mapSeq(fun(r => mapVec[rows=shuffle](16, fun(w => w[0] - 2.0f "
     "* w[3] + w[5] * w[16]), slide(17, 1, r))), x)",
     "lift_row3_f32x16(", "lift_row16_"},
    {"the same of half as many lanes",
     "input x: [[f32]48]5; mapSeq(fun(r => mapVec[rows=shuffle](8, fun(w => w[0] - 2.0f "
     "* w[1] + w[2] * w[7]), slide(8, 1, take(31, r)))), x)",
     "lift_row7_f32x8(", NULL},
    {"rows that may end within a vector",
     "input x: [[f32]18]5; mapSeq(fun(r => mapVec[rows=shuffle](4, fun(w => w[0] - 2.0f "
     "* w[2]), slide(3, 1, r))), x)",
     NULL, "__builtin"},
    {"rows that begin anywhere",
     "input x: [[f32]18]8; mapSeq(fun(r => mapVec[rows=shuffle](8, fun(w => w[0] - 2.0f "
     "* w[2]), slide(3, 1, r))), x)",
     NULL, "__builtin"},
    {"a choice",
     "input x: [f32]30; mapVec(4, fun(w => if w[0] < w[2] then w[1] * w[1] "
     "else w[0] - 1.0f), slide(3, 1, x))",
     "lift_select_f32x4(", NULL},
    {"logic of masks",
     "input x: [f32]30; mapVec(8, fun(w => if (w[0] < w[2] && !(w[1] <= w[2])) || w[1] "
     "== "
     "w[0] then w[1] else (if w[0] != 0.5f && x[3] < x[4] then w[2] else 1.5f)), "
     "slide(3, 1, x))",
     " | ", NULL},
    {"a choice that is the same for all lanes",
     "input x: [f32]30; mapVec(8, fun(w => if x[3] < x[4] then w[1] else 2.0f), "
     "slide(3, 1, x))",
     " ? ", NULL},
    {"tests that all lanes share, made once",
     "input x: [[f32]30]5; mapSeq(fun(w => mapVec[tests=hoisted](8, fun(t => t.0 - 2.0f "
     "* "
     "t.1), zip(w[0], w[2]))), slide(3, 1, pad(1, 1, constant(0.5f), x)))",
     "} else {", NULL},
    {"a test of the index is made where it was",
     "input x: [f32]30; mapVec[tests=hoisted](8, fun((i, e) => if i < 4 then e else 1.0f "
     "- e), zip(array(30, fun(i => i)), x))",
     "lift_select_f32x8(", "} else {"},
    {"vectors that no end of a clamped row reaches",
     "input x: [f32]40; mapVec[tests=apart](8, fun(w => w[0] - 2.0f * w[2]), slide(3, 1, "
     "pad(1, 1, clamp, x)))",
     "(*(const lift_f32x8 *)&x[x1 * 8 - 1])", NULL},
    {"the same of a row that is mirrored",
     "input x: [f32]40; mapVec[tests=apart](8, fun(w => w[0] - 2.0f * w[2]), slide(3, 1, "
     "pad(1, 1, mirror, x)))",
     "(*(const lift_f32x8 *)&x[x1 * 8 + 1])", NULL},
    {"the same of a row that is wrapped",
     "input x: [f32]40; mapVec[tests=apart](8, fun(w => w[0] - 2.0f * w[2]), slide(3, 1, "
     "pad(1, 1, wrap, x)))",
     "(*(const lift_f32x8 *)&x[x1 * 8 - 1])", NULL},
    {"tests of an index that an iteration computes stay",
     "input x: [f32]40; mapVec[tests=apart](8, fun((i, e) => reorder(fun(k => max(0, "
     "min(i32(e * 9.0f) + i, 39))), pad(1, 1, clamp, x))[0]), zip(array(40, fun(i => "
     "i)), x))",
     "at", "if (at"},
    {"tests of the index of a loop inside stay",
     "input x: [[f32]9]40; mapVec[tests=apart](8, fun(r => reduceSeq(fun(a, w => a + "
     "w[0] * w[2]), 0.0f, slide(3, 1, pad(1, 1, clamp, r)))), x)",
     "LIFT_MAX(", NULL},
    {"vectors that pass all tests have separate code",
     "input x: [f32]40; mapVec[tests=apart](8, fun((i, e) => if 9 <= i && i < 33 then e "
     "* "
     "2.0f else 1.0f - e), zip(array(40, fun(i => i)), x))",
     "x[x1 * 8]) * 2.0f;\n        } else {", NULL},
    {"the same of tests that all lanes share, and with vectors fetched ahead",
     "input x: [[f32]40]9; mapSeq(fun(w => mapVec[tests=apart](8, fun((i, (a, b)) => if "
     "7 "
     "< i then a - 2.0f * b else b), prefetch(1, zip(array(40, fun(i => i)), zip(w[0], "
     "w[2]))))), slide(3, 1, pad(1, 1, constant(0.5f), x)))",
     "        __builtin_prefetch(&x[i0 * 40 + x2 * 8 + 80]);\n            } else {",
     NULL},
    {"a test that no line of indices makes stays",
     "input x: [f32]40; mapVec[tests=apart](8, fun((i, e) => if mod(i, 3) < 2 then e "
     "else "
     "1.0f - e), zip(array(40, fun(i => i)), x))",
     NULL, "} else {"},
    {"a row of one vector keeps its tests",
     "input x: [f32]11; mapVec[tests=apart](8, fun((i, e) => if 2 <= i then e else 1.0f "
     "- "
     "e), zip(array(11, fun(i => i)), x))",
     NULL, "} else {\n"},
    {"functions",
     "input x: [f32]30; mapVec(8, fun(w => sqrt(abs(w[0])) + min(w[1], w[2]) * max(w[0], "
     "0.5f) - exp(-(w[1] * w[1])) + floor(w[2])), slide(3, 1, x))",
     "sqrtf(", NULL},
    {"a function of a function",
     "input x: [f32]19; mapVec(8, fun(e => sqrt(1.0f + abs(min(e, x[2])))), x)", NULL,
     NULL},
    {"integers",
     "input x: [f32]30; mapVec(4, fun(e => f32(i32(e * 40.0f) / 3 - mod(i32(e * 20.0f), "
     "5) + "
     "max(i32(e * 9.0f), 2) * 7)), x)",
     "lift_div(", NULL},
    {"the index as a number",
     "input x: [f32]30; mapVec(8, fun((i, e) => f32(3 * i) * e), zip(array(30, fun(i => "
     "i)), x))",
     "(lift_i32x8){", NULL},
    {"a test of the index",
     "input x: [f32]30; mapVec(8, fun((i, e) => if i < 4 || i == 17 then e else 1.0f - "
     "e), zip(array(30, fun(i => i)), x))",
     "lift_select_f32x8(", NULL},
    {"elements outside of some iterations are read one by one",
     "input x: [f32]30; mapVec(8, fun(w => w[0] - 3.0f * w[2]), slide(3, 1, pad(1, 1, "
     "constant 0.5f, x)))",
     " ? x[", NULL},
    {"a boundary that repeats",
     "input x: [f32]30; mapVec(8, fun(w => w[0] - 3.0f * w[2]), slide(3, 1, pad(1, 1, "
     "clamp, x)))",
     NULL, NULL},
    {"a loop inside",
     "input x: [f32]30; mapVec(8, fun(w => reduceSeq(fun(s, e) => s + e * e, 0.0f, w)), "
     "slide(5, 1, x))",
     "lift_f32x8 acc_", NULL},
    {"columns, read and stored with gaps",
     "input x: [[f32]6]19; mapVec(4, fun(r => mapSeq(fun(e => e * e - 1.0f), r)), x)",
     "[3]", NULL},
    {"columns side by side",
     "input x: [[f32]19]6; transpose(mapVec(4, fun(c => mapSeq(fun(e => e * e - 1.0f), "
     "c)), transpose(x)))",
     "*(lift_f32x4 *)&out[", NULL},
    {"several rows a turn",
     "input x: [[f32]19]6; transpose(mapVec(4, fun(c => mapUnroll(fun(w => w[0] - w[1] * "
     "w[2]), slide(3, 1, c))), transpose(x)))",
     "*(lift_f32x4 *)&out[", NULL},
    {"several rows a turn, in the order of what they load",
     "input x: [[f32]19]6; transpose(mapVec(4, fun(c => mapUnroll[order=loads](fun(w => "
     "reduceUnroll(fun(s, e) => s + e * e, 0.0f, w)), slide(3, 1, c))), transpose(x)))",
     "acc_1 = acc_1 + v_18;\n        acc_5 = acc_5 + v_18;", NULL},
    {"the same of loops, one after the other",
     "input x: [[f32]19]6; transpose(mapVec(4, fun(c => mapUnroll[order=loads](fun(w => "
     "reduceSeq(fun(s, e) => s + e * e, 0.0f, w)), slide(3, 1, c))), transpose(x)))",
     "*(lift_f32x4 *)&out[x5 * 4] = acc_1;\n        lift_f32x4 acc_3", NULL},
    {"the same with a choice",
     "input x: [[f32]19]6; transpose(mapVec(4, fun(c => mapUnroll[order=loads](fun(w => "
     "if x[2][1] < x[1][2] then reduceUnroll(fun(s, e) => s + e * e, 0.0f, w) else "
     "w[1]), "
     "slide(3, 1, c))), transpose(x)))",
     "lift_select_f32x4(", NULL},
    {"a window that moves through columns",
     "input x: [[f32]19]9; transpose(mapVec(8, fun(c => mapSeqSlide(fun(w => w[0] - w[1] "
     "* w[2]), 3, 1, c)), transpose(x)))",
     "*(lift_f32x8 *)&out[", NULL},
    {"tiles with an end",
     "input x: [f32]29; take(29, join(mapSeq(fun(c => mapVec(4, fun(e => e * e - 1.0f), "
     "c)), split(12, pad(0, 7, any, x)))))",
     "LIFT_MIN(", NULL},
    {"a tile of which nothing is needed",
     "input x: [f32]29; take(5, join(mapSeq(fun(c => mapVec(4, fun(e => e * e - 1.0f), "
     "c)), split(6, take(24, x)))))",
     NULL, NULL},
    {"a number", "input x: [f32]18; mapVec(4, fun(e => x[3]), x)", NULL, NULL},
    {"a name for what differs",
     "input x: [f32]18; mapVec(8, fun(e => let y = e * e + 1.0f in y * y - y), x)",
     "lift_f32x8 ", NULL},
    {"non-temporal stores",
     "input x: [[f32]48]9; alignRows(16, 0, mapPar(fun(r => mapVec[store=nontemporal](8, "
     "fun(e => e * e - 1.0f), r)), x))",
     "        lift_fence();\n    }\n}", "*(lift_f32x8 *)&out["},
    {"the same of tasks, of two loops together",
     "input x: [[[f32]35]3]9; alignRows(16, 0, mapTask[collapse=2](fun(p => mapSeq(fun(r "
     "=> mapVec[store=nontemporal](16, fun(e => e * e - 1.0f), r)), p)), x))",
     "            lift_fence();\n        }\n    }\n}", "parallel\n    {"},
    {"the same without threads",
     "input x: [[f32]48]9; alignRows(32, 0, mapSeq(fun(r => mapVec[store=nontemporal](4, "
     "fun(e => e * e - 1.0f), r)), x))",
     "    }\n    lift_fence();\n}", "parallel"},
    {"no non-temporal stores where no buffer is aligned",
     "input x: [[f32]48]9; mapPar(fun(r => mapVec[store=nontemporal](8, fun(e => e * e - "
     "1.0f), r)), x)",
     "*(lift_f32x8 *)&out[", "lift_fence"},
    {"nor where there is no whole vector",
     "input x: [[f32]9]9; alignRows(16, 0, mapPar(fun(r => mapVec[store=nontemporal](16, "
     "fun(e => e * e - 1.0f), r)), x))",
     "omp simd", "lift_fence"},
    {"nor where vectors are longer than what rows are multiples of",
     "input x: [[f32]48]9; alignRows(8, 0, mapPar(fun(r => mapVec[store=nontemporal](16, "
     "fun(e => e * e - 1.0f), r)), x))",
     "*(lift_f32x16 *)&out[", "lift_fence"},
    {"rows fetched ahead: of a window the last",
     "input x: [[f32]48]19; mapPar(fun(p => mapSeq(fun(w => mapVec(8, fun((a, b, c) => a "
     "- "
     "b * c), prefetch(2, zip(w[0], w[1], w[2])))), slide(3, 1, p))), slide(12, 1, x))",
     "__builtin_prefetch(&x[i1 * 48 + p0 * 48 + x3 * 8 + 192]);\n            }", NULL},
    {"of vectors side by side the last",
     "input x: [[f32]48]19; mapPar(fun(r => mapVec(8, fun(w => w[0] - w[3] * w[6]), "
     "prefetch(1, slide(7, 1, r)))), x)",
     ";\n            __builtin_prefetch(&x[p0 * 48 + x2 * 8 + 54]);\n        }", NULL},
    {"nor what loops inside read",
     "input x: [[f32]48]19; mapPar(fun(r => mapVec(8, fun(w => reduceSeq(fun(s, e) => s "
     "+ e "
     "* e, w[0], w)), prefetch(1, slide(5, 1, r)))), x)",
     "_prefetch(&x[p0 * 48 + x3 * 8 + 48])", NULL},
    {"nothing is fetched",
     "input x: [[f32]48]19; mapPar(fun(r => mapVec(8, fun(e => e * e), "
     "prefetch(0, r))), x)",
     NULL, "_prefetch("},
    {"an index that differs from lane to lane is a variable of each",
     "input x: [f32]30; mapVec(4, fun((i, e) => e * reorder(fun(k => max(0, min(i32(e * "
     "9.0f) + i, 29))), x)[0]), zip(array(30, fun(i => i)), x))",
     "x[at", "[at0]"},
    {"so does one of an array inside, read by a loop",
     "input x: [f32]30; input c: [[f32]4]3; mapVec(8, fun((i, e) => reduceSeq(fun(s, r) "
     "=> if i32(r[0]) < i then s + e * reorder(fun(k => max(0, min(i - i32(r[1] * 4.0f), "
     "3))), r)[0] else s, e, c)), zip(array(30, fun(i => i)), x))",
     "c[at", "lift_i32x8 at"},
    {"tiles that end within a vector, which lie across each other",
     "input x: [f32]29; take(29, join(transpose(mapSeq(fun(r => mapVec(4, fun(e => e * e "
     "- 1.0f), r)), transpose(split(4, pad(0, 3, any, x)))))))",
     "} else {", NULL},
    {"tiles of which each whole vector is there",
     "input x: [f32]37; take(37, join(transpose(mapSeq(fun(r => mapVec(4, fun(e => e * e "
     "- 1.0f), r)), transpose(split(3, pad(0, 2, any, x)))))))",
     "lift_f32x4 lanes_", "} else {"},
    {"a tile each lane, the last of which ends earlier",
     "input x: [f32]22; take(22, join(mapVec(4, fun(c => mapSeq(fun(e => e * e - 1.0f), "
     "c)), split(3, pad(0, 2, any, x)))))",
     "i1_end = LIFT_MIN(3, -x2 * 12 + 13)", NULL},
    {"rows of which each lane has its own function",
     "input x: [[f32]6]9; mapVec(4, fun((i, r) => if i < 6 then mapSeq(fun(e => e * e - "
     "1.0f), r) else mapSeq(fun(e => e + 2.0f), r)), zip(array(9, fun(i => i)), x))",
     "if (x3 * 4 + 3 < 6) {", NULL},
    {"variables that lanes set at different times",
     "input x: [[f32]6]9; mapVec(4, fun((i, r) => let t = toPrivate(if r[0] < r[1] then "
     "mapUnroll(fun(e => e * e), take(2, r)) else mapUnroll(fun(e => e + 2.0f), drop(4, "
     "r))) in mapUnroll(fun(w => w[0] - w[1]), slide(2, 1, t))), zip(array(9, fun(i => "
     "i)), x))",
     "reg_1_0 = (lift_f32x4){x_2 * x_2, reg_1_0[1], reg_1_0[2], reg_1_0[3]};", NULL},
    {"straight-line code of one iteration",
     "input x: [[f32]18]7; take(6, join(mapSeq(fun(c => transpose(mapVec(8, fun(p => "
     "mapUnroll(fun(e => e * e), p)), transpose(c)))), split(4, pad(0, 1, any, x)))))",
     "*(lift_f32x8 *)&out[", NULL},
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
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
