/* The options of decisions, as tables or as JSON. */
#include "cli/show_decisions.h"
#include "base/hash.h"
#include "report/short.h"
#include <string.h>

enum { WIDTH = 100 };

/* A heading, and words between commas in lines that are not too long; nothing if there
 * are none. */
struct words {
    const char *heading;
    int count, column;
};

static void say_word(struct words *w, const char *word)
{
    int length = (int)strlen(word);

    if (w->count++ == 0)
        printf("\n%s:\n ", w->heading);
    else
        putchar(',');
    if (w->count == 1 || w->column + length + 2 > WIDTH) {
        printf("%s %s", w->count == 1 ? "" : "\n ", word);
        w->column = 2 + length;
        return;
    }
    printf(" %s", word);
    w->column += length + 2;
}

static void end_words(const struct words *w)
{
    if (w->count)
        putchar('\n');
}

/* ---- options by what became of them */

enum fate { WON, TRIED, NEVER };

static enum fate fate_of(const struct cli_option_points *o)
{
    return o->best ? WON : o->exprs ? TRIED : NEVER;
}

static void say_fate(const struct cli_decisions *d, enum fate fate, const char *heading)
{
    struct words words = {.heading = heading};
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; i < d->option_count; i++) {
        if (fate_of(&d->options[i]) != fate)
            continue;
        lift_str_clear(&text);
        lift_str_addf(&text, "%s=%s", d->options[i].decision, d->options[i].option);
        say_word(&words, lift_str_get(&text));
    }
    end_words(&words);
}

/* ---- tables */

static void print_subject(const struct cli_subject_points *s)
{
    const struct lift_db_explored *e = &s->explored;
    char hex[LIFT_HASH_HEX];

    cli_print_subject(&(struct cli_subject){e->program, e->sizes, e->dtype, e->device,
                                            e->runtime, e->steps});
    printf(": %lld tries of %lld expressions; %lld tries of %lld points\n",
           (long long)e->tries, (long long)e->exprs, (long long)s->tries,
           (long long)s->points);
    if (!s->has_best)
        puts("  no verified kernel");
    else
        printf("  best: %.*s  %s\n", LIFT_HASH_SHORT, lift_hash_hex(s->best_expr, hex),
               !s->best   ? "its options are not stored"
               : *s->best ? s->best
                          : "all defaults");
}

static const char *remark(const struct cli_option_points *o)
{
    if (!o->known)
        return "not built in";
    if (o->known->index == 0)
        return "default";
    return o->known->devices == LIFT_ON_GROUPS    ? "groups only"
           : o->known->devices == LIFT_ON_THREADS ? "threads only"
                                                  : "";
}

static void print_remark(const struct cli_option_points *o)
{
    printf("%s%s\n", *remark(o) ? "  " : "", remark(o));
}

static void print_option(const struct cli_option_points *o, bool first)
{
    printf("%-10s %-16s ", first ? o->decision : "", o->option);
    if (!o->exprs) {
        printf("%7s %7s %8s %6s %6s", "-", "-", "-", "-", "-");
        print_remark(o);
        return;
    }
    printf("%7lld %7lld %8lld ", (long long)o->exprs, (long long)o->tries,
           (long long)o->verified);
    if (o->share > 0)
        printf("%6.3f ", o->share);
    else
        printf("%6s ", "-");
    printf("%6d", o->best);
    print_remark(o);
}

static bool has_points(const struct cli_decisions *d)
{
    for (int i = 0; i < d->subject_count; i++)
        if (d->subjects[i].points)
            return true;
    return false;
}

/* Best kernels whose options are stored. */
static int count_known(const struct cli_decisions *d)
{
    int count = 0;

    for (int i = 0; i < d->subject_count; i++)
        count += d->subjects[i].best != NULL;
    return count;
}

static void print_options(const struct cli_decisions *d)
{
    printf("\n%-10s %-16s %7s %7s %8s %6s %6s\n", "decision", "option", "exprs", "tries",
           "verified", "speed", "best");
    for (int i = 0; i < d->option_count; i++)
        print_option(&d->options[i], i == 0 || strcmp(d->options[i].decision,
                                                      d->options[i - 1].decision) != 0);
    printf("\nspeed: of the fastest verified kernel with the option, where the best "
           "kernel of its problem\nand device is 1. best: how many of %d best kernels "
           "have the option.\n",
           count_known(d));
}

