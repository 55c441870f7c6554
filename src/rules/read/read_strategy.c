/* Reads strategies. A strategy names only earlier rules and macros, so no macro contains
 * itself. A strategy that cannot make progress is an error. */
#include "rules/read/read.h"
#include "rules/read/read_instance.h"
#include "rules/strategy/strategy.h"
#include <string.h>

enum { MAX_PARTS = 64, MAX_DEPTH = 200 };

/* ---- names */

static const char *missing(const struct strategy_reader *x, const char *name)
{
    LIFT_SCOPED(lift_str) text = {0};

    rule_scope_missing(&x->scope, name, x->self ? " before this one" : "", &text);
    return lift_arena_strdup(x->arena, lift_str_get(&text));
}

const struct lift_rule *strategy_read_rule(struct strategy_reader *x)
{
    struct rule_name name = read_rule_name(x->arena, x->p, "a rule");
    const struct lift_rule *rule = rule_scope_find_noting(&x->scope, name.full);

    if (!rule && x->self && strcmp(name.full, x->self) == 0)
        syntax_error(x->p, name.span, "the macro '%s' cannot use itself: 'repeat' does",
                     x->self);
    if (!rule)
        syntax_error(x->p, name.span, "%s", missing(x, name.full));
    return rule;
}

static int read_number(struct strategy_reader *x)
{
    return read_count(x->p, "a number from 1 to 100000", 1, 100000);
}

static void comma(struct strategy_reader *x)
{
    syntax_expect(x->p, TOKEN_COMMA, "','");
}

/* ---- combinators: each function reads the text in the parentheses */

static lift_strategy read_normalise(struct strategy_reader *x, enum strategy_kind kind)
{
    const struct lift_rule *rules[MAX_PARTS];
    struct lift_strategy s = {.kind = kind, .rules = rules};

    s.max = read_number(x);
    comma(x);
    do {
        if (s.rule_count == MAX_PARTS)
            syntax_expected(x->p, "at most 64 rules");
        rules[s.rule_count++] = strategy_read_rule(x);
    } while (syntax_accept(x->p, TOKEN_COMMA));
    return strategy_keep(x->arena, s);
}

/* Reads NAME, and finds the rules 'NAME(1)', 'NAME(2)', ... by number of dimensions, or
 * the rule 'NAME' for all dimensions. */
static void read_by_dims(struct strategy_reader *x,
                         const struct lift_rule *out[STRATEGY_DIMS])
{
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "a rule without its number", &span);
    const struct lift_rule *all = rule_scope_find_noting(&x->scope, name);
    bool any = false;

    for (int d = 0; d < STRATEGY_DIMS; d++) {
        const char *full = lift_arena_printf(x->arena, "%s(%d)", name, d);

        out[d] = all ? all : rule_scope_find_noting(&x->scope, full);
        any |= out[d] != NULL;
    }
    if (!any)
        syntax_error(x->p, span, "no rules '%s(1)', '%s(2)', ...", name, name);
}

/* Reads one rule for all loops, 'NAME(word)', or a name of rules by number of dimensions.
 */
static void read_for_loops(struct strategy_reader *x,
                           const struct lift_rule *by[STRATEGY_DIMS])
{
    if (syntax_peek_at(x->p, 1)->kind != TOKEN_LPAREN) {
        read_by_dims(x, by);
        return;
    }
    by[0] = strategy_read_rule(x);
    for (int d = 1; d < STRATEGY_DIMS; d++)
        by[d] = by[0];
}

/* Reads the arguments of each(tile, mapWrg). */
static lift_strategy read_each(struct strategy_reader *x, enum strategy_kind kind)
{
    const struct lift_rule *by[STRATEGY_DIMS];
    struct lift_position position;
    struct lift_strategy s = {
        .kind = kind, .rules = by, .rule_count = STRATEGY_DIMS, .position = &position};
    struct lift_span span = syntax_peek(x->p)->span;

    strategy_read_position(x, &position);
    comma(x);
    read_for_loops(x, by);
    if (strategy_position_op(&position) == LIFT_MAP &&
        position.kind != LIFT_POSITION_PRIM && position.nth == 1)
        return strategy_keep(x->arena, s);
    syntax_error(
        x->p, span,
        "expected loops: loop, outer, point, plane, tile, block, face, border or "
        "copy");
}

