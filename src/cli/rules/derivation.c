#include "cli/rules/derivation.h"
#include "base/locale.h"
#include "ir/constraint.h"
#include "report/fold.h"
#include <string.h>

enum { MAX_PLACES = 12 }; /* places listed in a message */

/* ---- requests */

/* A strategy built from the user's text. Each part of the user's text is at 'own' in
 * the strategy and at 'user' in the original. */
struct wrapped {
    struct lift_str name, text;
    struct part {
        size_t own, user, len;
    } parts[2];
    int count;
};

static void add_part(struct wrapped *w, const char *what, size_t user, size_t len)
{
    w->parts[w->count++] = (struct part){w->text.len, user, len};
    lift_str_addn(&w->text, what + user, len);
}

/* Converts "NAME@PLACE" to 'at(PLACE, NAME)', and "NAME" or "NAME(3)" to
 * 'topdown(NAME)'. A strategy stays unchanged. Paths get quotes. */
static void to_strategy(const struct lift_rules *rules, const char *what,
                        struct wrapped *out)
{
    const char *place = strrchr(what, '@');
    bool path = place && (place[1] == '.' || lift_is_digit(place[1]));
    size_t len = strlen(what), name = place ? (size_t)(place - what) : len;

    if (!place && strchr(what, '(') && !lift_rules_find_recorded(rules, what)) {
        add_part(out, what, 0, len);
        return;
    }
    lift_str_addn(&out->name, what, name);
    lift_str_add(&out->text, !place ? "topdown(" : path ? "at(\"" : "at(");
    if (place) {
        add_part(out, what, name + 1, len - name - 1);
        lift_str_add(&out->text, path ? "\", " : ", ");
    }
    add_part(out, what, 0, name);
    lift_str_addc(&out->text, ')');
}

static size_t to_user(const struct wrapped *w, size_t own, size_t end)
{
    for (int i = 0; i < w->count; i++)
        if (own + 1 >= w->parts[i].own && own <= w->parts[i].own + w->parts[i].len)
            return own < w->parts[i].own ? w->parts[i].user
                                         : own - w->parts[i].own + w->parts[i].user;
    return end;
}

/* Moves the places of messages to the user's text. */
static void point_at_user(const struct wrapped *w, const struct lift_source *user,
                          struct lift_error *errors)
{
    for (struct lift_error *e = lift_error_at(errors, 0); e; e = e->next) {
        size_t begin = to_user(w, e->span.begin, user->len);
        size_t end = begin + e->span.end - e->span.begin;

        lift_error_place(e, user, (struct lift_span){begin, end});
    }
}

/* ---- why a step fails */

struct places {
    struct lift_str text;
    int count;
};

static bool note_place(void *user, const struct lift_rewrite *r)
{
    struct places *p = user;

    if (r->choice > 0)
        return true;
    if (p->count++ == MAX_PLACES) {
        lift_str_add(&p->text, ", ...");
        return false;
    }
    lift_str_add(&p->text, p->count > 1 ? ", " : "");
    lift_path_print(&r->at, &p->text);
    return true;
}

static void explain(const struct cli_derivation *d, const char *what, const char *name,
                    struct lift_str *why)
{
    const struct lift_rule *rule = lift_rules_find(d->rules, name);
    const char *place = strrchr(what, '@');
    struct places places = {.count = 0};

    if (rule)
        lift_rewrite_each(d->ir, &rule, 1, d->term, note_place, &places);
    if (places.count)
        lift_str_addf(why, "'%s' does not apply at %s; it does at %s", name,
                      place ? place + 1 : "any place", lift_str_get(&places.text));
    else
        lift_str_addf(why, "'%s' applies nowhere in '%s' after %d steps",
                      rule ? name : what, d->program->name, d->steps);
    lift_str_fini(&places.text);
}

/* ---- results */

static void print_term(const struct cli_derivation *d, lift_expr term, lift_expr before)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_add(&text, "    ");
    lift_expr_print_indented(report_fold_known(d->ir, term, before), 4, &text);
    puts(lift_str_get(&text));
}

/* Prints ", in outer, in inner": the macros that contain step 'i'. */
static void print_macros(const struct lift_steps *steps, int i)
{
    for (int k = 0; k < steps->macro_count; k++) {
        const struct lift_macro_use *use = &steps->macros[k];

        if (i >= use->first && i < use->first + use->count)
            printf(", in %s", use->macro->name);
    }
}

static void print_head(int number, const char *rule, const struct lift_path *at)
{
    LIFT_SCOPED(lift_str) path = {0};

    lift_path_print(at, &path);
    printf("%d. %s at %s", number, rule, lift_str_get(&path));
}

