/* acoustic_tti, one point a work-item: what the others are compared with. */
struct way {
    int x, y, z;
};

struct around {
    const float *f;
    int x, y, z;

    DI float operator()(int i, int j, int k) const
    {
        const int a = x + i, b = y + j, c = z + k;
        const bool there = (unsigned)a < NX && (unsigned)b < NY && (unsigned)c < NZ;

        return there ? f[(c * NY + b) * NX + a] : 0;
    }
    DI float clamped(int i, int j, int k) const
    {
        const int a = min(max(x + i, 0), NX - 1), b = min(max(y + j, 0), NY - 1),
                  c = min(max(z + k, 0), NZ - 1);

        return f[(c * NY + b) * NX + a];
    }
    /* Along a line (i, j, k). */
    DI float second(int i, int j, int k) const
    {
        float s = along(0) * (*this)(0, 0, 0);

        for (int m = 1; m <= 4; m++)
            s += along(m) *
                 ((*this)(m * i, m * j, m * k) + (*this)(-m * i, -m * j, -m * k));
        return s;
    }
    /* In the plane of two axes. */
    DI float mixed(way a, way b) const
    {
        const float c[] = {-D2, -1, 0, 1, D2};
        float s = 0;

        for (int m = -2; m <= 2; m++)
            for (int n = -2; n <= 2; n++)
                s += c[m + 2] * c[n + 2] *
                     (*this)(m * a.x + n * b.x, m * a.y + n * b.y, m * a.z + n * b.z);
        return D * D * s;
    }
};

struct changed {
    float along, rest;
};

DI changed derive(around f, float a, float b, float c)
{
    const float x = f.second(1, 0, 0), y = f.second(0, 1, 0), z = f.second(0, 0, 1);
    const float h = a * a * x + b * b * y + c * c * z +
                    2 * (a * b * f.mixed({1, 0, 0}, {0, 1, 0}) +
                         a * c * f.mixed({1, 0, 0}, {0, 0, 1}) +
                         b * c * f.mixed({0, 1, 0}, {0, 0, 1}));

    return {h, KX * x + KY * y + KZ * z - h};
}

DI float slopes_plain(around e, around f)
{
    return KX / 4 * (e.clamped(1, 0, 0) - e.clamped(-1, 0, 0)) *
               (f(1, 0, 0) - f(-1, 0, 0)) +
           KY / 4 * (e.clamped(0, 1, 0) - e.clamped(0, -1, 0)) *
               (f(0, 1, 0) - f(0, -1, 0)) +
           KZ / 4 * (e.clamped(0, 0, 1) - e.clamped(0, 0, -1)) *
               (f(0, 0, 1) - f(0, 0, -1));
}

__global__ void tti_plain(grids g)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    const int i = (z * NY + y) * NX + x;

    if (x >= NX)
        return;
    const around p = {g.p, x, y, z}, q = {g.q, x, y, z}, eta = {g.eta, x, y, z};
    const float tilt = g.own[TILT][i], delta = g.own[DELTA][i], vp = g.own[VP][i];
    const float a = sinf(tilt) * (g.east / HX), b = sinf(tilt) * (g.north / HY),
                c = cosf(tilt) / HZ;
    const changed dp = derive(p, a, b, c), dq = derive(q, a, b, c);
    const float s = dp.rest + dq.rest, cp = (1 + 2 * delta) * s + dp.along,
                cq = 2 * (g.own[EPSILON][i] - delta) * s, e = eta(0, 0, 0);

    if (within(x, NX) && within(y, NY) && within(z, NZ)) {
        g.pn[i] = 2 * g.p[i] - g.own[PB][i] + vp * cp;
        g.qn[i] = 2 * g.q[i] - g.own[QB][i] + vp * cq;
        g.phin[i] = g.chin[i] = 0;
        return;
    }
    const float keep = 2 - e * e + 2 * e, phi = g.phi[i], chi = g.chi[i];

    g.pn[i] = (keep * g.p[i] - g.own[PB][i] + vp * (cp + phi)) / (1 + 2 * e);
    g.qn[i] = (keep * g.q[i] - g.own[QB][i] + vp * (cq + chi)) / (1 + 2 * e);
    g.phin[i] = (phi - slopes_plain(eta, p)) / (1 + e);
    g.chin[i] = (chi - slopes_plain(eta, q)) / (1 + e);
}
