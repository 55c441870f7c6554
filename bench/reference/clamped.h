/* Rows of grids with a clamped boundary: the ends of a row are computed separately, the
 * rest is vectorised. POINT(x, west, east) computes a point from the indices of its
 * neighbours in the row. */
#define CLAMPED_ROW(POINT)                                                               \
    do {                                                                                 \
        POINT(0, 0, NX > 1);                                                             \
        _Pragma("omp simd") for (long x = 1; x < NX - 1; x++) POINT(x, x - 1, x + 1);    \
        POINT(NX - 1, NX > 1 ? NX - 2 : 0, NX - 1);                                      \
    } while (0)
