/* The acoustic programs obey physics: a point source radiates the textbook wave, the
 * layer absorbs, and isotropic parameters reproduce the isotropic program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "ref/ref.h"
#include "simulation.h"
#include <stdbool.h>

static const double spacing[3] = {10, 12.5, 8}; /* of the programs' grids, in metres */

/* A source in the middle of a medium of one velocity. Lengths are in metres, and the
 * velocity times the time step is one of them. */
struct shot {
    double step;   /* velocity times time step */
    double period; /* of the source, as a length */
    int steps;
};

static double ricker(const struct shot *s, double delay)
{
    double a = acos(-1) * (delay / s->period - 1.5);

    return (1 - 2 * a * a) * exp(-a * a);
}

/* The source term of a point in a step: spread over the point's volume. */
static double pushed(const struct shot *s, int step)
{
    return s->step * s->step * ricker(s, step * s->step) /
           (spacing[0] * spacing[1] * spacing[2]);
}

/* u_tt / c^2 - (u_xx + u_yy + u_zz) = f(t) at a point, of no size. */
static double textbook(const struct shot *s, double distance, int step)
{
    return ricker(s, step * s->step - distance) / (4 * acos(-1) * distance);
}

static size_t middle(const struct simulation *s, int dx, int dy, int dz)
{
    return at(s, s->nx / 2 + dx, s->ny / 2 + dy, s->nz / 2 + dz);
}

static void shake(struct simulation *s, const struct shot *shot, int step)
{
    advance(s, 1);
    s->array[0][middle(s, 0, 0, 0)] += (float)pushed(shot, step);
}

/* The error at points away from the source, over all steps, relative to the signal. */
static double error_of(struct simulation *s, const struct shot *shot, int scale)
{
    static const int place[][3] = {{5, 0, 0}, {0, -4, 0}, {0, 0, 6}, {3, 2, -4}};
    double wrong = 0, all = 0;

    set(s, "vp", shot->step * shot->step);
    for (int step = 0; step < shot->steps; step++) {
        shake(s, shot, step);
        for (size_t k = 0; k < sizeof place / sizeof *place; k++) {
            const int *p = place[k];
            double x = scale * p[0] * spacing[0], y = scale * p[1] * spacing[1];
            double want =
                textbook(shot,
                         sqrt(x * x + y * y +
                              p[2] * spacing[2] * scale * p[2] * spacing[2] * scale),
                         step + 1);
            double got = of(s, "u")[middle(s, scale * p[0], scale * p[1], scale * p[2])];

            wrong += (got - want) * (got - want);
            all += want * want;
        }
    }
    return sqrt(wrong / all);
}

/* With half the distances of points and half the time step, the error is a quarter. */
static void test_point_source(void **state)
{
    double wrong[2];

    (void)state;
    for (int scale = 1; scale <= 2; scale++) {
        const struct shot shot = {4, scale * 100, 50 * scale};
        struct simulation s;

        simulate(&s, "acoustic_iso",
                 scale == 1 ? "nx=29,ny=23,nz=35" : "nx=57,ny=45,nz=69");
        wrong[scale - 1] = error_of(&s, &shot, scale);
        finish(&s);
    }
    print_message("# errors %g and %g\n", wrong[0], wrong[1]);
    assert_true(wrong[0] < 0.03);
    assert_true(wrong[0] / wrong[1] > 3.4 && wrong[0] / wrong[1] < 4.8);
}

/* ---- the layer */

enum { WIDTH = 16 };

/* Damping times time step: none inside, then rising by the square of the depth. */
static double damping(double most, int x, int n)
{
    int depth = x < WIDTH ? WIDTH - x : x >= n - WIDTH ? x - (n - WIDTH) + 1 : 0;

    return most * depth * depth / (WIDTH * WIDTH);
}

static void surround(struct simulation *s, double most)
{
    float *eta = of(s, "eta");

    for (int z = 0; z < s->nz; z++)
        for (int y = 0; y < s->ny; y++)
            for (int x = 0; x < s->nx; x++)
                eta[at(s, x, y, z)] =
                    (float)fmax(damping(most, x, s->nx),
                                fmax(damping(most, y, s->ny), damping(most, z, s->nz)));
}

static const int listener[][3] = {{9, 0, 0}, {0, -7, 0}, {0, 0, 11}, {8, 6, 10}};
enum { LISTENERS = 4, LISTENING = 112 };

typedef float record_t[LISTENERS][LISTENING];

