/* Rules: matching, native rules, files and their mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "ir/constraint.h"
#include "ir/eval.h"
#include "lift/build.h"
#include "lift/parse.h"
#include "rules/decision.h"
#include "rules/rule.h"
#include <cmocka.h>

#include "rule_files.h"
#include "rule_world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- matching */

struct match_case {
    const char *rule; /* without its head */
    const char *at;   /* place of the redex */
    const char *term;
    const char *want; /* NULL: the rule does not apply */
};

static const struct match_case match_cases[] = {
    /* names of variables do not matter */
    {"map(f, map(g, x)) ~> map(fun(y => f(g(y))), x)", ".",
     "map(fun(u => u + 1.0f), map(fun(v => v * c), x))",
     "map(fun(y => y * c + 1.0f), x)"},
    /* the argument of the inner primitive must be the variable itself */
    {"map(fun(r => transpose(r)), z) ~> z", ".",
     "map(fun(r => transpose(r)), split(3, q))", "split(3, q)"},
    {"map(fun(r => transpose(r)), z) ~> map(fun(t => map(fun(e => e), t)), z)", ".",
     "map(fun(r => transpose(map(fun(s => s), r))), map(fun(k => q), x))", NULL},
    {"map(fun(r => transpose(r)), z) ~> z", ".",
     "map(fun(r => transpose(r)), map(fun(k => q), x))", "map(fun(k => q), x)"},
    /* a function metavariable takes all of the rest */
    {"map(fun(r => transpose(g(r))), z) ~> map(g, z)", ".",
     "map(fun(k => transpose(map(fun(s => s), q))), x)",
     "map(fun(k => map(fun(s => s), q)), x)"},
    /* no capture: the inner array depends on the outer variable */
    {"map(fun(a => map(fun(d => f(a, d)), z)), x) ~> x", ".",
     "map(fun(r => map(fun(e => e), r)), q)", NULL},
    {"map(fun(a => map(fun(d => f(a, d)), z)), x)"
     " ~> transpose(map(fun(d => map(fun(a => f(a, d)), x)), z))",
     ".", "map(fun(u => map(fun(v => u - v * c), y)), x)",
     "transpose(map(fun(v => map(fun(u => u - v * c), x)), y))"},
    /* arguments in another order */
    {"map(fun(a => map(fun(d => f(d, a)), z)), x)"
     " ~> transpose(map(fun(d => map(fun(a => f(d, a)), x)), z))",
     ".", "map(fun(u => map(fun(v => u - v * c), y)), x)",
     "transpose(map(fun(v => map(fun(u => u - v * c), x)), y))"},
    /* f is given the inner variable only, but the body needs both */
    {"map(fun(a => map(fun(d => f(d)), z)), x) ~> map(fun(a => map(f, z)), x)", ".",
     "map(fun(u => map(fun(v => u - v), y)), x)", NULL},
    {"map(fun(a => map(fun(d => f(a)), z)), x) ~> map(fun(a => map(fun(d => f(a)), x)), "
     "x)",
     ".", "map(fun(u => map(fun(v => u + c), y)), x)",
     "map(fun(u => map(fun(v => u + c), x)), x)"},
    /* one name, one thing */
    {"zip(z, z) ~> map(fun(e => (e, e)), z)", ".", "zip(x, x)",
     "map(fun(e => (e, e)), x)"},
    {"zip(z, z) ~> map(fun(e => (e, e)), z)", ".", "zip(x, y)", NULL},
    {"slide(n, n, z) ~> split(n, z)", ".", "slide(3, 3, x)", "split(3, x)"},
    {"slide(n, n, z) ~> split(n, z)", ".", "slide(3, 1, x)", NULL},
    {"pad(l, r, k, pad(p, q, k, z)) ~> pad(l + p, r + q, k, z)", ".",
     "pad(1, 2, wrap, pad(3, 4, wrap, x))", "pad(4, 6, wrap, x)"},
    {"pad(l, r, k, pad(p, q, k, z)) ~> pad(l + p, r + q, k, z)", ".",
     "pad(1, 2, wrap, pad(3, 4, clamp, x))", NULL},
    /* sizes that are computed are compared */
    {"take(len(z), z) ~> z", ".", "take(12, x)", "x"},
    {"take(len(z), z) ~> z", ".", "take(11, x)", NULL},
    {"split(len(z, 1), join(z)) ~> z", ".", "split(6, join(m))", "m"},
    {"split(len(z, 1), join(z)) ~> z", ".", "split(4, join(m))", NULL},
    /* conditions */
    {"split(k, z) ~> slide(k, k, z) where 4 <= k", ".", "split(3, x)", NULL},
    {"split(k, z) ~> slide(k, k, z) where 4 <= k", ".", "split(4, x)", "slide(4, 4, x)"},
    {"slide(k, s, z) ~> slide(k, s, z) where k < s", ".", "slide(3, 3, x)", NULL},
    {"slide(k, s, z) ~> split(k, z) where k == s, divides(k, len(z))", ".",
     "slide(5, 5, x)", NULL},
    {"slide(k, s, z) ~> split(k, z) where k == s, divides(k, len(z))", ".",
     "slide(6, 6, x)", "split(6, x)"},
    {"pad(l, r, k, z) ~> pad(r, l, k, z) where l != r", ".", "pad(2, 2, clamp, x)", NULL},
    {"pad(l, r, k, z) ~> pad(r, l, k, z) where l != r", ".", "pad(2, 3, clamp, x)",
     "pad(3, 2, clamp, x)"},
    /* a place below a binder: outer variables keep their binding */
    {"map(f, map(g, x)) ~> map(fun(y => f(g(y))), x)", "0.0",
     "map(fun(r => map(fun(u => u + r[0]), map(fun(v => v * r[1]), r))), m)",
     "map(fun(r => map(fun(v => v * r[1] + r[0]), r)), m)"},
    {"map(f, z) ~> map(fun(t => f(t.0)), zip(z, z))", "0.0",
     "map(fun(r => map(fun(u => u + r[0]), r)), m)",
     "map(fun(r => map(fun(t => t.0 + r[0]), zip(r, r))), m)"},
    /* a result of another type is no rewrite */
    {"map(f, z) ~> z", ".", "map(fun(u => (u, u)), x)", NULL},
    {"map(f, z) ~> join(map(f, z))", ".", "map(fun(u => u), x)", NULL},
    /* literals have signs, zeros too */
    {"z + 0.0 ~> z", ".", "c + 0.0f", "c"},
    {"z + 0.0 ~> z", ".", "c + -0.0f", NULL},
    {"z + -0.0 ~> z", ".", "c + -0.0f", "c"},
    {"z + -0.0 ~> z", ".", "c + 0.0f", NULL},
    /* numbers that a type cannot represent are rounded like those of a term */
    {"z * 0.1 + e ~> e + z * 0.1", ".", "c * 0.1f + x[0]", "x[0] + c * 0.1f"},
    {"z * 0.1f + e ~> e + z * 0.1f", ".", "c * 0.1f + x[0]", "x[0] + c * 0.1f"},
    {"z * 0.1 ~> z * 0.3", ".", "f64(c) * 0.1d", "f64(c) * 0.3d"},
    {"z * 0.1 ~> z * 0.3", ".", "c * 0.2f", NULL},
    {"z * -0.1 ~> -(z * 0.1)", ".", "c * -0.1", "-(c * 0.1)"},
    {"z * -0.1 ~> -(z * 0.1)", ".", "c * 0.1", NULL},
    {"z * 1e39 ~> z", ".", "f64(c) * 1e39d", "f64(c)"},
    {"z * 1e39 ~> z", ".", "c * f32(inf)", NULL},
    /* a suffix says the type */
    {"z * 0.1f ~> z * 0.3f", ".", "f64(c) * 0.1d", NULL},
    {"z * 0.1d ~> z * 0.3d", ".", "c * 0.1f", NULL},
    {"z * 0.1f ~> z * 0.3f", ".", "c * 0.1", "c * 0.3"},
    /* one type for all numbers of a match without one */
    {"(z * 0.1, e * 0.3) ~> (z * 0.3, e * 0.1)", ".", "(c * 0.1, c * 0.3)",
     "(c * 0.3, c * 0.1)"},
    {"(z * 0.1, e * 0.3) ~> (z * 0.3, e * 0.1)", ".", "(c * 0.1, f64(c) * 0.3)", NULL},
    /* the right-hand side may require a type */
    {"z * 0.1 ~> f32(f64(z * 0.1))", ".", "c * 0.1", "f32(f64(c * 0.1))"},
    {"z * 0.1 ~> f32(f64(z * 0.1))", ".", "f64(c) * 0.1d", NULL},
    /* storage types */
    {"if d then z else 0.1 ~> if d then z else 0.3", ".",
     "if c < 1.0 then f16(c) else f16(0.1)", "if c < 1.0 then f16(c) else f16(0.3)"},
    {"if d then z else 0.1 ~> if d then z else 0.3", ".",
     "if c < 1.0 then bf16(c) else bf16(0.1)", "if c < 1.0 then bf16(c) else bf16(0.3)"},
    /* integers are i32; those that a program writes among floats are floats */
    {"z * -3 ~> z * 3", ".", "i32(c) * -3", "i32(c) * 3"},
    {"z * 3 ~> z * -3", ".", "c * 3", NULL},
    {"z * 3.0 ~> z * -3.0", ".", "c * 3", "c * -3"},
    /* let */
    {"let y = z in f(y) ~> f(z)", ".", "let s = c * c in s + s", "c * c + c * c"},
    {"reduce(f, i, map(g, z)) ~> reduce(fun(a, e => let t = g(e) in f(a, t)), i, z)", ".",
     "reduce(fun(a, e => a + e * e), 0.0f, map(fun(u => u - c), x))",
     "reduce(fun(a, e => let t = e - c in a + t * t), 0.0f, x)"},
    /* literals and operators */
    {"map(fun(e => e * 1.0), z) ~> z", ".", "map(fun(u => u * 1.0f), x)", "x"},
    {"map(fun(e => e * 1.0), z) ~> z", ".", "map(fun(u => u * 2.0f), x)", NULL},
    {"map(fun(e => if e < 0.0 then g(e) else e), z) ~> map(g, z)", ".",
     "map(fun(u => if u < 0.0f then u * c else u), x)", "map(fun(u => u * c), x)"},
    /* n-dimensional forms */
    {"map2(f, slide2((n, k), 1, z)) ~> map2(f, slide2(n, (1, 1), z))", ".",
     "map2(fun(w => w[1][1]), slide2((2, 3), 1, m))", NULL},
    {"transpose(map2(f, z)) ~> map2(f, transpose(z))", ".",
     "transpose(map2(fun(e => e + c), m))", "map2(fun(e => e + c), transpose(m))"},
    {"tile2((j, k), z) ~> slide2((j, k), (j, k), z)", ".", "tile2((2, 3), m)",
     "slide2((2, 3), (2, 3), m)"},
    {"rotate3(z) ~> map(fun(p => transpose(p)), transpose(z))", ".", "rotate3(b)", NULL},
    {"map3(f, pad3((1, l, 0), 1, clamp, z)) ~> pad3((1, l, 0), 1, clamp, map3(f, z))",
     ".", "map3(fun(e => e * c), pad3((1, 2, 0), 1, clamp, b))",
     "pad3((1, 2, 0), 1, clamp, map3(fun(e => e * c), b))"},
};

