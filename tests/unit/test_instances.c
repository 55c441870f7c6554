/* Declarations with parameters: their instances, names, text and mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/decision.h"
#include "rules/strategy.h"
#include <cmocka.h>

#include "rule_files.h"
#include "rule_world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lift_rules *load_into(struct lift_rules *rules, const char *text)
{
    struct lift_error errors = {0};
    bool good = lift_rules_load(rules, "own.rules", text, &errors);

    lift_error_print(&errors, stderr);
    lift_error_fini(&errors);
    assert_true(good);
    return rules;
}

static const struct lift_rule *find(const struct lift_rules *rules, const char *name)
{
    const struct lift_rule *rule = lift_rules_find(rules, name);

    if (!rule)
        fail_msg("no rule '%s'", name);
    return rule;
}

/* ---- which there are */

static const struct {
    const char *text;
    const char *names; /* of the instances, in order */
} declarations[] = {
    {"rule a(d in 1 .. 3) exact\n  take(d, x) ~> take(d, x)\n", "a(1) a(2) a(3)"},
    {"rule a(k in 0 .. d - 1, d in 1 .. 3) exact\n  take(d, x) ~> take(d, x)\n",
     "a(0, 1) a(0, 2) a(1, 2) a(0, 3) a(1, 3) a(2, 3)"},
    {"rule a(d in 1 .. 3, k in 0 .. 2 where k < d, k + d != 3) exact\n"
     "  take(d, x) ~> take(d, x)\n",
     "a(1, 0) a(2, 0) a(3, 1) a(3, 2)"},
    {"rule a(d in 2, 8, 4) exact\n  take(d, x) ~> take(d, x)\n", "a(2) a(8) a(4)"},
    {"rule a(b in clamp, mirror, n in 1 .. 2) exact\n  pad(n, 0, b, x) ~> pad(n, 0, b, "
     "x)\n",
     "a(clamp, 1) a(mirror, 1) a(clamp, 2) a(mirror, 2)"},
    {"rule a(2, d in 1 .. 2 // of the loops\n// and a line between\n) exact\n"
     "  take(d, x) ~> take(d, x)\n",
     "a(2, 1) a(2, 2)"},
    {"rule a(7) exact\n  take(7, x) ~> take(7, x)\n", "a(7)"},
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) {
        struct lift_rules *rules = load_into(lift_rules_create(), declarations[i].text);
        struct lift_str names = {0};

        for (int k = 0; k < lift_rules_count(rules); k++) {
            const struct lift_rule *rule = lift_rules_get(rules, k);

            lift_str_addf(&names, "%s%s", k ? " " : "", rule->name);
            assert_string_equal(rule->base, "a");
            assert_int_equal(rule->instance, k);
            assert_ptr_equal(lift_rules_find(rules, rule->name), rule);
        }
        assert_string_equal(lift_str_get(&names), declarations[i].names);
        lift_str_fini(&names);
        lift_rules_destroy(rules);
    }
}

static void test_fields(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    assert_int_equal(find(rules, "tile(3)")->part_count, 1);
    assert_int_equal(find(rules, "tile(3)")->dims, 3);
    assert_int_equal(find(rules, "faces(0, 3)")->part_count, 2);
    assert_int_equal(find(rules, "faces(0,3)")->dims, 3);
    assert_int_equal(find(rules, "circularCopy(tensor)")->dims, 0);
    assert_int_equal(find(rules, "mapSeq")->part_count, 0);
    assert_null(lift_rules_find(rules, "tile"));
    assert_null(lift_rules_find(rules, "tile(4)"));
    lift_rules_destroy(rules);
}

/* ---- their effects */

static const char dims_text[] =
    "rule inner(d in 1 .. 3), outer(d) exact\n"
    "  map(d)(f, take(d)(n, x)) <~> take(d)(n, map(d)(f, x))\n"
    "macro both(d in 1 .. 3) exact like inner(d) = seq(repeat(d, inner(d)), outer(d))\n"
    "macro most exact like inner(3) = highest(inner)\n"
    "rule level(d in 0 .. 1) exact\n"
    "  map(f, x) ~> mapGlb(d, f, x)\n"
    "macro levels exact like inner(3) = each(loop, level)\n"
    "macro outermost(d in 2 .. 3) exact like inner(3) = at(loop(d - 1), level(d - 2))\n";

