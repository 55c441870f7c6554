/* Kernels as configurations: configurations that make the terms of former recipes
 * (tests/rules/points.txt), configurations as text, and errors in declarations. */
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
        struct lift_error errors = {0};
        const struct lift_program *program;
        char path[200];

        snprintf(path, sizeof path, "%s/programs/%s.lift", getenv("LIFT_SOURCE_DIR"),
                 programs[i]);
        assert_true(lift_source_load(path, &f->sources[i], &errors));
        program = lift_program_load(f->ir, &f->sources[i], NULL, &errors);
        assert_non_null(program);
        f->terms[i] = program->body;
        lift_error_fini(&errors);
    }
}

/* NULL: it cannot be made of the term. */
static lift_expr make_point(const struct fixture *f, const char *text, lift_expr term)
{
    struct lift_configuration point = {{0}};
    struct lift_str why = {0};
    bool good = lift_configuration_read(f->rules, text, &point, &why);

    if (good)
        good = lift_configuration_fits(f->rules, &point, LIFT_ON_THREADS | LIFT_HAS_ALL,
                                       true, &why) ||
               (lift_str_clear(&why),
                lift_configuration_fits(f->rules, &point, LIFT_ON_GROUPS | LIFT_HAS_ALL,
                                        true, &why));
    if (!good)
        fail_msg("%s: %s", text, lift_str_get(&why));
    lift_str_fini(&why);
    return lift_strategy_run(f->ir, point_strategy(lift_ir_arena(f->ir), f->rules, text),
                             term, NULL);
}

/* Whether the term's hash begins so; if not, the test prints the term. */
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

/* Number of programs that give the term of a line: name, configuration, hashes; -1: a
 * mismatch. */
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

static void families_are_configurations(void **state)
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

