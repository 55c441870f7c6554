/* Strategies: the effect of each combinator, its places, and the recorded derivation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rule_world.h"
#include "rules/strategy.h"
#include <stdio.h>
#include <stdlib.h>

/* The term reached by applying the steps one by one. */
static lift_expr replay(struct lift_ir *ir, lift_expr e, const struct lift_steps *steps)
{
    for (int i = 0; i < steps->count; i++) {
        struct lift_rewrite out;

        assert_true(lift_rewrite_at(ir, steps->items[i].rule, e, &steps->items[i].at,
                                    steps->items[i].choice, &out));
        e = out.term;
    }
    return e;
}

static const struct {
    const char *strategy, *term, *want; /* tunables are 3; NULL: it fails */
} strategy_cases[] = {
    {"seq(mapFusion(1), mapSeq)", "map(fun(a => a), map(fun(b => b), x))",
     "mapSeq(fun(b => b), x)"},
    {"seq(mapFusion(1), mapFusion(1))", "map(fun(a => a), map(fun(b => b), x))", NULL},
    {"choice(mapFusion(1), mapSeq)", "map(fun(a => a + c), x)",
     "mapSeq(fun(a => a + c), x)"},
    {"try(mapFusion(1))", "map(fun(a => a + c), x)", "map(fun(a => a + c), x)"},
    {"repeat(5, mapFusion(1))", "map(fun(a => a), map(fun(b => b), map(fun(d => d), x)))",
     "map(fun(d => d), x)"},
    {"repeat(1, mapFusion(1))", "map(fun(a => a), map(fun(b => b), map(fun(d => d), x)))",
     "map(fun(b => b), map(fun(d => d), x))"},
    {"repeat(1 .. 5, mapFusion(1))",
     "map(fun(a => a), map(fun(b => b), map(fun(d => d), x)))", "map(fun(d => d), x)"},
    {"repeat(2 .. 2, mapFusion(1))",
     "map(fun(a => a), map(fun(b => b), map(fun(d => d), x)))", "map(fun(d => d), x)"},
    {"repeat(2 .. 5, mapFusion(1))", "map(fun(a => a), map(fun(b => b), x))", NULL},
    {"any(mapFusion(1), mapSeq, mapFusion(1))", "map(fun(a => a + c), x)",
     "mapSeq(fun(a => a + c), x)"},
    {"any(mapFusion(1), mapSeq)", "map(fun(a => a), map(fun(b => b), x))",
     "mapSeq(fun(b => b), x)"},
    {"any(mapFusion(1), mapSeq)", "x", NULL},
    /* a part for each value of a parameter */
    {"any(a in 1 .. 2, topdown(mapGlb(a)))", "map(fun(r => map(fun(a => a), r)), m)",
     "mapGlb(1, fun(r => mapGlb(2, fun(a => a), r)), m)"},
    {"seq(a in 1 .. 2, topdown(mapGlb(3 - a)), mapSeq)",
     "map(fun(r => map(fun(a => a), r)), m)", NULL},
    {"choice(mapFusion(1), a in 0 .. 1, at(loop(1 - a), mapGlb(a)))",
     "map(fun(r => map(fun(a => a + c), r)), m)",
     "mapGlb(0, fun(r => map(fun(a => a + c), r)), m)"},
    {"topdown(mapSeq)", "map(fun(r => map(fun(a => a), r)), m)",
     "mapSeq(fun(r => map(fun(a => a), r)), m)"},
    {"bottomup(mapSeq)", "map(fun(r => map(fun(a => a), r)), m)",
     "map(fun(r => mapSeq(fun(a => a), r)), m)"},
    {"bottomup(mapFusion(1))", "map(fun(r => map(fun(a => a), r)), m)", NULL},
    {"all(mapSeq)", "zip(map(fun(a => a), x), map(fun(a => a), y))",
     "zip(mapSeq(fun(a => a), x), mapSeq(fun(a => a), y))"},
    {"all(mapSeq)", "zip(map(fun(a => a), x), y)", NULL},
    {"all(try(mapSeq))", "zip(map(fun(a => a), x), y)", "zip(mapSeq(fun(a => a), x), y)"},
    {"normalise(100, transposeTranspose, mapIdentity)",
     "map(fun(r => map(fun(a => a), r)), transpose(transpose(map(fun(r => r), m))))",
     "m"},
    {"normalise(1, mapIdentity)", "zip(map(fun(a => a), x), map(fun(a => a), y))",
     "zip(x, map(fun(a => a), y))"},
    {"normalise(9, mapIdentity)", "x", "x"},
    /* failed strategies made no names */
    {"choice(seq(splitJoin, topdown(mapIdentity)), splitJoin)", "map(fun(a => a + c), x)",
     "take(12, join(map(fun(s => map(fun(a => a + c), s)), split(3, x))))"},
    {"one(mapSeq)", "zip(y, map(fun(a => a), x), map(fun(a => a), y))",
     "zip(y, mapSeq(fun(a => a), x), map(fun(a => a), y))"},
    {"one(mapSeq)", "zip(x, y)", NULL},
    {"some(mapSeq)", "zip(map(fun(a => a), x), y, map(fun(a => a), y))",
     "zip(mapSeq(fun(a => a), x), y, mapSeq(fun(a => a), y))"},
    {"some(mapSeq)", "zip(x, y)", NULL},
    {"at(\"1.0\", mapSeq)", "tuple(x, join(map(fun(r => r), m)))",
     "tuple(x, join(mapSeq(fun(r => r), m)))"},
    {"at(\"1.1\", mapSeq)", "tuple(x, join(map(fun(r => r), m)))", NULL},
    {"at(\".\", mapSeq)", "map(fun(a => a), x)", "mapSeq(fun(a => a), x)"},
    {"at(map, mapSeq)", "zip(x, map(fun(a => a), y), map(fun(a => a), x))",
     "zip(x, mapSeq(fun(a => a), y), map(fun(a => a), x))"},
    {"at(nth(2, map), mapSeq)", "zip(x, map(fun(a => a), y), map(fun(a => a), x))",
     "zip(x, map(fun(a => a), y), mapSeq(fun(a => a), x))"},
    {"at(nth(3, map), mapSeq)", "zip(x, map(fun(a => a), y), map(fun(a => a), x))", NULL},
    {"pick(1, mapFission)", "map(fun(a => sqrt(abs(a * c))), x)",
     "map(fun(z => sqrt(abs(z))), map(fun(a => a * c), x))"},
    {"pick(7, mapFission)", "map(fun(a => sqrt(abs(a * c))), x)", NULL},
    /* views are no loops; loops that copy are borders */
    {"at(loop, mapSeq)",
     "map(fun(r => transpose(r)), map(fun(s => split(2, map(fun(e => e * c), s))), m))",
     "map(fun(r => transpose(r)), mapSeq(fun(s => split(2, map(fun(e => e * c), s))), "
     "m))"},
    {"at(loop(0), mapSeq)",
     "map(fun(r => transpose(r)), map(fun(s => split(2, map(fun(e => e * c), s))), m))",
     "map(fun(r => transpose(r)), map(fun(s => split(2, mapSeq(fun(e => e * c), s))), "
     "m))"},
    {"at(loop(2), mapSeq)", "map2(fun(e => e * c), m)", NULL},
    {"at(loop, mapSeq)", "concat(map(fun(e => e), x), map(fun(e => e * c), x))",
     "concat(map(fun(e => e), x), mapSeq(fun(e => e * c), x))"},
    {"at(border, mapSeq)", "concat(map(fun(e => e * c), x), map(fun(e => e), x))",
     "concat(map(fun(e => e * c), x), mapSeq(fun(e => e), x))"},
    {"at(copy, mapSeq)",
     "map(fun(t => let l = toLocal(map(fun(e => e), t)) in reduce(fun(a, e => a + e), "
     "0.0f, l)), m)",
     "map(fun(t => let l = toLocal(mapSeq(fun(e => e), t)) in reduce(fun(a, e => a + e), "
     "0.0f, l)), m)"},
    {"at(nth(2, loop), seq(mapUnroll, at(mapUnroll, topdown(mapIdentity))))",
     "map2(fun(e => e * c), m)", NULL},
    {"at(nth(2, loop), seq(mapUnroll, try(at(mapUnroll, topdown(mapIdentity)))))",
     "map2(fun(e => e * c), m)", "map(fun(r => mapUnroll(fun(e => e * c), r)), m)"},
};

