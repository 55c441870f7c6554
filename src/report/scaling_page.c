/* The section of a page about runs on several devices: what was measured, what the model
 * says of it, and of more devices. */
#include "base/locale.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/units.h"
#include <stdio.h>

enum { STEPS = 11, SERIES = 4 }; /* 1, 2, 4, ... 1024 devices */

static const char *const series_names[SERIES] = {"weak", "weak, overlapped", "strong",
                                                 "strong, overlapped"};

static struct scaling_point predict(const struct report_scaling *s, int devices,
                                    int series)
{
    const struct scaling_case what = {.devices = devices,
                                      .every = 1,
                                      .overlap = series % 2,
                                      .weak = series < 2,
                                      .rows = true};

    return scaling_predict(&s->machine, &s->stencil, &s->measured.grid, &what);
}

/* ---- what was measured */

static void measured_row(struct html *h, const struct report_scaling *s,
                         const struct scaling_run *run)
{
    struct scaling_point p = scaling_of_run(&s->machine, &s->stencil, &s->measured, run);
    char text[REPORT_UNITS];

    html_put(h,
             "<tr><th scope=\"row\">%s</th><td class=\"n\">%d</td>"
             "<td class=\"n\">%d</td><td>%s</td><td>%s</td><td class=\"n\">%s</td>",
             run->scaling, run->devices, run->every, run->devices == 1 ? "" : run->by,
             run->devices == 1 ? ""
             : run->overlap    ? "yes"
                               : "no",
             report_digits(run->gpts, text));
    report_number(h, "%s", report_digits(p.rate * 1e-9, text));
    report_number(h, "%+.1f %%", 100 * (p.rate * 1e-9 / run->gpts - 1));
    report_number(h, "%s",
                  run->exchange > 0 ? report_launch_time(run->exchange * run->every, text)
                                    : "");
    report_number(h, "%s", p.exchange > 0 ? report_launch_time(p.exchange, text) : "");
    html_put(h, "</tr>\n");
}

static void measured_table(struct html *h, const struct report_scaling *s)
{
    static const char *const heads[] = {
        "Scaling", "#Devices",    "#Launches", "By",     "Overlap", "#GPts/s",
        "#Model",  "#Difference", "#Exchange", "#Model", NULL};

    html_put(h, "<h3>Measured, and what the model says of it</h3>\n");
    report_table(h, "Measured runs", heads);
    for (int i = 0; i < s->measured.count; i++)
        measured_row(h, s, &s->measured.runs[i]);
    report_table_end(h);
}

/* ---- more devices */

static void draw(struct html *h, const struct report_scaling *s)
{
    struct chart_side x = {.name = "devices", .label = chart_plain_label};
    struct chart_side y = {.name = "efficiency, %", .label = chart_plain_label};

    x.axis = (struct chart_axis){0.8, 1300, true, CHART_LEFT, CHART_RIGHT};
    y.axis = chart_linear(100, CHART_BOTTOM, CHART_TOP);
    chart_begin(h, "Efficiency",
                "What the model says of the efficiency on 1 to 1,024 "
                "devices, in percent of as many times one device");
    chart_axes(h, &x, &y);
    for (int k = 0; k < SERIES; k++)
        for (int i = 0; i < STEPS; i++) {
            struct scaling_point p = predict(s, 1 << i, k);
            double at[2] = {chart_at(&x.axis, 1 << i),
                            chart_at(&y.axis, 100 * p.efficiency)};
            char title[128];

            if (!p.possible)
                continue;
            lift_snprintf(title, sizeof title, "%s, %d devices: %.1f %%", series_names[k],
                          1 << i, 100 * p.efficiency);
            chart_mark(h, k, 4, at, title);
        }
    chart_legend_begin(h);
    for (int k = 0; k < SERIES; k++)
        chart_legend_item(h, k, series_names[k]);
    chart_end(h);
}

static void model_row(struct html *h, const struct report_scaling *s, int devices)
{
    struct scaling_point strong = predict(s, devices, 3);

    html_put(h, "<tr><td class=\"n\">%d</td>", devices);
    for (int k = 0; k < SERIES; k++) {
        struct scaling_point p = predict(s, devices, k);

        report_number(h, p.possible ? "%.1f %%" : "\xe2\x80\x93", 100 * p.efficiency);
    }
    html_put(h, "<td class=\"n\">%d \xc3\x97 %d</td><td>%s</td></tr>\n", strong.cuts[0],
             strong.cuts[1], strong.hidden ? "hidden" : "not hidden");
}

static void model_table(struct html *h, const struct report_scaling *s)
{
    static const char *const heads[] = {"#Devices",
                                        "#Weak",
                                        "#Weak, overlapped",
                                        "#Strong",
                                        "#Strong, overlapped",
                                        "#Parts",
                                        "Strong exchange",
                                        NULL};

    report_table(h, "What the model says", heads);
    for (int i = 0; i < STEPS; i++)
        model_row(h, s, 1 << i);
    report_table_end(h);
}

static void say_limits(struct html *h, const struct report_scaling *s)
{
    double near =
        scaling_least_planes(&s->machine, &s->stencil, &s->measured.grid, 1, false);
    double far =
        scaling_least_planes(&s->machine, &s->stencil, &s->measured.grid, 1, true);

    html_put(h,
             "<p class=\"note\">In slabs, overlap hides the exchange where a part has at "
             "least %.0f "
             "planes within a node, %.0f between nodes. Links within a node: %.4g "
             "GB/s and %.3g \xc2\xb5s, of %d measured exchanges; between nodes: %.4g "
             "GB/s and %.3g \xc2\xb5s, assumed; %d devices a node. docs/scaling.md has "
             "the equations.</p>\n",
             near, far, s->machine.near.bandwidth * 1e-9, s->machine.near.latency * 1e6,
             s->fitted, s->machine.far.bandwidth * 1e-9, s->machine.far.latency * 1e6,
             s->machine.node);
}

void report_scaling(struct html *h, const struct report_scaling *s)
{
    const struct scaling_grid *g = &s->measured.grid;

    html_put(h, "<section><h2>Scaling of %s</h2>\n", s->measured.program);
    html_put(h,
             "<p class=\"note\">A grid of %.0f planes of %.0f \xc3\x97 %.0f points on "
             "each device (weak) "
             "or on all together (strong), exchanged after each launch.</p>\n",
             g->planes, g->rows, g->points);
    measured_table(h, s);
    html_put(h, "<h3>More devices, as the model says</h3>\n");
    draw(h, s);
    model_table(h, s);
    say_limits(h, s);
    html_put(h, "</section>\n");
}
