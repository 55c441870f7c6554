/* Static types of rules: rejected rules with their messages, and accepted rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "ir/prim.h"
#include "rules/rule.h"
#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const mistakes[] = {
    "4:16: the two sides have different types: left '[a]len(x)', right '[b]len(x)'",
    "6:16: 'join' takes '[[a]m]n', but got '[a]len(x)'",
    "8:18: the two sides have different types: left '[[a]k](len(x) / k)', right "
    "'[[a]k](len(x) / k + 1)'",
    "10:24: the two sides have different types: left '[a](k*(len(x) / k))', right "
    "'[a](k*(len(x) / k) - k + 1)'; they differ for k = 2, len(x) = 2 (2 and 1): a "
    "condition is missing",
    "12:21: the two sides have different types: left '[[a]n]((len(x) - n) / s + 1)', "
    "right '[[a]n](len(x) / n)'; they differ for n = 1, s = 2, len(x) = 2 (1 and 2): a "
    "condition is missing",
    "14:31: 'zip' takes '[b]n': expected '[a]len(x)', but got '[a](len(x) - 1)'",
    "16:35: expected a tuple with that member, but got '(a, b)'",
    "18:22: the argument of 'f': expected 'a', but got 'b'",
    "20:38: the result of the function '(b, a) -> b' of 'reduce': expected 'a', but got "
    "'(a, b)'",
    "22:65: 'select' takes 'bool': expected 'bool', but got 'a'",
    "24:16: 'x' has no length of dimension 1, but got 'a'",
    "26:19: 'concat' takes '[a]m', but got '[(a, a)]len(y)'",
    "28:33: the argument of 'f': expected '(a, b)', but got 'a'",
    "28:45: 'transpose' takes '[[a]m]n', but got '[b]len(x)'",
    "30:35: 'transpose' takes '[[a]m]n', but got '[(a, a)]n'",
    "32:12: 'and' takes 'bool': expected 'bool', but got 'a'",
    "34:12: 'sqrt' takes 'float', but got 'a'",
    "36:12: 'mul' takes 's': expected 'f32', but got 'i32'",
    "38:31: the two sides have different types: left '[a](4*(len(x) / 4))', right "
    "'[a<4>](len(x) / 4)'",
    "40:20: the result of the function 'i32 -> i32' of 'reorder': expected 'i32', but "
    "got 'f32'",
    "42:29: the argument of 'f': expected '[a]n', but got '[a](n + 1)'",
    "44:37: the two sides have different types: left '[a]len(x)', right '[a](len(x) - "
    "1)'",
    "46:11: the tunable 'k' does not occur on the right-hand side",
    "49:20: 'g' does not occur on the left-hand side",
    "49:23: 'y' does not occur on the left-hand side",
    "50:9: 'n' does not occur on the left-hand side",
    "50:18: 'z' does not occur on the left-hand side",
    "51:29: 'transposeTranspose' is for 'transpose', but the strategy begins with 'map'",
    "54:14: this is for 'slide' and always fails at 'map'",
    "56:15: this is for 'map' and always fails at 'slide'",
    "58:17: this is for 'map' and always fails at 'mapSeq'",
    "60:26: this is for 'map' and always fails at 'take'",
    "62:22: the option 'schedule' is given twice",
};

static char *describe(const struct lift_error *e)
{
    char *text = NULL;

    assert_true(asprintf(&text, "%d:%d: %s", e->line, e->column, lift_str_get(&e->text)) >
                0);
    return text;
}

/* Every mistake of the file, in order; and nothing of it is loaded. */
static void test_mistakes(void **state)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    struct lift_rules *rules = lift_rules_shipped();
    int before = lift_rules_count(rules);
    struct lift_error errors = {0};
    struct lift_str shown = {0};
    char path[400];

    (void)state;
    snprintf(path, sizeof path, "%s/tests/rules/malformed/types.rules",
             root ? root : ".");
    assert_false(lift_rules_load_file(rules, path, &errors));
    assert_int_equal(lift_rules_count(rules), before);
    for (size_t i = 0;
         i < lift_error_count(&errors) && i < sizeof mistakes / sizeof *mistakes; i++) {
        char *text = describe(lift_error_at(&errors, i));

        assert_string_equal(text, mistakes[i]);
        free(text);
    }
    assert_int_equal(lift_error_count(&errors), sizeof mistakes / sizeof *mistakes);
    lift_error_format(errors.next, &shown);
    assert_non_null(strstr(lift_str_get(&shown), "  map(f, x) ~> join(map(f, x))\n"));
    assert_non_null(strstr(lift_str_get(&shown), "               ^~~~~~~~~~~~~~~"));
    lift_str_fini(&shown);
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
}

/* The number of mistakes in one rule; 'first' is the first, if there is one. */
static size_t count_mistakes(const char *equation, struct lift_str *first)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};
    struct lift_str text = {0};
    size_t count;

    lift_str_addf(&text, "rule r exact\n  %s\n", equation);
    lift_rules_load(rules, "test.rules", lift_str_get(&text), &errors);
    count = lift_error_count(&errors);
    lift_str_clear(first);
    if (count)
        lift_str_add(first, lift_str_get(&errors.text));
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_rules_destroy(rules);
    return count;
}

