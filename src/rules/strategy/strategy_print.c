/* Prints strategies. Reading the text gives the same strategy. */
#include "rules/strategy/strategy.h"
#include <string.h>

enum { LINE = 88 };

static bool is_try(lift_strategy s)
{
    return s->kind == STRATEGY_CHOICE && s->count == 2 &&
           s->parts[1]->kind == STRATEGY_SEQ && s->parts[1]->count == 0;
}

/* Prints the combinator and its numbers, before the parts. */
static void print_head(lift_strategy s, struct lift_str *out)
{
    lift_str_addf(out, "%s(", is_try(s) ? "try" : strategy_word(s->kind));
    if (s->least)
        lift_str_addf(out, "%d .. ", s->least);
    if (s->kind == STRATEGY_REPEAT || s->kind == STRATEGY_NORMALISE)
        lift_str_addf(out, "%d, ", s->max);
    if (s->kind == STRATEGY_AT || s->kind == STRATEGY_EACH) {
        lift_position_print(s->position, out);
        lift_str_add(out, ", ");
    }
}

static int column(const struct lift_str *out)
{
    size_t begin = out->len;

    while (begin > 0 && out->data[begin - 1] != '\n')
        begin--;
    return (int)(out->len - begin);
}

static void print_rules(lift_strategy s, int indent, struct lift_str *out)
{
    for (int i = 0; i < s->rule_count; i++) {
        const char *name = s->rules[i]->name;

        lift_str_add(out, i ? "," : "");
        if (i && indent >= 0 && column(out) + (int)strlen(name) > LINE)
            lift_str_addf(out, "\n%*s", indent, "");
        else
            lift_str_add(out, i ? " " : "");
        lift_str_add(out, name);
    }
}

/* Prints the common name of rules by number of dimensions, or the name of one rule for
 * all. */
static void print_by_dims(lift_strategy s, struct lift_str *out)
{
    int i = 0;

    while (!s->rules[i])
        i++;
    lift_str_add(out, i == 0 && s->rules[s->rule_count - 1] == s->rules[0]
                          ? s->rules[0]->name
                          : s->rules[i]->base);
}

/* Prints a strategy; 'indent' < 0 prints on one line. */
static void print(lift_strategy s, int indent, struct lift_str *out)
{
    int count = is_try(s) ? 1 : s->count;

    if (s->kind == STRATEGY_RULE) {
        if (s->max)
            lift_str_addf(out, "pick(%d, %s)", s->max, s->rules[0]->name);
        else
            lift_str_add(out, s->rules[0]->name);
        return;
    }
    print_head(s, out);
    for (int i = 0; i < count; i++) {
        lift_str_add(out, !i ? "" : indent < 0 ? ", " : ",");
        if (indent >= 0 && count > 1)
            lift_str_addf(out, "\n%*s", indent, "");
        if (indent < 0)
            print(s->parts[i], -1, out);
        else
            rule_print_strategy(s->parts[i], indent, out);
    }
    if (s->kind == STRATEGY_EACH || s->kind == STRATEGY_RANKED)
        print_by_dims(s, out);
    else
        print_rules(s, indent, out);
    lift_str_addc(out, ')');
}

void rule_print_strategy(lift_strategy s, int indent, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) line = {0};

    print(s, -1, &line);
    if ((int)line.len + indent <= LINE || s->kind == STRATEGY_RULE)
        lift_str_add(out, lift_str_get(&line));
    else
        print(s, indent + 2, out);
}
