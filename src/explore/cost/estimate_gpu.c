/* Estimates for GPUs: multiprocessors hold several blocks and hide latency by many loads
 * in flight. The figures describe one multiprocessor of a data-centre GPU of the 2020s.
 */
#include "explore/cost/estimate_gpu.h"
#include <math.h>

static const double clock_hz = 1.6e9;
static const double lanes = 128; /* operations per cycle */
static const double most_items = 2048, most_groups = 32;
static const double register_bytes = 262144, most_registers = 255;
static const double first_cache = 262144; /* bytes of L1, shared memory included */
static const double second_cache = 300e3; /* bytes of L2, share of a multiprocessor */
static const double bandwidth[ESTIMATE_LEVELS] = {200e9, GPU_L2_BANDWIDTH, 30e9};
static const double bytes_under_way = 32e3; /* bytes in flight for full bandwidth */
static const double least_part = 0.03;      /* share with few bytes in flight */
static const double seconds_first = 2.5e-8, seconds_miss = 4e-7; /* latency of a load */
static const double most_iterations_ahead = 2;
static const double seconds_launch = 3e-6, seconds_barrier = 8e-7;
static const double seconds_barrier_ahead = 8e-8; /* with copies issued ahead */
static const double seconds_barrier_split = 2e-8; /* of an arrive-wait barrier */
static const double cycles_start = 16;            /* cycles of a warp, active or not */
static const double registers_of_code = 24, most_loads_ahead = 8;

/* The launch, given by a body's loops. */
struct launch {
    struct order items, turns, groups;
    double group_count, group_items, turn_count;
    double resident; /* resident blocks of a multiprocessor */
    double spilled;  /* registers that exceed the limit */
};

static double product(const struct order *o)
{
    double n = 1;

    for (int i = 0; i < o->count; i++)
        n *= o->items[i].extent;
    return n;
}

static void find_loops(const struct explore_estimator *e, struct launch *l)
{
    const struct body *b = e->body;

    for (int i = 0; i < b->chain_count; i++) {
        const struct sketch_loop *loop = &e->sketch->loops[b->chain[i]];
        double local = gpu_at_least_one(e->local[loop->dim]);

        if (loop->kind == SKETCH_WRG) {
            order_add(&l->groups, b->chain[i], 1, loop->extent);
        } else if (loop->kind == SKETCH_GLB || loop->kind == SKETCH_LCL) {
            order_add(&l->items, b->chain[i], 1, fmin(local, loop->extent));
            order_add(loop->kind == SKETCH_GLB ? &l->groups : &l->turns, b->chain[i],
                      local, ceil(loop->extent / local));
        } else {
            order_add(&l->turns, b->chain[i], 1, loop->extent);
        }
    }
    l->group_count = product(&l->groups);
    l->turn_count = product(&l->turns);
    l->group_items = gpu_at_least_one(e->local[0]) * gpu_at_least_one(e->local[1]) *
                     gpu_at_least_one(e->local[2]);
}

/* ---- resources of a block */

static double bytes_in(const struct explore_estimator *e, enum sketch_space space)
{
    double bytes = 0;

    for (int i = 0; i < e->sketch->buffer_count; i++)
        if (e->sketch->buffers[i].space == space)
            bytes += e->sketch->buffers[i].bytes;
    return bytes;
}

static double loads_of(const struct explore_estimator *e)
{
    double count = 0;

    for (int i = 0; i < e->body->group_count; i++)
        if (!e->body->groups[i].store)
            count += body_accesses(e, &e->body->groups[i]);
    return count;
}

/* Bytes of registers in which streams keep stored values: of all, or of the body's own.
 */
static double bytes_streamed(const struct explore_estimator *e, bool own)
{
    double bytes = 0;

    for (int i = 0; i < e->sketch->buffer_count; i++) {
        const struct sketch_buffer *buffer = &e->sketch->buffers[i];
        bool stored = !own;

        for (int k = 0; k < e->body->group_count; k++)
            stored |= e->body->groups[k].buffer == i && e->body->groups[k].store;
        if (buffer->space == SKETCH_PRIVATE && buffer->slot > 0 && stored)
            bytes += buffer->bytes;
    }
    return bytes;
}