static void print_rules(const struct cli_decisions *d)
{
    struct words unused = {.heading = "rules that are in no derivation of the database"};
    struct words foreign = {.heading = "rules of derivations that are not built in"};
    int rules = 0;

    for (int i = 0; i < lift_rules_count(d->rules); i++) {
        const struct lift_rule *rule = lift_rules_get(d->rules, i);

        rules += rule->form != LIFT_RULE_MACRO;
        if (cli_decisions_unused(d, rule))
            say_word(&unused, rule->name);
    }
    end_words(&unused);
    for (int i = 0; i < d->foreign_count; i++)
        say_word(&foreign, d->foreign[i]);
    end_words(&foreign);
    printf("\n%d of %d rules that are built in are in derivations\n",
           rules - unused.count, rules);
}

static void print_all(const struct cli_decisions *d)
{
    for (int i = 0; i < d->subject_count; i++)
        print_subject(&d->subjects[i]);
    if (!has_points(d))
        puts("no options are stored of these expressions: they are no points, or were "
             "explored\nby a program that did not store them");
    print_options(d);
    say_fate(d, TRIED, "tried, and in no best kernel");
    say_fate(d, NEVER, "never tried");
    print_rules(d);
}

/* ---- JSON */

/* An object of "copy=bulk,tile=guarded". */
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

static json_t *subject_json(struct lift_arena *arena, const struct cli_subject_points *s)
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
                     e->runtime, "tries", (json_int_t)e->tries, "expressions",
                     (json_int_t)e->exprs, "verified", (json_int_t)e->verified, "points",
                     (json_int_t)s->points, "tries_of_points", (json_int_t)s->tries,
                     "best", best);
}

static json_t *option_json(const struct cli_option_points *o)
{
    return json_pack("{s:s, s:b, s:b, s:I, s:I, s:I, s:o, s:i, s:i}", "option", o->option,
                     "default", o->known && o->known->index == 0, "built_in",
                     o->known != NULL, "expressions", (json_int_t)o->exprs, "tries",
                     (json_int_t)o->tries, "verified", (json_int_t)o->verified, "speed",
                     o->share > 0 ? json_real(o->share) : json_null(), "best", o->best,
                     "problems", o->subjects);
}

static json_t *decisions_json(const struct cli_decisions *d)
{
    json_t *list = json_array(), *options = NULL;

    for (int i = 0; i < d->option_count; i++) {
        const struct cli_option_points *o = &d->options[i];

        if (i == 0 || strcmp(o->decision, d->options[i - 1].decision) != 0) {
            options = json_array();
            json_array_append_new(list, json_pack("{s:s, s:o}", "decision", o->decision,
                                                  "options", options));
        }
        json_array_append_new(options, option_json(o));
    }
    return list;
}

static json_t *fate_json(const struct cli_decisions *d, enum fate fate)
{
    json_t *list = json_array();

    for (int i = 0; i < d->option_count; i++)
        if (fate_of(&d->options[i]) == fate)
            json_array_append_new(list, json_sprintf("%s=%s", d->options[i].decision,
                                                     d->options[i].option));
    return list;
}

static json_t *rules_json(const struct cli_decisions *d)
{
    json_t *unused = json_array(), *foreign = json_array();

    for (int i = 0; i < lift_rules_count(d->rules); i++)
        if (cli_decisions_unused(d, lift_rules_get(d->rules, i)))
            json_array_append_new(unused, json_string(lift_rules_get(d->rules, i)->name));
    for (int i = 0; i < d->foreign_count; i++)
        json_array_append_new(foreign, json_string(d->foreign[i]));
    return json_pack("{s:o, s:o}", "in_no_derivation", unused, "not_built_in", foreign);
}

static void print_json(const struct cli_decisions *d)
{
    json_t *subjects = json_array();

    for (int i = 0; i < d->subject_count; i++)
        json_array_append_new(subjects, subject_json(d->arena, &d->subjects[i]));
    cli_print_json(json_pack("{s:o, s:o, s:o, s:o, s:o}", "problems", subjects,
                             "decisions", decisions_json(d), "in_no_best_kernel",
                             fate_json(d, TRIED), "never_tried", fate_json(d, NEVER),
                             "rules", rules_json(d)));
}

int cli_show_decisions(struct lift_db *db, const struct report_wanted *wanted, bool json)
{
    struct cli_decisions d;
    int status = CLI_DONE;

    if (!cli_decisions_load(&d, db, wanted))
        status = cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    else if (!d.subject_count)
        status = cli_nothing(db, "tries", REPORT_ROWS_EXPLORED, wanted);
    else if (json)
        print_json(&d);
    else
        print_all(&d);
    cli_decisions_fini(&d);
    return status;
}