static const char *const good[] = {
    /* lengths that are equal as normal forms, by the conditions, or by a side's
     * requirements */
    "split(k, slide(n, s, x)) ~> map(fun(w => slide(n, s, w)), slide(s * (k - 1) + n, s "
    "* "
    "k, x))",
    "join(split(k, x)) ~> x",
    "slide(n, s, x) ~> split(n, x) where n == s, divides(n, len(x))",
    "split(k, map(f, x)) ~> split(k, join(map(fun(c => map(f, c)), split(k, x))))",
    "zip(x, y) ~> zip(take(len(y), x), take(len(x), y))",
    "zip(slide(n, 1, x), slide(m, 1, y)) ~> zip(slide(n, 1, x), take(len(x) - n + 1, "
    "slide(m, 1, y)))",
    "take(m, x) ~> take(min(m, len(x)), x)",
    "inset(l, r, x, y) ~> inset(l, r, take(l + len(y) + r, x), y)",
    "concat(x, drop(m, y), z) ~> concat(x, concat(drop(m, y), z))",
    /* types that follow from uses */
    "zip(unzip(x).0, unzip(x).1) ~> x",
    "map(fun(t => (t.1, f(t))), x) ~> map(fun(t => (t.1, f(t))), map(fun(t => t), x))",
    "unzip(zip(x, y)).1 ~> y",
    "reduce(f, i, map(g, x)) ~> reduce(fun(a, e => f(a, g(e))), i, x)",
    "iterate(2, f, x) ~> f(f(x))",
    "reorder(f, reorder(g, x)) ~> reorder(fun(i => g(f(i))), x)",
    "let y = x in f(y) ~> f(let y = x in y)",
    "map(fun(r => map(f, r)), x) ~> split(len(x, 1), map(f, join(x)))",
    /* numbers, conditions, vectors */
    "x * y + x * z ~> x * (y + z)",
    "if c then x else y ~> if !c then y else x",
    "map(fun(e => if e < 0.0 then -e else e), x) ~> map(fun(e => abs(e)), x)",
    "map(f, asScalar(x)) ~> join(map(fun(v => map(f, asScalar(array(1, fun(i => v))))), "
    "x)) where 1 <= 2",
    "asScalar(asVector(4, x)) ~> x",
    "array(n, fun(i => f32(i))) ~> map(fun(i => f32(i)), array(n, fun(i => i)))",
    "padValue(l, r, fun(i, n => 0.0), x) ~> concat(array(l, fun(i => 0.0)), x, array(r, "
    "fun(i => 0.0)))",
    "toLocal(map(f, x)) ~> map(f, toLocal(x))",
    /* lists */
    "unzip(zip(x...)) ~> (x...)",
    "zip(zip(x...), y) ~> map(fun(t => ((t.0), t.1)), zip(zip(x...), y))",
    "get(k, unzip(zip(x...))) ~> x[k]",
};

static const struct {
    const char *rule, *why;
} bad[] = {
    {"transpose(transpose(x)) ~> transpose(x)", "they differ for"},
    {"slide(n, s, x) ~> split(n, x) where divides(n, len(x))", "they differ for"},
    {"split(k, x) ~> split(k + 1, x)", "the two sides have different types"},
    {"map(f, x) ~> map(fun(y => (f(y), y)), x)", "the two sides have different types"},
    {"f(x) ~> x", "enclosing functions"},
    {"iterate(2, f, map(g, x)) ~> f(f(x))", "the argument of 'f'"},
    {"x + y ~> f32(x) + y", "'add' takes 's'"},
    {"asVector(4, x) ~> asVector(8, x)", "different types"},
    {"array(n, f) ~> array(n + 1, f)", "different types"},
    {"mapVec[rows=a, store=b, tests=c](n, f, x) ~> map(f, drop(1, x))",
     "different types"},
    {"unzip(zip(x, y)) ~> (y, x)", "different types"},
    {"padValue(l, r, f, x) ~> pad(l, l, clamp, x)", "they differ for"},
    {"split(k, x) ~> map(fun(c => take(4, c)), split(k, x))", "they differ for"},
    {"pad(l, r, b, zip(x...)) ~> zip(pad(l, l, b, x)...)", "they differ for"},
    {"zip(x...) ~> map(fun(t => (t.1, t.0)), zip(x...))", "different types"},
    {"map(f, zip(x...)) ~> map(f, zip(drop(1, x)...))", "different types"},
    {"array(n, f) ~> array(1000000 * 1000000 * 1000000 * 1000000 * n, f)", "too large"},
};

static void test_equations(void **state)
{
    struct lift_str first = {0};
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t count = count_mistakes(good[i], &first);

        if (count)
            print_message("%s: %s\n", good[i], lift_str_get(&first));
        wrong += count;
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (!count_mistakes(bad[i].rule, &first) ||
            !strstr(lift_str_get(&first), bad[i].why)) {
            print_message("%s: '%s'\n", bad[i].rule, lift_str_get(&first));
            wrong++;
        }
    }
    lift_str_fini(&first);
    assert_int_equal(wrong, 0);
}

