/* Loads the built-in rules and the rules of a user's files. */
#include "base/memory.h"
#include "cli/cli.h"
#include "rules/decision.h"
#include "tuner/functions.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MAX_FUNCTIONS = 64 }; /* of a rule */

/* Fewer instances than 'lift rules check' uses: enough to find most errors quickly. */
static const struct lift_check_options quick = {
    .instances = 100, .seed = 1, .seconds = 10};

static void report_unsound(void *user, const struct lift_check_report *report)
{
    (void)user;
    if (report->verdict == LIFT_CHECK_PASSED)
        return;
    cli_fail(CLI_FAILED, "rule '%s' is %s: --force-rules accepts it", report->rule->name,
             lift_check_verdict_name(report->verdict));
    if (*report->detail)
        fprintf(stderr, "%s\n", report->detail);
}

static void lost(void *user, int status, struct lift_str *out)
{
    struct lift_worker_result result = {LIFT_WORKER_EXITED, WEXITSTATUS(status)};

    if (WIFSIGNALED(status))
        result = (struct lift_worker_result){LIFT_WORKER_CRASHED, WTERMSIG(status)};
    if (lift_functions_caught(user))
        lift_functions_explain(user, result, out);
}

/* Returns false and a message if a C function of a rule does not compile. */
static bool compile(struct lift_functions *functions, const struct lift_rule *rule,
                    bool *any)
{
    const char *texts[MAX_FUNCTIONS];
    struct lift_function_fault fault;
    int count = lift_rule_functions(rule, texts, MAX_FUNCTIONS);

    *any |= count > 0;
    if (lift_functions_compile(functions, texts,
                               count < MAX_FUNCTIONS ? count : MAX_FUNCTIONS, &fault))
        return true;
    cli_fail(CLI_USAGE, "rule '%s': %s", rule->name, lift_str_get(&fault.why));
    lift_str_fini(&fault.why);
    return false;
}

int cli_check_rules(const struct lift_rule *const *rules, int count,
                    struct lift_check_options options, lift_check_visit *visit,
                    void *user)
{
    struct lift_functions *functions = lift_functions_create();
    bool good = true, any = false;
    int status = CLI_USAGE;

    for (int i = 0; i < count && good; i++)
        good = compile(functions, rules[i], &any);
    if (any) {
        lift_functions_guard(functions);
        options.jobs = 1; /* one process, so that a crash identifies the function */
        options.user_fun = lift_functions_call;
        options.lost = lost;
        options.user = functions;
    }
    if (good)
        status =
            lift_rules_check(rules, count, &options, visit, user) ? CLI_DONE : CLI_FAILED;
    lift_functions_destroy(functions);
    return status;
}

static int sound(const struct lift_rules *rules, int first)
{
    int count = lift_rules_count(rules) - first;
    const struct lift_rule **list = lift_alloc((size_t)count + 1, sizeof *list);
    int status = CLI_DONE;

    for (int i = 0; i < count; i++)
        list[i] = lift_rules_get(rules, first + i);
    if (count)
        status = cli_check_rules(list, count, quick, report_unsound, NULL);
    free(list);
    return status;
}

void cli_note_former(void *user, const char *name, const char *now)
{
    enum { MOST = 64 };
    static const char *said[MOST]; /* names already printed */
    static int count;

    (void)user;
    for (int i = 0; i < count; i++)
        if (strcmp(said[i], name) == 0)
            return;
    if (count < MOST)
        said[count++] = lift_strdup(name);
    cli_fail(CLI_DONE, "note: '%s' is called '%s' now", name, now);
}

void cli_note_former_rules(const struct lift_rules *rules)
{
    const char *const *names;
    int count = lift_rules_former(rules, &names);

    for (int i = 0; i < count; i++)
        cli_note_former(NULL, names[2 * i], names[2 * i + 1]);
}

struct lift_rules *cli_load_rules(const char *const *files, int count, bool force,
                                  int *status)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    int shipped = lift_rules_count(rules);

    *status = CLI_DONE;
    for (int i = 0; i < count && *status == CLI_DONE; i++)
        if (!lift_rules_load_file(rules, files[i], &errors))
            *status = cli_malformed(&errors);
    if (*status == CLI_DONE)
        cli_note_former_rules(rules);
    if (*status == CLI_DONE && !force)
        *status = sound(rules, shipped);
    if (*status == CLI_DONE)
        return rules;
    lift_rules_destroy(rules);
    return NULL;
}

void cli_warn_unexplored(const struct lift_rules *rules)
{
    enum { NAMED = 8 };
    const struct lift_rule *found[NAMED];
    int count = lift_rules_unexplored(rules, found, NAMED);
    LIFT_SCOPED(lift_str) names = {0};

    for (int i = 0; i < count && i < NAMED; i++)
        lift_str_addf(&names, "%s'%s'", i ? ", " : "", found[i]->name);
    if (count > NAMED)
        lift_str_addf(&names, " and %d more", count - NAMED);
    if (count > 0)
        cli_fail(
            CLI_DONE,
            "warning: %s %s %s in no option of a decision: explorations do not use %s "
            "(docs/rule-files.md, Order of an exploration)",
            count == 1 ? "rule" : "rules", lift_str_get(&names),
            count == 1 ? "is" : "are", count == 1 ? "it" : "them");
}