/* Declarations with an error, and the message. */
static const struct {
    const char *text, *message;
} mistakes[] = {
    {"let x = 1\n", "expected 'rule', 'macro', 'decision', 'option' or 'family', but got "
                    "'let'"},
    {"decision tiling default none\n", "the decision 'tiling' exists already"},
    {"decision mine\n",
     "expected 'default' and the option that is taken without a choice, "
     "but got the end of the text"},
    {"decision mine default not after tyling\n",
     "no decision 'tyling' before this; did you mean 'tiling'?"},
    {"decision mine default not\n  on stages\n", "expected 'program', but got 'stages'"},
    {"option guarded of tiling exact like tile(2)\n  = tiling(2)\n",
     "the option 'guarded' of 'tiling' exists already"},
    {"option half of tyling\n",
     "no decision 'tyling' before this; did you mean 'tiling'?"},
    {"option half of tiling needs streaming = rivers\n",
     "no option 'rivers' of 'streaming' before this"},
    {"option half of tiling exact = tiling(2)\n",
     "expected 'like' and a rule with the same redexes, but got '='"},
    {"option half of accumulation exact like stream(3)\n  = topdown(retimeSemi)\n",
     "a macro that is 'exact' cannot use 'retimeSemi', which is 'reassociates'"},
    {"option half of tiling device gpus\n",
     "expected 'threads', 'groups', 'asyncCopies' or 'bulkCopies', but got "
     "'gpus'"},
    {"family gmem = tiling none\n", "the family 'gmem' exists already"},
    {"family mine = tiling half\n", "no option 'half' of 'tiling' before this"},
    {"family mine\n  doc \"no point\"\n", "expected '=', but got 'doc'"},
    {"family mine = tiling guarded\n  explore fast\n",
     "expected 'plain' or 'default', but got 'fast'"},
    {"family mine = tiling guarded\n  explore plain,\n",
     "expected 'plain' or 'default', but got the end of the text"},
    {"family mine = tiling guarded\n  explore all\n",
     "expected 'plain' or 'default', but got 'all'"},
    {"family mine = tiling guarded, tiling remainder\n",
     "'tiling' has an option already"},
    {"family mine of mine = tiling remainder\n", "no family 'mine' before this"},
    {"family mine of smem = tile_cache shared\n",
     "'tile_cache shared' is no change: 'smem' has it"},
    {"option half of tiling as quarter = tiling(2)\n",
     "no option 'quarter' of 'tiling' before this"},
    {"option half of tiling as half = tiling(2)\n",
     "no option 'half' of 'tiling' before this"},
    {"option half of streaming as intermediate_planes = topdown(circularPlanes)\n",
     "expected the end of the rule, but got '='"},
    {"option half of accumulation as semi exact = topdown(retimeSemi)\n",
     "a macro that is 'exact' cannot use 'retimeSemi', which is 'reassociates'"},
    {"option half of tiling as guarded like takeAll = mapSeq\n",
     "'takeAll' is for 'take', but the strategy begins with 'map'"},
    {"family mine, yours = tiling remainder\n",
     "expected 'for' and what these differ in, but got '='"},
    {"family mine, yours of smem = tiling remainder\n",
     "expected 'for' and what these differ in, but got '='"},
    {"family mine, yours, ours of smem, tiled = tiling remainder\n",
     "expected ',' and a family for each name, but got '='"},
    {"family mine, yours of smem for t in remainder = tiling t\n",
     "'t' has 1 value, but these are 2"},
    {"family mine, yours of smem for t in remainder, half = tiling t\n",
     "no option 'half' of 'tiling' before this"},
    {"family mine, yours of smem for t remainder, divisible = tiling t\n",
     "expected 'in', but got 'remainder'"},
    {"family mine, yours of smem for t in remainder, divisible = tiling t\n  doc \"a\", "
     "\"b\", "
     "\"c\"\n",
     "3 texts, but these are 2"},
    {"option half, third of tiling exact like tile(2)\n  = tiling(2)\n",
     "expected 'for' and what these differ in, but got 'exact'"},
    {"option half, third of tiling for d in 1 .. 3 exact like tile(2)\n  = tiling(d)\n",
     "'d' has 3 values, but these are 2"},
    {"option half, third of tiling for d in 2, 4 exact like tile(2)\n  = tiling(d)\n",
     "no rule 'tiling(4)': 'tiling' has instances tiling(1), tiling(2), tiling(3)"},
    {"option half, remainder of tiling for d in 2, 3 exact like tile(2)\n  = tiling(d)\n",
     "the option 'remainder' of 'tiling' exists already"},
    {"option half, half of tiling for d in 2, 3 exact like tile(2)\n  = tiling(d)\n",
     "the option 'half' of 'tiling' exists already"},
    {"option half of tiling exact like tile(2)\n  = tiling(2)\n  doc \"a\", \"b\"\n",
     "expected the end of the rule, but got ','"},
    {"family mine of smem, tiled = tiling remainder\n", "expected '=', but got ','"},
    {"family mine, smem of tiled, smem = tiling remainder\n",
     "the family 'smem' exists already"},
    {"family mine, yours of tiled, smem = tile_cache shared\n",
     "'tile_cache shared' is no change: 'smem' has it"},
    {"option half of tiling exact like tile(2)\n  = repeat(3 .. 2, tiling(2))\n",
     "expected a number that is not below the first, but got 2"},
    {"option half of tiling exact like tile(2)\n  = any(d in 3 .. 2, tiling(d))\n",
     "expected a number that is not below the first, but got 2"},
    {"option half of tiling exact like tile(2)\n  = any(d in 2 .. 4, tiling(d))\n",
     "no rule 'tiling(4)': 'tiling' has instances tiling(1), tiling(2), tiling(3)"},
    {"option half of tiling exact like tile(2)\n  = any(d in 2, tiling(d))\n",
     "expected '..', but got ','"},
    {"option half of tiling exact like tile(2)\n  = each(interior, mapWrg)\n",
     "expected loops: loop, outer, point, plane, tile, block, face, border or copy"},
    {"option half of tiling exact like tile(2)\n  = ranked(nothing)\n",
     "no rules 'nothing(1)', 'nothing(2)', ..."},
};

static void mistakes_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct lift_rules *rules = lift_rules_shipped();
        struct lift_error errors = {0};
        int count = lift_decision_count(rules);

        assert_false(lift_rules_load(rules, "own.rules", mistakes[i].text, &errors));
        assert_true(lift_error_count(&errors) > 0);
        assert_string_equal(lift_str_get(&errors.text), mistakes[i].message);
        assert_int_equal(lift_decision_count(rules), count);
        lift_error_fini(&errors);
        lift_rules_destroy(rules);
    }
}

