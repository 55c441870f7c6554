/* Differences of eighth order, in C, of a field at its address; step: the distance of
 * neighbours. */
#define PAIR(at, m, step) ((at)[(m) * (long)(step)] + (at)[-(m) * (long)(step)])
#define SIDES(at, step)                                                                  \
    ((REAL)SECOND(1) * PAIR(at, 1, step) + (REAL)SECOND(2) * PAIR(at, 2, step) +         \
     (REAL)SECOND(3) * PAIR(at, 3, step) + (REAL)SECOND(4) * PAIR(at, 4, step))
#define LAPLACIAN(at)                                                                    \
    ((REAL)CENTRE * (at)[0] + (REAL)KX * SIDES(at, 1) + (REAL)KY * SIDES(at, PITCH) +    \
     (REAL)KZ * SIDES(at, PLANE))

/* The second derivative along one axis. */
#define SECOND_OF(at, step) ((REAL)(-205. / 72) * (at)[0] + SIDES(at, step))