static lift_strategy read_ranked(struct strategy_reader *x, enum strategy_kind kind)
{
    const struct lift_rule *by[STRATEGY_DIMS];
    struct lift_strategy s = {.kind = kind, .rules = by, .rule_count = STRATEGY_DIMS};

    read_by_dims(x, by);
    return strategy_keep(x->arena, s);
}

/* Reads the minimal and maximal number of repetitions: "8", or "1 .. 8". */
static void read_times(struct strategy_reader *x, int *least, int *most)
{
    *least = 0;
    *most = read_number(x);
    if (!syntax_accept(x->p, TOKEN_DOTDOT))
        return;
    *least = *most;
    *most = read_count(x->p, "a number that is not below the first", *least, 100000);
}

static lift_strategy read_repeat(struct strategy_reader *x, enum strategy_kind kind)
{
    lift_strategy part;
    struct lift_strategy s = {.kind = kind, .parts = &part, .count = 1};
    struct lift_span span;

    read_times(x, &s.least, &s.max);
    comma(x);
    span = syntax_peek(x->p)->span;
    part = strategy_read(x);
    if (lift_strategy_never_fails(part))
        syntax_error(x->p, span, "this cannot fail, so 'repeat' would not see its end");
    return strategy_keep(x->arena, s);
}

/* Reports a strategy that fails on every term with the root operation 'found'. */
static void check_root(struct strategy_reader *x, struct lift_span span, lift_strategy s,
                       enum lift_op found)
{
    enum lift_op root = strategy_root(s);

    if (found != LIFT_OP_COUNT && root != LIFT_OP_COUNT && root != found)
        syntax_error(x->p, span, "this is for '%s' and always fails at '%s'",
                     lift_prim_info(root)->name, lift_prim_info(found)->name);
}

static lift_strategy read_at(struct strategy_reader *x, enum strategy_kind kind)
{
    struct lift_position position;
    lift_strategy part;
    struct lift_strategy s = {
        .kind = kind, .parts = &part, .count = 1, .position = &position};
    struct lift_span span;

    strategy_read_position(x, &position);
    comma(x);
    span = syntax_peek(x->p)->span;
    part = strategy_read(x);
    check_root(x, span, part, strategy_position_op(&position));
    return strategy_keep(x->arena, s);
}

/* Reads the arguments of pick. Results are counted from 0, as in the derivations of a
 * database. */
static lift_strategy read_pick(struct strategy_reader *x, enum strategy_kind kind)
{
    const struct lift_rule *rule;
    struct lift_strategy s = {.kind = kind, .rules = &rule, .rule_count = 1};
    struct lift_span span;

    s.max = read_count(x->p, "which of its results, from 0", 0, RULE_MAX_RESULTS - 1);
    comma(x);
    span = syntax_peek(x->p)->span;
    rule = strategy_read_rule(x);
    if (rule->form == LIFT_RULE_MACRO)
        syntax_error(x->p, span, "a macro has but one result");
    return strategy_keep(x->arena, s);
}

struct parts {
    enum strategy_kind kind; /* kind of the combinator */
    lift_strategy items[MAX_PARTS];
    int count;
};

static void read_part(struct strategy_reader *x, struct parts *all)
{
    struct lift_span span = syntax_peek(x->p)->span;
    lift_strategy before = all->count ? all->items[all->count - 1] : NULL, s;

    if (all->count == MAX_PARTS)
        syntax_expected(x->p, "at most 64 strategies");
    if (before && all->kind == STRATEGY_CHOICE && lift_strategy_never_fails(before))
        syntax_error(x->p, span,
                     "this is never applied: the strategy before it cannot fail");
    s = strategy_read(x);
    all->items[all->count++] = s;
    if (before && all->kind == STRATEGY_SEQ)
        check_root(x, span, s, strategy_leaves(before));
}

/* Reads "a in 0 .. 2, STRATEGY": a part for each value of the parameter. The strategy is
 * read from its beginning for each value. */
