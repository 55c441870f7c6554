/* The beginning of a report: what was explored, and the best of each problem. */
#include "report/page.h"
#include "report/units.h"
#include <string.h>

static void tile(struct html *h, const char *value, const char *name)
{
    html_open(h, "li", NULL);
    html_leaf(h, "b", NULL, "%s", value);
    html_text(h, name);
    html_close(h);
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

    html_open(h, "ul", "class", "tiles", NULL);
    count_tile(h, tried_problems(r), "problem", "problems");
    count_tile(h, used_devices(r), "device", "devices");
    count_tile(h, used_sessions(r), "session", "sessions");
    count_tile(h, r->tries, "try", "tries");
    count_tile(h, r->verified, "verified kernel", "verified kernels");
    tile(h, report_duration(r->explored, text), "of exploration");
    html_close(h);
}

/* ---- devices and sessions */

enum { MOST_EVENTS = 100 };

static void device_row(struct html *h, const struct report *r, int index)
{
    const struct report_device *d = &r->devices[index];
    char text[REPORT_UNITS];

    html_open(h, "tr", NULL);
    report_row_head(h, d->name);
    html_leaf(h, "td", NULL, "%s", d->runtime);
    html_leaf(h, "td", NULL, "%s", d->arch);
    report_number(h, "%d", d->compute_units);
    report_number(h, "%s",
                  d->copy_gbs > 0 ? report_digits(d->copy_gbs, text) : "\xe2\x80\x93");
    html_leaf(h, "td", NULL, "%.10s", d->copy_at);
    html_close(h);
}

static void devices(struct html *h, const struct report *r)
{
    static const char *const heads[] = {
        "Device",   "Runtime", "Architecture", "#Units", "#Copy bandwidth, GB/s",
        "Measured", NULL};

    html_leaf(h, "h3", NULL, "Devices");
    report_table(h, "Devices", heads);
    for (int i = 0; i < r->device_count; i++)
        if (r->devices[i].used)
            device_row(h, r, i);
    html_close_all(h, 3);
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
    html_open(h, "tr", NULL);
    html_leaf(h, "td", "nowrap", "%.10s %.8s", row->at,
              strlen(row->at) > 11 ? row->at + 11 : "");
    html_leaf(h, "td", NULL, "%s", e->device->label);
    html_leaf(h, "td", NULL, "%s", row->kind);
    html_leaf(h, "td", NULL, "%s", row->text);
    html_close(h);
    return e->count < MOST_EVENTS;
}

/* The rows are made first: a database without any shows nothing. */
static void events(struct html *h, const struct report *r)
{
    static const char *const heads[] = {"When (UTC)", "Device", "Event", "What", NULL};
    struct html rows = {.depth = 0};
    struct events e = {.h = &rows};

    for (int i = 0; i < r->device_count; i++) {
        e.device = &r->devices[i];
        if (e.device->used && !lift_db_events(r->db, e.device->id, event_row, &e))
            break;
    }
    if (e.count > 0) {
        html_open(h, "details", NULL);
        html_leaf(h, "summary", NULL, "What befell the devices (%d)", e.count);
        report_table(h, "What befell the devices", heads);
        html_raw(h, lift_str_get(&rows.out));
        html_close_all(h, 4);
    }
    lift_str_fini(&rows.out);
}

enum { MOST_SESSIONS = 50 };

static void session_row(struct html *h, const struct report_session *s)
{
    char text[REPORT_UNITS];

    html_open(h, "tr", NULL);
    html_leaf(h, "td", "nowrap", "%.10s %.5s", s->started,
              s->begin > 0 ? s->started + 11 : "");
    report_number(h, "%s", report_duration(s->end - s->begin, text));
    report_number(h, "%s", report_count(s->tries, text));
    html_leaf(h, "td", NULL, "%s", s->ended ? s->end_reason : "not ended");
    html_leaf(h, "td", NULL, "%s", s->host);
    html_open(h, "td", NULL);
    html_leaf(h, "code", NULL, "%s", s->argv);
    html_close_all(h, 2);
}

