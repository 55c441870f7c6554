/* Best over time: what was found after how long. */
#include "base/locale.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/units.h"
#include <math.h>
#include <stdio.h>

/* Powers of ten of seconds, minutes and hours; and with what lies between. */
static const double coarse[] = {0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 360000, 3600000};
static const double fine[] = {0.01, 0.02, 0.05,  0.1,   0.2,   0.5,    1,      2,
                              5,    10,   20,    60,    120,   300,    600,    1200,
                              3600, 7200, 18000, 36000, 72000, 180000, 360000, 720000};

static const char *time_label(double seconds, char *out, size_t size)
{
    if (seconds >= 3600)
        lift_snprintf(out, size, "%.6g h", seconds / 3600);
    else if (seconds >= 60)
        lift_snprintf(out, size, "%.6g min", seconds / 60);
    else
        lift_snprintf(out, size, "%.6g s", seconds);
    return out;
}

struct times {
    struct html *h;
    const struct report *report;
    const struct report_problem *problem;
    double first, last, best; /* seconds of exploration; GPts/s */
    double ticks[CHART_TICKS];
    struct chart_side x, y;
};

static double gpts(const struct report_problem *p, double seconds)
{
    return (double)p->points / seconds * 1e-9;
}

static void measure(struct times *t)
{
    t->first = INFINITY;
    for (int i = 0; i < t->problem->pair_count; i++) {
        const struct report_pair *pair = &t->report->pairs[t->problem->pairs[i]];

        if (pair->step_count == 0)
            continue;
        t->first = fmin(t->first, pair->steps[0].at);
        t->last =
            fmax(t->last, fmax(pair->explored, pair->steps[pair->step_count - 1].at));
        t->best =
            fmax(t->best, gpts(t->problem, pair->steps[pair->step_count - 1].seconds));
    }
}

/* Seconds, minutes or hours, whatever gives few round numbers. */
static int linear_ticks(double last, double out[CHART_TICKS])
{
    static const double steps[] = {0.1,  0.2,   0.5,   1,     2,     5,    10,
                                   20,   60,    120,   300,   600,   1200, 3600,
                                   7200, 14400, 43200, 86400, 604800};
    double step = steps[0];
    int n = 0;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && last / step > 6; i++)
        step = steps[i];
    if (last / step > CHART_TICKS - 1)
        step = last / 4;
    for (double at = 0; at <= last * (1 + 1e-9) && n < CHART_TICKS; at += step)
        out[n++] = at;
    return n;
}

static int within(const struct chart_axis *axis, const double *times, size_t count,
                  double out[CHART_TICKS])
{
    int n = 0;

    for (size_t i = 0; i < count && n < CHART_TICKS; i++)
        if (times[i] >= axis->lo && times[i] <= axis->hi)
            out[n++] = times[i];
    return n;
}

static int log_ticks(const struct chart_axis *axis, double out[CHART_TICKS])
{
    int n = within(axis, fine, sizeof fine / sizeof *fine, out);

    return n <= 7 ? n : within(axis, coarse, sizeof coarse / sizeof *coarse, out);
}

/* Long searches find most at their beginning: their axis is logarithmic. */
static void make_axes(struct times *t)
{
    double first = fmax(t->first, 0.05), last = fmax(t->last, first * 1.01);
    bool log = last / first > 20;

    t->y = (struct chart_side){.axis = chart_linear(t->best, CHART_BOTTOM, CHART_TOP),
                               .name = "GPts/s",
                               .label = chart_plain_label};
    t->x = (struct chart_side){
        .name = "time of exploration", .label = time_label, .ticks = t->ticks};
    t->x.axis =
        (struct chart_axis){log ? first / 1.5 : 0, last, log, CHART_LEFT, CHART_RIGHT};
    if (!log)
        t->x.tick_count = linear_ticks(last, t->ticks);
    if (log)
        t->x.tick_count = log_ticks(&t->x.axis, t->ticks);
}

static void place(const struct times *t, const struct report_dot *dot, double out[2])
{
    out[0] = chart_at(&t->x.axis, dot->at);
    out[1] = chart_at(&t->y.axis, gpts(t->problem, dot->seconds));
}

static void draw_roof(const struct times *t, const struct report_pair *pair)
{
    double roof = report_roof_gpts(t->report, t->problem, pair->device);
    double at = chart_at(&t->y.axis, roof);
    char class[48];

    if (roof <= 0 || roof > t->y.axis.hi)
        return;
    lift_snprintf(class, sizeof class, "%s roof", chart_series(pair->device));
    chart_line(t->h, class, CHART_LEFT, at, CHART_RIGHT, at);
    chart_text(t->h, "name", "end", CHART_RIGHT, at - 5, "roof");
}

static void draw_pair(const struct times *t, const struct report_pair *pair)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    double(*at)[2] = lift_arena_alloc(
        arena, sizeof *at * (size_t)(pair->dot_count + pair->step_count + 1));
    char title[512], text[REPORT_UNITS], when[REPORT_UNITS];

    draw_roof(t, pair);
    for (int i = 0; i < pair->dot_count; i++)
        place(t, &pair->dots[i], at[i]);
    chart_dots(t->h, pair->device, (const double(*)[2])at, pair->dot_count);
    for (int i = 0; i < pair->step_count; i++)
        place(t, &pair->steps[i], at[i]);
    chart_steps(t->h, pair->device, (const double(*)[2])at, pair->step_count,
                chart_at(&t->x.axis, pair->explored));
    for (int i = 0; i < pair->step_count; i++) {
        const struct report_dot *step = &pair->steps[i];

        lift_snprintf(title, sizeof title, "%s GPts/s after %s on %.300s",
                      report_digits(gpts(t->problem, step->seconds), text),
                      report_duration(step->at, when),
                      t->report->devices[pair->device].label);
        chart_mark(t->h, pair->device, i == pair->step_count - 1 ? 5 : 3, at[i], title);
    }
}

void report_times(struct html *h, const struct report *r, const struct report_problem *p)
{
    struct times t = {.h = h, .report = r, .problem = p};

    measure(&t);
    if (t.best <= 0)
        return;
    make_axes(&t);
    chart_begin(h, "Best over time",
                "The fastest kernel so far, in GPts/s, over the time of exploration; "
                "dots are verified tries. Each is timed by itself as it comes; the final "
                "times the best in turns, and the speeds of its tables hold");
    chart_axes(h, &t.x, &t.y);
    for (int i = 0; i < p->pair_count; i++)
        draw_pair(&t, &r->pairs[p->pairs[i]]);
    chart_legend_begin(h);
    for (int i = 0; i < p->pair_count; i++)
        chart_legend_item(h, r->pairs[p->pairs[i]].device,
                          r->devices[r->pairs[p->pairs[i]].device].label);
    chart_end(h);
}