static void check_match(const struct match_case *c)
{
    struct world w = make_world();
    struct lift_str text = {0};
    struct lift_rules *rules;
    struct lift_path at;
    struct lift_rewrite out;
    bool applied;

    lift_str_addf(&text, "rule r exact\n  %s\n", c->rule);
    rules = load_rules(lift_str_get(&text));
    assert_true(lift_path_parse(c->at, &at));
    applied =
        lift_rewrite_at(w.ir, lift_rules_get(rules, 0), parse(&w, c->term), &at, 0, &out);
    if (applied != (c->want != NULL))
        print_message("%s on %s\n", c->rule, c->term);
    assert_int_equal(applied, c->want != NULL);
    if (applied)
        assert_same(out.term, parse(&w, c->want));
    lift_str_fini(&text);
    lift_rules_destroy(rules);
    lift_ir_destroy(w.ir);
}

static void test_matching(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof match_cases / sizeof *match_cases; i++)
        check_match(&match_cases[i]);
}

/* ---- native rules that must not apply, and their results */

static const struct {
    const char *rule, *term, *want;
} native_cases[] = {
    {"mapFusion(1)", "map(fun(a => a + c), map(fun(b => b * c), x))",
     "map(fun(b => b * c + c), x)"},
    /* used twice: computed once */
    {"mapFusion(1)", "map(fun(a => a * a), map(fun(b => b - c), x))",
     "map(fun(b => let z = b - c in z * z), x)"},
    {"mapFusion(1)", "map(fun(a => a[0] + a[1]), map(fun(r => drop(1, r)), m))",
     "map(fun(r => drop(1, r)[0] + drop(1, r)[1]), m)"},
    {"mapFusion(2)", "map2(fun(a => a + c), map2(fun(b => b * c), m))",
     "map2(fun(b => b * c + c), m)"},
    {"mapFusion(2)",
     "map(fun(r => map(fun(a => a + r[0]), r)), map2(fun(b => b * c), m))", NULL},
    {"mapFission", "map(fun(a => sqrt(a * c)), x)",
     "map(fun(z => sqrt(z)), map(fun(a => a * c), x))"},
    /* a * c + a: a is used outside of a * c */
    {"mapFission", "map(fun(a => a + a), x)", NULL},
    {"letInlineOnce", "let s = c * c in s + 1.0f", "c * c + 1.0f"},
    {"letInlineOnce", "let s = c * c in s + s", NULL},
    {"letInlineOnce", "let s = c * c in map(fun(e => e + s), x)", NULL},
    {"letInlineOnce", "let s = c in s + s", "c + c"},
    {"letInlineOnce", "let s = toGlobal(map(neg, x)) in map(neg, s)", NULL},
    {"combineQuotients", "c / x[0] + x[1]", NULL},
    {"combineQuotients", "c / 3.0f + x[1] / 5.0f", NULL},
    {"combineQuotients", "c / x[0] + x[1] / x[0]", "(c + x[1]) / x[0]"},
    {"combineQuotients", "c / x[0] - 1.0f / (x[1] * x[0])",
     "(c * x[1] - 1.0f) / (x[0] * x[1])"},
    {"combineQuotients", "(c / x[0]) / (x[1] / x[0])", "c / x[1]"},
    {"combineQuotients", "1.0f / (1.0f + -(x[0] / c) / 2.0f)", "c / (c + -x[0] / 2.0f)"},
    {"inlineQuotient", "let s = c / x[0] in s * s + x[1]",
     "c / x[0] * (c / x[0]) + x[1]"},
    {"inlineQuotient", "let s = c / x[0] in if s < 1.0f then s else x[1]", NULL},
    {"inlineQuotient", "let s = c / x[0] in map(fun(e => e * s), x)", NULL},
    {"inlineQuotient", "let s = c / 2.0f in s * s", NULL},
    {"getTuple", "(x, c, y).2", "y"},
    {"getTuple", "unzip(zip(x, y)).1", NULL},
    {"padOfZip", "pad(1, 2, clamp, zip(x, y, x))",
     "zip(pad(1, 2, clamp, x), pad(1, 2, clamp, y), pad(1, 2, clamp, x))"},
    {"zipSelect(1)", "map(fun(t => t.1), zip(x, y))", "y"},
    {"zipSelect(1)", "map(fun(t => t.1 + t.0), zip(x, y))", NULL},
    {"zipOfMaps(1)", "zip(x, map(fun(a => a * c), y))",
     "map(fun(t => (t.0, t.1 * c)), zip(x, y))"},
    {"zipOfMaps(1)", "zip(x, y)", NULL},
    {"clampOfClamp(2)", "pad2(1, 0, clamp, pad2((2, 1), 3, clamp, m))",
     "pad2((3, 2), 3, clamp, m)"},
    {"clampOfClamp(2)", "pad2(1, 0, clamp, pad2(1, 0, wrap, m))", NULL},
    {"anyOfAny(2)", "pad2(0, (2, 1), any, pad2(0, 3, any, m))",
     "pad2(0, (5, 4), any, m)"},
    {"anyOfAny(2)", "pad2(0, (2, 1), any, pad2(0, 3, clamp, m))", NULL},
    {"anyOfAny(2)", "pad2(0, 1, any, pad2(1, 3, any, m))", NULL},
    {"copyToLocal(1)", "map(fun(t => reduce(fun(a, e => a + e), 0.0f, t)), m)", NULL},
    {"copyToLocal(1)", "map(fun(t => map(fun(w => w[0] + w[1]), slide(2, 1, t))), m)",
     "map(fun(t => let l = toLocal(map(fun(e => e), t)) in"
     " map(fun(w => w[0] + w[1]), slide(2, 1, l))), m)"},
    {"copyToLocal(1)",
     "map(fun(t => let l = toLocal(map(fun(e => e), t)) in slide(2, 1, l)), m)", NULL},
    /* of the smallest windows; two arrays if they are as small */
    {"copySmallestToLocal(1)", "map(fun(t => reduce(fun(a, e => a + e), 0.0f, t)), m)",
     NULL},
    {"copySmallestToLocal(1)",
     "map(fun(t => (slide(2, 1, t.0), slide(2, 1, t.1))), zip(m, map(fun(r => take(3, "
     "r)), m)))",
     "map(fun(t => let l = toLocal(map(fun(e => e), t.1)) in"
     " (slide(2, 1, t.0), slide(2, 1, l))), zip(m, map(fun(r => take(3, r)), m)))"},
    {"copySmallestToLocal(1)",
     "map(fun(t => zip(slide(2, 1, t.0), slide(2, 1, t.1))), zip(m, m))",
     "map(fun(t => let k = toLocal(map(fun(e => e), t.1)) in"
     " let l = toLocal(map(fun(e => e), t.0)) in"
     " zip(slide(2, 1, l), slide(2, 1, k))), zip(m, m))"},
    {"physicalHalo",
     "map(fun(w => w[0] - w[2]), slide(3, 1, pad(1, 1, constant 0.5f, x)))",
     "map(fun(w => w[0] - w[2]), slide(3, 1, padStored(1, 1, 0.5f, x)))"},
    /* two widths of one input */
    {"physicalHalo", "zip(pad(1, 1, constant 0.0f, x), pad(2, 0, constant 0.0f, x))",
     "zip(padStored(1, 1, 0.0f, x), padStored(2, 0, 0.0f, x))"},
    {"physicalHalo", "map(fun(r => pad(1, 0, constant 2.0f, r)), m)",
     "map(fun(r => padStored(1, 0, 2.0f, r)), m)"},
    {"physicalHalo", "pad(1, 1, clamp, x)", NULL},
    {"physicalHalo", "pad(1, 1, value fun(i, n => f32(i)), x)", NULL},
    {"physicalHalo", "pad(1, 1, constant 2.0f * c, x)", "padStored(1, 1, 2.0f * c, x)"},
    {"physicalHalo", "pad(1, 1, constant x[0], x)", NULL},
    {"physicalHalo", "pad(1, 1, constant 0.0f, map(fun(e => e + c), x))", NULL},
    {"physicalHalo", "pad(1, 1, constant 0.0f, pad(1, 1, clamp, x))", NULL},
    {"physicalHalo", "pad(1, 1, constant 0.0f, zip(x, y))", NULL},
    /* arrays of one shape have one layout */
    {"physicalHalo", "zip(pad(1, 1, constant 0.0f, x), pad(1, 1, constant 1.0f, y))",
     NULL},
    /* a stored intermediate, or one of its grids; the pad value must be known when its
     * memory is allocated */
    {"physicalHalo",
     "let s = toGlobal(map(fun(e => e * c), x)) in pad(1, 1, constant 2.0f, s)",
     "let s = toGlobal(map(fun(e => e * c), x)) in padStored(1, 1, 2.0f, s)"},
    {"physicalHalo",
     "let s = toGlobal(map(fun(e => (e, c)), x)) in pad(0, 1, constant 2.0f, unzip(s).1)",
     "let s = toGlobal(map(fun(e => (e, c)), x)) in padStored(0, 1, 2.0f, unzip(s).1)"},
    {"physicalHalo",
     "let s = toGlobal(map(fun(e => e * c), x)) in pad(1, 1, constant c, s)", NULL},
    {"physicalHalo", "let s = map(fun(e => e * c), x) in pad(1, 1, constant 2.0f, s)",
     NULL},
    {"physicalHalo",
     "let s = toGlobal(map(fun(e => (e, c)), x)) in pad(1, 1, constant 0.0f, s)", NULL},
    {"inPlace", "map(fun(t => t.0 + t.1[0]), zip(y, slide(3, 1, pad(1, 1, clamp, x))))",
     "inPlace(y, map(fun(t => t.0 + t.1[0]), zip(y, slide(3, 1, pad(1, 1, clamp, x)))))"},
    {"inPlace", "unzip(map(fun(t => (t.0 + t.1, t.0)), zip(y, x)))",
     "inPlace((y, x), unzip(map(fun(t => (t.0 + t.1, t.0)), zip(y, x))))"},
    /* the second result has no input */
    {"inPlace", "unzip(map(fun(e => (e + c, e)), x))", NULL},
    {"inPlace", "map(fun(w => w[1] + w[0]), slide(3, 1, pad(1, 1, clamp, x)))", NULL},
    {"inPlace", "map(fun(r => reduce(fun(a, e => a + e), 0.0f, r)), m)", NULL},
    {"inPlace", "transpose(transpose(m))", NULL},
    {"inPlace", "join(map(fun(t => map(fun(e => e + 1.0f), t)), split(4, x)))",
     "inPlace(x, join(map(fun(t => map(fun(e => e + 1.0f), t)), split(4, x))))"},
    {"inPlace", "joinShift(12, map(fun(t => map(fun(e => e + 1.0f), t)), split(4, x)))",
     NULL},
    {"inPlace", "pad(0, 0, constant 0.0f, x)", NULL},
    {"alignRows", "map(fun(e => e + c), x)", NULL},
    {"alignRows", "transpose(m)", NULL},
    {"padPlanes", "map(fun(e => e + c), x)", NULL},
    {"padPlanes", "transpose(m)", NULL},
    {"padPlanes", "apart(8, 0, map(fun(r => map(fun(e => e + c), r)), m))", NULL},
    {"lowerInset", "inset(0, 1, x, take(11, y))",
     "concat(take(11, y), map(fun(e => e), drop(11, x)))"},
    {"stream(2)", "map2(fun(e => e + c), m)", NULL},
    {"stream(2)", "map2(fun(w => w[0][1] + w[2][1]), slide2((3, 2), 1, m))",
     "unrotate2(map(fun(col => mapSeqSlide(fun(w => w[0][1] + w[2][1]), 3, 1, col)),"
     " rotate2(map(fun(p => slide(2, 1, p)), m))))"},
    {"copyByVectors", "toLocal(map(fun(e => e), x))",
     "toLocal(asScalar(map(fun(e => e), asVector(4, x))))"},
    {"copyByVectors", "toLocal(map(fun(e => e), take(10, x)))",
     "toLocal(take(10, asScalar(map(fun(e => e), asVector(4, pad(0, 2, any, take(10, "
     "x)))))))"},
    {"copyByVectors", "toLocal(map(fun(e => e + c), x))", NULL},
    {"copyByVectors", "toLocal(map(fun(r => r), m))", NULL},
    {"vectorStore", "mapUnroll(fun(e => e * c), x)",
     "asScalar(mapUnroll(fun(v => v), asVector(4, toPrivate(mapUnroll(fun(e => e * c), "
     "x)))))"},
    {"vectorStore", "mapUnroll(fun(e => e * c), take(10, x))", NULL},
    {"vectorStore", "mapUnroll(fun(e => (e * c, e)), x)",
     "let p = toPrivate(mapUnroll(fun(e => (e * c, e)), x)) in"
     " zip(asScalar(mapUnroll(fun(v => v), asVector(4, unzip(p).0))),"
     " asScalar(mapUnroll(fun(v => v), asVector(4, unzip(p).1))))"},
    {"vectorStore", "mapUnroll(fun(e => (e, e < c)), x)", NULL},
    {"vectorStore", "mapUnroll(fun(e => e), x)", NULL},
    /* rows that begin at multiples of four, end with a vector */
    {"vectorLoads(1)", "map(fun(t => t[0] + t[5]), slide(6, 4, take(10, x)))",
     "map(fun(t => let l = toPrivate(asScalar(mapUnroll(fun(e => e), asVector(4, t)))) in"
     " take(6, l)[0] + take(6, l)[5]), slide(8, 4, pad(0, 2, any, take(10, x))))"},
    /* the boundary is one element long: three more before it */
    {"vectorLoads(1)",
     "map(fun(t => t[0] + t[5]), slide(6, 4, pad(1, 1, wrap, take(8, x))))",
     "map(fun(t => let l = toPrivate(asScalar(mapUnroll(fun(e => e), asVector(4, t)))) in"
     " take(6, drop(3, l))[0] + take(6, drop(3, l))[5]),"
     " slide(12, 4, pad(3, 3, any, pad(1, 1, wrap, take(8, x)))))"},
    {"vectorLoads(1)",
     "map(fun(t => t.0[0] + t.1[2]), zip(split(4, x), slide(4, 3, pad(1, 0,"
     " clamp, take(9, y)))))",
     "map(fun(t => let l = toPrivate(asScalar(mapUnroll(fun(e => e), asVector(4, t.0)))) "
     "in"
     " l[0] + t.1[2]), zip(split(4, x), slide(4, 3, pad(1, 0, clamp, take(9, y)))))"},
    {"vectorLoads(1)", "map(fun(t => t[0]), slide(6, 3, x))", NULL},
    {"vectorLoads(2)", "map(fun(r => r[0]), m)", NULL},
    /* regions: the interior reads no boundary, the others only theirs */
    {"faces(0, 1)", "map(fun(w => w[0] - w[2]), slide(3, 1, pad(1, 1, mirror, x)))",
     "concat(map(fun(w => w[0] - w[2]), slide(3, 1, take(3, pad(1, 1, mirror, x)))),"
     " map(fun(w => w[0] - w[2]), slide(3, 1, x)),"
     " map(fun(w => w[0] - w[2]), slide(3, 1, drop(11, pad(1, 1, mirror, x)))))"},
    /* the wider of two halos */
    {"faces(0, 1)",
     "map(fun(t => t.0[0] - t.1), zip(slide(5, 1, pad(2, 2, clamp, x)),"
     " pad(1, 0, wrap, take(11, y))))",
     "concat(map(fun(t => t.0[0] - t.1), zip(slide(5, 1, take(6, pad(2, 2, clamp, x))),"
     " take(2, pad(1, 0, wrap, take(11, y))))),"
     " map(fun(t => t.0[0] - t.1), zip(slide(5, 1, x), take(8, drop(1, y)))),"
     " map(fun(t => t.0[0] - t.1), zip(slide(5, 1, drop(10, pad(2, 2, clamp, x))),"
     " take(2, drop(9, y)))))"},
    {"facePair(0, 1)", "map(fun(w => w[0] - w[2]), slide(3, 1, pad(1, 1, mirror, x)))",
     "inset(1, 1, map(fun(w => w[0] - w[2]), slide(3, 1, pad(1, 1, mirror, x))),"
     " map(fun(w => w[0] - w[2]), slide(3, 1, x)))"},
    {"facePair(0, 1)", "map(fun(w => w[0] - w[2]), slide(3, 1, x))", NULL},
    {"faces(0, 1)", "map(fun(w => w[0] - w[2]), slide(3, 1, x))", NULL},
    {"faces(0, 1)", "map(fun(w => w[0]), slide(13, 1, pad(6, 6, clamp, x)))", NULL},
    {"faces(0, 2)", "map2(fun(e => e + c), pad(1, 0, clamp, m))",
     "concat(map2(fun(e => e + c), take(1, pad(1, 0, clamp, m))),"
     " map2(fun(e => e + c), m))"},
    {"faces(1, 2)", "map2(fun(e => e + c), pad(1, 0, clamp, m))", NULL},
    {"turn(1, 2)", "map2(fun(e => e + c), m)",
     "transpose(map2(fun(e => e + c), transpose(m)))"},
    {"turn(1, 2)", "map(fun(r => map(fun(e => e + r[0]), r)), m)", NULL},
    {"turnZip(1, 2)", "transpose(zip2(m, m))", "zip2(transpose(m), transpose(m))"},
    {"turnZip(1, 2)", "transpose(m)", NULL},
    /* the inner zip leaves a member out, or exchanges two */
    {"turnZip(1, 2)", "transpose(map(fun(r => zip(r.0)), zip(m, m)))", NULL},
    {"turnZip(1, 2)", "transpose(map(fun(r => zip(r.1, r.0)), zip(m, m)))", NULL},
    {"turnSlide(1, 2)", "transpose(slide2((2, 3), 1, m))",
     "map2(fun(w => transpose(w)), slide2((3, 2), 1, transpose(m)))"},
    {"turnSlide(1, 2)", "transpose(m)", NULL},
    /* tails */
    {"shiftSlide(1)", "slideShift(4, 4, slide(3, 1, x))",
     "map(fun(t => slide(3, 1, t)), slideShift(6, 4, x))"},
    {"shiftSlide(1)", "slideShift(4, 4, slide(2, 2, x))", NULL},
    {"shiftSlide(1)", "slideShift(4, 3, slide(3, 1, x))", NULL},
    {"shiftZip(1)", "slideShift(5, 5, zip(x, y))",
     "map(fun(t => zip(t.0, t.1)), zip(slideShift(5, 5, x), slideShift(5, 5, y)))"},
    {"tileZipOuter(1, 2)", "split(2, zip2(m, m))",
     "map(fun(t => zip2(t.0, t.1)), zip(split(2, m), split(2, m)))"},
    {"tileSlideOuter(1, 2)", "split(2, slide2(3, 1, m))",
     "map(fun(t => slide2(3, 1, t)), slide(4, 2, m))"},
    {"tileSlideOuter(1, 2)", "split(2, slide(3, 1, m))", NULL},
    {"loopInterchange", "map(fun(r => map(fun(w => w[0]), slide(2, 1, r))), m)",
     "transpose(map(fun(q => map(fun(w => w[0]), q)),"
     " transpose(map(fun(r => slide(2, 1, r)), m))))"},
    {"loopInterchange", "map(fun(r => map(fun(w => w[0] + r[0]), slide(2, 1, r))), m)",
     NULL},
    {"tileSlide(1)", "split(2, slide(3, 3, x))",
     "map(fun(t => slide(3, 3, t)), slide(6, 6, x))"},
    {"tileSlide(2)", "tile2((2, 3), slide2((3, 2), 1, pad2((0, 1), (2, 0), clamp, m)))",
     "map2(fun(t => slide2((3, 2), 1, t)),"
     " slide2((4, 4), (2, 3), pad2((0, 1), (2, 0), clamp, m)))"},
    {"tileSlide(2)", "split(2, slide2((3, 2), 1, m))", NULL},
    {"tileZip(1)", "split(4, zip(x, y))",
     "map(fun(t => zip(t.0, t.1)), zip(split(4, x), split(4, y)))"},
};

