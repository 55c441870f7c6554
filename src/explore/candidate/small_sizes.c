/* Small sizes for the checks of a kernel by the interpreter, which is slow. The problem's
 * own sizes are kept if they are small and odd: then only one kernel is compiled.
 * Otherwise odd sizes and random sizes are tried first. If none fits, for example because
 * of long windows, the smallest possible sizes are taken. */
#include "base/fail.h"
#include "base/rng.h"
#include "explore/candidate_space.h"
#include "explore/explore_ops.h"
#include "ir/sizes.h"
#include <math.h>
#include <string.h>

enum {
    SMALL_POINTS = 20000, /* elements of a grid for the interpreter */
    SMALL_WORK = 2000000, /* operations, if sizes with fewer exist */
    OWN_WORK = 500000, /* limit at the problem's own sizes, which need no second kernel */
    OWN_LENGTH = 5,    /* a size that leaves an interior */
    PROBE_WORK = 30000, /* limit before the steps of an operation are known */
    MUCH = 4,           /* factor of work above which random sizes are tried */
    USUAL_STEPS = 32,   /* interpreter steps of an operation; more with nested views */
    SMALL_DRAWS = 400,
    SMALL_VALUES = 4, /* number of smallest values of a tunable */
    SHRINKS = 16,
    MOST_POINTS = 1 << 22, /* limit if no smaller sizes exist */
    EACH_SIZE = 4096,      /* linear search up to this size, then bisection */
};

static double most_elements(const struct explore_leaf *leaves, int count)
{
    double most = count < 0 ? INFINITY : 1;

    for (int i = 0; i < count; i++)
        if ((double)leaves[i].count > most)
            most = (double)leaves[i].count;
    return most;
}

/* The number of elements of the largest grid. Sizes that are no length do not count. */
static double points_of(const struct explore_problem *p, const struct explore_numbers *n)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    double in = most_elements(leaves, explore_input_leaves(p, &n->env, leaves));
    double out = most_elements(leaves, explore_output_leaves(p, &n->env, leaves));

    return in > out ? in : out;
}

/* True if the program's ranges allow the sizes. */
static bool in_range(const struct explore_problem *p, const struct explore_numbers *n)
{
    for (int i = 0; i < n->size_count; i++) {
        lift_nat var = lift_nat_find_var(lift_ir_nats(p->ir), n->names[i]);

        if (var && (n->values[i] < lift_nat_lo(var) || n->values[i] > lift_nat_hi(var)))
            return false;
    }
    return true;
}

/* True if the other conditions of the program and of the candidate space hold. A kernel
 * with boundary=predicated may accept fewer grid points than the program. */
static bool fits(const struct explore_problem *p,
                 const struct candidate_space *candidates,
                 const struct explore_numbers *n)
{
    return in_range(p, n) &&
           !explore_first_broken(p->conditions, p->condition_count, &n->env) &&
           !(candidates && explore_broken(candidates, &n->env));
}

/* Draws a size near a small multiple of a tunable's value. */
static int64_t draw_size(const struct explore_numbers *n, struct lift_rng *rng)
{
    int tunables = n->env.count - n->size_count;
    int64_t base = lift_rng_range(rng, 1, 24);

    if (tunables > 0 && lift_rng_below(rng, 2))
        base = n->values[n->size_count + (int)lift_rng_below(rng, (uint64_t)tunables)];
    return base * lift_rng_range(rng, 1, 3) + lift_rng_range(rng, 0, 5);
}

/* The sizes searched for, and the smallest sizes found so far. */
struct search {
    const struct explore_problem *p;
    const struct candidate_space *candidates;
    struct explore_numbers *n;
    double most;  /* work at which the search ends */
    double least; /* INFINITY: no sizes found so far */
    int64_t best[EXPLORE_MAX_SIZES];
};

double explore_operations(const struct explore_problem *p, const struct lift_nat_env *n)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(p, n, leaves);
    double points = 0;

    for (int i = 0; i < count; i++)
        points += (double)leaves[i].count;
    return points * (1 + lift_ops_count(p->ir, p->root, n));
}

/* Interpreter steps for all points of the result. */
static double work(const struct search *s)
{
    double all = explore_operations(s->p, &s->n->env);

    return s->p->steps > USUAL_STEPS ? all * s->p->steps / USUAL_STEPS : all;
}

/* Considers the current sizes; returns true if they fit and the search may end. */
static bool consider(struct search *s, double points)
{
    double all;

    if (!fits(s->p, s->candidates, s->n) || points_of(s->p, s->n) > points)
        return false;
    all = work(s);
    if (all >= s->least)
        return false;
    s->least = all;
    memcpy(s->best, s->n->values, sizeof *s->best * (size_t)s->n->size_count);
    return all <= s->most;
}

static void try_odd(struct search *s)
{
    static const int64_t odd[][4] = {{17, 9, 7, 5},   {19, 11, 5, 7}, {33, 17, 9, 5},
                                     {37, 23, 13, 9}, {11, 7, 5, 3},  {7, 5, 3, 4}};

    for (size_t row = 0; row < sizeof odd / sizeof odd[0]; row++) {
        for (int i = 0; i < s->n->size_count; i++)
            s->n->values[i] = odd[row][s->n->size_count > 3 ? i % 4 : i];
        if (consider(s, MOST_POINTS))
            return;
    }
}

static void draw_sizes(struct search *s, struct lift_rng *rng)
{
    for (int draw = 0; draw < SMALL_DRAWS; draw++) {
        for (int i = 0; i < s->n->size_count; i++)
            s->n->values[i] = draw_size(s->n, rng);
        if (consider(s, SMALL_POINTS))
            return;
    }
}

