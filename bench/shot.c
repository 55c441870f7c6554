/* The shot of examples/seismic/acoustic_pml_shot.lift in plain C, and the files for both:
 *
 *     shot make FOLDER N STEPS
 *         the medium, the layer, the source, its place, receivers
 *     shot run FOLDER N STEPS
 *         the same steps; FOLDER/plain.raw, FOLDER/plain_trace.raw. Compiled with
 *         -DREAL=double: in double precision; double.raw, double_trace.raw
 *     shot compare FOLDER N STEPS
 *         the largest differences of field and receivers from those in double precision
 *
 * A grid of N^3 points with a layer of 16, one source and 200 receivers between points,
 * weights linear. For bench/shot.sh, which compiles it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 16, R = 4, RECEIVERS = 200 };

static const double spacing[3] = {8, 12.5, 10}; /* along z, y, x */
static long n, steps;
static const char *folder;

static void die(const char *what, const char *of)
{
    fprintf(stderr, "shot: %s '%s'\n", what, of);
    exit(1);
}

static FILE *file(const char *name, const char *mode)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, mode);
    if (!f)
        die("cannot open", path);
    return f;
}

/* ---- the medium and the points, by formulas */

static double position(int receiver, int axis)
{
    double at = fmod(0.37 + 0.618034 * receiver * (axis + 1), 1); /* 0 .. 1 */

    return axis == 0 ? W + 2.25 : W + at * (double)(n - 1 - 2 * W);
}

static double source_at(int axis)
{
    return 0.5 * (double)(n - 1) + 0.125 * (axis + 1);
}

/* Layers of rock, the square of velocity times time step. */
static float rock(long z, long y, long x)
{
    return (float)(5 + 5 * ((z * 7 / n) % 3) + 0.5 * sin(0.05 * (double)(x + 2 * y)));
}

static long depth(long i)
{
    long edge = i < n - 1 - i ? i : n - 1 - i;

    return edge < W ? W - edge : 0;
}

/* The damping rises by the square of the depth in the layer. */
static float damping(long z, long y, long x)
{
    double most = fmax(fmax((double)depth(z), (double)depth(y)), (double)depth(x)) / W;

    return (float)(0.2 * most * most);
}

static float wavelet(long t)
{
    double a = 0.02 * ((double)t - 60), b = a * a;

    return (float)((1 - 2 * b) * exp(-b));
}

/* ---- files */

typedef float value_fn(long z, long y, long x);

/* Where the ends of a layer are cut out of a dimension: element i of an array of 2 *
 * most. */
static long across(long i, long most)
{
    return i < most ? i : i + n - 2 * most;
}

/* Writes a NumPy file of shape[0] x shape[1] x shape[2] elements from z, y and x indices.
 * 'cut' = 0: indices start at 'first'; otherwise the layers at both ends, 'cut'
 * elements thick. */
