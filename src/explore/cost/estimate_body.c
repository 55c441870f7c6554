/* Loop bodies of a sketch, and their memory accesses. */
#include "explore/cost/estimate_t.h"
#include <math.h>
#include <string.h>

bool body_is_straight(const struct sketch_loop *l)
{
    return l->kind == SKETCH_UNROLL || l->kind == SKETCH_LANES;
}

int body_anchor(const struct sketch *s, int loop, double *repeats)
{
    *repeats = 1;
    while (loop > 0 && body_is_straight(&s->loops[loop])) {
        *repeats *= s->loops[loop].extent;
        loop = s->loops[loop].parent;
    }
    return loop;
}

double body_step(const struct body_group *g, const struct sketch_loop *loop)
{
    return loop->depth >= 0 && loop->depth < g->at->depth
               ? g->at->by[loop->depth] * g->scalar
               : 0;
}

/* ---- references */

static bool same_steps(const struct sketch *s, const struct body *b,
                       const struct body_group *g, const struct body_group *h)
{
    if (g->buffer != h->buffer || g->store != h->store || g->kept != h->kept ||
        g->width != h->width)
        return false;
    for (int i = 0; i < b->chain_count; i++) {
        const struct sketch_loop *l = &s->loops[b->chain[i]];

        if (body_step(g, l) != body_step(h, l))
            return false;
    }
    return true;
}

/* Adds a reference once; drops it if the list is full. */
static void add_reference(struct body_group *g, double at)
{
    int k = g->count;

    while (k > 0 && g->first[k - 1] > at)
        k--;
    if ((k > 0 && g->first[k - 1] == at) || g->count == TRAFFIC_REFS)
        return;
    memmove(&g->first[k + 1], &g->first[k], sizeof at * (size_t)(g->count - k));
    g->first[k] = at;
    g->count++;
}

/* Copies the references for each iteration of straight-line code; adjacent lanes make
 * wider references. */
static void repeat(struct body_group *g, const struct sketch_loop *l)
{
    int count = g->count;
    double by = body_step(g, l), first[TRAFFIC_REFS];

    if (by == 0)
        return;
    if (l->kind == SKETCH_LANES && by == g->width) {
        g->width *= l->extent;
        return;
    }
    memcpy(first, g->first, sizeof first[0] * (size_t)count);
    for (int i = 1; i < l->extent && g->count < TRAFFIC_REFS; i++)
        for (int k = 0; k < count; k++)
            add_reference(g, first[k] + by * i);
}

/* Replaces references of straight-line vector loads by the vectors that contain them. */
static void widen(struct body_group *g, double width)
{
    struct body_group wide = *g;

    wide.count = 0;
    wide.width = width;
    for (int i = 0; i < g->count; i++) {
        int64_t last = (int64_t)floor((g->first[i] + g->width - g->scalar) / width);

        for (int64_t at = (int64_t)floor(g->first[i] / width); at <= last; at++)
            add_reference(&wide, (double)at * width);
    }
    *g = wide;
}

static void group_of(const struct sketch *s, const struct sketch_access *a,
                     struct body_group *g)
{
    const struct sketch_buffer *buffer = &s->buffers[a->buffer];

    g->buffer = a->buffer;
    g->store = a->store;
    g->kept = a->kept;
    g->at = a->at;
    g->scalar = g->width = buffer->scalar_bytes;
    g->count = 1;
    g->first[0] = a->at->base * g->scalar;
    for (int l = a->loop; l > 0 && body_is_straight(&s->loops[l]); l = s->loops[l].parent)
        repeat(g, &s->loops[l]);
    if (buffer->space == SKETCH_PRIVATE)
        return;
    for (int l = a->loop; l > 0 && body_is_straight(&s->loops[l]); l = s->loops[l].parent)
        if (s->loops[l].kind == SKETCH_UNROLL &&
            s->loops[l].loads * g->scalar > g->width &&
            body_step(g, &s->loops[l]) == g->scalar)
            widen(g, s->loops[l].loads * g->scalar);
}

static void add_access(const struct sketch *s, const struct sketch_access *a,
                       struct body *b)
{
    struct body_group *made = &b->groups[b->group_count];

    if (b->group_count + 1 >= TRAFFIC_GROUPS)
        return;
    group_of(s, a, made);
    for (int i = 0; i < b->group_count; i++)
        if (same_steps(s, b, &b->groups[i], made)) {
            for (int k = 0; k < made->count; k++)
                add_reference(&b->groups[i], made->first[k]);
            return;
        }
    b->group_count++;
}