static void test_natives(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    for (size_t i = 0; i < sizeof native_cases / sizeof *native_cases; i++) {
        struct world w = make_world();
        const struct lift_rule *rule = lift_rules_find(rules, native_cases[i].rule);
        struct lift_path root = {.count = 0};
        struct lift_rewrite out;
        bool applied;

        assert_non_null(rule);
        applied =
            lift_rewrite_at(w.ir, rule, parse(&w, native_cases[i].term), &root, 0, &out);
        if (applied != (native_cases[i].want != NULL))
            print_message("%s on %s\n", native_cases[i].rule, native_cases[i].term);
        assert_int_equal(applied, native_cases[i].want != NULL);
        if (applied)
            assert_same(out.term, parse(&w, native_cases[i].want));
        lift_ir_destroy(w.ir);
    }
    lift_rules_destroy(rules);
}

static void test_choices(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    const struct lift_rule *stage = lift_rules_find(rules, "copyToLocal(1)");
    struct world w = make_world();
    struct lift_path root = {.count = 0};
    struct lift_rewrite out;
    lift_expr e =
        parse(&w, "map(fun(t => zip(slide(2, 1, t.0), slide(2, 1, t.1))), zip(m, m))");

    (void)state;
    assert_true(lift_rewrite_at(w.ir, stage, e, &root, 0, &out));
    assert_same(out.term,
                parse(&w, "map(fun(t => let l = toLocal(map(fun(e => e), t.0)) in"
                          " zip(slide(2, 1, l), slide(2, 1, t.1))), zip(m, m))"));
    assert_true(lift_rewrite_at(w.ir, stage, e, &root, 1, &out));
    assert_same(out.term,
                parse(&w, "map(fun(t => let l = toLocal(map(fun(e => e), t.1)) in"
                          " zip(slide(2, 1, t.0), slide(2, 1, l))), zip(m, m))"));
    assert_false(lift_rewrite_at(w.ir, stage, e, &root, 2, &out));
    assert_false(lift_rewrite_at(w.ir, stage, e, &root, -1, &out));
    lift_ir_destroy(w.ir);
    lift_rules_destroy(rules);
}

