/* What several parts of a report do. */
#include "base/json.h"
#include "base/memory.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/units.h"
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
    json_t *object = lift_json_read(json, 0), *value;
    const char *name;
    bool first = true;

    if (!json_is_object(object))
        html_put(h, "%s", json);
    json_object_foreach(object, name, value)
    {
        LIFT_FREED char *text =
            lift_json_print(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

        html_put(h, "<span class=\"pair\">%s%s\xc2\xa0<b>%s</b></span>", first ? "" : " ",
                 name, text ? text : "");
        first = false;
    }
    json_decref(object);
}

void report_table(struct html *h, const char *what, const char *const *heads)
{
    html_put(h,
             "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">"
             "<table><thead><tr>",
             what);
    for (int i = 0; heads[i]; i++)
        if (*heads[i] == '#')
            html_put(h, "<th scope=\"col\" class=\"n\">%s</th>", heads[i] + 1);
        else
            html_put(h, "<th scope=\"col\">%s</th>", heads[i]);
    html_put(h, "</tr>\n</thead><tbody>");
}

void report_table_end(struct html *h)
{
    html_put(h, "</tbody></table>\n</div>\n");
}

void report_number(struct html *h, const char *format, ...)
{
    LIFT_SCOPED(lift_str) text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    html_put(h, "<td class=\"n\">%s</td>", lift_str_get(&text));
}

void report_bar(struct html *h, int series, double share, const char *text)
{
    char number[HTML_NUMBER];
    double part = isfinite(share) && share > 0 ? share < 1 ? share : 1 : 0;

    html_put(h,
             "<td class=\"bar\"><div class=\"%s\"><i><s style=\"width:%s%%\"></s></i>"
             "<b>%s</b></div>\n</td>",
             chart_series(series), html_number(100 * part, number), text);
}

const char *report_unconfirmed(const struct report_pair *pair)
{
    return pair->has_best && !pair->confirmed ? ", unconfirmed" : "";
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