static void print_steps(const struct cli_derivation *d, const struct lift_steps *steps)
{
    lift_expr term = d->term;

    for (int i = 0; i < steps->count; i++) {
        const struct lift_step *step = &steps->items[i];
        lift_expr to = lift_path_replace(d->ir, term, &step->at, step->to);

        print_head(d->steps + i + 1, step->rule->name, &step->at);
        print_macros(steps, i);
        putchar('\n');
        print_term(d, to, term);
        term = to;
    }
}

/* Prints a result: a macro by its name, a rule by its place. */
static void print_result(const struct cli_derivation *d, const char *what, lift_expr to,
                         const struct lift_steps *steps)
{
    const struct lift_macro_use *macro = steps->macro_count ? &steps->macros[0] : NULL;

    if (macro && macro->count == steps->count && macro->depth == 0)
        print_head(d->steps + 1, macro->macro->name, &macro->at);
    else if (steps->count == 1)
        print_head(d->steps + 1, steps->items[0].rule->name, &steps->items[0].at);
    else
        printf("%d. %s", d->steps + 1, what);
    if (steps->count != 1)
        printf(": %d steps", steps->count);
    putchar('\n');
    print_term(d, to, d->term);
}

static void add_conditions(struct cli_derivation *d, const struct lift_steps *steps)
{
    int count = d->condition_count + steps->condition_count;
    struct lift_side_condition *all =
        LIFT_NEW_ARRAY(lift_ir_arena(d->ir), struct lift_side_condition, count + 1);

    for (int i = 0; i < count; i++)
        all[i] = i < d->condition_count ? d->conditions[i]
                                        : steps->conditions[i - d->condition_count];
    d->conditions = all;
    d->condition_count = count;
}

/* Warns of rules that change rounding, or more, in an exact program. */
static void warn_of_contract(const struct cli_derivation *d,
                             const struct lift_steps *steps)
{
    for (int i = 0; i < steps->count && d->program->exact; i++)
        if (steps->items[i].rule->soundness != LIFT_RULE_EXACT)
            cli_fail(CLI_DONE, "'%s' may change values, but '%s' is exact",
                     steps->items[i].rule->name, d->program->name);
}

bool cli_derivation_run(struct cli_derivation *d, lift_strategy s, const char *what)
{
    LIFT_SCOPED(lift_steps) steps = {.program = d->program};
    lift_expr to = lift_strategy_run(d->ir, s, d->term, &steps);

    if (to && !d->quiet && d->all_steps)
        print_steps(d, &steps);
    else if (to && !d->quiet && steps.count > 0)
        print_result(d, what, to, &steps);
    if (to) {
        warn_of_contract(d, &steps);
        add_conditions(d, &steps);
        d->steps += steps.count;
        d->term = to;
    }
    return to != NULL;
}

/* Rejects text with empty parts, whose errors would otherwise be about the strategy
 * that the user did not write. */
static bool has_parts(const struct lift_source *user, struct lift_error *errors)
{
    const char *at = strrchr(user->text, '@');
    size_t place = at ? (size_t)(at - user->text) + 1 : 0;

    if (user->len == 0 || place == 1)
        lift_fail_at(errors, user, (struct lift_span){0, 0},
                     "expected a rule, a macro or a strategy");
    else if (at && !at[1])
        lift_fail_at(errors, user, (struct lift_span){place, place},
                     "expected a place: a path, or loop, border, copy, interior or a "
                     "primitive");
    return lift_error_count(errors) == 0;
}

int cli_derivation_apply(struct cli_derivation *d, const char *what, struct lift_str *why)
{
    struct wrapped w = {.count = 0};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source user = {"--apply", what, strlen(what)}, source;
    lift_strategy s = NULL;
    int status = CLI_DONE;

    to_strategy(d->rules, what, &w);
    source = (struct lift_source){"--apply", lift_str_get(&w.text), w.text.len};
    if (has_parts(&user, &errors)) {
        s = lift_strategy_read(lift_ir_arena(d->ir), d->rules, &source, &errors);
        cli_note_former_rules(d->rules);
        point_at_user(&w, &user, &errors);
    }
    if (!s) {
        status = cli_malformed(&errors);
    } else if (!cli_derivation_run(d, s, what)) {
        explain(d, what, lift_str_get(&w.name), why);
        status = CLI_FAILED;
    }
    lift_str_fini(&w.name);
    lift_str_fini(&w.text);
    return status;
}
