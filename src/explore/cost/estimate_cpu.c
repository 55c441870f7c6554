/* Estimates for processors: cores with caches of their own and vectors of a fixed length.
 * The figures are of server processors of the 2020s; what is compared differs by more
 * than they do from each other. */
#include "explore/cost/estimate_t.h"
#include <math.h>
#include <unistd.h>

static const double clock_hz = 3.5e9;
static const double cycles_op = 0.3, cycles_load = 0.4, cycles_store = 0.8;
static const double cycles_entry = 6, cycles_vector = 12, cycles_turn = 1;
static const double cycles_scalar = 0.4; /* an operation that is not one of a vector's */
/* A test that tells iterations apart: a jump, or a mask for a vector of them. */
static const double cycles_test = 2, cycles_mask = 0.5;
/* So many masks compilers make of loops that they find to be vectors; and none at all
 * where they have to unroll reductions of more loads than these. */
static const double most_masks = 2, most_loads = 64;
/* So short loops are straight-line code in the loop around them. */
static const double most_turns = 8;
static const double slower_masked = 2.2;
static const double slower_wide = 3;    /* vectors that are in memory, not in registers */
static const double cycles_gather = 12; /* of one vector */
/* Vectors of the term itself that may reach beyond an end of their row have lanes that
 * are loaded one by one: of a lane. */
static const double cycles_lane = 1;
/* What processors with 32 registers can share of what a turn loads: most of it is used
 * soon after. */
static const double most_vectors = 64;
/* What a team of threads takes to come and go, and to wait for each other behind a loop
 * that stands inside of others. */
static const double seconds_region = 4e-6, seconds_barrier = 1e-6;
static const double seconds_task = 4e-7, seconds_chunk = 5e-8;
static const double seconds_group = 3e-7;
/* bytes per second into the first cache, into the second, from memory: of a core */
static const double bandwidth[ESTIMATE_LEVELS] = {160e9, 80e9, 34e9};
/* Where nobody fetches ahead, memory is waited for where a row begins: what that takes in
 * all, if there are rows of so many bytes. Longer rows wait as often as they begin. */
static const double seconds_row = 20e-9, bytes_row = 1024;
/* Lines that do not follow each other come one by one. */
static const double slower_apart = 3;
static const double usable = 0.5; /* part of a cache in which what fits stays for sure */
static const double line = 64;

static double cache_bytes(int name, double otherwise)
{
    long bytes = sysconf(name);

    return bytes > 0 ? (double)bytes : otherwise;
}

/* 'halo': the rows of grids are no powers of two. */
static struct traffic_cache find_cache(double bytes, double ways, bool halo)
{
    return (struct traffic_cache){.capacity = bytes,
                                  .sure = usable * bytes,
                                  .granule = line,
                                  .period = halo || ways < 1 ? 0 : bytes / ways};
}

/* Of one core, the last one shared by as many as have work; its places are found by a
 * hash. */
static void find_caches(struct traffic_cache caches[ESTIMATE_LEVELS], double threads,
                        bool halo)
{
    double last = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32 << 20);

    if (last > 64 << 20) /* of several complexes, or of a machine that is shared out */
        last = 64 << 20;
    caches[0] = find_cache(cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
                           cache_bytes(_SC_LEVEL1_DCACHE_ASSOC, 8), halo);
    caches[1] = find_cache(cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20),
                           cache_bytes(_SC_LEVEL2_CACHE_ASSOC, 16), halo);
    caches[2] = find_cache(last / threads, 0, halo);
}

/* ---- one nest, once its loops have an order */

struct nest {
    struct order order;
    double entries;        /* of the innermost loop, of one thread */
    double turns;          /* iterations of it each time */
    int vector_loop;       /* whose iterations are lanes if they can be; -1: none */
    bool masked;           /* some of the lanes are beyond the end of their loop */
    double threads, share; /* that have work; part of it that the busiest does */
    double overhead;
    double
        gathers; /* cycles of vectors whose numbers are loaded one by one, in each turn */
    bool tests;  /* that stand in the way of vectors cost what they look like */
};

