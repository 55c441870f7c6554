#include "explore/cost/traffic.h"
#include "base/bug.h"
#include <math.h>
#include <string.h>

/* Pieces of memory in equal distances. */
struct cluster {
    double lo, hi; /* all of it lies there */
    double bytes;  /* that are touched, in whole granules */
    double places; /* bytes of a way of the cache that they can lie in */
    double solid;  /* bytes without a gap, from one of the first copies ... */
    double apart;  /* ... to the next; 0: it has no gap */
};

struct clusters {
    struct cluster items[TRAFFIC_REFS];
    int count;
    double granule, period; /* of the cache */
    bool solid;             /* no piece has a gap so far */
};

/* Solid pieces that overlap or nearly do are one. */
static void join_solid(struct clusters *c)
{
    int kept = 0;

    for (int i = 1; i < c->count; i++) {
        struct cluster *last = &c->items[kept];

        if (c->items[i].lo <= last->hi + c->granule / 2)
            last->hi = fmax(last->hi, c->items[i].hi);
        else
            c->items[++kept] = c->items[i];
    }
    c->count = c->count ? kept + 1 : 0;
    for (int i = 0; i < c->count; i++)
        c->items[i].bytes = c->items[i].hi - c->items[i].lo;
}

static double common_divisor(double a, double b)
{
    while (b >= 1) {
        double rest = fmod(a, b);

        a = b;
        b = rest;
    }
    return a;
}

/* Copies use separate places until these are used up. */
static double places_of(const struct clusters *c, const struct cluster *p, double by,
                        double steps)
{
    double apart = common_divisor(c->period, fmod(by, c->period));
    double positions = fmin(steps, c->period / apart);

    return fmin(c->period, p->places + (positions - 1) * fmin(apart, p->places));
}

/* Whether a piece that begins 'off' bytes behind another has a place in common with it.
 * Where they have gaps, one may lie in those of the other. */
static bool overlap(const struct cluster *a, const struct cluster *b, double off)
{
    double rest;

    if (off >= a->hi - a->lo || -off >= b->hi - b->lo)
        return false;
    if (a->apart == 0 || a->apart != b->apart)
        return true;
    rest = off - a->apart * floor(off / a->apart);
    return rest < a->solid || a->apart - rest < b->solid;
}

/* Iterations from a piece to another one that lies in the same place of a later one: each
 * is touched once. -1: it does not, or in one after the last. */
static double iterations_to(const struct cluster *from, const struct cluster *to,
                            double by, double extent)
{
    double off = to->lo - from->lo, count = rint(off / by);
    bool early = count < (from->apart > 0); /* one iteration has them apart */

    return !early && count <= extent && overlap(from, to, off - count * by) ? count : -1;
}

/* A loop whose steps leave gaps makes copies. Pieces come in the order in which they lie.
 */
static void copy(struct clusters *c, double by, double extent)
{
    struct cluster made[TRAFFIC_REFS];
    double steps[TRAFFIC_REFS], more = -1;
    int last[TRAFFIC_REFS], count = 0;

    for (int i = 0; i < c->count; i++) {
        const struct cluster *p = &c->items[i];
        int at = 0;

        while (at < count &&
               (more = iterations_to(&c->items[last[at]], p, by, extent)) < 0)
            at++;
        last[at] = i;
        if (at == count) {
            steps[count] = extent;
            made[count++] = *p;
            continue;
        }
        /* beyond what the one before reaches there are only the last ones' */
        steps[at] += more;
        made[at].bytes = fmax(made[at].bytes, p->bytes);
    }
    for (int i = 0; i < count; i++) {
        if (c->period > 0)
            made[i].places = places_of(c, &made[i], by, steps[i]);
        if (made[i].apart == 0)
            made[i].solid = made[i].hi - made[i].lo, made[i].apart = by;
        made[i].bytes *= steps[i];
        made[i].hi += by * (steps[i] - 1);
    }
    memcpy(c->items, made, sizeof made[0] * (size_t)count);
    c->count = count;
}

/* Rounds solid pieces up to the granules that they lie in, wherever they begin. */
static void close_pieces(struct clusters *c, double width)
{
    for (int i = 0; i < c->count; i++) {
        if (c->solid)
            c->items[i].bytes += c->granule > width ? c->granule - width : 0;
        c->items[i].places = fmin(c->period, fmax(c->items[i].bytes, c->granule));
    }
    c->solid = false;
}

