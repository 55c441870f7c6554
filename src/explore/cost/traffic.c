#include "explore/cost/traffic.h"
#include "base/bug.h"
#include <math.h>
#include <string.h>

/* Pieces of memory at equal distances. */
struct cluster {
    double lo, hi; /* the range that contains all pieces */
    double bytes;  /* touched bytes, in whole granules */
    double places; /* bytes of a cache way that the pieces may occupy */
    double solid;  /* bytes without a gap, from one of the first copies */
    double apart;  /* distance to the next copy; 0: no gap */
};

struct clusters {
    struct cluster items[TRAFFIC_REFS];
    int count;
    double granule, period; /* granule and period of the cache */
    bool solid;             /* no piece has a gap yet */
};

/* Joins solid pieces that overlap or nearly do. */
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

/* Copies use separate places of the way until these are exhausted. */
static double places_of(const struct clusters *c, const struct cluster *p, double by,
                        double steps)
{
    double apart = common_divisor(c->period, fmod(by, c->period));
    double positions = fmin(steps, c->period / apart);

    return fmin(c->period, p->places + (positions - 1) * fmin(apart, p->places));
}

/* True if a piece that begins 'off' bytes after another touches common bytes. A piece may
 * fit into the gaps of the other. */
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

/* The number of iterations after which 'from' touches the place of 'to', so that the
 * bytes are touched once. -1: never, or only after the last iteration. */
static double iterations_to(const struct cluster *from, const struct cluster *to,
                            double by, double extent)
{
    double off = to->lo - from->lo, count = rint(off / by);
    bool early = count < (from->apart > 0); /* one iteration touches them separately */

    return !early && count <= extent && overlap(from, to, off - count * by) ? count : -1;
}

/* A loop with gaps between steps makes copies of the pieces, which are in ascending
 * order. */
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
        /* only the last copies reach bytes after the previous steps */
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

/* Rounds solid pieces up to granules, for any alignment. */
static void close_pieces(struct clusters *c, double width)
{
    for (int i = 0; i < c->count; i++) {
        if (c->solid)
            c->items[i].bytes += c->granule > width ? c->granule - width : 0;
        c->items[i].places = fmin(c->period, fmax(c->items[i].bytes, c->granule));
    }
    c->solid = false;
}

/* If the steps of a loop are at most as long as the pieces, the loop extends the pieces.
 */
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

/* Sorts the spans by stride, smallest first, and drops spans without a stride. Returns
 * the number. */
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

/* Finds the memory that the first loops of a group touch, in a cache with known granule
 * and period. The rest of 'c' may be uninitialised: zeroing its items would take most of
 * an estimate's time. */
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

/* The number of innermost loops whose data fit the cache, and the probability that the
 * data of one more loop stay. -1: not even one iteration fits. */
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

/* Traffic if the data of the 'held' innermost loops stay in the cache. */
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
