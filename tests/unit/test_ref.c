/* Laws of the references, so that an error in one is found: the image of a constant
 * field, symmetry under reflection, linearity, boundaries, and hand-computed values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ref_grids.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int depth(const struct ref_program *r)
{
    return r->dims == 3 ? SIZE.nz : 1;
}

static int axis_distance(int i, int n)
{
    return i < n - 1 - i ? i : n - 1 - i;
}

static bool is_interior(const struct ref_program *r, int x, int y, int z)
{
    return axis_distance(x, SIZE.nx) >= r->radius &&
           axis_distance(y, SIZE.ny) >= r->radius &&
           (r->dims == 2 || axis_distance(z, SIZE.nz) >= r->radius);
}

/* Runs a program on one set of inputs; unused inputs may be NULL. 'out': its first
 * output.
 */
static void run(const struct ref_program *r, float *const inputs[], grid_t out)
{
    const float *in[REF_MAX_INPUTS] = {NULL};
    static grid_t others[REF_MAX_OUTPUTS];
    float *outs[REF_MAX_OUTPUTS] = {out};

    for (int i = 0; i < r->input_count; i++)
        in[i] = inputs[i];
    for (int i = 1; i < r->output_count; i++)
        outs[i] = others[i];
    fill(out, NAN);
    r->fn(&SIZE, in, outs);
}

static void test_table(void **state)
{
    int count = 0;

    (void)state;
    for (const struct ref_program *r = ref_programs; r->name; r++, count++) {
        assert_ptr_equal(ref_find(r->name), r);
        assert_in_range(r->dims, 2, 3);
        assert_in_range(r->radius, 1, MIDDLE);
        assert_in_range(r->output_count, 1, REF_MAX_OUTPUTS);
        for (int i = 0; i < REF_MAX_INPUTS; i++)
            assert_int_equal(r->inputs[i] != NULL, i < r->input_count);
    }
    assert_int_equal(count, 56);
    assert_null(ref_find("no such program"));
    assert_int_equal(ref_cells(ref_find("heat"), &SIZE), CELLS);
    assert_int_equal(ref_cells(ref_find("gradient"), &SIZE), 11 * 10);
}

/* The result of one step for the constant field 'c' at an interior point; by the first
 * name that is a prefix of the program's name. */
static double constant_field(const char *name, double c)
{
    static const struct {
        const char *name;
        double factor, offset;
    } sums[] = {
        {"stencil2d", 0.25 + 4 * 0.15 + 4 * 0.05, 0},
        {"gaussian", 1, 0},
        {"gradient", 1, 100}, /* 1 / sqrt(0.0001) */
        {"jacobi2d5", 49.0 / 118, 0},
        {"jacobi2d9", 81.0 / 118, 0},
        {"jacobi3d7", 0.981 - 1.67, 0},
        {"jacobi3d13", 0, 0}, /* 12 * 0.083 = 0.996 */
        {"jacobi3d19", (4 * 0.5 + 8.19 + 4 * 0.52) / 159, 0},
        {"jacobi3d27", (8.1 + 8.19 + 8.28) / 159, 0},
        {"poisson", 2.666 - 6 * 0.166 - 12 * 0.0833, 0},
        {"heat", 1, 0},
        {"star2d4r", 0.77777, 0},
        {"j2d5pt", 49.6 / 118, 0},
        {"j2d9pt", 82.2 / 118, 0}, /* and j2d9pt-gol */
        {"j3d27pt", (3 * 8.104 + 0.09 + 0.18) / 159, 0},
        {"leggy13", 0.21 + 0.501 * (1 + 1.0 / 4), 0},
        {"leggy19", 0.21 + 0.501 * (1 + 1.0 / 4 + 1.0 / 9), 0},
        {"dense19", 0.055 + 0.501 + 0.441, 0},
        {"dense27", 0.872, 0},
        {"star", 1, 0},
        {"box", 1, 0},
    };

    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strncmp(sums[i].name, name, strlen(sums[i].name)) == 0)
            return sums[i].factor * c + sums[i].offset;
    fail_msg("no sum of weights for '%s'", name);
    return 0;
}

