/* A problem of a report: its devices side by side, its tries by cause. */
#include "report/page.h"
#include "report/units.h"
#include <math.h>

static const char dash[] = "\xe2\x80\x93";

/* ---- devices side by side */

static double most_gpts(const struct report *r, const struct report_problem *p)
{
    double most = 0;

    for (int i = 0; i < p->pair_count; i++)
        most = fmax(most, r->pairs[p->pairs[i]].best_gpts);
    return most;
}

/* Of the fastest over the first verified kernel. */
static void gain_cell(struct html *h, const struct report_pair *pair)
{
    char text[REPORT_UNITS];

    if (pair->step_count == 0)
        report_number(h, "%s", dash);
    else
        report_number(h, "%s\xc3\x97",
                      report_digits(pair->steps[0].seconds /
                                        pair->steps[pair->step_count - 1].seconds,
                                    text));
}

static void cost_cell(struct html *h, double seconds)
{
    char text[REPORT_UNITS];

    report_number(h, "%s", seconds > 0 ? report_duration(seconds, text) : dash);
}

static void device_row(struct html *h, const struct report *r,
                       const struct report_pair *pair, double most)
{
    char text[REPORT_UNITS];

    html_put(h, "<tr><th scope=\"row\">%s</th>", r->devices[pair->device].label);
    if (pair->has_best)
        report_bar(h, pair->device, pair->best_gpts / most,
                   report_digits(pair->best_gpts, text));
    else
        html_put(h, "<td>no verified kernel</td>");
    report_roof_cell(h, pair);
    report_number(h, "%s",
                  pair->best_gbs > 0 ? report_digits(pair->best_gbs, text) : dash);
    report_number(h, "%s%s",
                  pair->has_best ? report_launch_time(pair->best_seconds, text) : dash,
                  report_unconfirmed(pair));
    gain_cell(h, pair);
    html_put(h, "<td class=\"n\">%s</td></tr>\n", report_count(pair->tries, text));
}

static void put_devices(struct html *h, const struct report *r,
                        const struct report_problem *p)
{
    static const char *const heads[] = {"Device",         "GPts/s",
                                        "% of roof",      "#GB/s",
                                        "#Time a launch", "#Gain over the first",
                                        "#Tries",         NULL};
    double most = most_gpts(r, p);

    report_table(h, "Devices side by side", heads);
    for (int i = 0; i < p->pair_count; i++)
        device_row(h, r, &r->pairs[p->pairs[i]], most);
    report_table_end(h);
}

/* ---- what it cost */

static void cost_row(struct html *h, const struct report *r,
                     const struct report_pair *pair)
{
    char text[REPORT_UNITS];

    html_put(h, "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td>",
             r->devices[pair->device].label, report_duration(pair->explored, text));
    cost_cell(h, pair->compile_s);
    cost_cell(h, pair->check_s);
    cost_cell(h, pair->measure_s);
    html_put(h, "</tr>\n");
}

static void put_cost(struct html *h, const struct report *r,
                     const struct report_problem *p)
{
    static const char *const heads[] = {"Device",    "#Explored",  "#Compiling",
                                        "#Checking", "#Measuring", NULL};

    html_put(h, "<h3>What the search cost</h3>\n");
    report_table(h, "What the search cost", heads);
    for (int i = 0; i < p->pair_count; i++)
        cost_row(h, r, &r->pairs[p->pairs[i]]);
    report_table_end(h);
}

/* ---- tries by cause */

static int64_t most_of_status(const struct report *r, const struct report_problem *p)
{
    int64_t most = 1;

    for (int i = 0; i < p->pair_count; i++)
        for (int s = 0; s < r->status_count; s++)
            if (r->pairs[p->pairs[i]].by_status[s] > most)
                most = r->pairs[p->pairs[i]].by_status[s];
    return most;
}

static bool has_status(const struct report *r, const struct report_problem *p, int status)
{
    for (int i = 0; i < p->pair_count; i++)
        if (r->pairs[p->pairs[i]].by_status[status] > 0)
            return true;
    return false;
}

static void status_row(struct html *h, const struct report *r,
                       const struct report_problem *p, int status, int64_t most)
{
    char text[REPORT_UNITS];

    html_put(h, "<tr><th scope=\"row\"><code>%s</code></th>", r->statuses[status].name);
    for (int i = 0; i < p->pair_count; i++) {
        const struct report_pair *pair = &r->pairs[p->pairs[i]];
        int64_t count = pair->by_status[status];

        report_bar(h, pair->device, (double)count / (double)most,
                   report_count(count, text));
    }
    html_put(h, "<td class=\"soft\">%s</td></tr>\n", r->statuses[status].meaning);
}