/* Options and families that differ in a value behave as if alone. */
static void several_are_one_declaration(void **state)
{
    static const char own[] =
        "decision mine default not\n"
        "option two, three of mine for n in 2, 3, t in divisible, remainder exact\n"
        "  like tile(n) = at(point, tiling(n))\n"
        "  doc \"both\", \"all\"\n  source \"here\"\n  needs tiling = t\n"
        "family first, second of smem for n in two, three, t in divisible, remainder\n"
        "  = mine n, tiling t\n  doc \"x\", \"y\"\n"
        "family third, fourth for n in two, three = mine n\n  doc \"z\"\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    const struct lift_decision *mine;
    const struct lift_family *f;

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    mine = lift_decision_find(rules, "mine");
    assert_int_equal(mine->option_count, 3);
    assert_string_equal(mine->options[1]->doc, "both");
    assert_string_equal(mine->options[2]->doc, "all");
    assert_string_equal(mine->options[2]->source, "here");
    assert_string_equal(mine->options[2]->rule->name, "mine=three");
    f = lift_family_find(rules, "second");
    assert_string_equal(f->doc, "y");
    assert_ptr_equal(f->changes[0], mine->options[2]);
    assert_string_equal(lift_family_find(rules, "fourth")->doc, "z");
    lift_rules_destroy(rules);
}

/* A decision of a user's own stands where it says, and points read back. */
static void points_are_text(void **state)
{
    static const char own[] = "decision mine default not after tiling\n"
                              "option yes of mine needs tiling = guarded or remainder\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_configuration point = {{0}};
    struct lift_str text = {0}, why = {0};
    const struct lift_decision *mine;

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    mine = lift_decision_find(rules, "mine");
    assert_int_equal(mine->index, lift_decision_find(rules, "tiling")->index + 1);
    assert_true(lift_configuration_read(
        rules, "smem,mine=yes,halo=allocated,pitch=aligned", &point, &why));
    lift_configuration_print(rules, &point, &text);
    assert_string_equal(lift_str_get(&text),
                        "tiling=guarded,mine=yes,tile_cache=shared,parallel=blocks,halo="
                        "allocated,pitch=aligned");
    assert_true(lift_configuration_fits(rules, &point, LIFT_ON_GROUPS | LIFT_HAS_ALL,
                                        true, &why));
    assert_true(lift_configuration_read(rules, "tiling=divisible", &point, &why));
    assert_false(lift_configuration_fits(rules, &point, LIFT_ON_GROUPS | LIFT_HAS_ALL,
                                         true, &why));
    assert_string_equal(lift_str_get(&why), "mine=yes needs tiling=guarded or remainder");
    lift_str_fini(&text);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
}

/* A family's purposes besides the search are read, and printed so that they read back. */
static void families_have_uses(void **state)
{
    static const char own[] = "family both = tiling guarded\n  explore plain, default\n"
                              "family plainly = tiling guarded\n  explore plain\n"
                              "family standard = tiling guarded\n  explore default\n"
                              "family searched = tiling guarded\n";
    static const struct {
        const char *name;
        bool plain, standard;
    } want[] = {{"both", true, true},
                {"plainly", true, false},
                {"standard", false, true},
                {"searched", false, false}};
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0};

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct lift_family *f = lift_family_find(rules, want[i].name);

        assert_true(f->plain == want[i].plain && f->standard == want[i].standard);
        lift_family_print(f, &text);
    }
    assert_string_equal(lift_str_get(&text), own);
    assert_false(lift_rules_load(
        rules, "more.rules", "family more = tiling remainder\n  explore plain, fast\n",
        &errors));
    lift_str_clear(&text);
    lift_error_format(&errors, &text);
    assert_non_null(strstr(lift_str_get(&text), "more.rules:2:18: error: expected"));
    assert_non_null(strstr(lift_str_get(&text), "\n  explore plain, fast\n"
                                                "                 ^~~~"));
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* A derived family inherits options, which its own override, and names the source of its
 * texts; it is printed as written. */