static const struct {
    const char *strategy, *term, *want; /* NULL: it fails */
} uses[] = {
    {"inner(1)", "map(fun(a => a + c), take(3, x))", "take(3, map(fun(a => a + c), x))"},
    {"inner(2)", "map2(fun(a => a + c), take2(2, m))",
     "take2(2, map2(fun(a => a + c), m))"},
    {"inner(3)", "map3(fun(a => a + c), take3(2, b))",
     "take3(2, map3(fun(a => a + c), b))"},
    {"inner(3)", "map2(fun(a => a + c), take2(2, m))", NULL},
    {"inner( 2 )", "map2(fun(a => a + c), take2(2, m))",
     "take2(2, map2(fun(a => a + c), m))"},
    {"both(2)", "map2(fun(a => a + c), take2(2, m))",
     "map2(fun(a => a + c), take2(2, m))"},
    {"most", "map2(fun(a => a + c), take2(2, m))", "take2(2, map2(fun(a => a + c), m))"},
    {"highest(inner)", "map2(fun(a => a + c), take2(2, m))",
     "take2(2, map2(fun(a => a + c), m))"},
    {"highest(d in 1 .. 3, both(d))", "map2(fun(a => a + c), take2(2, m))",
     "map2(fun(a => a + c), take2(2, m))"},
    {"highest(d in 1 .. 1, inner(d + 1))", "map2(fun(a => a + c), take2(2, m))",
     "take2(2, map2(fun(a => a + c), m))"},
    {"highest(d in 1 .. 2, inner(d))", "map3(fun(a => a + c), take3(2, b))", NULL},
    {"levels", "map2(fun(a => a + c), m)",
     "mapGlb(1, fun(r => mapGlb(0, fun(a => a + c), r)), m)"},
    {"outermost(2)", "map2(fun(a => a + c), m)",
     "mapGlb(0, fun(r => map(fun(a => a + c), r)), m)"},
    {"normalise(1, inner(2), inner(3))", "map2(fun(a => a + c), take2(2, m))",
     "take2(2, map2(fun(a => a + c), m))"},
    {"pick(0, inner(2))", "map2(fun(a => a + c), take2(2, m))",
     "take2(2, map2(fun(a => a + c), m))"},
};

static void test_uses(void **state)
{
    struct lift_rules *rules = load_into(lift_rules_create(), dims_text);

    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        struct world w = make_world();
        const struct lift_source source = {"how", uses[i].strategy,
                                           strlen(uses[i].strategy)};
        struct lift_error errors = {0};
        lift_strategy s =
            lift_strategy_read(lift_ir_arena(w.ir), rules, &source, &errors);
        lift_expr to;

        lift_error_print(&errors, stderr);
        assert_non_null(s);
        to = lift_strategy_run(w.ir, s, parse(&w, uses[i].term), NULL);
        if ((to != NULL) != (uses[i].want != NULL))
            fail_msg("%s on %s", uses[i].strategy, uses[i].term);
        if (to)
            assert_same(to, parse(&w, uses[i].want));
        lift_error_fini(&errors);
        lift_ir_destroy(w.ir);
    }
    lift_rules_destroy(rules);
}

/* ---- text */

static const char written[] =
    "rule  a(k in 0 .. d - 1,\n"
    "        d in 1 .. 3)   exact // a remark\n"
    "  tunable t in 2 .. d + 2 doc \"chunks\"\n"
    "  // another one\n"
    "  source \"nobody\"\n"
    "  split(k + 1, x) ~>\n"
    "    /* and one more */ take(len(x) / (k + 1), join(split(t, split(k + 1, x))))\n"
    "  where divides(t, len(x) / (k + 1))\n\n"
    "// a rule without parameters\n"
    "rule z exact\n  join(x) ~> join(x)\n";

