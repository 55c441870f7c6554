/* Rooflines: operations a second over operations a byte. */
#include "report/chart.h"
#include "report/page.h"
#include "report/units.h"
#include <math.h>
#include <stdio.h>

struct roofline {
    struct html *h;
    const struct report *report;
    const struct report_problem *only;
    struct chart_axis x, y;
    double lo[2], hi[2]; /* of the kernels: operations a byte, 10^9 operations a second */
    bool drawn[64];      /* devices */
};

enum { MOST_DEVICES = sizeof((struct roofline *)0)->drawn };

static bool is_shown(const struct roofline *f, const struct report_pair *pair)
{
    const struct report_problem *p = &f->report->problems[pair->problem];

    return pair->has_best && p->bytes > 0 && p->ops > 0 && pair->device < MOST_DEVICES &&
           f->report->devices[pair->device].copy_gbs > 0 && (!f->only || f->only == p);
}

static double intensity(const struct report_problem *p)
{
    return p->ops * (double)p->points / (double)p->bytes;
}

static double gops(const struct report_problem *p, double seconds)
{
    return p->ops * (double)p->points / seconds * 1e-9;
}

static void stretch(struct roofline *f, double x, double y)
{
    const double at[] = {x, y};

    for (int i = 0; i < 2; i++) {
        if (at[i] < f->lo[i])
            f->lo[i] = at[i];
        if (at[i] > f->hi[i])
            f->hi[i] = at[i];
    }
}

/* All kernels, and their roofs above them. */
static bool measure(struct roofline *f)
{
    const struct report *r = f->report;
    int count = 0;

    for (int i = 0; i < r->pair_count; i++) {
        const struct report_pair *pair = &r->pairs[i];
        const struct report_problem *p = &r->problems[pair->problem];

        if (!is_shown(f, pair))
            continue;
        count++;
        f->drawn[pair->device] = true;
        stretch(f, intensity(p), gops(p, pair->best_seconds));
        stretch(f, intensity(p), r->devices[pair->device].copy_gbs * intensity(p));
        for (int k = 0; f->only && k < pair->dot_count; k++)
            stretch(f, intensity(p), gops(p, pair->dots[k].seconds));
    }
    return count > 0;
}

/* From one edge of the chart to the other. */
static void draw_roof(const struct roofline *f, int device)
{
    double gbs = f->report->devices[device].copy_gbs;
    double from = fmax(f->x.lo, f->y.lo / gbs), to = fmin(f->x.hi, f->y.hi / gbs);
    char class[48];

    if (from >= to)
        return;
    snprintf(class, sizeof class, "%s roof", chart_series(device));
    chart_line(f->h, class, chart_at(&f->x, from), chart_at(&f->y, from * gbs),
               chart_at(&f->x, to), chart_at(&f->y, to * gbs));
}

/* The kernels of one problem stand above one another: those of its devices are moved a
 * little apart. */
static double beside(const struct roofline *f, const struct report_pair *pair)
{
    double place = 0;

    for (int i = 0; i < f->only->pair_count; i++)
        if (&f->report->pairs[f->only->pairs[i]] == pair)
            place = i;
    return 12 * (place - (f->only->pair_count - 1) / 2.0);
}

static void draw_kernels(const struct roofline *f, const struct report_pair *pair)
{
    const struct report_problem *p = &f->report->problems[pair->problem];
    const struct report_device *d = &f->report->devices[pair->device];
    double dots[REPORT_DOTS][2], best[2];
    char title[512], gpts[REPORT_UNITS], percent[REPORT_UNITS];
    double shift = f->only ? beside(f, pair) : 0;

    for (int k = 0; f->only && k < pair->dot_count; k++) {
        dots[k][0] = chart_at(&f->x, intensity(p)) + shift;
        dots[k][1] = chart_at(&f->y, gops(p, pair->dots[k].seconds));
    }
    if (f->only)
        chart_dots(f->h, pair->device, (const double(*)[2])dots, pair->dot_count);
    best[0] = chart_at(&f->x, intensity(p)) + shift;
    best[1] = chart_at(&f->y, gops(p, pair->best_seconds));
    snprintf(title, sizeof title, "%.120s on %.160s: %s GPts/s, %s\xc2\xa0%% of the roof",
             p->title, d->label, report_digits(pair->best_gpts, gpts),
             report_digits(100 * pair->best_roof, percent));
    chart_mark(f->h, pair->device, 5, best, title);
}

static void legend(const struct roofline *f)
{
    const struct report *r = f->report;

    chart_legend_begin(f->h);
    for (int d = 0; d < r->device_count && d < MOST_DEVICES; d++)
        if (f->drawn[d]) {
            char text[512], gbs[REPORT_UNITS];

            snprintf(text, sizeof text, "%.400s: roof %s\xc2\xa0GB/s",
                     r->devices[d].label, report_digits(r->devices[d].copy_gbs, gbs));
            chart_legend_item(f->h, d, text);
        }
    chart_end(f->h);
}

static void draw(struct roofline *f)
{
    struct chart_side x = {.name = "operations a byte", .label = chart_plain_label};
    struct chart_side y = {.name = "10\xe2\x81\xb9 operations a second",
                           .label = chart_plain_label};
    const struct report *r = f->report;

    f->x = x.axis = chart_log(f->lo[0] / 2, f->hi[0] * 2, CHART_LEFT, CHART_RIGHT);
    f->y = y.axis = chart_log(f->lo[1], f->hi[1], CHART_BOTTOM, CHART_TOP);
    chart_begin(f->h, f->only ? "Against the roof" : "Best kernels against the roof",
                f->only ? "Roofline: all verified kernels of this problem under the copy "
                          "bandwidth of each device"
                        : "Roofline: the best kernel of each problem under the copy "
                          "bandwidth of each device");
    chart_axes(f->h, &x, &y);
    for (int d = 0; d < r->device_count && d < MOST_DEVICES; d++)
        if (f->drawn[d])
            draw_roof(f, d);
    for (int i = 0; i < r->pair_count; i++)
        if (is_shown(f, &r->pairs[i]))
            draw_kernels(f, &r->pairs[i]);
    legend(f);
}

void report_roofline(struct html *h, const struct report *r,
                     const struct report_problem *only)
{
    struct roofline f = {.h = h,
                         .report = r,
                         .only = only,
                         .lo = {INFINITY, INFINITY},
                         .hi = {-INFINITY, -INFINITY}};

    if (measure(&f))
        draw(&f);
}