static void read_part_of_each(struct strategy_reader *x, struct parts *all)
{
    struct syntax_value value = {.name = syntax_next(x->p)->text};
    struct syntax_parser *p = x->p;
    int from, to, end = 0;

    syntax_next(p);
    from = read_count(p, "a number from 0", 0, MAX_PARTS);
    syntax_expect(p, TOKEN_DOTDOT, "'..'");
    to = read_count(p, "a number that is not below the first", from, MAX_PARTS);
    comma(x);
    for (value.number = from; value.number <= to; value.number++) {
        x->p = syntax_with(p, &value, 1);
        read_part(x, all);
        end = syntax_at(x->p);
    }
    x->p = p;
    while (syntax_at(p) < end)
        syntax_next(p);
}

static bool at_parameter(const struct strategy_reader *x)
{
    return syntax_peek(x->p)->kind == TOKEN_NAME &&
           syntax_peek_at(x->p, 1)->kind == TOKEN_IN;
}

/* Reads the parts of seq, choice and any. */
static lift_strategy read_parts(struct strategy_reader *x, enum strategy_kind kind)
{
    struct parts all = {.kind = kind};

    do
        (at_parameter(x) ? read_part_of_each : read_part)(x, &all);
    while (syntax_accept(x->p, TOKEN_COMMA));
    return strategy_of_parts(x->arena, kind, all.items, all.count);
}

static void parts_by_dims(struct strategy_reader *x, struct parts *all)
{
    const struct lift_rule *by[STRATEGY_DIMS];

    read_by_dims(x, by);
    for (int d = 0; d < STRATEGY_DIMS; d++)
        if (by[d])
            all->items[all->count++] = lift_strategy_rule(x->arena, by[d]);
}

/* Reads "NAME", or "d in 1 .. 3, STRATEGY": a choice that tries the most dimensions
 * first. */
static lift_strategy read_highest(struct strategy_reader *x, enum strategy_kind kind)
{
    struct parts all = {.kind = kind};
    lift_strategy turned[MAX_PARTS];

    (at_parameter(x) ? read_part_of_each : parts_by_dims)(x, &all);
    for (int i = 0; i < all.count; i++)
        turned[i] = all.items[all.count - 1 - i];
    return strategy_of_parts(x->arena, kind, turned, all.count);
}

static lift_strategy read_one(struct strategy_reader *x, enum strategy_kind kind)
{
    lift_strategy s = strategy_read(x);

    return strategy_of_parts(x->arena, kind, &s, 1);
}

static lift_strategy read_try(struct strategy_reader *x, enum strategy_kind kind)
{
    lift_strategy parts[2] = {strategy_read(x)};

    parts[1] = lift_strategy_seq(x->arena, NULL, 0);
    return strategy_of_parts(x->arena, kind, parts, 2);
}

typedef lift_strategy read_fn(struct strategy_reader *x, enum strategy_kind kind);

/* If several combinators have one kind, the first is printed. */
static const struct combinator {
    const char *word;
    enum strategy_kind kind;
    read_fn *read;
    const char *takes;
} combinators[] = {
    {"seq", STRATEGY_SEQ, read_parts, "strategies"},
    {"choice", STRATEGY_CHOICE, read_parts, "strategies"},
    {"any", STRATEGY_ANY, read_parts, "strategies"},
    {"try", STRATEGY_CHOICE, read_try, "one strategy"},
    {"repeat", STRATEGY_REPEAT, read_repeat, "a number and a strategy"},
    {"all", STRATEGY_ALL, read_one, "one strategy"},
    {"one", STRATEGY_ONE, read_one, "one strategy"},
    {"some", STRATEGY_SOME, read_one, "one strategy"},
    {"topdown", STRATEGY_TOPDOWN, read_one, "one strategy"},
    {"bottomup", STRATEGY_BOTTOMUP, read_one, "one strategy"},
    {"at", STRATEGY_AT, read_at, "a position and a strategy"},
    {"normalise", STRATEGY_NORMALISE, read_normalise, "a number and rules"},
    {"pick", STRATEGY_RULE, read_pick, "a number and a rule"},
    {"each", STRATEGY_EACH, read_each, "loops and rules without their numbers"},
    {"ranked", STRATEGY_RANKED, read_ranked, "rules without their numbers"},
    {"highest", STRATEGY_CHOICE, read_highest,
     "rules without their numbers, or one strategy with a parameter"},
};