static void write_npy(const char *name, value_fn *value, const long shape[3],
                      const long cut[3], const long first[3])
{
    FILE *f = file(name, "wb");
    char head[118];

    memset(head, ' ', sizeof head);
    head[snprintf(head, sizeof head - 1,
                  "{'descr': '<f4', 'fortran_order': False, 'shape': (%ld, %ld, %ld), }",
                  shape[0], shape[1], shape[2])] = ' ';
    head[sizeof head - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fwrite(head, 1, sizeof head, f);
    for (long k = 0; k < shape[0] * shape[1] * shape[2]; k++) {
        long at[3] = {k / shape[2] / shape[1], k / shape[2] % shape[1], k % shape[2]};
        float v;

        for (int a = 0; a < 3; a++)
            at[a] = cut[a] ? across(at[a], cut[a]) : at[a] + first[a];
        v = value(at[0], at[1], at[2]);
        fwrite(&v, sizeof v, 1, f);
    }
    if (fclose(f))
        die("cannot write", name);
}

static void write_series(void)
{
    FILE *f = file("series.raw", "wb");

    for (long t = 0; t < steps; t++) {
        float v = wavelet(t);

        fwrite(&v, sizeof v, 1, f);
    }
    if (fclose(f))
        die("cannot write", "series.raw");
}

static void write_points(const char *name, int count)
{
    FILE *f = file(name, "w");

    fprintf(f, "# z, y, x\n");
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            fprintf(f, "%.17g%s", count == 1 ? source_at(a) : position(i, a),
                    a < 2 ? ", " : "\n");
    if (fclose(f))
        die("cannot write", name);
}

static void make(void)
{
    const long most = W + 1, inner = n - 2 * W + 2, none[3] = {0},
               at[3] = {W - 1, W - 1, W - 1};

    write_npy("vp.npy", rock, (long[]){n, n, n}, none, none);
    write_npy("eta_z.npy", damping, (long[]){2 * most, n, n}, (long[]){most, 0, 0}, none);
    write_npy("eta_y.npy", damping, (long[]){inner, 2 * most, n}, (long[]){0, most, 0},
              (long[]){at[0], 0, 0});
    write_npy("eta_x.npy", damping, (long[]){inner, inner, 2 * most},
              (long[]){0, 0, most}, at);
    write_series();
    write_points("source.csv", 1);
    write_points("receivers.csv", RECEIVERS);
}

/* ---- the steps */

/* Also compiled with double, whose rounding is negligible compared with float. */
#ifndef REAL
#define REAL float
#endif
typedef REAL real;

struct state {
    real *u, *v, *vp, *eta, *phi; /* u has R zeros around it, the others have none */
    long row, plane;              /* of u */
};

static real *reals(size_t count)
{
    real *p = calloc(count, sizeof *p);

    if (!p)
        die("no memory for", "a grid");
    return p;
}

static real *inside(const struct state *s, real *u, long z, long y, long x)
{
    return u + (z + R) * s->plane + (y + R) * s->row + x + R;
}

/* Constants use single precision like the program's: their rounding shifts a wave more
 * than the rounding of sums. */
static inline real single(double constant)
{
    return (real)(float)constant;
}

static inline real square(int axis)
{
    return single(1 / (spacing[axis] * spacing[axis]));
}

static inline real laplacian(const real *u, long plane, long row)
{
    static const double weight[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    const long by[3] = {plane, row, 1};
    const real squares = single(single(square(2) + square(1)) + square(0));
    real sum = single(single(-205.0 / 72) * squares) * u[0];

    for (int a = 0; a < 3; a++) {
        real line = 0;

        for (int k = 1; k <= R; k++)
            line += single(weight[k - 1]) * (u[k * by[a]] + u[-k * by[a]]);
        sum += square(a) * line;
    }
    return sum;
}

static long clamped(long i)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* The product of the slopes of eta and u. */
static real slopes(const struct state *s, const real *u, long z, long y, long x)
{
    const long by[3] = {s->plane, s->row, 1};
    real sum = 0;

    for (int a = 0; a < 3; a++) {
        long lo[3] = {z, y, x}, hi[3] = {z, y, x};
        real slope;

        lo[a] = clamped(lo[a] - 1);
        hi[a] = clamped(hi[a] + 1);
        slope = s->eta[(hi[0] * n + hi[1]) * n + hi[2]] -
                s->eta[(lo[0] * n + lo[1]) * n + lo[2]];
        sum += slope * (u[by[a]] - u[-by[a]]) * (real)0.25 * square(a);
    }
    return sum;
}

/* Points of a row from the first to the last, which is not one of them. */
static void step_layer(const struct state *s, long z, long y, long first, long last)
{
    const real *u = inside(s, s->u, z, y, 0);
    real *v = inside(s, s->v, z, y, 0);

    for (long x = first; x < last; x++) {
        const long i = (z * n + y) * n + x;
        const real lap = laplacian(u + x, s->plane, s->row), eta = s->eta[i],
                   phi = s->phi[i];

        v[x] = ((2 - eta * eta + 2 * eta) * u[x] - v[x] + s->vp[i] * (lap + phi)) /
               (1 + 2 * eta);
        s->phi[i] = (phi - slopes(s, u + x, z, y, x)) / (1 + eta);
    }
}

static void step_inner(const struct state *s, long z, long y, long first, long last)
{
    const real *u = inside(s, s->u, z, y, 0), *vp = s->vp + (z * n + y) * n;
    real *v = inside(s, s->v, z, y, 0);

#pragma omp simd
    for (long x = first; x < last; x++)
        v[x] = 2 * u[x] - v[x] + vp[x] * laplacian(u + x, s->plane, s->row);
}

static void step_row(const struct state *s, long z, long y)
{
    if (depth(z) || depth(y)) {
        step_layer(s, z, y, 0, n);
    } else {
        step_layer(s, z, y, 0, W);
        step_inner(s, z, y, W, n - W);
        step_layer(s, z, y, n - W, n);
    }
}

/* The eight points around a place: adds 'value' to them by their weights, or reads. */
static real at_place(const struct state *s, real *u, const double place[3],
                     const real *value)
{
    real sum = 0;

    for (int k = 0; k < 8; k++) {
        long at[3];
        real w = 1;

        for (int a = 0; a < 3; a++) {
            double low = floor(place[a]), part = place[a] - low;

            at[a] = (long)low + (k >> a & 1);
            w *= (real)(k >> a & 1 ? part : 1 - part);
        }
        if (value)
            *inside(s, u, at[0], at[1], at[2]) += w * *value;
        else
            sum += w * *inside(s, u, at[0], at[1], at[2]);
    }
    return sum;
}

static void write_reals(FILE *f, const real *values, long count)
{
    for (long i = 0; i < count; i++) {
        const float value = (float)values[i];

        fwrite(&value, sizeof value, 1, f);
    }
}

static void record(const struct state *s, FILE *trace)
{
    for (int i = 0; i < RECEIVERS; i++) {
        const double place[3] = {position(i, 0), position(i, 1), position(i, 2)};
        const real heard = at_place(s, s->u, place, NULL);

        write_reals(trace, &heard, 1);
    }
}

static void fill(const struct state *s)
{
#pragma omp parallel for schedule(static)
    for (long z = 0; z < n; z++)
        for (long i = z * n * n; i < (z + 1) * n * n; i++) {
            s->vp[i] = rock(z, i / n % n, i % n);
            s->eta[i] = damping(z, i / n % n, i % n);
        }
}

static void step(const struct state *s)
{
#pragma omp parallel for collapse(2) schedule(dynamic, 16)
    for (long z = 0; z < n; z++)
        for (long y = 0; y < n; y++)
            step_row(s, z, y);
}

static void run(const char *field, const char *receivers)
{
    struct state s = {.row = n + 2 * R, .plane = (n + 2 * R) * (n + 2 * R)};
    const double place[3] = {source_at(0), source_at(1), source_at(2)};
    FILE *trace = file(receivers, "wb"), *out = file(field, "wb");
    size_t grid = (size_t)(n * n * n), wide = (size_t)((n + 2 * R) * s.plane);

    s.u = reals(wide);
    s.v = reals(wide);
    s.vp = reals(grid);
    s.eta = reals(grid);
    s.phi = reals(grid);
    fill(&s);
    for (long t = 0; t < steps; t++) {
        const real sent = wavelet(t);
        real *u = s.u;

        record(&s, trace);
        step(&s);
        at_place(&s, s.v, place, &sent);
        s.u = s.v;
        s.v = u;
    }
    for (long i = 0; i < n * n; i++)
        write_reals(out, inside(&s, s.u, i / n, i % n, 0), n);
    if (fclose(out) || fclose(trace))
        die("cannot write to", folder);
}

/* ---- comparing */

/* The largest difference of two files of f32, which are as long as each other and without
 * infinities, and the largest value of the second one. */
static double difference(const char *first, const char *second, double *most)
{
    FILE *f[2] = {file(first, "rb"), file(second, "rb")};
    double apart = 0;
    float x[2];

    *most = 0;
    for (;;) {
        const size_t got = fread(&x[0], sizeof x[0], 1, f[0]);

        if (got != fread(&x[1], sizeof x[1], 1, f[1]))
            die("not as long as the other:", first);
        if (!got)
            break;
        if (!isfinite(x[0]) || !isfinite(x[1]))
            die("infinite values in", first);
        apart = fmax(apart, fabs((double)x[0] - x[1]));
        *most = fmax(*most, fabs((double)x[1]));
    }
    fclose(f[0]);
    fclose(f[1]);
    return apart;
}

/* The rounding error may be twice that of plain C in single precision. */
static int is_near(const char *what, const char *own, const char *plain,
                   const char *exact)
{
    double most, ours = difference(own, exact, &most),
                 theirs = difference(plain, exact, &most);

    printf("  %-11s differs by %.3g of %.3g from double precision, plain C by %.3g\n",
           what, ours, most, theirs);
    return most > 0 && ours <= 2 * theirs;
}

static int compare(void)
{
    int field = is_near("field", "next.raw", "plain.raw", "double.raw");

    return is_near("receivers", "trace.raw", "plain_trace.raw", "double_trace.raw") &&
                   field
               ? 0
               : 1;
}

int main(int argc, char **argv)
{
    const int plain = sizeof(real) == sizeof(float);

    if (argc != 5)
        die("expected make, run or compare, and a folder, points and steps, not",
            argc > 1 ? argv[1] : "");
    folder = argv[2];
    n = atol(argv[3]);
    steps = atol(argv[4]);
    if (n <= 2 * W + 1 || steps < 1)
        die("expected more than 33 points a side, not", argv[3]);
    if (strcmp(argv[1], "compare") == 0)
        return compare();
    if (strcmp(argv[1], "make") == 0)
        make();
    else
        run(plain ? "plain.raw" : "double.raw",
            plain ? "plain_trace.raw" : "double_trace.raw");
    return 0;
}
