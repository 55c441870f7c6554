/* Rows of grids that go on at their other end: the ends of a row apart, the rest
 * vectorised. POINT(x, west, east) is what happens to a point, by the indices of its
 * neighbours in the row. */
#define WRAPPED_ROW(POINT)                                                               \
    do {                                                                                 \
        POINT(0, NX - 1, NX > 1);                                                        \
        _Pragma("omp simd") for (long x = 1; x < NX - 1; x++) POINT(x, x - 1, x + 1);    \
        if (NX > 1)                                                                      \
            POINT(NX - 1, NX - 2, 0);                                                    \
    } while (0)
