#include "report/page.h"
#include "lift/version.h"
#include <time.h>

static void head(struct html *h)
{
    html_raw(h, "<!DOCTYPE html>\n");
    html_open(h, "html", "xmlns", "http://www.w3.org/1999/xhtml", "lang", "en", NULL);
    html_raw(h, "\n");
    html_open(h, "head", NULL);
    html_empty(h, "meta", "charset", "utf-8", NULL);
    html_empty(h, "meta", "name", "viewport", "content",
               "width=device-width, initial-scale=1", NULL);
    html_empty(h, "meta", "name", "color-scheme", "content", "light dark", NULL);
    html_leaf(h, "title", NULL, "Exploration report");
    html_open(h, "style", NULL);
    html_raw(h, report_style);
    html_close_all(h, 2);
}

static void foot(struct html *h)
{
    char when[32];
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    html_open(h, "footer", NULL);
    html_textf(h,
               "Made by lift " LIFT_VERSION
               " on %s. GPts/s: 10\xe2\x81\xb9 grid points updated a second. GB/s: "
               "10\xe2\x81\xb9 bytes of compulsory traffic a second, each input read "
               "once and each output written once. The roof is the measured copy "
               "bandwidth of the device.",
               when);
    html_close(h);
}

void report_page(struct html *h, const struct report *r,
                 const struct report_scaling *scaling)
{
    head(h);
    html_open(h, "body", NULL);
    html_open(h, "main", NULL);
    report_head(h, r);
    report_overview(h, r);
    for (int i = 0; i < r->problem_count; i++)
        report_problem(h, r, i);
    if (scaling)
        report_scaling(h, scaling);
    foot(h);
    html_close_all(h, 3);
    html_raw(h, "\n");
}
