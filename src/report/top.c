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
                        const struct report_pair *pair, double seconds)
{
    const struct report_problem *p = &r->problems[pair->problem];
    double roof = report_roof_gpts(r, p, pair->device);
    double gpts = (double)p->points / seconds * 1e-9;
    char text[REPORT_UNITS];

    report_number(h, "%s", report_launch_time(seconds, text));
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

    html_open(h, "tr", "class", strcmp(k->try, pair->best_try) ? NULL : "winner", NULL);
    report_number(h, "%d", rank + 1);
    speed_cells(h, r, pair, k->seconds);
    html_open(h, "td", "class", "tunables", NULL);
    report_json_words(h, k->tunables);
    html_close(h);
    if (has_resources(pair)) {
        resource(h, k->registers);
        resource(h, k->spill_bytes);
        resource(h, k->local_bytes);
    }
    html_open(h, "td", "class", "nowrap", NULL);
    html_leaf(h, "code", NULL, "%.12s", lift_hash_hex(k->expr, hex));
    html_close_all(h, 2);
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
        html_close_all(s->h, 2);
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
        html_open(h, "li", "class", "macro", NULL);
        html_leaf(h, "b", NULL, "%s", step->macros[i].macro);
        html_textf(h, " at %s", step->macros[i].position);
        html_open(h, "ul", NULL);
        s->last[s->depth++] = step->macros[i].first + step->macros[i].steps - 1;
    }
    html_open(h, "li", NULL);
    html_leaf(h, "b", NULL, "%s", step->rule);
    html_textf(h, " at %s", step->position);
    if (*step->args)
        html_textf(h, ", %s", step->args);
    html_close(h);
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
    html_open(h, "details", NULL);
    html_open(h, "summary", NULL);
    html_leaf(h, "b", NULL, "%s", lift_str_get(&who));
    html_textf(h, " %s", how.len ? lift_str_get(&how) : "no rewrites");
    html_close(h);
    html_open(h, "ul", "class", "steps", NULL);
    if (!lift_db_derivation(r->db, pair->top[rank].expr, take_step, &s))
        html_leaf(h, "li", NULL, "%s", lift_db_error(r->db));
    close_lists(&s, INT_MAX);
    if (s.count == 0)
        html_leaf(h, "li", NULL, "the program as it is");
    html_close(h);
    html_open(h, "p", "class", "note", NULL);
    html_leaf(h, "code", NULL, "lift show --expr %s --db %s",
              lift_hash_hex(pair->top[rank].expr, hex), r->path);
    html_text(h, " prints the expression");
    html_close_all(h, 2);
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
    html_leaf(h, "h3", NULL, "Fastest kernels on %s", r->devices[pair->device].label);
    report_table(h, "Fastest kernels", has_resources(pair) ? more : heads);
    for (int i = 0; i < pair->top_count; i++)
        row(h, r, pair, i);
    html_close_all(h, 3);
    html_leaf(h, "p", "note", "How they were derived, by number:");
    for (int i = 0; i < pair->top_count; i++)
        if (!is_repeated(pair, i))
            derivation(h, r, pair, i);
}
