/* Elastic waves in three dimensions, a step in two kernels: velocities, then stresses.
 * One thread a point of a small block; the grids have a halo of zeros and are updated
 * where they are. Of the medium, beyond the border, the last point counts.
 *
 * reference
 *   program elastic3d
 *   variant 32x4x2  BX=32 BY=4 BZ=2
 *   variant 32x4x4  BX=32 BY=4 BZ=4
 *   variant 64x4x1  BX=64 BY=4 BZ=1
 *   variant 32x8x1  BX=32 BY=8 BZ=1
 *   with    elastic.h
 *   types   f32 f64
 *   halo    2 fill 0
 *   rows    32
 *   stored  wx vx
 *   stored  wy vy
 *   stored  wz vz
 *   stored  txx sxx
 *   stored  tyy syy
 *   stored  tzz szz
 *   stored  txy sxy
 *   stored  txz sxz
 *   stored  tyz syz
 *   kernel  elastic3d_velocities
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    vx vy vz sxx syy szz sxy sxz syz b
 *   kernel  elastic3d_stresses
 *   group   BX, BY, BZ
 *   groups  ceil(NX / BX), ceil(NY / BY), ceil(NZ / BZ)
 *   args    vx vy vz sxx syy szz sxy sxz syz lambda mu
 */
struct around {
    bool inside;
    long at, east, south, back; /* how far the next points of the medium are */
};

static __device__ __forceinline__ struct around place()
{
    const int x = BX * blockIdx.x + threadIdx.x, y = BY * blockIdx.y + threadIdx.y,
              z = BZ * blockIdx.z + threadIdx.z;

    return {x < NX && y < NY && z < NZ, ORIGIN + x + (long)PITCH * y + (long)PLANE * z,
            x < NX - 1 ? 1l : 0l, y < NY - 1 ? (long)PITCH : 0l,
            z < NZ - 1 ? (long)PLANE : 0l};
}

extern "C" __global__ void
elastic3d_velocities(REAL *__restrict__ vx, REAL *__restrict__ vy, REAL *__restrict__ vz,
                     const REAL *__restrict__ sxx, const REAL *__restrict__ syy,
                     const REAL *__restrict__ szz, const REAL *__restrict__ sxy,
                     const REAL *__restrict__ sxz, const REAL *__restrict__ syz,
                     const REAL *__restrict__ b)
{
    const struct around n = place();
    const long i = n.at, s = PITCH, p = PLANE;

    if (!n.inside)
        return;
    vx[i] += MEAN(b[i], b[i + n.east]) *
             (AFTER(sxx + i, 1) + BEFORE(sxy + i, s) + BEFORE(sxz + i, p));
    vy[i] += MEAN(b[i], b[i + n.south]) *
             (BEFORE(sxy + i, 1) + AFTER(syy + i, s) + BEFORE(syz + i, p));
    vz[i] += MEAN(b[i], b[i + n.back]) *
             (BEFORE(sxz + i, 1) + BEFORE(syz + i, s) + AFTER(szz + i, p));
}

extern "C" __global__ void
elastic3d_stresses(const REAL *__restrict__ vx, const REAL *__restrict__ vy,
                   const REAL *__restrict__ vz, REAL *__restrict__ sxx,
                   REAL *__restrict__ syy, REAL *__restrict__ szz, REAL *__restrict__ sxy,
                   REAL *__restrict__ sxz, REAL *__restrict__ syz,
                   const REAL *__restrict__ lambda, const REAL *__restrict__ mu)
{
    const struct around n = place();
    const long i = n.at, s = PITCH, p = PLANE;

    if (!n.inside)
        return;

    const REAL xx = BEFORE(vx + i, 1), yy = BEFORE(vy + i, s), zz = BEFORE(vz + i, p);
    const REAL volume = lambda[i] * (xx + yy + zz), m = mu[i];
    const REAL me = mu[i + n.east], ms = mu[i + n.south], mb = mu[i + n.back];

    sxx[i] += volume + 2 * m * xx;
    syy[i] += volume + 2 * m * yy;
    szz[i] += volume + 2 * m * zz;
    sxy[i] += HARMONIC(m, me, ms, mu[i + n.east + n.south]) *
              (AFTER(vx + i, s) + AFTER(vy + i, 1));
    sxz[i] += HARMONIC(m, me, mb, mu[i + n.east + n.back]) *
              (AFTER(vx + i, p) + AFTER(vz + i, 1));
    syz[i] += HARMONIC(m, ms, mb, mu[i + n.south + n.back]) *
              (AFTER(vy + i, p) + AFTER(vz + i, s));
}
