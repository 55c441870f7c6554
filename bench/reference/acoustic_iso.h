/* The weights of acoustic_iso: second differences of eighth order over the squares of the
 * grid's steps. */
enum { R = 4 };

#define SECOND(m)                                                                        \
    ((m) * (m) == 1   ? 8. / 5                                                           \
     : (m) * (m) == 4 ? -1. / 5                                                          \
     : (m) * (m) == 9 ? 8. / 315                                                         \
                      : -1. / 560)
#define KX (1 / 100.)
#define KY (1 / 156.25)
#define KZ (1 / 64.)
#define CENTRE (-205. / 72 * (KX + KY + KZ))
#define ALONG_X(m) (REAL)((m) == 0 ? CENTRE : KX * SECOND(m))
#define ALONG_Y(m) (REAL)(KY * SECOND(m))
#define ALONG_Z(m) (REAL)(KZ * SECOND(m))
