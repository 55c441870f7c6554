/* The weights of a star of radius R: the weights of the programs star3d*, consecutive
 * numbers divided by their sum, along x, then y, then z; or X, Y and Z. X includes the
 * centre. */
#ifndef X
#define POINTS (6 * R + 1)
#define WEIGHT(k) (REAL)(2. * (POINTS + (k)) / (POINTS * (3. * POINTS + 1)))
#define ARM(m) ((m) < 0 ? (m) + R : (m) + R - 1)
#define ALONG_X(m) WEIGHT((m) + R + 1)
#define ALONG_Y(m) WEIGHT(2 * R + 2 + ARM(m))
#define ALONG_Z(m) WEIGHT(4 * R + 2 + ARM(m))
#else
#ifdef __cplusplus
__device__ constexpr REAL x_weights[] = X, y_weights[] = Y, z_weights[] = Z;
#else
static const REAL x_weights[] = X, y_weights[] = Y, z_weights[] = Z;
#endif
#define ALONG_X(m) x_weights[(m) + R]
#define ALONG_Y(m) y_weights[(m) + R]
#define ALONG_Z(m) z_weights[(m) + R]
#endif