/* The share of a thread's spilled registers that an iteration of the body uses. */
static double share_of_spills(const struct explore_estimator *e)
{
    double all = bytes_streamed(e, false), rows = 1;

    for (int i = 0; i < e->body->chain_count; i++)
        if (body_is_straight(&e->sketch->loops[e->body->chain[i]]))
            rows *= e->sketch->loops[e->body->chain[i]].extent;
    return all > 0 ? bytes_streamed(e, true) / all / rows : 1;
}

/* Registers of a thread, limited by the size of its block and the requested number of
 * resident blocks. Values that exceed the limit are stored and loaded again. Compilers
 * reduce the number of live values by another order of operations, except for values that
 * a stream keeps. */
static double registers_of(struct explore_estimator *e, struct launch *l, double items)
{
    double streamed = bytes_streamed(e, false);
    double kept = body_kept(e) + bytes_in(e, SKETCH_PRIVATE);
    double most = most_registers, wanted;

    e->out->private_bytes = fmax(e->out->private_bytes, kept);
    most = fmin(most, floor(register_bytes / (4 * fmax(1, e->asked) * items)));
    wanted = registers_of_code + (kept - streamed) / 4 +
             fmin(loads_of(e), 4 * most_loads_ahead);
    wanted = fmin(wanted, most_registers) + streamed / 4;
    l->spilled = fmax(0, wanted - most) * share_of_spills(e);
    return fmin(most, wanted);
}

static void find_residents(struct explore_estimator *e, struct launch *l)
{
    double local = bytes_in(e, SKETCH_LOCAL) + e->shown;
    double warp = e->device->simd_width > 1 ? e->device->simd_width : 32;
    double items = ceil(l->group_items / warp) * warp;

    l->resident = fmin(most_groups, floor(most_items / items));
    l->resident = fmin(l->resident,
                       floor(register_bytes / (4 * registers_of(e, l, items) * items)));
    if (local > 0)
        l->resident = fmin(l->resident, floor(0.9 * first_cache / local));
    l->resident = fmax(1, l->resident);
    e->out->local_bytes = local;
    e->out->resident = l->resident;
}

/* ---- time */

/* Instructions of an iteration of a thread. */
static double instructions(const struct explore_estimator *e)
{
    const struct body *b = e->body;
    double count = b->ops + b->lane_ops + 2;

    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];

        count += e->sketch->buffers[g->buffer].space != SKETCH_PRIVATE
                     ? body_accesses(e, g) * ceil(g->width / 16)
                 : g->store ? 0
                            : body_exchanged(e, g) * g->width / 4;
    }
    return count;
}

static void append(struct order *to, const struct order *from)
{
    for (int i = 0; i < from->count; i++)
        order_add(to, from->items[i].loop, from->items[i].step, from->items[i].extent);
}

/* Orders concurrent blocks inside the loops of a thread. */
static void order_all(const struct launch *l, double at_a_time, struct order *all)
{
    struct order later = {.count = 0};

    append(all, &l->items);
    for (int i = 0; i < l->groups.count; i++) {
        const struct order_loop *o = &l->groups.items[i];
        double now = fmin(o->extent, fmax(1, floor(at_a_time)));

        order_add(all, o->loop, o->step, now);
        order_add(&later, o->loop, o->step * now, ceil(o->extent / now));
        at_a_time /= now;
    }
    append(all, &l->turns);
    append(all, &later);
}

/* Iterations outside the grid touch memory that others touch as well, and compute
 * nothing: a later factor removes their share. */
static double least_bytes(const struct explore_estimator *e)
{
    double useful = body_useful(e);

    return useful < 1 ? body_compulsory(e) / useful : 0;
}

static void find_traffic(struct explore_estimator *e, const struct launch *l,
                         double bytes[ESTIMATE_LEVELS])
{
    double units = gpu_at_least_one(e->device->compute_units);
    struct traffic_cache first = {
        (first_cache - l->resident * e->out->local_bytes) / l->resident, GPU_SECTOR};
    struct traffic_cache second = {second_cache * units, GPU_SECTOR};
    struct order own = {.count = 0}, all = {.count = 0};

    append(&own, &l->items);
    append(&own, &l->turns);
    append(&own, &l->groups);
    order_all(l, units * l->resident, &all);
    bytes[1] = fmax(least_bytes(e), body_traffic(e, &own, &first, 1));
    bytes[2] = fmax(least_bytes(e), body_traffic(e, &all, &second, 1));
}

