/* Sound in a room with lift, and without it.
 *
 *     ./embed room.lift [estimate | measure | patient [DATABASE]]
 *
 * solves 100 steps of a small acoustic problem by a plan, again by a plain loop, and
 * compares the two. */
#include <lift/plan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NX = 64, NY = 48, NZ = 40, POINTS = NX * NY * NZ, STEPS = 100 };

static const char sizes[] = "nx=64,ny=48,nz=40";
static const float loss = 0.05f;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A clap of hands near a corner. */
static void start(float *prev, float *cur)
{
    memset(prev, 0, POINTS * sizeof *prev);
    memset(cur, 0, POINTS * sizeof *cur);
    cur[(10 * NY + 12) * NX + 14] = 1.0f;
}

/* ---- without lift */

static float at(const float *grid, int z, int y, int x)
{
    if (z < 0 || z >= NZ || y < 0 || y >= NY || x < 0 || x >= NX)
        return 0;
    return grid[(z * NY + y) * NX + x];
}

static float update(const float *prev, const float *cur, int z, int y, int x)
{
    int neighbours =
        (z > 0) + (z < NZ - 1) + (y > 0) + (y < NY - 1) + (x > 0) + (x < NX - 1);
    float sum = at(cur, z - 1, y, x) + at(cur, z, y - 1, x) + at(cur, z, y, x - 1) +
                at(cur, z, y, x + 1) + at(cur, z, y + 1, x) + at(cur, z + 1, y, x);
    float wall = neighbours < 6 ? loss : 0;

    return (1 - wall) * ((2 - 0.25f * (float)neighbours) * at(cur, z, y, x) +
                         0.25f * sum - at(prev, z, y, x));
}

static void plain_step(const float *prev, const float *cur, float *next)
{
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                next[(z * NY + y) * NX + x] = update(prev, cur, z, y, x);
}

static void plain(float *prev, float *cur, float *next)
{
    for (int n = 0; n < STEPS; n++) {
        plain_step(prev, cur, next);
        memcpy(prev, cur, POINTS * sizeof *prev);
        memcpy(cur, next, POINTS * sizeof *cur);
    }
}

/* ---- with lift */

static int fail(struct lift_error *error)
{
    fprintf(stderr, "lift: %s\n", lift_error_text(error));
    return 1;
}

/* Steps one by one on the program's own arrays, which alternate. */
static bool by_steps(struct lift_plan *plan, float *arrays[3], struct lift_error *error)
{
    for (int n = 0; n < STEPS; n++) {
        const void *inputs[] = {arrays[n % 3], arrays[(n + 1) % 3]};
        void *outputs[] = {arrays[(n + 2) % 3]};

        if (!lift_plan_execute(plan, inputs, outputs, error))
            return false;
    }
    return true;
}

static float difference(const float *a, const float *b)
{
    float most = 0;

    for (int i = 0; i < POINTS; i++)
        most = fmaxf(most, fabsf(a[i] - b[i]));
    return most;
}

static int compare(const char *what, const float *got, const float *want, double seconds)
{
    float error = difference(got, want);

    printf("%s: %.2f ms, largest difference %g\n", what, 1e3 * seconds, error);
    return !(error < 1e-5f);
}

static int solve(struct lift_plan *plan)
{
    static float a[POINTS], b[POINTS], c[POINTS], want[POINTS], prev[POINTS];
    float *arrays[] = {a, b, c};
    void *state[] = {a, b};
    struct lift_error error = {0};
    double begin;
    int bad;

    start(prev, want);
    begin = now();
    plain(prev, want, c);
    printf("a plain loop: %.2f ms\n", 1e3 * (now() - begin));

    start(a, b);
    begin = now();
    if (!by_steps(plan, arrays, &error))
        return fail(&error);
    bad = compare("step by step", arrays[(STEPS + 1) % 3], want, now() - begin);

    start(a, b);
    begin = now();
    if (!lift_plan_advance(plan, state, NULL, STEPS, &error))
        return fail(&error);
    return compare("all steps", b, want, now() - begin) || bad;
}

static enum lift_plan_effort effort_of(const char *word)
{
    return !strcmp(word, "patient")   ? LIFT_PATIENT
           : !strcmp(word, "measure") ? LIFT_MEASURE
                                      : LIFT_ESTIMATE;
}

int main(int argc, char **argv)
{
    struct lift_planner_options planner_options = {.database = argc > 3 ? argv[3] : NULL,
                                                   .create = true};
    struct lift_plan_options options = {.file = argc > 1 ? argv[1] : "room.lift",
                                        .sizes = sizes,
                                        .types = "f32",
                                        .device = getenv("EMBED_DEVICE"),
                                        .effort = effort_of(argc > 2 ? argv[2] : ""),
                                        .seconds = 10};
    struct lift_error error = {0};
    struct lift_planner *planner = lift_planner_create(&planner_options, &error);
    struct lift_plan *plan = NULL;
    double begin = now();
    int status;

    if (planner)
        plan = lift_plan_create(planner, &options, &error);
    if (!plan || !lift_plan_set_param(plan, "loss", loss, &error)) {
        status = fail(&error);
    } else {
        const struct lift_plan_facts *facts = lift_plan_facts(plan);

        printf("%s on %s, planned in %.2f s: %s (%s)\n", facts->program, facts->device,
               now() - begin, facts->chosen, facts->why);
        if (facts->unkept)
            fprintf(stderr, "%s\n", facts->unkept);
        status = solve(plan);
        puts(status ? "FAILED" : "PASSED");
    }
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    lift_error_fini(&error);
    return status;
}
