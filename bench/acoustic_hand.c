/* Room acoustics, 7 points, as one would write it by hand in C with OpenMP: the baseline
 * of bench/host.c, compiled at run time with the flags of the kernel that it is compared
 * with. */
#define SIZE_X 512L
#define SIZE_Y 512L
#define SIZE_Z 404L

void acoustic_hand(const float *restrict prev, const float *restrict cur,
                   float *restrict next)
{
    const long nx = SIZE_X, ny = SIZE_Y, nz = SIZE_Z, area = nx * ny;
    const float l2 = 1.0f / 3.0f, lambda_alpha = 0.57735027f * 0.005f;
    const float loss1 = 1.0f / (1.0f + lambda_alpha), loss2 = 1.0f - lambda_alpha;

#pragma omp parallel for collapse(2) schedule(static)
    for (long z = 0; z < nz; z++)
        for (long y = 0; y < ny; y++)
#pragma omp simd
            for (long x = 0; x < nx; x++) {
                long i = z * area + y * nx + x;
                int k = (x > 0) + (x < nx - 1) + (y > 0) + (y < ny - 1) + (z > 0) +
                        (z < nz - 1);
                float s = (x > 0 ? cur[i - 1] : 0) + (x < nx - 1 ? cur[i + 1] : 0) +
                          (y > 0 ? cur[i - nx] : 0) + (y < ny - 1 ? cur[i + nx] : 0) +
                          (z > 0 ? cur[i - area] : 0) + (z < nz - 1 ? cur[i + area] : 0);
                float cf = k < 6 ? loss1 : 1.0f, cf2 = k < 6 ? loss2 : 1.0f;

                next[i] = cf * ((2.0f - l2 * (float)k) * cur[i] + l2 * s - cf2 * prev[i]);
            }
}

void acoustic_hand_call(void *const *args)
{
    acoustic_hand(args[0], args[1], args[2]);
}
