/* Adapts tunables to sizes at which they were not timed. Tiles that divided the former
 * grid may leave a nearly empty last tile here, which takes as long as a full tile. */
#include "base/number.h"
#include "explore/estimate.h"
#include "run/chosen.h"
#include <math.h>
#include <string.h>

/* A tile is kept if it divides the grid. With more than FEW tiles, the excess may be
 * 1/VAIN of the grid. A new tile must be faster by the cost model, and stays a multiple
 * of the old power-of-two factor, up to VECTOR. */
enum { FEW = 8, VAIN = 16, VECTOR = 4 };

struct resize {
    struct explore_estimator *estimator;
    struct lift_nat_env sizes;
    struct chosen_candidate *candidate;
    bool done[LIFT_SPACE_PARAMS];
};

static double seconds_of(struct resize *r, const int *point)
{
    struct explore_estimate e;

    return explore_estimate(r->estimator, &r->candidate->candidates, point, &e)
               ? e.seconds
               : INFINITY;
}

static int64_t vector_part(int64_t tile)
{
    int64_t unit = 1;

    while (unit < VECTOR && tile % (2 * unit) == 0)
        unit *= 2;
    return unit;
}

/* Returns the index of the shortest tile that gives about the old number of tiles; -1:
 * none. */
static int find_tile(const struct lift_param *param, int64_t tile, int64_t extent)
{
    const int64_t count = lift_max(1, (extent + tile / 2) / tile);
    const int64_t least = (extent + count - 1) / count, unit = vector_part(tile);

    for (int i = 0; i < param->count; i++)
        if (param->values[i] >= least && param->values[i] % unit == 0)
            return i;
    return -1;
}

static bool suits(int64_t tile, int64_t extent)
{
    int64_t whole = tile < 1 ? extent : lift_round_up(extent, tile);

    return whole == extent || (whole / tile > FEW && whole - extent <= extent / VAIN);
}

static void fit_tile(struct resize *r, int param, int64_t extent)
{
    const struct lift_space *space = r->candidate->candidates.space;
    const struct lift_param *p = lift_space_param(space, param);
    int *point = r->candidate->point, before = point[param], fitting;
    double seconds;

    if (r->done[param] || suits(p->values[before], extent))
        return;
    r->done[param] = true;
    fitting = find_tile(p, p->values[before], extent);
    if (fitting < 0 || fitting == before)
        return;
    seconds = seconds_of(r, point);
    point[param] = fitting;
    if (!lift_space_valid(space, point) || !(seconds_of(r, point) < seconds))
        point[param] = before;
}

/* The quotient is (extent - 1) / tile: the number of tiles minus 1. */
static void look_at_quotient(struct resize *r, lift_nat over, lift_nat by)
{
    const struct lift_space *space = r->candidate->candidates.space;
    const char *name = lift_nat_is_var(by, NULL);
    int64_t extent;

    if (!name || !lift_nat_eval(over, lift_nat_env_value, &r->sizes, &extent))
        return;
    for (int i = 0; i < lift_space_param_count(space); i++)
        if (!strcmp(lift_space_param(space, i)->name, name))
            fit_tile(r, i, extent + 1);
}

static void look(struct resize *r, lift_nat n)
{
    for (int t = 0; t < lift_nat_term_count(n); t++) {
        int factors;

        lift_nat_term(n, t, &factors);
        for (int f = 0; f < factors; f++) {
            const struct lift_atom atom = lift_nat_factor(n, t, f);

            if (atom.kind == LIFT_ATOM_VAR)
                continue;
            look(r, atom.a);
            look(r, atom.b);
            if (atom.kind == LIFT_ATOM_DIV)
                look_at_quotient(r, atom.a, atom.b);
        }
    }
}

static bool look_at_node(void *user, lift_expr e)
{
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < lift_prim_info(e->op)->nat_count;
         i++)
        look(user, e->u.prim.nats[i]);
    return true;
}

void resize_point(const struct chooser *c, struct chosen_candidate *candidate)
{
    struct resize r = {explore_estimator_create(c->problem, c->device),
                       c->problem->sizes,
                       candidate,
                       {false}};

    lift_expr_each(candidate->candidates.term, look_at_node, &r);
    explore_estimator_destroy(r.estimator);
}
