/* Laws of the references of elastic waves: hand-computed values, and planes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ref_grids.h"
#include <string.h>

/* All grids of an elastic program: its inputs, and the state after a step. */
struct waves {
    const struct ref_program *r;
    grid_t in[REF_MAX_INPUTS], out[REF_MAX_OUTPUTS];
};

/* Zero fields in a medium that is the same everywhere. */
static void still(struct waves *w, const char *name, double b, double lambda, double mu)
{
    const double media[] = {b, lambda, mu};

    w->r = ref_find(name);
    for (int i = 0; i < w->r->input_count; i++) {
        int medium = i - w->r->output_count;

        fill(w->in[i], medium < 0 ? 0 : (float)media[medium]);
    }
}

static void step(struct waves *w)
{
    const float *in[REF_MAX_INPUTS];
    float *out[REF_MAX_OUTPUTS];

    for (int i = 0; i < w->r->input_count; i++)
        in[i] = w->in[i];
    for (int o = 0; o < w->r->output_count; o++)
        out[o] = w->out[o];
    w->r->fn(&SIZE, in, out);
}

/* A unit normal stress accelerates the neighbouring points in opposite directions, and
 * these move points half a cell further. */
static void test_elastic_pulse(void **state)
{
    static struct waves w;

    (void)state;
    still(&w, "elastic2d", 0.25, 0.5, 0.25);
    w.in[2][cell(5, 5, 0)] = 1; /* sxx */
    step(&w);
    assert_float_equal(w.out[0][cell(4, 5, 0)], 0.25 * 9 / 8, 1e-7);
    assert_float_equal(w.out[0][cell(5, 5, 0)], -0.25 * 9 / 8, 1e-7);
    assert_float_equal(w.out[0][cell(3, 5, 0)], -0.25 / 24, 1e-7);
    assert_float_equal(w.out[0][cell(6, 5, 0)], 0.25 / 24, 1e-7);
    assert_float_equal(w.out[0][cell(5, 4, 0)], 0, 0);
    assert_float_equal(w.out[1][cell(5, 5, 0)], 0, 0);
    assert_float_equal(w.out[2][cell(5, 5, 0)],
                       1 - (0.5 + 2 * 0.25) * 0.25 * 2 * (81.0 / 64 + 1.0 / 576), 1e-6);
    assert_float_equal(w.out[3][cell(5, 5, 0)], -0.5 * 0.25 * 2 * (81.0 / 64 + 1.0 / 576),
                       1e-6);
    assert_float_equal(w.out[4][cell(4, 5, 0)], 0.25 * 9 / 8 * -0.25 * 9 / 8, 1e-7);
    assert_float_equal(w.out[4][cell(4, 4, 0)], 0.25 * 9 / 8 * 0.25 * 9 / 8, 1e-7);
}

/* Between unlike points: the arithmetic mean of buoyancies, the harmonic mean of shear
 * moduli. */
static void test_elastic_media(void **state)
{
    static struct waves w;

    (void)state;
    still(&w, "elastic3d", 0, 0, 1);
    w.in[0][cell(5, 5, 4)] = 1;    /* vx */
    w.in[11][cell(5, 6, 4)] = 0.5; /* mu, next to the edges where vx shears */
    w.in[11][cell(6, 5, 4)] = 0.25;
    step(&w);
    assert_float_equal(w.out[0][cell(5, 5, 4)], 1, 0);
    assert_float_equal(w.out[6][cell(5, 5, 4)], -9.0 / 8 * 4 / (1 + 4 + 2 + 1), 1e-7);
    assert_float_equal(w.out[7][cell(5, 5, 4)], -9.0 / 8 * 4 / (1 + 4 + 1 + 1), 1e-7);
    assert_float_equal(w.out[8][cell(5, 5, 4)], 0, 0);
    still(&w, "elastic3d", 1, 1, 1);
    w.in[8][cell(5, 5, 4)] = 1;    /* syz */
    w.in[9][cell(5, 5, 5)] = 0.5f; /* b */
    step(&w);
    assert_float_equal(w.out[2][cell(5, 5, 4)], 0.75 * 9 / 8, 1e-7);
    assert_float_equal(w.out[1][cell(5, 5, 5)], -(1 + 0.5) / 2 * 9 / 8, 1e-7);
    assert_float_equal(w.out[0][cell(5, 5, 4)], 0, 0);
}

/* A state that is constant along z follows the program of two dimensions, far from the
 * boundary. */
static void test_elastic_planes(void **state)
{
    static const int of[] = {0, 1, 3, 4, 6, 9, 10, 11}; /* its grids among those of 3D */
    static struct waves flat, deep;

    (void)state;
    still(&flat, "elastic2d", 1, 1, 1);
    still(&deep, "elastic3d", 1, 1, 1);
    for (int i = 0; i < flat.r->input_count; i++) {
        randomise(flat.in[i], 20 + (uint64_t)i, 0.5, 1.5);
        for (int z = 0; z < SIZE.nz; z++)
            memcpy(deep.in[of[i]] + cell(0, 0, z), flat.in[i],
                   ref_cells(flat.r, &SIZE) * sizeof(float));
    }
    step(&flat);
    step(&deep);
    for (int o = 0; o < flat.r->output_count; o++)
        for (size_t i = 0; i < ref_cells(flat.r, &SIZE); i++)
            assert_float_equal(deep.out[of[o]][cell(0, 0, MIDDLE) + i], flat.out[o][i],
                               1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic_pulse),
        cmocka_unit_test(test_elastic_media),
        cmocka_unit_test(test_elastic_planes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
