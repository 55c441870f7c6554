/* Cycles of a core for the innermost loop of a nest: operations, loads and stores, by
 * vectors or scalars. */
#include "explore/cost/estimate_cpu.h"
#include <math.h>

static const double cycles_op = 0.3, cycles_load = 0.4, cycles_store = 0.8;
static const double cycles_entry = 6, cycles_vector = 12, cycles_turn = 1;
static const double cycles_scalar = 0.4; /* a scalar operation */
/* A predicate that distinguishes iterations: a jump, or a mask in vector code. */
static const double cycles_test = 2, cycles_mask = 0.5;
/* Compilers vectorise loops with at most this many masks. They do not vectorise loops
 * with unrolled reductions of more loads than 'most_loads'. */
static const double most_masks = 2, most_loads = 64;
static const double slower_masked = 2.2;
static const double slower_wide = 3; /* slowdown of vectors in memory */
/* Processors with 32 registers reuse at most this many vectors that an iteration loads.
 */
static const double most_vectors = 64;

double cpu_own_lanes(const struct sketch_loop *l)
{
    return l->kind == SKETCH_SIMD && l->lanes > 1 ? l->lanes : 0;
}

/* The vector width if adjacent iterations access adjacent elements, otherwise 1. */
static double lanes_of(const struct explore_estimator *e, int loop)
{
    const struct body *b = e->body;
    double lanes = e->device->simd_width > 1 ? e->device->simd_width : 1, own;

    if (loop < 0)
        return 1;
    own = cpu_own_lanes(&e->sketch->loops[loop]);
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

/* Registers of a vector of the term: each operation executes once per register. gcc keeps
 * such a vector in memory. */
static double registers_of_vector(const struct explore_estimator *e, double lanes)
{
    double bytes = 4,
           most = 4.0 * (e->device->simd_width > 1 ? e->device->simd_width : 1);

    for (int i = 0; i < e->body->group_count; i++)
        bytes = fmax(bytes, e->body->groups[i].scalar);
    bytes *= lanes;
    return bytes > most && !e->clang ? slower_wide * bytes / most : fmax(1, bytes / most);
}

/* Vectors of an iteration that exceed the registers and are loaded again. */
static double spilled(const struct body *b)
{
    double vectors = 0;

    for (int i = 0; i < b->group_count; i++)
        vectors += b->groups[i].count;
    return fmax(0, vectors - most_vectors);
}

double cpu_loads_of(const struct body *b)
{
    double count = 0;

    for (int i = 0; i < b->group_count; i++)
        count += b->groups[i].store ? 0 : b->groups[i].count;
    return count;
}

/* Vectors of the term itself exist whatever their operations are. */
bool cpu_is_of_vectors(const struct explore_estimator *e, const struct sketch_loop *l)
{
    const struct body *b = e->body;

    return cpu_own_lanes(l) > 0 || (b->blocked <= most_masks &&
                                    (b->rolled == 0 || cpu_loads_of(b) <= most_loads) &&
                                    (l->kind == SKETCH_SIMD || l->kind == SKETCH_SEQ));
}

/* Number of vectors of an access: vectors of the term are at most as wide as the
 * processor's. */
static double pieces(const struct explore_estimator *e, const struct body_group *g)
{
    double most = 4.0 * (e->device->simd_width > 1 ? e->device->simd_width : 1);

    return ceil(g->width / fmin(most, 32));
}

/* Iterations beyond the last whole vector run as shorter vectors and scalars, in less
 * time than a vector each. */
static double remainder_of(double count)
{
    return floor(count / 4) + 0.4 * fmod(count, 4);
}

/* A strip is a loop of lanes so short that compilers unroll the loop. In other loops each
 * address has a pointer. Many pointers are loaded from memory. */
double cpu_cycles_of(struct explore_estimator *e, const struct cpu_nest *n)
{
    const struct body *b = e->body;
    double simd = e->device->simd_width > 1 ? fmin(e->device->simd_width, 8) : 1;
    double lanes = lanes_of(e, n->vector_loop);
    double op = lanes > 1 ? cycles_op : cycles_scalar, turns = n->turns;
    double cycles = op * (b->ops + b->lane_ops / simd);
    bool strip = n->vector_loop == b->loop && lanes > 1 && n->turns <= 2 * lanes &&
                 e->sketch->loops[n->vector_loop].kind == SKETCH_SIMD;

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
    if (n->vector_loop >= 0 && cpu_own_lanes(&e->sketch->loops[n->vector_loop]) > 0)
        cycles = registers_of_vector(e, lanes) *
                 (cycles + spilled(b) * (cycles_load + cycles_store));
    if (lanes > 1)
        cycles += n->gathers +
                  (strip ? 0 : cycles_load / 2 * fmax(0, cpu_loads_of(b) - most_loads));
    if (lanes > 1 && n->vector_loop != b->loop && n->tests)
        return n->entries * turns * (cycles + cycles_turn) / lanes;
    if (lanes > 1)
        turns = floor(turns / lanes) + remainder_of(fmod(turns, lanes));
    return n->entries * ((strip ? 0 : cycles_entry + (lanes > 1 ? cycles_vector : 0)) +
                         turns * (cycles + cycles_turn));
}
