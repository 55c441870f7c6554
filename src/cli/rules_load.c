/* Rules that ship and rules of a user's files. */
#include "cli/cli.h"
#include "lift/rule_check.h"
#include <stdlib.h>

/* Fewer instances than 'lift rules check' takes: enough to find most mistakes at once. */
static const struct lift_check_options quick = {
    .instances = 100, .seed = 1, .seconds = 10};

static void report_unsound(void *user, const struct lift_check_report *report)
{
    (void)user;
    if (report->verdict == LIFT_CHECK_PASSED)
        return;
    cli_fail(CLI_FAILED, "rule '%s' is %s: --force-rules takes it all the same",
             report->rule->name, lift_check_verdict_name(report->verdict));
    if (*report->detail)
        fprintf(stderr, "%s\n", report->detail);
}

static bool sound(const struct lift_rules *rules, int first)
{
    int count = lift_rules_count(rules) - first;
    const struct lift_rule **list = calloc((size_t)count + 1, sizeof *list);
    bool good;

    for (int i = 0; i < count; i++)
        list[i] = lift_rules_get(rules, first + i);
    good = count == 0 || lift_rules_check(list, count, &quick, report_unsound, NULL);
    free(list);
    return good;
}

struct lift_rules *cli_load_rules(const char *const *files, int count, bool force,
                                  int *status)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_diags diags = {0};
    int shipped = lift_rules_count(rules);

    *status = CLI_DONE;
    for (int i = 0; i < count && *status == CLI_DONE; i++)
        if (!lift_rules_load_file(rules, files[i], &diags))
            *status = cli_malformed(&diags);
    if (*status == CLI_DONE && !force && !sound(rules, shipped))
        *status = CLI_FAILED;
    if (*status == CLI_DONE)
        return rules;
    lift_rules_destroy(rules);
    return NULL;
}
