/* Reads decisions and options from text. */
#include "base/bug.h"
#include "rules/read/read_file.h"
#include "rules/strategy/strategy.h"
#include <string.h>

/* ---- lookup in the set and in this file */

struct lift_decision *read_find_decision(const struct file_reader *f, const char *name)
{
    for (int i = 0; i < f->decision_count; i++)
        if (strcmp(f->decisions[i]->name, name) == 0)
            return f->decisions[i];
    return (struct lift_decision *)lift_decision_find(f->rules, name);
}

struct lift_option *read_find_option(const struct file_reader *f,
                                     const struct lift_decision *decision,
                                     const char *name)
{
    for (int i = 0; i < f->option_count; i++)
        if (f->options[i]->decision == decision && strcmp(f->options[i]->name, name) == 0)
            return f->options[i];
    return (struct lift_option *)lift_option_find(decision, name);
}

static int count_options(const struct file_reader *f,
                         const struct lift_decision *decision)
{
    int count = decision->option_count;

    for (int i = 0; i < f->option_count; i++)
        count += f->options[i]->decision == decision && f->options[i]->index > 0;
    return count;
}

__attribute__((noreturn)) void read_no_decision(struct piece *x, const char *name,
                                                struct lift_span span)
{
    struct lift_guess guess = {.word = name};

    for (int i = 0; i < x->file->decision_count; i++)
        lift_guess_add(&guess, x->file->decisions[i]->name);
    for (int i = 0; i < lift_decision_count(x->file->rules); i++)
        lift_guess_add(&guess, lift_decision_get(x->file->rules, i)->name);
    syntax_error(x->p, span, "no decision '%s' before this%s", name,
                 lift_guess_text(&guess, x->file->arena));
}

/* Reads the name of a decision. For a former name, returns the first decision that
 * replaced the former decision. */
static struct lift_decision *read_decision_for_own(struct piece *x, const char **said)
{
    *said = read_decision_name(x);
    return read_find_decision_now(x, *said);
}

/* ---- decisions: decision NAME default OPTION [after NAME] clauses */

/* Reads a text. Several options have one common text, or a text for each option. */
static void read_text(struct piece *x, const char **out, bool *own)
{
    struct lift_span span = syntax_peek(x->p)->span;
    int count = 0;

    do {
        const char *text = read_string(x);

        if (count == 0 || count == x->which)
            *out = text;
        count++;
    } while (x->several > 1 && syntax_accept(x->p, TOKEN_COMMA));
    *own = count > 1;
    if (count > 1 && count != x->several)
        syntax_error(x->p, span, "%d texts, but these are %d", count, x->several);
}

void read_texts(struct piece *x, const char **doc, const char **source)
{
    bool own;

    for (;;)
        if (syntax_accept_word(x->p, "doc"))
            read_text(x, doc, &x->own_doc);
        else if (syntax_accept_word(x->p, "source"))
            read_text(x, source, &own);
        else
            return;
}

/* Reads an optional "explore WORD". */
static void read_word(struct piece *x, const char *word, bool *out)
{
    if (!syntax_accept_word(x->p, "explore"))
        return;
    *out = syntax_accept_word(x->p, word);
    if (!*out)
        syntax_expected(x->p, lift_arena_printf(x->file->arena, "'%s'", word));
}

static struct lift_option *new_option(struct file_reader *f, const char *name,
                                      const struct lift_decision *decision)
{
    struct lift_option *o = LIFT_NEW(f->arena, struct lift_option);

    *o = (struct lift_option){.name = name,
                              .doc = "",
                              .source = "",
                              .decision = decision,
                              .devices = LIFT_ON_ALL};
    return o;
}

static const char *expect_new_name(struct piece *x, const char *what)
{
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, what, &span);

    if (x->file->decision_count + lift_decision_count(x->file->rules) ==
        LIFT_MAX_DECISIONS)
        syntax_error(x->p, span, "more than %d decisions", LIFT_MAX_DECISIONS);
    if (read_find_decision(x->file, name))
        syntax_error(x->p, span, "the decision '%s' exists already", name);
    return name;
}

static const char *expect_default(struct piece *x)
{
    struct lift_span span;

    if (!syntax_accept_word(x->p, "default"))
        syntax_expected(x->p, "'default' and the option that is taken without a choice");
    return syntax_expect_name(x->p, "an option", &span);
}