static lift_nat lowest(void *user, lift_nat var)
{
    return lift_nat_const(user, lift_nat_lo(var) > 3 ? lift_nat_lo(var) : 3);
}

static void check_strategy(const struct lift_rule *macro, const char *term,
                           const char *want)
{
    struct world w = make_world();
    struct lift_steps steps = {0};
    lift_expr e = parse(&w, term);
    lift_strategy s = lift_strategy_rule(lift_ir_arena(w.ir), macro);
    lift_expr to = lift_strategy_run(w.ir, s, e, &steps);

    assert_int_equal(to != NULL, want != NULL);
    if (to) {
        assert_same(replay(w.ir, e, &steps), to);
        to = lift_expr_subst(w.ir, to, lowest, lift_ir_nats(w.ir), NULL);
        assert_same(to, parse(&w, want));
    } else {
        assert_int_equal(steps.count, 0);
    }
    lift_steps_fini(&steps);
    lift_ir_destroy(w.ir);
}

static void test_strategies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strategy_cases / sizeof *strategy_cases; i++) {
        struct lift_rules *rules = lift_rules_shipped();
        struct lift_error errors = {0};
        char text[400];

        snprintf(text, sizeof text, "macro m exact like mapSeq = %s\n",
                 strategy_cases[i].strategy);
        assert_true(lift_rules_load(rules, "m.rules", text, &errors));
        check_strategy(lift_rules_find(rules, "m"), strategy_cases[i].term,
                       strategy_cases[i].want);
        lift_rules_destroy(rules);
    }
}

