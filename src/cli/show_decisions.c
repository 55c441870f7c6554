/* Collects the results of options as JSON, and prints the JSON as tables. */
#include "cli/show_decisions.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/short.h"
#include <string.h>

/* Converts "copy=tma,tiling=guarded" to an object. */
static json_t *options_json(struct lift_arena *arena, const char *text)
{
    json_t *object = json_object();
    char *rest = NULL;

    for (char *pair = strtok_r(lift_arena_strdup(arena, text), ",", &rest); pair;
         pair = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(pair, '=');

        *equals = '\0';
        json_object_set_new(object, pair, json_string(equals + 1));
    }
    return object;
}

static json_t *subject_json(struct lift_arena *arena, const struct cli_subject_results *s)
{
    const struct lift_db_explored *e = &s->explored;
    char hex[LIFT_HASH_HEX];
    json_t *best = json_null();

    if (s->has_best)
        best = json_pack("{s:s, s:o}", "expr", lift_hash_hex(s->best_expr, hex),
                         "options", s->best ? options_json(arena, s->best) : json_null());
    return json_pack("{s:s, s:o, s:s, s:i, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o}",
                     "program", e->program, "sizes", json_loads(e->sizes, 0, NULL),
                     "dtype", e->dtype, "steps", e->steps, "device", e->device, "runtime",
                     e->runtime, "trials", (json_int_t)e->trials, "expressions",
                     (json_int_t)e->exprs, "verified", (json_int_t)e->verified,
                     "configurations", (json_int_t)s->points, "trials_of_configurations",
                     (json_int_t)s->trials, "best", best);
}

static const char *devices_of(const struct lift_option *option)
{
    return option->devices == LIFT_ON_GROUPS    ? "groups"
           : option->devices == LIFT_ON_THREADS ? "threads"
                                                : "all";
}

static json_t *option_json(const struct cli_option_results *o)
{
    return json_pack("{s:s, s:b, s:b, s:s?, s:I, s:I, s:I, s:o, s:i, s:i}", "option",
                     o->option, "default", o->known && o->known->index == 0, "built_in",
                     o->known != NULL, "devices", o->known ? devices_of(o->known) : NULL,
                     "expressions", (json_int_t)o->exprs, "trials", (json_int_t)o->trials,
                     "verified", (json_int_t)o->verified, "speed",
                     o->share > 0 ? json_real(o->share) : json_null(), "best", o->best,
                     "problems", o->subjects);
}

static json_t *decisions_json(const struct cli_decisions *d)
{
    json_t *list = json_array(), *options = NULL;

    for (int i = 0; i < d->option_count; i++) {
        const struct cli_option_results *o = &d->options[i];

        if (i == 0 || strcmp(o->decision, d->options[i - 1].decision) != 0) {
            options = json_array();
            json_array_append_new(list, json_pack("{s:s, s:o}", "decision", o->decision,
                                                  "options", options));
        }
        json_array_append_new(options, option_json(o));
    }
    return list;
}

/* Lists options that no best kernel has: either tried or untried options. */
static json_t *losers_json(const struct cli_decisions *d, bool tried)
{
    json_t *list = json_array();

    for (int i = 0; i < d->option_count; i++)
        if (!d->options[i].best && (d->options[i].exprs != 0) == tried)
            json_array_append_new(list, json_sprintf("%s=%s", d->options[i].decision,
                                                     d->options[i].option));
    return list;
}

static json_t *rules_json(const struct cli_decisions *d)
{
    json_t *unused = json_array(), *foreign = json_array();
    int rules = 0;

    for (int i = 0; i < lift_rules_count(d->rules); i++)
        rules += lift_rules_get(d->rules, i)->form != LIFT_RULE_MACRO;
    for (int i = 0; i < lift_rules_count(d->rules); i++)
        if (cli_decisions_unused(d, lift_rules_get(d->rules, i)))
            json_array_append_new(unused, json_string(lift_rules_get(d->rules, i)->name));
    for (int i = 0; i < d->foreign_count; i++)
        json_array_append_new(foreign, json_string(d->foreign[i]));
    return json_pack("{s:i, s:o, s:o}", "built_in", rules, "in_no_derivation", unused,
                     "not_built_in", foreign);
}

