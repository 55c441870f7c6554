#include "cli/run/run_print.h"
#include "report/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t run_stopped;
static bool open_line;

/* ---- signals */

static void stop(int signal)
{
    run_stopped = signal;
}

/* ---- the line */

bool run_can_show(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static void add_speed(struct lift_str *out, double gpts, double copy_share, bool in_cache)
{
    char text[REPORT_UNITS];

    lift_str_addf(out, "%s GPts/s", report_digits(gpts, text));
    if (copy_share > 0)
        lift_str_addf(out, ", %s", report_copy_share(copy_share, in_cache, text));
}

void run_show(void *user, const struct sim_progress *p)
{
    LIFT_SCOPED(lift_str) line = {0};
    char text[REPORT_UNITS], most[REPORT_UNITS];

    (void)user;
    lift_str_addf(&line, "step %s of %s  ", report_count(p->step, text),
                  report_count(p->steps, most));
    add_speed(&line, p->gpts, p->copy_share, p->in_cache);
    lift_str_addf(&line, "  %s", report_duration(p->seconds, text));
    fprintf(stderr, "\r\033[K%.*s", cli_columns() - 1, lift_str_get(&line));
    fflush(stderr);
    open_line = true;
}

/* ---- beginning and end */

/* Installs signal handlers that a first signal resets (SA_RESETHAND). */
void run_begin(const struct sim_options *o, const struct sim_result *r, bool quiet)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART | SA_RESETHAND};

    if (r && r->note)
        cli_fail(CLI_DONE, "%s", r->note);
    if (r && !quiet && strcmp(r->chosen, "exact") != 0)
        cli_fail(CLI_DONE, "%s: %s%s", r->chosen, r->kernel,
                 o->plan_seconds > 0 || o->job ? ""
                                               : "; --explore-seconds explores first");
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void say_stop(const struct sim_options *o, const struct sim_result *r)
{
    if (r->end != SIM_STOPPED)
        return;
    if (o->checkpoint && r->step > r->first)
        cli_fail(CLI_DONE, "stopped after step %lld: resume with --resume %s",
                 (long long)r->step, o->checkpoint);
    else
        cli_fail(CLI_DONE, "stopped after step %lld, and no checkpoint has its state%s",
                 (long long)r->step,
                 o->checkpoint ? "; earlier files remain" : ": use --checkpoint FILE");
}

static void print_times(const struct sim_result *r)
{
    static const char *const names[SIM_STAGES] = {"set-up", "compiling", "copies",
                                                  "kernels", "writing"};
    char text[REPORT_UNITS];

    printf("  time        ");
    for (int i = 0; i < SIM_STAGES; i++)
        printf("%s%s %s", i ? ", " : "", names[i],
               r->seconds[i] < 1 ? report_launch_time(r->seconds[i], text)
                                 : report_duration(r->seconds[i], text));
    if (r->parts)
        printf("; kernels waited %s for exchanges",
               r->exchange < 1 ? report_launch_time(r->exchange, text)
                               : report_duration(r->exchange, text));
    printf("\n");
}

static void print_loop(const struct sim_result *r)
{
    char text[REPORT_UNITS];

    printf("  loop        %s from the first step to the last, %.1f %% of it kernels\n",
           r->loop < 1 ? report_launch_time(r->loop, text)
                       : report_duration(r->loop, text),
           fmin(100, 100 * r->seconds[SIM_KERNELS] / r->loop));
}

static void print_overlap(const struct sim_times *t)
{
    char edges[REPORT_UNITS], began[REPORT_UNITS], taken[REPORT_UNITS],
        inner[REPORT_UNITS];

    printf(
        "  a launch    on %s: boundary planes until %s, exchange from %s to %s, interior "
        "until %s\n",
        t->device, report_launch_time(t->edges, edges),
        report_launch_time(t->began, began), report_launch_time(t->taken, taken),
        report_launch_time(t->inner, inner));
}

void run_end(const struct sim_options *o, const struct sim_result *r, bool quiet)
{
    struct lift_str speed = {0};
    char text[REPORT_UNITS], first[REPORT_UNITS];

    if (open_line)
        fputc('\n', stderr);
    say_stop(o, r);
    if (quiet || r->end == SIM_FAILED || r->end == SIM_USAGE)
        return;
    cli_print_subject(&(struct cli_subject){r->program, r->sizes, r->dtype, r->device,
                                            NULL, r->at_once});
    printf("\n  steps       %s", report_count(r->step - r->first, text));
    if (r->first)
        printf(", from step %s on", report_count(r->first, first));
    if (r->launches.len)
        printf(", %s", lift_str_get(&r->launches));
    add_speed(&speed, r->gpts, r->copy_share, r->in_cache);
    printf("\n  kernel      %s: %s\n", r->chosen, r->kernel);
    if (r->depths.len)
        printf("  launches    %s%s%s\n", lift_str_get(&r->depths), r->unused ? "; " : "",
               r->unused ? r->unused : "");
    if (r->parts)
        printf("  parts       %s\n", r->parts);
    if (r->step > r->first)
        printf("  speed       %s\n", lift_str_get(&speed));
    print_times(r);
    if (r->loop > 0)
        print_loop(r);
    for (int i = 0; i < r->time_count; i++)
        print_overlap(&r->times[i]);
    lift_str_fini(&speed);
}

int run_status(const struct sim_options *o, const struct sim_result *r)
{
    static const int statuses[] = {[SIM_NOT_FINITE] = CLI_FAILED,
                                   [SIM_FAILED] = CLI_FAILED,
                                   [SIM_USAGE] = CLI_USAGE};

    if (r->end == SIM_STOPPED)
        return 128 + r->signal;
    if (r->end == SIM_DONE)
        return CLI_DONE;
    if (r->elsewhere || (o->job && o->job->rank > 0 && r->end == SIM_NOT_FINITE))
        return statuses[r->end];
    if (o->job && r->end == SIM_FAILED)
        return cli_fail(CLI_FAILED, "rank %d: %s", o->job->rank,
                        lift_error_text(&r->error));
    if (r->error.file) {
        fprintf(stderr, "%s\n", lift_error_text(&r->error));
        return statuses[r->end];
    }
    return cli_fail(statuses[r->end], "%s", lift_error_text(&r->error));
}
