/* Former names of rules, decisions, options and families, and the names of today. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/decision.h"
#include <cmocka.h>

#include "rule_files.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct lift_option *option_of(const struct lift_rules *rules,
                                           const char *pair)
{
    char decision[100];
    const struct lift_decision *d;

    snprintf(decision, sizeof decision, "%.*s", (int)strcspn(pair, "="), pair);
    d = lift_decision_find(rules, decision);
    return d ? lift_option_find(d, strchr(pair, '=') + 1) : NULL;
}

/* Also without its numbers. */
static bool has_rule(const struct lift_rules *rules, const char *name)
{
    size_t len = strlen(name);

    for (int i = 0; i < lift_rules_count(rules); i++) {
        const char *full = lift_rules_get(rules, i)->name;

        if (!strncmp(full, name, len) && (!full[len] || full[len] == '('))
            return true;
    }
    return false;
}

/* Whether a name of today has this kind. */
static bool exists(const struct lift_rules *rules, const char *kind, const char *name)
{
    return !strcmp(kind, "rule")       ? has_rule(rules, name)
           : !strcmp(kind, "decision") ? lift_decision_find(rules, name) != NULL
           : !strcmp(kind, "option")   ? option_of(rules, name) != NULL
           : !strcmp(kind, "family")   ? lift_family_find(rules, name) != NULL
                                       : false;
}

/* "D,E" and "D=O,E=P"; names of rules may contain commas. */
static bool all_exist(const struct lift_rules *rules, const char *kind, char *names)
{
    char *rest = NULL;

    if (!strcmp(kind, "rule"))
        return exists(rules, kind, names);
    for (char *name = strtok_r(names, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        if (!exists(rules, kind, name))
            return false;
    return true;
}

/* Every line of names.txt leads from a former name to names of today, or says why the
 * name was removed. 'copy' is a decision still, of which some options are options of
 * 'buffering' now. */
static void names_resolve(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    char *path = path_of("src/rules/names.txt"), line[300], old[100];
    FILE *in = fopen(path, "r");
    int count = 0;

    (void)state;
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        struct lift_str now = {0};
        char *rest = NULL, *name, *new;
        const char *kind;

        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        kind = strtok_r(line, " ", &rest);
        name = rest;
        /* 'tile(1, 2)' has a blank in it */
        new = strstr(name, strchr(name, '(') && strchr(name, '(') < strchr(name, ' ')
                               ? ") "
                               : " ");
        assert_non_null(new);
        new += *new == ')';
        *new ++ = '\0';
        snprintf(old, sizeof old, "%s", name);
        if (exists(rules, kind, old) && strcmp(old, "copy") != 0 &&
            strncmp(new, old, strlen(old)) != 0)
            fail_msg("%s '%s' is a name of today", kind, old);
        if (!strncmp(new, "removed: ", strlen("removed: "))) {
            if (!lift_rules_removed(old, &now) || lift_former_name(old, &now))
                fail_msg("%s '%s' is not said to be removed", kind, old);
        } else {
            if (!lift_former_name(old, &now))
                fail_msg("%s '%s' leads nowhere", kind, old);
            if (!all_exist(rules, kind, new))
                fail_msg("%s '%s' leads to no name of today", kind, old);
        }
        lift_str_fini(&now);
        count++;
    }
    fclose(in);
    assert_true(count > 500);
    free(path);
    lift_rules_destroy(rules);
}

static void recorded_rules_are_found(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    assert_ptr_equal(lift_rules_find_recorded(rules, "tile3"),
                     lift_rules_find(rules, "tile(3)"));
    assert_ptr_equal(lift_rules_find_recorded(rules, "ringCopy(async)"),
                     lift_rules_find(rules, "circularCopy(async)"));
    assert_null(lift_rules_find_recorded(rules, "ringCopy(bulk)"));
    assert_ptr_equal(lift_rules_find_recorded(rules, "tile(3)"),
                     lift_rules_find(rules, "tile(3)"));
    assert_ptr_equal(lift_rules_find_recorded(rules, "stream=columns"),
                     lift_rules_find(rules, "streaming=register_column"));
    assert_null(lift_rules_find_recorded(rules, "tile9"));
    assert_null(lift_rules_find_recorded(rules, "#"));
    assert_null(lift_rules_find_recorded(rules, "tile=mountains"));
    lift_rules_destroy(rules);
}

/* ---- unique names */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The words of a name in order, without plural and numbers. */
static void key_of(const char *name, char out[200])
{
    char copy[200], *words[20], *rest = NULL;
    int count = 0;

    snprintf(copy, sizeof copy, "%s", name);
    for (char *word = strtok_r(copy, "_", &rest); word;
         word = strtok_r(NULL, "_", &rest)) {
        size_t len = strlen(word);

        while (len > 0 && (isdigit((unsigned char)word[len - 1]) ||
                           (len > 1 && word[len - 1] == 's')))
            word[--len] = '\0';
        words[count++] = word;
    }
    qsort(words, (size_t)count, sizeof *words, by_text);
    *out = '\0';
    for (int i = 0; i < count; i++) {
        strcat(out, words[i]);
        strcat(out, " ");
    }
}

struct seen {
    char keys[600][200];
    const char *names[600];
    int count;
};

static void see(struct seen *s, const char *name)
{
    char *key = s->keys[s->count];

    assert_true(s->count < 600);
    for (const char *c = name; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
            fail_msg("'%s' is not snake_case", name);
    key_of(name, key);
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->keys[i], key) && strcmp(s->names[i], name) != 0)
            fail_msg("'%s' and '%s' differ by a number, a plural or the order of words",
                     s->names[i], name);
    s->names[s->count++] = name;
}

