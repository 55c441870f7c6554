/* Estimates for CPUs: cores with private caches and vectors of a fixed length. The
 * constants describe server CPUs of the 2020s, which differ less than candidates do. */
#include "explore/cost/estimate_cpu.h"
#include <math.h>
#include <unistd.h>

static const double clock_hz = 3.5e9;
/* Loops of at most this many iterations are straight-line code in the enclosing loop. */
static const double most_turns = 8;
static const double cycles_gather = 12; /* cycles of one vector */
/* Cycles of a lane for vectors of the term that may reach beyond the end of their row.
 * Such lanes are loaded one by one; clang combines adjacent loads. */
static const double cycles_lane = 0.35, cycles_lane_clang = 0.12;
/* Time to start and end a team of threads, and time of a barrier after a loop inside
 * other loops. */
static const double seconds_region = 4e-6, seconds_barrier = 1e-6;
static const double seconds_task = 4e-7, seconds_chunk = 5e-8;
static const double seconds_group = 3e-7;
/* bytes per second of a core into L1, into L2 and from memory */
static const double bandwidth[ESTIMATE_LEVELS] = {160e9, CPU_L2_BANDWIDTH, 34e9};
/* Without prefetch, each row begins with a wait for memory: its seconds, and the row
 * length in bytes up to which waits count in proportion. */
static const double seconds_row = 20e-9, bytes_row = 1024;
/* slowdown of cache lines that are not consecutive */
static const double slower_apart = 3;
static const double usable = 0.5; /* share of a cache that holds data reliably */
static const double line = 64;

static double cache_bytes(int name, double otherwise)
{
    long bytes = sysconf(name);

    return bytes > 0 ? (double)bytes : otherwise;
}

/* 'halo': rows of grids are no powers of two. */
static struct traffic_cache find_cache(double bytes, double ways, bool halo)
{
    return (struct traffic_cache){.capacity = bytes,
                                  .sure = usable * bytes,
                                  .granule = line,
                                  .period = halo || ways < 1 ? 0 : bytes / ways};
}

/* The caches of one core; the last one is shared by all busy cores, and selects sets by a
 * hash. */
static void find_caches(struct traffic_cache caches[ESTIMATE_LEVELS], double threads,
                        bool halo)
{
    double last = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32 << 20);

    if (last > 64 << 20) /* several caches, or a shared machine */
        last = 64 << 20;
    caches[0] = find_cache(cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
                           cache_bytes(_SC_LEVEL1_DCACHE_ASSOC, 8), halo);
    caches[1] = find_cache(cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20),
                           cache_bytes(_SC_LEVEL2_CACHE_ASSOC, 16), halo);
    caches[2] = find_cache(last / threads, 0, halo);
}

/* ---- one nest, once its loops have an order */

/* The smallest stride of the innermost loop's loads and stores, in bytes; 0: none. */
static double step_of(const struct explore_estimator *e, const struct cpu_nest *n)
{
    double least = 0;

    for (int i = 0; n->order.count && i < e->body->group_count; i++) {
        const struct sketch_loop *l = &e->sketch->loops[n->order.items[0].loop];
        double by = fabs(body_step(&e->body->groups[i], l)) * n->order.items[0].step;

        if (by > 0 && (least == 0 || by < least))
            least = by;
    }
    return least;
}

/* Seconds of the bytes that come into a cache. */
static double seconds_of(const struct explore_estimator *e, const struct cpu_nest *n,
                         int level, double bytes)
{
    double step = step_of(e, n),
           row = n->order.count ? step * n->order.items[0].extent : 0;
    double seconds = bytes / bandwidth[level];

    if (level > 0 && step > line)
        seconds *= slower_apart;
    if (level < ESTIMATE_LEVELS - 1)
        return seconds;
    if (!e->body->chain_count || e->sketch->loops[e->body->loop].ahead <= 0)
        seconds += bytes * seconds_row / fmax(bytes_row, row);
    return seconds * fmax(1, n->threads / (4 + n->threads / 4));
}

static void add_nest(struct explore_estimator *e, const struct cpu_nest *n)
{
    struct traffic_cache caches[ESTIMATE_LEVELS];
    double levels[ESTIMATE_LEVELS], compute = cpu_cycles_of(e, n) / clock_hz;
    double work = n->entries * n->turns / n->share;
    bool past = e->body->chain_count && e->sketch->loops[e->body->loop].past;

    find_caches(caches, n->threads, e->sketch->halo);
    for (int i = 0; i < ESTIMATE_LEVELS; i++) {
        double bytes = body_traffic(e, &n->order, &caches[i], past ? 1 : 2);

        levels[i] = seconds_of(e, n, i, bytes);
        e->out->bytes[i] += bytes / n->share * e->sketch->loops[e->body->loop].runs;
    }
    estimate_add(e, compute, levels, n->overhead, true);
    if (work > e->largest) {
        e->largest = work;
        e->out->parallel = n->threads;
    }
}