/* Iterations that the term itself makes lanes of a vector; 0: compilers choose. */
static double own_lanes(const struct sketch_loop *l)
{
    return l->kind == SKETCH_SIMD && l->attrs[0] > 1 ? l->attrs[0] : 0;
}

/* Numbers of a vector if the neighbours of a loop's iterations lie side by side, else 1.
 */
static double lanes_of(const struct explore_estimator *e, int loop)
{
    const struct body *b = e->body;
    double lanes = e->device->simd_width > 1 ? e->device->simd_width : 1, own;

    if (loop < 0)
        return 1;
    own = own_lanes(&e->sketch->loops[loop]);
    lanes = own > 0 ? own : fmin(lanes, 8); /* compilers prefer 256 bits */
    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];
        double by = fabs(body_step(g, &e->sketch->loops[loop]));

        if (e->sketch->buffers[g->buffer].space == SKETCH_PRIVATE)
            continue;
        if ((by > 0 || g->store) && fabs(by - g->scalar) > g->scalar / 4)
            return 1;
        if (g->scalar > 4 && own == 0)
            lanes = fmin(lanes, 4);
    }
    return lanes;
}

/* Registers of a vector that the term itself makes: what is done with it is done for
 * each of them. gcc keeps such a vector in memory, where each operation finds it. */
static double registers_of_vector(const struct explore_estimator *e, double lanes)
{
    double bytes = 4,
           most = 4.0 * (e->device->simd_width > 1 ? e->device->simd_width : 1);

    for (int i = 0; i < e->body->group_count; i++)
        bytes = fmax(bytes, e->body->groups[i].scalar);
    bytes *= lanes;
    return bytes > most && !e->wide ? slower_wide * bytes / most : fmax(1, bytes / most);
}

/* Vectors of a turn that there is no register for when they are needed again. */
static double spilled(const struct body *b)
{
    double vectors = 0;

    for (int i = 0; i < b->group_count; i++)
        vectors += b->groups[i].count;
    return fmax(0, vectors - most_vectors);
}

static double loads_of(const struct body *b)
{
    double count = 0;

    for (int i = 0; i < b->group_count; i++)
        count += b->groups[i].store ? 0 : b->groups[i].count;
    return count;
}

/* Vectors of the term itself are made whatever is in them. */
static bool is_of_vectors(const struct explore_estimator *e, const struct sketch_loop *l)
{
    const struct body *b = e->body;

    return own_lanes(l) > 0 ||
           (b->blocked <= most_masks && (b->rolled == 0 || loads_of(b) <= most_loads) &&
            (l->kind == SKETCH_SIMD || l->kind == SKETCH_SEQ));
}

/* Vectors of the term itself are as wide as the processor's at most. */
static double pieces(const struct explore_estimator *e, const struct body_group *g)
{
    double most = 4.0 * (e->device->simd_width > 1 ? e->device->simd_width : 1);

    return ceil(g->width / fmin(most, 32));
}

/* Iterations beyond the last whole vector: by shorter vectors, and one by one, in less
 * time than a vector each. */
static double remainder_of(double count)
{
    return floor(count / 4) + 0.4 * fmod(count, 4);
}

/* A loop of lanes so short that compilers make straight-line code of it. */
static bool is_strip(const struct explore_estimator *e, const struct nest *n,
                     double lanes)
{
    return n->vector_loop == e->body->loop && lanes > 1 && n->turns <= 2 * lanes &&
           e->sketch->loops[n->vector_loop].kind == SKETCH_SIMD;
}

/* In a loop each address has a pointer, which is loaded itself where there are many. */
static double cycles_pointers(const struct explore_estimator *e)
{
    return cycles_load / 2 * fmax(0, loads_of(e->body) - most_loads);
}

