/* The weights of a box of radius R, in row-major order: the weights of the programs
 * box2d*, consecutive numbers divided by their sum; or TABLE. */
enum { N = 2 * R + 1 };

#ifdef TABLE
#ifdef __cplusplus
__device__ constexpr REAL weights[] = TABLE;
#else
static const REAL weights[] = TABLE;
#endif
#define WEIGHT(dy, dx) weights[N * (dy + R) + dx + R]
#else
#define POINTS (N * N)
#define WEIGHT(dy, dx)                                                                   \
    (REAL)(2. * (POINTS + 1 + N * (dy + R) + dx + R) / (POINTS * (3. * POINTS + 1)))
#endif
