/* Staggered differences of fourth order: half a step after a point, and before it; means
 * of the medium. */
#define AFTER(u, step)                                                                   \
    ((REAL)(9. / 8) * ((u)[step] - (u)[0]) -                                             \
     (REAL)(1. / 24) * ((u)[2 * (step)] - (u)[-(step)]))
#define BEFORE(u, step) AFTER((u) - (step), step)
#define MEAN(a, b) ((REAL)0.5 * ((a) + (b)))
#define HARMONIC(a, b, c, d) (4 / (1 / (a) + 1 / (b) + 1 / (c) + 1 / (d)))
