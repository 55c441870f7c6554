/* Kernels as points of the decisions: those that make the terms of former recipes
 * (tests/rules/points.txt), points as text, and what is wrong in declarations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lift/program.h"
#include "points.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const programs[] = {
    "star2d2r", "box2d1r", "srad1", "hotspot2d", "acoustic_iso", "star3d2r", "hotspot3d"};

enum { PROGRAMS = sizeof programs / sizeof *programs };

struct fixture {
    struct lift_ir *ir;
    struct lift_rules *rules;
    struct lift_source sources[PROGRAMS];
    lift_expr terms[PROGRAMS];
};

static void load(struct fixture *f)
{
    f->ir = lift_ir_create();
    f->rules = lift_rules_shipped();
    for (int i = 0; i < PROGRAMS; i++) {
        struct lift_diags diags = {0};
        const struct lift_program *program;
        char path[200];

        snprintf(path, sizeof path, "%s/programs/%s.lift", getenv("LIFT_SOURCE_DIR"),
                 programs[i]);
        assert_true(lift_source_load(path, &f->sources[i], &diags));
        program = lift_program_load(f->ir, &f->sources[i], NULL, &diags);
        assert_non_null(program);
        f->terms[i] = program->body;
        lift_diags_fini(&diags);
    }
}

/* NULL: it cannot be made of the term. */
static lift_expr make_point(const struct fixture *f, const char *text, lift_expr term)
{
    struct lift_point point = {{0}};
    struct lift_str why = {0};
    bool good = lift_point_read(f->rules, text, &point, &why);

    if (good)
        good = lift_point_fits(f->rules, &point, LIFT_ON_THREADS | LIFT_HAS_ALL, true,
                               &why) ||
               (lift_str_clear(&why),
                lift_point_fits(f->rules, &point, LIFT_ON_GROUPS | LIFT_HAS_ALL, true,
                                &why));
    if (!good)
        fail_msg("%s: %s", text, lift_str_get(&why));
    lift_str_fini(&why);
    return lift_strategy_run(f->ir, point_strategy(lift_ir_arena(f->ir), f->rules, text),
                             term, NULL);
}

/* Whether the term's hash begins so; else the term is shown. */
static bool begins(lift_expr term, const char *digits, const char *what)
{
    struct lift_str text = {0};
    char hex[LIFT_HASH_HEX] = "no term";

    if (term)
        lift_hash_hex(term->hash, hex);
    if (term && !strncmp(hex, digits, strlen(digits)))
        return true;
    if (term)
        lift_expr_print_indented(term, 0, &text);
    print_message("%s: %.8s instead of %s\n%s\n", what, hex, digits, lift_str_get(&text));
    lift_str_fini(&text);
    return false;
}

/* How many of the programs give the term of a line: name, point, hashes; -1: one does
 * not. */
static int compare(const struct fixture *f, char *line)
{
    char *rest = NULL, what[200];
    const char *name = strtok_r(line, " \n", &rest);
    const char *point = strtok_r(NULL, " \n", &rest);
    int same = 0;

    for (int i = 0; i < PROGRAMS; i++) {
        const char *digits = strtok_r(NULL, " \n", &rest);

        if (!digits)
            fail_msg("%s: fewer than %d hashes", name, PROGRAMS);
        snprintf(what, sizeof what, "%s (%s) of %s", name, point, programs[i]);
        if (!strcmp(digits, "-"))
            continue;
        if (!begins(make_point(f, point, f->terms[i]), digits, what))
            return -1;
        same++;
    }
    return same;
}

static void recipes_are_points(void **state)
{
    struct fixture f;
    char path[200], line[2000];
    int wrong = 0, lines = 0;
    FILE *in;

    (void)state;
    load(&f);
    snprintf(path, sizeof path, "%s/tests/rules/points.txt", getenv("LIFT_SOURCE_DIR"));
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        wrong += compare(&f, line) < 1;
        lines++;
    }
    fclose(in);
    assert_int_equal(wrong, 0);
    assert_true(lines > 200);
    for (int i = 0; i < PROGRAMS; i++)
        lift_source_free(&f.sources[i]);
    lift_rules_destroy(f.rules);
    lift_ir_destroy(f.ir);
}