static void sessions(struct html *h, const struct report *r)
{
    static const char *const heads[] = {"Started (UTC)", "#Took",   "#Tries", "Ended by",
                                        "Machine",       "Command", NULL};
    int left = used_sessions(r), shown = 0;

    if (left == 0)
        return;
    html_open(h, "details", NULL);
    html_leaf(h, "summary", NULL, "Sessions (%d)", left);
    report_table(h, "Sessions", heads);
    for (int i = r->session_count - 1; i >= 0 && shown < MOST_SESSIONS; i--)
        if (r->sessions[i].tries > 0) {
            session_row(h, &r->sessions[i]);
            shown++;
        }
    html_close_all(h, 3);
    if (left > shown)
        html_leaf(h, "p", "note", "The %d newest of %d.", shown, left);
    html_close(h);
}

/* Programs in a row, at most so many by name. */
static void what(struct html *h, const struct report *r)
{
    const char *last = NULL;
    int names = 0;

    html_open(h, "p", "class", "lead", NULL);
    for (int i = 0; i < r->problem_count; i++) {
        const struct report_problem *p = &r->problems[i];

        if (p->pair_count == 0 || (last && !strcmp(last, p->program)))
            continue;
        if (names < 12)
            html_textf(h, "%s%s", names ? ", " : "", p->program);
        last = p->program;
        names++;
    }
    if (names > 12)
        html_textf(h, " and %d more", names - 12);
    html_close(h);
}

static void nothing(struct html *h, const struct report *r)
{
    LIFT_SCOPED(lift_str) others = {0};

    if (!report_say_others(r->db, REPORT_ROWS_EXPLORED, &r->wanted, &others))
        lift_str_add(&others, lift_db_error(r->db));
    html_leaf(h, "p", "empty",
              "No tries of these programs, sizes, precisions and devices are in the "
              "database%s: 'lift-explore FILE.lift --db %s' makes some.",
              lift_str_get(&others), r->path);
}

void report_head(struct html *h, const struct report *r)
{
    html_open(h, "header", NULL);
    html_leaf(h, "h1", NULL, "Exploration report");
    what(h, r);
    html_open(h, "p", "class", "note", NULL);
    html_text(h, "From the database ");
    html_leaf(h, "code", NULL, "%s", r->path);
    html_close(h);
    tiles(h, r);
    html_close(h);
    if (r->pair_count == 0) {
        nothing(h, r);
        return;
    }
    html_open(h, "section", "class", "card", NULL);
    devices(h, r);
    events(h, r);
    sessions(h, r);
    html_close(h);
}

/* ---- overview */

static void overview_row(struct html *h, const struct report *r, int problem, int which)
{
    const struct report_problem *p = &r->problems[problem];
    const struct report_pair *pair = &r->pairs[p->pairs[which]];
    char text[REPORT_UNITS], anchor[18] = "#";

    html_open(h, "tr", "class", which ? NULL : "first", NULL);
    html_open(h, "th", "scope", "row", NULL);
    report_anchor(problem, anchor + 1);
    html_open(h, "a", "href", anchor, NULL);
    html_text(h, p->program);
    if (p->steps > 1)
        html_textf(h, ", %d steps", p->steps);
    html_close_all(h, 2);
    html_open(h, "td", "class", "sizes", NULL);
    report_json_words(h, p->sizes);
    html_close(h);
    html_leaf(h, "td", NULL, "%s", p->dtype);
    html_leaf(h, "td", NULL, "%s", r->devices[pair->device].label);
    report_number(h, "%s",
                  pair->has_best ? report_launch_time(pair->best_seconds, text)
                                 : "\xe2\x80\x93");
    report_number(h, "%s",
                  pair->has_best ? report_digits(pair->best_gpts, text) : "\xe2\x80\x93");
    report_roof_cell(h, pair);
    report_number(h, "%s", report_count(pair->tries, text));
    html_close(h);
}

static void roofs(struct html *h, const struct report *r)
{
    html_open(h, "div", "class", "charts", NULL);
    report_roofline(h, r, NULL);
    html_raw(h, report_texts[REPORT_READING]);
    html_close(h);
}

void report_overview(struct html *h, const struct report *r)
{
    static const char *const heads[] = {"Program",   "Sizes",          "Precision",
                                        "Device",    "#Time a launch", "#GPts/s",
                                        "% of roof", "#Tries",         NULL};

    if (tried_problems(r) < 2)
        return;
    html_open(h, "section", "class", "card", NULL);
    html_leaf(h, "h2", NULL, "Best kernels");
    report_table(h, "Best kernels", heads);
    for (int i = 0; i < r->problem_count; i++)
        for (int k = 0; k < r->problems[i].pair_count; k++)
            overview_row(h, r, i, k);
    html_close_all(h, 3);
    roofs(h, r);
    html_close(h);
}
