#include "report/chart.h"
#include "base/locale.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- scales */

double chart_at(const struct chart_axis *axis, double value)
{
    double share;

    if (axis->log)
        share = value > 0 ? log(value / axis->lo) / log(axis->hi / axis->lo) : 0;
    else
        share = (value - axis->lo) / (axis->hi - axis->lo);
    share = share > 0 ? share : 0; /* not a number, too */
    share = share < 1 ? share : 1;
    return axis->from + share * (axis->to - axis->from);
}

/* The distance of round ticks, about five of them up to 'span': 1, 2 or 5 times a
 * power of ten. */
static double round_step(double span)
{
    double raw = span / 5, power = pow(10, floor(log10(raw))), times = raw / power;

    return (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1) * power;
}

struct chart_axis chart_linear(double hi, double from, double to)
{
    double top = isfinite(hi) && hi > 0 ? hi : 1, step = round_step(top * 1.04);

    return (struct chart_axis){0, ceil(top * 1.04 / step - 1e-9) * step, false, from, to};
}

struct chart_axis chart_log(double lo, double hi, double from, double to)
{
    if (!isfinite(lo) || !isfinite(hi) || !(lo > 0) || hi < lo)
        lo = hi = 1;
    return (struct chart_axis){lo / 1.6, hi * 1.6, true, from, to};
}

static int linear_ticks(const struct chart_axis *axis, double out[CHART_TICKS])
{
    double step = round_step(axis->hi - axis->lo);
    int n = 0;

    for (double i = ceil(axis->lo / step - 1e-9);
         i * step <= axis->hi * (1 + 1e-9) && n < CHART_TICKS; i++)
        out[n++] = i * step;
    return n;
}

/* Powers of ten; with their halves and fifths where there are few. */
static int log_ticks(const struct chart_axis *axis, double out[CHART_TICKS])
{
    static const double parts[] = {1, 2, 5};
    double decades = log10(axis->hi / axis->lo);
    int some = decades < 2.7 ? 3 : 1, every = decades > 7 ? (int)ceil(decades / 7) : 1;
    int n = 0;

    for (int power = (int)floor(log10(axis->lo)); pow(10, power) <= axis->hi; power++)
        for (int i = 0; i < some && power % every == 0; i++) {
            double tick = parts[i] * pow(10, power);

            if (tick >= axis->lo && tick <= axis->hi && n < CHART_TICKS)
                out[n++] = tick;
        }
    return n;
}

/* ---- the frame */

void chart_begin(struct html *h, const char *title, const char *alt)
{
    h->ids++;
    html_put(h,
             "<figure><figcaption>%s</figcaption><svg "
             "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
             "aria-labelledby=\"figure%d\"><title id=\"figure%d\">%s</title>",
             title, CHART_WIDTH, CHART_HEIGHT, h->ids, h->ids, alt);
}

void chart_line(struct html *h, const char *class, double x1, double y1, double x2,
                double y2)
{
    char n[4][HTML_NUMBER];

    html_put(h, "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", class,
             html_number(x1, n[0]), html_number(y1, n[1]), html_number(x2, n[2]),
             html_number(y2, n[3]));
}

void chart_text(struct html *h, const char *class, const char *anchor, double x, double y,
                const char *text)
{
    char n[2][HTML_NUMBER];

    html_put(h, "<text class=\"%s\" text-anchor=\"%s\" x=\"%s\" y=\"%s\">%s</text>",
             class, anchor, html_number(x, n[0]), html_number(y, n[1]), text);
}

const char *chart_plain_label(double value, char *out, size_t size)
{
    lift_snprintf(out, size, "%.6g", fabs(value) < 1e-12 ? 0 : value);
    return out;
}

static int ticks_of(const struct chart_side *side, double out[CHART_TICKS])
{
    if (!side->ticks)
        return side->axis.log ? log_ticks(&side->axis, out)
                              : linear_ticks(&side->axis, out);
    memcpy(out, side->ticks, sizeof *out * (size_t)side->tick_count);
    return side->tick_count;
}