static double cycles_of(struct explore_estimator *e, const struct nest *n)
{
    const struct body *b = e->body;
    double simd = e->device->simd_width > 1 ? fmin(e->device->simd_width, 8) : 1;
    double lanes = lanes_of(e, n->vector_loop);
    double op = lanes > 1 ? cycles_op : cycles_scalar, turns = n->turns;
    double cycles = op * (b->ops + b->lane_ops / simd);
    bool strip = is_strip(e, n, lanes);

    if (n->tests)
        cycles += (lanes > 1 ? cycles_mask : cycles_test) * b->blocked;

    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];
        double count = body_accesses(e, g) * pieces(e, g);

        cycles += count * (g->store ? cycles_store : cycles_load);
        e->accesses += count * n->turns * n->entries;
        if (lanes > 1 || g->width > g->scalar)
            e->side_by_side += count * n->turns * n->entries;
    }
    if (lanes > 1 && n->masked)
        cycles *= slower_masked;
    if (n->vector_loop >= 0 && own_lanes(&e->sketch->loops[n->vector_loop]) > 0)
        cycles = registers_of_vector(e, lanes) *
                 (cycles + spilled(b) * (cycles_load + cycles_store));
    if (lanes > 1)
        cycles += n->gathers + (strip ? 0 : cycles_pointers(e));
    if (lanes > 1 && n->vector_loop != b->loop && n->tests)
        return n->entries * turns * (cycles + cycles_turn) / lanes;
    if (lanes > 1)
        turns = floor(turns / lanes) + remainder_of(fmod(turns, lanes));
    return n->entries * ((strip ? 0 : cycles_entry + (lanes > 1 ? cycles_vector : 0)) +
                         turns * (cycles + cycles_turn));
}

/* The shortest step of what the innermost loop loads and stores, in bytes; 0: there is
 * none. */
static double step_of(const struct explore_estimator *e, const struct nest *n)
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

static bool is_ahead(const struct explore_estimator *e)
{
    return e->body->chain_count && e->sketch->loops[e->body->loop].ahead > 0;
}

/* Seconds of the bytes that come into a cache. */
static double seconds_of(const struct explore_estimator *e, const struct nest *n,
                         int level, double bytes)
{
    double step = step_of(e, n),
           row = n->order.count ? step * n->order.items[0].extent : 0;
    double seconds = bytes / bandwidth[level];

    if (level > 0 && step > line)
        seconds *= slower_apart;
    if (level < ESTIMATE_LEVELS - 1)
        return seconds;
    if (!is_ahead(e))
        seconds += bytes * seconds_row / fmax(bytes_row, row);
    return seconds * fmax(1, n->threads / (4 + n->threads / 4));
}

