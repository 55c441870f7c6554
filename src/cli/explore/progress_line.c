/* Formats the progress line, and shortens the line to the width. */
#include "cli/explore/progress.h"
#include "report/units.h"
#include <string.h>

enum part { TIME, STAGE, TRIALS, BEST, SHARE, GAIN, DEVICES, QUEUE, FAILED, PARTS };
enum { FORMS = 3 };

/* Forms of each part from long to short. An empty form omits the part. */
struct line {
    struct lift_str forms[PARTS][FORMS];
    int form[PARTS];
};

/* Parts in the order of their shortening: each entry makes its part one form shorter. */
static const enum part giving_up[] = {
    QUEUE, QUEUE, DEVICES, FAILED, TIME, TRIALS, GAIN,   DEVICES, FAILED, TRIALS,
    STAGE, BEST,  SHARE,   FAILED, TIME, SHARE,  TRIALS, GAIN,    STAGE};

static void add_clock(struct lift_str *out, double seconds)
{
    int s = seconds > 0 ? (int)seconds : 0;

    if (s >= 3600)
        lift_str_addf(out, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
    else
        lift_str_addf(out, "%d:%02d", s / 60, s % 60);
}

static void time_forms(struct lift_str forms[FORMS],
                       const struct lift_explore_progress *p)
{
    for (int i = 0; i < 2; i++) {
        add_clock(&forms[i], p->elapsed);
        if (p->budget <= 0)
            continue;
        lift_str_add(&forms[i], i ? " -" : ", ");
        add_clock(&forms[i], p->budget - p->elapsed);
        lift_str_add(&forms[i], i ? "" : " left");
        if (!i && p->reserved >= 1 && p->elapsed + p->reserved < p->budget)
            lift_str_addf(&forms[i], " (%.0f s for the final benchmark)", p->reserved);
    }
    add_clock(&forms[2], p->elapsed);
}

static void add_rate(struct lift_str *out, double rate)
{
    char text[REPORT_UNITS];

    if (rate >= 1)
        lift_str_addf(out, ", %s/s", report_digits(rate, text));
    else if (rate > 0)
        lift_str_addf(out, ", %s/min", report_digits(60 * rate, text));
}

static void trials_forms(struct lift_str forms[FORMS],
                         const struct lift_explore_progress *p, double rate)
{
    char text[REPORT_UNITS], most[REPORT_UNITS];

    for (int i = 0; i < 2; i++) {
        lift_str_add(&forms[i], report_count(p->trials, text));
        if (p->trial_limit > 0)
            lift_str_addf(&forms[i], i ? "/%s" : " of %s",
                          report_count(p->trial_limit, most));
        lift_str_add(&forms[i],
                     p->trials == 1 && p->trial_limit == 0 ? " trial" : " trials");
    }
    add_rate(&forms[0], rate);
}

static void best_forms(struct line *line, const struct lift_explore_progress *p)
{
    char text[REPORT_UNITS];

    if (p->best_seconds <= 0)
        return;
    report_digits(p->best_gpts, text);
    lift_str_addf(&line->forms[BEST][0], "best%s %s GPts/s",
                  p->confirmed ? "" : " so far", text);
    lift_str_addf(&line->forms[BEST][1], "%s GPts/s", text);
    if (p->best_copy_share > 0) {
        lift_str_add(&line->forms[SHARE][0],
                     report_copy_share(p->best_copy_share, false, text));
        lift_str_addf(&line->forms[SHARE][1], "%.0f%%", 100 * p->best_copy_share);
    }
    if (p->gain > 0) {
        report_digits(p->gain, text);
        lift_str_addf(&line->forms[GAIN][0], "%sx the naive kernel", text);
        lift_str_addf(&line->forms[GAIN][1], "%sx", text);
    }
}

/* Results of several devices: the best of each. */
static void devices_forms(struct lift_str forms[FORMS],
                          const struct lift_explore_progress *p)
{
    char text[REPORT_UNITS];

    for (int i = 0; i < p->part_count && p->part_count > 1 && p->trials > 0; i++) {
        const struct lift_explore_part *part = &p->parts[i];
        const char *best = part->lost ? "lost"
                           : part->progress.best_seconds <= 0
                               ? "none yet"
                               : report_digits(part->progress.best_gpts, text);

        lift_str_addf(&forms[0], "%s%s %s", i ? ", " : "", part->name, best);
        if (part->progress.best_copy_share > 0 && !part->lost)
            lift_str_addf(&forms[0], " (%.0f%%)", 100 * part->progress.best_copy_share);
        lift_str_addf(&forms[1], "%s%s", i ? "/" : "", best);
    }
}

static void failed_forms(struct lift_str forms[FORMS],
                         const struct lift_explore_progress *p)
{
    char text[REPORT_UNITS];
    int64_t sum = 0;

    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++) {
        if (i == LIFT_TRIAL_OK || i == LIFT_TRIAL_SLOW || i == LIFT_TRIAL_SLAB ||
            lift_trial_is_rejected((enum lift_trial_status)i) || p->by_status[i] == 0)
            continue;
        lift_str_addf(&forms[0], "%s%s %s", sum ? ", " : "failed: ",
                      lift_trial_status_name((enum lift_trial_status)i),
                      report_count(p->by_status[i], text));
        sum += p->by_status[i];
    }
    if (sum)
        lift_str_addf(&forms[1], "%s failed", report_count(sum, text));
    if (p->rejected)
        for (int i = 0; i < 2; i++)
            lift_str_addf(&forms[i], "%s%s rejected", forms[i].len ? ", " : "",
                          report_count(p->rejected, text));
}