static void test_constant_field(void **state)
{
    grid_t in, out;

    (void)state;
    fill(in, 3.5f);
    for (const struct ref_program *r = ref_programs; r->name; r++) {
        double expected;

        if (r->border != REF_KEEP)
            continue;
        expected = constant_field(r->name, 3.5);
        run(r, (float *[]){in}, out);
        for (int z = 0; z < depth(r); z++)
            for (int y = 0; y < SIZE.ny; y++)
                for (int x = 0; x < SIZE.nx; x++)
                    assert_float_equal(out[cell(x, y, z)],
                                       is_interior(r, x, y, z) ? expected : 3.5, 1e-5);
    }
}

static void test_border_is_kept(void **state)
{
    grid_t in, out;

    (void)state;
    randomise(in, 1, -1, 1);
    for (const struct ref_program *r = ref_programs; r->name; r++) {
        size_t changed = 0, inside = 0;

        if (r->border != REF_KEEP)
            continue;
        run(r, (float *[]){in}, out);
        for (int z = 0; z < depth(r); z++)
            for (int y = 0; y < SIZE.ny; y++)
                for (int x = 0; x < SIZE.nx; x++) {
                    size_t at = cell(x, y, z);

                    if (is_interior(r, x, y, z)) {
                        inside++;
                        changed += out[at] != in[at];
                    } else {
                        assert_true(out[at] == in[at]);
                    }
                }
        assert_true(inside > 0 && changed == inside);
    }
}

/* The points that the neighbourhood of the middle cell reads: one at a time is raised. */
static int points_read(const struct ref_program *r)
{
    grid_t in, base, out;
    size_t middle = cell(MIDDLE, MIDDLE, r->dims == 3 ? MIDDLE : 0);
    int points = 0;

    randomise(in, 2, 1, 2);
    run(r, (float *[]){in}, base);
    for (size_t i = 0; i < ref_cells(r, &SIZE); i++) {
        float kept = in[i];

        in[i] += 1;
        run(r, (float *[]){in}, out);
        points += out[middle] != base[middle];
        in[i] = kept;
    }
    return points;
}

