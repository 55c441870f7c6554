/* Elastic waves, one point a work-item: what the others are compared with. */

/* Half a step after a point, and before it. */
DI float after(const float *u, int step)
{
    return difference4(u[-step], u[0], u[step], u[2 * step]);
}

DI float before(const float *u, int step)
{
    return after(u - step, step);
}

DI float harmonic(float a, float b, float c, float d)
{
    return 4 / (1 / a + 1 / b + 1 / c + 1 / d);
}

template <class G> DI bool point_of(int &i)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;

    i = z * G::PLANE + y * G::PITCH + x;
    return x < G::SIZE;
}

template <class G> __global__ void velocities_plain(grids g)
{
    constexpr int Y = G::PITCH, Z = G::PLANE;
    int i;

    if (!point_of<G>(i))
        return;
    float x = after(g.s[SXX] + i, 1) + before(g.s[SXY] + i, Y),
          y = before(g.s[SXY] + i, 1) + after(g.s[SYY] + i, Y);

    if (G::DEEP) {
        x += before(g.s[SXZ] + i, Z);
        y += before(g.s[SYZ] + i, Z);
        g.w[VZ][i] = g.v[VZ][i] + .5f * (g.b[i] + g.b[i + Z]) *
                                      (before(g.s[SXZ] + i, 1) + before(g.s[SYZ] + i, Y) +
                                       after(g.s[SZZ] + i, Z));
    }
    g.w[VX][i] = g.v[VX][i] + .5f * (g.b[i] + g.b[i + 1]) * x;
    g.w[VY][i] = g.v[VY][i] + .5f * (g.b[i] + g.b[i + Y]) * y;
}

template <class G> __global__ void stresses_plain(grids g)
{
    constexpr int Y = G::PITCH, Z = G::PLANE;
    int i;

    if (!point_of<G>(i))
        return;
    const float xx = before(g.w[VX] + i, 1), yy = before(g.w[VY] + i, Y),
                zz = G::DEEP ? before(g.w[VZ] + i, Z) : 0;
    const float volume = g.lambda[i] * (xx + yy + zz), *mu = g.mu + i, m = mu[0];

    g.t[SXX][i] = g.s[SXX][i] + volume + 2 * m * xx;
    g.t[SYY][i] = g.s[SYY][i] + volume + 2 * m * yy;
    g.t[SXY][i] = g.s[SXY][i] + harmonic(m, mu[1], mu[Y], mu[Y + 1]) *
                                    (after(g.w[VX] + i, Y) + after(g.w[VY] + i, 1));
    if (!G::DEEP)
        return;
    g.t[SZZ][i] = g.s[SZZ][i] + volume + 2 * m * zz;
    g.t[SXZ][i] = g.s[SXZ][i] + harmonic(m, mu[1], mu[Z], mu[Z + 1]) *
                                    (after(g.w[VX] + i, Z) + after(g.w[VZ] + i, 1));
    g.t[SYZ][i] = g.s[SYZ][i] + harmonic(m, mu[Y], mu[Z], mu[Y + Z]) *
                                    (after(g.w[VY] + i, Z) + after(g.w[VZ] + i, Y));
}
