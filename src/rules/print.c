/* Prints rules as declared, without comments. Reading the text gives the same rules. */
#include "rules/rule_t.h"

void rule_print_string(const char *key, const char *text, struct lift_str *out)
{
    if (!text[0])
        return;
    lift_str_addf(out, "  %s ", key);
    lift_str_add_quoted(out, text);
    lift_str_addc(out, '\n');
}

void rule_print_macro(const struct rule_def *def, struct lift_str *out)
{
    lift_str_addf(out, " like %s\n  = ", def->like->name);
    rule_print_strategy(def->strategy, 4, out);
    lift_str_addc(out, '\n');
}

void lift_rule_print(const struct lift_rule *rule, struct lift_str *out)
{
    if (rule->option) {
        lift_option_print(rule->option, out);
        return;
    }
    lift_str_add(out, rule->def->declared->head);
    rule_print_string("doc", rule->doc, out);
    rule_print_string("source", rule->source, out);
    lift_str_add(out, rule->def->declared->body);
}
