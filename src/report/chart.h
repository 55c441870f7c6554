/* Axes, scales and marks of a chart as SVG. A chart is 480 by 300 units and grows or
 * shrinks with its place; its text has room to be half as large again on a phone. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/html.h"
#include <stdbool.h>

enum {
    CHART_WIDTH = 480,
    CHART_HEIGHT = 300,
    CHART_LEFT = 60,
    CHART_RIGHT = 464,
    CHART_TOP = 30,
    CHART_BOTTOM = 252,
    CHART_TICKS = 24,
    CHART_COLOURS = 6,
};

struct chart_axis {
    double lo, hi; /* lo < hi, both finite; positive if 'log' */
    bool log;
    double from, to; /* where lo and hi lie, in units of the chart */
};

/* Where a value lies; values beyond the axis lie at its end. */
double chart_at(const struct chart_axis *axis, double value);
/* An axis over the values lo to hi with some air, that begins and ends at round numbers.
 * A linear one begins at zero. 'lo' may equal 'hi'. */
struct chart_axis chart_linear(double hi, double from, double to);
struct chart_axis chart_log(double lo, double hi, double from, double to);

/* Opens <figure> and <svg>; chart_legend_begin ends the picture, chart_end the figure.
 * 'alt' says what is to be seen. */
void chart_begin(struct html *h, const char *title, const char *alt);

/* Lines, ticks and labels; 'label' makes the text of a tick. */
typedef const char *chart_label(double value, char *out, size_t size);
chart_label chart_plain_label;
struct chart_side {
    struct chart_axis axis;
    const char *name; /* with the unit */
    chart_label *label;
    const double *ticks; /* NULL: round numbers */
    int tick_count;
};
void chart_axes(struct html *h, const struct chart_side *x, const struct chart_side *y);

void chart_line(struct html *h, const char *class, double x1, double y1, double x2,
                double y2);
void chart_text(struct html *h, const char *class, const char *anchor, double x, double y,
                const char *text);
/* A mark of the shape and colour of series number 'series'; 'title' is shown on hovering
 * and read aloud, and may be NULL. */
void chart_mark(struct html *h, int series, double size, const double at[2],
                const char *title);
/* Many small marks at once; a line that goes right, then up or down, to each point, and
 * at last right to 'end'. */
void chart_dots(struct html *h, int series, const double (*at)[2], int count);
void chart_steps(struct html *h, int series, const double (*at)[2], int count,
                 double end);
/* "series sN": the class of the colours of a series. */
const char *chart_series(int series);

/* Below a chart: marks and names. */
void chart_legend_begin(struct html *h);
void chart_legend_item(struct html *h, int series, const char *name);
void chart_end(struct html *h);

#endif