static void families_build_on_others(void **state)
{
    static const char own[] =
        "family base = tiling guarded, tile_cache shared\n  doc \"tiles\"\n  source "
        "\"Somebody\"\n"
        "family derived of base = tiling remainder, load_reuse grouped\n"
        "family last of derived = tile_cache none\n  doc \"no copies\"\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0}, why = {0};
    struct lift_configuration point, want = {{0}};
    const struct lift_family *derived, *last;

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    derived = lift_family_find(rules, "derived");
    last = lift_family_find(rules, "last");
    lift_family_configuration(derived, &point);
    assert_true(lift_configuration_read(
        rules, "tiling=remainder,tile_cache=shared,load_reuse=grouped", &want, &why));
    assert_memory_equal(&point, &want, sizeof point);
    lift_family_configuration(last, &point);
    assert_true(lift_configuration_read(rules, "tile_cache=none", &want, &why));
    assert_memory_equal(&point, &want, sizeof point);
    assert_string_equal(
        derived->doc,
        "tiles; overlapped tiles, and the treatment of lengths they do not divide: "
        "whole tiles, and an untiled region for the remainder; the order of loads in "
        "unrolled code: grid points that share a loaded value use it next to each "
        "other");
    assert_string_equal(derived->source, "after Somebody");
    assert_string_equal(last->doc, "no copies");
    assert_string_equal(last->source, "after Somebody");
    lift_family_print(derived->base, &text);
    lift_family_print(derived, &text);
    lift_family_print(last, &text);
    assert_string_equal(lift_str_get(&text), own);
    lift_str_fini(&text);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
}

/* An option derived from another inherits its requirements, and is printed with all of
 * them; an option that is only a rule has the rule's texts. */
static void options_build_on_others(void **state)
{
    static const char own[] =
        "decision mine default not\n"
        "option first of mine exact like mapSeq = topdown(mapSeq)\n  doc \"one\"\n"
        "  needs tiling = guarded or remainder\n  device groups, asyncCopies\n  on "
        "program\n"
        "option second of mine as first = topdown(mapUnroll)\n  needs tile_cache = none\n"
        "option third of mine as first reassociates like reduceSeq = topdown(reduceSeq)\n"
        "option halo of mine exact like physicalHalo = physicalHalo\n";
    static const char want[] =
        "option second of mine exact like mapSeq\n  = topdown(mapUnroll)\n"
        "  needs tiling = guarded or remainder, tile_cache = none\n  device groups, "
        "asyncCopies\n"
        "  on program\n"
        "option third of mine reassociates like reduceSeq\n  = topdown(reduceSeq)\n"
        "  needs tiling = guarded or remainder\n  device groups, asyncCopies\n  on "
        "program\n";
    struct lift_rules *rules = lift_rules_shipped();
    const struct lift_rule *halo = lift_rules_find(rules, "physicalHalo");
    const struct lift_decision *mine;
    struct lift_error errors = {0};
    struct lift_str text = {0};

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    mine = lift_decision_find(rules, "mine");
    lift_option_print(mine->options[2], &text);
    lift_option_print(mine->options[3], &text);
    assert_string_equal(lift_str_get(&text), want);
    assert_string_equal(mine->options[4]->doc, halo->doc);
    assert_string_equal(mine->options[4]->source, halo->source);
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* Several families with the same change: each behaves as if written alone. */
static void families_made_together_are_independent(void **state)
{
    static const char own[] =
        "family one, two of smem, tiled = tiling remainder\n  doc \"a "
        "rest\"\n  source \"Nobody\"\n"
        "family three, four of one, two = points_per_thread row\n";
    static const char *const points[][2] = {
        {"one", "tiling=remainder,tile_cache=shared,parallel=blocks"},
        {"two", "tiling=remainder,parallel=blocks"},
        {"three",
         "tiling=remainder,tile_cache=shared,points_per_thread=row,parallel=blocks"},
        {"four", "tiling=remainder,points_per_thread=row,parallel=blocks"}};
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0};

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct lift_configuration point;

        lift_family_configuration(lift_family_find(rules, points[i][0]), &point);
        lift_str_clear(&text);
        lift_configuration_print(rules, &point, &text);
        assert_string_equal(lift_str_get(&text), points[i][1]);
    }
    assert_string_equal(
        lift_family_find(rules, "two")->doc,
        "overlapped tiles: a block per tile, all loads from global memory; a rest");
    assert_string_equal(
        lift_family_find(rules, "four")->doc,
        "overlapped tiles: a block per tile, all loads from global memory; a rest; grid "
        "points of a thread, or of a loop iteration: adjacent grid points of a row");
    assert_string_equal(lift_family_find(rules, "one")->source, "Nobody");
    assert_string_equal(lift_family_find(rules, "three")->source, "after Nobody");
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* The text of each configuration, from that decision on, that explorations may begin with
 * and that differs in arrays in memory alone. */
