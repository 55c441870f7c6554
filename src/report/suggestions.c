/* The command lines that take a kernel away, and that look for it again. */
#include "report/commands.h"
#include "report/page.h"

#include <string.h>

struct device_search {
    struct lift_hash device;
    const char *words;
    struct lift_arena *arena;
    bool other; /* has these words, too */
};

static bool compare_device(void *user, const struct lift_db_device_row *row)
{
    struct device_search *s = user;

    s->other |= !lift_hash_equal(row->id, s->device) &&
                strcasestr(lift_arena_printf(s->arena, "%s %s %s", row->runtime,
                                             row->vendor, row->name),
                           s->words);
    return true;
}

static bool is_part_of_other(const struct report *r, int device, const char *words)
{
    struct device_search s = {r->devices[device].id, words, r->arena, false};

    return !lift_db_devices(r->db, &(struct lift_db_filter){.device = NULL},
                            compare_device, &s) ||
           s.other;
}

/* What chooses a device of the database, wherever the command is run: a runtime alone
 * would mean a device of the machine that runs it. */
static const char *device_words(const struct report *r, int device)
{
    const struct report_device *d = &r->devices[device];

    if (*d->name && !is_part_of_other(r, device, d->name))
        return d->name;
    return lift_arena_printf(r->arena, "%s %s %s", d->runtime, d->vendor, d->name);
}

/* Of the session that timed the fastest kernel. */
static const struct report_session *session_of(const struct report_pair *pair)
{
    for (int i = 0; i < pair->top_count; i++)
        if (!strcmp(pair->top[i].try, pair->best_try))
            return pair->top[i].session;
    return pair->top_count ? pair->top[0].session : NULL;
}

static void pair_commands(struct html *h, const struct report *r,
                          const struct report_pair *pair)
{
    const struct report_session *s = session_of(pair);
    const struct report_problem *p = &r->problems[pair->problem];
    struct report_named program;
    LIFT_SCOPED(lift_str) line = {0};

    if (!pair->has_best || !report_named(r->db, r->arena, p->id, &program))
        return;
    report_emit_command(&program, r->path, device_words(r, pair->device), p->sizes,
                        &line);
    html_put(h,
             "<p class=\"note\">The source of the best kernel on %s</p>\n<pre>%s</pre>\n",
             r->devices[pair->device].label, lift_str_get(&line));
    if (!s || !*s->argv)
        return;
    html_put(h,
             "<p class=\"note\">The exploration that found it (seed %s, %s)</p>\n"
             "<pre>%s</pre>\n",
             s->seed, s->versions, s->argv);
}

void report_commands(struct html *h, const struct report *r,
                     const struct report_problem *p)
{
    bool any = false;

    for (int i = 0; i < p->pair_count; i++)
        any |= r->pairs[p->pairs[i]].has_best;
    if (!any)
        return;
    html_put(h, "<h3>Take it away</h3>\n");
    for (int i = 0; i < p->pair_count; i++)
        pair_commands(h, r, &r->pairs[p->pairs[i]]);
}