/* "split(n0, x0)": an application to metavariables. */
static void apply_to_metas(const struct lift_prim_info *info, struct lift_str *out)
{
    int nats = 0, args = 0, attrs = 0;

    lift_str_addf(out, "%s(", info->name);
    for (const char *p = info->params; *p; p += *p == 'F' ? 2 : 1) {
        lift_str_add(out, p == info->params ? "" : ", ");
        if (*p == 'N')
            lift_str_addf(out, "%d", 2 + nats++);
        else if (*p == 'A')
            lift_str_add(out,
                         info->attrs[attrs].words ? info->attrs[attrs].words[0] : "0");
        else
            lift_str_addf(out, "%c%d", *p == 'F' ? 'f' : 'x', args++);
        attrs += *p == 'A';
    }
    lift_str_addc(out, ')');
}

/* No primitive counts as of any type: in the place of a condition, each is rejected
 * except conditions. */
static void test_every_primitive(void **state)
{
    struct lift_str rule = {0}, call = {0}, first = {0};

    (void)state;
    for (int op = 0; op < LIFT_OP_COUNT; op++) {
        const struct lift_prim_info *info = lift_prim_info((enum lift_op)op);
        bool condition = strstr(info->scheme, "-> bool") != NULL;

        if (strchr(info->params, 'S') || op == LIFT_LET) /* 'let' is written otherwise */
            continue;
        lift_str_clear(&call);
        lift_str_clear(&rule);
        apply_to_metas(info, &call);
        lift_str_addf(&rule, "(%s, true) ~> (%s, %s)", lift_str_get(&call),
                      lift_str_get(&call), lift_str_get(&call));
        if ((count_mistakes(lift_str_get(&rule), &first) == 0) != condition) {
            print_message("%s: '%s'\n", lift_str_get(&rule), lift_str_get(&first));
            fail();
        }
        if (!condition && !strstr(lift_str_get(&first), "the two sides")) {
            print_message("%s: '%s'\n", lift_str_get(&rule), lift_str_get(&first));
            fail();
        }
    }
    lift_str_fini(&rule);
    lift_str_fini(&call);
    lift_str_fini(&first);
}

/* ---- broken texts */

enum { MAX_WORDS = 400 };

/* The words of a text: names, numbers, single marks. */
static int split_words(const char *text, struct lift_span out[MAX_WORDS])
{
    int count = 0;
    size_t at = 0;

    while (text[at] && count < MAX_WORDS) {
        size_t begin = at;

        while (isalnum((unsigned char)text[at]))
            at++;
        at += at == begin;
        if (!isspace((unsigned char)text[begin]))
            out[count++] = (struct lift_span){begin, at};
    }
    return count;
}

/* One word of the text replaced by another one of it, or left out. */
static void break_text(const char *text, struct lift_rng *rng, struct lift_str *out)
{
    struct lift_span words[MAX_WORDS];
    int count = split_words(text, words);
    struct lift_span at = words[lift_rng_below(rng, (uint64_t)count)];
    struct lift_span by = words[lift_rng_below(rng, (uint64_t)count)];

    lift_str_clear(out);
    lift_str_addn(out, text, at.begin);
    if (lift_rng_below(rng, 4))
        lift_str_addn(out, text + by.begin, by.end - by.begin);
    lift_str_add(out, text + at.end);
}

/* Any file is read or rejected: an accepted rule can be printed and read again. */
static void test_broken(void **state)
{
    struct lift_rules *shipped = lift_rules_shipped();
    struct lift_str text = {0}, broken = {0};
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 11);
    for (int i = 0; i < 6000; i++) {
        int which = (int)lift_rng_below(&rng, (uint64_t)lift_rules_count(shipped));
        const struct lift_rule *rule = lift_rules_get(shipped, which);
        struct lift_rules *rules = lift_rules_create();
        struct lift_error errors = {0};

        if (i % 3 == 0 || !text.len) {
            lift_str_clear(&text);
            lift_rule_print(rule, &text);
        }
        break_text(lift_str_get(&text), &rng, &broken);
        if (lift_rules_load(rules, "broken.rules", lift_str_get(&broken), &errors) &&
            lift_rules_count(rules)) {
            lift_str_clear(&text);
            lift_rule_print(lift_rules_get(rules, 0), &text);
            lift_rules_destroy(rules);
            rules = lift_rules_create();
            if (!lift_rules_load(rules, "again.rules", lift_str_get(&text), &errors)) {
                lift_error_print(&errors, stderr);
                fail();
            }
        }
        lift_error_fini(&errors);
        lift_rules_destroy(rules);
    }
    lift_str_fini(&text);
    lift_str_fini(&broken);
    lift_rules_destroy(shipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_equations),
        cmocka_unit_test(test_every_primitive),
        cmocka_unit_test(test_broken),
    };

    return cmocka_run_group_tests_name("typing", tests, NULL, NULL);
}
