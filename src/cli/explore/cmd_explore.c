#include "cli/explore/explore_args.h"
#include "cli/explore/interrupt.h"
#include "cli/explore/progress.h"
#include "cli/explore/summary.h"
#include "lift/decision.h"
#include "report/shell.h"
#include <signal.h>
#include <unistd.h>

static void join(int argc, char **argv, struct lift_str *out)
{
    for (int i = 0; i < argc; i++) {
        lift_str_add(out, i ? " " : "");
        if (i)
            report_quote(out, argv[i]);
        else
            lift_str_add(out, argv[i]);
    }
}

static int explore(const struct lift_explore_options *asked, bool quiet, bool json)
{
    struct lift_explore_options o = *asked;
    struct lift_diags diags = {0};
    struct cli_progress progress;
    struct lift_explore_result result;
    int status;

    o.interrupted = &cli_interrupted;
    o.report = cli_progress_report;
    o.user = &progress;
    cli_warn_network(o.db);
    cli_progress_init(&progress, quiet);
    cli_catch_interrupts();
    result = lift_explore(&o, &diags);
    if (result.progress.stage)
        cli_progress_report(&progress, &result.progress);
    cli_progress_end(&progress);
    alarm(0);
    if (cli_interrupted > 1)
        status = 128 + SIGINT;
    else if (result.end == LIFT_EXPLORE_BAD_PROGRAM)
        status = cli_malformed(&diags);
    else if (result.end == LIFT_EXPLORE_FAILED)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&result.error));
    else
        status =
            cli_explore_summary(&(struct cli_summary){&result, &progress, o.db, json});
    lift_explore_result_fini(&result);
    lift_diags_fini(&diags);
    return status;
}

static bool check_points(const struct explore_args *a, const struct lift_rules *rules)
{
    bool good = true;

    for (int i = 0; i < a->o.point_count && good; i++) {
        struct lift_point point = {{0}};
        struct lift_str why = {0};

        good = lift_point_read(rules, a->points[i], &point, &why);
        if (!good)
            cli_fail(CLI_USAGE, "--decide '%s': %s", a->points[i], lift_str_get(&why));
        lift_str_fini(&why);
    }
    return good;
}

static int run_steps(const struct explore_args *a, const struct lift_rules *rules,
                     const char *line, int64_t steps)
{
    struct lift_explore_options o = a->o;
    struct lift_diags diags = {0};
    struct lift_source source = {0};
    int status;

    o.source = &source;
    o.rules = rules;
    o.argv = line;
    o.seconds /= a->step_count;
    if (!cli_source(a->file, a->precision, steps, &source, &diags))
        status = cli_malformed(&diags);
    else if (a->build_only || a->check_only)
        status = cli_explore_builds(&o, a);
    else if (a->print_space)
        status = cli_explore_space(&o, a);
    else
        status = explore(&o, a->quiet, a->json);
    lift_source_free(&source);
    return status;
}

/* The greatest status of them. */
static int run_with(struct explore_args *a, const char *line)
{
    struct lift_rules *rules;
    int status;

    rules = cli_load_rules(a->rules, a->rule_count, a->force, &status);
    if (rules && !check_points(a, rules)) {
        status = CLI_USAGE;
    } else if (rules) {
        cli_warn_unexplored(rules);
        status = CLI_DONE;
        for (int i = 0; i < a->step_count && !cli_interrupted; i++) {
            int one = run_steps(a, rules, line, a->steps[i]);

            status = one > status ? one : status;
        }
    }
    lift_rules_destroy(rules);
    return status;
}

static int run(int argc, char **argv)
{
    struct explore_args a = {.arena = lift_arena_create()};
    struct lift_str line = {0};
    int status;

    cli_explore_parse(&a, argc, argv);
    join(argc, argv, &line);
    status = run_with(&a, lift_str_get(&line));
    lift_str_fini(&line);
    lift_arena_destroy(a.arena);
    return status;
}

const struct cli_command cli_explore = {
    "explore", "find the fastest verified kernel of a program for a device", run,
    &cli_explore_argp};