static void test_configurations_read(void **state)
{
    static const struct {
        const char *name;
        int points;
    } cases[] = {
        {"stencil2d", 9},   {"gaussian", 25}, {"gradient", 5},    {"jacobi2d5", 5},
        {"jacobi2d9", 9},   {"jacobi3d7", 7}, {"jacobi3d13", 13}, {"jacobi3d19", 17},
        {"jacobi3d27", 27}, {"poisson", 19},  {"heat", 7},        {"srad1", 5},
        {"star2d1r", 5},    {"star2d2r", 9},  {"star2d3r", 13},   {"star2d4r", 17},
        {"star3d1r", 7},    {"star3d2r", 13}, {"star3d3r", 19},   {"star3d4r", 25},
        {"box2d1r", 9},     {"box2d2r", 25},  {"box2d3r", 49},    {"box2d4r", 81},
        {"box3d1r", 27},    {"box3d2r", 125}, {"box3d3r", 343},   {"box3d4r", 729},
        {"j2d5pt", 5},      {"j2d9pt", 9},    {"j2d9pt-gol", 9},  {"j3d27pt", 27},
        {"leggy13", 13},    {"leggy19", 19},  {"dense19", 19},    {"dense27", 27},
        {"fd_x", 9},        {"fd_y", 9},      {"fd_z", 9},        {"fd_xy", 17},
        {"fd_xyz", 25},     {"srad", 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(points_read(ref_find(cases[i].name)), cases[i].points);
}

/* out(a + 2b) = out(a) + 2 out(b) for the weighted sums, border included. */
static void test_linear(void **state)
{
    static const char *const linear[] = {
        "stencil2d",  "gaussian",   "jacobi2d5",  "jacobi2d9", "jacobi3d7",
        "jacobi3d13", "jacobi3d19", "jacobi3d27", "poisson",   "heat",
        "star2d3r",   "star2d4r",   "star3d4r",   "box2d4r",   "box3d3r",
        "j2d9pt",     "leggy19",    "dense27",    "fd_xy",     "fd_xyz",
    };
    grid_t a, b, sum, out_a, out_b, out_sum;

    (void)state;
    randomise(a, 3, -1, 1);
    randomise(b, 4, -1, 1);
    for (int i = 0; i < CELLS; i++)
        sum[i] = a[i] + 2 * b[i];
    for (size_t p = 0; p < sizeof linear / sizeof *linear; p++) {
        const struct ref_program *r = ref_find(linear[p]);

        run(r, (float *[]){a}, out_a);
        run(r, (float *[]){b}, out_b);
        run(r, (float *[]){sum}, out_sum);
        for (size_t i = 0; i < ref_cells(r, &SIZE); i++)
            assert_float_equal(out_sum[i], out_a[i] + 2 * out_b[i], 3e-5);
    }
}

static void flip(const grid_t from, grid_t to, int axis, int nz)
{
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < SIZE.ny; y++)
            for (int x = 0; x < SIZE.nx; x++) {
                int fx = axis == 0 ? SIZE.nx - 1 - x : x;
                int fy = axis == 1 ? SIZE.ny - 1 - y : y;
                int fz = axis == 2 ? nz - 1 - z : z;

                to[cell(fx, fy, fz)] = from[cell(x, y, z)];
            }
}

/* Reflecting every input reflects the output. */
static void check_flip(const struct ref_program *r, int axis)
{
    static grid_t in[REF_MAX_INPUTS], mirrored[REF_MAX_INPUTS];
    float *inputs[REF_MAX_INPUTS], *reflected[REF_MAX_INPUTS];
    grid_t out, out_mirrored, back;

    for (int i = 0; i < r->input_count; i++) {
        randomise(in[i], 10 + (uint64_t)i, 1, 2);
        flip(in[i], mirrored[i], axis, depth(r));
        inputs[i] = in[i];
        reflected[i] = mirrored[i];
    }
    run(r, inputs, out);
    run(r, reflected, out_mirrored);
    flip(out_mirrored, back, axis, depth(r));
    for (size_t i = 0; i < ref_cells(r, &SIZE); i++)
        assert_float_equal(out[i], back[i], 1e-5);
}

static void test_reflection(void **state)
{
    static const char *const symmetric[] = {
        "acoustic", "stencil2d", "gaussian",   "gradient",  "poisson",      "heat",
        "srad1",    "hotspot2d", "jacobi3d13", "hotspot3d", "jacobi2d5",    "star2d4r",
        "fd_x",     "fd_y",      "fd_z",       "fd_xyz",    "acoustic_iso",
    };

    (void)state;
    for (size_t p = 0; p < sizeof symmetric / sizeof *symmetric; p++) {
        const struct ref_program *r = ref_find(symmetric[p]);

        for (int axis = 0; axis < r->dims; axis++)
            check_flip(r, axis);
    }
}

/* One cell of the input is raised by one; the weight is the change of the middle cell. */
static double weight_at(const char *name, int dx, int dy, int dz)
{
    const struct ref_program *r = ref_find(name);
    int z = r->dims == 3 ? MIDDLE : 0;
    grid_t in, out;

    fill(in, 0);
    in[cell(MIDDLE + dx, MIDDLE + dy, z + dz)] = 1;
    run(r, (float *[]){in}, out);
    return out[cell(MIDDLE, MIDDLE, z)];
}

static void test_weights_by_direction(void **state)
{
    static const struct {
        const char *name;
        int dx, dy, dz;
        double weight;
    } cases[] = {
        {"jacobi2d5", 0, -1, 0, 5.0 / 118},
        {"jacobi2d5", -1, 0, 0, 12.0 / 118},
        {"jacobi2d9", -1, -1, 0, 7.0 / 118},
        {"jacobi2d9", 1, -1, 0, 9.0 / 118},
        {"jacobi2d9", -1, 0, 0, 12.0 / 118},
        {"jacobi2d9", 0, 1, 0, 5.0 / 118},
        {"jacobi2d9", -1, 1, 0, 9.0 / 118},
        {"jacobi2d9", 1, 1, 0, 7.0 / 118},
        {"jacobi3d7", 1, 0, 0, 0.161},
        {"jacobi3d7", -1, 0, 0, 0.162},
        {"jacobi3d7", 0, 1, 0, 0.163},
        {"jacobi3d7", 0, -1, 0, 0.164},
        {"jacobi3d7", 0, 0, 1, 0.165},
        {"jacobi3d7", 0, 0, -1, 0.166},
        {"jacobi3d7", 0, 0, 0, -1.67},
        {"jacobi3d13", 0, 0, 2, 0.083},
        {"jacobi3d13", 1, 0, 0, 0.083},
        {"jacobi3d19", -1, -1, -1, 0.5 / 159},
        {"jacobi3d19", 1, 0, 0, 1.21 / 159},
        {"jacobi3d19", 1, 1, 1, 0.52 / 159},
        {"jacobi3d27", 1, -1, -1, 0.9 / 159},
        {"jacobi3d27", -1, 1, -1, 0.9 / 159},
        {"jacobi3d27", 0, 0, 0, 1.51 / 159},
        {"jacobi3d27", 0, -1, 1, 0.72 / 159},
        {"poisson", 0, 0, -1, -0.166},
        {"poisson", 1, 0, 1, -0.0833},
        {"poisson", 1, 1, 1, 0},
        {"heat", 0, 0, 0, 0.25},
        {"heat", 0, 1, 0, 0.125},
        {"gaussian", 0, 0, 0, 15.0 / 159},
        {"gaussian", 2, 2, 0, 2.0 / 159},
        {"gaussian", -1, 1, 0, 9.0 / 159},
        {"stencil2d", 1, -1, 0, 0.05},
        {"stencil2d", 0, 1, 0, 0.15},
        {"star2d1r", -1, 0, 0, 6.0 / 40},
        {"star2d1r", 1, 0, 0, 8.0 / 40},
        {"star2d1r", 0, -1, 0, 9.0 / 40},
        {"star2d1r", 0, 1, 0, 10.0 / 40},
        {"star3d1r", 0, 0, -1, 13.0 / 77},
        {"star3d1r", 0, 0, 1, 14.0 / 77},
        {"star3d4r", 0, 0, -4, 43.0 / 950},
        {"star3d4r", -4, 0, 0, 26.0 / 950},
        {"star2d4r", 0, -4, 0, 0.11111},
        {"star2d4r", 4, 0, 0, -0.2222},
        {"box2d1r", -1, -1, 0, 10.0 / 126},
        {"box2d1r", 1, -1, 0, 12.0 / 126},
        {"box2d1r", -1, 1, 0, 16.0 / 126},
        {"box3d1r", -1, -1, 1, 46.0 / 1107},
        {"box3d4r", 4, 4, 4, 1458.0 / 797526},
        {"j2d5pt", 1, 0, 0, 12.2 / 118},
        {"j2d9pt", 2, 0, 0, 9.1 / 118},
        {"j2d9pt", 0, -2, 0, 7.1 / 118},
        {"j2d9pt-gol", 1, -1, 0, 9.2 / 118},
        {"j3d27pt", 1, 0, -1, 1.201 / 159},
        {"j3d27pt", -1, 1, 1, 0.921 / 159},
        {"leggy13", 0, 0, 2, 0.086 / 4},
        {"leggy19", -3, 0, 0, 0.081 / 9},
        {"dense19", 0, 1, 1, 0.043},
        {"dense19", 1, 1, 1, 0},
        {"dense27", -1, -1, -1, 0.0034},
        {"dense27", 1, 0, 1, 0.0358},
        {"fd_x", 1, 0, 0, 1.6 / 100},
        {"fd_y", 0, 3, 0, 8.0 / 315 / 156.25},
        {"fd_z", 0, 0, -4, -1.0 / 560 / 64},
        {"fd_xy", 0, 0, 0, -205.0 / 72 * (1.0 / 100 + 1 / 156.25)},
        {"fd_xyz", 0, -2, 0, -0.2 / 156.25},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_float_equal(
            weight_at(cases[i].name, cases[i].dx, cases[i].dy, cases[i].dz),
            cases[i].weight, 1e-7);
}

/* The differences are exact for polynomials, where they do not reach over the border. */
static void test_derivatives_of_polynomials(void **state)
{
    grid_t in, out;

    (void)state;
    for (int z = 0; z < SIZE.nz; z++)
        for (int y = 0; y < SIZE.ny; y++)
            for (int x = 0; x < SIZE.nx; x++) {
                double px = 10 * (x - 5), py = 12.5 * (y - 4), pz = 8 * (z - 4);

                in[cell(x, y, z)] = (float)(px * px * px * px / 1000 + 2 * py * py +
                                            3 * pz * pz + px * py * pz / 100);
            }
    run(ref_find("fd_x"), (float *[]){in}, out);
    assert_float_equal(out[cell(6, 4, 0)], 12 * 10 * 10 / 1000.0, 1e-4);
    assert_float_equal(out[cell(4, 0, 8)], 12 * 10 * 10 / 1000.0, 1e-4);
    run(ref_find("fd_y"), (float *[]){in}, out);
    assert_float_equal(out[cell(0, 5, 3)], 4, 1e-4);
    run(ref_find("fd_z"), (float *[]){in}, out);
    assert_float_equal(out[cell(3, 1, 4)], 6, 1e-4);
    run(ref_find("fd_xyz"), (float *[]){in}, out);
    assert_float_equal(out[cell(5, 5, 4)], 0 + 4 + 6, 1e-4);
}

/* A wave: at speed zero a value extrapolates linearly in time; elsewhere it depends on
 * its neighbours within the reach of the differences. */
static void test_acoustic_iso(void **state)
{
    static grid_t now, before, speed, out;

    (void)state;
    randomise(now, 8, -1, 1);
    randomise(before, 9, -1, 1);
    fill(speed, 0);
    run(ref_find("acoustic_iso"), (float *[]){now, before, speed}, out);
    for (int i = 0; i < CELLS; i++)
        assert_float_equal(out[i], 2 * now[i] - before[i], 1e-6);
    fill(now, 0);
    fill(before, 0);
    now[cell(5, 4, 4)] = 1;
    speed[cell(5, 4, 4)] = 10;
    speed[cell(5, 0, 4)] = 10;
    before[cell(4, 4, 4)] = 0.5f;
    run(ref_find("acoustic_iso"), (float *[]){now, before, speed}, out);
    assert_float_equal(out[cell(5, 4, 4)],
                       2 - 10 * 205.0 / 72 * (1.0 / 100 + 1.0 / 156.25 + 1.0 / 64), 1e-6);
    assert_float_equal(out[cell(5, 0, 4)], -10.0 / 560 / 156.25, 1e-8);
    assert_float_equal(out[cell(4, 4, 4)], -0.5, 0);
    assert_float_equal(out[cell(6, 4, 4)], 0, 0);
}

static void test_gradient_value(void **state)
{
    grid_t in, out;

    (void)state;
    fill(in, 0);
    in[cell(4, 4, 0)] = 0.005f; /* 4 * 0.005^2 = 0.0001, so 1 / sqrt(0.0002) */
    run(ref_find("gradient"), (float *[]){in}, out);
    assert_float_equal(out[cell(4, 4, 0)], 0.005 + 1 / sqrt(0.0002), 1e-4);
}

static int faces(int x, int y, int z)
{
    return (x == 0) + (x == SIZE.nx - 1) + (y == 0) + (y == SIZE.ny - 1) + (z == 0) +
           (z == SIZE.nz - 1);
}

/* From a constant pressure c, and p before: an interior cell becomes 2c - p whatever the
 * grid; one that touches k faces loses k/3 of c, and the wall takes its part. */
static void test_acoustic_constant(void **state)
{
    const double la = 0.005 / sqrt(3);
    grid_t prev, cur, out;

    (void)state;
    fill(prev, 0.25f);
    fill(cur, 2);
    run(ref_find("acoustic"), (float *[]){prev, cur}, out);
    for (int z = 0; z < SIZE.nz; z++)
        for (int y = 0; y < SIZE.ny; y++)
            for (int x = 0; x < SIZE.nx; x++) {
                double expected = 2 * 2 - 0.25;

                if (faces(x, y, z))
                    expected = (2 * 2 - (1 - la) * 0.25) / (1 + la);
                assert_float_equal(out[cell(x, y, z)], expected, 1e-6);
            }
}

/* A unit pulse reaches each neighbour with 1/3, and comes back with the sign of prev. */
static void test_acoustic_pulse(void **state)
{
    grid_t prev, cur, out;

    (void)state;
    fill(prev, 0);
    fill(cur, 0);
    cur[cell(4, 4, 3)] = 1;
    prev[cell(2, 2, 2)] = 1;
    run(ref_find("acoustic"), (float *[]){prev, cur}, out);
    assert_float_equal(out[cell(4, 4, 3)], 0, 1e-7); /* 2 - 6/3 */
    assert_float_equal(out[cell(3, 4, 3)], 1.0 / 3, 1e-7);
    assert_float_equal(out[cell(4, 5, 3)], 1.0 / 3, 1e-7);
    assert_float_equal(out[cell(4, 4, 2)], 1.0 / 3, 1e-7);
    assert_float_equal(out[cell(3, 3, 3)], 0, 0);
    assert_float_equal(out[cell(2, 2, 2)], -1, 1e-7);
    assert_float_equal(out[cell(0, 0, 0)], 0, 0);
}

/* Sound in a room dies away: after many steps the pressure is bounded and smaller. */
static void test_acoustic_decays(void **state)
{
    static grid_t a, b, c;
    float *prev = a, *cur = b, *next = c;
    const struct ref_program *r = ref_find("acoustic");
    double energy = 0;

    (void)state;
    fill(a, 0);
    fill(b, 0);
    a[cell(4, 4, 3)] = b[cell(4, 4, 3)] = 1; /* at rest: no steady flow remains */
    for (int step = 0; step < 4000; step++) {
        float *spare = prev;

        run(r, (float *[]){prev, cur}, next);
        prev = cur;
        cur = next;
        next = spare;
    }
    for (int i = 0; i < CELLS; i++)
        energy += (double)cur[i] * cur[i];
    assert_true(isfinite(energy));
    assert_true(energy < 0.1);
}

/* At the ambient temperature and without power nothing moves, walls included. */
static void test_hotspot_rest(void **state)
{
    static const char *const names[] = {"hotspot2d", "hotspot3d"};
    grid_t temp, power, out;

    (void)state;
    fill(temp, 80);
    fill(power, 0);
    for (int p = 0; p < 2; p++) {
        const struct ref_program *r = ref_find(names[p]);

        run(r, (float *[]){temp, power}, out);
        for (size_t i = 0; i < ref_cells(r, &SIZE); i++)
            assert_float_equal(out[i], 80, 1e-4);
    }
}

/* In the layered chip, heat crosses layers far more slowly than it spreads within one. */
static void test_hotspot3d_axes(void **state)
{
    grid_t temp, power, out;

    (void)state;
    fill(temp, 0);
    fill(power, 0);
    temp[cell(4, 4, 3)] = 1000;
    run(ref_find("hotspot3d"), (float *[]){temp, power}, out);
    assert_float_equal(out[cell(3, 4, 3)], 34.1333 + 0.042667, 1e-3);
    assert_float_equal(out[cell(4, 5, 3)], 34.1333 + 0.042667, 1e-3);
    assert_float_equal(out[cell(4, 4, 4)], 0.53333 + 0.042667, 1e-3);
    power[cell(1, 1, 1)] = 10;
    run(ref_find("hotspot3d"), (float *[]){temp, power}, out);
    assert_float_equal(out[cell(1, 1, 1)], 3.41333 + 0.042667, 1e-3);
}

static void test_hotspot2d_value(void **state)
{
    grid_t temp, power, out;

    (void)state;
    fill(temp, 80);
    fill(power, 0);
    temp[cell(0, 0, 0)] = 180; /* a corner: two neighbours are itself */
    power[cell(4, 4, 0)] = 3;
    run(ref_find("hotspot2d"), (float *[]){temp, power}, out);
    assert_float_equal(out[cell(0, 0, 0)],
                       180 - 0.3413333 * (10 + 10 + 100 * 0.0001953125), 1e-3);
    assert_float_equal(out[cell(1, 0, 0)], 80 + 0.3413333 * 10, 1e-3);
    assert_float_equal(out[cell(4, 4, 0)], 80 + 0.3413333 * 3, 1e-3);
    fill(temp, 0);
    fill(power, 0);
    run(ref_find("hotspot2d"), (float *[]){temp, power}, out);
    assert_float_equal(out[0], 0.3413333 * 80 * 0.0001953125, 1e-7);
}

/* A flat image diffuses fully; scaling the image changes nothing; the result is in 0..1.
 */
static void test_srad1(void **state)
{
    const struct ref_program *r = ref_find("srad1");
    grid_t image, scaled, out, out_scaled;
    bool between = false;

    (void)state;
    fill(image, 0.7f);
    run(r, (float *[]){image}, out);
    for (size_t i = 0; i < ref_cells(r, &SIZE); i++)
        assert_float_equal(out[i], 1, 0); /* 1 / (1 - 1/(1 + q0)) is clamped */
    randomise(image, 5, 0.5, 1.5);
    for (int i = 0; i < CELLS; i++)
        scaled[i] = 4 * image[i];
    run(r, (float *[]){image}, out);
    run(r, (float *[]){scaled}, out_scaled);
    for (size_t i = 0; i < ref_cells(r, &SIZE); i++) {
        assert_true(out[i] >= 0 && out[i] <= 1);
        between = between || (out[i] > 0 && out[i] < 1);
        assert_float_equal(out[i], out_scaled[i], 1e-6);
    }
    assert_true(between);
}

/* By hand: c = 1, north 2, the others 1: g2 = 1, l = 1, q = (1/2 - 1/16) / (5/4)^2 =
 * 0.28. */
static void test_srad1_value(void **state)
{
    const double q0 = 0.053787220269;
    grid_t image, out;

    (void)state;
    fill(image, 1);
    image[cell(4, 3, 0)] = 2;
    run(ref_find("srad1"), (float *[]){image}, out);
    assert_float_equal(out[cell(4, 4, 0)], 1 / (1 + (0.28 - q0) / (q0 * (1 + q0))), 1e-6);
}

static void test_srad2(void **state)
{
    static grid_t in[6];
    grid_t out;
    size_t at = cell(4, 4, 0), corner = cell(10, 9, 0);

    (void)state;
    for (int i = 0; i < 6; i++)
        fill(in[i], 0);
    in[0][at] = 1;
    in[1][at] = 2;                 /* here: weighs dn and dw */
    in[1][cell(4, 5, 0)] = 3;      /* south: weighs ds */
    in[1][cell(5, 4, 0)] = 5;      /* east: weighs de */
    in[1][corner] = 7;             /* clamped: weighs all four */
    in[2][at] = in[2][corner] = 1; /* dn */
    in[3][at] = in[3][corner] = 10;
    in[4][at] = in[4][corner] = 100;
    in[5][at] = in[5][corner] = 1000;
    run(ref_find("srad2"), (float *[]){in[0], in[1], in[2], in[3], in[4], in[5]}, out);
    assert_float_equal(out[at], 1 + 0.125 * (2 + 30 + 500 + 2000), 1e-4);
    assert_float_equal(out[corner], 0.125 * 7 * 1111, 1e-3);
}

/* A step is both halves one after the other. */
static void test_srad(void **state)
{
    static grid_t in[6];
    const struct ref_program *r = ref_find("srad");
    grid_t out, halves;

    (void)state;
    randomise(in[0], 9, 0.5, 1.5);
    run(ref_find("srad1"), (float *[]){in[0]}, in[1]);
    for (int y = 0; y < SIZE.ny; y++)
        for (int x = 0; x < SIZE.nx; x++) {
            size_t at = cell(x, y, 0);
            float here = in[0][at];

            in[2][at] = y > 0 ? in[0][cell(x, y - 1, 0)] - here : 0;
            in[3][at] = y + 1 < SIZE.ny ? in[0][cell(x, y + 1, 0)] - here : 0;
            in[4][at] = x + 1 < SIZE.nx ? in[0][cell(x + 1, y, 0)] - here : 0;
            in[5][at] = x > 0 ? in[0][cell(x - 1, y, 0)] - here : 0;
        }
    run(r, (float *[]){in[0]}, out);
    run(ref_find("srad2"), (float *[]){in[0], in[1], in[2], in[3], in[4], in[5]}, halves);
    for (size_t i = 0; i < ref_cells(r, &SIZE); i++)
        assert_float_equal(out[i], halves[i], 1e-6);
}

/* Every cell of every output is written, also where the grid has no interior. */
static void test_all_written(void **state)
{
    static const struct ref_problem tiny = {.nx = 2, .ny = 1, .nz = 1};

    (void)state;
    for (const struct ref_program *r = ref_programs; r->name; r++) {
        float in[2] = {1, 2}, out[REF_MAX_OUTPUTS][2];
        const float *ins[REF_MAX_INPUTS];
        float *outs[REF_MAX_OUTPUTS];

        for (int i = 0; i < REF_MAX_INPUTS; i++)
            ins[i] = in;
        for (int o = 0; o < r->output_count; o++) {
            outs[o] = out[o];
            out[o][0] = out[o][1] = NAN;
        }
        r->fn(&tiny, ins, outs);
        for (int o = 0; o < r->output_count; o++)
            assert_true(isfinite(out[o][0]) && isfinite(out[o][1]));
    }
}

static void test_programs_exist(void **state)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    char path[4096];

    (void)state;
    if (!root) {
        print_message("LIFT_SOURCE_DIR is not set\n");
        skip();
    }
    for (const struct ref_program *r = ref_programs; r->name; r++) {
        snprintf(path, sizeof path, "%s/programs/%s.lift", root, r->name);
        if (access(path, R_OK) != 0)
            fail_msg("'%s' has a reference but no program", r->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_constant_field),
        cmocka_unit_test(test_border_is_kept),
        cmocka_unit_test(test_configurations_read),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_reflection),
        cmocka_unit_test(test_weights_by_direction),
        cmocka_unit_test(test_derivatives_of_polynomials),
        cmocka_unit_test(test_acoustic_iso),
        cmocka_unit_test(test_gradient_value),
        cmocka_unit_test(test_acoustic_constant),
        cmocka_unit_test(test_acoustic_pulse),
        cmocka_unit_test(test_acoustic_decays),
        cmocka_unit_test(test_hotspot_rest),
        cmocka_unit_test(test_hotspot3d_axes),
        cmocka_unit_test(test_hotspot2d_value),
        cmocka_unit_test(test_srad1),
        cmocka_unit_test(test_srad1_value),
        cmocka_unit_test(test_srad2),
        cmocka_unit_test(test_srad),
        cmocka_unit_test(test_all_written),
        cmocka_unit_test(test_programs_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
