/* Reads families: family NAME [of NAME] = DECISION OPTION, ... texts. A declaration may
 * have several names, and a base for each name. All families get equal changes, or
 * changes that vary by 'for'. */
#include "base/bug.h"
#include "rules/read/read_file.h"
#include <string.h>

enum { MOST_AT_ONCE = 16 };

static const struct lift_family *find_family(const struct file_reader *f,
                                             const char *name)
{
    for (int i = 0; i < f->family_count; i++)
        if (strcmp(f->families[i]->name, name) == 0)
            return f->families[i];
    return lift_family_find(f->rules, name);
}

/* The families named before '='. */
struct heads {
    struct lift_family *items[MOST_AT_ONCE];
    int count;
};

static void read_names(struct piece *x, struct heads *all)
{
    do {
        struct lift_family *family = LIFT_NEW(x->file->arena, struct lift_family);
        struct lift_span span;

        if (all->count == MOST_AT_ONCE)
            syntax_error(x->p, syntax_peek(x->p)->span,
                         "more than %d families in one declaration", MOST_AT_ONCE);
        *family = (struct lift_family){.doc = "", .source = "", .group = x->file->group};
        family->name = syntax_expect_name(x->p, "the name of the family", &span);
        if (find_family(x->file, family->name))
            syntax_error(x->p, span, "the family '%s' exists already", family->name);
        all->items[all->count++] = family;
    } while (syntax_accept(x->p, TOKEN_COMMA));
}

static void take_base(struct lift_family *family, const struct lift_family *base)
{
    family->base = base;
    family->option_count = base->option_count;
    memcpy(family->options, base->options, sizeof family->options);
}

static void read_base(struct piece *x, struct lift_family *family)
{
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "a family", &span);
    const struct lift_family *base = find_family(x->file, name);
    const char *now = base ? NULL : read_former(x, RULE_NAME_FAMILY, name);

    if (now)
        base = find_family(x->file, now);
    if (!base)
        syntax_error(x->p, span, "no family '%s' before this", name);
    take_base(family, base);
}

/* Reads an optional "of NAME, NAME": a base for each family, or one base for all. Sets
 * '*same' if several families have one base or no base. A base must be declared earlier,
 * so bases have no cycles. */
static void read_bases(struct piece *x, const struct heads *all, bool *same)
{
    *same = all->count > 1 && !syntax_at_word(x->p, "of");
    if (!syntax_accept_word(x->p, "of"))
        return;
    read_base(x, all->items[0]);
    *same = all->count > 1 && syntax_peek(x->p)->kind != TOKEN_COMMA;
    for (int i = 1; i < all->count; i++) {
        if (*same) {
            take_base(all->items[i], all->items[0]->base);
            continue;
        }
        syntax_expect(x->p, TOKEN_COMMA, "',' and a family for each name");
        read_base(x, all->items[i]);
    }
}

/* Returns the index of the option of a decision; 'count' if there is no such option. */
static int place_of(const struct lift_option *const *options, int count,
                    const struct lift_decision *d)
{
    int i = 0;

    for (; i < count; i++) {
        LIFT_ASSERT(options[i]);
        if (options[i]->decision == d)
            break;
    }
    return i;
}

static void add_change(struct piece *x, struct lift_family *family,
                       const struct lift_option *o, struct lift_span span)
{
    int i = place_of(family->options, family->option_count, o->decision);

    if (place_of(family->changes, family->change_count, o->decision) <
        family->change_count)
        syntax_error(x->p, span, "'%s' has an option already", o->decision->name);
    if (i < family->option_count && family->options[i] == o)
        syntax_error(x->p, span, "'%s %s' is no change: '%s' has it", o->decision->name,
                     o->name, family->base->name);
    if (i == LIFT_MAX_DECISIONS)
        syntax_error(x->p, span, "more than %d options", LIFT_MAX_DECISIONS);
    family->options[i] = family->changes[family->change_count++] = o;
    family->option_count += i == family->option_count;
}

