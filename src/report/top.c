/* The fastest kernels of a problem on a device, and how each was derived. */
#include "report/page.h"
#include "report/short.h"
#include "report/units.h"
#include <limits.h>
#include <string.h>

static const char dash[] = "\xe2\x80\x93";

static void resource(struct html *h, int64_t n)
{
    if (n < 0)
        report_number(h, "%s", dash);
    else
        report_number(h, "%lld", (long long)n);
}

static bool has_resources(const struct report_pair *pair)
{
    for (int i = 0; i < pair->top_count; i++)
        if (pair->top[i].registers >= 0 || pair->top[i].spill_bytes >= 0)
            return true;
    return false;
}

static void speed_cells(struct html *h, const struct report *r,
                        const struct report_pair *pair, double seconds, bool confirmed)
{
    const struct report_problem *p = &r->problems[pair->problem];
    double roof = report_roof_gpts(r, p, pair->device);
    double gpts = (double)p->points / seconds * 1e-9;
    char text[REPORT_UNITS];

    report_number(h, "%s%s", report_launch_time(seconds, text),
                  confirmed ? "" : ", unconfirmed");
    report_number(h, "%s", report_digits(gpts, text));
    report_number(h, "%s",
                  p->bytes > 0 ? report_digits((double)p->bytes / seconds * 1e-9, text)
                               : dash);
    if (roof > 0)
        report_bar(h, pair->device, gpts / roof, report_digits(100 * gpts / roof, text));
    else
        report_number(h, "%s", dash);
}

static void row(struct html *h, const struct report *r, const struct report_pair *pair,
                int rank)
{
    const struct report_kernel *k = &pair->top[rank];
    char hex[LIFT_HASH_HEX];

    html_raw(h, strcmp(k->try, pair->best_try) ? "<tr>" : "<tr class=\"winner\">");
    report_number(h, "%d", rank + 1);
    speed_cells(h, r, pair, k->seconds, k->confirmed);
    html_put(h, "<td class=\"tunables\">");
    report_json_words(h, k->tunables);
    html_put(h, "</td>");
    if (has_resources(pair)) {
        resource(h, k->registers);
        resource(h, k->spill_bytes);
        resource(h, k->local_bytes);
    }
    html_put(h, "<td class=\"nowrap\"><code>%.12s</code></td></tr>\n",
             lift_hash_hex(k->expr, hex));
}

/* ---- derivations */

struct steps {
    struct html *h;
    int count, depth;              /* lists that are open */
    int last[LIFT_DB_STEP_MACROS]; /* the last step of each macro that is open */
};

static void close_lists(struct steps *s, int step)
{
    while (s->depth > 0 && s->last[s->depth - 1] < step) {
        html_put(s->h, "</ul></li>\n");
        s->depth--;
    }
}

/* Macros are items with the steps that they consist of below. */
static bool take_step(void *user, const struct lift_db_step *step)
{
    struct steps *s = user;
    struct html *h = s->h;

    close_lists(s, step->step);
    for (int i = s->depth; i < step->macro_count; i++) {
        html_put(h, "<li class=\"macro\"><b>%s</b> at %s<ul>", step->macros[i].macro,
                 step->macros[i].position);
        s->last[s->depth++] = step->macros[i].first + step->macros[i].steps - 1;
    }
    html_put(h, "<li><b>%s</b> at %s%s%s</li>\n", step->rule, step->position,
             *step->args ? ", " : "", step->args);
    s->count++;
    return true;
}

/* The ranks that share an expression: "1, 3, 4". */
static void ranks(const struct report_pair *pair, int first, struct lift_str *out)
{
    for (int i = first; i < pair->top_count; i++)
        if (lift_hash_equal(pair->top[i].expr, pair->top[first].expr))
            lift_str_addf(out, "%s%d", out->len ? ", " : "", i + 1);
}

static bool is_repeated(const struct report_pair *pair, int rank)
{
    for (int i = 0; i < rank; i++)
        if (lift_hash_equal(pair->top[i].expr, pair->top[rank].expr))
            return true;
    return false;
}

static void derivation(struct html *h, const struct report *r,
                       const struct report_pair *pair, int rank)
{
    struct steps s = {.h = h};
    LIFT_SCOPED(lift_str) who = {0}, how = {0};
    char hex[LIFT_HASH_HEX];

    report_how_short(r->db, pair->top[rank].expr, " \xc2\xb7 ", &how);
    ranks(pair, rank, &who);
    html_put(h, "<details><summary><b>%s</b> %s</summary><ul class=\"steps\">",
             lift_str_get(&who), how.len ? lift_str_get(&how) : "no rewrites");
    if (!lift_db_derivation(r->db, pair->top[rank].expr, take_step, &s))
        html_put(h, "<li>%s</li>\n", lift_db_error(r->db));
    close_lists(&s, INT_MAX);
    if (s.count == 0)
        html_put(h, "<li>the program as it is</li>\n");
    html_put(h,
             "</ul><p class=\"note\"><code>lift show --expr %s --db %s</code> prints the "
             "expression</p>\n</details>\n",
             lift_hash_hex(pair->top[rank].expr, hex), r->path);
}

void report_fastest(struct html *h, const struct report *r,
                    const struct report_pair *pair)
{
    static const char *const heads[] = {"##",        "#Time",    "#GPts/s",    "#GB/s",
                                        "% of roof", "Tunables", "Expression", NULL};
    static const char *const more[] = {
        "#",        "#Time",      "#GPts/s",      "#GB/s",        "% of roof",
        "Tunables", "#Registers", "#Spilt bytes", "#Local bytes", "Expression",
        NULL};

    if (pair->top_count == 0)
        return;
    html_put(h, "<h3>Fastest kernels on %s</h3>\n", r->devices[pair->device].label);
    report_table(h, "Fastest kernels", has_resources(pair) ? more : heads);
    for (int i = 0; i < pair->top_count; i++)
        row(h, r, pair, i);
    report_table_end(h);
    html_put(h, "<p class=\"note\">How they were derived, by number:</p>\n");
    for (int i = 0; i < pair->top_count; i++)
        if (!is_repeated(pair, i))
            derivation(h, r, pair, i);
}