/* ---- tunables and places */

static void test_tunables(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    const struct lift_rule *split = lift_rules_find(rules, "splitJoin");
    struct world w = make_world();
    struct lift_path root = {.count = 0}, inner;
    struct lift_rewrite one, two, again;
    struct lift_side_conditions all;

    (void)state;
    assert_true(lift_rewrite_at(w.ir, split, parse(&w, "map(fun(a => a + c), x)"), &root,
                                0, &one));
    assert_int_equal(one.condition_count, 1);
    assert_int_equal(one.conditions[0].kind, LIFT_SIDE_DIVIDES);
    assert_string_equal(lift_nat_is_var(one.conditions[0].a, NULL), "chunk_x");
    assert_true(lift_nat_is(one.conditions[0].b, 12));
    /* take(join(map)): the outer map stands at 0.0; a second tunable gets another name
     */
    assert_true(lift_path_parse("0.0", &inner));
    assert_true(lift_rewrite_at(w.ir, split, one.term, &inner, 0, &two));
    all = lift_expr_constraints(lift_ir_arena(w.ir), two.term);
    assert_int_equal(all.tunable_count, 2);
    assert_string_equal(all.tunables[0].name, "chunk_x");
    assert_string_equal(all.tunables[1].name, "chunk_y");
    assert_true(lift_rewrite_at(w.ir, split, one.term, &inner, 0, &again));
    assert_ptr_equal(two.term, again.term);
    lift_ir_destroy(w.ir);
    lift_rules_destroy(rules);
}

