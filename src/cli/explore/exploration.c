#include "cli/explore/exploration.h"
#include "cli/cli.h"
#include "cli/explore/interrupt.h"
#include <unistd.h>

int cli_exploration_run(struct cli_exploration *e,
                        const struct lift_explore_options *options, bool quiet)
{
    struct lift_explore_options o = *options;
    LIFT_SCOPED(lift_error) errors = {0};
    int status = CLI_DONE;

    o.interrupted = &cli_interrupted;
    o.report = cli_progress_report;
    o.user = &e->progress;
    cli_progress_init(&e->progress, quiet);
    e->progress.alive = e->alive;
    cli_catch_interrupts();
    e->result = lift_explore(&o, &errors);
    if (e->result.progress.stage)
        cli_progress_report(&e->progress, &e->result.progress);
    cli_progress_end(&e->progress);
    alarm(0);
    if (cli_interrupted > 1)
        status = 128 + SIGINT;
    else if (e->result.end == LIFT_EXPLORE_BAD_PROGRAM)
        status = cli_malformed(&errors);
    else if (e->result.end == LIFT_EXPLORE_FAILED)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&e->result.error));
    return status;
}

void cli_exploration_fini(struct cli_exploration *e)
{
    lift_explore_result_fini(&e->result);
}
