/* Options of primitives in rules: a pattern matches any value of an option that it does
 * not name, and keeps it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/prim.h"
#include "lift/build.h"
#include "lift/parse.h"
#include "rules/decision.h"
#include "rules/rule.h"
#include <cmocka.h>

#include "rule_files.h"
#include "rule_world.h"

static lift_expr rewritten(struct world *w, struct lift_rules *rules, const char *term)
{
    const struct lift_path root = {0};
    struct lift_rewrite out;

    return lift_rewrite_at(w->ir, lift_rules_get(rules, 0), parse(w, term), &root, 0,
                           &out)
               ? out.term
               : NULL;
}

static const struct {
    const char *rule, *term;
    const char *want; /* NULL: the rule does not apply */
} cases[] = {
    /* no option is named: each has any value, and keeps it */
    {"mapSeqSlide(f, n, s, z) ~> mapSeqSlide(fun(w => f(w)), n, s, take(len(z), z))",
     "mapSeqSlide[stages=3, copy=tensor, barrier=split](fun(w => w[0] + w[2]), 3, 1, x)",
     "mapSeqSlide[stages=3, copy=tensor, barrier=split](fun(w => w[0] + w[2]), 3, 1, "
     "take(12, x))"},
    /* the right-hand side changes one of them, whatever it was */
    {"mapSeqSlide(f, n, s, z) ~> mapSeqSlide[window=unroll](f, n, s, z)",
     "mapSeqSlide[prefetch=1, beside=asked](fun(w => w[0] + w[2]), 3, 1, x)",
     "mapSeqSlide[window=unroll, prefetch=1, beside=asked](fun(w => w[0] + w[2]), 3, 1, "
     "x)"},
    {"mapVec(w, f, z) ~> mapVec[tests=inside](w, f, z)",
     "mapVec[rows=shuffle, tests=apart](4, fun(e => e + c), x)",
     "mapVec[rows=shuffle](4, fun(e => e + c), x)"},
    /* the left-hand side names one: another value is no match */
    {"mapVec[tests=inside](w, f, z) ~> mapVec[tests=hoisted](w, f, z)",
     "mapVec[tests=apart](4, fun(e => e + c), x)", NULL},
    {"mapVec[tests=inside](w, f, z) ~> mapVec[tests=hoisted](w, f, z)",
     "mapVec[store=nontemporal](4, fun(e => e + c), x)",
     "mapVec[store=nontemporal, tests=hoisted](4, fun(e => e + c), x)"},
    /* ... and the right-hand side keeps the options of the left one */
    {"mapUnroll[order=loads](f, z) ~> mapUnroll[loads=4](f, z)",
     "mapUnroll[order=loads, tests=once](fun(e => e + c), x)",
     "mapUnroll[loads=4, order=loads, tests=once](fun(e => e + c), x)"},
    {"mapUnroll[loads=n](f, z) ~> mapUnroll(f, map(fun(e => e), z))",
     "mapUnroll[loads=2](fun(e => e + c), x)",
     "mapUnroll[loads=2](fun(e => e + c), map(fun(e => e), x))"},
    /* several on the right get the options of the one on the left */
    {"mapPar(f, z) ~> concat(mapPar(f, take(4, z)), mapPar(f, drop(4, z)))",
     "mapPar[schedule=dynamic](fun(e => e + c), x)",
     "concat(mapPar[schedule=dynamic](fun(e => e + c), take(4, x)),"
     " mapPar[schedule=dynamic](fun(e => e + c), drop(4, x)))"},
    /* one that only the right-hand side has begins with the defaults */
    {"mapVec(w, f, z) ~> mapVec(w, f, mapUnroll(fun(e => e), z))",
     "mapVec[rows=shuffle](4, fun(e => e + c), x)",
     "mapVec[rows=shuffle](4, fun(e => e + c), mapUnroll(fun(e => e), x))"},
    /* options that are named may be dropped */
    {"mapTask[collapse=k, tasks=t](f, z) ~> map(f, z)",
     "mapTask[collapse=2](fun(e => e + c), x)", "map(fun(e => e + c), x)"},
};

static void test_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w = make_world();
        struct lift_str text = {0}, printed = {0};
        struct lift_rules *rules, *again;
        lift_expr got, second;

        lift_str_addf(&text, "rule r exact\n  %s\n", cases[i].rule);
        rules = load_rules(lift_str_get(&text));
        lift_rules_print(rules, &printed);
        again = load_rules(lift_str_get(&printed));
        got = rewritten(&w, rules, cases[i].term);
        second = rewritten(&w, again, cases[i].term);
        if (!got != !cases[i].want || got != second)
            fail_msg("%s on %s, printed as %s", cases[i].rule, cases[i].term,
                     lift_str_get(&printed));
        if (got)
            assert_same(got, parse(&w, cases[i].want));
        lift_str_fini(&text);
        lift_str_fini(&printed);
        lift_rules_destroy(rules);
        lift_rules_destroy(again);
        lift_ir_destroy(w.ir);
    }
}

/* ---- rules that would drop options are not loaded */

