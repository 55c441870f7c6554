/* Declarations with parameters, such as 'tile(d in 1 .. 3)', numbers computed from the
 * parameters, and rule names with numbers in parentheses. */
#include "rules/read/read_instance.h"
#include "base/memory.h"
#include "base/str.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBER = 999, MOST_INSTANCES = 64 };

/* ---- numbers */

static const struct syntax_value *value_of(const char *name,
                                           const struct syntax_value *values, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0)
            return &values[i];
    return NULL;
}

/* Combines two numbers; false for other operators, or if the result is not small. */
static bool combine(enum syntax_token_kind op, int64_t a, int64_t b, int64_t *out)
{
    int64_t most = 1000000;

    *out = op == TOKEN_PLUS ? a + b : op == TOKEN_MINUS ? a - b : a * b;
    return (op == TOKEN_PLUS || op == TOKEN_MINUS || op == TOKEN_STAR) && *out <= most &&
           *out >= -most;
}

static bool fold(const struct syntax_node *node, const struct syntax_value *values,
                 int count, int64_t *out)
{
    const struct syntax_value *value;
    int64_t a, b;

    switch (node->kind) {
    case NODE_INT:
        *out = node->integer;
        return *out <= 1000000;
    case NODE_NAME:
        value = value_of(node->text, values, count);
        *out = value ? value->number : 0;
        return value && !value->word;
    case NODE_BINARY:
        return fold(node->args[0], values, count, &a) &&
               fold(node->args[1], values, count, &b) && combine(node->op, a, b, out);
    default:
        return false;
    }
}

bool read_constant(const struct syntax_node *node, int64_t *out)
{
    return fold(node, NULL, 0, out);
}

int read_count(struct syntax_parser *p, const char *what, int least, int most)
{
    const struct syntax_node *node;
    int64_t value;

    if (syntax_peek(p)->kind != TOKEN_INT)
        syntax_expected(p, what);
    node = syntax_expr(p);
    if (!read_constant(node, &value))
        syntax_error(p, node->span, "expected %s", what);
    if (value < least || value > most)
        syntax_error(p, node->span, "expected %s, but got %lld", what, (long long)value);
    return (int)value;
}

/* ---- parameters */

/* Reads the values of one parameter, up to the next parameter or the end. */
static void read_values(struct syntax_parser *p, struct name_param *out)
{
    do {
        const struct syntax_node *node = syntax_expr(p);

        if (out->count == MOST_VALUES)
            syntax_error(p, node->span, "more than %d values", MOST_VALUES);
        out->values[out->count++] = node;
        if (out->count == 1 && syntax_accept(p, TOKEN_DOTDOT)) {
            out->range = true;
            out->values[out->count++] = syntax_expr(p);
            return;
        }
    } while (syntax_peek_at(p, 2)->kind != TOKEN_IN && syntax_accept(p, TOKEN_COMMA));
}

static void read_param(struct syntax_parser *p, struct name_params *line)
{
    struct name_param *param = &line->params[line->count];
    struct lift_span span;

    if (line->count == MOST_PARAMS)
        syntax_error(p, syntax_peek(p)->span, "more than %d parameters", MOST_PARAMS);
    param->name = syntax_expect_name(p, "a parameter", &span);
    for (int i = 0; i < line->count; i++)
        if (strcmp(line->params[i].name, param->name) == 0)
            syntax_error(p, span, "the parameter '%s' is there already", param->name);
    line->count++;
    syntax_expect(p, TOKEN_IN, "'in'");
    read_values(p, param);
}

/* Reads an optional "where" and conditions. */
static void read_where(struct syntax_parser *p, struct name_params *line)
{
    if (!syntax_accept_word(p, "where"))
        return;
    do {
        const struct syntax_node *node = syntax_expr(p);

        if (line->condition_count == MOST_CONDITIONS)
            syntax_error(p, node->span, "more than %d conditions", MOST_CONDITIONS);
        line->conditions[line->condition_count++] = node;
    } while (syntax_accept(p, TOKEN_COMMA));
}

/* Reverses the order of the parameters. The bounds of a parameter may use later
 * parameters, so the last parameter gets its values first. */