struct visits {
    struct world *w;
    int count, limit;
    char places[200];
};

static bool note_visit(void *user, const struct lift_rewrite *r)
{
    struct visits *v = user;
    struct lift_str at = {0};

    lift_path_print(&r->at, &at);
    strcat(v->places, lift_str_get(&at));
    strcat(v->places, " ");
    lift_str_fini(&at);
    assert_ptr_equal(r->term->type,
                     lift_path_get(r->term, &(struct lift_path){.count = 0})->type);
    assert_ptr_equal(lift_path_get(r->term, &r->at), r->to);
    assert_ptr_equal(r->from->type, r->to->type);
    return ++v->count < v->limit;
}

static void test_sweep(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    const struct lift_rule *list[] = {lift_rules_find(rules, "mapSeq"),
                                      lift_rules_find(rules, "mapIdentity")};
    struct world w = make_world();
    struct visits v = {&w, 0, 100, ""};
    lift_expr e = parse(&w, "zip(map(fun(a => a), x), map(fun(a => a), x))");

    (void)state;
    assert_int_equal(lift_rewrite_each(w.ir, list, 2, e, note_visit, &v), 4);
    assert_string_equal(v.places, "0 0 1 1 ");
    v = (struct visits){&w, 0, 3, ""};
    assert_int_equal(lift_rewrite_each(w.ir, list, 2, e, note_visit, &v), 3);
    e = parse(&w, "map(fun(r => map(fun(a => a * c), r)), m)");
    v = (struct visits){&w, 0, 100, ""};
    assert_int_equal(lift_rewrite_each(w.ir, list, 2, e, note_visit, &v), 2);
    assert_string_equal(v.places, ". 0.0 ");
    lift_ir_destroy(w.ir);
    lift_rules_destroy(rules);
}