static void add_nest(struct explore_estimator *e, const struct nest *n)
{
    struct traffic_cache caches[ESTIMATE_LEVELS];
    double levels[ESTIMATE_LEVELS], compute = cycles_of(e, n) / clock_hz;
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

/* What does not fit into the registers is kept on the stack. */
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

/* Iterations that threads share: of the loop, and of those that are joined with it. */
static double shared_by(const struct explore_estimator *e, int at)
{
    const struct body *b = e->body;
    const struct sketch_loop *l = &e->sketch->loops[b->chain[at]];
    double count = l->extent;

    for (int k = 1; k < l->attrs[0] && at - k >= 0; k++)
        count *= e->sketch->loops[b->chain[at - k]].extent;
    return count;
}

/* Loops that one barrier of a stream's step is for: those of its rings and its result. */
static double wait_together(const struct explore_estimator *e)
{
    int n = 0;

    for (int i = 0; i < e->body->chain_count; i++)
        n += e->sketch->loops[e->body->chain[i]].rings;
    return n > 1 ? n + 1 : 1;
}

static void share_out(const struct explore_estimator *e, int at, double before,
                      struct nest *n)
{
    const struct sketch_loop *l = &e->sketch->loops[e->body->chain[at]];
    double tasks = shared_by(e, at), units = fmax(e->device->compute_units, 1);
    bool each = l->kind == SKETCH_TASK ? l->attrs[1] == LIFT_TASKS_EACH
                                       : l->attrs[1] != LIFT_SCHEDULE_STATIC;

    n->threads = fmin(units, tasks);
    n->share = ceil(tasks / n->threads) / tasks;
    n->overhead =
        before * ((before > 1 ? seconds_barrier / wait_together(e) : seconds_region) +
                  (each ? tasks / n->threads : n->threads) *
                      (l->kind == SKETCH_TASK ? seconds_task : seconds_chunk));
}

/* The loop whose iterations are lanes: the innermost one, or, where that is short enough
 * to be straight-line code, the one around it; -1: none. */
static int find_vectors(const struct explore_estimator *e)
{
    const struct body *b = e->body;
    const struct sketch_loop *loops = e->sketch->loops, *inner = &loops[b->loop];
    int around = inner->parent;

    if (own_lanes(inner) == 0 && inner->extent <= most_turns && around > 0 &&
        loops[around].kind == SKETCH_SIMD && loops[around].children == 1)
        return is_of_vectors(e, &loops[around]) ? around : -1;
    return is_of_vectors(e, inner) ? b->loop : -1;
}

/* Loops of the body from the inside out; each thread has a part of the shared one. */
void cpu_add(struct explore_estimator *e)
{
    const struct body *b = e->body;
    const struct sketch_loop *inner = &e->sketch->loops[b->loop];
    struct nest n = {.entries = 1,
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
        n.gathers = cycles_lane * own_lanes(&e->sketch->loops[n.vector_loop]) * b->edges;
    note_storage(e);
    add_nest(e, &n);
}

/* ---- work-groups */

static double at_least_one(int64_t n)
{
    return n > 1 ? (double)n : 1;
}

/* What one group does of a loop over work-items, and the loop over the groups. */
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

static bool is_first_dim(const struct explore_estimator *e, int loop)
{
    const struct sketch_loop *l = &e->sketch->loops[loop];

    return (l->kind == SKETCH_GLB || l->kind == SKETCH_LCL) && l->dim == 0;
}

/* Groups hang over the end of a loop over work-items. */
static bool has_rest(const struct explore_estimator *e, int loop)
{
    const struct sketch_loop *l = &e->sketch->loops[loop];
    double local = at_least_one(e->local[l->dim]);

    return l->kind == SKETCH_GLB && l->extent > local && fmod(l->extent, local) > 0;
}

/* Straight-line code is long in short groups: compilers have been seen to give up. */
static bool is_long(const struct body *b, double items)
{
    return loads_of(b) > fmax(80, 2 * items);
}

static bool has_barriers(const struct sketch *s)
{
    for (int i = 0; i < s->buffer_count; i++)
        if (s->buffers[i].space == SKETCH_LOCAL)
            return true;
    return false;
}

/* Lanes are iterations of the innermost loop, if each work-item has it for itself, or
 * work-items of dimension 0 that do straight-line code. The usual compilers give the
 * latter up where that code is long or between barriers, where a reduction is a loop, and
 * with 32-bit indices unless a group is a whole row. */
static bool has_lanes(const struct explore_estimator *e, int loop, bool own)
{
    const struct sketch_loop *l = &e->sketch->loops[loop];
    double local = at_least_one(e->local[0]);

    if (own)
        return loop == e->body->loop && l->kind == SKETCH_SEQ;
    return is_first_dim(e, loop) && !e->body->rolled && !has_barriers(e->sketch) &&
           !is_long(e->body, fmin(local, l->extent)) && !(e->narrow && l->extent > local);
}

/* Work-items one after the other, and what each of them does. */
void pocl_add(struct explore_estimator *e)
{
    const struct body *b = e->body;
    struct order items = {.count = 0}, turns = {.count = 0}, groups = {.count = 0};
    struct nest n = {.turns = 1, .entries = 1, .vector_loop = -1};
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
