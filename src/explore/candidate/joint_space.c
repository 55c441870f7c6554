/* The joint space of the expressions of a program. The models' columns are the options of
 * the decisions and the number of time steps a launch. Expressions with few differences
 * are neighbours. */
#include "explore/candidate/joint_space.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

enum {
    MOST_NEAR = 32,
    LEAST_NEAR = 4,
    NEAR_STEPS = 2 /* most differences if too few are nearer */
};

struct near {
    int expr, steps;
};

struct neighbourhood {
    const struct explore_joint_parts *parts;
    unsigned char *steps; /* differences from the current expression */
    struct near *found;
    int count;
};

static const struct lift_configuration *point_of(const struct explore_joint_parts *parts,
                                                 int expr)
{
    return parts->exprs[expr].configuration;
}

/* Counts the decisions in which two expressions differ. */
static int steps_between(const struct explore_joint_parts *parts, int x, int y)
{
    const struct lift_configuration *a = point_of(parts, x), *b = point_of(parts, y);
    int steps = parts->exprs[x].steps != parts->exprs[y].steps;

    for (int i = 0; i < LIFT_MAX_DECISIONS; i++)
        steps += a->option[i] != b->option[i];
    return steps;
}

/* Returns the largest number of different decisions between neighbours. */
static int measure_steps(struct neighbourhood *n, int expr)
{
    const struct explore_joint_parts *parts = n->parts;
    int count[LIFT_MAX_DECISIONS + 1] = {0};
    int sum = 0, limit = 0;

    for (int i = 0; i < parts->count; i++) {
        n->steps[i] = (unsigned char)steps_between(parts, expr, i);
        if (i != expr)
            count[n->steps[i]]++;
    }
    for (; limit < LIFT_MAX_DECISIONS; limit++) {
        sum += count[limit];
        if (sum >= MOST_NEAR || (sum >= LEAST_NEAR && limit >= NEAR_STEPS))
            break;
    }
    return limit;
}

static int nearest_first(const void *a, const void *b)
{
    const struct near *x = a, *y = b;

    return x->steps != y->steps ? x->steps - y->steps : x->expr - y->expr;
}

/* Fills 'out' with the nearest expressions; returns their number. */
static int find_near(struct neighbourhood *n, int expr, int out[MOST_NEAR])
{
    int limit = measure_steps(n, expr);

    n->count = 0;
    for (int i = 0; i < n->parts->count; i++)
        if (i != expr && n->steps[i] <= limit)
            n->found[n->count++] = (struct near){i, n->steps[i]};
    qsort(n->found, (size_t)n->count, sizeof *n->found, nearest_first);
    if (n->count > MOST_NEAR)
        n->count = MOST_NEAR;
    for (int i = 0; i < n->count; i++)
        out[i] = n->found[i].expr;
    return n->count;
}

/* ---- estimates */

struct guesser {
    const struct explore_joint_expr *exprs;
};

static double guess(void *user, const struct lift_choice *choice)
{
    const struct guesser *g = user;
    const struct explore_joint_expr *e = &g->exprs[choice->expr];

    return explore_guess(e->estimator, e->candidates, choice->values) / e->steps;
}

/* ---- columns */

struct columns {
    const struct explore_joint_parts *parts;
    const char **names;
    double *values; /* [expressions][columns] */
    int count;
};

/* True if some expressions have the option and others do not. */
static bool tells(const struct explore_joint_parts *parts, const struct lift_option *o)
{
    int having = 0;

    for (int i = 0; i < parts->count; i++)
        having += point_of(parts, i)->option[o->decision->index] == o->index;
    return having > 0 && having < parts->count;
}

/* Collects the options that are columns; of a decision with two options, one column
 * suffices. */
static int options_that_tell(const struct explore_joint_parts *parts,
                             const struct lift_option *out[])
{
    int count = 0;

    for (int i = 0; i < lift_decision_count(parts->rules); i++) {
        const struct lift_decision *d = lift_decision_get(parts->rules, i);

        for (int k = 1; k < d->option_count; k++)
            if (tells(parts, d->options[k]))
                out[count++] = d->options[k];
    }
    return count;
}

static bool different_steps(const struct explore_joint_parts *parts)
{
    for (int i = 1; i < parts->count; i++)
        if (parts->exprs[i].steps != parts->exprs[0].steps)
            return true;
    return false;
}

static void make_columns(struct lift_arena *arena, struct columns *c)
{
    const struct lift_option *told[LIFT_MAX_DECISIONS * LIFT_MAX_OPTIONS];
    int exprs = c->parts->count;
    int options = options_that_tell(c->parts, told);

    c->count = options + different_steps(c->parts);
    c->names = LIFT_NEW_ARRAY(arena, const char *, c->count + 1);
    c->values = LIFT_NEW_ARRAY(arena, double, (size_t)exprs *(size_t)c->count + 1);
    for (int k = 0; k < options; k++) {
        const struct lift_option *o = told[k];

        c->names[k] = lift_arena_printf(arena, "%s=%s", o->decision->name, o->name);
        for (int i = 0; i < exprs; i++)
            c->values[i * c->count + k] =
                point_of(c->parts, i)->option[o->decision->index] == o->index;
    }
    for (int i = 0; i < exprs && c->count > options; i++)
        c->values[i * c->count + options] = log2(c->parts->exprs[i].steps);
    if (c->count > options)
        c->names[options] = "time steps";
}

struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct explore_joint_parts *parts)
{
    size_t count = (size_t)parts->count;
    struct columns c = {.parts = parts};
    struct neighbourhood n = {.parts = parts,
                              .steps = lift_alloc(count + 1, 1),
                              .found = lift_alloc(count + 1, sizeof *n.found)};
    struct lift_joint_expr *exprs = lift_alloc(count + 1, sizeof *exprs);
    int(*near)[MOST_NEAR] = lift_alloc(count + 1, sizeof *near);
    struct guesser *g = LIFT_NEW(arena, struct guesser);
    struct lift_joint *joint;

    make_columns(arena, &c);
    *g = (struct guesser){
        lift_arena_copy(arena, parts->exprs, count * sizeof *parts->exprs)};
    for (int i = 0; i < parts->count; i++)
        exprs[i] =
            (struct lift_joint_expr){.space = parts->exprs[i].candidates->space,
                                     .features = c.values + i * c.count,
                                     .near = near[i],
                                     .near_count = find_near(&n, i, near[i]),
                                     .key = parts->exprs[i].candidates->term->hash.lo,
                                     .group = parts->exprs[i].steps - 1};
    joint = lift_joint_create(
        arena,
        &(struct lift_joint_parts){exprs, parts->count, c.names, c.count,
                                   count && parts->exprs[0].estimator ? guess : NULL, g,
                                   parts->share, parts->shares});
    free(n.steps);
    free(n.found);
    free(exprs);
    free(near);
    return joint;
}