static void test_paths(void **state)
{
    static const char *const good[] = {".", "0", "0.1.0", "12.255"};
    static const char *const bad[] = {"", "..", "0.", ".0", "256", "a", "1..2", "-1"};
    struct lift_path at;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct lift_str text = {0};

        assert_true(lift_path_parse(good[i], &at));
        lift_path_print(&at, &text);
        assert_string_equal(lift_str_get(&text), good[i]);
        lift_str_fini(&text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(lift_path_parse(bad[i], &at));
}

/* ---- a whole derivation */

static lift_nat tile_of_four(void *user, lift_nat var)
{
    return lift_nat_is_var(var, NULL) ? lift_nat_const(user, 4) : NULL;
}

static lift_expr step(const struct lift_rules *rules, struct lift_ir *ir,
                      const char *name, lift_expr e)
{
    struct lift_arena *arena = lift_ir_arena(ir);
    lift_strategy s = lift_strategy_rule(arena, lift_rules_find(rules, name));
    lift_expr to = lift_strategy_run(ir, lift_strategy_topdown(arena, s), e, NULL);

    if (!to)
        print_message("'%s' does not apply\n", name);
    assert_non_null(to);
    return to;
}

/* Two inputs, one with windows: tiled, staged, streamed; lengths 6 x 9 that 4 does not
 * divide. */
static void test_derivation(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct world w = make_world();
    struct lift_binding inputs[2];
    struct lift_eval_env env = {.values = inputs, .value_count = 2};
    struct lift_arena *arena = lift_arena_create();
    struct lift_value before, after;
    struct lift_rng rng;
    lift_expr e, tiled;

    (void)state;
    add_var(&w, "u", 2, (int64_t[]){6, 9});
    add_var(&w, "v", 2, (int64_t[]){6, 9});
    e = parse(&w,
              "map2(fun(t => t.0[0][1] + 2.0f * t.0[2][1] - t.0[1][0] * t.1 + t.0[1][2]),"
              " zip2(slide2(3, 1, pad2(1, 1, mirror, u)), v))");
    tiled = step(rules, w.ir, "tiling(2)", e);
    tiled = step(rules, w.ir, "copyToLocal(2)", tiled);
    tiled = step(rules, w.ir, "stream(2)", tiled);
    tiled = lift_expr_subst(w.ir, tiled, tile_of_four, lift_ir_nats(w.ir), NULL);
    assert_non_null(tiled);
    lift_rng_seed(&rng, 7);
    for (int i = 0; i < 2; i++) {
        inputs[i].name = i ? "v" : "u";
        assert_true(lift_value_random(arena, w.vars[w.var_count - 2 + i]->type, NULL,
                                      NULL, &rng, &inputs[i].value));
    }
    assert_true(lift_eval(&env, e, arena, &before, NULL));
    assert_true(lift_eval(&env, tiled, arena, &after, NULL));
    assert_true(lift_value_close(before, after, 0, 0, NULL));
    lift_arena_destroy(arena);
    lift_ir_destroy(w.ir);
    lift_rules_destroy(rules);
}

/* ---- files */

#define NOT_EXPLORED                                                                     \
    "explorations take rules as options of decisions: write 'option NAME of DECISION "   \
    "exact like RULE = STRATEGY'; 'decision NAME default not' makes a separate decision"

static const char *const mistakes[] = {
    "3:3: expected 'exact', 'reassociates' or 'interior(margin)', but got 'map'",
    "5:20: 'g' does not occur on the left-hand side",
    "7:9: 'k' never stands alone on the left-hand side, so it has no value",
    "9:20: 'f' takes 2 arguments elsewhere, not 1",
    "11:10: 'x' already stands for a function",
    "13:18: expected different variables of enclosing functions as the arguments of 'f'",
    "15:21: expected different variables of enclosing functions as the arguments of 'f'",
    "17:10: the primitive 'join' stands without arguments",
    "19:3: 'split' expects other arguments: (k, [a]n) -> [[a]k](n / k)",
    "20:6: there is no native rule 'noSuchNative'",
    "23:9: expected a condition: <=, <, ==, != or divides(a, b)",
    "26:9: the tunable 'k' stands on the left-hand side",
    "28:26: expected the end of the rule, but got 'x'",
    "30:7: expected an expression, but got '~>'",
    "32:10: 'mapPar' has no option 'speed'",
    "34:5: expected different variables of enclosing functions as the arguments of 'f'",
    "35:25: no rule or strategy 'missing' before this one",
    "38:6: the rule 'repeated' exists already",
    "40:45: the macro 'selfUse' cannot use itself: 'repeat' does",
    "41:54: 'topdown' takes one strategy, no more",
    "42:45: expected a number from 1 to 100000, but got 'repeated'",
    "43:50: this cannot fail, so 'repeat' would not see its end",
    "44:62: this is never applied: the strategy before it cannot fail",
    "45:42: expected seq, choice, any, try, repeat, all, one, some, topdown, bottomup, "
    "at, "
    "normalise, pick, each, ranked or highest, but got 'always'",
    "46:40: there is no primitive 'nowhere'; other positions are loop, outer, point, "
    "plane, tile, block, face, border, copy, interior and a path in quotes",
    "47:39: expected a path such as \"0.1.0\"",
    "48:46: expected how many loops are nested in it, but got 'x'",
    "49:45: expected a number from 1 to 100000, but got 0",
    "53:38: a macro that is 'exact' cannot use 'rounds', which is 'reassociates'",
    "54:43: expected which of its results, from 0, but got 99",
    "55:47: a macro has but one result",
    "57:20: expected the text of a C function, \"f32 name(f32 a, ...) { ... }\"",
    "59:14: the C function expects 2 arguments, but got 1",
    "61:3: " NOT_EXPLORED,
    "65:3: " NOT_EXPLORED,
    "66:6: 'tile' knows 1 to 3 dimensions",
    "67:6: 'tile' takes 1 number, not 2",
    "68:6: 'faces' takes 2 numbers, not 1",
    "69:6: 'tileRemainder' takes 1 number, not 0",
    "70:6: 'tileAlike' knows 1 to 3 dimensions (d = 4)",
    "72:3: 'e...' is all arguments: no other one is allowed",
    "74:7: expected the name of a list",
    "76:16: 'x' is a list: write 'x...'",
    "78:13: the left-hand side has no list",
    "80:10: expected a pattern",
    "82:3: expected 'like' and a redex of the rule, but got 'doc'",
    "84:8: expected 'inset'",
};

static void test_mistakes(void **state)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};
    char *path = path_of("tests/rules/malformed/mistakes.rules");
    struct lift_str shown = {0};

    (void)state;
    assert_false(lift_rules_load_file(rules, path, &errors));
    assert_int_equal(lift_rules_count(rules), 0);
    assert_int_equal(lift_error_count(&errors), sizeof mistakes / sizeof *mistakes);
    for (size_t i = 0; i < lift_error_count(&errors); i++) {
        const struct lift_error *e = lift_error_at(&errors, i);
        char text[300];

        snprintf(text, sizeof text, "%d:%d: %s", e->line, e->column,
                 lift_str_get(&e->text));
        assert_string_equal(text, mistakes[i]);
    }
    lift_error_format(errors.next, &shown);
    assert_non_null(strstr(lift_str_get(&shown), "  map(f, x) ~> map(g, x)\n"));
    assert_non_null(strstr(lift_str_get(&shown), "                   ^"));
    assert_false(lift_rules_load_file(rules, "/nowhere/no.rules", &errors));
    lift_str_fini(&shown);
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
    free(path);
}

