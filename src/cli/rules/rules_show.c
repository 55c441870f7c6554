#include "cli/rules/rules_show.h"
#include "ir/tunable.h"
#include "report/fold.h"
#include "rules/decision.h"
#include <string.h>

enum { LEVELS = 4 }; /* displayed levels of a term */

static void print_rule(const struct lift_rule *rule)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_rule_print(rule, &text);
    fputs(lift_str_get(&text), stdout);
    if (text.len && text.data[text.len - 1] != '\n')
        putchar('\n');
}

/* ---- where a rule applies */

struct positions {
    struct lift_ir *ir;
    int count;
};

static void print_folded(const char *what, lift_expr e)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_addf(&text, "  %-5s", what);
    lift_expr_print_indented(e, 7, &text);
    puts(lift_str_get(&text));
}

static bool print_place(void *user, const struct lift_rewrite *r)
{
    struct positions *p = user;
    LIFT_SCOPED(lift_str) path = {0};

    lift_path_print(&r->at, &path);
    printf("\nat %s", lift_str_get(&path));
    if (r->choice)
        printf(", choice %d", r->choice);
    putchar('\n');
    print_folded("from", report_fold_deep(p->ir, r->from, LEVELS));
    print_folded("to", report_fold_known(p->ir, r->to, r->from));
    p->count++;
    return true;
}

static int applies_in(const struct lift_rule *rule, const char *path)
{
    struct positions positions = {.ir = lift_ir_create()};
    const struct lift_program *program = NULL;
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source source = {0};

    if (lift_source_load(path, &source, &errors))
        program = lift_program_load_general(&positions.ir, &source, NULL, &errors);
    if (program) {
        lift_rewrite_each(positions.ir, &rule, 1, program->body, print_place, &positions);
        printf("\n'%s' applies at %d position%s of '%s'\n", rule->name, positions.count,
               positions.count == 1 ? "" : "s", program->name);
    } else {
        lift_error_print(&errors, stderr);
    }
    lift_source_free(&source);
    lift_ir_destroy(positions.ir);
    return program ? CLI_DONE : CLI_USAGE;
}

/* Prints a decision with its options, or a family. */
static bool show_declared(const struct lift_rules *rules, const char *name)
{
    const struct lift_decision *decision = lift_decision_find(rules, name);
    const struct lift_family *family = lift_family_find(rules, name);
    LIFT_SCOPED(lift_str) text = {0};

    if (decision)
        lift_decision_print(decision, &text);
    for (int i = 0; decision && i < decision->option_count; i++) {
        lift_str_addc(&text, '\n');
        lift_option_print(decision->options[i], &text);
    }
    if (family)
        lift_family_print(family, &text);
    fputs(lift_str_get(&text), stdout);
    return decision || family;
}

int cli_rules_show(const struct lift_rules *rules, const char *name, const char *program)
{
    const struct lift_rule *rule = lift_rules_find(rules, name);

    if (!rule && !program && show_declared(rules, name))
        return CLI_DONE;
    if (!rule) {
        LIFT_SCOPED(lift_str) text = {0};

        lift_rules_missing(rules, name, &text);
        return cli_fail(CLI_USAGE, "%s\n'lift rules list' lists them",
                        lift_str_get(&text));
    }
    print_rule(rule);
    if (*rule->type)
        printf("type: %s\n", rule->type);
    return program ? applies_in(rule, program) : CLI_DONE;
}

/* ---- as a document */

/* Prints a rule, or all instances of a declaration if the rule is the first. */
static void print_section(const struct lift_rules *rules, const struct lift_rule *rule)
{
    struct lift_rule bare = *rule;
    int next = rule->index + 1;

    bare.doc = bare.source = "";
    printf("\n### %s", rule->name);
    for (; next < lift_rules_count(rules) && lift_rules_get(rules, next)->instance > 0;
         next++)
        printf(", %s", lift_rules_get(rules, next)->name);
    printf("\n\n");
    if (*rule->doc)
        printf("%c%s.\n\n",
               *rule->doc >= 'a' && *rule->doc <= 'z' ? *rule->doc - 32 : *rule->doc,
               rule->doc + 1);
    printf("```\n");
    print_rule(&bare);
    printf("```\n");
    if (*rule->source)
        printf("\nSource: %s.\n", rule->source);
}

int cli_rules_doc(const struct lift_rules *rules)
{
    const char *group = "";

    printf("# Rules\n");
    for (int i = 0; i < lift_rules_count(rules); i++) {
        const struct lift_rule *rule = lift_rules_get(rules, i);

        if (strcmp(group, rule->group) != 0)
            printf("\n## %s\n", rule->group);
        group = rule->group;
        if (rule->instance == 0)
            print_section(rules, rule);
    }
    printf("\n## families\n");
    for (int i = 0; i < lift_family_count(rules); i++) {
        const char *name = lift_family_get(rules, i)->name;

        printf("\n### %s\n\n```\n", name);
        show_declared(rules, name);
        printf("```\n");
    }
    printf("\n## tunables\n");
    return cli_rules_tunables();
}

/* ---- tunables as a table */

int cli_rules_tunables(void)
{
    int count;
    const struct lift_tunable_word *words = lift_tunable_words(&count);

    printf("\n| tunable | meaning |\n|---|---|\n");
    for (int i = 0; i < count; i++) {
        const char *word = words[i].word;

        printf("| ");
        if (words[i].kind == LIFT_TUNABLE_DIMENSIONAL)
            printf("`%s_z`, `%s_y`, `%s_x`", word, word, word);
        else
            printf("`%s`", word);
        printf(" | %s |\n", words[i].meaning);
    }
    return CLI_DONE;
}

/* ---- families as tables */

/* Prints a family's options in the order of their application. */
static void print_row(const struct lift_rules *rules, const struct lift_family *family)
{
    const char *before = "";

    printf("| `%s` | %s | %s | `", family->name, family->doc, family->source);
    for (int i = 0; i < lift_decision_count(rules); i++)
        for (int k = 0; k < family->option_count; k++)
            if (family->options[k]->decision->index == i) {
                printf("%s%s=%s", before, family->options[k]->decision->name,
                       family->options[k]->name);
                before = ",";
            }
    printf("` |\n");
}

static void print_table(const struct lift_rules *rules, unsigned devices,
                        const char *heading)
{
    bool begun = false;

    for (int i = 0; i < lift_family_count(rules); i++) {
        const struct lift_family *family = lift_family_get(rules, i);

        if (lift_family_devices(rules, family) != devices)
            continue;
        if (!begun)
            printf(
                "\n### %s\n\n| family | kernel | source | point |\n|---|---|---|---|\n",
                heading);
        begun = true;
        print_row(rules, family);
    }
}

int cli_rules_families(const struct lift_rules *rules)
{
    print_table(rules, LIFT_ON_GROUPS, "Families for devices with work-groups");
    print_table(rules, LIFT_ON_THREADS, "Families for processors");
    print_table(rules, LIFT_ON_ALL, "Families for all devices");
    return CLI_DONE;
}
