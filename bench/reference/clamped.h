/* Rows of grids beyond whose border the nearest points are meant: the ends of a row
 * apart, the rest vectorised. POINT(x, west, east) is what happens to a point, by the
 * indices of its neighbours in the row. */
#define CLAMPED_ROW(POINT)                                                               \
    do {                                                                                 \
        POINT(0, 0, NX > 1);                                                             \
        _Pragma("omp simd") for (long x = 1; x < NX - 1; x++) POINT(x, x - 1, x + 1);    \
        POINT(NX - 1, NX > 1 ? NX - 2 : 0, NX - 1);                                      \
    } while (0)