static void turn_round(struct name_params *all)
{
    for (int i = 0; i < all->count / 2; i++) {
        struct name_param other = all->params[i];

        all->params[i] = all->params[all->count - 1 - i];
        all->params[all->count - 1 - i] = other;
    }
}

void read_params(const struct syntax_parser *at, struct name_params *out)
{
    struct syntax_parser *p = syntax_with(at, NULL, 0);

    *out = (struct name_params){.count = 0};
    if (syntax_peek_at(p, 2)->kind != TOKEN_LPAREN)
        return;
    for (int i = 0; i < 3; i++)
        out->span = syntax_next(p)->span;
    do
        if (syntax_peek_at(p, 1)->kind == TOKEN_IN)
            read_param(p, out);
        else
            syntax_expr(p);
    while (syntax_accept(p, TOKEN_COMMA));
    turn_round(out);
    read_where(p, out);
    out->span.end = syntax_peek(p)->span.end;
}

/* ---- names */

/* Reads one of the numbers and words in parentheses. */
static void read_part(struct lift_arena *arena, struct syntax_parser *p,
                      struct rule_name *out)
{
    const char *mark = out->part_count ? ", " : "(";
    int number = -1;

    if (syntax_peek(p)->kind == TOKEN_NAME) {
        out->full =
            lift_arena_printf(arena, "%s%s%s", out->full, mark, syntax_next(p)->text);
    } else {
        number = read_count(p, "a number or a word", 0, MOST_NUMBER);
        out->full = lift_arena_printf(arena, "%s%s%d", out->full, mark, number);
    }
    if (out->part_count++ == 0)
        out->first = number;
    out->dims = number < 0 ? 0 : number;
}

static struct rule_name read_name(struct lift_arena *arena, struct syntax_parser *p,
                                  const char *what, bool declared)
{
    struct name_params unused = {.count = 0};
    size_t begin = syntax_peek(p)->span.begin;
    struct rule_name name = {.base = syntax_expect_name(p, what, NULL)};

    name.full = name.base;
    name.span = (struct lift_span){begin, begin + strlen(name.base)};
    if (!syntax_accept(p, TOKEN_LPAREN))
        return name;
    do {
        struct name_param values = {.name = ""};

        read_part(arena, p, &name);
        if (declared && syntax_accept(p, TOKEN_IN)) /* skip the values of a parameter */
            read_values(p, &values);
    } while (syntax_accept(p, TOKEN_COMMA));
    name.full = lift_arena_printf(arena, "%s)", name.full);
    if (declared)
        read_where(p, &unused);
    name.span.end = syntax_peek(p)->span.end;
    syntax_expect(p, TOKEN_RPAREN, "')'");
    return name;
}

struct rule_name read_rule_name(struct lift_arena *arena, struct syntax_parser *p,
                                const char *what)
{
    return read_name(arena, p, what, false);
}

struct rule_name read_declared_name(struct lift_arena *arena, struct syntax_parser *p)
{
    return read_name(arena, p, "the name of the rule", true);
}

/* ---- instances */

struct instances {
    struct syntax_parser *p;
    const struct name_params *line;
    struct syntax_value values[MOST_PARAMS];
    instance_visit *visit;
    void *user;
    int made;
};

static int64_t number_of(struct instances *all, const struct syntax_node *node, int known)
{
    int64_t number;

    if (!fold(node, all->values, known, &number) || number < 0 || number > MOST_NUMBER)
        syntax_error(all->p, node->span, "expected a number from 0 to %d", MOST_NUMBER);
    return number;
}

static bool fulfils(struct instances *all, const struct syntax_node *node)
{
    int64_t a = 0, b = 0;
    bool known = node->kind == NODE_BINARY &&
                 fold(node->args[0], all->values, all->line->count, &a) &&
                 fold(node->args[1], all->values, all->line->count, &b);

    switch (known ? node->op : TOKEN_END) {
    case TOKEN_LT:
        return a < b;
    case TOKEN_LE:
        return a <= b;
    case TOKEN_EQ:
        return a == b;
    case TOKEN_NE:
        return a != b;
    default:
        syntax_error(all->p, node->span,
                     "expected a condition on the parameters: <, <=, == or !=");
    }
}