/* Reads an optional "on program". */
static void read_scope(struct piece *x, bool *program)
{
    *program = syntax_accept_word(x->p, "on");
    if (*program && !syntax_accept_word(x->p, "program"))
        syntax_expected(x->p, "'program'");
}

void read_decision(struct piece *x)
{
    struct file_reader *f = x->file;
    const char *name = expect_new_name(x, "the name of the decision");
    const char *first = expect_default(x), *said;
    const struct lift_decision *after =
        syntax_accept_word(x->p, "after") ? read_decision_for_own(x, &said) : NULL;
    struct lift_decision *d = LIFT_NEW(f->arena, struct lift_decision);

    *d = (struct lift_decision){.name = name,
                                .doc = "",
                                .source = "",
                                .group = f->group,
                                .rules = f->rules,
                                .option_count = 1};
    d->options[0] = new_option(f, first, d);
    f->after[f->decision_count] = after;
    f->decisions[f->decision_count++] = d;
    read_texts(x, &d->doc, &d->source);
    read_scope(x, &d->program);
    read_word(x, "all", &d->all);
}

/* ---- options: option NAMES of DECISION [as OPTION] [for NAME in VALUES]
 *      [class like RULE = strategy] clauses */

static void read_device_word(struct piece *x, struct lift_option *o)
{
    for (unsigned bit = 1; lift_option_device_name(bit); bit <<= 1)
        if (syntax_accept_word(x->p, lift_option_device_name(bit))) {
            if (bit & LIFT_ON_ALL)
                o->devices = bit;
            else
                o->features |= bit;
            return;
        }
    syntax_expected(x->p, "'threads', 'groups', 'asyncCopies' or 'bulkCopies'");
}

/* Reads "later", or "with" and needs. Explorations may begin with configurations that
 * meet the needs. */
static void read_start(struct piece *x, struct lift_option *o)
{
    o->later = syntax_accept_word(x->p, "later");
    if (o->later)
        return;
    if (!syntax_accept_word(x->p, "with"))
        syntax_expected(x->p, "'later' or 'with'");
    read_needs(x, o->starts, &o->start_count);
}

static void read_clauses(struct piece *x, struct lift_option *o)
{
    for (;;)
        if (syntax_at_word(x->p, "doc") || syntax_at_word(x->p, "source"))
            read_texts(x, &o->doc, &o->source);
        else if (syntax_accept_word(x->p, "needs"))
            read_needs(x, o->needs, &o->need_count);
        else if (syntax_accept_word(x->p, "excludes"))
            read_excludes(x, o->needs, &o->need_count);
        else if (syntax_accept_word(x->p, "device"))
            do
                read_device_word(x, o);
            while (syntax_accept(x->p, TOKEN_COMMA));
        else if (syntax_at_word(x->p, "on"))
            read_scope(x, &o->program);
        else if (syntax_accept_word(x->p, "explore"))
            read_start(x, o);
        else
            return;
}

/* Reads an optional "as OPTION". The new option takes the needs of another option of its
 * decision, and, as defaults, its class and redexes. */
static void read_model(struct piece *x, struct lift_option *o, const char *decision)
{
    const struct lift_option *models[READ_FORMER];
    int count;

    if (!syntax_accept_word(x->p, "as"))
        return;
    count = read_option_of(x, decision, models);
    for (int i = 0; i < count; i++) {
        const struct lift_option *model = models[i];

        read_add_needs(x, model->needs, model->need_count, o->needs, &o->need_count);
        o->devices &= model->devices;
        o->features |= model->features;
        o->program |= model->program;
        if (model->rule) {
            x->rule->soundness = model->rule->soundness;
            x->rule->margin = model->rule->margin;
            x->def->like = model->rule->def->like;
        }
    }
}

/* Reads the names of all options, and returns the name of the current option. */
static const char *read_option_names(struct piece *x, struct lift_span *span)
{
    const char *name = NULL;

    x->several = 0;
    do {
        struct lift_span at;
        const char *next = syntax_expect_name(x->p, "the name of the option", &at);

        if (x->several++ == x->which) {
            name = next;
            *span = at;
        }
    } while (syntax_accept(x->p, TOKEN_COMMA));
    return name;
}