static bool shared_by_decisions(const char *option)
{
    return !strcmp(option, "none") || !strcmp(option, "default");
}

/* An option's name is of one decision; no two names differ by a plural, a number or the
 * order of their words. */
static void names_differ(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct seen *options = calloc(1, sizeof *options),
                *families = calloc(1, sizeof *families);

    (void)state;
    for (int i = 0; i < lift_decision_count(rules); i++) {
        const struct lift_decision *d = lift_decision_get(rules, i);

        see(options, d->name);
        for (int k = 0; k < d->option_count; k++) {
            const char *name = d->options[k]->name;

            for (int j = 0; j < i && !shared_by_decisions(name); j++)
                if (lift_option_find(lift_decision_get(rules, j), name))
                    fail_msg("'%s' is an option of '%s' and of '%s'", name, d->name,
                             lift_decision_get(rules, j)->name);
            see(options, name);
        }
    }
    for (int i = 0; i < lift_family_count(rules); i++)
        see(families, lift_family_get(rules, i)->name);
    free(options);
    free(families);
    lift_rules_destroy(rules);
}

/* ---- former names in commands and databases */

static void note(void *user, const char *name, const char *now)
{
    lift_str_addf(user, "%s: %s; ", name, now);
}

static const struct {
    const char *text, *point, *notes;
} points[] = {
    {"tile=guarded", "tiling=guarded", "tile=guarded: tiling=guarded; "},
    {"stages=stored,tile=waves", "intermediates=stored,temporal=wavefront",
     "stages=stored: intermediates=stored; tile=waves: temporal=wavefront; "},
    {"stageTiles,tile=guarded", "intermediates=stored,tiling=guarded,parallel=blocks",
     "stageTiles: overlapped; tile=guarded: tiling=guarded; "},
    {"copy=far,copy=ahead", "buffering=double",
     "copy=far: buffering=quadruple,copy=async; copy=ahead: buffering=double; "},
    {"copy=tma", "copy=tma", ""},
    {"layout=directOver",
     "stores=non_temporal,halo=allocated,update=in_place,pitch=aligned,"
     "plane_pitch=padded",
     "layout=directOver: halo=allocated,pitch=aligned,update=in_place,"
     "stores=non_temporal,plane_pitch=padded; "},
    {"layout=directOver,layout=over", "update=in_place",
     "layout=directOver: halo=allocated,pitch=aligned,update=in_place,"
     "stores=non_temporal,plane_pitch=padded; layout=over: update=in_place; "},
    {"tile=mine", "tiling=mine", "tile=mine: tiling=mine; "},
};

static void points_are_read(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};

    (void)state;
    assert_true(lift_rules_load(rules, "own.rules",
                                "option mine of tiling exact like tile(2) = tiling(2)\n",
                                &errors));
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct lift_configuration point = {{0}};
        struct lift_str why = {0}, text = {0}, notes = {0};

        if (!lift_configuration_read_noting(rules, points[i].text, &point, &why, note,
                                            &notes))
            fail_msg("%s: %s", points[i].text, lift_str_get(&why));
        lift_configuration_print(rules, &point, &text);
        assert_string_equal(lift_str_get(&text), points[i].point);
        assert_string_equal(lift_str_get(&notes), points[i].notes);
        lift_str_fini(&why);
        lift_str_fini(&text);
        lift_str_fini(&notes);
    }
    lift_rules_destroy(rules);
}