static const char printed[] =
    "rule  a(k in 0 .. d - 1,\n"
    "        d in 1 .. 3)   exact\n"
    "  doc \"chunks\"\n"
    "  source \"nobody\"\n"
    "  tunable t in 2 .. d + 2\n"
    "  split(k + 1, x) ~>\n"
    "     take(len(x) / (k + 1), join(split(t, split(k + 1, x))))\n"
    "  where divides(t, len(x) / (k + 1))\n";

/* A declaration is printed once, and reads back to the same instances. */
static void test_text(void **state)
{
    struct lift_rules *rules = load_into(lift_rules_create(), written), *again;
    struct lift_str all = {0}, one = {0}, second = {0};

    (void)state;
    assert_int_equal(lift_rules_count(rules), 7);
    lift_rule_print(find(rules, "a(1, 3)"), &one);
    assert_string_equal(lift_str_get(&one), printed);
    lift_rules_print(rules, &all);
    assert_int_equal(strncmp(lift_str_get(&all), printed, one.len), 0);
    assert_string_equal(lift_str_get(&all) + one.len,
                        "rule z exact\n  join(x) ~> join(x)\n");
    again = load_into(lift_rules_create(), lift_str_get(&all));
    assert_int_equal(lift_rules_count(again), 7);
    lift_rules_print(again, &second);
    assert_string_equal(lift_str_get(&all), lift_str_get(&second));
    assert_true(lift_hash_equal(lift_rules_hash(rules), lift_rules_hash(again)));
    lift_str_fini(&all);
    lift_str_fini(&one);
    lift_str_fini(&second);
    lift_rules_destroy(again);
    lift_rules_destroy(rules);
}

/* Two names are two rules of one declaration, which is printed for either. */
static void test_both_ways(void **state)
{
    static const char own[] =
        "rule there, back exact\n  doc \"both\"\n"
        "  zip(pad(l, r, b, x), pad(l, r, b, y)) <~> pad(l, r, b, zip(x, y))\n"
        "  where len(x) == len(y)\n"
        "rule to(d in 1 .. 2), from(d) exact\n"
        "  map(f, take(d, x)) <~> take(d, map(f, x))\n";
    static const char many[] = "rule to(d in 1 .. 2), from(d) exact\n"
                               "  map(f, take(d, x)) <~> take(d, map(f, x))\n";
    struct lift_rules *rules = load_into(lift_rules_create(), own), *again;
    struct lift_str all = {0}, one = {0};

    (void)state;
    assert_int_equal(lift_rules_count(rules), 6);
    lift_rule_print(find(rules, "back"), &one);
    assert_int_equal(strncmp(lift_str_get(&one), own, one.len), 0);
    lift_str_clear(&one);
    lift_rule_print(find(rules, "from(2)"), &one);
    assert_string_equal(lift_str_get(&one), many);
    lift_rules_print(rules, &all);
    assert_string_equal(lift_str_get(&all), own);
    again = load_into(lift_rules_create(), lift_str_get(&all));
    assert_int_equal(lift_rules_count(again), 6);
    assert_true(lift_hash_equal(lift_rules_hash(rules), lift_rules_hash(again)));
    lift_str_fini(&all);
    lift_str_fini(&one);
    lift_rules_destroy(again);
    lift_rules_destroy(rules);
}

/* ---- invalid names */

static const struct {
    const char *name, *message;
} missing[] = {
    {"tile", "'tile' has instances tile(1), tile(2), tile(3)"},
    {"tile(7)", "no rule 'tile(7)': 'tile' has instances tile(1), tile(2), tile(3)"},
    {"tile(1, 2)",
     "no rule 'tile(1, 2)': 'tile' has instances tile(1), tile(2), tile(3)"},
    {"mapSeq(1)", "'mapSeq' is one rule, without numbers"},
    {"tile3", "'tile3' is called 'tile(3)' now"},
    {"facesX3", "'facesX3' is called 'faces(2, 3)' now"},
    {"tiel(3)", "no rule or strategy 'tiel(3)'; did you mean 'tile(3)'?"},
    {"mapSqe", "no rule or strategy 'mapSqe'; did you mean 'mapSeq'?"},
    {"nothing at all", "no rule or strategy 'nothing at all'"},
};