void chart_axes(struct html *h, const struct chart_side *x, const struct chart_side *y)
{
    double ticks[CHART_TICKS];
    char text[32];
    int count = ticks_of(y, ticks);

    for (int i = 0; i < count; i++) {
        double at = chart_at(&y->axis, ticks[i]);

        chart_line(h, "grid", CHART_LEFT, at, CHART_RIGHT, at);
        chart_text(h, "tick", "end", CHART_LEFT - 7, at + 4,
                   y->label(ticks[i], text, sizeof text));
    }
    count = ticks_of(x, ticks);
    for (int i = 0; i < count; i++) {
        double at = chart_at(&x->axis, ticks[i]);

        chart_line(h, "grid", at, CHART_TOP, at, CHART_BOTTOM);
        chart_text(h, "tick", "middle", at, CHART_BOTTOM + 18,
                   x->label(ticks[i], text, sizeof text));
    }
    chart_line(h, "axis", CHART_LEFT, CHART_BOTTOM, CHART_RIGHT, CHART_BOTTOM);
    chart_line(h, "axis", CHART_LEFT, CHART_TOP, CHART_LEFT, CHART_BOTTOM);
    chart_text(h, "name", "start", 4, 16, y->name);
    chart_text(h, "name", "end", CHART_RIGHT, CHART_HEIGHT - 8, x->name);
}

/* ---- marks */

const char *chart_series(int series)
{
    static const char *const classes[CHART_COLOURS] = {
        "series s0", "series s1", "series s2", "series s3", "series s4", "series s5"};

    return classes[series % CHART_COLOURS];
}

/* Corners of a shape of half-width 1; a series without one is a disc. */
static const struct shape {
    int corners;
    double at[4][2];
} shapes[CHART_COLOURS] = {
    {0, {{0}}},
    {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    {3, {{0, -1.15}, {1.1, 0.85}, {-1.1, 0.85}}},
    {4, {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}},
    {3, {{0, 1.15}, {1.1, -0.85}, {-1.1, -0.85}}},
    {4, {{-1.3, -0.6}, {1.3, -0.6}, {1.3, 0.6}, {-1.3, 0.6}}},
};

static void polygon(struct html *h, const struct shape *shape, double size,
                    const double at[2])
{
    struct lift_str points = {0};
    char n[2][HTML_NUMBER];

    for (int i = 0; i < shape->corners; i++)
        lift_str_addf(&points, "%s%s,%s", i ? " " : "",
                      html_number(at[0] + size * shape->at[i][0], n[0]),
                      html_number(at[1] + size * shape->at[i][1], n[1]));
    html_put(h, "<polygon points=\"%s\"/>", lift_str_get(&points));
    lift_str_fini(&points);
}

void chart_mark(struct html *h, int series, double size, const double at[2],
                const char *title)
{
    const struct shape *shape = &shapes[series % CHART_COLOURS];
    char n[3][HTML_NUMBER];

    html_put(h, "<g class=\"%s mark\">", chart_series(series));
    if (title)
        html_put(h, "<title>%s</title>", title);
    if (shape->corners)
        polygon(h, shape, size, at);
    else
        html_put(h, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\"/>", html_number(at[0], n[0]),
                 html_number(at[1], n[1]), html_number(size, n[2]));
    html_put(h, "</g>\n");
}

/* A line of no length with round ends is a dot. */
void chart_dots(struct html *h, int series, const double (*at)[2], int count)
{
    struct lift_str path = {0};
    char n[2][HTML_NUMBER];

    for (int i = 0; i < count; i++)
        lift_str_addf(&path, "M%s,%sh0", html_number(at[i][0], n[0]),
                      html_number(at[i][1], n[1]));
    if (count > 0)
        html_put(h, "<path class=\"%s dots\" d=\"%s\"/>", chart_series(series),
                 lift_str_get(&path));
    lift_str_fini(&path);
}

void chart_steps(struct html *h, int series, const double (*at)[2], int count, double end)
{
    struct lift_str path = {0};
    char n[2][HTML_NUMBER];

    if (count == 0)
        return;
    lift_str_addf(&path, "M%s,%s", html_number(at[0][0], n[0]),
                  html_number(at[0][1], n[1]));
    for (int i = 1; i < count; i++)
        lift_str_addf(&path, "H%sV%s", html_number(at[i][0], n[0]),
                      html_number(at[i][1], n[1]));
    lift_str_addf(&path, "H%s", html_number(end, n[0]));
    html_put(h, "<path class=\"%s steps\" d=\"%s\"/>", chart_series(series),
             lift_str_get(&path));
    lift_str_fini(&path);
}

/* ---- legends */

void chart_legend_begin(struct html *h)
{
    html_put(h, "</svg>\n<ul class=\"legend\">");
}

void chart_legend_item(struct html *h, int series, const char *name)
{
    static const double middle[2] = {8, 8};

    html_put(h, "<li><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\" "
                "aria-hidden=\"true\">");
    chart_mark(h, series, 5, middle, NULL);
    html_put(h, "</svg>\n%s</li>\n", name);
}

void chart_end(struct html *h)
{
    html_put(h, "</ul></figure>");
}