/* What is wrong in each, and what is said of it. */
static const struct {
    const char *text, *message;
} mistakes[] = {
    {"decision tile default none\n", "the decision 'tile' exists already"},
    {"decision mine\n",
     "expected 'default' and the option that is taken without a choice, "
     "but got the end of the text"},
    {"decision mine default not after tyle\n",
     "no decision 'tyle' before this; did you mean 'tile'?"},
    {"option guarded of tile exact like tile(2)\n  = tiling(2)\n",
     "the option 'guarded' of 'tile' exists already"},
    {"option half of tyle\n", "no decision 'tyle' before this; did you mean 'tile'?"},
    {"option half of tile needs stream = rivers\n",
     "no option 'rivers' of 'stream' before this"},
    {"option half of tile exact = tiling(2)\n",
     "expected 'like' and a rule with the same redexes, but got '='"},
    {"option half of sum exact like stream(3)\n  = topdown(retimeSemi)\n",
     "a macro that is 'exact' cannot use 'retimeSemi', which is 'reassociates'"},
    {"option half of tile device gpus\n",
     "expected 'groups' or 'threads', but got 'gpus'"},
    {"family gmem\n  = tile none\n", "the family 'gmem' exists already"},
    {"family mine\n  = tile half\n", "no option 'half' of 'tile' before this"},
    {"option half of tile exact like tile(2)\n  = each(interior, mapWrg)\n",
     "expected loops: loop, outer, point, plane, tile, block, face, border or copy"},
    {"option half of tile exact like tile(2)\n  = ranked(nothing)\n",
     "no rules 'nothing(1)', 'nothing(2)', ..."},
};

static void mistakes_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct lift_rules *rules = lift_rules_shipped();
        struct lift_diags diags = {0};
        int count = lift_decision_count(rules);

        assert_false(lift_rules_load(rules, "own.rules", mistakes[i].text, &diags));
        assert_true(diags.count > 0);
        assert_string_equal(diags.items[0].message, mistakes[i].message);
        assert_int_equal(lift_decision_count(rules), count);
        lift_diags_fini(&diags);
        lift_rules_destroy(rules);
    }
}

/* A decision of a user's own stands where it says, and points read back. */
static void points_are_text(void **state)
{
    static const char own[] = "decision mine default not after tile\n"
                              "option yes of mine needs tile = guarded or cut\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_diags diags = {0};
    struct lift_point point = {{0}};
    struct lift_str text = {0}, why = {0};
    const struct lift_decision *mine;

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &diags));
    mine = lift_decision_find(rules, "mine");
    assert_int_equal(mine->index, lift_decision_find(rules, "tile")->index + 1);
    assert_true(lift_point_read(rules, "smem,mine=yes,layout=aligned", &point, &why));
    lift_point_print(rules, &point, &text);
    assert_string_equal(lift_str_get(&text),
                        "tile=guarded,mine=yes,stage=all,level=groups,layout=aligned");
    assert_true(
        lift_point_fits(rules, &point, LIFT_ON_GROUPS | LIFT_HAS_ALL, true, &why));
    assert_true(lift_point_read(rules, "tile=exact", &point, &why));
    assert_false(
        lift_point_fits(rules, &point, LIFT_ON_GROUPS | LIFT_HAS_ALL, true, &why));
    assert_string_equal(lift_str_get(&why), "mine=yes needs tile=guarded or cut");
    lift_str_fini(&text);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recipes_are_points),
                                       cmocka_unit_test(mistakes_are_told),
                                       cmocka_unit_test(points_are_text)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
