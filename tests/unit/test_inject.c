/* Points off the grid: results of inject and sample against the equations; reciprocity of
 * sources and receivers; and the weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "every_device.h"
#include "lift/points.h"
#include "plan_of.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *device;

/* ---- the weights */

static void test_weights(void **state)
{
    double w[LIFT_POINT_WEIGHTS], sum;
    int32_t c;

    (void)state;
    assert_true(lift_point_weights(3.25, 9, 2, &c, w));
    assert_int_equal(c, 3);
    assert_true(w[0] == 0.75 && w[1] == 0.25);
    assert_true(lift_point_weights(8, 9, 2, &c, w) && c == 8 && w[0] == 1 && w[1] == 0);
    for (int q = 2; q <= LIFT_POINT_WEIGHTS; q += 2) {
        assert_true(lift_point_weights(4, 9, q, &c, w));
        assert_int_equal(c, 4 - q / 2 + 1);
        for (int k = 0; k < q; k++)
            assert_true(fabs(w[k] - (k == q / 2 - 1)) < 1e-12);
    }
    /* a wave of eight elements, between two of them */
    assert_true(lift_point_weights(4.3, 9, 8, &c, w));
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += w[k] * sin(acos(-1) / 4 * (c + k));
    assert_true(fabs(sum - sin(acos(-1) / 4 * 4.3)) < 2e-3);
    assert_false(lift_point_weights(-0.01, 9, 2, &c, w));
    assert_false(lift_point_weights(8.01, 9, 2, &c, w));
    assert_false(lift_point_weights(NAN, 9, 2, &c, w));
    assert_false(lift_point_weights(3, 9, 3, &c, w));
    assert_false(lift_point_weights(3, 9, 18, &c, w));
}

/* ---- the forms */

enum { NX = 13, NY = 9, N = 7, Q = 4 };

static const char program[] = "size nx = 13, ny = 9, n = 7, q = 4\n"
                              "fun sum(w) = w[0][1] + w[2][1] + w[1][0] + w[1][2]\n"
                              "stencil s(x: [[f32]nx]ny, at: [[i32]2]n, w: [[[f32]q]2]n, "
                              "v: [f32]n) -> (y, z, t) {\n"
                              "    val y = inject(map2(sum, slide2(3, 1, pad2(1, 1, "
                              "constant 0.0, x))), (at, w), v)\n"
                              "    return (y, sample(x, (at, w)), sample(y, (at, w)))\n"
                              "}\n";

/* Two points of one cell, one twice, corners and edges of the grid. */
static const double points[N][2] = {{3.25, 4.5}, {3.75, 4.25}, {3.25, 4.5},   {0, 0},
                                    {8, 12},     {0, 7.5},     {7.875, 0.125}};

struct data {
    float x[NY][NX], w[N][2][Q], v[N];
    int32_t at[N][2];
};

static void fill(struct data *d)
{
    const int length[2] = {NY, NX};
    double w[LIFT_POINT_WEIGHTS];

    for (int i = 0; i < NX * NY; i++)
        d->x[i / NX][i % NX] = (float)(i * 37 % 101) / 64.0f - 0.5f;
    for (int p = 0; p < N; p++) {
        d->v[p] = 1.0f + (float)p / 4;
        for (int a = 0; a < 2; a++) {
            assert_true(lift_point_weights(points[p][a], length[a], Q, &d->at[p][a], w));
            for (int k = 0; k < Q; k++)
                d->w[p][a][k] = (float)w[k];
        }
    }
}

static double inside(const float x[NY][NX], int64_t i, int64_t j)
{
    return i >= 0 && i < NY && j >= 0 && j < NX ? x[i][j] : 0;
}

static void add_points(const struct data *d, double y[NY][NX])
{
    for (int p = 0; p < N; p++)
        for (int k = 0; k < Q * Q; k++) {
            int64_t i = (int64_t)d->at[p][0] + k / Q, j = (int64_t)d->at[p][1] + k % Q;

            if (i >= 0 && i < NY && j >= 0 && j < NX)
                y[i][j] += (double)d->w[p][0][k / Q] * d->w[p][1][k % Q] * d->v[p];
        }
}