static double registers_of(const struct explore_estimator *e)
{
    double bytes = body_kept(e);

    for (int i = 0; i < e->sketch->buffer_count; i++)
        if (e->sketch->buffers[i].space == SKETCH_PRIVATE)
            bytes += e->sketch->buffers[i].bytes;
    return bytes;
}

/* Charges the stack for values that exceed the registers. */
static void note_storage(struct explore_estimator *e)
{
    double local = 0;

    for (int i = 0; i < e->sketch->buffer_count; i++)
        if (e->sketch->buffers[i].space == SKETCH_LOCAL)
            local += e->sketch->buffers[i].bytes;
    e->out->local_bytes = local;
    e->out->private_bytes = fmax(e->out->private_bytes, registers_of(e));
}

/* ---- OpenMP */

/* Iterations that threads share, of the loop and of the loops collapsed with it. */
static double shared_by(const struct explore_estimator *e, int at)
{
    const struct body *b = e->body;
    const struct sketch_loop *l = &e->sketch->loops[b->chain[at]];
    double count = l->extent;

    for (int k = 1; k < l->collapse && at - k >= 0; k++)
        count *= e->sketch->loops[b->chain[at - k]].extent;
    return count;
}

static void share_out(const struct explore_estimator *e, int at, double before,
                      struct cpu_nest *n)
{
    const struct sketch_loop *l = &e->sketch->loops[e->body->chain[at]];
    double tasks = shared_by(e, at), units = fmax(e->device->compute_units, 1);

    n->threads = fmin(units, tasks);
    n->share = ceil(tasks / n->threads) / tasks;
    n->overhead = before * ((before > 1 ? seconds_barrier : seconds_region) +
                            (l->each ? tasks / n->threads : n->threads) *
                                (l->kind == SKETCH_TASK ? seconds_task : seconds_chunk));
}

/* The loop whose iterations are lanes: the innermost loop, or the loop around it if the
 * innermost is short enough to be straight-line code. -1: none. */
static int find_vectors(const struct explore_estimator *e)
{
    const struct body *b = e->body;
    const struct sketch_loop *loops = e->sketch->loops, *inner = &loops[b->loop];
    int around = inner->parent;

    if (cpu_own_lanes(inner) == 0 && inner->extent <= most_turns && around > 0 &&
        loops[around].kind == SKETCH_SIMD && loops[around].children == 1)
        return cpu_is_of_vectors(e, &loops[around]) ? around : -1;
    return cpu_is_of_vectors(e, inner) ? b->loop : -1;
}

/* Orders the loops of the body from the inside out; each thread has a part of the shared
 * loop. */
void cpu_add(struct explore_estimator *e)
{
    const struct body *b = e->body;
    const struct sketch_loop *inner = &e->sketch->loops[b->loop];
    struct cpu_nest n = {.entries = 1,
                         .turns = b->chain_count ? inner->extent : 1,
                         .threads = 1,
                         .share = 1,
                         .vector_loop = -1};
    double before = 1;

    for (int i = b->chain_count - 1; i >= 0; i--) {
        const struct sketch_loop *l = &e->sketch->loops[b->chain[i]];

        if (l->kind == SKETCH_PAR || l->kind == SKETCH_TASK)
            share_out(e, i, before, &n);
        before *= l->extent;
    }
    for (int i = 0; i < b->chain_count; i++) {
        const struct sketch_loop *l = &e->sketch->loops[b->chain[i]];
        bool shared = l->kind == SKETCH_PAR || l->kind == SKETCH_TASK;

        order_add(&n.order, b->chain[i], 1,
                  shared ? ceil(l->extent * n.share) : l->extent);
        n.entries *= i ? l->extent : 1;
    }
    n.entries *= n.share;
    n.tests = true;
    if (b->chain_count && !inner->children)
        n.vector_loop = find_vectors(e);
    if (n.vector_loop >= 0)
        n.gathers = (e->clang ? cycles_lane_clang : cycles_lane) * b->edges *
                    cpu_own_lanes(&e->sketch->loops[n.vector_loop]);
    note_storage(e);
    add_nest(e, &n);
}

