/* The number of registers of a window's columns, and the period of their rotation. */
#include "codegen/stream/window.h"

enum { UNROLL_LIMIT = 16 };

bool slide_is_for_some(const struct column *c)
{
    return c->stream->kind == STREAM_PLAIN && (c->arms == 1u << 1 || c->arms == 1u << 2);
}

bool slide_loads_first(const struct window *w, const struct column *c)
{
    return w->registers_first && c->stream->fills && c->hi >= w->warm * w->step;
}

bool slide_keeps(const struct slide *s, const struct column *c)
{
    return c->stream->kind == STREAM_PRIVATE ||
           (s->window->registers_first && c->stream->fills) ||
           (s->steps > 1 && c->top - c->lo >= s->step && !slide_is_for_some(c));
}

/* The greatest common divisor of non-negative numbers; 1 for 0 and 0. */
static int64_t gcd(int64_t a, int64_t b)
{
    while (b > 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a > 0 ? a : 1;
}

/* The least number of registers >= 'len' whose rotation has a period that divides 'turns'
 * steps. 0: more than UNROLL_LIMIT. */
static int64_t rotating(const struct slide *s, int64_t len, int64_t turns)
{
    for (; len <= UNROLL_LIMIT; len++)
        if (turns % (len / gcd(len, s->step)) == 0)
            return len;
    return 0;
}

/* The number of registers of all columns whose rotation has a period that divides 'turns'
 * steps; 0: impossible. */
static int64_t registers(const struct slide *s, int64_t turns)
{
    int64_t sum = 0, len = 1;

    for (int i = 0; i < s->window->count && len > 0; i++)
        if (slide_keeps(s, s->window->columns[i])) {
            len = rotating(s, s->window->columns[i]->len, turns);
            sum += len;
        }
    return len > 0 ? sum : 0;
}

static bool reads_memory(kx e)
{
    bool reads = e->kind == KX_LOAD;

    for (int i = 0; i < e->arg_count && !reads; i++)
        reads = reads_memory(e->args[i]);
    return reads;
}

/* True if loading an element takes time: an element made of indices needs no load. */
static bool takes_time(const struct column *c)
{
    return !c->places || reads_memory(c->places[c->lo]);
}

/* Decides which columns load the elements of the next step early: columns that overlap,
 * or all columns of streams without overlaps. */
static void plan_tops(struct slide *s)
{
    struct window *w = s->window;

    for (int i = 0; i < w->count; i++)
        if (w->columns[i]->hi - w->columns[i]->lo >= s->step)
            w->columns[i]->stream->overlaps = true;
    for (int i = 0; i < w->count; i++) {
        struct column *c = w->columns[i];
        bool early = w->slide->u.prim.attrs.slide.prefetch == 1 &&
                     c->stream->kind == STREAM_PLAIN && takes_time(c) &&
                     !slide_loads_first(w, c) &&
                     (c->hi - c->lo >= s->step || !c->stream->overlaps);

        c->top = c->hi + (early ? s->step : 0);
        c->len = c->top - c->lo + 1;
    }
}

int64_t slide_plan(struct slide *s)
{
    struct window *w = s->window;
    int64_t best = 1, least = INT64_MAX;

    plan_tops(s);
    if (s->e->u.prim.attrs.slide.window != LIFT_WINDOW_UNROLL)
        return 1;
    for (int64_t turns = 1; turns <= UNROLL_LIMIT; turns++) {
        int64_t sum = registers(s, turns);

        if (sum > 0 && sum < least) {
            best = turns;
            least = sum;
        }
    }
    for (int i = 0; i < w->count && least < INT64_MAX; i++)
        if (slide_keeps(s, w->columns[i]))
            w->columns[i]->len = rotating(s, w->columns[i]->len, best);
    return best;
}
