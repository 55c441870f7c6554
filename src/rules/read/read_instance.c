/* Declarations with parameters, 'tile(d in 1 .. 3)', numbers that are computed from them,
 * and names of rules with such numbers in parentheses. */
#include "rules/read/read_instance.h"
#include "lift/memory.h"
#include "lift/str.h"
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

/* Of numbers that are small; false if it is none. */
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

bool read_count(struct syntax_parser *p, const char *what, int least, int most, int *out)
{
    const struct syntax_node *node;
    int64_t value;

    if (syntax_peek(p)->kind != TOKEN_INT)
        return syntax_expected(p, what);
    node = syntax_expr(p);
    if (!node)
        return false;
    if (!read_constant(node, &value))
        syntax_error(p, node->span, "expected %s", what);
    else if (value < least || value > most)
        syntax_error(p, node->span, "expected %s, but got %lld", what, (long long)value);
    else
        *out = (int)value;
    return !syntax_failed(p);
}

/* ---- parameters */

/* Values of one parameter, up to what is the next one's or the end. */
static bool read_values(struct syntax_parser *p, struct name_param *out)
{
    do {
        const struct syntax_node *node = syntax_expr(p);

        if (!node)
            return false;
        if (out->count == MOST_VALUES)
            return syntax_error(p, node->span, "more than %d values", MOST_VALUES);
        out->values[out->count++] = node;
        if (out->count == 1 && syntax_accept(p, TOKEN_DOTDOT)) {
            out->range = true;
            out->values[out->count++] = syntax_expr(p);
            return out->values[1] != NULL;
        }
    } while (syntax_peek_at(p, 2)->kind != TOKEN_IN && syntax_accept(p, TOKEN_COMMA));
    return true;
}

static bool read_param(struct syntax_parser *p, struct name_params *line)
{
    struct name_param *param = &line->params[line->count];
    struct lift_span span;

    if (line->count == MOST_PARAMS)
        return syntax_error(p, syntax_peek(p)->span, "more than %d parameters",
                            MOST_PARAMS);
    param->name = syntax_expect_name(p, "a parameter", &span);
    if (!param->name)
        return false;
    for (int i = 0; i < line->count; i++)
        if (strcmp(line->params[i].name, param->name) == 0)
            return syntax_error(p, span, "the parameter '%s' is there already",
                                param->name);
    line->count++;
    return syntax_expect(p, TOKEN_IN, "'in'") && read_values(p, param);
}

/* "where" and conditions, or nothing. */
static bool read_where(struct syntax_parser *p, struct name_params *line)
{
    if (!syntax_accept_word(p, "where"))
        return true;
    do {
        const struct syntax_node *node = syntax_expr(p);

        if (!node)
            return false;
        if (line->condition_count == MOST_CONDITIONS)
            return syntax_error(p, node->span, "more than %d conditions",
                                MOST_CONDITIONS);
        line->conditions[line->condition_count++] = node;
    } while (syntax_accept(p, TOKEN_COMMA));
    return true;
}

/* Bounds are made of what stands behind them, so the last one comes first. */
static void turn_round(struct name_params *all)
{
    for (int i = 0; i < all->count / 2; i++) {
        struct name_param other = all->params[i];

        all->params[i] = all->params[all->count - 1 - i];
        all->params[all->count - 1 - i] = other;
    }
}

bool read_params(const struct syntax_parser *at, struct name_params *out)
{
    struct syntax_parser *p = syntax_with(at, NULL, 0);
    bool good = true;

    *out = (struct name_params){.count = 0};
    if (syntax_peek_at(p, 2)->kind != TOKEN_LPAREN)
        return true;
    for (int i = 0; i < 3; i++)
        out->span = syntax_next(p)->span;
    do
        good = syntax_peek_at(p, 1)->kind == TOKEN_IN ? read_param(p, out)
                                                      : syntax_expr(p) != NULL;
    while (good && syntax_accept(p, TOKEN_COMMA));
    turn_round(out);
    good = good && read_where(p, out);
    out->span.end = syntax_peek(p)->span.end;
    return good;
}

/* ---- names */

/* One of the numbers and words in parentheses. */
static bool read_part(struct syntax_parser *p, struct lift_str *full,
                      struct rule_name *out)
{
    int number = -1;

    if (out->part_count)
        lift_str_add(full, ", ");
    if (syntax_peek(p)->kind == TOKEN_NAME) {
        lift_str_add(full, syntax_next(p)->text);
    } else {
        if (!read_count(p, "a number or a word", 0, MOST_NUMBER, &number))
            return false;
        lift_str_addf(full, "%d", number);
    }
    if (out->part_count++ == 0)
        out->first = number;
    out->dims = number < 0 ? 0 : number;
    return true;
}

/* "in 1 .. 3" behind a parameter, which stands for its value, or nothing. */
static bool skip_values(struct syntax_parser *p)
{
    struct name_param param = {.name = ""};

    return !syntax_accept(p, TOKEN_IN) || read_values(p, &param);
}

