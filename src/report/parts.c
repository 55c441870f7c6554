/* What several parts of a report do. */
#include "lift/memory.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/units.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *report_anchor(int problem, char out[16])
{
    snprintf(out, 16, "p%d", problem + 1);
    return out;
}

double report_roof_gpts(const struct report *r, const struct report_problem *p,
                        int device)
{
    double gbs = r->devices[device].copy_gbs;

    return p->bytes > 0 ? gbs * (double)p->points / (double)p->bytes : 0;
}

/* What is no object is shown as it is. */
void report_json_words(struct html *h, const char *json)
{
    json_t *object = json_loads(json, 0, NULL), *value;
    const char *name;
    bool first = true;

    if (!json_is_object(object))
        html_text(h, json);
    json_object_foreach(object, name, value)
    {
        LIFT_FREED char *text =
            json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

        html_open(h, "span", "class", "pair", NULL);
        html_textf(h, "%s%s\xc2\xa0", first ? "" : " ", name);
        html_leaf(h, "b", NULL, "%s", text ? text : "");
        html_close(h);
        first = false;
    }
    json_decref(object);
}

void report_table(struct html *h, const char *what, const char *const *heads)
{
    html_open(h, "div", "class", "scroll", "role", "region", "tabindex", "0",
              "aria-label", what, NULL);
    html_open(h, "table", NULL);
    html_open(h, "thead", NULL);
    html_open(h, "tr", NULL);
    for (int i = 0; heads[i]; i++) {
        bool number = *heads[i] == '#';

        html_open(h, "th", "scope", "col", "class", number ? "n" : NULL, NULL);
        html_text(h, heads[i] + number);
        html_close(h);
    }
    html_close_all(h, 2);
    html_open(h, "tbody", NULL);
}

void report_row_head(struct html *h, const char *text)
{
    html_open(h, "th", "scope", "row", NULL);
    html_text(h, text);
    html_close(h);
}

void report_number(struct html *h, const char *format, ...)
{
    LIFT_SCOPED(lift_str) text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    html_leaf(h, "td", "n", "%s", lift_str_get(&text));
}

void report_bar(struct html *h, int series, double share, const char *text)
{
    char number[HTML_NUMBER], width[HTML_NUMBER + 16];
    double part = isfinite(share) && share > 0 ? share < 1 ? share : 1 : 0;

    snprintf(width, sizeof width, "width:%s%%", html_number(100 * part, number));
    html_open(h, "td", "class", "bar", NULL);
    html_open(h, "div", "class", chart_series(series), NULL);
    html_open(h, "i", NULL);
    html_open(h, "s", "style", width, NULL);
    html_close_all(h, 2);
    html_leaf(h, "b", NULL, "%s", text);
    html_close_all(h, 2);
}

void report_roof_cell(struct html *h, const struct report_pair *pair)
{
    char text[REPORT_UNITS];

    if (pair->has_best && pair->best_roof > 0 && isfinite(pair->best_roof))
        report_bar(h, pair->device, pair->best_roof,
                   report_digits(100 * pair->best_roof, text));
    else
        report_number(h, "\xe2\x80\x93");
}
