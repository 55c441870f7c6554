/* Reads needs and exclusions of options. A former name of an option may denote options of
 * several decisions. The name then denotes all these options. */
#include "rules/read/read_file.h"
#include <string.h>

enum { MOST_TERMS = 32, MOST_CLAUSES = 64 };

char *read_former(struct piece *x, enum rule_name_kind kind, const char *name)
{
    LIFT_SCOPED(lift_str) now = {0};

    if (!rule_former(kind, name, &now))
        return NULL;
    rule_note_former(x->file->rules, name, lift_str_get(&now));
    return lift_arena_strdup(x->file->arena, lift_str_get(&now));
}

struct lift_decision *read_find_decision_now(struct piece *x, const char *name)
{
    struct lift_decision *d = read_find_decision(x->file, name);
    char *now = d ? NULL : read_former(x, RULE_NAME_DECISION, name);

    if (!now)
        return d;
    now[strcspn(now, ",")] = '\0';
    return read_find_decision(x->file, now);
}

/* ---- names of options */

/* Finds the options of "D=O,E=P", and overwrites this text. Returns 0 if an option does
 * not exist. */
static int find_pairs(const struct file_reader *f, char *pairs,
                      const struct lift_option *out[READ_FORMER])
{
    int count = 0;
    char *rest = NULL;

    for (char *pair = strtok_r(pairs, ",", &rest); pair && count < READ_FORMER;
         pair = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(pair, '=');
        const struct lift_decision *d;

        *equals = '\0';
        d = read_find_decision(f, pair);
        out[count] = d ? read_find_option(f, d, equals + 1) : NULL;
        if (!out[count])
            return 0;
        count++;
    }
    return count;
}

/* Finds a user's option of one of the decisions "D,E". */
static int find_own(const struct file_reader *f, char *decisions, const char *name,
                    const struct lift_option *out[READ_FORMER])
{
    char *rest = NULL;

    for (char *word = strtok_r(decisions, ",", &rest); word;
         word = strtok_r(NULL, ",", &rest)) {
        const struct lift_decision *d = read_find_decision(f, word);

        out[0] = d ? read_find_option(f, d, name) : NULL;
        if (out[0])
            return 1;
    }
    return 0;
}

static int find_former(struct piece *x, const char *decision, const char *name,
                       const struct lift_option *out[READ_FORMER])
{
    const char *old = lift_arena_printf(x->file->arena, "%s=%s", decision, name);
    char *now = read_former(x, RULE_NAME_OPTION, old);

    if (now)
        return find_pairs(x->file, now, out);
    now = read_former(x, RULE_NAME_DECISION, decision);
    return now ? find_own(x->file, now, name, out) : 0;
}

static const char *why_removed(const struct file_reader *f, const char *name)
{
    LIFT_SCOPED(lift_str) why = {0};

    return lift_rules_removed(name, &why)
               ? lift_arena_strdup(f->arena, lift_str_get(&why))
               : NULL;
}

int read_option_of(struct piece *x, const char *decision,
                   const struct lift_option *out[READ_FORMER])
{
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "an option", &span), *why;
    const struct lift_decision *d = read_find_decision(x->file, decision);
    int count;

    out[0] = d ? read_find_option(x->file, d, name) : NULL;
    count = out[0] ? 1 : find_former(x, decision, name, out);
    if (count)
        return count;
    why =
        why_removed(x->file, lift_arena_printf(x->file->arena, "%s=%s", decision, name));
    if (why)
        syntax_error(x->p, span, "%s", why);
    syntax_error(x->p, span, "no option '%s' of '%s' before this", name, decision);
}

/* ---- conditions */

struct terms {
    struct term {
        const struct lift_option
            *options[READ_FORMER]; /* the configuration must have all these options */
        int count;
    } items[MOST_TERMS];
    int count;
};

const char *read_decision_name(struct piece *x)
{
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "a decision", &span);

    if (!read_find_decision_now(x, name))
        read_no_decision(x, name, span);
    return name;
}

/* Reads "D = a or b". With 'several', also reads " or E = c". */
static void read_terms(struct piece *x, bool several, struct terms *out)
{
    const char *decision = read_decision_name(x);

    syntax_expect(x->p, TOKEN_ASSIGN, "'='");
    do {
        struct term *term = &out->items[out->count];

        if (several && syntax_peek_at(x->p, 1)->kind == TOKEN_ASSIGN) {
            decision = read_decision_name(x);
            syntax_expect(x->p, TOKEN_ASSIGN, "'='");
        }
        if (out->count == MOST_TERMS)
            syntax_error(x->p, syntax_peek(x->p)->span, "more than %d options",
                         MOST_TERMS);
        out->count++;
        term->count = read_option_of(x, decision, term->options);
    } while (syntax_accept_word(x->p, "or"));
}

/* A list of alternatives; each decision occurs once. */
struct clause {
    struct lift_need items[MOST_TERMS];
    int count;
};