enum { MOST_REASONS = 20 };

static int reason_rows(struct html *h, const struct report *r,
                       const struct report_pair *pair)
{
    char text[REPORT_UNITS];
    int shown = pair->reason_count < MOST_REASONS ? pair->reason_count : MOST_REASONS;

    for (int i = 0; i < shown; i++) {
        const struct report_reason *reason = &pair->reasons[i];

        html_put(h,
                 "<tr><td class=\"n\">%s</td><td><code>%s</code></td><td>%s</td>"
                 "<td class=\"soft\">%s</td></tr>\n",
                 report_count(reason->count, text), r->statuses[reason->status].name,
                 *reason->text ? reason->text : dash, r->devices[pair->device].label);
    }
    return pair->reason_count - shown;
}

static void reasons(struct html *h, const struct report *r,
                    const struct report_problem *p)
{
    static const char *const heads[] = {"#Tries", "Cause", "Reason", "Device", NULL};
    int total = 0, left = 0;

    for (int i = 0; i < p->pair_count; i++)
        total += r->pairs[p->pairs[i]].reason_count;
    if (total == 0)
        return;
    html_put(h, "<details><summary>Reasons of failures (%d)</summary>", total);
    report_table(h, "Reasons of failures", heads);
    for (int i = 0; i < p->pair_count; i++)
        left += reason_rows(h, r, &r->pairs[p->pairs[i]]);
    report_table_end(h);
    if (left > 0)
        html_put(
            h,
            "<p class=\"note\">%d rarer reasons are left out: lift show --failures</p>\n",
            left);
    html_put(h, "</details>\n");
}

static void put_causes(struct html *h, const struct report *r,
                       const struct report_problem *p)
{
    const char **heads = LIFT_NEW_ARRAY(r->arena, const char *, p->pair_count + 3);
    int64_t most = most_of_status(r, p);
    int count = 0;

    heads[count++] = "Cause";
    for (int i = 0; i < p->pair_count; i++)
        heads[count++] =
            p->pair_count > 1 ? r->devices[r->pairs[p->pairs[i]].device].label : "Tries";
    heads[count++] = "Meaning";
    html_put(h, "<h3>Tries by cause</h3>\n");
    report_table(h, "Tries by cause", heads);
    for (int s = 0; s < r->status_count; s++)
        if (has_status(r, p, s))
            status_row(h, r, p, s, most);
    report_table_end(h);
    reasons(h, r, p);
}

/* ---- the whole */

static void facts(struct html *h, const struct report_problem *p)
{
    char text[REPORT_UNITS];

    html_put(h, "<p class=\"facts\">");
    report_json_words(h, p->sizes);
    html_put(h, " \xc2\xb7 %s points", report_count(p->points, text));
    if (*p->dtype)
        html_put(h, " of %s", p->dtype);
    if (p->steps > 1)
        html_put(h, " in %d steps at once", p->steps);
    if (p->bytes > 0)
        html_put(h, " \xc2\xb7 %s of compulsory traffic",
                 report_bytes((double)p->bytes, text));
    if (p->ops > 0)
        html_put(h, " \xc2\xb7 %s operations a point", report_digits(p->ops, text));
    html_put(h, "</p>\n");
}

void report_problem(struct html *h, const struct report *r, int problem)
{
    const struct report_problem *p = &r->problems[problem];
    char anchor[16];

    if (p->pair_count == 0)
        return;
    html_put(h, "<section class=\"card problem\" id=\"%s\"><h2>%s</h2>\n",
             report_anchor(problem, anchor), p->title);
    facts(h, p);
    put_devices(h, r, p);
    html_put(h, "<div class=\"charts\">");
    report_times(h, r, p);
    report_roofline(h, r, p);
    html_put(h, "</div>\n");
    for (int i = 0; i < p->pair_count; i++)
        report_finals(h, r, &r->pairs[p->pairs[i]]);
    for (int i = 0; i < p->pair_count; i++)
        report_fastest(h, r, &r->pairs[p->pairs[i]]);
    put_causes(h, r, p);
    put_cost(h, r, p);
    report_commands(h, r, p);
    html_put(h, "</section>\n");
}