static void listen(struct simulation *s, record_t heard)
{
    const struct shot shot = {4, 60, LISTENING};

    set(s, "vp", shot.step * shot.step);
    for (int step = 0; step < shot.steps; step++) {
        shake(s, &shot, step);
        for (int k = 0; k < LISTENERS; k++)
            heard[k][step] =
                s->array[0][middle(s, listener[k][0], listener[k][1], listener[k][2])];
    }
    finish(s);
}

/* The largest reflected amplitude divided by the largest incident one. */
static double reflected(record_t open, struct simulation *s, double most)
{
    static record_t heard, silence;
    double worst = 0;

    surround(s, most);
    listen(s, heard);
    for (int k = 0; k < LISTENERS; k++)
        worst = fmax(worst, difference(heard[k], open[k], LISTENING) /
                                difference(open[k], silence[k], LISTENING));
    return worst;
}

/* With a layer the reflections are as small as in a domain too large for reflections to
 * return in time; without a layer they are not. */
static void test_layer(void **state)
{
    static record_t open;
    struct simulation s;
    double layer, none;

    (void)state;
    simulate(&s, "acoustic_iso", "nx=57,ny=45,nz=71");
    listen(&s, open);
    simulate(&s, "acoustic_pml", "nx=53,ny=49,nz=57,w=16");
    layer = reflected(open, &s, 0.2);
    simulate(&s, "acoustic_pml", "nx=21,ny=17,nz=25,w=1");
    none = reflected(open, &s, 0);
    print_message("# reflected %g, without a layer %g\n", layer, none);
    assert_true(layer < 0.01);
    assert_true(none > 0.1);
}

static void tilted(struct simulation *s, const char *sizes)
{
    simulate(s, "acoustic_tti", sizes);
    set(s, "epsilon", 0.05);
    set(s, "delta", 0.02);
    set(s, "tilt", 0.6);
}

/* The same where waves are faster across a tilted axis. */
static void test_tilted_layer(void **state)
{
    static record_t open;
    struct simulation s;
    double layer;

    (void)state;
    tilted(&s, "nx=57,ny=45,nz=71,w=1");
    listen(&s, open);
    tilted(&s, "nx=53,ny=49,nz=57,w=16");
    layer = reflected(open, &s, 0.2);
    print_message("# reflected in a tilted medium %g\n", layer);
    assert_true(layer < 0.01);
}

static void randomise(struct simulation *s, const char *name, double lo, double hi)
{
    float *a = of(s, name);
    struct lift_rng rng;

    lift_rng_seed(&rng, 1);
    for (size_t i = 0; i < s->cells; i++)
        a[i] = (float)(lo + (hi - lo) * lift_rng_unit(&rng));
}

/* ---- the reference, over many steps */

enum { MANY_STEPS = 120, RECEIVERS = 200 };

/* The steps of the reference: u, v, vp, eta, phi as the program has them. */
struct plain {
    const struct ref_program *ref;
    struct ref_problem size;
    float *now[5], *next[2];
};

static void plain_step(struct plain *p)
{
    float *older = p->now[1], *phi = p->now[4];

    p->ref->fn(&p->size, (const float *const *)p->now, p->next);
    p->now[1] = p->now[0];
    p->now[0] = p->next[0];
    p->now[4] = p->next[1];
    p->next[0] = older;
    p->next[1] = phi;
}

static void plain_begin(struct plain *p, struct simulation *s, int layer)
{
    *p = (struct plain){ref_find("acoustic_pml"), {s->nx, s->ny, s->nz, layer}, {0}, {0}};
    for (int i = 0; i < 5; i++) {
        p->now[i] = malloc(s->cells * sizeof(float));
        memcpy(p->now[i], of(s, p->ref->inputs[i]), s->cells * sizeof(float));
    }
    for (int i = 0; i < 2; i++)
        p->next[i] = malloc(s->cells * sizeof(float));
}

static void plain_end(struct plain *p)
{
    for (int i = 0; i < 5; i++)
        free(p->now[i]);
    for (int i = 0; i < 2; i++)
        free(p->next[i]);
}

