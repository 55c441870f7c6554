/* The acoustic wave equation with an absorbing layer: a plain loop nest on grids with a
 * halo, updated in place. Each row is split into layer and interior.
 *
 * reference
 *   program acoustic_pml
 *   plain
 *   with    acoustic_iso.h seconds.h
 *   types   f32 f64
 *   halo    4 fill 0
 *   stored  next v
 *   stored  psi phi
 *   kernel  acoustic_pml_plain
 *   args    u v vp eta phi
 */
struct row {
    const REAL *restrict u, *restrict vp, *restrict eta;
    REAL *restrict v, *restrict phi;
    long north, south, down, up; /* to the neighbours of eta, or to itself */
};

static inline void layer_point(const struct row *r, long x, long west, long east)
{
    const REAL *u = r->u + x, *e = r->eta + x;
    const REAL eta = e[0], phi = r->phi[x];
    const REAL slopes =
        (REAL)(KX / 4) * (e[east] - e[west]) * (u[1] - u[-1]) +
        (REAL)(KY / 4) * (e[r->south] - e[r->north]) * (u[PITCH] - u[-PITCH]) +
        (REAL)(KZ / 4) * (e[r->up] - e[r->down]) * (u[PLANE] - u[-PLANE]);

    r->v[x] =
        ((2 - eta * eta + 2 * eta) * u[0] - r->v[x] + r->vp[x] * (LAPLACIAN(u) + phi)) /
        (1 + 2 * eta);
    r->phi[x] = (phi - slopes) / (1 + eta);
}

static void layer(const struct row *r, long from, long to)
{
    if (from == 0)
        layer_point(r, 0, 0, NX > 1);
#pragma omp simd
    for (long x = from > 1 ? from : 1; x < (to < NX - 1 ? to : NX - 1); x++)
        layer_point(r, x, -1, 1);
    if (to == NX && NX > 1)
        layer_point(r, NX - 1, -1, 0);
}

static void inside(const struct row *r, long from, long to)
{
#pragma omp simd
    for (long x = from; x < to; x++) {
        r->v[x] = 2 * r->u[x] - r->v[x] + r->vp[x] * LAPLACIAN(r->u + x);
        r->phi[x] = 0;
    }
}

static inline int is_layer(long i, long n)
{
    return i < W || i >= n - W;
}

void acoustic_pml_plain_call(void *const *args)
{
    const long left = W < NX ? W : NX, right = NX - W > left ? NX - W : left;

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < NZ; z++)
        for (long y = 0; y < NY; y++) {
            const long at = ORIGIN + z * PLANE + y * PITCH;
            const struct row r = {
                (REAL *)args[0] + at,   (REAL *)args[2] + at, (REAL *)args[3] + at,
                (REAL *)args[1] + at,   (REAL *)args[4] + at, y > 0 ? -PITCH : 0,
                y < NY - 1 ? PITCH : 0, z > 0 ? -PLANE : 0,   z < NZ - 1 ? PLANE : 0};

            if (is_layer(y, NY) || is_layer(z, NZ)) {
                layer(&r, 0, NX);
                continue;
            }
            layer(&r, 0, left);
            inside(&r, left, right);
            layer(&r, right, NX);
        }
}
