/* The beginning of a report: what was explored, and the best of each problem. */
#include "report/page.h"
#include "report/units.h"
#include <string.h>

static void tile(struct html *h, const char *value, const char *name)
{
    html_put(h, "<li><b>%s</b>%s</li>\n", value, name);
}

static void count_tile(struct html *h, int64_t count, const char *one, const char *many)
{
    char text[REPORT_UNITS];

    tile(h, report_count(count, text), count == 1 ? one : many);
}

static int used_devices(const struct report *r)
{
    int count = 0;

    for (int i = 0; i < r->device_count; i++)
        count += r->devices[i].used;
    return count;
}

static int tried_problems(const struct report *r)
{
    int count = 0;

    for (int i = 0; i < r->problem_count; i++)
        count += r->problems[i].pair_count > 0;
    return count;
}

static int used_sessions(const struct report *r)
{
    int count = 0;

    for (int i = 0; i < r->session_count; i++)
        count += r->sessions[i].tries > 0;
    return count;
}

static void tiles(struct html *h, const struct report *r)
{
    char text[REPORT_UNITS];

    html_put(h, "<ul class=\"tiles\">");
    count_tile(h, tried_problems(r), "problem", "problems");
    count_tile(h, used_devices(r), "device", "devices");
    count_tile(h, used_sessions(r), "session", "sessions");
    count_tile(h, r->tries, "try", "tries");
    count_tile(h, r->verified, "verified kernel", "verified kernels");
    tile(h, report_duration(r->explored, text), "of exploration");
    html_put(h, "</ul>");
}

/* ---- devices and sessions */

enum { MOST_EVENTS = 100 };

static void device_row(struct html *h, const struct report *r, int index)
{
    const struct report_device *d = &r->devices[index];
    char text[REPORT_UNITS];

    html_put(h,
             "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td class=\"n\">%d</td>"
             "<td class=\"n\">%s</td><td>%.10s</td></tr>\n",
             d->name, d->runtime, d->arch, d->compute_units,
             d->copy_gbs > 0 ? report_digits(d->copy_gbs, text) : "\xe2\x80\x93",
             d->copy_at);
}

static void devices(struct html *h, const struct report *r)
{
    static const char *const heads[] = {
        "Device",   "Runtime", "Architecture", "#Units", "#Copy bandwidth, GB/s",
        "Measured", NULL};

    html_put(h, "<h3>Devices</h3>\n");
    report_table(h, "Devices", heads);
    for (int i = 0; i < r->device_count; i++)
        if (r->devices[i].used)
            device_row(h, r, i);
    report_table_end(h);
}

struct events {
    struct html *h;
    const struct report_device *device;
    int count;
};

static bool event_row(void *user, const struct lift_db_event *row)
{
    struct events *e = user;
    struct html *h = e->h;

    e->count++;
    html_put(h,
             "<tr><td class=\"nowrap\">%.10s %.8s</td><td>%s</td><td>%s</td><td>%s</td>"
             "</tr>\n",
             row->at, strlen(row->at) > 11 ? row->at + 11 : "", e->device->label,
             row->kind, row->text);
    return e->count < MOST_EVENTS;
}

/* The rows are made first: a database without any shows nothing. */
static void events(struct html *h, const struct report *r)
{
    static const char *const heads[] = {"When (UTC)", "Device", "Event", "What", NULL};
    struct html rows = {.ids = 0};
    struct events e = {.h = &rows};

    for (int i = 0; i < r->device_count; i++) {
        e.device = &r->devices[i];
        if (e.device->used && !lift_db_events(r->db, e.device->id, event_row, &e))
            break;
    }
    if (e.count > 0) {
        html_put(h, "<details><summary>What befell the devices (%d)</summary>", e.count);
        report_table(h, "What befell the devices", heads);
        html_raw(h, lift_str_get(&rows.out));
        report_table_end(h);
        html_put(h, "</details>\n");
    }
    lift_str_fini(&rows.out);
}

enum { MOST_SESSIONS = 50 };

static void session_row(struct html *h, const struct report_session *s)
{
    char text[REPORT_UNITS], took[REPORT_UNITS];

    html_put(
        h,
        "<tr><td class=\"nowrap\">%.10s %.5s</td><td class=\"n\">%s</td>"
        "<td class=\"n\">%s</td><td>%s</td><td>%s</td><td><code>%s</code></td></tr>\n",
        s->started, s->begin > 0 ? s->started + 11 : "",
        report_duration(s->end - s->begin, took), report_count(s->tries, text),
        s->ended ? s->end_reason : "not ended", s->host, s->argv);
}