static bool stores_local(const struct explore_estimator *e)
{
    for (int i = 0; i < e->body->group_count; i++) {
        const struct body_group *g = &e->body->groups[i];
        const struct sketch_buffer *buffer = &e->sketch->buffers[g->buffer];

        if (g->store && buffer->space == SKETCH_LOCAL)
            return true;
    }
    return false;
}

/* Elements that the body's asynchronous copies are ahead; 0: no copies. */
static double copies_ahead(const struct explore_estimator *e)
{
    double ahead = 0;

    if (!lift_dialect_copies_asynchronously(e->device->dialect) || !stores_local(e))
        return 0;
    for (int i = 0; i < e->body->chain_count; i++) {
        const struct sketch_loop *loop = &e->sketch->loops[e->body->chain[i]];

        if (loop->kind == SKETCH_STREAM)
            ahead = fmax(ahead, loop->copies);
    }
    return ahead;
}

/* Iterations whose loads are in flight: compilers move loads of the next iteration of an
 * unrolled stream before the operations of this one. */
static double iterations_ahead(const struct explore_estimator *e)
{
    for (int i = 0; i < e->body->chain_count; i++)
        if (e->sketch->loops[e->body->chain[i]].fixed && !stores_local(e))
            return 2;
    return 1;
}

/* Bytes in flight: loads of the active threads of a block. */
static double bytes_asked(const struct explore_estimator *e, const struct launch *l)
{
    double bytes = 0, loads = 0, ahead = copies_ahead(e);

    if (ahead > 0)
        return e->out->local_bytes * ahead / (ahead + 1);
    for (int i = 0; i < e->body->group_count; i++) {
        const struct body_group *g = &e->body->groups[i];
        double count = g->store ? 0 : body_accesses(e, g);

        loads += count;
        bytes += count * g->width;
    }
    if (loads == 0)
        return INFINITY;
    return product(&l->items) * bytes / loads *
           fmin(fmax(loads, 1) * iterations_ahead(e), most_loads_ahead);
}

/* The share of bandwidth that the loads in flight reach. */
static double hidden(const struct explore_estimator *e, const struct launch *l,
                     double busy)
{
    double bytes = fmin(l->resident, l->group_count / busy) * bytes_asked(e, l);

    return fmax(least_part, fmin(1, bytes / bytes_under_way));
}

/* Barriers of streams that fill shared memory: each step waits. The data also wait,
 * unless they depend only on earlier steps. */
static double barriers(const struct explore_estimator *e, const struct launch *l,
                       double busy)
{
    double steps = 1;
    bool split = false;

    if (!stores_local(e))
        return 0;
    for (int i = 0; i < e->body->chain_count; i++) {
        const struct sketch_loop *loop = &e->sketch->loops[e->body->chain[i]];

        if (loop->kind != SKETCH_STREAM)
            continue;
        steps *= loop->extent;
        split |= loop->barrier == LIFT_BARRIER_SPLIT;
    }
    steps *= ceil(l->group_count / (busy * l->resident));
    return steps * (copies_ahead(e) <= 0 ? seconds_barrier
                    : split              ? seconds_barrier_split
                                         : seconds_barrier_ahead);
}

/* Warps of a block with at least one active lane. Warps of rows outside the loop end
 * immediately. */
static double busy_warps(const struct explore_estimator *e, const struct launch *l)
{
    double row = gpu_at_least_one(e->local[0]), active = 1;

    for (int i = 0; i < l->items.count; i++)
        if (e->sketch->loops[l->items.items[i].loop].dim == 0)
            active = l->items.items[i].extent;
    if (row < gpu_warp_of(e) || row <= active)
        return ceil(product(&l->items) / active * row / gpu_warp_of(e));
    return ceil(active / gpu_warp_of(e)) * product(&l->items) / active;
}