static bool read_name(struct lift_arena *arena, struct syntax_parser *p, const char *what,
                      bool declared, struct rule_name *out)
{
    struct name_params none = {.count = 0};
    struct lift_str full = {0};
    size_t begin = syntax_peek(p)->span.begin;
    bool good = true;

    *out = (struct rule_name){.base = syntax_expect_name(p, what, &out->span)};
    if (!out->base)
        return false;
    out->full = out->base;
    out->span = (struct lift_span){begin, begin + strlen(out->base)};
    if (!syntax_accept(p, TOKEN_LPAREN))
        return true;
    lift_str_addf(&full, "%s(", out->base);
    do
        good = read_part(p, &full, out) && (!declared || skip_values(p));
    while (good && syntax_accept(p, TOKEN_COMMA));
    lift_str_addc(&full, ')');
    out->full = lift_arena_strdup(arena, lift_str_get(&full));
    lift_str_fini(&full);
    if (good && declared)
        good = read_where(p, &none);
    out->span.end = syntax_peek(p)->span.end;
    return good && syntax_expect(p, TOKEN_RPAREN, "')'");
}

bool read_rule_name(struct lift_arena *arena, struct syntax_parser *p, const char *what,
                    struct rule_name *out)
{
    return read_name(arena, p, what, false, out);
}

bool read_declared_name(struct lift_arena *arena, struct syntax_parser *p,
                        struct rule_name *out)
{
    return read_name(arena, p, "the name of the rule", true, out);
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

static bool number_of(struct instances *all, const struct syntax_node *node, int known,
                      int64_t *out)
{
    if (fold(node, all->values, known, out) && *out >= 0 && *out <= MOST_NUMBER)
        return true;
    return syntax_error(all->p, node->span, "expected a number from 0 to %d",
                        MOST_NUMBER);
}

static bool fulfils(struct instances *all, const struct syntax_node *node, bool *good)
{
    int64_t a, b;

    if (node->kind != NODE_BINARY ||
        !fold(node->args[0], all->values, all->line->count, &a) ||
        !fold(node->args[1], all->values, all->line->count, &b))
        node = NULL;
    switch (node ? node->op : TOKEN_END) {
    case TOKEN_LT:
        *good &= a < b;
        return true;
    case TOKEN_LE:
        *good &= a <= b;
        return true;
    case TOKEN_EQ:
        *good &= a == b;
        return true;
    case TOKEN_NE:
        *good &= a != b;
        return true;
    default:
        return false;
    }
}

static bool make(struct instances *all)
{
    bool good = true;

    for (int i = 0; i < all->line->condition_count; i++)
        if (!fulfils(all, all->line->conditions[i], &good))
            return syntax_error(
                all->p, all->line->conditions[i]->span,
                "expected a condition on the parameters: <, <=, == or !=");
    if (!good)
        return true;
    if (all->made++ == MOST_INSTANCES)
        return syntax_error(all->p, all->line->span, "more than %d instances",
                            MOST_INSTANCES);
    return all->visit(all->user, all->values, all->line->count);
}

static bool from(struct instances *all, int index);

static bool in_range(struct instances *all, int index)
{
    const struct name_param *param = &all->line->params[index];
    int64_t lo = 0, hi = 0;

    if (!number_of(all, param->values[0], index, &lo) ||
        !number_of(all, param->values[1], index, &hi))
        return false;
    for (; lo <= hi; lo++) {
        all->values[index] = (struct syntax_value){param->name, NULL, lo};
        if (!from(all, index + 1))
            return false;
    }
    return true;
}

/* All values of the parameters from one on. */
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
        else if (!number_of(all, node, index, &value->number))
            return false;
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

/* ---- one of several values */

/* The value at a place of those of a parameter, from 0. */
static bool value_at(struct instances *all, const struct name_param *param, int which,
                     struct syntax_value *out)
{
    const struct syntax_node *node = param->values[param->range ? 0 : which];

    *out = (struct syntax_value){.name = param->name};
    if (node->kind == NODE_NAME && !param->range) {
        out->word = node->text;
        return true;
    }
    if (!number_of(all, node, 0, &out->number))
        return false;
    out->number += param->range ? which : 0;
    return true;
}

/* How many values a parameter has. */
static bool count_values(struct instances *all, const struct name_param *param, int *out)
{
    int64_t lo = 0, hi = 0;

    *out = param->count;
    if (!param->range)
        return true;
    if (!number_of(all, param->values[0], 0, &lo) ||
        !number_of(all, param->values[1], 0, &hi))
        return false;
    *out = (int)(hi - lo + 1);
    return true;
}

bool read_chosen_values(struct syntax_parser *p, int several, int which,
                        struct syntax_value *out, int *count)
{
    struct name_params line = {.count = 0};
    struct instances all = {.p = p, .line = &line};

    do {
        struct lift_span span = syntax_peek(p)->span;
        const struct name_param *param = &line.params[line.count];
        int values;

        if (!read_param(p, &line) || !count_values(&all, param, &values))
            return false;
        if (values != several)
            return syntax_error(p, span, "'%s' has %d value%s, but these are %d",
                                param->name, values, values == 1 ? "" : "s", several);
        if (!value_at(&all, param, which, &out[line.count - 1]))
            return false;
    } while (syntax_accept(p, TOKEN_COMMA));
    *count = line.count;
    return true;
}

void read_say_values(struct lift_diags *diags, size_t first,
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
    for (; first < diags->count; first++) {
        LIFT_SCOPED(lift_str) message = {0};

        lift_str_addf(&message, "%s (%s)", diags->items[first].message,
                      lift_str_get(&text));
        free(diags->items[first].message);
        diags->items[first].message = lift_strdup(lift_str_get(&message));
    }
}