/* ---- work-groups */

static double at_least_one(int64_t n)
{
    return n > 1 ? (double)n : 1;
}

/* Splits loops: the work of one group in a loop over work-items, and the loop over the
 * groups. */
static void split_items(const struct explore_estimator *e, int loop, struct order *items,
                        struct order *turns, struct order *groups)
{
    const struct sketch_loop *l = &e->sketch->loops[loop];
    double local = at_least_one(e->local[l->dim]);

    order_add(items, loop, 1, fmin(local, l->extent));
    order_add(l->kind == SKETCH_GLB ? groups : turns, loop, local,
              ceil(l->extent / local));
}

static void append(struct order *to, const struct order *from, double *product)
{
    for (int i = 0; i < from->count; i++) {
        order_add(to, from->items[i].loop, from->items[i].step, from->items[i].extent);
        *product *= from->items[i].extent;
    }
}

/* True if groups extend past the end of a loop over work-items. */
static bool has_rest(const struct explore_estimator *e, int loop)
{
    const struct sketch_loop *l = &e->sketch->loops[loop];
    double local = at_least_one(e->local[l->dim]);

    return l->kind == SKETCH_GLB && l->extent > local && fmod(l->extent, local) > 0;
}

/* True if straight-line code is long and groups are short: compilers then fail to
 * vectorise. */
static bool is_long(const struct body *b, double items)
{
    return cpu_loads_of(b) > fmax(80, 2 * items);
}

static bool has_barriers(const struct sketch *s)
{
    for (int i = 0; i < s->buffer_count; i++)
        if (s->buffers[i].space == SKETCH_LOCAL)
            return true;
    return false;
}

/* True if iterations are lanes: of the innermost loop if each work-item has its own, or
 * work-items of dimension 0 with straight-line code. Compilers do not vectorise
 * work-items if the code is long or between barriers, or a reduction is a loop. With
 * 32-bit indices they vectorise only groups of a whole row. */
static bool has_lanes(const struct explore_estimator *e, int loop, bool own)
{
    const struct sketch_loop *l = &e->sketch->loops[loop];
    double local = at_least_one(e->local[0]);

    if (own)
        return loop == e->body->loop && l->kind == SKETCH_SEQ;
    return (l->kind == SKETCH_GLB || l->kind == SKETCH_LCL) && l->dim == 0 &&
           !e->body->rolled && !has_barriers(e->sketch) &&
           !is_long(e->body, fmin(local, l->extent)) && !(e->narrow && l->extent > local);
}

/* Adds the work-items of each group, one after the other, and the work of each. */
void pocl_add(struct explore_estimator *e)
{
    const struct body *b = e->body;
    struct order items = {.count = 0}, turns = {.count = 0}, groups = {.count = 0};
    struct cpu_nest n = {.turns = 1, .entries = 1, .vector_loop = -1};
    double tasks = 1, all = 1, units = fmax(e->device->compute_units, 1);

    for (int i = 0; i < b->chain_count; i++) {
        const struct sketch_loop *l = &e->sketch->loops[b->chain[i]];

        if (l->kind == SKETCH_WRG)
            order_add(&groups, b->chain[i], 1, l->extent);
        else if (l->kind == SKETCH_GLB || l->kind == SKETCH_LCL)
            split_items(e, b->chain[i], &items, &turns, &groups);
        else
            order_add(&turns, b->chain[i], 1, l->extent);
    }
    append(&n.order, &turns, &all);
    append(&n.order, &items, &all);
    append(&n.order, &groups, &tasks);
    n.threads = fmin(units, tasks);
    n.share = ceil(tasks / n.threads) / tasks;
    if (turns.count || items.count) {
        n.turns = n.order.items[0].extent;
        n.masked = !turns.count && has_rest(e, n.order.items[0].loop);
        if (has_lanes(e, n.order.items[0].loop, turns.count > 0))
            n.vector_loop = n.order.items[0].loop;
    }
    n.gathers = cycles_gather * b->edges;
    n.entries = all * tasks * n.share / n.turns;
    n.overhead = tasks * n.share * seconds_group;
    if (n.order.count && groups.count)
        n.order.items[n.order.count - 1].extent =
            ceil(n.order.items[n.order.count - 1].extent * n.share);
    note_storage(e);
    add_nest(e, &n);
}

void cpu_finish(struct explore_estimator *e)
{
    e->out->contiguous = e->accesses > 0 ? e->side_by_side / e->accesses : 1;
}