/* Seconds of instructions, including the start of a warp. */
static double compute_of(const struct explore_estimator *e, const struct launch *l,
                         double warps, double busy)
{
    double cycles = warps * gpu_warp_of(e) * l->turn_count * instructions(e) / lanes;

    cycles += l->group_count * ceil(l->group_items / gpu_warp_of(e)) * cycles_start;
    return cycles / (clock_hz * busy);
}

/* Iterations whose loads are in flight together: compilers unroll loops, but a barrier
 * separates the steps of a stream that fills shared memory. */
static double iterations_together(const struct explore_estimator *e,
                                  const struct launch *l)
{
    double turns = 1;

    if (!stores_local(e))
        return fmin(l->turn_count, most_iterations_ahead);
    for (int i = 0; i < l->turns.count; i++)
        if (e->sketch->loops[l->turns.items[i].loop].kind == SKETCH_LCL)
            turns *= l->turns.items[i].extent;
    return fmin(turns, most_iterations_ahead) * (1 + copies_ahead(e));
}

/* Seconds that a thread waits for the loads of its iterations, one after another.
 * 'misses': bytes loaded past L1. */
static double latency_of(const struct explore_estimator *e, const struct launch *l,
                         double warps, double misses)
{
    double units = gpu_at_least_one(e->device->compute_units);
    double waves = fmax(1, l->group_count / (units * l->resident));
    double missing = fmin(1, misses / (warps * l->turn_count * GPU_LINE));

    return loads_of(e) > 0 ? waves * l->turn_count / iterations_together(e, l) *
                                 (seconds_first + missing * seconds_miss)
                           : 0;
}

void gpu_add(struct explore_estimator *e)
{
    struct launch l = {.turn_count = 1};
    double levels[ESTIMATE_LEVELS], bytes[ESTIMATE_LEVELS], warps, busy, units, part;
    double compute, latency;

    find_loops(e, &l);
    find_residents(e, &l);
    units = gpu_at_least_one(e->device->compute_units);
    busy =
        fmin(units, l.group_count) *
        (l.group_count > units ? l.group_count / units / ceil(l.group_count / units) : 1);
    warps = l.group_count * busy_warps(e, &l);
    find_traffic(e, &l, bytes);
    bytes[0] = GPU_LINE * warps * l.turn_count *
               (gpu_access_cycles(e, l.group_count * l.turn_count * product(&l.items)) +
                2 * l.spilled);
    part = hidden(e, &l, busy);
    for (int i = 0; i < ESTIMATE_LEVELS; i++) {
        levels[i] = bytes[i] / (bandwidth[i] * busy * (i ? part : 1));
        e->out->bytes[i] += bytes[i] * e->sketch->loops[e->body->loop].runs;
    }
    compute = compute_of(e, &l, warps, busy);
    e->ahead |= copies_ahead(e) > 0;
    /* without barriers, some threads load while others compute */
    estimate_add(e, compute, levels, barriers(e, &l, busy), e->out->local_bytes > 0);
    latency = latency_of(e, &l, warps, bytes[1]);
    e->beside.latency += latency;
    e->latency += latency * e->sketch->loops[e->body->loop].runs;
    if (l.group_count * l.group_items * l.turn_count > e->largest) {
        e->largest = l.group_count * l.group_items * l.turn_count;
        e->out->parallel = l.group_count * product(&l.items);
    }
}

void gpu_finish(struct explore_estimator *e)
{
    double kernels = 0;

    for (int i = 1; i < e->sketch->loop_count; i++)
        kernels += e->sketch->loops[i].parent == 0 ? e->sketch->loops[i].runs : 0;
    if (e->ahead)
        e->out->seconds =
            fmax(e->latency, estimate_overlap(e->out->compute, e->out->levels)) +
            e->out->overhead;
    e->out->overhead += kernels * seconds_launch;
    e->out->seconds += kernels * seconds_launch;
    /* Circular buffers have the code's size here. Several kernels share no memory. */
    if (kernels <= 1 && e->device->local_bytes > 0 &&
        e->out->local_bytes > (double)e->device->local_bytes) {
        e->out->exceeds = true;
        e->out->seconds = INFINITY;
    }
    e->out->contiguous = e->accesses > 0 ? e->side_by_side / e->accesses : 1;
}