static void sessions(struct html *h, const struct report *r)
{
    static const char *const heads[] = {"Started (UTC)", "#Took",   "#Tries", "Ended by",
                                        "Machine",       "Command", NULL};
    int left = used_sessions(r), shown = 0;

    if (left == 0)
        return;
    html_put(h, "<details><summary>Sessions (%d)</summary>", left);
    report_table(h, "Sessions", heads);
    for (int i = r->session_count - 1; i >= 0 && shown < MOST_SESSIONS; i--)
        if (r->sessions[i].tries > 0) {
            session_row(h, &r->sessions[i]);
            shown++;
        }
    report_table_end(h);
    if (left > shown)
        html_put(h, "<p class=\"note\">The %d newest of %d.</p>\n", shown, left);
    html_put(h, "</details>\n");
}

/* Programs in a row, at most so many by name. */
static void what(struct html *h, const struct report *r)
{
    const char *last = NULL;
    int names = 0;

    html_put(h, "<p class=\"lead\">");
    for (int i = 0; i < r->problem_count; i++) {
        const struct report_problem *p = &r->problems[i];

        if (p->pair_count == 0 || (last && !strcmp(last, p->program)))
            continue;
        if (names < 12)
            html_put(h, "%s%s", names ? ", " : "", p->program);
        last = p->program;
        names++;
    }
    if (names > 12)
        html_put(h, " and %d more", names - 12);
    html_put(h, "</p>\n");
}

static void nothing(struct html *h, const struct report *r)
{
    LIFT_SCOPED(lift_str) others = {0};

    if (!report_say_others(r->db, REPORT_ROWS_EXPLORED, &r->wanted, &others))
        lift_str_add(&others, lift_db_error(r->db));
    html_put(h,
             "<p class=\"empty\">No tries of these programs, sizes, precisions and "
             "devices are in the "
             "database%s: 'lift-explore FILE.lift --db %s' makes some.</p>\n",
             lift_str_get(&others), r->path);
}

void report_head(struct html *h, const struct report *r)
{
    html_put(h, "<header><h1>Exploration report</h1>\n");
    what(h, r);
    html_put(h, "<p class=\"note\">From the database <code>%s</code></p>\n", r->path);
    tiles(h, r);
    html_put(h, "</header>");
    if (r->pair_count == 0) {
        nothing(h, r);
        return;
    }
    html_put(h, "<section class=\"card\">");
    devices(h, r);
    events(h, r);
    sessions(h, r);
    html_put(h, "</section>\n");
}

/* ---- overview */

static void overview_row(struct html *h, const struct report *r, int problem, int which)
{
    const struct report_problem *p = &r->problems[problem];
    const struct report_pair *pair = &r->pairs[p->pairs[which]];
    char text[REPORT_UNITS], anchor[16];

    html_raw(h, which ? "<tr>" : "<tr class=\"first\">");
    html_put(h, "<th scope=\"row\"><a href=\"#%s\">%s", report_anchor(problem, anchor),
             p->program);
    if (p->steps > 1)
        html_put(h, ", %d steps", p->steps);
    html_put(h, "</a></th><td class=\"sizes\">");
    report_json_words(h, p->sizes);
    html_put(h, "</td><td>%s</td><td>%s</td><td class=\"n\">%s%s</td>", p->dtype,
             r->devices[pair->device].label,
             pair->has_best ? report_launch_time(pair->best_seconds, text)
                            : "\xe2\x80\x93",
             report_unconfirmed(pair));
    report_number(h, "%s",
                  pair->has_best ? report_digits(pair->best_gpts, text) : "\xe2\x80\x93");
    report_roof_cell(h, pair);
    html_put(h, "<td class=\"n\">%s</td></tr>\n", report_count(pair->tries, text));
}

static void roofs(struct html *h, const struct report *r)
{
    html_put(h, "<div class=\"charts\">");
    report_roofline(h, r, NULL);
    html_raw(h, report_texts[REPORT_READING]);
    html_put(h, "</div>\n");
}

void report_overview(struct html *h, const struct report *r)
{
    static const char *const heads[] = {"Program",   "Sizes",          "Precision",
                                        "Device",    "#Time a launch", "#GPts/s",
                                        "% of roof", "#Tries",         NULL};

    if (tried_problems(r) < 2)
        return;
    html_put(h, "<section class=\"card\"><h2>Best kernels</h2>\n");
    report_table(h, "Best kernels", heads);
    for (int i = 0; i < r->problem_count; i++)
        for (int k = 0; k < r->problems[i].pair_count; k++)
            overview_row(h, r, i, k);
    report_table_end(h);
    roofs(h, r);
    html_put(h, "</section>\n");
}