static bool is_of_launch(const char *name)
{
    const char *const others[] = {explore_flags_name, explore_index_name,
                                  lift_resident_name, explore_width_name,
                                  explore_compiler_name};

    for (int d = 0; d < 3; d++)
        if (!strcmp(name, lift_local_names[d]))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i]))
            return true;
    return false;
}

/* Sets each tunable of the term to a small value; parameters of the launch stay. */
static void shrink_tunables(const struct candidate_space *candidates,
                            struct lift_rng *rng, struct explore_numbers *n)
{
    for (int i = 0; i < lift_space_param_count(candidates->space); i++) {
        const struct lift_param *param = &candidates->params[i];
        int few = param->count < SMALL_VALUES ? param->count : SMALL_VALUES;

        if (!is_of_launch(param->name))
            n->values[n->size_count + i] =
                param->values[lift_rng_below(rng, (uint64_t)few)];
    }
}

static bool small_sizes_fit(struct search *s, struct lift_rng *rng)
{
    s->least = INFINITY;
    try_odd(s);
    if (s->least > MUCH * s->most)
        draw_sizes(s, rng);
    if (isinf(s->least))
        return false;
    memcpy(s->n->values, s->best, sizeof *s->best * (size_t)s->n->size_count);
    return true;
}

/* ---- the smallest sizes, from the program's own down */

/* All sizes divided by the smallest possible power of two, since some must stay equal. */
static bool halve_all(const struct explore_problem *p,
                      const struct candidate_space *candidates, struct explore_numbers *n)
{
    for (int shift = 30; shift >= 0; shift--) {
        for (int i = 0; i < n->size_count; i++) {
            n->values[i] = p->sizes.values[i] >> shift;
            n->values[i] += n->values[i] == 0;
        }
        if (fits(p, candidates, n))
            return true;
    }
    return false;
}

static bool fits_with(const struct explore_problem *p,
                      const struct candidate_space *candidates, struct explore_numbers *n,
                      int size, int64_t value)
{
    int64_t before = n->values[size];

    n->values[size] = value;
    if (fits(p, candidates, n))
        return true;
    n->values[size] = before;
    return false;
}

/* Reduces one size; the others stay. */
static void shrink_size(const struct explore_problem *p,
                        const struct candidate_space *candidates,
                        struct explore_numbers *n, int size)
{
    int64_t most = n->values[size], low = EACH_SIZE;

    for (int64_t v = 1; v < most && v <= EACH_SIZE; v++)
        if (fits_with(p, candidates, n, size, v))
            return;
    while (low + 1 < n->values[size]) {
        int64_t middle = low + (n->values[size] - low) / 2;

        if (!fits_with(p, candidates, n, size, middle))
            low = middle;
    }
}

/* Increases a size by a few points, to an odd number. */
static void enlarge_size(const struct explore_problem *p,
                         const struct candidate_space *candidates,
                         struct explore_numbers *n, int size)
{
    static const int64_t more[] = {5, 4, 3, 2, 1};
    int64_t least = n->values[size];

    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if ((least + more[i]) % 2 && fits_with(p, candidates, n, size, least + more[i]))
            return;
}

static bool smallest_sizes(const struct explore_problem *p,
                           const struct candidate_space *candidates,
                           struct explore_numbers *n)
{
    if (!halve_all(p, candidates, n))
        return false;
    for (int i = 0; i < n->size_count; i++)
        shrink_size(p, candidates, n, i);
    for (int i = 0; i < n->size_count; i++)
        enlarge_size(p, candidates, n, i);
    return points_of(p, n) <= MOST_POINTS;
}

bool explore_probe_sizes(const struct explore_problem *p, struct explore_numbers *n)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, 1);
    return small_sizes_fit(&(struct search){.p = p, .n = n, .most = PROBE_WORK}, &rng) ||
           smallest_sizes(p, NULL, n);
}

/* True if the problem's own sizes serve as small sizes. Odd sizes do not fit the tiles,
 * like the smaller sizes otherwise tried. */
static bool own_sizes_serve(const struct search *s)
{
    for (int i = 0; i < s->n->size_count; i++)
        if (s->n->values[i] % 2 == 0 || s->n->values[i] < OWN_LENGTH)
            return false;
    return s->n->size_count > 0 && fits(s->p, s->candidates, s->n) &&
           points_of(s->p, s->n) <= SMALL_POINTS && work(s) <= OWN_WORK;
}

bool explore_small_sizes(const struct explore_problem *p,
                         const struct candidate_space *candidates,
                         struct explore_numbers *n, struct lift_str *why)
{
    struct explore_numbers given = *n;
    struct search s = {.p = p, .candidates = candidates, .n = n, .most = SMALL_WORK};
    struct lift_rng rng;

    if (own_sizes_serve(&s))
        return true;
    lift_rng_seed(&rng, 1);
    if (small_sizes_fit(&s, &rng))
        return true;
    for (int i = 0; candidates && i < SHRINKS; i++) {
        shrink_tunables(candidates, &rng, n);
        if (small_sizes_fit(&s, &rng))
            return true;
    }
    if (candidates && smallest_sizes(p, candidates, n))
        return true;
    memcpy(n->values, given.values, sizeof n->values);
    return smallest_sizes(p, candidates, n) ||
           LIFT_FAIL(why, "no sizes of at most %d points at which the conditions hold",
                     MOST_POINTS);
}