bool body_make(const struct sketch *s, int loop, bool apart, struct body *out)
{
    double repeats;

    if (loop > 0 && body_is_straight(&s->loops[loop]))
        return false;
    out->loop = loop;
    out->chain_count = out->group_count = 0;
    out->ops = out->lane_ops = out->blocked = out->edges = out->rolled = 0;
    for (int l = loop; l > 0; l = s->loops[l].parent)
        out->chain[out->chain_count++] = l;
    for (int l = loop; l < s->loop_count; l++)
        if (body_anchor(s, l, &repeats) == loop) {
            out->ops += s->loops[l].ops * repeats;
            out->lane_ops += s->loops[l].lane_ops * repeats;
            out->blocked += s->loops[l].blocked * repeats;
            out->edges += s->loops[l].edges * repeats;
            out->rolled += s->loops[l].rolled;
        }
    body_share_ops(s, out, apart);
    for (int i = 0; i < s->access_count; i++)
        if (body_anchor(s, s->accesses[i].loop, &repeats) == loop)
            add_access(s, &s->accesses[i], out);
    return out->ops + out->lane_ops > 0 || out->group_count > 0;
}

/* ---- loads and stores */

static const struct sketch_loop *stream_of(const struct explore_estimator *e,
                                           const struct body_group *g)
{
    const struct body *b = e->body;

    for (int i = 0; i < b->chain_count; i++)
        if (e->sketch->loops[b->chain[i]].depth == g->kept)
            return &e->sketch->loops[b->chain[i]];
    return NULL;
}

/* The number of references that a step of the stream adds. */
static double new_ones(const struct explore_estimator *e, const struct body_group *g)
{
    const struct sketch_loop *stream = g->kept >= 0 ? stream_of(e, g) : NULL;
    struct traffic_group *t = &e->room[0];

    if (!stream || body_step(g, stream) == 0)
        return g->count;
    t->count = g->count;
    t->width = g->width;
    memcpy(t->at, g->first, sizeof g->first[0] * (size_t)g->count);
    t->spans[0] = (struct traffic_span){body_step(g, stream), stream->extent};
    return traffic_footprint(t, 1, g->width) / g->width / stream->extent;
}

double body_accesses(const struct explore_estimator *e, const struct body_group *g)
{
    const struct body *b = e->body;
    double count = g->count;

    if (e->sketch->buffers[g->buffer].space == SKETCH_PRIVATE)
        return 0;
    if (!g->store)
        count = new_ones(e, g);
    for (int i = 0; i < b->chain_count; i++) {
        const struct sketch_loop *l = &e->sketch->loops[b->chain[i]];

        if (body_step(g, l) != 0 || l->kind >= SKETCH_PAR)
            break;
        count /= l->extent;
    }
    return count;
}

/* Elements of a thread are contiguous in x, and in y if the thread has several rows: a
 * reference in x leaves them or not, a reference in y leaves them for a share of the
 * rows. */
double body_exchanged(const struct explore_estimator *e, const struct body_group *g)
{
    double own[2] = {0, 0}, row = 0, count = 0;

    for (int i = 0; i < e->body->chain_count; i++) {
        const struct sketch_loop *l = &e->sketch->loops[e->body->chain[i]];
        double by = fabs(body_step(g, l));

        if (l->kind == SKETCH_LCL && l->dim < 2)
            own[l->dim] = by;
        else if (l->kind == SKETCH_UNROLL)
            row = by;
    }
    row = row > 0 ? row : own[1];
    for (int i = 0; i < g->count && own[0] > 0; i++) {
        double rows = row > 0 ? rint(g->first[i] / row) : 0;
        double x = g->first[i] - rows * row;
        double y = own[1] > 0 ? fmin(1, fabs(rows) * row / own[1]) : 0;

        count += x < 0 || x >= own[0] ? 1 : y;
    }
    return count;
}

/* References that stay in the window at the next step of the stream. Elements of a single
 * plane or of a circular buffer stay in no register. */
static double staying(const struct body_group *g, double step)
{
    double count = 0;

    for (int i = 0; i < g->count; i++) {
        bool stays = false;

        for (int k = 0; k < g->count && step != 0 && !stays; k++)
            stays = k != i && fmod(fabs(g->first[k] - g->first[i]), fabs(step)) == 0;
        count += stays;
    }
    return count;
}