static void test_missing(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        struct lift_str text = {0};

        lift_rules_missing(rules, missing[i].name, &text);
        assert_string_equal(lift_str_get(&text), missing[i].message);
        lift_str_fini(&text);
    }
    lift_rules_destroy(rules);
}

/* ---- mistakes */

static const char *const mistakes[] = {
    "2:19: expected an expression, but got ')'",
    "4:13: expected ')', but got a number",
    "6:33: the parameter 'd' is there already",
    "8:36: expected a condition on the parameters: <, <=, == or !=",
    "10:16: no values fulfil all of this",
    "12:24: expected a number from 0 to 999",
    "14:41: expected a number from 0 to 999",
    "16:13: more than 64 instances",
    "18:25: expected 'default' and the option that is taken without a choice, but got "
    "'('",
    "19:17: expected ')', but got '+'",
    "23:6: the rule 'good(2)' exists already (d = 2)",
    "25:6: the rule 'good(1)' exists already",
    "27:6: 'seq' is a word of strategies (d = 1)",
    "29:29: expected ')', but got '..' (kind = clamp)",
    "32:3: 'map' is for 1 to 4 dimensions (d = 5)",
    "34:3: 'slide' of 1 dimension expects 3 arguments (d = 1)",
    "36:3: 'untile' of 2 dimensions expects 1 argument (d = 2)",
    "38:11: expected '<~>', but got '~>' (d = 1)",
    "39:26: 'third(1)' and 'fourth' have different parameters (d = 1)",
    "41:21: expected ')', but got 'in'",
    "43:27: expected '<~>', but got the end of the text",
    "45:11: expected '~>', but got '<~>'",
    "46:6: the rule 'mapSeq' exists already",
    "48:12: the rule 'mapSeq' exists already",
    "51:14: 'k' does not occur on the left-hand side",
    "52:27: 'good' has instances good(1), good(2)",
    "53:40: 'good' has instances good(1), good(2)",
    "54:41: no rule 'good(9)': 'good' has instances good(1), good(2)",
    "55:39: no rule 'good(clamp)': 'good' has instances good(1), good(2)",
    "56:38: 'mapSeq' is one rule, without numbers",
    "57:52: the macro 'usesItself(1)' cannot use itself: 'repeat' does (d = 1)",
    "58:50: no rule or strategy 'selfNest(0)' before this one (d = 1)",
    "59:46: no rules 'better(1)', 'better(2)', ...",
    "60:44: expected ')', but got the end of the text",
    "61:48: expected ')', but got 'in'",
    "62:12: expected 'exact', 'reassociates' or 'interior(margin)', but got ','",
    "63:25: expected a size; 'n[i]' is one of each dimension, in the sizes of a form, a "
    "bound of "
    "'k[2]' or a condition",
    "64:34: expected a size; 'n[i]' is one of each dimension, in the sizes of a form, a "
    "bound of "
    "'k[2]' or a condition",
    "65:45: 'k[0]' does not occur on the left-hand side",
    "65:45: 'k[1]' does not occur on the left-hand side",
    "66:36: expected a number of dimensions, but got 9",
    "68:69: 'm[0]' does not occur on the left-hand side",
};

static void test_mistakes(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    int before = lift_rules_count(rules);
    char *path = path_of("tests/rules/malformed/instances.rules");
    struct lift_error errors = {0};

    (void)state;
    assert_false(lift_rules_load_file(rules, path, &errors));
    assert_int_equal(lift_rules_count(rules), before);
    for (size_t i = 0; i < lift_error_count(&errors); i++) {
        const struct lift_error *e = lift_error_at(&errors, i);
        char text[300];

        snprintf(text, sizeof text, "%d:%d: %s", e->line, e->column,
                 lift_str_get(&e->text));
        if (i < sizeof mistakes / sizeof *mistakes)
            assert_string_equal(text, mistakes[i]);
    }
    assert_int_equal(lift_error_count(&errors), sizeof mistakes / sizeof *mistakes);
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_fields),
        cmocka_unit_test(test_uses),      cmocka_unit_test(test_text),
        cmocka_unit_test(test_missing),   cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_both_ways),
    };

    return cmocka_run_group_tests_name("instances", tests, NULL, NULL);
}
