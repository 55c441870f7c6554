/* The joint space of the expressions of a derivation. The models' columns are the options
 * of the decisions. Expressions with few different options are neighbours. */
#include "explore/candidate/joint_space.h"
#include "base/memory.h"
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
    return &parts->derivation->leaves[parts->leaves[expr]].configuration;
}

/* Counts the decisions in which two configurations differ. */
static int steps_between(const struct lift_configuration *a,
                         const struct lift_configuration *b)
{
    int steps = 0;

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
        n->steps[i] =
            (unsigned char)steps_between(point_of(parts, expr), point_of(parts, i));
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
    struct explore_estimator *estimator;
    const struct candidate_space *spaces;
};

static double guess(void *user, const struct lift_choice *choice)
{
    const struct guesser *g = user;

    return explore_guess(g->estimator, &g->spaces[choice->expr], choice->values);
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

static void make_columns(struct lift_arena *arena, struct columns *c)
{
    const struct lift_option *told[LIFT_MAX_DECISIONS * LIFT_MAX_OPTIONS];
    int exprs = c->parts->count;

    c->count = options_that_tell(c->parts, told);
    c->names = LIFT_NEW_ARRAY(arena, const char *, c->count + 1);
    c->values = LIFT_NEW_ARRAY(arena, double, (size_t)exprs *(size_t)c->count + 1);
    for (int k = 0; k < c->count; k++) {
        const struct lift_option *o = told[k];

        c->names[k] = lift_arena_printf(arena, "%s=%s", o->decision->name, o->name);
        for (int i = 0; i < exprs; i++)
            c->values[i * c->count + k] =
                point_of(c->parts, i)->option[o->decision->index] == o->index;
    }
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
    *g = (struct guesser){parts->estimator, parts->spaces};
    for (int i = 0; i < parts->count; i++)
        exprs[i] = (struct lift_joint_expr){.space = parts->spaces[i].space,
                                            .features = c.values + i * c.count,
                                            .near = near[i],
                                            .near_count = find_near(&n, i, near[i]),
                                            .key = parts->spaces[i].term->hash.lo};
    joint = lift_joint_create(
        arena, &(struct lift_joint_parts){exprs, parts->count, c.names, c.count,
                                          parts->estimator ? guess : NULL, g,
                                          parts->share, parts->shares});
    free(n.steps);
    free(n.found);
    free(exprs);
    free(near);
    return joint;
}
