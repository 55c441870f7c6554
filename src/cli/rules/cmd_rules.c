#include "base/memory.h"
#include "base/seconds.h"
#include "cli/cli.h"
#include "cli/rules/rules_show.h"
#include "rules/decision.h"
#include "rules/rule_check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RULE_FILES = 16 };

struct rules_args {
    const char *action, *subject, *program;
    const char *files[MAX_RULE_FILES];
    int file_count;
    int64_t instances, seed, jobs;
    bool families, tunables;
};

static const struct cli_option options[] = {
    {"instances", 'n', "N", 0, "Check each rule on N instances (1000)",
     CLI_NUMBER(struct rules_args, instances, 1, 100000000)},
    {"seed", 's', "N", 0, "Seed of the random instances (1)",
     CLI_NUMBER(struct rules_args, seed, 0, INT64_MAX)},
    {"jobs", 'j', "N", 0, "Check in N processes (one for each core)",
     CLI_NUMBER(struct rules_args, jobs, 1, 64)},
    CLI_RULES_OPTION(0, struct rules_args, files, file_count),
    {"families", 0, NULL, 0, "With doc: write the tables of kernel families only",
     CLI_FLAG(struct rules_args, families)},
    {"tunables", 0, NULL, 0, "Of the document what each tunable means alone",
     CLI_FLAG(struct rules_args, tunables)},
    CLI_NEEDED("list, check, measure, show or doc?"),
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct rules_args *a = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num > 2)
            argp_error(state, "too many arguments");
        *(state->arg_num == 0   ? &a->action
          : state->arg_num == 1 ? &a->subject
                                : &a->program) = arg;
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

static int list(const struct lift_rules *rules)
{
    const char *group = "";

    for (int i = 0; i < lift_rules_count(rules); i++) {
        const struct lift_rule *rule = lift_rules_get(rules, i);

        if (strcmp(group, rule->group) != 0)
            printf("%s%s\n", i ? "\n" : "", rule->group);
        group = rule->group;
        printf("  %-44s %-13s %s\n", rule->name, lift_rule_class_name(rule->soundness),
               rule->doc);
    }
    printf("\nfamilies\n");
    for (int i = 0; i < lift_family_count(rules); i++) {
        const struct lift_family *family = lift_family_get(rules, i);
        const char *kind = lift_option_device_name(lift_family_devices(rules, family));

        printf("  %-44s %-13s %s\n", family->name, kind ? kind : "", family->doc);
    }
    return CLI_DONE;
}

struct check_sum {
    int failed;
    long instances;
};

static void report(void *user, const struct lift_check_report *r)
{
    struct check_sum *sum = user;

    printf("%-28s %-10s %d instances of %d drawn, %.2f s\n", r->rule->name,
           lift_check_verdict_name(r->verdict), r->instances, r->tried, r->seconds);
    if (*r->detail)
        printf("%s\n", r->detail);
    fflush(stdout);
    sum->failed += r->verdict != LIFT_CHECK_PASSED;
    sum->instances += r->instances;
}

/* Checks rules. Of a file, only its own rules are checked; these may refer to
 * built-in rules. */
static int check(struct lift_rules *rules, const struct rules_args *a)
{
    struct lift_check_options o = {
        .instances = (int)a->instances, .seed = (uint64_t)a->seed, .jobs = (int)a->jobs};
    LIFT_SCOPED(lift_error) errors = {0};
    struct check_sum sum = {0};
    int first = a->subject ? lift_rules_count(rules) : 0, count;
    double start = lift_seconds();
    const struct lift_rule **which;
    int status;

    lift_rules_keep_mistyped(rules);
    if (a->subject && !lift_rules_load_file(rules, a->subject, &errors))
        return cli_malformed(&errors);
    lift_error_print(&errors, stderr);
    count = lift_rules_count(rules) - first;
    which = lift_alloc((size_t)count + 1, sizeof *which);
    for (int i = 0; i < count; i++)
        which[i] = lift_rules_get(rules, first + i);
    status = cli_check_rules(which, count, o, report, &sum);
    free(which);
    if (status == CLI_USAGE)
        return status;
    printf("%d rules passed, %d failed; %ld instances in %.1f s\n", count - sum.failed,
           sum.failed, sum.instances, lift_seconds() - start);
    return sum.failed ? CLI_FAILED : CLI_DONE;
}

static int act(struct lift_rules *rules, const struct rules_args *a)
{
    static const char *const actions[] = {"list", "check", "show", "doc", NULL};

    if ((a->families || a->tunables) && strcmp(a->action, "doc") != 0)
        return cli_fail(CLI_USAGE, "--%s is for 'lift rules doc'",
                        a->families ? "families" : "tunables");
    if (!strcmp(a->action, "list") && !a->subject)
        return list(rules);
    if (!strcmp(a->action, "doc") && !a->subject)
        return a->tunables   ? cli_rules_tunables()
               : a->families ? cli_rules_families(rules)
                             : cli_rules_doc(rules);
    if (!strcmp(a->action, "check") && !a->program)
        return check(rules, a);
    if (!strcmp(a->action, "show") && a->subject)
        return cli_rules_show(rules, a->subject, a->program);
    return cli_no_such(a->action, actions,
                       "'lift rules' takes 'list', 'check [FILE]', 'show NAME "
                       "[FILE.lift]' or 'doc'");
}

static const struct cli_argp argp = {
    options, parse, "list\ncheck [FILE]\nshow NAME [FILE.lift]\ndoc",
    "List the rules, check them on random instances, show a rule and where it applies "
    "in a program, or write a document of all rules.\vtools/measure_rules.py measures "
    "how much rules gain."};

static int run(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct rules_args a = {.instances = 1000, .seed = 1, .jobs = cores < 64 ? cores : 64};
    struct lift_rules *rules;
    int status;

    cli_parse(&argp, argc, argv, &a);
    rules = cli_load_rules(a.files, a.file_count, true, &status);
    if (!rules)
        return status;
    status = act(rules, &a);
    lift_rules_destroy(rules);
    return status;
}

const struct cli_command cli_rules = {"rules", "list, show or check the rules", run,
                                      &argp};