enum { COMBINATORS = sizeof combinators / sizeof *combinators };

const char *strategy_word(enum strategy_kind kind)
{
    const struct combinator *c = combinators;

    while (c->kind != kind)
        c++;
    return c->word;
}

static const struct combinator *find_combinator(const char *word)
{
    for (int i = 0; i < COMBINATORS; i++)
        if (strcmp(word, combinators[i].word) == 0)
            return &combinators[i];
    return NULL;
}

bool strategy_is_word(const char *word)
{
    return find_combinator(word) != NULL;
}

static void __attribute__((noreturn))
no_combinator(struct strategy_reader *x, const struct syntax_token *word)
{
    struct lift_guess guess = {.word = word->text};
    const char *words = combinators[0].word;

    for (int i = 0; i < COMBINATORS; i++)
        lift_guess_add(&guess, combinators[i].word);
    for (int i = 1; i < COMBINATORS; i++)
        words =
            lift_arena_printf(x->arena, "%s%s%s", words,
                              i + 1 < COMBINATORS ? ", " : " or ", combinators[i].word);
    syntax_error(x->p, word->span, "expected %s, but got '%s'%s", words, word->text,
                 lift_guess_text(&guess, x->arena));
}

static lift_strategy read_combinator(struct strategy_reader *x)
{
    const struct syntax_token *word = syntax_next(x->p);
    const struct combinator *c = find_combinator(word->text);
    lift_strategy s;

    syntax_next(x->p);
    s = c->read(x, c->kind);
    if (syntax_peek(x->p)->kind == TOKEN_COMMA)
        syntax_error(x->p, syntax_peek(x->p)->span, "'%s' takes %s, no more", c->word,
                     c->takes);
    syntax_expect(x->p, TOKEN_RPAREN, "')'");
    return s;
}

static bool is_between_numbers(enum syntax_token_kind kind)
{
    return kind == TOKEN_COMMA || kind == TOKEN_PLUS || kind == TOKEN_MINUS ||
           kind == TOKEN_STAR;
}

/* True if NAME(...) is a rule: a rule has this name, or the parentheses contain only
 * numbers. */
static bool is_instance(const struct strategy_reader *x)
{
    int at = 2;

    if (rule_scope_has_base(&x->scope, syntax_peek(x->p)->text))
        return true;
    while (syntax_peek_at(x->p, at)->kind == TOKEN_INT &&
           is_between_numbers(syntax_peek_at(x->p, at + 1)->kind))
        at += 2;
    return syntax_peek_at(x->p, at)->kind == TOKEN_INT &&
           syntax_peek_at(x->p, at + 1)->kind == TOKEN_RPAREN;
}

lift_strategy strategy_read(struct strategy_reader *x)
{
    const struct syntax_token *word = syntax_peek(x->p);
    bool called =
        word->kind == TOKEN_NAME && syntax_peek_at(x->p, 1)->kind == TOKEN_LPAREN;
    lift_strategy s;

    if (!called || (!find_combinator(word->text) && is_instance(x)))
        return lift_strategy_rule(x->arena, strategy_read_rule(x));
    if (!find_combinator(word->text))
        no_combinator(x, word);
    if (x->depth == MAX_DEPTH)
        syntax_error(x->p, syntax_peek(x->p)->span, "strategies are nested too deeply");
    x->depth++;
    s = read_combinator(x);
    x->depth--;
    return s;
}

/* ---- a separate text */

lift_strategy lift_strategy_read(struct lift_arena *arena, const struct lift_rules *rules,
                                 const struct lift_source *source,
                                 struct lift_error *errors)
{
    struct strategy_reader x = {.arena = arena, .scope = {.rules = rules}};
    lift_strategy s;
    jmp_buf failed;

    if (setjmp(failed))
        return NULL;
    x.p = syntax_open(arena, source, errors, &failed);
    s = strategy_read(&x);
    syntax_expect(x.p, TOKEN_END, "the end of the strategy");
    return s;
}
