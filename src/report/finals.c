/* The final of a problem on a device: the best candidates timed against each other. */
#include "report/chart.h"
#include "report/page.h"
#include "report/units.h"
#include <math.h>
#include <stdio.h>

enum { WHISKER_WIDTH = 240, WHISKER_HEIGHT = 18, AIR = 8 };

/* The interval as a line, the median as a mark. */
static void whisker(struct html *h, const struct report_final *f, int series,
                    const struct chart_axis *axis)
{
    double low = chart_at(axis, f->low), high = chart_at(axis, f->high);
    double middle = WHISKER_HEIGHT / 2.0, at[2] = {chart_at(axis, f->seconds), middle};
    char class[48];

    snprintf(class, sizeof class, "%s whisker", chart_series(series));
    html_put(h,
             "<td><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"interval\" "
             "viewBox=\"0 0 %d %d\" aria-hidden=\"true\">",
             WHISKER_WIDTH, WHISKER_HEIGHT);
    chart_line(h, class, low, middle, high, middle);
    chart_line(h, class, low, middle - 4, low, middle + 4);
    chart_line(h, class, high, middle - 4, high, middle + 4);
    chart_mark(h, series, 4, at, NULL);
    html_put(h, "</svg>\n</td>");
}

static void row(struct html *h, const struct report_pair *pair,
                const struct report_final *f, const struct chart_axis *axis)
{
    char text[REPORT_UNITS], low[REPORT_UNITS], high[REPORT_UNITS], hex[LIFT_HASH_HEX];

    html_put(h,
             "<tr><td class=\"n\">%d</td><td class=\"n\">%s</td>"
             "<td class=\"n\">%s \xe2\x80\x93 %s</td>",
             f->place, report_launch_time(f->seconds, text),
             report_launch_time(f->low, low), report_launch_time(f->high, high));
    whisker(h, f, pair->device, axis);
    html_put(h, "<td>%s</td><td class=\"tunables\">", f->tied ? "tied" : "");
    report_json_words(h, f->kernel.tunables);
    html_put(h, "</td><td class=\"nowrap\"><code>%.12s</code></td></tr>\n",
             lift_hash_hex(f->kernel.expr, hex));
}

void report_finals(struct html *h, const struct report *r, const struct report_pair *pair)
{
    static const char *const heads[] = {"##",  "#Median",  "#Confidence interval", "",
                                        "Tie", "Tunables", "Expression",           NULL};
    struct chart_axis axis = {INFINITY, 0, false, AIR, WHISKER_WIDTH - AIR};

    if (pair->final_count == 0)
        return;
    for (int i = 0; i < pair->final_count; i++) {
        axis.lo = fmin(axis.lo, pair->finals[i].low);
        axis.hi = fmax(axis.hi, pair->finals[i].high);
    }
    axis.hi = fmax(axis.hi, axis.lo * (1 + 1e-6));
    html_put(h, "<h3>The final on %s</h3>\n", r->devices[pair->device].label);
    report_table(h, "The final", heads);
    for (int i = 0; i < pair->final_count; i++)
        row(h, pair, &pair->finals[i], &axis);
    report_table_end(h);
    html_put(h, "<p class=\"note\">The best candidates, timed in turns on fresh inputs. "
                "Intervals share one "
                "axis; a tie cannot be told from the place before it.</p>\n");
}