/* A loop whose steps are no longer than the pieces makes them longer. */
static void run(struct clusters *c, double by, double extent, double width)
{
    double widest = 0;

    for (int i = 0; i < c->count; i++)
        widest = fmax(widest, c->items[i].hi - c->items[i].lo);
    if (by <= widest + (c->solid ? c->granule / 2 : 0)) {
        for (int i = 0; i < c->count; i++) {
            struct cluster *p = &c->items[i];
            double had = p->hi - p->lo;

            p->bytes *= (had + by * (extent - 1)) / had;
            p->places *= (had + by * (extent - 1)) / had;
            p->hi += by * (extent - 1);
        }
        if (c->solid)
            join_solid(c);
        return;
    }
    if (c->solid)
        close_pieces(c, width);
    copy(c, by, extent);
}

/* The spans by the length of their steps, the shortest first; those that repeat the same
 * places left out. Returns the number. */
static int sort_spans(const struct traffic_group *g, int spans,
                      struct traffic_span out[TRAFFIC_SPANS])
{
    int count = 0;

    for (int i = 0; i < spans; i++) {
        struct traffic_span s = {fabs(g->spans[i].by), g->spans[i].extent};
        int at = count;

        if (s.by == 0 || s.extent <= 1)
            continue;
        for (; at > 0 && out[at - 1].by > s.by; at--)
            out[at] = out[at - 1];
        out[at] = s;
        count++;
    }
    return count;
}

/* What the first loops of a group touch, in a cache whose granule and period are set. The
 * rest of 'c' may hold anything: zeroing its items would take most of an estimate. */
static void touch(const struct traffic_group *g, int spans, struct clusters *c)
{
    struct traffic_span sorted[TRAFFIC_SPANS];
    int count = sort_spans(g, spans, sorted);

    LIFT_ASSERT(g->count >= 0);
    c->count = g->count;
    c->solid = true;
    for (int i = 0; i < g->count; i++)
        c->items[i] = (struct cluster){.lo = g->at[i], .hi = g->at[i] + g->width};
    join_solid(c);
    for (int i = 0; i < count; i++)
        run(c, sorted[i].by, sorted[i].extent, g->width);
    if (c->solid)
        close_pieces(c, g->width);
}

double traffic_footprint(const struct traffic_group *g, int spans, double granule)
{
    struct clusters c;
    double sum = 0;

    c.granule = granule;
    c.period = 0;
    touch(g, spans, &c);
    for (int i = 0; i < c.count; i++)
        sum += c.items[i].bytes;
    return sum;
}

double traffic_occupied(const struct traffic_group *g, int spans,
                        const struct traffic_cache *cache)
{
    struct clusters c;
    double sum = 0;

    c.granule = cache->granule;
    c.period = cache->period;
    touch(g, spans, &c);
    for (int i = 0; i < c.count; i++) {
        const struct cluster *p = &c.items[i];

        sum += p->bytes > p->places && p->places > 0 ? p->bytes * c.period / p->places
                                                     : p->bytes;
    }
    return sum;
}

/* How many of the innermost loops take no more than the cache holds, and how likely it is
 * that those and the loop around stay, too. -1: not even one iteration is held. */
struct held {
    int loops;
    double more;
};

static struct held loops_that_fit(const struct traffic_nest *nest,
                                  const struct traffic_cache *cache)
{
    double sure = cache->sure > 0 ? cache->sure : cache->capacity;
    struct held h = {.loops = -1};

    for (int k = 0; k <= nest->spans; k++) {
        double sum = 0;

        for (int i = 0; i < nest->count; i++)
            sum += traffic_occupied(&nest->groups[i], k, cache);
        if (sum > sure) {
            h.more = fmax(0, cache->capacity - sum) / fmax(1, cache->capacity - sure);
            break;
        }
        h.loops = k;
    }
    return h;
}

/* If what so many of the innermost loops touch stays. */
static double behind(const struct traffic_nest *nest, const struct traffic_cache *cache,
                     int held)
{
    int part = held < nest->spans ? held + 1 : nest->spans;
    double sum = 0, repeats = 1;

    for (int i = part; i < nest->spans; i++)
        repeats *= nest->groups[0].spans[i].extent;
    for (int i = 0; i < nest->count; i++)
        if (nest->groups[i].cached)
            sum += nest->groups[i].weight * repeats *
                   traffic_footprint(&nest->groups[i], part, cache->granule);
    return sum;
}

double traffic_behind(const struct traffic_nest *nest, const struct traffic_cache *cache)
{
    struct held h = loops_that_fit(nest, cache);
    double bytes;

    if (nest->count == 0)
        return 0;
    bytes = behind(nest, cache, h.loops);
    if (h.more > 0)
        bytes += h.more * (behind(nest, cache, h.loops + 1) - bytes);
    return bytes;
}