/* A source and receivers all over the grid, in the layer, too. */
static void test_reference(void **state)
{
    const struct shot shot = {4, 60, MANY_STEPS};
    double wrong = 0, most = 0;
    struct simulation s;
    struct plain p;

    (void)state;
    simulate(&s, "acoustic_pml", "nx=29,ny=25,nz=27,w=7");
    randomise(&s, "vp", 8, 16);
    randomise(&s, "eta", 0, 0.1);
    plain_begin(&p, &s, 7);
    for (int step = 0; step < shot.steps; step++) {
        shake(&s, &shot, step);
        plain_step(&p);
        p.now[0][middle(&s, 0, 0, 0)] += (float)pushed(&shot, step);
        for (size_t r = 0; r < RECEIVERS; r++) {
            size_t i = r * s.cells / RECEIVERS;

            wrong = fmax(wrong, fabs((double)of(&s, "u")[i] - p.now[0][i]));
            most = fmax(most, fabs((double)p.now[0][i]));
        }
    }
    print_message("# largest difference at receivers %g of %g\n", wrong, most);
    assert_true(most > 0 && wrong < 1e-5 * most);
    plain_end(&p);
    finish(&s);
}

/* ---- one program as another */

#define SMALL "nx=31,ny=27,nz=33"
enum { A_FEW = 10 };

/* The field now, one step ago, and the velocity; the caller sets others. */
static void excite(struct simulation *s, const char *now, const char *velocity)
{
    of(s, now)[middle(s, 0, 0, 0)] = 1;
    of(s, now)[middle(s, 4, -3, 5)] = -2;
    randomise(s, velocity, 4, 12);
}

static void compare(struct simulation *a, const char *x, struct simulation *b,
                    const char *y)
{
    double wrong;

    advance(a, A_FEW);
    advance(b, A_FEW);
    wrong = difference(of(a, x), of(b, y), a->cells);
    if (!(wrong < 1e-5))
        fail_msg("'%s' differs from '%s' by %g", x, y, wrong);
    finish(a);
    finish(b);
}

static void isotropic(struct simulation *s)
{
    simulate(s, "acoustic_iso", SMALL);
    excite(s, "u", "vp");
}

/* Whatever the tilt. */
static void test_no_anisotropy(void **state)
{
    static const char *const programs[] = {"acoustic_vti", "acoustic_tti"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct simulation s, iso;

        simulate(&s, programs[i], SMALL);
        excite(&s, "p", "vp");
        if (i == 1)
            randomise(&s, "tilt", 0, 1.5);
        isotropic(&iso);
        compare(&s, "p", &iso, "u");
    }
}

static void anisotropic(struct simulation *s, const char *program)
{
    simulate(s, program, SMALL);
    excite(s, "p", "vp");
    randomise(s, "epsilon", 0.1, 0.3);
    randomise(s, "delta", 0, 0.1);
}

/* Without a tilt the axis is the vertical. */
static void test_no_tilt(void **state)
{
    struct simulation vti, tti;

    (void)state;
    anisotropic(&vti, "acoustic_vti");
    anisotropic(&tti, "acoustic_tti");
    compare(&vti, "q", &tti, "q");
}

/* The same density everywhere, and no damping. */
static void test_plain_media(void **state)
{
    struct simulation s, iso;

    (void)state;
    simulate(&s, "acoustic_vd", SMALL);
    excite(&s, "u", "kappa");
    set(&s, "b", 1);
    isotropic(&iso);
    compare(&s, "u", &iso, "u");
    simulate(&s, "acoustic_pml", SMALL ",w=3");
    excite(&s, "u", "vp");
    isotropic(&iso);
    compare(&s, "u", &iso, "u");
}

/* With isotropic parameters the layer of the tilted medium equals the isotropic one: q
 * stays zero. In the interior, on both sides of the interface, and in the layer. */
static void test_layers_alike(void **state)
{
    struct simulation tti, pml;

    (void)state;
    simulate(&tti, "acoustic_tti", SMALL ",w=7");
    excite(&tti, "p", "vp");
    randomise(&tti, "tilt", 0, 1.5);
    randomise(&tti, "eta", 0, 0.2);
    of(&tti, "p")[at(&tti, 2, 8, 3)] = 1;
    simulate(&pml, "acoustic_pml", SMALL ",w=7");
    excite(&pml, "u", "vp");
    randomise(&pml, "eta", 0, 0.2);
    of(&pml, "u")[at(&pml, 2, 8, 3)] = 1;
    compare(&tti, "p", &pml, "u");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layer),        cmocka_unit_test(test_no_anisotropy),
        cmocka_unit_test(test_no_tilt),      cmocka_unit_test(test_plain_media),
        cmocka_unit_test(test_point_source), cmocka_unit_test(test_layers_alike),
        cmocka_unit_test(test_tilted_layer), cmocka_unit_test(test_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