/* Reads one change. A former name may denote several options; options that the base has
 * are not changes. */
static void read_change(struct piece *x, struct lift_family *family)
{
    struct lift_span span = syntax_peek(x->p)->span;
    const struct lift_option *options[READ_FORMER];
    int count = read_option_of(x, read_decision_name(x), options);

    for (int i = 0; i < count; i++) {
        const struct lift_option *o = options[i];
        int at = place_of(family->options, family->option_count, o->decision);

        if (count == 1 || at == family->option_count || family->options[at] != o)
            add_change(x, family, o, span);
    }
}

/* Prints the doc of the base, then the doc of the changes: the family's doc, or the docs
 * of options. */
static void add_doc(struct lift_family *family, struct lift_str *text)
{
    lift_str_add(text, family->base->doc);
    if (*family->doc)
        lift_str_addf(text, "%s%s", text->len ? "; " : "", family->doc);
    for (int i = 0; i < family->change_count && !*family->doc; i++) {
        const struct lift_option *o = family->changes[i];

        lift_str_addf(text, "%s%s: %s", text->len ? "; " : "",
                      *o->decision->doc ? o->decision->doc : o->decision->name,
                      *o->doc ? o->doc : o->name);
    }
}

/* Derives missing doc and source of a family from its base. The common doc of several
 * families describes only their changes, so it follows the doc of the base. */
static void add_texts(struct lift_arena *arena, struct lift_family *family, bool several)
{
    const struct lift_family *base = family->base;
    LIFT_SCOPED(lift_str) text = {0};

    family->says_doc = *family->doc;
    family->says_source = *family->source;
    if (base && (several || !family->says_doc)) {
        add_doc(family, &text);
        family->doc = lift_arena_strdup(arena, lift_str_get(&text));
    }
    if (base && !family->says_source && *base->source) {
        lift_str_clear(&text);
        lift_str_addf(
            &text, "%s%s",
            base->says_source && strncmp(base->source, "after ", 6) != 0 ? "after " : "",
            base->source);
        family->source = lift_arena_strdup(arena, lift_str_get(&text));
    }
}

/* Reads an optional "explore plain, default". */
static void read_uses(struct piece *x, struct lift_family *family)
{
    if (!syntax_accept_word(x->p, "explore"))
        return;
    do
        if (syntax_accept_word(x->p, "plain"))
            family->plain = true;
        else if (syntax_accept_word(x->p, "default"))
            family->standard = true;
        else
            syntax_expected(x->p, "'plain' or 'default'");
    while (syntax_accept(x->p, TOKEN_COMMA));
}

/* Reads the text after the bases, for one of the families. 'same': the families have one
 * base, so they must differ in their changes. */
static void read_rest(struct piece *x, struct lift_family *family, bool same)
{
    struct file_reader *f = x->file;

    if (same || syntax_at_word(x->p, "for"))
        read_differences(x);
    syntax_expect(x->p, TOKEN_ASSIGN, "'='");
    do
        read_change(x, family);
    while (syntax_accept(x->p, TOKEN_COMMA));
    read_texts(x, &family->doc, &family->source);
    read_uses(x, family);
    add_texts(f->arena, family, x->several > 1 && !x->own_doc);
    LIFT_ARENA_ROOM(f->arena, f->families, f->family_count, f->family_cap);
    f->families[f->family_count++] = family;
}

void read_family(struct piece *x)
{
    struct heads all = {.count = 0};
    const struct syntax_parser *rest;
    bool same = false;

    read_names(x, &all);
    read_bases(x, &all, &same);
    rest = x->p;
    x->several = all.count;
    for (x->which = 0; x->which < all.count; x->which++) {
        x->p = syntax_with(rest, NULL, 0);
        x->own_doc = false;
        read_rest(x, all.items[x->which], same);
    }
    x->several = 1;
}