double body_kept(const struct explore_estimator *e)
{
    double sum = 0;

    for (int i = 0; i < e->body->group_count; i++) {
        const struct body_group *g = &e->body->groups[i];
        const struct sketch_loop *stream = g->kept >= 0 ? stream_of(e, g) : NULL;

        if (stream)
            sum += g->width * staying(g, body_step(g, stream));
    }
    return sum;
}

double body_useful(const struct explore_estimator *e)
{
    const struct body *b = e->body;
    double iterations = 1, part = 1;

    for (int i = 0; i < b->chain_count; i++)
        iterations *= e->sketch->loops[b->chain[i]].extent;
    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];
        const struct sketch_buffer *buffer = &e->sketch->buffers[g->buffer];

        if (g->store && buffer->space == SKETCH_GLOBAL)
            part = fmin(part, buffer->bytes / (iterations * g->count * g->width));
    }
    return part;
}

/* ---- traffic */

static bool is_first_of_buffer(const struct body *b, int group)
{
    for (int i = 0; i < group; i++)
        if (b->groups[i].buffer == b->groups[group].buffer)
            return false;
    return true;
}

double body_compulsory(const struct explore_estimator *e)
{
    const struct body *b = e->body;
    double iterations = body_useful(e), sum = 0;

    for (int i = 0; i < b->chain_count; i++)
        iterations *= e->sketch->loops[b->chain[i]].extent;
    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];
        const struct sketch_buffer *buffer = &e->sketch->buffers[g->buffer];

        if (buffer->space == SKETCH_GLOBAL && is_first_of_buffer(b, i))
            sum += fmin(buffer->bytes, iterations * g->count * g->width);
    }
    return sum;
}

void order_add(struct order *o, int loop, double step, double extent)
{
    if (extent > 1 && o->count < TRAFFIC_SPANS)
        o->items[o->count++] = (struct order_loop){loop, step, extent};
}

/* True if the body also loads the elements that the group stores. */
static bool is_loaded(const struct body *b, const struct body_group *store)
{
    for (int i = 0; i < b->group_count; i++)
        if (!b->groups[i].store && b->groups[i].buffer == store->buffer)
            return true;
    return false;
}

/* The share of shared memory that misses the cache: the data are reused cyclically. */
static double local_misses(const struct explore_estimator *e,
                           const struct traffic_cache *cache)
{
    const struct sketch *s = e->sketch;
    int kernel = e->body->chain_count ? e->body->chain[e->body->chain_count - 1] : 0;
    double sum = 0, sure = cache->sure > 0 ? cache->sure : cache->capacity;

    for (int i = 0; i < s->buffer_count; i++)
        if (s->buffers[i].space == SKETCH_LOCAL && s->buffers[i].kernel == kernel)
            sum += s->buffers[i].bytes;
    return fmax(0, fmin(1, (sum - sure) / fmax(1, cache->capacity - sure)));
}

/* Bytes between steps. In a circular buffer each stream step touches another slot, though
 * all have one index. */
static double span_step(const struct explore_estimator *e, const struct body_group *g,
                        const struct sketch_loop *l)
{
    double by = body_step(g, l);

    return by == 0 && l->kind == SKETCH_STREAM ? e->sketch->buffers[g->buffer].slot : by;
}

double body_traffic(struct explore_estimator *e, const struct order *o,
                    const struct traffic_cache *cache, double store_weight)
{
    const struct body *b = e->body;
    struct traffic_nest nest = {e->room, 0, o->count};
    double misses = local_misses(e, cache);

    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];
        const struct sketch_buffer *buffer = &e->sketch->buffers[g->buffer];
        struct traffic_group *t = &e->room[nest.count];

        if (buffer->space == SKETCH_PRIVATE ||
            (buffer->space == SKETCH_LOCAL && !e->device->is_cpu))
            continue;
        nest.count++;
        t->count = g->count;
        t->width = g->width;
        t->weight = !g->store ? 1 : is_loaded(b, g) ? 1 : store_weight;
        t->cached = buffer->space == SKETCH_GLOBAL || misses > 0;
        t->weight *= buffer->space == SKETCH_GLOBAL ? 1 : misses;
        memcpy(t->at, g->first, sizeof g->first[0] * (size_t)g->count);
        for (int k = 0; k < o->count; k++)
            t->spans[k] = (struct traffic_span){
                span_step(e, g, &e->sketch->loops[o->items[k].loop]) * o->items[k].step,
                o->items[k].extent};
    }
    return traffic_behind(&nest, cache);
}
