#include "base/hash.h"
#include "base/memory.h"
#include "explore/cost/estimate_t.h"
#include "ir/sizes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double overlap_lost =
    0.25; /* share of the shorter parts that is not overlapped */

/* Compilers take about a millisecond for an operation. A kernel that takes ten seconds to
 * compile must promise twice the speed: other trials run in this time. */
static const double twice = 10000;

double estimate_overlap(double compute, const double levels[ESTIMATE_LEVELS])
{
    double longest = compute, sum = compute;

    for (int i = 0; i < ESTIMATE_LEVELS; i++) {
        longest = fmax(longest, levels[i]);
        sum += levels[i];
    }
    return longest + overlap_lost * (sum - longest);
}

void estimate_end_kernel(struct explore_estimator *e)
{
    struct estimate_parts *p = &e->beside;

    e->out->seconds += fmax(p->latency, estimate_overlap(p->compute, p->levels));
    *p = (struct estimate_parts){.kernel = -1};
}

void estimate_add(struct explore_estimator *e, double compute,
                  const double levels[ESTIMATE_LEVELS], double overhead, bool alone)
{
    struct explore_estimate *out = e->out;
    double runs = e->sketch->loops[e->body->loop].runs, useful = body_useful(e) * runs;
    int kernel = e->body->chain_count ? e->body->chain[e->body->chain_count - 1] : -1;

    if (alone || kernel != e->beside.kernel)
        estimate_end_kernel(e);
    e->beside.kernel = kernel;
    e->beside.compute += useful * compute;
    for (int i = 0; i < ESTIMATE_LEVELS; i++) {
        e->beside.levels[i] += useful * levels[i];
        out->levels[i] += useful * levels[i];
    }
    out->compute += useful * compute;
    out->overhead += runs * overhead;
    out->seconds += runs * overhead;
}

static void estimate(struct explore_estimator *e)
{
    bool groups = lift_dialect_has_groups(e->device->dialect);

    for (int i = 0; i < e->sketch->loop_count; i++) {
        if (!body_make(e->sketch, i, groups && !e->device->is_cpu, e->body))
            continue;
        e->out->code += e->body->ops + e->body->lane_ops;
        if (!groups)
            cpu_add(e);
        else if (e->device->is_cpu)
            pocl_add(e);
        else
            gpu_add(e);
    }
    estimate_end_kernel(e);
    if (!groups || e->device->is_cpu)
        cpu_finish(e);
    else
        gpu_finish(e);
}

struct explore_estimator *explore_estimator_create(const struct explore_problem *problem,
                                                   const struct lift_device_info *device)
{
    struct explore_estimator *e = lift_alloc(1, sizeof *e);

    e->problem = problem;
    e->device = device;
    if (lift_dialect_has_groups(device->dialect) && !device->is_cpu)
        e->f64_ops = gpu_f64_ops(device->arch);
    for (int i = 0; i < ESTIMATE_SKETCHES; i++) {
        e->sketches[i].sketch = lift_alloc(1, sizeof *e->sketch);
        e->sketches[i].arena = lift_arena_create();
    }
    e->body = lift_alloc(1, sizeof *e->body);
    e->room = lift_alloc(TRAFFIC_GROUPS, sizeof *e->room);
    e->known = lift_alloc(ESTIMATE_KNOWN, sizeof *e->known);
    return e;
}

void explore_estimator_destroy(struct explore_estimator *e)
{
    if (!e)
        return;
    for (int i = 0; i < ESTIMATE_SKETCHES; i++) {
        free(e->sketches[i].sketch);
        lift_arena_destroy(e->sketches[i].arena);
    }
    free(e->body);
    free(e->room);
    free(e->known);
    free(e);
}

/* ---- sketches */

static bool is_same(const struct explore_numbers *a, const struct explore_numbers *b,
                    uint64_t used)
{
    for (int i = 0; i < EXPLORE_MAX_NUMBERS && used >> i; i++)
        if ((used >> i & 1) && (i >= b->env.count || a->values[i] != b->values[i] ||
                                strcmp(a->names[i], b->names[i]) != 0))
            return false;
    return true;
}

/* Finds a sketch of the term with equal numbers, or makes the sketch: many tunables, such
 * as sizes of blocks, change no sketch. Returns false if there is none. */
static bool find_sketch(struct explore_estimator *e, lift_expr term,
                        const struct explore_numbers *numbers)
{
    struct estimate_sketch *found = NULL, *oldest = e->sketches;

    e->estimates++;
    for (int i = 0; i < ESTIMATE_SKETCHES && !found; i++) {
        struct estimate_sketch *s = &e->sketches[i];

        if (s->term == term && is_same(&s->numbers, numbers, s->sketch->used))
            found = s;
        else if (s->used < oldest->used)
            oldest = s;
    }
    if (!found) {
        found = oldest;
        lift_arena_clear(found->arena);
        found->term = term;
        found->numbers = *numbers;
        found->good = sketch_make(&(struct sketch_request){.problem = e->problem,
                                                           .term = term,
                                                           .numbers = &numbers->env,
                                                           .gpu = e->f64_ops > 0,
                                                           .f64_ops = e->f64_ops},
                                  found->arena, found->sketch);
    }
    found->used = e->estimates;
    e->sketch = found->sketch;
    return found->good;
}

static int64_t bytes_shown(const struct candidate_space *candidates,
                           const struct lift_nat_env *numbers)
{
    int64_t bytes;

    return candidates->shown && lift_nat_eval(candidates->shown, lift_nat_env_value,
                                              (void *)numbers, &bytes)
               ? bytes
               : 0;
}

bool explore_estimate(struct explore_estimator *e,
                      const struct candidate_space *candidates, const int *point,
                      struct explore_estimate *out)
{
    struct explore_numbers numbers;

    explore_numbers_of(e->problem, candidates, point, &numbers);
    *out = (struct explore_estimate){.seconds = 0};
    e->out = out;
    e->latency = e->largest = e->accesses = e->side_by_side = 0;
    e->ahead = false;
    e->beside = (struct estimate_parts){.kernel = -1};
    for (int d = 0; d < 3; d++)
        e->local[d] = explore_launch_number(&numbers, lift_local_names[d], 0);
    e->narrow = explore_launch_number(&numbers, explore_index_name, 0) == 32;
    e->clang =
        explore_launch_number(&numbers, explore_compiler_name, LIFT_GCC) != LIFT_GCC;
    e->shown = (double)bytes_shown(candidates, &numbers.env);
    e->asked = (double)explore_launch_number(&numbers, lift_resident_name, 0);
    if (find_sketch(e, candidates->term, &numbers))
        estimate(e);
    if (!isfinite(out->seconds) || out->seconds <= 0)
        out->seconds = INFINITY;
    return isfinite(out->seconds);
}

double explore_guess(struct explore_estimator *e,
                     const struct candidate_space *candidates, const int *point)
{
    size_t size = LIFT_SPACE_PARAMS * sizeof *point;
    uint64_t key = lift_hash_bytes(point, size, candidates->term->hash.lo).lo | 1;
    struct estimate_known *known = &e->known[key / 2 % ESTIMATE_KNOWN];
    struct explore_estimate out;

    if (known->key != key) {
        explore_estimate(e, candidates, point, &out);
        *known = (struct estimate_known){key, out.seconds * (1 + out.code / twice)};
    }
    return known->guess;
}
