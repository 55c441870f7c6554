/* The weights of a star of radius R in two dimensions: the weights of the programs
 * star2d*, consecutive numbers divided by their sum, along x, then y; or ROW and COLUMN.
 * ROW includes the centre. */
#ifndef ROW
#define POINTS (4 * R + 1)
#define WEIGHT(k) (REAL)(2. * (POINTS + (k)) / (POINTS * (3. * POINTS + 1)))
#define ACROSS(m) WEIGHT((m) + R + 1)
#define ALONG(m) WEIGHT(2 * R + 1 + ((m) < 0 ? (m) + R + 1 : (m) + R))
#else
#ifdef __cplusplus
__device__ constexpr REAL row_weights[] = ROW, column_weights[] = COLUMN;
#else
static const REAL row_weights[] = ROW, column_weights[] = COLUMN;
#endif
#define ACROSS(m) row_weights[(m) + R]
#define ALONG(m) column_weights[(m) + R]
#endif