static bool make(struct instances *all)
{
    bool good = true;

    for (int i = 0; i < all->line->condition_count; i++)
        good &= fulfils(all, all->line->conditions[i]);
    if (!good)
        return true;
    if (all->made++ == MOST_INSTANCES)
        syntax_error(all->p, all->line->span, "more than %d instances", MOST_INSTANCES);
    return all->visit(all->user, all->values, all->line->count);
}

static bool from(struct instances *all, int index);

static bool in_range(struct instances *all, int index)
{
    const struct name_param *param = &all->line->params[index];
    int64_t lo = number_of(all, param->values[0], index);
    int64_t hi = number_of(all, param->values[1], index);

    for (; lo <= hi; lo++) {
        all->values[index] = (struct syntax_value){param->name, NULL, lo};
        if (!from(all, index + 1))
            return false;
    }
    return true;
}

/* Makes all instances with values for the parameters from 'index' to the last. */
static bool from(struct instances *all, int index)
{
    const struct name_param *param;

    if (index == all->line->count || index == MOST_PARAMS)
        return make(all);
    param = &all->line->params[index];
    if (param->range)
        return in_range(all, index);
    for (int i = 0; i < param->count; i++) {
        const struct syntax_node *node = param->values[i];
        struct syntax_value *value = &all->values[index];

        *value = (struct syntax_value){.name = param->name};
        if (node->kind == NODE_NAME && !value_of(node->text, all->values, index))
            value->word = node->text;
        else
            value->number = number_of(all, node, index);
        if (!from(all, index + 1))
            return false;
    }
    return true;
}

bool read_instances(struct syntax_parser *p, const struct name_params *line,
                    instance_visit *visit, void *user)
{
    struct instances all = {.p = p, .line = line, .visit = visit, .user = user};

    if (!from(&all, 0))
        return false;
    if (all.made == 0)
        syntax_error(p, line->span, "no values fulfil all of this");
    return all.made > 0;
}

/* ---- choosing one of several values */

/* Returns value number 'which', from 0, of a parameter. */
static struct syntax_value value_at(struct instances *all, const struct name_param *param,
                                    int which)
{
    const struct syntax_node *node = param->values[param->range ? 0 : which];
    struct syntax_value value = {.name = param->name};

    if (node->kind == NODE_NAME && !param->range)
        value.word = node->text;
    else
        value.number = number_of(all, node, 0) + (param->range ? which : 0);
    return value;
}

static int count_values(struct instances *all, const struct name_param *param)
{
    int64_t lo;

    if (!param->range)
        return param->count;
    lo = number_of(all, param->values[0], 0);
    return (int)(number_of(all, param->values[1], 0) - lo + 1);
}

int read_chosen_values(struct syntax_parser *p, int several, int which,
                       struct syntax_value *out)
{
    struct name_params line = {.count = 0};
    struct instances all = {.p = p, .line = &line};

    do {
        struct lift_span span = syntax_peek(p)->span;
        const struct name_param *param = &line.params[line.count];
        int values;

        read_param(p, &line);
        values = count_values(&all, param);
        if (values != several)
            syntax_error(p, span, "'%s' has %d value%s, but these are %d", param->name,
                         values, values == 1 ? "" : "s", several);
        out[line.count - 1] = value_at(&all, param, which);
    } while (syntax_accept(p, TOKEN_COMMA));
    return line.count;
}

void read_say_values(struct lift_error *errors, size_t first,
                     const struct syntax_value *values, int count)
{
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; i < count; i++)
        if (values[i].word)
            lift_str_addf(&text, "%s%s = %s", i ? ", " : "", values[i].name,
                          values[i].word);
        else
            lift_str_addf(&text, "%s%s = %lld", i ? ", " : "", values[i].name,
                          (long long)values[i].number);
    for (struct lift_error *e = lift_error_at(errors, first); e; e = e->next)
        lift_str_addf(&e->text, " (%s)", lift_str_get(&text));
}
