/* Retiming: when the terms of a sum are added, and which terms stay. The check of the
 * rules verifies that values are preserved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lift/build.h"
#include "lift/parse.h"
#include "rules/rule.h"
#include <cmocka.h>

#include "rule_world.h"

/* Result 'choice' of the rule at the root; NULL: no result. */
static const struct retiming_case {
    const char *rule;
    int choice;
    const char *term, *want;
} cases[] = {
    /* two groups of planes: of three, the oldest alone */
    {"retimeSemi", 0, "mapSeqSlide(fun(w => w[0] * c + w[1] - w[2]), 3, 1, x)",
     "mapSeqSlide(fun(w => w[0].0 + (w[1].1 - w[2].1)), 3, 1,"
     " zip(map(fun(v => toPrivate(v[0] * c)), slide(1, 1, x)), x))"},
    /* a group of several planes is a separate window; the factor is applied once */
    {"retime", 1, "mapSeqSlide(fun(w => 2.0f * (w[0] + w[1] + w[2] + w[3])), 4, 1, x)",
     "mapSeqSlide(fun(w => w[1].0 + 2.0f * (w[2].1 + w[3].1)), 4, 1,"
     " zip(map(fun(v => toPrivate(2.0f * (v[0] + v[1]))),"
     " slide(2, 1, pad(1, 0, any, x))), x))"},
    /* the last of three results leaves two groups, the fourth would be the gather */
    {"retime", 2, "mapSeqSlide(fun(w => w[0] + w[1] + w[2] + w[3]), 4, 1, x)",
     "mapSeqSlide(fun(w => w[0].0 + (w[1].1 + w[2].1 + w[3].1)), 4, 1,"
     " zip(map(fun(v => toPrivate(v[0])), slide(1, 1, x)), x))"},
    {"retime", 3, "mapSeqSlide(fun(w => w[0] + w[1] + w[2] + w[3]), 4, 1, x)", NULL},
    /* each sum continues the previous sum */
    {"retimeScatter", 0, "mapSeqSlide(fun(w => w[2] - (w[1] - w[0])), 3, 1, x)",
     "mapSeqSlide(fun(w => w[1].0 + w[2].1), 3, 1,"
     " zip(map(fun(v => toPrivate(v[0].0 + -v[1].1)), slide(2, 1, pad(1, 0, any,"
     " zip(map(fun(v => toPrivate(--v[0])), slide(1, 1, x)), x)))), x))"},
    /* only the sum is retimed; other terms and constants come at the end */
    {"retimeSemi", 0,
     "mapSeqSlide(fun(w => max(w[2], w[1] * (w[0] + w[0] * w[2] + 1.0f))), 3, 1, x)",
     "mapSeqSlide(fun(w => max(w[2].1, w[1].1 * (w[0].0 +"
     " (w[0].1 * w[2].1 + 1.0f)))), 3, 1,"
     " zip(map(fun(v => toPrivate(v[0])), slide(1, 1, x)), x))"},
    /* members of a zip join the zip of the sum */
    {"retimeSemi", 0,
     "mapSeqSlide(fun(w => w[1].1 * (w[0].0 + w[1].0)), 2, 1, zip(x, y))", NULL},
    {"retime", 0, "mapSeqSlide(fun(w => w[1].1 * (w[0].0 + w[1].0)), 2, 1, zip(x, y))",
     "mapSeqSlide(fun(w => w[1].2 * (w[0].0 + w[1].1)), 2, 1,"
     " zip(map(fun(v => toPrivate(v[0].0)), slide(1, 1, zip(x, y))), x, y))"},
    /* views, lets and reductions are looked through */
    {"retime", 0,
     "mapSeqSlide(fun(w => let s = reduce(fun(a, t => a + t.0 * t.1), 0.0f,"
     " zip(take(2, drop(1, transpose(w)[2])), array(2, fun(i => f32(i))))) in s), 3, 1, "
     "m)",
     "mapSeqSlide(fun(w => w[1].0 + w[2].1[2] * 1.0f), 3, 1,"
     " zip(map(fun(v => toPrivate(v[0][2] * 0.0f)), slide(1, 1, m)), m))"},
    /* points outside the window's column, and the column */
    {"retimePlaneFirst", 0,
     "mapSeqSlide(fun(w => w[0][1] + w[1][0] + w[1][1] + w[1][2] + w[2][1]), 3, 1, m)",
     "mapSeqSlide(fun(w => w[1].0 + (w[0].1[1] + w[1].1[1] + w[2].1[1])), 3, 1,"
     " zip(map(fun(v => toPrivate(v[0][0] + v[0][2])), slide(1, 1, m)), m))"},
    /* a box has no points outside its columns */
    {"retimePlaneFirst", 0,
     "mapSeqSlide(fun(w => w[0][0] + w[0][1] + w[1][0] + w[1][1]), 2, 1, m)", NULL},
    /* a sum that starts from a partial sum has been retimed */
    {"retime", 0,
     "mapSeqSlide(fun(w => c * (w[1].0 + (w[2].1 + w[3].1))), 4, 1,"
     " zip(map(fun(v => toPrivate(v[0] + v[1])), slide(2, 1, pad(1, 0, any, x))), x))",
     NULL},
    /* no sum of two planes; another step; the window read as a whole */
    {"retime", 0, "mapSeqSlide(fun(w => max(w[0], w[1])), 2, 1, x)", NULL},
    {"retime", 0, "mapSeqSlide(fun(w => w[0] + w[1]), 2, 2, x)", NULL},
    {"retime", 0, "mapSeqSlide(fun(w => reduce(fun(a, e => a * e), c, w)), 2, 1, x)",
     NULL},
    /* the order of a reduction stays */
    {"reduceToChain", 0, "reduce(fun(a, e => a * 0.5f - e), c, take(3, x))",
     "((c * 0.5f - take(3, x)[0]) * 0.5f - take(3, x)[1]) * 0.5f - take(3, x)[2]"},
};

static void check(const struct lift_rules *rules, const struct retiming_case *c)
{
    struct world w = make_world();
    struct lift_path root = {.count = 0};
    struct lift_rewrite out;
    bool applied = lift_rewrite_at(w.ir, lift_rules_find(rules, c->rule),
                                   parse(&w, c->term), &root, c->choice, &out);

    if (applied != (c->want != NULL))
        print_message("%s on %s\n", c->rule, c->term);
    assert_int_equal(applied, c->want != NULL);
    if (applied && c->want)
        assert_same(out.term, parse(&w, c->want));
    lift_ir_destroy(w.ir);
}

static void test_terms(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(rules, &cases[i]);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),
    };

    return cmocka_run_group_tests_name("retiming", tests, NULL, NULL);
}
