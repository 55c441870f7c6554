/* The programs of flows obey physics: conserved quantities stay constant, others decay at
 * their rate, and symmetric states stay symmetric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

static const double pi = 3.14159265358979323846;

/* ---- lattice Boltzmann */

/* A lattice: the velocities and weights of its distributions, f0, f1, ... */
struct lattice {
    const char *program, *sizes;
    int count;
    int c[19][3];
    double weight[19];
};

static const struct lattice d2q9 = {
    "lbm_d2q9",
    "nx=40,ny=32",
    9,
    {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}},
    {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36},
};

static const struct lattice d3q19 = {
    "lbm_d3q19",
    "nx=12,ny=16,nz=9",
    19,
    {{0, 0, 0},
     {1, 0, 0},
     {-1, 0, 0},
     {0, 1, 0},
     {0, -1, 0},
     {0, 0, 1},
     {0, 0, -1},
     {1, 1, 0},
     {-1, -1, 0},
     {1, -1, 0},
     {-1, 1, 0},
     {1, 0, 1},
     {-1, 0, -1},
     {1, 0, -1},
     {-1, 0, 1},
     {0, 1, 1},
     {0, -1, -1},
     {0, 1, -1},
     {0, -1, 1}},
    {1.0 / 3, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 36,
     1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36,
     1.0 / 36, 1.0 / 36, 1.0 / 36},
};

/* At equilibrium, a flow along x that changes along y, and density that changes along x.
 */
static void stir(struct simulation *s, const struct lattice *l, double flow, double swell)
{
    for (size_t i = 0; i < s->cells; i++) {
        double x = (double)(i % (size_t)s->nx);
        double y = (double)(i / (size_t)s->nx % (size_t)s->ny);
        double rho = 1 + swell * cos(2 * pi * x / s->nx);
        double u = flow * sin(2 * pi * y / s->ny);

        for (int k = 0; k < l->count; k++) {
            double cu = l->c[k][0] * u;

            s->array[k][i] =
                (float)(l->weight[k] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * u * u));
        }
    }
}

/* The mass, and the momentum along the axes, of all. */
static void totals(struct simulation *s, const struct lattice *l, double total[4])
{
    memset(total, 0, 4 * sizeof *total);
    for (int k = 0; k < l->count; k++) {
        double part = sum(s, s->name[k]);

        total[0] += part;
        for (int a = 0; a < 3; a++)
            total[1 + a] += part * l->c[k][a];
    }
}

/* How strong the flow along x is, by the wave that it began as. */
static double strength(struct simulation *s, const struct lattice *l)
{
    double total = 0;

    for (size_t i = 0; i < s->cells; i++)
        for (int k = 0; k < l->count; k++)
            total += (double)s->array[k][i] * l->c[k][0] *
                     sin(2 * pi * (double)(i / (size_t)s->nx % (size_t)s->ny) / s->ny);
    return total;
}

static void check_conserved(struct simulation *s, const struct lattice *l)
{
    double before[4], after[4];

    stir(s, l, 0.05, 0.02);
    of(s, "f1")[5] += 0.1f;
    totals(s, l, before);
    advance(s, 200);
    totals(s, l, after);
    for (int i = 0; i < 4; i++)
        assert_float_equal(after[i], before[i], 1e-5 * before[0]);
}

/* A shear wave decays by the viscosity. */
static void check_viscous(struct simulation *s, const struct lattice *l)
{
    const double viscosity = (1 / 1.2 - 0.5) / 3, wave = 2 * pi / s->ny;
    const int steps = 150;
    const double wanted = viscosity * wave * wave * steps;
    double before;

    stir(s, l, 0.02, 0);
    before = strength(s, l);
    advance(s, steps);
    assert_float_equal(log(before / strength(s, l)), wanted, 0.015 * wanted);
}

static void check_lattice(const struct lattice *l)
{
    struct simulation s;

    simulate(&s, l->program, l->sizes);
    assert_int_equal(s.count, l->count);
    check_conserved(&s, l);
    check_viscous(&s, l);
    finish(&s);
}

static void test_lattices(void **state)
{
    (void)state;
    check_lattice(&d2q9);
    check_lattice(&d3q19);
}

/* ---- shallow water */

enum { SIDE = 40, DEEP = 10 };

static void still(struct simulation *s)
{
    simulate(s, "shallow_water", "nx=40,ny=40");
    set(s, "depth", DEEP);
}

/* A hill of water in the middle spreads, and nothing of it is lost; the four sides of a
 * square are alike. */
static void test_hill(void **state)
{
    struct simulation s;
    double before;
    float *eta;

    (void)state;
    still(&s);
    eta = of(&s, "eta");
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double dx = x - (SIDE - 1) / 2.0, dy = y - (SIDE - 1) / 2.0;

            eta[at(&s, x, y, 0)] = (float)exp(-(dx * dx + dy * dy) / 20);
        }
    before = sum(&s, "eta");
    advance(&s, 300);
    assert_float_equal(sum(&s, "eta"), before, 1e-4 * before);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double here = eta[at(&s, x, y, 0)];

            assert_float_equal(eta[at(&s, SIDE - 1 - x, y, 0)], here, 2e-5);
            assert_float_equal(eta[at(&s, x, SIDE - 1 - y, 0)], here, 2e-5);
            assert_float_equal(eta[at(&s, y, x, 0)], here, 2e-5);
        }
    finish(&s);
}

/* The water of a basin swings to and fro as long as a wave takes there and back. */
static void test_seiche(void **state)
{
    const double period = 2 * SIDE / sqrt(0.0981 * 0.01 * DEEP);
    struct simulation s;
    float *eta;

    (void)state;
    still(&s);
    eta = of(&s, "eta");
    for (size_t i = 0; i < s.cells; i++)
        eta[i] = (float)(0.01 * cos(pi * ((double)(i % SIDE) + 0.5) / SIDE));
    advance(&s, (int)lround(period / 2));
    assert_float_equal(eta[0], -0.01, 2e-4);
    assert_float_equal(eta[SIDE - 1], 0.01, 2e-4);
    advance(&s, (int)lround(period / 4));
    assert_float_equal(eta[0], 0, 2e-4);
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_hill),
        cmocka_unit_test(test_seiche),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