/* A file in former names equals the file in current names. */
static void files_are_read(void **state)
{
    static const char late[] =
        "decision late default soon\n"
        "option once of late excludes tile = none or chunks, layout = aligned\n"
        "option twice of late needs layout = aligned or alignedOver\n"
        "option thrice of late needs tile = chunks or stages\n"
        "family mine of localShift = copy boxes, layout aligned, sum early\n"
        "macro old exact like mapSeq = seq(highest(d in 1 .. 2, layer(d)), "
        "ranked(decided),\n"
        "  repeat(2, topdown(ringCopy(async))), besideAsked)\n";
    static const char want[] = "option once of late\n"
                               "  needs tiling = guarded or divisible or shifted or "
                               "remainder or slabs or pencils "
                               "or two_level or temporal = overlapped";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0};
    const struct lift_decision *d;
    const char *const *names;

    (void)state;
    assert_true(lift_rules_load(rules, "late.rules", late, &errors));
    d = lift_decision_find(rules, "late");
    lift_option_print(d->options[1], &text);
    if (strncmp(lift_str_get(&text), want, strlen(want)) != 0)
        fail_msg("%s", lift_str_get(&text));
    assert_non_null(
        strstr(lift_str_get(&text), ", halo = none or required or pitch = default\n"));
    lift_str_clear(&text);
    lift_option_print(d->options[2], &text);
    assert_string_equal(
        lift_str_get(&text),
        "option twice of late\n  needs halo = allocated, pitch = aligned\n");
    lift_str_clear(&text);
    lift_option_print(d->options[3], &text);
    assert_string_equal(lift_str_get(&text), "option thrice of late\n  needs tiling = "
                                             "slabs or temporal = overlapped\n");
    lift_str_clear(&text);
    lift_family_print(lift_family_find(rules, "mine"), &text);
    assert_string_equal(lift_str_get(&text),
                        "family mine of star_split_shift = buffering triple, copy tma, "
                        "halo allocated, pitch aligned, accumulation plane_first\n");
    assert_true(lift_rules_former(rules, &names) > 9);
    assert_string_equal(names[0], "tile");
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* A user's options of decisions that have become several. */
static void own_options_are_read(void **state)
{
    static const char own[] =
        "option mine of tile as guarded = at(point, tiling(2))\n"
        "option wide of layout as direct = alignRows\n"
        "decision late default soon\n"
        "option once of late needs tile = mine or stages, layout = wide\n";
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str text = {0};

    (void)state;
    if (!lift_rules_load(rules, "own.rules", own, &errors))
        fail_msg("%s", lift_str_get(&errors.text));
    assert_non_null(lift_rules_find(rules, "tiling=mine"));
    lift_option_print(lift_option_find(lift_decision_find(rules, "pitch"), "wide"),
                      &text);
    assert_non_null(
        strstr(lift_str_get(&text), "  needs simd = explicit or explicit_shuffle\n"));
    lift_str_clear(&text);
    lift_option_print(lift_decision_find(rules, "late")->options[1], &text);
    assert_string_equal(lift_str_get(&text),
                        "option once of late\n"
                        "  needs tiling = mine or temporal = overlapped, pitch = wide\n");
    lift_str_fini(&text);
    lift_rules_destroy(rules);
}

/* A set without the decision that replaced a former one rejects the former name. */
static void missing_decisions_are_rejected(void **state)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};

    (void)state;
    assert_false(lift_rules_load(
        rules, "own.rules", "option wide of layout exact like mapGlb(0) = mapGlb(0)\n",
        &errors));
    assert_non_null(strstr(lift_error_text(&errors), "no decision 'layout' before this"));
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_resolve),
        cmocka_unit_test(recorded_rules_are_found),
        cmocka_unit_test(names_differ),
        cmocka_unit_test(points_are_read),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(own_options_are_read),
        cmocka_unit_test(missing_decisions_are_rejected),
    };

    return cmocka_run_group_tests_name("former", tests, NULL, NULL);
}