static void test_print(void **state)
{
    struct lift_rules *rules = lift_rules_shipped(), *again = lift_rules_create();
    struct lift_str text = {0}, second = {0};
    struct lift_error errors = {0};

    (void)state;
    lift_rules_print(rules, &text);
    lift_rules_load(again, "again.rules", lift_str_get(&text), &errors);
    lift_error_print(&errors, stderr);
    assert_int_equal(lift_error_count(&errors), 0);
    assert_int_equal(lift_rules_count(again), lift_rules_count(rules));
    lift_rules_print(again, &second);
    assert_string_equal(lift_str_get(&text), lift_str_get(&second));
    assert_true(lift_hash_equal(lift_rules_hash(rules), lift_rules_hash(again)));
    assert_string_equal(lift_rules_find(rules, "tile(2)")->group, "tiling");
    assert_int_equal(lift_rules_find(rules, "tiling(2)")->form, LIFT_RULE_MACRO);
    assert_null(lift_rules_find(rules, "no such rule"));
    lift_str_fini(&text);
    lift_str_fini(&second);
    lift_rules_destroy(again);
    lift_rules_destroy(rules);
}

/* C functions in rules are built, typed and printed so that they read back. */
static void test_user_fun(void **state)
{
    static const char text[] =
        "rule half exact\n  0.5 * b ~> userFun(\"f32 half(f32 x) { char c[] = \\\"\\\"; "
        "return x / 2 + c[0]; }\", b)\n";
    struct lift_rules *rules = lift_rules_create(), *again = lift_rules_create();
    struct lift_str printed = {0}, second = {0};
    struct lift_error errors = {0};

    (void)state;
    assert_true(lift_rules_load(rules, "c.rules", text, &errors));
    lift_rules_print(rules, &printed);
    assert_true(lift_rules_load(again, "again.rules", lift_str_get(&printed), &errors));
    lift_rules_print(again, &second);
    assert_string_equal(lift_str_get(&printed), lift_str_get(&second));
    assert_false(lift_rules_load(again, "wrong.rules",
                                 "rule whole exact\n  0.5f * b ~> "
                                 "userFun(\"f32 f(i32 n) { return n; }\", b)\n",
                                 &errors));
    assert_string_equal(lift_str_get(&errors.text),
                        "parameter 1 of the C function: expected 'i32', but got 'f32'");
    lift_str_fini(&printed);
    lift_str_fini(&second);
    lift_error_fini(&errors);
    lift_rules_destroy(again);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching),   cmocka_unit_test(test_natives),
        cmocka_unit_test(test_choices),    cmocka_unit_test(test_tunables),
        cmocka_unit_test(test_sweep),      cmocka_unit_test(test_paths),
        cmocka_unit_test(test_derivation), cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_user_fun),   cmocka_unit_test(test_print),
    };

    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