static void add_alternative(struct clause *c, const struct lift_option *o, bool not )
{
    uint32_t bit = UINT32_C(1) << o->index;
    int i = 0;

    while (i < c->count && (not || c->items[i].decision != o->decision))
        i++;
    if (i == c->count)
        c->items[c->count++] = (struct lift_need){o->decision, 0, false};
    c->items[i].options |= not ? ~bit : bit;
}

void read_add_needs(struct piece *x, const struct lift_need *needs, int need_count,
                    struct lift_need *out, int *count)
{
    if (*count + need_count > LIFT_MAX_NEEDS)
        syntax_error(x->p, syntax_peek(x->p)->span, "more than %d conditions",
                     LIFT_MAX_NEEDS);
    for (int i = 0; i < need_count; i++)
        out[(*count)++] = needs[i];
}

static void add_clause(struct piece *x, struct clause *c, struct lift_need *out,
                       int *count)
{
    for (int i = 0; i + 1 < c->count; i++)
        c->items[i].or_next = true;
    read_add_needs(x, c->items, c->count, out, count);
}

/* True if all configurations that meet 'a' also meet 'b'. */
static bool implies(const struct clause *a, const struct clause *b)
{
    for (int i = 0; i < a->count; i++) {
        uint32_t left = a->items[i].options;

        for (int k = 0; k < b->count; k++)
            if (b->items[k].decision == a->items[i].decision)
                left &= ~b->items[k].options;
        if (left)
            return false;
    }
    return true;
}

/* Reads one need: the configuration must have one of the terms. Each choice of one option
 * of every term gives a need with these options as alternatives. */
static void read_need(struct piece *x, struct lift_need *out, int *count)
{
    struct clause *clauses;
    struct terms terms = {.count = 0};
    int all = 1;

    read_terms(x, true, &terms);
    for (int i = 0; i < terms.count; i++)
        if ((all *= terms.items[i].count) > MOST_CLAUSES)
            syntax_error(x->p, syntax_peek(x->p)->span,
                         "too many former names: write those of today");
    clauses = LIFT_NEW_ARRAY(x->file->arena, struct clause, all);
    for (int n = 0; n < all; n++)
        for (int i = 0, rest = n; i < terms.count; rest /= terms.items[i++].count)
            add_alternative(&clauses[n],
                            terms.items[i].options[rest % terms.items[i].count], false);
    for (int n = 0; n < all; n++) {
        bool implied = false;

        for (int m = 0; m < all; m++)
            implied |= m != n && implies(&clauses[m], &clauses[n]) &&
                       (m < n || !implies(&clauses[n], &clauses[m]));
        if (!implied)
            add_clause(x, &clauses[n], out, count);
    }
}

void read_needs(struct piece *x, struct lift_need *out, int *count)
{
    do
        read_need(x, out, count);
    while (syntax_accept(x->p, TOKEN_COMMA));
}

/* Reads conditions joined by 'and', which must not all hold. "D = a or b" is one
 * condition. */
static void read_together(struct piece *x, struct terms *first, struct lift_need *out,
                          int *count)
{
    struct clause clause = {.count = 0};
    struct terms terms = *first;

    do {
        uint32_t options = 0;

        for (int i = 0; i < terms.count; i++) {
            if (terms.items[i].count > 1)
                syntax_error(x->p, syntax_peek(x->p)->span,
                             "'and' of former names: write those of today");
            options |= UINT32_C(1) << terms.items[i].options[0]->index;
        }
        clause.items[clause.count++] =
            (struct lift_need){terms.items[0].options[0]->decision, ~options, false};
        terms.count = 0;
        if (!syntax_accept_word(x->p, "and"))
            break;
        read_terms(x, false, &terms);
    } while (clause.count < MOST_TERMS);
    add_clause(x, &clause, out, count);
}

static void read_exclude(struct piece *x, struct lift_need *out, int *count)
{
    struct terms terms = {.count = 0};

    read_terms(x, false, &terms);
    if (syntax_at_word(x->p, "and")) {
        read_together(x, &terms, out, count);
        return;
    }
    for (int i = 0; i < terms.count; i++) {
        struct clause clause = {.count = 0};
        uint32_t options = 0;

        for (int k = 0; k < terms.items[i].count; k++)
            add_alternative(&clause, terms.items[i].options[k], true);
        for (int k = 0; k < terms.count && clause.count == 1; k++)
            if (terms.items[k].count == 1 &&
                terms.items[k].options[0]->decision == clause.items[0].decision) {
                options |= UINT32_C(1) << terms.items[k].options[0]->index;
                if (k < i)
                    clause.count = 0; /* an earlier clause contains this option */
            }
        if (clause.count == 1)
            clause.items[0].options = ~options;
        if (clause.count)
            add_clause(x, &clause, out, count);
    }
}

void read_excludes(struct piece *x, struct lift_need *out, int *count)
{
    do
        read_exclude(x, out, count);
    while (syntax_accept(x->p, TOKEN_COMMA));
}
