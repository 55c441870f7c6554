/* 'lift check --decisions': the options that apply to a program. */
#include "cli/check.h"
#include "explore/applicable.h"
#include "lift/rules.h"
#include "rules/decision.h"

/* For each kind of device, a dialect with all features. */
static const struct {
    const char *name;
    enum lift_dialect dialect;
    unsigned device;
} kinds[] = {
    {"threads", LIFT_DIALECT_OPENMP, LIFT_ON_THREADS},
    {"groups", LIFT_DIALECT_CUDA, LIFT_ON_GROUPS | LIFT_HAS_ALL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static json_t *option_json(const struct lift_option *option, struct derivation *const *d)
{
    json_t *out = json_pack("{s:s, s:s}", "decision", option->decision->name, "option",
                            option->name);

    for (int kind = 0; kind < KINDS; kind++) {
        LIFT_SCOPED(lift_str) why = {0};
        bool applies = option_applies(d[kind], option, &why);

        json_object_set_new(out, kinds[kind].name,
                            json_pack("{s:b, s:s*}", "applies", applies, "why",
                                      applies ? NULL : lift_str_get(&why)));
    }
    return out;
}

/* Default options that change nothing are omitted. */
json_t *cli_check_decisions(const struct cli_checked *c, struct lift_error *errors)
{
    struct explore_problem *p =
        explore_problem_load(c->source, c->sizes->sizes, c->sizes->size_count, errors);
    struct lift_rules *rules;
    struct derivation *d[KINDS];
    json_t *list;

    if (!p)
        return NULL;
    rules = lift_rules_shipped();
    list = json_array();
    for (int kind = 0; kind < KINDS; kind++) {
        d[kind] = derive_create(p, rules, kinds[kind].dialect);
        d[kind]->device = kinds[kind].device;
    }
    for (int i = 0; i < lift_decision_count(rules); i++) {
        const struct lift_decision *decision = lift_decision_get(rules, i);

        for (int k = 0; k < decision->option_count; k++)
            if (decision->options[k]->rule)
                json_array_append_new(list, option_json(decision->options[k], d));
    }
    for (int kind = 0; kind < KINDS; kind++)
        derive_destroy(d[kind]);
    explore_problem_destroy(p);
    lift_rules_destroy(rules);
    return list;
}