static const struct {
    const char *rule, *message;
} mistakes[] = {
    {"mapSeqSlide(f, n, s, z) ~> map(f, slide(n, s, z))",
     "the right-hand side has no 'mapSeqSlide' that keeps its option 'window': name all "
     "options that the rule drops"},
    {"mapTask[collapse=k](f, z) ~> map(f, z)",
     "the right-hand side has no 'mapTask' that keeps its option 'tasks': name all "
     "options "
     "that the rule drops"},
    {"mapPar[collapse=k, schedule=t](f, mapPar[collapse=k, schedule=t](g, z)) ~> "
     "mapPar[schedule=t](fun(e => f(g(e))), z)",
     "'mapPar' occurs more than once on the left-hand side: name its option 'collapse' "
     "on "
     "the right"},
    {"mapPar[schedule=t](f, mapPar[collapse=k, schedule=t](g, z)) ~> "
     "mapPar[collapse=k, schedule=t](fun(e => f(g(e))), z)",
     "'mapPar' occurs more than once on the left-hand side: name its option 'collapse' "
     "there"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct lift_rules *rules = lift_rules_create();
        struct lift_error errors = {0};
        struct lift_str text = {0};

        lift_str_addf(&text, "rule r exact\n  %s\n", mistakes[i].rule);
        assert_false(lift_rules_load(rules, "test.rules", lift_str_get(&text), &errors));
        assert_int_equal(lift_error_count(&errors), 1);
        assert_string_equal(lift_str_get(&errors.text), mistakes[i].message);
        lift_error_fini(&errors);
        lift_str_fini(&text);
        lift_rules_destroy(rules);
    }
}

/* ---- rules that ship */

/* The arguments of a redex of each primitive with options. */
static const struct {
    enum lift_op op;
    const char *args;
} redexes[] = {
    {LIFT_MAP_SEQ_SLIDE, "(fun(w => w[0] + w[2]), 3, 1, x)"},
    {LIFT_MAP_VEC, "(4, fun(e => e + c), x)"},
    {LIFT_MAP_UNROLL, "(fun(e => e + c), x)"},
    {LIFT_MAP_PAR, "(fun(e => e + c), x)"},
    {LIFT_MAP_TASK, "(fun(e => e + c), x)"},
};

/* The first primitive of that kind in a term, outermost first; NULL if not found. */
static lift_expr find(lift_expr e, enum lift_op op)
{
    lift_expr found = lift_expr_is(e, op) ? e : NULL;

    for (int i = 0; !found && i < lift_expr_child_count(e); i++)
        found = find(lift_expr_child(e, i), op);
    return found;
}

/* The redex of which bit i of 'set' says whether option i has its second value. */
static lift_expr redex(struct world *w, int r, unsigned set)
{
    const struct lift_prim_info *info = lift_prim_info(redexes[r].op);
    struct lift_str text = {0};
    lift_expr e;

    lift_str_add(&text, info->name);
    for (int i = 0; i < info->attr_count; i++) {
        lift_str_addf(&text, "%s%s=", i ? ", " : "[", info->attrs[i].name);
        lift_attr_print(&info->attrs[i], set >> i & 1, &text);
    }
    lift_str_addf(&text, "]%s", redexes[r].args);
    e = parse(w, lift_str_get(&text));
    lift_str_fini(&text);
    return e;
}

/* Each option after the rule: the one named in its text, or the former one. */
static void check_shipped(const struct lift_rule *rule, lift_expr from, lift_expr to)
{
    const struct lift_prim_info *info = lift_prim_info(from->op);
    lift_expr kept = find(to, from->op);
    struct lift_str text = {0};
    char named[64];

    lift_rule_print(rule, &text);
    for (int i = 0; i < info->attr_count; i++) {
        snprintf(named, sizeof named, "%s=", info->attrs[i].name);
        if (!strstr(lift_str_get(&text), named) &&
            (!kept || kept->u.prim.attrs.at[i] != from->u.prim.attrs.at[i]))
            fail_msg("'%s' drops the option '%s' of '%s'", rule->name,
                     info->attrs[i].name, info->name);
    }
    lift_str_fini(&text);
}

/* How many equations apply to the redex. */
static int check_all(struct world *w, struct lift_rules *rules, lift_expr from)
{
    const struct lift_path root = {0};
    int applied = 0;

    for (int i = 0; i < lift_rules_count(rules); i++) {
        const struct lift_rule *rule = lift_rules_get(rules, i);
        struct lift_rewrite out;

        if (rule->form != LIFT_RULE_EQUATION ||
            !lift_rewrite_at(w->ir, rule, from, &root, 0, &out))
            continue;
        check_shipped(rule, from, out.to);
        applied++;
    }
    return applied;
}

static void test_shipped(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct world w = make_world();
    int applied[sizeof redexes / sizeof *redexes] = {0};

    (void)state;
    for (size_t r = 0; r < sizeof redexes / sizeof *redexes; r++)
        for (unsigned set = 0; set < 1U << lift_prim_info(redexes[r].op)->attr_count;
             set++)
            applied[r] += check_all(&w, rules, redex(&w, (int)r, set));
    assert_true(applied[0] >= 8 * 32); /* eight equations change streams */
    assert_true(applied[1] >= 4);
    assert_true(applied[2] >= 4);
    lift_ir_destroy(w.ir);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_shipped),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
