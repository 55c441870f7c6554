/* 'lift check --decisions': which options a program gives something to do. */
#include "base/memory.h"
#include "cli/check.h"
#include "explore/applicable.h"
#include "lift/rules.h"
#include <stdlib.h>

/* A language of each kind that has all its features. */
static const struct {
    const char *name;
    enum lift_dialect dialect;
    unsigned device;
} kinds[CLI_CHECK_KINDS] = {
    [CLI_CHECK_THREADS] = {"threads", LIFT_DIALECT_OPENMP,
                           LIFT_ON_THREADS | LIFT_HAS_PARTS},
    [CLI_CHECK_GROUPS] = {"groups", LIFT_DIALECT_CUDA,
                          LIFT_ON_GROUPS | LIFT_HAS_ALL | LIFT_HAS_PARTS},
};

const char *cli_check_kind(int kind)
{
    return kinds[kind].name;
}

static void look(struct derivation *d, struct cli_checked_option *o, int kind)
{
    LIFT_SCOPED(lift_str) why = {0};

    o->applies[kind] = option_applies(d, o->option, &why);
    if (!o->applies[kind])
        o->why[kind] = lift_strdup(lift_str_get(&why));
}

/* The defaults that do nothing are left out. */
static void list_options(struct cli_checked *c)
{
    for (int i = 0; i < lift_decision_count(c->rules); i++) {
        const struct lift_decision *d = lift_decision_get(c->rules, i);

        for (int k = 0; k < d->option_count; k++) {
            if (!d->options[k]->rule)
                continue;
            c->options =
                lift_resize(c->options, (size_t)c->option_count + 1, sizeof *c->options);
            c->options[c->option_count++] =
                (struct cli_checked_option){.option = d->options[k]};
        }
    }
}

bool cli_check_decisions(struct cli_checked *c, struct lift_error *errors)
{
    struct explore_problem *p =
        explore_problem_load(c->source, c->sizes->sizes, c->sizes->size_count, errors);

    if (!p)
        return false;
    c->rules = lift_rules_shipped();
    list_options(c);
    for (int kind = 0; kind < CLI_CHECK_KINDS; kind++) {
        struct derivation *d = derive_create(p, c->rules, kinds[kind].dialect);

        d->device = kinds[kind].device;
        for (int i = 0; i < c->option_count; i++)
            look(d, &c->options[i], kind);
        derive_destroy(d);
    }
    explore_problem_destroy(p);
    return true;
}

void cli_check_decisions_fini(struct cli_checked *c)
{
    for (int i = 0; i < c->option_count; i++)
        for (int kind = 0; kind < CLI_CHECK_KINDS; kind++)
            free(c->options[i].why[kind]);
    free(c->options);
    lift_rules_destroy(c->rules);
    c->options = NULL;
    c->rules = NULL;
    c->option_count = 0;
}