/* Numbers of compilations in progress and of compiled candidates. */
static void queue_forms(struct lift_str forms[FORMS],
                        const struct lift_explore_progress *p)
{
    if (p->compiling + p->waiting == 0)
        return;
    lift_str_addf(&forms[0], "%d compiling, %d ready", p->compiling, p->waiting);
    lift_str_addf(&forms[1], "%d+%d", p->compiling, p->waiting);
}

static void stage_forms(struct lift_str forms[FORMS],
                        const struct lift_explore_progress *p)
{
    if (!p->stage || (p->trials > 0 && !strcmp(p->stage, "trying")))
        return;
    lift_str_add(&forms[0], p->stage);
    lift_str_addf(&forms[1], "%.12s", p->stage);
}

static int length_of(const struct line *line)
{
    int length = 0;

    for (int i = 0; i < PARTS; i++) {
        int more = (int)line->forms[i][line->form[i]].len;

        length += more ? more + (length ? 2 : 0) : 0;
    }
    return length;
}

static void fit(struct line *line, int width)
{
    size_t steps = sizeof giving_up / sizeof *giving_up;

    for (size_t i = 0; i < steps && length_of(line) > width; i++)
        if (line->form[giving_up[i]] < FORMS - 1)
            line->form[giving_up[i]]++;
}

void cli_progress_line(const struct lift_explore_progress *p, double rate, int width,
                       struct lift_str *out)
{
    struct line line = {.form = {0}};
    size_t begin = out->len;

    time_forms(line.forms[TIME], p);
    stage_forms(line.forms[STAGE], p);
    if (p->trials > 0)
        trials_forms(line.forms[TRIALS], p, rate);
    best_forms(&line, p);
    devices_forms(line.forms[DEVICES], p);
    queue_forms(line.forms[QUEUE], p);
    failed_forms(line.forms[FAILED], p);
    fit(&line, width);
    for (int i = 0; i < PARTS; i++) {
        const struct lift_str *text = &line.forms[i][line.form[i]];

        if (text->len)
            lift_str_addf(out, "%s%s", out->len > begin ? "  " : "", text->data);
    }
    if ((int)(out->len - begin) > width) {
        out->len = begin + (size_t)(width > 0 ? width : 0);
        out->data[out->len] = '\0';
    }
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < FORMS; k++)
            lift_str_fini(&line.forms[i][k]);
}