static double sample_at(const struct data *d, const float x[NY][NX], int p)
{
    double sum = 0;

    for (int k = 0; k < Q * Q; k++)
        sum += (double)d->w[p][0][k / Q] * d->w[p][1][k % Q] *
               inside(x, (int64_t)d->at[p][0] + k / Q, (int64_t)d->at[p][1] + k % Q);
    return sum;
}

static void check(const struct data *d, const float y[NY][NX], const float *z,
                  const float *t)
{
    double want[NY][NX];

    for (int i = 0; i < NY; i++)
        for (int j = 0; j < NX; j++)
            want[i][j] = inside(d->x, i - 1, j) + inside(d->x, i + 1, j) +
                         inside(d->x, i, j - 1) + inside(d->x, i, j + 1);
    add_points(d, want);
    for (int i = 0; i < NX * NY; i++)
        assert_true(fabs(y[i / NX][i % NX] - want[i / NX][i % NX]) < 1e-5);
    for (int p = 0; p < N; p++) {
        assert_true(fabs(z[p] - sample_at(d, d->x, p)) < 1e-5);
        assert_true(fabs(t[p] - sample_at(d, y, p)) < 1e-5);
    }
}

/* Boxes that the grid has nothing of, as far from it as corners may be. */
static void move_away(struct data *d)
{
    const int32_t far[N][2] = {
        {INT32_MAX, 3},      {3, INT32_MIN},         {4, 5}, {-Q, 0},
        {NY, INT32_MAX - 1}, {INT32_MIN, INT32_MAX}, {1, NX}};

    memcpy(d->at, far, sizeof far);
}

