#include "explore/trial/slab.h"
#include "base/number.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The slab omits a multiple of this number of planes, so that tiles that divide the grid
 * divide the slab. It has at least this many planes. */
enum { PLANES = 64 };

/* A slab must be at most half as large as its problem. */
static const int64_t least_gain = 2;

/* Multiple of a processor's cache for a slab. If part of a grid stays in the cache
 * between launches, kernels rank differently. */
enum { CACHES = 2 };

/* Bytes for launches of some milliseconds. */
static const int64_t least_bytes = (int64_t)256 << 20;

int64_t explore_slab_bytes(const struct lift_device_info *info)
{
    const char *text = getenv("LIFT_SLAB_BYTES");
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);

    if (text && *text)
        return strtoll(text, NULL, 10);
    if (!info->is_cpu)
        return 0;
    return CACHES * cache > least_bytes ? CACHES * cache : least_bytes;
}

static bool mentions(lift_nat n, const char *name)
{
    return lift_nat_has(n, lift_nat_find_var(lift_nat_pool(n), name));
}

/* True if the size is a length of an inner dimension. */
static bool is_inside(lift_type t, const char *name)
{
    bool inside = false;

    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        inside |= is_inside(t->parts[i], name);
    if (t->kind != LIFT_TYPE_ARRAY)
        return inside;
    for (t = t->elem; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        inside |= mentions(t->len, name);
    return inside || is_inside(t, name);
}

/* True if the size is the number of planes and has no other use. */
static bool counts_planes(const struct explore_problem *p, const char *name)
{
    lift_type t = p->root->type;

    for (int i = 0; i < p->input_count; i++)
        if (is_inside(p->inputs[i]->type, name))
            return false;
    while (t->kind == LIFT_TYPE_TUPLE && t->count > 0)
        t = t->parts[0];
    return !is_inside(p->root->type, name) && t->kind == LIFT_TYPE_ARRAY &&
           mentions(t->len, name);
}

static int find_size(const struct explore_problem *p)
{
    for (int i = 0; i < p->sizes.count; i++)
        if (counts_planes(p, p->sizes.names[i]))
            return i;
    return -1;
}

/* The smallest number of planes, at least 'least', that is a multiple of PLANES smaller
 * than 'all'. */
static int64_t fewer(int64_t all, int64_t least)
{
    return all - (all - least) / PLANES * PLANES;
}

static bool conditions_hold(const struct explore_problem *p)
{
    struct candidate_space none = {.conditions = p->conditions,
                                   .condition_count = p->condition_count};

    return !explore_broken(&none, &p->sizes);
}

const struct explore_problem *explore_slab_of(const struct explore_problem *p,
                                              int64_t bytes)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    struct explore_problem *slab = lift_arena_copy(arena, p, sizeof *p);
    int at = find_size(p), count = p->sizes.count;
    int64_t planes = at < 0 ? 0 : p->sizes.values[at], least, *values;
    LIFT_SCOPED(lift_str) why = {0};
    bool good;

    if (bytes <= 0 || planes < least_gain * PLANES || p->bytes < least_gain * bytes)
        return NULL;
    least = bytes / (p->bytes / planes + 1) + 1;
    values = lift_arena_copy(arena, p->sizes.values, (size_t)count * sizeof *values);
    values[at] = fewer(planes, least > PLANES ? least : PLANES);
    slab->sizes.values = values;
    slab->whole = p;
    good = values[at] * least_gain <= planes && conditions_hold(slab) &&
           explore_problem_measure(slab, &why);
    return good ? slab : NULL;
}

/* Kernels also compute a tile's elements outside the grid. Their share on a slab may
 * exceed the share on the whole grid by this much. */
static const double most_waste = 0.1;

struct fitting {
    struct explore_numbers *slab;
    const struct lift_nat_env *whole;
    int64_t planes; /* planes of the slab */
    bool wastes, changed;
};

static double padded(lift_expr pad, const struct lift_nat_env *numbers)
{
    lift_type from = pad->u.prim.args[pad->arg_count - 1]->type;
    int64_t with, without;

    if (!lift_nat_eval(pad->type->len, lift_nat_env_value, (void *)numbers, &with) ||
        !lift_nat_eval(from->len, lift_nat_env_value, (void *)numbers, &without) ||
        without < 1)
        return 1;
    return (double)with / (double)without;
}

static void shorten(void *user, const struct lift_var *var)
{
    struct fitting *f = user;

    for (int i = f->slab->size_count;
         var->kind == LIFT_VAR_TUNABLE && i < f->slab->env.count; i++)
        if (!strcmp(f->slab->names[i], var->name) && f->slab->values[i] > f->planes) {
            f->slab->values[i] = f->planes;
            f->changed = true;
        }
}

static bool fit(void *fitting, lift_expr e)
{
    struct fitting *f = fitting;

    if (lift_expr_is(e, LIFT_PAD) && lift_nat_mentions(e->type->len, LIFT_VAR_TUNABLE) &&
        padded(e, &f->slab->env) > padded(e, f->whole) + most_waste) {
        f->wastes = true;
        lift_nat_each_var(e->type->len, shorten, f);
    }
    return lift_expr_mentions(e, LIFT_PAD);
}

bool explore_slab_numbers(const struct explore_problem *slab,
                          const struct candidate_space *candidates, const int *point,
                          struct explore_numbers *out)
{
    struct explore_numbers all;
    struct fitting f = {.slab = out, .whole = &all.env, .changed = true};

    explore_numbers_of(slab, candidates, point, out);
    explore_numbers_of(slab->whole, candidates, point, &all);
    f.planes = slab->sizes.values[find_size(slab)];
    while (f.changed) {
        f.changed = f.wastes = false;
        lift_expr_each(candidates->term, fit, &f);
    }
    return !f.wastes && !explore_broken(candidates, &out->env);
}

struct sharing {
    const struct lift_nat_env *slab, *whole;
    int threads;
    bool fair;
};

/* The time of a loop divided by its time with equal shares for all threads. */
static double unequal(lift_expr loop, const struct lift_nat_env *numbers, int threads)
{
    int64_t n;

    if (!lift_nat_eval(loop->type->len, lift_nat_env_value, (void *)numbers, &n) || n < 1)
        return 1;
    return (double)lift_round_up(n, threads) / (double)n;
}

/* Collapsed loops have enough iterations for all threads. */
static bool compare(void *sharing, lift_expr e)
{
    struct sharing *s = sharing;

    if ((lift_expr_is(e, LIFT_MAP_PAR) || lift_expr_is(e, LIFT_MAP_TASK)) &&
        lift_map_collapse(e) <= 1)
        s->fair &= unequal(e, s->slab, s->threads) <=
                   unequal(e, s->whole, s->threads) + most_waste;
    return true;
}

bool explore_slab_is_shared(const struct explore_problem *slab,
                            const struct candidate_space *candidates, const int *point,
                            const struct lift_device_info *device)
{
    struct explore_numbers here, whole;
    struct sharing s = {.slab = &here.env,
                        .whole = &whole.env,
                        .threads = device->compute_units,
                        .fair = true};

    if (lift_dialect_has_groups(device->dialect) || s.threads < 2 ||
        !explore_slab_numbers(slab, candidates, point, &here))
        return true;
    explore_numbers_of(slab->whole, candidates, point, &whole);
    lift_expr_each(candidates->term, compare, &s);
    return s.fair;
}
