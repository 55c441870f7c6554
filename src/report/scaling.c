#include "report/scaling.h"
#include <math.h>

const struct scaling_machine scaling_nominal = {
    .launch = 5e-6,
    .copy = 3e12,
    .near = {300e9, 10e-6},
    .far = {40e9, 20e-6},
    .node = 8,
};

/* A part, and where it is. */
struct part {
    const struct scaling_machine *machine;
    const struct scaling_stencil *stencil;
    double planes, rows, points;
    double halo; /* h */
    int every;
    int sides[2];       /* sz, sy */
    bool apart, single; /* there are several nodes; a node has one device along planes */
};

static int sides_of(int parts)
{
    return parts > 2 ? 2 : parts - 1;
}

/* One message along the planes, or the rows. */
static double message(const struct part *p, int dimension)
{
    double point = p->every == 1 ? p->stencil->read : p->halo * p->stencil->state;

    return point * p->points * (dimension == 0 ? p->rows : p->planes);
}

static double link_time(const struct scaling_link *link, double bytes)
{
    return bytes > 0 ? link->latency + bytes / link->bandwidth : 0;
}

static double exchange_time(const struct part *p)
{
    double along = message(p, 0) * p->sides[0], across = message(p, 1) * p->sides[1];
    double far = 0;

    if (p->apart)
        far = across + (p->single ? along : message(p, 0) * (p->sides[0] > 0));
    return fmax(link_time(&p->machine->near, along + across - far),
                link_time(&p->machine->far, far)) +
           4 * across / p->machine->copy;
}

static double kernel_time(const struct part *p)
{
    return p->machine->launch + (p->planes + p->sides[0] * p->halo) *
                                    (p->rows + p->sides[1] * p->halo) * p->points /
                                    p->machine->rate;
}

/* Rows of planes that neighbours fetch. */
static double edge_rows(const struct part *p)
{
    return p->halo * (p->sides[0] * p->rows + p->sides[1] * p->planes);
}

static double interior_time(const struct part *p)
{
    return p->machine->launch +
           fmax(p->planes * p->rows - edge_rows(p), 0) * p->points / p->machine->rate;
}

static double edges_time(const struct part *p)
{
    return (p->sides[0] + p->sides[1]) * p->machine->launch +
           edge_rows(p) * p->points / p->machine->rate;
}

static struct scaling_point point_of(const struct part *p, bool overlap)
{
    struct scaling_point out = {.planes = p->planes,
                                .rows = p->rows,
                                .bytes = message(p, 0) * p->sides[0] +
                                         message(p, 1) * p->sides[1],
                                .kernel = kernel_time(p),
                                .exchange = exchange_time(p)};
    double interior = interior_time(p);

    out.possible = (p->sides[0] == 0 || p->planes >= fmax(p->halo, 1)) &&
                   (p->sides[1] == 0 || p->rows >= fmax(p->halo, 1));
    out.hidden = out.exchange <= interior;
    if (overlap && p->sides[0] + p->sides[1] > 0)
        out.seconds =
            ((p->every - 1) * out.kernel + edges_time(p) + fmax(interior, out.exchange)) /
            p->every;
    else
        out.seconds = out.kernel + out.exchange / p->every;
    return out;
}

static struct part part_of(const struct scaling_machine *machine,
                           const struct scaling_stencil *stencil,
                           const struct scaling_grid *grid,
                           const struct scaling_case *what, int along)
{
    int across = what->devices / along;

    return (struct part){
        .machine = machine,
        .stencil = stencil,
        .planes = what->weak ? grid->planes : grid->planes / along,
        .rows = what->weak ? grid->rows : grid->rows / across,
        .points = grid->points,
        .halo = what->every * stencil->halo,
        .every = what->every,
        .sides = {sides_of(along), sides_of(across)},
        .apart = what->devices > machine->node,
        .single = machine->node == 1,
    };
}

static bool is_better(const struct scaling_point *a, const struct scaling_point *b)
{
    return a->possible != b->possible ? a->possible : a->seconds < b->seconds;
}

struct scaling_point scaling_predict(const struct scaling_machine *machine,
                                     const struct scaling_stencil *stencil,
                                     const struct scaling_grid *grid,
                                     const struct scaling_case *what)
{
    const struct scaling_case one = {.devices = 1, .every = 1};
    struct part alone = part_of(machine, stencil, grid, &one, 1);
    double size = grid->planes * grid->rows * grid->points;
    double single = size / point_of(&alone, false).seconds;
    struct scaling_point best = {.possible = false};

    for (int along = what->devices; along >= 1; along--) {
        struct part part;
        struct scaling_point point;

        if (what->devices % along || (along < what->devices && !what->rows))
            continue;
        part = part_of(machine, stencil, grid, what, along);
        point = point_of(&part, what->overlap);
        point.cuts[0] = along;
        point.cuts[1] = what->devices / along;
        if (along == what->devices || is_better(&point, &best))
            best = point;
    }
    best.rate = size * (what->weak ? what->devices : 1) / best.seconds;
    best.efficiency = best.rate / single / what->devices;
    return best;
}

double scaling_least_planes(const struct scaling_machine *machine,
                            const struct scaling_stencil *stencil,
                            const struct scaling_grid *grid, int every, bool far)
{
    struct part p = {.machine = machine,
                     .stencil = stencil,
                     .rows = grid->rows,
                     .points = grid->points,
                     .halo = every * stencil->halo,
                     .every = every,
                     .sides = {2, 0},
                     .apart = far,
                     .single = machine->node == 1};
    double planes = (exchange_time(&p) - machine->launch) * machine->rate /
                    (grid->rows * grid->points);

    return fmax(planes, 0) + p.sides[0] * p.halo;
}
