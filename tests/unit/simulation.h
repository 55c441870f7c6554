/* Simulations of tests: a shipped program with its time loop, run by a plain kernel of
 * the host. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "plan_of.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 20 };

struct simulation {
    struct lift_plan *plan;
    int nx, ny, nz, count; /* of arrays */
    size_t cells;
    float *array[MOST_ARRAYS]; /* the inputs, which are the state and what it lives in */
    char name[MOST_ARRAYS][16];
};

static inline float *of(struct simulation *s, const char *name)
{
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->name[i], name) == 0)
            return s->array[i];
    fail_msg("no array '%s'", name);
    return NULL;
}

static inline size_t at(const struct simulation *s, int x, int y, int z)
{
    return ((size_t)z * (size_t)s->ny + (size_t)y) * (size_t)s->nx + (size_t)x;
}

static inline void set(struct simulation *s, const char *name, double value)
{
    float *a = of(s, name);

    for (size_t i = 0; i < s->cells; i++)
        a[i] = (float)value;
}

/* All arrays are zero. 'sizes' are those of the program, as for lift_plan_create. */
static inline void simulate(struct simulation *s, const char *program, const char *sizes)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    char path[512];
    struct lift_plan_options o = {.file = path, .sizes = sizes};
    struct lift_plan_array a;

    assert_non_null(planner);
    snprintf(path, sizeof path, "%s/programs/%s.lift", getenv("LIFT_SOURCE_DIR"),
             program);
    *s = (struct simulation){.plan = plan_of(planner, &o)};
    lift_planner_destroy(planner);
    s->count = lift_plan_inputs(s->plan);
    assert_in_range(s->count, 1, MOST_ARRAYS);
    for (int i = 0; i < s->count; i++) {
        assert_true(lift_plan_input(s->plan, i, &a));
        snprintf(s->name[i], sizeof s->name[i], "%s", a.name);
        s->array[i] = calloc((size_t)a.count, sizeof(float));
    }
    s->cells = (size_t)a.count;
    s->nx = (int)a.length[a.dims - 1];
    s->ny = (int)a.length[a.dims - 2];
    s->nz = a.dims == 3 ? (int)a.length[0] : 1;
}

static inline void advance(struct simulation *s, int steps)
{
    if (!lift_plan_advance(s->plan, (void *const *)s->array, NULL, steps, &error))
        fail_msg("%s", lift_error_text(&error));
}

static inline void finish(struct simulation *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->array[i]);
    lift_plan_destroy(s->plan);
}

static inline double sum(struct simulation *s, const char *name)
{
    const float *a = of(s, name);
    double total = 0;

    for (size_t i = 0; i < s->cells; i++)
        total += a[i];
    return total;
}

/* The largest difference of two arrays of as many elements. */
static inline double difference(const float *a, const float *b, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs((double)a[i] - b[i]));
    return most;
}

#endif