/* The same bits each time, too. */
static void forms_with(bool away)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan_options o = {.program = program, .device = device};
    struct lift_plan *plan = plan_of(planner, &o);
    float y[2][NY][NX], z[2][N], t[2][N];
    struct data d;

    fill(&d);
    if (away)
        move_away(&d);
    for (int turn = 0; turn < 2; turn++)
        if (!lift_plan_execute(plan, (const void *[]){d.x, d.at, d.w, d.v},
                               (void *[]){y[turn], z[turn], t[turn]}, &error))
            fail_msg("%s", lift_error_text(&error));
    check(&d, (const float(*)[NX])y[0], z[0], t[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(t[0], t[1], sizeof t[0]);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static void test_forms(void **state)
{
    (void)state;
    forms_with(false);
}

static void test_far_corners(void **state)
{
    (void)state;
    forms_with(true);
}

/* ---- many points */

enum { MANY = 300 };

static const char many[] = "size nx = 13, ny = 9, n = 300, q = 2\n"
                           "stencil many(x: [[f64]nx]ny, at: [[i32]2]n, "
                           "w: [[[f64]q]2]n, v: [f64]n) -> y =\n"
                           "    inject(map2(fun(x => 2.0 * x), x), (at, w), v)\n";

struct crowd {
    double x[NY][NX], want[NY][NX], w[MANY][2][2], v[MANY];
    int32_t at[MANY][2];
};

/* Each element of the grid has several points, in no order; some points lie outside the
 * grid. */
static void gather(struct crowd *c)
{
    for (int i = 0; i < NX * NY; i++) {
        c->x[i / NX][i % NX] = i * 37 % 101 / 64.0 - 0.5;
        c->want[i / NX][i % NX] = 2 * c->x[i / NX][i % NX];
    }
    for (int p = 0; p < MANY; p++) {
        c->v[p] = 1 + p % 16 / 4.0;
        c->at[p][0] = p * 29 % (NY + 4) - 2;
        c->at[p][1] = p % 50 == 49 ? INT32_MAX : p * 31 % (NX + 4) - 2;
        for (int k = 0; k < 4; k++)
            c->w[p][k / 2][k % 2] = 0.3 + (p * 7 + k * 5) % 11 / 8.0;
        for (int k = 0; k < 4; k++) {
            int64_t i = (int64_t)c->at[p][0] + k / 2, j = (int64_t)c->at[p][1] + k % 2;

            if (i >= 0 && i < NY && j >= 0 && j < NX)
                c->want[i][j] += c->w[p][0][k / 2] * c->w[p][1][k % 2] * c->v[p];
        }
    }
}

static void test_many_points(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan_options o = {.program = many, .device = device};
    struct lift_plan *plan = plan_of(planner, &o);
    double y[NY][NX];
    struct crowd c;

    (void)state;
    gather(&c);
    if (!lift_plan_execute(plan, (const void *[]){c.x, c.at, c.w, c.v}, (void *[]){y},
                           &error))
        fail_msg("%s", lift_error_text(&error));
    for (int i = 0; i < NX * NY; i++)
        assert_true(fabs(y[i / NX][i % NX] - c.want[i / NX][i % NX]) < 1e-12);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* ---- reciprocity */

enum { LX = 19, LY = 13, LZ = 11, STEPS = 40 };

struct shot {
    float *grid[3];
    float series[STEPS], w[2][3][2];
    int32_t at[2][3], now;
};

static void aim(struct shot *s, int end, const double place[3])
{
    const int length[3] = {LZ, LY, LX};
    double w[LIFT_POINT_WEIGHTS];

    for (int a = 0; a < 3; a++) {
        assert_true(lift_point_weights(place[a], length[a], 2, &s->at[end][a], w));
        for (int k = 0; k < 2; k++)
            s->w[end][a][k] = (float)w[k];
    }
}

/* The receiver's record of the source. */
static void shoot(struct lift_plan *plan, const double from[3], const double to[3],
                  float heard[STEPS])
{
    struct shot s = {.now = 0};

    for (int i = 0; i < 3; i++)
        s.grid[i] = calloc(LX * LY * LZ, sizeof(float));
    for (int i = 0; i < LX * LY * LZ; i++)
        s.grid[2][i] = 9;
    for (int n = 0; n < STEPS; n++)
        s.series[n] = (float)exp(-0.05 * (n - 10) * (n - 10));
    aim(&s, 0, from);
    aim(&s, 1, to);
    for (int n = 0; n < STEPS; n++) {
        void *in[] = {s.grid[0], s.grid[1], s.grid[2], s.series, &s.now,
                      s.at[0],   s.w[0],    s.at[1],   s.w[1]};

        if (!lift_plan_advance(plan, in, (void *[]){NULL, &heard[n], NULL}, 1, &error))
            fail_msg("%s", lift_error_text(&error));
    }
    assert_int_equal(s.now, STEPS);
    for (int i = 0; i < 3; i++)
        free(s.grid[i]);
}

/* In a medium of one velocity a source is heard as it would be if both changed places. */
static void test_reciprocity(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    char path[512];
    struct lift_plan_options o = {
        .file = path, .sizes = "nx=19,ny=13,nz=11,nr=1,nt=40", .device = device};
    const double a[3] = {3.25, 4.5, 6.75}, b[3] = {7.5, 8.25, 12.125};
    float there[STEPS], back[STEPS];
    struct lift_plan *plan;
    double most = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/programs/acoustic_shot.lift",
             getenv("LIFT_SOURCE_DIR"));
    plan = plan_of(planner, &o);
    shoot(plan, a, b, there);
    shoot(plan, b, a, back);
    for (int n = 0; n < STEPS; n++) {
        most = fmax(most, fabs(there[n]));
        assert_true(fabs(there[n] - back[n]) < 2e-6);
    }
    assert_true(most > 0.01);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static int suite(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_forms),
        cmocka_unit_test(test_far_corners), cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_reciprocity),
    };

    device = name;
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    return on_every_device(suite);
}
