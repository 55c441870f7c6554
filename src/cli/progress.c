#include "cli/progress.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double seconds_between_lines = 5;

void cli_progress_init(struct cli_progress *progress, bool quiet)
{
    *progress = (struct cli_progress){.terminal = isatty(STDERR_FILENO),
                                      .quiet = quiet,
                                      .last = -seconds_between_lines};
}

static void add_time(struct lift_str *line, double seconds)
{
    int s = seconds > 0 ? (int)seconds : 0;

    if (s >= 3600)
        lift_str_addf(line, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
    else
        lift_str_addf(line, "%d:%02d", s / 60, s % 60);
}

static void add_failures(struct lift_str *line, const struct lift_explore_progress *p)
{
    const char *before = "; failed: ";

    for (int i = 0; i < LIFT_TRY_STATUSES; i++) {
        if (i == LIFT_TRY_OK || i == LIFT_TRY_SLOW || p->by_status[i] == 0)
            continue;
        lift_str_addf(line, "%s%s %lld", before,
                      lift_try_status_name((enum lift_try_status)i),
                      (long long)p->by_status[i]);
        before = ", ";
    }
}

static void write_line(struct lift_str *line, const struct lift_explore_progress *p)
{
    add_time(line, p->elapsed);
    if (p->budget > 0) {
        lift_str_add(line, " (");
        add_time(line, p->budget - p->elapsed);
        lift_str_add(line, " left)");
    }
    if (p->tries == 0 && strcmp(p->stage, "trying") != 0) {
        lift_str_addf(line, " %s", p->stage);
        return;
    }
    lift_str_addf(line, " %lld", (long long)p->tries);
    if (p->try_limit > 0)
        lift_str_addf(line, " of %lld", (long long)p->try_limit);
    lift_str_addf(line, " tries, %lld verified", (long long)p->verified);
    if (p->by_status[LIFT_TRY_SLOW])
        lift_str_addf(line, ", %lld slow", (long long)p->by_status[LIFT_TRY_SLOW]);
    add_failures(line, p);
    if (p->best_seconds > 0)
        lift_str_addf(line, "; best %.3f GPts/s", p->best_gpts);
    if (p->best_roof > 0)
        lift_str_addf(line, ", %.1f %% of the roof", 100 * p->best_roof);
}

/* Of the terminal: a line that is longer would not be overwritten. */
static int columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
    return 80;
}

void cli_progress_report(void *user, const struct lift_explore_progress *p)
{
    struct cli_progress *progress = user;
    struct lift_str line = {0};

    if (progress->quiet ||
        (!progress->terminal && p->elapsed - progress->last < seconds_between_lines))
        return;
    progress->last = p->elapsed;
    write_line(&line, p);
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%.*s", columns() - 1, lift_str_get(&line));
    else
        fprintf(stderr, "%s\n", lift_str_get(&line));
    progress->open = progress->terminal;
    fflush(stderr);
    lift_str_fini(&line);
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->open)
        fputc('\n', stderr);
    progress->open = false;
}