static void list_layouts(const struct lift_rules *rules, struct lift_configuration *point,
                         int from, struct lift_str *out)
{
    const struct lift_decision *d;

    if (from == lift_decision_count(rules)) {
        for (int i = 0; i < from; i++)
            if (!lift_option_starts(lift_configuration_option(rules, point, i), point))
                return;
        lift_configuration_print(rules, point, out);
        lift_str_add(out, ";\n");
        return;
    }
    d = lift_decision_get(rules, from);
    for (int i = 0; i < d->option_count; i++) {
        point->option[from] = (uint8_t)i;
        list_layouts(rules, point, from + 1, out);
    }
    point->option[from] = 0;
}

static void layouts_begin_together(void **state)
{
    static const char want[] =
        ";\n"
        "halo=allocated,pitch=aligned;\n"
        "halo=allocated,update=in_place,pitch=aligned;\n"
        "stores=non_temporal,halo=allocated,pitch=aligned,plane_pitch=padded;\n"
        "stores=non_temporal,halo=allocated,update=in_place,pitch=aligned,"
        "plane_pitch=padded;\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_configuration point = {{0}};
    struct lift_str text = {0};

    (void)state;
    list_layouts(rules, &point, lift_decision_find(rules, "stores")->index, &text);
    assert_string_equal(lift_str_get(&text), want);
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* A base that is missing is shown where it stands. */
static void missing_bases_are_shown(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0};

    (void)state;
    assert_false(lift_rules_load(rules, "own.rules",
                                 "\nfamily mine of smen = tiling remainder\n", &errors));
    lift_error_format(&errors, &text);
    assert_non_null(
        strstr(lift_str_get(&text), "own.rules:2:16: error: no family 'smen'"));
    assert_non_null(strstr(lift_str_get(&text),
                           "\nfamily mine of smen = tiling remainder\n"
                           "               ^~~~"));
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* A user's rules that no option applies, itself or by macros, are not explored. */
static void rules_are_explored(void **state)
{
    static const char own[] =
        "rule used exact\n  join(split(k, x)) ~> x\n"
        "rule alone exact\n  join(split(k, x)) ~> x\n"
        "macro between exact like used\n  = topdown(used)\n"
        "macro aside exact like alone\n  = try(topdown(alone))\n"
        "decision mine default not\n"
        "option yes of mine exact like used\n  = choice(between, each(loop, mapSeq))\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    const struct lift_rule *found[2] = {NULL, NULL};

    (void)state;
    assert_int_equal(lift_rules_unexplored(rules, found, 2), 0);
    assert_true(lift_rules_load(rules, "own.rules", own, &errors));
    assert_int_equal(lift_rules_unexplored(rules, found, 1), 2);
    assert_string_equal(found[0]->name, "alone");
    assert_null(found[1]);
    assert_int_equal(lift_rules_unexplored(rules, found, 2), 2);
    assert_string_equal(found[1]->name, "aside");
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_are_configurations),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(several_are_one_declaration),
        cmocka_unit_test(points_are_text),
        cmocka_unit_test(families_have_uses),
        cmocka_unit_test(families_build_on_others),
        cmocka_unit_test(layouts_begin_together),
        cmocka_unit_test(missing_bases_are_shown),
        cmocka_unit_test(options_build_on_others),
        cmocka_unit_test(families_made_together_are_independent),
        cmocka_unit_test(rules_are_explored)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
