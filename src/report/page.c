#include "report/page.h"
#include "lift/version.h"
#include <time.h>

static void foot(struct html *h)
{
    char when[32];
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    html_put(h,
             "<footer>Made by lift " LIFT_VERSION
             " on %s. GPts/s: 10\xe2\x81\xb9 grid points updated a second. GB/s: "
             "10\xe2\x81\xb9 bytes of compulsory traffic a second, each input read "
             "once and each output written once. The roof is the measured copy "
             "bandwidth of the device.</footer>",
             when);
}

void report_page(struct html *h, const struct report *r)
{
    html_raw(h, report_texts[REPORT_BEGIN]);
    html_raw(h, report_texts[REPORT_STYLE]);
    html_raw(h, "</style>\n</head>\n");
    html_raw(h, "<body><main>");
    report_head(h, r);
    report_overview(h, r);
    for (int i = 0; i < r->problem_count; i++)
        report_problem(h, r, i);
    foot(h);
    html_raw(h, "</main></body></html>\n");
}
