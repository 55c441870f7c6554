#include "explore/joint.h"
#include "explore/traits.h"
#include "lift/bug.h"
#include <math.h>
#include <stdlib.h>

enum {
    MOST_NEAR = 32,
    LEAST_NEAR = 4,
    NEAR_STEPS = 2, /* decisions that may differ if there are enough such expressions */
    MAX_STEPS = 64, /* more are counted as this many */
};

struct near {
    int expr, steps;
    double off; /* difference of the columns */
};

struct neighbourhood {
    const struct explore_traits *t;
    unsigned char *steps; /* from the expression in hand to each */
    struct near *found;
    int count;
};

/* Elements that one set has more than the other: an element replaced by another is one
 * step, as is one added or left out. */
static int steps_between(const uint64_t *a, const uint64_t *b, int words)
{
    int more = 0, less = 0;

    for (int i = 0; i < words; i++) {
        if (a[i] == b[i])
            continue;
        more += __builtin_popcountll(a[i] & ~b[i]);
        less += __builtin_popcountll(b[i] & ~a[i]);
    }
    return more > less ? more : less;
}

/* Returns how many steps away the expressions may be to be near. */
static int measure_steps(struct neighbourhood *n, int expr)
{
    const struct explore_traits *t = n->t;
    int count[MAX_STEPS + 1] = {0};
    int sum = 0, limit = 0;

    for (int i = 0; i < t->count; i++) {
        int words = t->words;
        int steps =
            steps_between(t->shaping + expr * words, t->shaping + i * words, words) +
            steps_between(t->lowering + expr * words, t->lowering + i * words, words);

        n->steps[i] = (unsigned char)(steps < MAX_STEPS ? steps : MAX_STEPS);
        if (i != expr)
            count[n->steps[i]]++;
    }
    for (; limit < MAX_STEPS; limit++) {
        sum += count[limit];
        if (sum >= MOST_NEAR || (sum >= LEAST_NEAR && limit >= NEAR_STEPS))
            break;
    }
    return limit;
}

static double off_by(const struct explore_traits *t, int a, int b)
{
    const double *x = t->values + a * t->columns, *y = t->values + b * t->columns;
    double sum = 0;

    for (int i = 0; i < t->columns; i++)
        sum += fabs(x[i] - y[i]);
    return sum;
}

static int nearest_first(const void *a, const void *b)
{
    const struct near *x = a, *y = b;

    if (x->steps != y->steps)
        return x->steps - y->steps;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return x->expr - y->expr;
}

/* Fills 'out' with the nearest; returns how many. */
static int find_near(struct neighbourhood *n, int expr, int out[MOST_NEAR])
{
    int limit = measure_steps(n, expr);

    n->count = 0;
    for (int i = 0; i < n->t->count; i++)
        if (i != expr && n->steps[i] <= limit)
            n->found[n->count++] = (struct near){i, n->steps[i], off_by(n->t, expr, i)};
    qsort(n->found, (size_t)n->count, sizeof *n->found, nearest_first);
    if (n->count > MOST_NEAR)
        n->count = MOST_NEAR;
    for (int i = 0; i < n->count; i++)
        out[i] = n->found[i].expr;
    return n->count;
}

static void *memory(size_t count, size_t size)
{
    void *m = calloc(count + 1, size);

    if (!m)
        LIFT_BUG("out of memory");
    return m;
}

/* ---- guesses */

struct guesser {
    struct explore_estimator *estimator;
    const struct explore_arm *arms;
};

/* Compilers take a millisecond for an operation. A kernel that they take ten seconds for
 * has to promise to be twice as fast, since several others are tried meanwhile. */
static const double twice = 10000;

static double guess(void *user, const struct lift_choice *choice)
{
    const struct guesser *g = user;
    struct explore_estimate e;

    explore_estimate(g->estimator, &g->arms[choice->expr], choice->values, &e);
    return e.seconds * (1 + e.code / twice);
}

struct lift_joint *explore_joint_make(struct lift_arena *arena,
                                      const struct explore_joint_parts *parts)
{
    size_t count = (size_t)parts->count;
    struct explore_traits t = explore_traits_of(arena, parts->derivation, parts->rules,
                                                parts->leaves, parts->count);
    struct neighbourhood n = {
        .t = &t, .steps = memory(count, 1), .found = memory(count, sizeof *n.found)};
    struct lift_joint_expr *exprs = memory(count, sizeof *exprs);
    int(*near)[MOST_NEAR] = memory(count, sizeof *near);
    struct guesser *g = LIFT_NEW(arena, struct guesser);
    struct lift_joint *joint;

    *g = (struct guesser){parts->estimator, parts->arms};
    for (int i = 0; i < parts->count; i++)
        exprs[i] = (struct lift_joint_expr){.space = parts->arms[i].space,
                                            .features = t.values + i * t.columns,
                                            .near = near[i],
                                            .near_count = find_near(&n, i, near[i])};
    joint = lift_joint_create(
        arena, &(struct lift_joint_parts){exprs, parts->count, t.names, t.columns,
                                          parts->estimator ? guess : NULL, g});
    free(n.steps);
    free(n.found);
    free(exprs);
    free(near);
    return joint;
}
