/* A model of how a time loop scales over devices that share one grid.
 *
 * The grid has Z planes of Y rows of X points. P devices cut it along its planes into Pz
 * parts, and along its rows into Py (1: slabs), so that a part has z = Z / Pz planes of
 * y = Y / Py rows. A part has sz = min(2, Pz - 1) neighbours along the planes, and sy =
 * min(2, Py - 1) along the rows: the slowest part counts. After a launch r planes (rows)
 * at such an end are wrong. Parts exchange after m launches, h = m r planes (rows), and
 * compute these ghost planes themselves until then (docs/several-devices.md). With
 *
 *     R   points a second of a device, when it computes for itself (measured)
 *     L   seconds that a launch takes besides
 *     b   bytes of a plane's point that are exchanged: of m = 1 those that are read, each
 *         field as far as it is read; of more all fields of the state, h planes deep
 *
 * a launch takes
 *
 *     K = L + (z + sz h) (y + sy h) X / R                                           (1)
 *
 * and an exchange, whose messages go at once in both directions of a link with latency a
 * and bandwidth B (Hockney's model, one for the links of a node and one for the network),
 *
 *     E = max over links (a + bytes that the link takes one way / B) + G            (2)
 *
 * where G = 4 (bytes along the rows) / C packs and unpacks what is not contiguous with
 * the copy bandwidth C, which counts bytes read and written: slabs need none. A node has
 * N devices beside each other along the planes; the worst part of several nodes has one
 * neighbour along the planes in another node (both, where N is 1), and all along the
 * rows. Without overlap a launch takes in the mean
 *
 *     T = K + E / m                                                                 (3)
 *
 * With overlap the last launch before an exchange first computes the edges that are
 * fetched and what these read, h + 2 r planes at each neighbour in launches of their own,
 * then the interior beside the exchange:
 *
 *     T = ((m - 1) K + D + max(I, E)) / m,                                          (4)
 *     D = (sz + sy) L + (h + 2 r) (sz y + sy z) X / R,    I = L + z y X / R
 *
 * The exchange is hidden where E <= I: in slabs of at least (E - L) R / (X Y) planes (5).
 * Efficiency is T of one device, times the grid's ratio, over T of P devices times P. */
#ifndef REPORT_SCALING_H
#define REPORT_SCALING_H

#include "base/str.h"
#include "lift/program.h"

struct scaling_link {
    double bandwidth, latency; /* bytes a second in one direction, seconds */
};

struct scaling_machine {
    double rate;                   /* R: points of a launch a second */
    double launch;                 /* L */
    double copy;                   /* C: bytes a second */
    struct scaling_link near, far; /* within a node, and between nodes */
    int node;                      /* N */
};

/* What scaling.c assumes where nothing was measured: nominal figures of eight H100 or
 * H200 on NVLink, each with a network card of 400 Gbit/s. 'rate' is 0. */
extern const struct scaling_machine scaling_nominal;

struct scaling_stencil {
    double halo;  /* r, the mean of both ends */
    double read;  /* plane-bytes a point and end with m = 1: sum of depth times bytes */
    double state; /* bytes of a point of all fields of the state */
};

struct scaling_grid {
    double planes, rows, points; /* Z, Y, X */
};

struct scaling_case {
    int devices, every; /* P, m */
    bool overlap;
    bool weak; /* the grid is that of each device */
    bool rows; /* Py may be more than 1: the fastest of all divisors of P is taken */
};

struct scaling_point {
    bool possible;                    /* each part has the planes and rows to exchange */
    int cuts[2];                      /* Pz, Py */
    double planes, rows;              /* of a part */
    double bytes;                     /* that a part sends in an exchange */
    double kernel, exchange, seconds; /* K, E, T */
    double rate;                      /* points a second of all devices */
    double efficiency;                /* of 1 */
    bool hidden;                      /* E <= I */
};

struct scaling_point scaling_predict(const struct scaling_machine *machine,
                                     const struct scaling_stencil *stencil,
                                     const struct scaling_grid *grid,
                                     const struct scaling_case *what);
/* (5), of slabs with two neighbours, in a node or between nodes. */
double scaling_least_planes(const struct scaling_machine *machine,
                            const struct scaling_stencil *stencil,
                            const struct scaling_grid *grid, int every, bool far);

/* scaling_program.c: what a program exchanges, and the grid of the sizes that it is
 * loaded with; false, and why. */
bool scaling_of_program(const struct lift_source *source,
                        const struct lift_program_options *sizes,
                        struct scaling_stencil *stencil, struct scaling_grid *grid,
                        struct lift_str *why);

/* ---- scaling_measured.c: runs that were measured */

enum { SCALING_RUNS = 64 };

struct scaling_run {
    char scaling[16]; /* "one", "weak", "strong" */
    char by[16];      /* "peer", "rank-nccl", ...; "-" of one device */
    int devices, every;
    bool overlap;
    double seconds;  /* T: of a launch */
    double exchange; /* of a launch, that kernels waited for; 0: unknown */
    double gpts;
};

struct scaling_measured {
    char program[128];
    struct scaling_grid grid; /* of one device */
    struct scaling_run runs[SCALING_RUNS];
    int count;
};

/* What bench/scaling.sh prints; false, and why: words that follow "cannot read 'PATH': ",
 * with the number of the line. */
bool scaling_read(const char *text, struct scaling_measured *out, struct lift_str *why);
/* Sets the rate to that of the run on one device, and the near link to the exchanges
 * from device to device or by NCCL without overlap, by least squares: the latency stays
 * as it is unless they have two sizes. How many of them there were. */
int scaling_fit(const struct scaling_measured *measured,
                const struct scaling_stencil *stencil, struct scaling_machine *machine);
/* What the model says of a run. */
struct scaling_point scaling_of_run(const struct scaling_machine *machine,
                                    const struct scaling_stencil *stencil,
                                    const struct scaling_measured *measured,
                                    const struct scaling_run *run);

#endif