static const char nested_macros[] =
    "macro inner exact like mapSeq = topdown(mapSeq)\n"
    "macro outer exact like mapSeq\n"
    "  = seq(try(seq(inner, mapFusion(1))), inner, mapSeq)\n"
    "macro both exact like mapSeq\n"
    "  = choice(outer, seq(inner, inner))\n";

/* Macros that failed leave nothing; the others say which steps are theirs. */
static void test_macro_uses(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct world w = make_world();
    struct lift_error errors = {0};
    struct lift_steps steps = {0};
    lift_strategy s;

    (void)state;
    assert_true(lift_rules_load(rules, "m.rules", nested_macros, &errors));
    s = lift_strategy_rule(lift_ir_arena(w.ir), lift_rules_find(rules, "both"));
    assert_non_null(
        lift_strategy_run(w.ir, s, parse(&w, "map2(fun(e => e + c), m)"), &steps));
    assert_int_equal(steps.count, 2);
    assert_int_equal(steps.macro_count, 3);
    assert_string_equal(steps.macros[0].macro->name, "both");
    assert_int_equal(steps.macros[0].first, 0);
    assert_int_equal(steps.macros[0].count, 2);
    assert_int_equal(steps.macros[0].depth, 0);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(steps.macros[i + 1].macro->name, "inner");
        assert_int_equal(steps.macros[i + 1].first, i);
        assert_int_equal(steps.macros[i + 1].count, 1);
        assert_int_equal(steps.macros[i + 1].depth, 1);
        assert_int_equal(steps.macros[i + 1].at.count, 0);
    }
    assert_int_equal(steps.items[1].at.count, 2);
    lift_steps_fini(&steps);
    lift_ir_destroy(w.ir);
    lift_rules_destroy(rules);
}

static void test_shipped(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};

    (void)state;
    assert_true(lift_rules_load(rules, "m.rules", nested_macros, &errors));
    assert_true(lift_rules_find(rules, "mapFusion(1)")->shipped);
    assert_false(lift_rules_find(rules, "both")->shipped);
    lift_rules_destroy(rules);
}

/* The limit of nesting is an error, not the end of the stack. */
static void test_depth(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0};

    (void)state;
    lift_str_add(&text, "macro deep exact like mapSeq = ");
    for (int i = 0; i < 100000; i++)
        lift_str_add(&text, "try(");
    assert_false(lift_rules_load(rules, "m.rules", lift_str_get(&text), &errors));
    assert_string_equal(lift_str_get(&errors.text), "strategies are nested too deeply");
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* A strategy by itself; long ones are broken into lines and read back. */
static void test_read_and_print(void **state)
{
    static const char text[] =
        "macro long exact like mapSeq\n"
        "  = seq(\n"
        "      try(at(nth(2, map), pick(1, mapFission))),\n"
        "      at(\"0.1\", one(some(all(mapSeq)))),\n"
        "      at(nth(3, loop(1)), topdown(bottomup(mapSeq))),\n"
        "      try(each(copy(0), mapVecWide(load))),\n"
        "      try(each(tile, mapWrg)),\n"
        "      repeat(3, choice(at(border, mapSeq), at(copy(0), mapSeq))))\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_arena *arena = lift_arena_create();
    struct lift_source source = {"s", "seq(mapSeq, long)", 17};
    struct lift_error errors = {0};
    struct lift_str out = {0};

    (void)state;
    assert_null(lift_strategy_read(arena, rules, &source, &errors));
    assert_string_equal(lift_str_get(&errors.text), "no rule or strategy 'long'");
    assert_true(lift_rules_load(rules, "m.rules", text, &errors));
    lift_rule_print(lift_rules_find(rules, "long"), &out);
    assert_string_equal(lift_str_get(&out), text);
    assert_non_null(lift_strategy_read(arena, rules, &source, &errors));
    source = (struct lift_source){"s", "seq(mapSeq) mapSeq", 18};
    assert_null(lift_strategy_read(arena, rules, &source, &errors));
    lift_error_fini(&errors);
    lift_str_fini(&out);
    lift_arena_destroy(arena);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strategies),     cmocka_unit_test(test_macro_uses),
        cmocka_unit_test(test_shipped),        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_read_and_print),
    };

    return cmocka_run_group_tests_name("strategy", tests, NULL, NULL);
}
