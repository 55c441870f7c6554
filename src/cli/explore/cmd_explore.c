#include "cli/explore/exploration.h"
#include "cli/explore/interrupt.h"
#include "cli/explore/job.h"
#include "cli/explore/summary.h"
#include "report/shell.h"
#include "rules/decision.h"

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

static int explore(const struct lift_explore_options *o, const struct explore_args *a)
{
    struct cli_exploration e = {.result = {.program = NULL}};
    int status;

    cli_warn_network(o->db);
    status = cli_exploration_run(&e, o, a->quiet);
    if (status == CLI_DONE)
        status = cli_explore_summary(&(struct cli_summary){.result = &e.result,
                                                           .progress = &e.progress,
                                                           .db = o->db,
                                                           .file = a->file,
                                                           .precision = a->precision,
                                                           .rules = o->rules,
                                                           .json = a->json,
                                                           .verbose = a->verbose});
    cli_exploration_fini(&e);
    return status;
}

static bool check_points(const struct explore_args *a, const struct lift_rules *rules)
{
    bool good = true;

    for (int i = 0; i < a->o.point_count && good; i++) {
        struct lift_configuration point = {{0}};
        LIFT_SCOPED(lift_str) why = {0};

        good = lift_configuration_read_noting(rules, a->points[i], &point, &why,
                                              cli_note_former, NULL);
        if (!good)
            cli_fail(CLI_USAGE, "--decide '%s': %s", a->points[i], lift_str_get(&why));
    }
    return good;
}

/* 'steps' 0: all requested numbers of time steps a launch together. */
static int run_steps(const struct explore_args *a,
                     const struct lift_explore_options *with, int64_t steps)
{
    struct lift_explore_options o = *with;
    struct lift_error errors = {0};
    struct lift_source source = {0};
    int status;

    o.source = &source;
    o.steps = a->steps;
    o.step_count = a->step_count;
    if (steps) {
        o.steps = &steps;
        o.step_count = 1;
    }
    if (!cli_source(a->file, a->precision, 0, &source, &errors))
        status = cli_malformed(&errors);
    else if (a->build_only || a->check_only)
        status = cli_explore_builds(&o, a);
    else if (a->print_space)
        status = cli_explore_space(&o, a);
    else if (a->job.size > 1)
        status = cli_explore_job(&o, a);
    else
        status = explore(&o, a);
    lift_source_free(&source);
    return status;
}

/* Builds candidates, or surveys the space, for each number of time steps. Returns the
 * greatest exit status. */
static int run_each(const struct explore_args *a, const struct lift_explore_options *o)
{
    int status = CLI_DONE, count = a->step_count > 0 ? a->step_count : 1;

    for (int i = 0; i < count && !cli_interrupted; i++) {
        int one = run_steps(a, o, a->step_count > 0 ? a->steps[i] : 1);

        status = one > status ? one : status;
    }
    return status;
}

static int run_with(struct explore_args *a, const char *line)
{
    struct lift_explore_options o = a->o;
    struct lift_rules *rules;
    bool explores = !a->build_only && !a->check_only && !a->print_space;
    int status;

    rules = cli_load_rules(a->rules, a->rule_count, a->force, &status);
    o.rules = rules;
    o.argv = line;
    if (rules && !check_points(a, rules)) {
        status = CLI_USAGE;
    } else if (rules) {
        cli_warn_unexplored(rules);
        status = explores ? run_steps(a, &o, 0) : run_each(a, &o);
    }
    lift_rules_destroy(rules);
    return status;
}

static int run(int argc, char **argv)
{
    struct explore_args a = {.arena = lift_arena_create()};
    LIFT_SCOPED(lift_str) line = {0};
    int status;

    cli_explore_parse(&a, argc, argv);
    if (!lift_job_find(&a.job))
        a.job = (struct lift_job){0, 1, 0};
    if (a.job.rank > 0 && (a.build_only || a.check_only || a.print_space)) {
        lift_arena_destroy(a.arena);
        return CLI_DONE; /* in a job, only rank 0 prints */
    }
    join(argc, argv, &line);
    status = run_with(&a, lift_str_get(&line));
    lift_arena_destroy(a.arena);
    return status;
}

const struct cli_command cli_explore = {
    "explore", "find the fastest verified kernel of a program for a device", run,
    &cli_explore_argp};
