/* The shot of examples/shot/acoustic_pml_shot.lift in plain C, and the files for both:
 *
 *     shot make FOLDER N STEPS
 *         the medium, the layer, the source, its place, receivers
 *     shot run FOLDER N STEPS
 *         the same steps; FOLDER/plain.raw, FOLDER/plain_trace.raw
 *     shot compare FOLDER N STEPS
 *         the largest differences of field and receivers
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

static float *floats(size_t count)
{
    float *p = calloc(count, sizeof *p);

    if (!p)
        die("no memory for", "a grid");
    return p;
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

/* A NumPy file of shape[0] x shape[1] x shape[2] elements; z, y and x of one are its
 * indices and what 'cut' says: 0: as they are from 'first' on; else the ends of so many.
 */
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

struct state {
    float *u, *v, *vp, *eta, *phi; /* u has R zeros around it, the others have none */
    long row, plane;               /* of u */
};

static float *inside(const struct state *s, float *u, long z, long y, long x)
{
    return u + (z + R) * s->plane + (y + R) * s->row + x + R;
}

static float laplacian(const float *u, long plane, long row)
{
    static const double weight[] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315,
                                    -1.0 / 560};
    const long by[3] = {plane, row, 1};
    float sum = 0;

    for (int a = 0; a < 3; a++) {
        float line = (float)weight[0] * u[0];

        for (int k = 1; k <= R; k++)
            line += (float)weight[k] * (u[k * by[a]] + u[-k * by[a]]);
        sum += line / (float)(spacing[a] * spacing[a]);
    }
    return sum;
}

static long clamped(long i)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* The product of the slopes of eta and u. */
static float slopes(const struct state *s, const float *u, long z, long y, long x)
{
    const long by[3] = {s->plane, s->row, 1};
    float sum = 0;

    for (int a = 0; a < 3; a++) {
        long lo[3] = {z, y, x}, hi[3] = {z, y, x};
        float slope;

        lo[a] = clamped(lo[a] - 1);
        hi[a] = clamped(hi[a] + 1);
        slope = s->eta[(hi[0] * n + hi[1]) * n + hi[2]] -
                s->eta[(lo[0] * n + lo[1]) * n + lo[2]];
        sum += slope * (u[by[a]] - u[-by[a]]) / (float)(4 * spacing[a] * spacing[a]);
    }
    return sum;
}

static void step_row(const struct state *s, long z, long y)
{
    const float *u = inside(s, s->u, z, y, 0);
    float *v = inside(s, s->v, z, y, 0);

    for (long x = 0; x < n; x++) {
        const long i = (z * n + y) * n + x;
        const float lap = laplacian(u + x, s->plane, s->row), eta = s->eta[i],
                    phi = s->phi[i];

        if (!depth(z) && !depth(y) && !depth(x)) {
            v[x] = 2 * u[x] - v[x] + s->vp[i] * lap;
            continue;
        }
        v[x] = ((2 - eta * eta + 2 * eta) * u[x] - v[x] + s->vp[i] * (lap + phi)) /
               (1 + 2 * eta);
        s->phi[i] = (phi - slopes(s, u + x, z, y, x)) / (1 + eta);
    }
}

/* The eight points around a place: adds 'value' to them by their weights, or reads. */
static float at_place(const struct state *s, float *u, const double place[3],
                      const float *value)
{
    float sum = 0;

    for (int k = 0; k < 8; k++) {
        long at[3];
        float w = 1;

        for (int a = 0; a < 3; a++) {
            double low = floor(place[a]), part = place[a] - low;

            at[a] = (long)low + (k >> a & 1);
            w *= (float)(k >> a & 1 ? part : 1 - part);
        }
        if (value)
            *inside(s, u, at[0], at[1], at[2]) += w * *value;
        else
            sum += w * *inside(s, u, at[0], at[1], at[2]);
    }
    return sum;
}

static void record(const struct state *s, FILE *trace)
{
    for (int i = 0; i < RECEIVERS; i++) {
        const double place[3] = {position(i, 0), position(i, 1), position(i, 2)};
        float heard = at_place(s, s->u, place, NULL);

        fwrite(&heard, sizeof heard, 1, trace);
    }
}

static void run(void)
{
    struct state s = {.row = n + 2 * R, .plane = (n + 2 * R) * (n + 2 * R)};
    const double place[3] = {source_at(0), source_at(1), source_at(2)};
    FILE *trace = file("plain_trace.raw", "wb"), *out;
    size_t grid = (size_t)(n * n * n), wide = (size_t)((n + 2 * R) * s.plane);

    s.u = floats(wide);
    s.v = floats(wide);
    s.vp = floats(grid);
    s.eta = floats(grid);
    s.phi = floats(grid);
    for (long i = 0; i < n * n * n; i++) {
        s.vp[i] = rock(i / n / n, i / n % n, i % n);
        s.eta[i] = damping(i / n / n, i / n % n, i % n);
    }
    for (long t = 0; t < steps; t++) {
        const float sent = wavelet(t);
        float *u = s.u;

        record(&s, trace);
#pragma omp parallel for collapse(2) schedule(static)
        for (long z = 0; z < n; z++)
            for (long y = 0; y < n; y++)
                step_row(&s, z, y);
        at_place(&s, s.v, place, &sent);
        s.u = s.v;
        s.v = u;
    }
    out = file("plain.raw", "wb");
    for (long i = 0; i < n * n; i++)
        fwrite(inside(&s, s.u, i / n, i % n, 0), sizeof *s.u, (size_t)n, out);
    if (fclose(out) || fclose(trace))
        die("cannot write to", folder);
}

/* ---- comparing */

static double largest(const char *name)
{
    FILE *f = file(name, "rb");
    double most = 0;
    float x;

    while (fread(&x, sizeof x, 1, f))
        most = fmax(most, fabs(x));
    fclose(f);
    return most;
}

/* What rounding may add up to. */
static double allowed(double most)
{
    return 5e-7 * (double)steps * most;
}

/* The files of f32 are as long as each other, without infinities, and near each other. */
static int are_near(const char *what, const char *first, const char *second, double most)
{
    FILE *f[2] = {file(first, "rb"), file(second, "rb")};
    int finite = 1, both = 1, any = 1;
    double apart = 0;
    float x[2];

    while (both) {
        any = 0;
        for (int i = 0; i < 2; i++) {
            int got = fread(&x[i], sizeof x[i], 1, f[i]) == 1;

            any |= got;
            both &= got;
        }
        finite &= !both || (isfinite(x[0]) && isfinite(x[1]));
        apart = both ? fmax(apart, fabs((double)x[0] - x[1])) : apart;
    }
    fclose(f[0]);
    fclose(f[1]);
    printf("  %-11s differs by %.3g of %.3g, %.3g allowed\n", what, apart, most,
           allowed(most));
    return !any && finite && most > 0 && apart <= allowed(most);
}

static int compare(void)
{
    double most = largest("plain_trace.raw");
    int field = are_near("field", "next.raw", "plain.raw", most);

    return are_near("receivers", "trace.raw", "plain_trace.raw", most) && field ? 0 : 1;
}

int main(int argc, char **argv)
{
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
        run();
    return 0;
}
