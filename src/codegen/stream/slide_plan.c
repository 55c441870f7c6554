/* How many registers the columns of a window have, and when their rotation is over. */
#include "codegen/stream/window.h"

enum { UNROLL_LIMIT = 16 };

bool slide_keeps(const struct slide *s, const struct column *c)
{
    return c->stream->kind == STREAM_PRIVATE ||
           (s->steps > 1 && c->top - c->lo >= s->step);
}

/* Of positive numbers. */
static int64_t gcd(int64_t a, int64_t b)
{
    while (b > 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a > 0 ? a : 1;
}

/* Steps after which all rotations are back at the start; beyond the limit it is not
 * exact. */
static int64_t period(const struct slide *s)
{
    int64_t p = 1;

    for (int i = 0; i < s->window->count && p <= UNROLL_LIMIT; i++) {
        const struct column *c = s->window->columns[i];
        int64_t n = slide_keeps(s, c) ? c->len / gcd(c->len, s->step) : 1;

        p *= n / gcd(n, p);
    }
    return p;
}

static bool reads_memory(kx e)
{
    bool reads = e->kind == KX_LOAD;

    for (int i = 0; i < e->arg_count && !reads; i++)
        reads = reads_memory(e->args[i]);
    return reads;
}

/* Elements that are made of indices are there when they are wanted. */
static bool takes_time(const struct column *c)
{
    return !c->places || reads_memory(c->places[c->lo]);
}

/* Which registers fetch the elements of the next step early: those of overlapping
 * columns; in streams that have none, all. */
static void plan_tops(struct slide *s)
{
    struct window *w = s->window;

    for (int i = 0; i < w->count; i++)
        if (w->columns[i]->hi - w->columns[i]->lo >= s->step)
            w->columns[i]->stream->overlaps = true;
    for (int i = 0; i < w->count; i++) {
        struct column *c = w->columns[i];
        bool early = w->prefetch && c->stream->kind == STREAM_PLAIN && takes_time(c) &&
                     (c->hi - c->lo >= s->step || !c->stream->overlaps);

        c->top = c->hi + (early ? s->step : 0);
        c->len = c->top - c->lo + 1;
    }
}

int64_t slide_plan(struct slide *s)
{
    struct window *w = s->window;
    int64_t longest = 1, turns;

    plan_tops(s);
    for (int i = 0; i < w->count; i++) {
        const struct column *c = w->columns[i];

        if (slide_keeps(s, c) && c->len > longest)
            longest = c->len;
    }
    if (s->e->u.prim.attrs[0] != LIFT_WINDOW_UNROLL)
        return 1;
    turns = period(s);
    if (turns <= UNROLL_LIMIT)
        return turns;
    for (int i = 0; i < w->count; i++)
        if (longest <= UNROLL_LIMIT && slide_keeps(s, w->columns[i]))
            w->columns[i]->len = longest;
    turns = period(s);
    return turns <= UNROLL_LIMIT ? turns : 1;
}