void read_differences(struct piece *x)
{
    struct syntax_value values[MOST_PARAMS];
    int count;

    if (!syntax_accept_word(x->p, "for"))
        syntax_expected(x->p, "'for' and what these differ in");
    count = read_chosen_values(x->p, x->several, x->which, values);
    x->p = syntax_with(x->p, values, count);
}

/* Reads the name of a new option, or of the default, which then gets a strategy. */
static struct lift_option *read_option_head(struct piece *x, const char **decision)
{
    struct lift_span span;
    const char *name = read_option_names(x, &span);
    const struct lift_decision *d;
    struct lift_option *known;

    if (!syntax_accept_word(x->p, "of"))
        syntax_expected(x->p, "'of' and a decision");
    d = read_decision_for_own(x, decision);
    known = read_find_option(x->file, d, name);
    if (known && known == d->options[0] && d->option_count == 1 && !known->rule)
        return known;
    if (known)
        syntax_error(x->p, span, "the option '%s' of '%s' exists already", name, d->name);
    known = new_option(x->file, name, d);
    known->index = count_options(x->file, d);
    if (known->index >= LIFT_MAX_OPTIONS)
        syntax_error(x->p, span, "more than %d options of '%s'", LIFT_MAX_OPTIONS,
                     d->name);
    return known;
}

static bool says_class(const struct piece *x)
{
    return syntax_at_word(x->p, "exact") || syntax_at_word(x->p, "reassociates") ||
           syntax_at_word(x->p, "interior");
}

/* True if a strategy follows. The model may give the class and redexes of the strategy.
 */
static bool has_strategy(const struct piece *x)
{
    return says_class(x) || (x->def->like && (syntax_at_word(x->p, "like") ||
                                              syntax_peek(x->p)->kind == TOKEN_ASSIGN));
}

/* Reads the strategy of an option. If the strategy names only one rule or macro, the doc
 * and source of this rule are the defaults. */
static void read_strategy_of(struct piece *x, struct lift_option *o)
{
    const struct lift_rule *only;

    x->rule->name = x->rule->base =
        lift_arena_printf(x->file->arena, "%s=%s", o->decision->name, o->name);
    x->rule->option = o;
    if (!x->def->like || says_class(x))
        read_class(x);
    read_strategy(x);
    read_clauses(x, o);
    only = strategy_only_rule(x->def->strategy);
    o->doc = *o->doc || !only ? o->doc : only->doc;
    o->source = *o->source || !only ? o->source : only->source;
    x->rule->doc = o->doc;
    x->rule->source = o->source;
    o->rule = x->rule;
    read_add_rule(x->file, x->rule);
}

void read_option(struct piece *x)
{
    struct file_reader *f = x->file;
    const char *decision;
    struct lift_option *o = read_option_head(x, &decision);

    read_model(x, o, decision);
    if (x->several > 1)
        read_differences(x);
    if (has_strategy(x))
        read_strategy_of(x, o);
    else
        read_clauses(x, o);
    if (o->index == 0)
        return;
    LIFT_ARENA_ROOM(f->arena, f->options, f->option_count, f->option_cap);
    f->options[f->option_count++] = o;
}

/* ---- joining the set */

static void insert(struct lift_rules *rules, struct lift_decision *d,
                   const struct lift_decision *after)
{
    int at = after ? after->index + 1 : rules->decision_count;

    for (int i = rules->decision_count++; i > at; i--)
        rules->decisions[i] = rules->decisions[i - 1];
    rules->decisions[at] = d;
    for (int i = at; i < rules->decision_count; i++)
        rules->decisions[i]->index = i;
}

void read_commit(struct file_reader *f)
{
    struct lift_rules *rules = f->rules;

    for (int i = 0; i < f->decision_count; i++)
        insert(rules, f->decisions[i], f->after[i]);
    for (int i = 0; i < f->option_count; i++) {
        struct lift_decision *d = (struct lift_decision *)f->options[i]->decision;

        LIFT_ASSERT(f->options[i]->index == d->option_count);
        d->options[d->option_count++] = f->options[i];
    }
    for (int i = 0; i < f->family_count; i++) {
        LIFT_ARENA_ROOM(f->arena, rules->families, rules->family_count,
                        rules->family_cap);
        rules->families[rules->family_count++] = f->families[i];
    }
}
