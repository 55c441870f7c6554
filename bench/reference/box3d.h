/* The weights of a box of radius R, in row-major order: the weights of the programs
 * box3d*, consecutive numbers divided by their sum; or TABLE. */
enum { N = 2 * R + 1 };

#ifdef TABLE
#ifdef __cplusplus
__device__ constexpr REAL weights[] = TABLE;
#else
static const REAL weights[] = TABLE;
#endif
#define WEIGHT(dz, dy, dx) weights[N * N * (dz + R) + N * (dy + R) + dx + R]
#else
#define POINTS (N * N * N)
#define WEIGHT(dz, dy, dx)                                                               \
    (REAL)(2. * (POINTS + 1 + N * N * (dz + R) + N * (dy + R) + dx + R) /                \
           (POINTS * (3. * POINTS + 1)))
#endif
