/* Extends the space near fast kernels: each of the fastest measured configurations gets
 * neighbours that differ in one option of a decision. */
#include "base/memory.h"
#include "explore/configurations.h"
#include "explore/session/breadth.h"
#include "explore/session/option_slowness.h"
#include "explore/session/session.h"
#include <math.h>
#include <stdlib.h>

enum {
    FASTEST = 4,     /* number of expressions that get neighbours */
    RANKED = 64,     /* among so many, the fastest of each depth gets neighbours, too */
    OTHER_DEPTHS = 2 /* most difference of depths */
};

struct neighbour {
    struct lift_choice choice;
    double guessed;
};

/* The space does not grow if the user names the expressions, or compares techniques. */
bool session_has_few_trials(const struct lift_explore_options *o)
{
    enum { FEW = 40 };

    return o->trials > 0 && o->trials < FEW;
}

bool session_may_grow(const struct lift_explore_options *o)
{
    return !o->technique && !o->max_exprs && !o->expr_count && !o->point_count &&
           !o->table;
}

/* Finds the fastest candidate whose neighbours are missing, or the fastest of a depth
 * that is nearly as fast; returns false if there is none. */
static bool find_parent(const struct device_session *l, struct lift_choice *out)
{
    static const double nearly = 1.3;
    LIFT_FREED double *least = lift_alloc((size_t)l->space_count, sizeof *least);
    struct lift_choice fastest[RANKED];
    bool has[LIFT_MAX_STEPS] = {false};
    int count = lift_search_fastest(frontier_search(l->frontier), fastest, RANKED);

    lift_search_least(frontier_search(l->frontier), least, l->space_count);
    for (int i = 0; i < count; i++) {
        int expr = fastest[i].expr;
        bool first =
            !has[l->depth_of[expr]] && least[expr] <= nearly * least[fastest[0].expr];

        has[l->depth_of[expr]] = true;
        if ((i < FASTEST || first) && !l->widening.done[expr]) {
            *out = fastest[i];
            return true;
        }
    }
    return false;
}

struct widener {
    struct device_session *l;
    int depth; /* of the parent */
};

static void add_neighbour(void *user, const struct lift_configuration *point)
{
    const struct widener *w = user;

    device_session_add_configuration(w->l, w->depth, point);
}

/* Adds the same configuration with other numbers of time steps. */
static void add_other_depths(const struct widener *w,
                             const struct lift_configuration *point)
{
    for (int i = w->depth - OTHER_DEPTHS; i <= w->depth + OTHER_DEPTHS; i++)
        if (i >= 0 && i < w->l->session->depth_count && i != w->depth)
            device_session_add_configuration(w->l, i, point);
}

static int most_promising(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;

    if (x->guessed != y->guessed)
        return x->guessed < y->guessed ? -1 : 1;
    return x->choice.expr - y->choice.expr;
}

/* Opens the best of the new expressions, with the parent's values. */
static void open_best(struct device_session *l, const struct lift_choice *parent,
                      int before)
{
    LIFT_FREED struct neighbour *all =
        lift_alloc((size_t)(l->space_count - before), sizeof *all);
    LIFT_FREED double *least = lift_alloc((size_t)before, sizeof *least);
    LIFT_FREED const struct lift_configuration **points =
        lift_alloc((size_t)l->space_count, sizeof *points);
    const struct measured_points measured = {points, least, before};
    int count = 0, most = breadth_of(&l->device.info)->neighbours;

    lift_search_least(frontier_search(l->frontier), least, before);
    for (int i = 0; i < l->space_count; i++)
        points[i] = &device_session_leaf(l, i)->configuration;
    for (int i = before; i < l->space_count; i++) {
        struct neighbour *n = &all[count];

        if (!lift_joint_carry(l->joint, parent, i, &n->choice))
            continue;
        n->guessed =
            lift_joint_guessed(l->joint, &n->choice) *
            option_slowness(&measured, lift_decision_count(l->session->options->rules),
                            points[parent->expr], points[i]);
        count += !isinf(n->guessed);
    }
    qsort(all, (size_t)count, sizeof *all, most_promising);
    for (int i = 0; i < count && i < most; i++) {
        bool deeper = l->depth_of[all[i].choice.expr] > 0;

        frontier_add(l->frontier,
                     &(struct frontier_item){.choice = all[i].choice,
                                             .source = deeper ? FRONTIER_TEMPORAL
                                                              : FRONTIER_PROMISING,
                                             .guessed = all[i].guessed});
    }
}

/* Device sessions that share the search get equal candidate spaces. */
void device_session_grown(struct device_session *l)
{
    for (int i = 0; i < l->session->device_session_count; i++)
        if (l->session->device_sessions[i].twin == l)
            device_session_compose_like(&l->session->device_sessions[i], l);
    l->joint = device_session_joint(l);
    lift_search_widen(frontier_search(l->frontier), l->joint);
}

static void widen(struct device_session *l, const struct lift_choice *parent)
{
    struct lift_configuration point = device_session_leaf(l, parent->expr)->configuration;
    struct widener w = {l, l->depth_of[parent->expr]};
    int before = l->space_count;

    l->widening.done[parent->expr] = true;
    add_other_depths(&w, &point);
    configurations_neighbours(l->depths[w.depth].derivation, &point, add_neighbour, &w);
    if (l->space_count == before)
        return;
    device_session_grown(l);
    open_best(l, parent, before);
}

void device_session_widen(struct device_session *l)
{
    int told = lift_search_told(frontier_search(l->frontier));
    struct lift_choice parent;

    if (l->twin)
        l = &l->session->device_sessions[l->twin - l->session->device_sessions];
    if (!session_may_grow(l->session->options) ||
        told < l->widening.told + breadth_of(&l->device.info)->answers ||
        !find_parent(l, &parent))
        return;
    l->widening.told = told;
    widen(l, &parent);
}
