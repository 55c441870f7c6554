#include "cli/explore/progress.h"
#include "cli/cli.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const double seconds_between_lines = 10, seconds_between_marks = 2;

/* ---- the terminal */

/* The text on the terminal, for the signal handler, which must not allocate. */
static char shown[512];
static volatile sig_atomic_t shown_length;

static void put(const char *text, size_t length)
{
    ssize_t ignored = write(STDERR_FILENO, text, length);

    (void)ignored;
}

/* After a resize the terminal has wrapped the line. The handler clears the screen
 * below and redraws the line; the next report fits the new width. */
static void resized(int signal)
{
    static const char clear[] = "\r\033[J";
    struct winsize size;
    size_t length = (size_t)shown_length;

    (void)signal;
    if (length == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return;
    if (length > (size_t)size.ws_col - 1)
        length = (size_t)size.ws_col - 1;
    put(clear, sizeof clear - 1);
    put(shown, length);
}

static void show(const char *text)
{
    shown_length = 0;
    snprintf(shown, sizeof shown, "%s", text);
    shown_length = (sig_atomic_t)strlen(shown);
}

/* Draws the line, with the speed of the best kernel highlighted and failures dimmed. */
static void draw(const struct cli_progress *progress, const char *text)
{
    const char *best = strstr(text, "best "), *end = best ? strstr(best, "GPts/s") : NULL;

    show(text);
    if (progress->colour && end) {
        end += strlen("GPts/s");
        fprintf(stderr, "\r\033[K%.*s\033[1;32m%.*s\033[0m%s", (int)(best - text), text,
                (int)(end - best), best, end);
    } else {
        fprintf(stderr, "\r\033[K%s", text);
    }
}

void cli_progress_init(struct cli_progress *progress, bool quiet)
{
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
    struct sigaction action = {.sa_handler = resized, .sa_flags = SA_RESTART};

    *progress = (struct cli_progress){.quiet = quiet, .last = -seconds_between_lines};
    progress->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    progress->colour = progress->terminal && !(plain && *plain);
    if (progress->terminal && !quiet)
        sigaction(SIGWINCH, &action, NULL);
}

/* ---- times of stages */

static void add_stage(struct cli_progress *progress, const char *name, double seconds)
{
    for (int i = 0; i < progress->stage_count; i++)
        if (!strcmp(progress->stages[i].name, name)) {
            progress->stages[i].seconds += seconds;
            return;
        }
    if (progress->stage_count < PROGRESS_STAGES)
        progress->stages[progress->stage_count++] =
            (struct cli_progress_stage){name, seconds};
}

/* Trials a second over the last marks, which are a few seconds apart. */
static double rate_of(struct cli_progress *progress,
                      const struct lift_explore_progress *p)
{
    const struct cli_progress_mark *first = &progress->marks[0];
    int last = progress->mark_count - 1;

    if (last < 0 || p->elapsed - progress->marks[last].at >= seconds_between_marks) {
        if (last == PROGRESS_MARKS - 1)
            memmove(progress->marks, progress->marks + 1,
                    sizeof *progress->marks * PROGRESS_MARKS - sizeof *progress->marks);
        else
            progress->mark_count++;
        progress->marks[progress->mark_count - 1] =
            (struct cli_progress_mark){p->elapsed, p->trials};
    }
    if (p->elapsed - first->at < 0.5)
        return 0;
    return (double)(p->trials - first->trials) / (p->elapsed - first->at);
}

/* ---- signs of life */

static void touch(struct cli_progress *progress, double now)
{
    static const double every = 2;

    if (!progress->alive || now - progress->touched < every)
        return;
    progress->touched = now;
    utimensat(AT_FDCWD, progress->alive, NULL, 0);
}

/* ---- reports */

/* True for a faster kernel, or a new stage. */
static bool is_news(const struct cli_progress *progress,
                    const struct lift_explore_progress *p, const char *stage_before)
{
    return !stage_before || strcmp(stage_before, p->stage) != 0 ||
           (p->best_seconds > 0 &&
            (progress->best == 0 || p->best_seconds < progress->best));
}

void cli_progress_report(void *user, const struct lift_explore_progress *p)
{
    enum { WIDE = 400 };
    struct cli_progress *progress = user;
    const char *before = progress->stage;
    LIFT_SCOPED(lift_str) line = {0};
    double rate = rate_of(progress, p);

    if (progress->stage)
        add_stage(progress, progress->stage, p->elapsed - progress->since);
    progress->stage = p->stage;
    progress->since = p->elapsed;
    touch(progress, p->elapsed);
    if (progress->quiet)
        return;
    if (!progress->terminal && !is_news(progress, p, before) &&
        p->elapsed - progress->last < seconds_between_lines)
        return;
    progress->last = p->elapsed;
    progress->best = p->best_seconds;
    cli_progress_line(p, rate, progress->terminal ? cli_columns() - 1 : WIDE, &line);
    if (progress->terminal)
        draw(progress, lift_str_get(&line));
    else
        fprintf(stderr, "%s\n", lift_str_get(&line));
    progress->open = progress->terminal;
    fflush(stderr);
}

void cli_progress_end(struct cli_progress *progress)
{
    shown_length = 0;
    if (progress->open)
        fputc('\n', stderr);
    progress->open = false;
}