static json_t *all_json(const struct cli_decisions *d)
{
    json_t *subjects = json_array();

    for (int i = 0; i < d->subject_count; i++)
        json_array_append_new(subjects, subject_json(d->arena, &d->subjects[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "problems", subjects, "decisions",
                     decisions_json(d), "in_no_best_kernel", losers_json(d, true),
                     "never_tried", losers_json(d, false), "rules", rules_json(d));
}

/* ---- for people */

/* Prints a heading and a list of words with line breaks; nothing for an empty list. */
static void print_words(const char *heading, const json_t *words)
{
    enum { WIDTH = 100 };
    const json_t *word;
    int column = 0;
    size_t i;

    if (json_array_size(words) == 0)
        return;
    printf("\n%s:\n", heading);
    json_array_foreach(words, i, word)
    {
        const char *text = json_string_value(word);
        int length = (int)strlen(text);
        bool next = i > 0 && column + length + 2 > WIDTH;

        printf("%s%s%s", i ? "," : "", next ? "\n" : "", i == 0 || next ? "  " : " ");
        fputs(text, stdout);
        column = i == 0 || next ? 2 + length : column + length + 2;
    }
    putchar('\n');
}

static void print_best(const json_t *best)
{
    const json_t *options = json_object_get(best, "options"), *option;
    const char *decision, *before = "  ";

    if (!json_is_object(best)) {
        puts("  no verified kernel");
        return;
    }
    printf("  best: %.*s", LIFT_HASH_SHORT, cli_text(best, "expr"));
    json_object_foreach((json_t *)options, decision, option)
    {
        printf("%s%s=%s", before, decision, json_string_value(option));
        before = ",";
    }
    puts(!json_is_object(options)         ? "  its options are not stored"
         : json_object_size(options) == 0 ? "  all defaults"
                                          : "");
}

static void print_problem(const json_t *p)
{
    LIFT_FREED char *sizes = lift_json_print(json_object_get(p, "sizes"), JSON_COMPACT);

    cli_print_subject(&(struct cli_subject){
        cli_text(p, "program"), sizes ? sizes : "", cli_text(p, "dtype"),
        cli_text(p, "device"), cli_text(p, "runtime"), (int)cli_number(p, "steps")});
    printf(": %.0f trials of %.0f expressions; %.0f trials of %.0f configurations\n",
           cli_number(p, "trials"), cli_number(p, "expressions"),
           cli_number(p, "trials_of_configurations"), cli_number(p, "configurations"));
    print_best(json_object_get(p, "best"));
}

static void print_option(const char *decision, const json_t *o)
{
    const char *devices = cli_text(o, "devices");
    double speed = cli_number(o, "speed");

    printf("%-18s %-26s ", decision, cli_text(o, "option"));
    if (cli_number(o, "expressions") > 0)
        printf("%7.0f %7.0f %8.0f ", cli_number(o, "expressions"),
               cli_number(o, "trials"), cli_number(o, "verified"));
    else
        printf("%7s %7s %8s ", "-", "-", "-");
    if (speed > 0)
        printf("%6.3f ", speed);
    else
        printf("%6s ", "-");
    if (cli_number(o, "expressions") > 0)
        printf("%6.0f", cli_number(o, "best"));
    else
        printf("%6s", "-");
    puts(!*devices                                     ? "  not built in"
         : json_is_true(json_object_get(o, "default")) ? "  default"
         : !strcmp(devices, "groups")                  ? "  groups only"
         : !strcmp(devices, "threads")                 ? "  threads only"
                                                       : "");
}

static void print_all(const json_t *all)
{
    const json_t *problems = json_object_get(all, "problems"),
                 *rules = json_object_get(all, "rules"),
                 *unused = json_object_get(rules, "in_no_derivation"), *decision, *o, *p;
    double points = 0, built_in = cli_number(rules, "built_in");
    int known = 0; /* best kernels with stored options */
    size_t i, k;

    json_array_foreach(problems, i, p)
    {
        print_problem(p);
        points += cli_number(p, "configurations");
        known += json_is_object(json_object_get(json_object_get(p, "best"), "options"));
    }
    if (!(points > 0))
        puts("no options are stored of these expressions: they are no configurations, or "
             "were explored\nby a program that did not store them");
    printf("\n%-18s %-26s %7s %7s %8s %6s %6s\n", "decision", "option", "exprs", "trials",
           "verified", "speed", "best");
    json_array_foreach(json_object_get(all, "decisions"), i, decision)
        json_array_foreach(json_object_get(decision, "options"), k, o)
            print_option(k ? "" : cli_text(decision, "decision"), o);
    printf("\nspeed: of the fastest verified kernel with the option, where the best "
           "kernel of its problem\nand device is 1. best: how many of %d best kernels "
           "have the option.\n",
           known);
    print_words("tried, and in no best kernel",
                json_object_get(all, "in_no_best_kernel"));
    print_words("never tried", json_object_get(all, "never_tried"));
    print_words("rules that are in no derivation of the database", unused);
    print_words("rules of derivations that are not built in",
                json_object_get(rules, "not_built_in"));
    printf("\n%.0f of %.0f rules that are built in are in derivations\n",
           built_in - (double)json_array_size(unused), built_in);
}

int cli_show_decisions(struct lift_db *db, const struct report_wanted *wanted, bool json)
{
    struct cli_decisions d;
    int status = CLI_DONE;

    if (!cli_decisions_load(&d, db, wanted)) {
        status = cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    } else if (!d.subject_count) {
        status = cli_nothing(db, "trials", REPORT_ROWS_EXPLORED, wanted);
    } else if (json) {
        cli_print_json(all_json(&d));
    } else {
        json_auto_t *all = all_json(&d);

        print_all(all);
    }
    cli_decisions_fini(&d);
    return status;
}
