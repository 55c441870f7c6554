/* The command lines that take a kernel away, and that look for it again. */
#include "cli/commands.h"
#include "cli/report_page.h"

#include <string.h>

/* What chooses a device: its runtime, if no other one has that. */
static const char *device_words(const struct report *r, int device)
{
    const struct report_device *d = &r->devices[device];

    for (int i = 0; i < r->device_count; i++)
        if (i != device && r->devices[i].used &&
            strstr(r->devices[i].runtime, d->runtime))
            return lift_arena_printf(r->arena, "%s %s %s", d->runtime, d->vendor,
                                     d->name);
    return d->runtime;
}

/* Of the session that timed the fastest kernel. */
static const struct report_session *session_of(const struct report *r,
                                               const struct report_pair *pair)
{
    for (int i = 0; i < pair->top_count; i++)
        if (!strcmp(pair->top[i].try, pair->best_try))
            return &r->sessions[pair->top[i].session];
    return pair->top_count ? &r->sessions[pair->top[0].session] : NULL;
}

static void pair_commands(struct html *h, const struct report *r,
                          const struct report_pair *pair)
{
    const struct report_session *s = session_of(r, pair);
    struct lift_str line = {0};

    if (!pair->has_best)
        return;
    cli_emit_command(r->problems[pair->problem].program, r->path,
                     device_words(r, pair->device), r->problems[pair->problem].sizes,
                     &line);
    html_open(h, "p", "class", "note", NULL);
    html_textf(h, "The source of the best kernel on %s", r->devices[pair->device].label);
    html_close(h);
    html_leaf(h, "pre", NULL, "%s", lift_str_get(&line));
    lift_str_fini(&line);
    if (!s || !*s->argv)
        return;
    html_open(h, "p", "class", "note", NULL);
    html_textf(h, "The exploration that found it (seed %s, %s)", s->seed, s->versions);
    html_close(h);
    html_leaf(h, "pre", NULL, "%s", s->argv);
}

void report_commands(struct html *h, const struct report *r,
                     const struct report_problem *p)
{
    bool any = false;

    for (int i = 0; i < p->pair_count; i++)
        any |= r->pairs[p->pairs[i]].has_best;
    if (!any)
        return;
    html_leaf(h, "h3", NULL, "Take it away");
    for (int i = 0; i < p->pair_count; i++)
        pair_commands(h, r, &r->pairs[p->pairs[i]]);
}
