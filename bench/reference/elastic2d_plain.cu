/* Elastic waves in a plane, a step in two kernels: velocities, then stresses. One thread
 * a point; the grids have a halo of zeros and are updated where they are. Of the medium,
 * beyond the border, the last point counts.
 *
 * reference
 *   program elastic2d
 *   variant 32x8   BX=32 BY=8
 *   variant 64x4   BX=64 BY=4
 *   variant 128x2  BX=128 BY=2
 *   variant 32x16  BX=32 BY=16
 *   with    elastic.h
 *   types   f32 f64
 *   halo    2 fill 0
 *   rows    32
 *   stored  wx vx
 *   stored  wy vy
 *   stored  txx sxx
 *   stored  tyy syy
 *   stored  txy sxy
 *   kernel  elastic2d_velocities
 *   group   BX, BY
 *   groups  ceil(NX / BX), ceil(NY / BY)
 *   args    vx vy sxx syy sxy b
 *   kernel  elastic2d_stresses
 *   group   BX, BY
 *   groups  ceil(NX / BX), ceil(NY / BY)
 *   args    vx vy sxx syy sxy lambda mu
 */
struct around {
    bool inside;
    long at, east, south; /* how far the next points of the medium are */
};

static __device__ __forceinline__ struct around place()
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y;

    return {x < NX && y < NY, ORIGIN + x + (long)PITCH * y, x < NX - 1 ? 1l : 0l,
            y < NY - 1 ? (long)PITCH : 0l};
}

extern "C" __global__ void
elastic2d_velocities(REAL *__restrict__ vx, REAL *__restrict__ vy,
                     const REAL *__restrict__ sxx, const REAL *__restrict__ syy,
                     const REAL *__restrict__ sxy, const REAL *__restrict__ b)
{
    const struct around p = place();
    const long i = p.at, s = PITCH;

    if (!p.inside)
        return;
    vx[i] += MEAN(b[i], b[i + p.east]) * (AFTER(sxx + i, 1) + BEFORE(sxy + i, s));
    vy[i] += MEAN(b[i], b[i + p.south]) * (BEFORE(sxy + i, 1) + AFTER(syy + i, s));
}

extern "C" __global__ void
elastic2d_stresses(const REAL *__restrict__ vx, const REAL *__restrict__ vy,
                   REAL *__restrict__ sxx, REAL *__restrict__ syy, REAL *__restrict__ sxy,
                   const REAL *__restrict__ lambda, const REAL *__restrict__ mu)
{
    const struct around p = place();
    const long i = p.at, s = PITCH;

    if (!p.inside)
        return;

    const REAL xx = BEFORE(vx + i, 1), yy = BEFORE(vy + i, s), m = mu[i];
    const REAL volume = lambda[i] * (xx + yy);

    sxx[i] += volume + 2 * m * xx;
    syy[i] += volume + 2 * m * yy;
    sxy[i] += HARMONIC(m, mu[i + p.east], mu[i + p.south], mu[i + p.east + p.south]) *
              (AFTER(vx + i, s) + AFTER(vy + i, 1));
}
