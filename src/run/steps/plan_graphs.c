/* Launches of a time loop as graphs. The buffers of the inputs determine all buffers of
 * the following launches, so launches from equal buffers are equal. At first, launches
 * are made one by one, which allocates buffers and loads kernels. The second time, a
 * graph records the launches; later times replay the graph. */
#include "base/number.h"
#include "base/seconds.h"
#include "run/plan.h"
#include <string.h>

static const double watch_seconds = 0.05;

/* ---- the graphs of a plan */

static bool begins_here(const struct plan_graph *g, const struct plan_state *s,
                        int64_t launches)
{
    for (int i = 0; i < s->plan->input_count; i++)
        if (g->before[i].buffer != s->turn.arrays[i].buffer)
            return false;
    return g->launches == launches;
}

static struct plan_graph *find(const struct plan_state *s, int64_t launches)
{
    struct plan_graphs *all = &s->plan->graphs;

    for (int i = 0; i < all->count; i++)
        if (begins_here(&all->list[i], s, launches))
            return &all->list[i];
    return NULL;
}

/* Returns a free entry, or the entry of launches that occurred once; NULL: all entries
 * have graphs. */
static struct plan_graph *room(struct plan_graphs *all)
{
    if (all->count < PLAN_GRAPHS)
        return &all->list[all->count++];
    for (int i = 0; i < PLAN_GRAPHS; i++) {
        struct plan_graph *g = &all->list[all->next++ % PLAN_GRAPHS];

        if (!g->graph)
            return g;
    }
    return NULL;
}

static void note(const struct plan_state *s, int64_t launches)
{
    struct plan_graph *g = room(&s->plan->graphs);

    if (!g)
        return;
    *g = (struct plan_graph){.launches = launches};
    memcpy(g->before, s->turn.arrays, sizeof g->before);
}

void plan_graphs_drop(struct lift_plan *plan)
{
    struct plan_graphs *all = &plan->graphs;

    for (int i = 0; i < all->count; i++)
        if (all->list[i].graph)
            plan->device->runtime->drop_graph(plan->device, all->list[i].graph);
    all->count = 0;
}

/* Makes launches one by one from now on. */
static void give_up(struct lift_plan *plan, const char *why)
{
    plan_graphs_drop(plan);
    plan->graphs.wanted = false;
    lift_str_clear(&plan->graphs.why);
    lift_str_add(&plan->graphs.why, why);
}

/* ---- launches */

static bool launch_each(struct plan_state *s, int64_t launches)
{
    for (int64_t n = 0; n < launches; n++)
        if (!plan_state_bind(s) || !plan_launch(s->plan, s->error) ||
            !plan_state_rotate(s))
            return false;
    return true;
}

/* Records launches without executing them. Afterwards the state is that after the
 * launches.
 */
static struct lift_graph *record(struct plan_state *s, int64_t launches,
                                 struct lift_error *failure)
{
    struct lift_device *device = s->plan->device;
    struct lift_error *kept = s->error;
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_graph *graph;
    bool good;

    if (!device->runtime->record(device, failure))
        return NULL;
    s->error = &error;
    good = launch_each(s, launches);
    s->error = kept;
    graph = device->runtime->recorded(device, failure);
    if (good || !graph)
        return graph;
    device->runtime->drop_graph(device, graph);
    lift_fail(failure, error.code, "%s", lift_error_text(&error));
    return NULL;
}

static bool make(struct plan_state *s, struct plan_graph *g)
{
    const struct plan_state before = *s;
    LIFT_SCOPED(lift_error) failure = {0};

    g->graph = record(s, g->launches, &failure);
    if (g->graph)
        memcpy(g->after, s->turn.arrays, sizeof g->after);
    else
        give_up(s->plan, lift_str_get(&failure.text));
    *s = before;
    return s->plan->graphs.wanted;
}

static bool replay(struct plan_state *s, const struct plan_graph *g)
{
    struct lift_device *device = s->plan->device;

    if (!device->runtime->replay(device, g->graph, s->error))
        return lift_recode(s->error, LIFT_ERROR_RUN);
    memcpy(s->turn.arrays, g->after, sizeof g->after);
    if (g->launches > s->plan->graphs.longest)
        s->plan->graphs.longest = g->launches;
    return true;
}

static bool is_one_kernel(const struct lift_plan *plan, int64_t launches)
{
    const struct lift_module *m = plan->chosen->module.module;

    return launches == 1 && m->kernel_count == 1 && m->kernels[0].times <= 1;
}

static bool enqueue(struct plan_state *s, int64_t launches)
{
    struct plan_graph *g;

    if (!s->plan->graphs.wanted || is_one_kernel(s->plan, launches))
        return launch_each(s, launches);
    g = find(s, launches);
    if (g && (g->graph || make(s, g)))
        return replay(s, g);
    if (!g)
        note(s, launches);
    if (!launch_each(s, launches))
        return false;
    if (s->copied)
        give_up(s->plan, "inputs of one value are copied between launches");
    return true;
}

bool plan_state_enqueue(struct plan_state *s, int64_t launches)
{
    for (int64_t left = launches; left > 0; left -= PLAN_GRAPH_LAUNCHES)
        if (!enqueue(s, left < PLAN_GRAPH_LAUNCHES ? left : PLAN_GRAPH_LAUNCHES))
            return false;
    return true;
}

int64_t plan_batch(double launch, double seconds, int64_t most)
{
    double count = launch > 0 ? seconds / launch : 1;
    int64_t fits = count < (double)most ? (int64_t)count : most;

    return fits > 1 ? fits : 1;
}

bool plan_state_launch(struct plan_state *s, int64_t launches)
{
    const struct plan_watch *w = s->watch && s->watch->go_on ? s->watch : NULL;
    double asked = lift_seconds(), each = 0;
    int64_t count;

    for (s->launched = 0; s->launched < launches; s->launched += count) {
        double begin = lift_seconds();

        if (w && begin - asked >= watch_seconds) {
            if (!w->go_on(w->user))
                return true;
            asked = begin = lift_seconds();
        }
        count = lift_min(PLAN_STEPS_AT_ONCE, launches - s->launched);
        if (w)
            count = plan_batch(each, watch_seconds / 2, count);
        if (!plan_state_enqueue(s, count) || !plan_wait(s->plan, s->error))
            return false;
        each = (lift_seconds() - begin) / (double)count;
    }
    return true;
}

/* ---- descriptions */

void plan_want_graphs(struct lift_plan *plan, bool wanted)
{
    plan->graphs.wanted = wanted && plan->device->runtime->record;
}

void plan_graphs_describe(const struct lift_plan *plan, struct lift_str *out)
{
    const struct plan_graphs *all = &plan->graphs;

    if (all->longest)
        lift_str_addf(out, "as graphs of %lld launches", (long long)all->longest);
    else if (all->why.len)
        lift_str_addf(out, "launched one by one (%s)", lift_str_get(&all->why));
    else if (all->wanted)
        lift_str_addf(out, "launched one by one (%s)",
                      all->count ? "no sequence of launches repeats"
                                 : "one kernel at a time");
    else if (plan->device->runtime->record)
        lift_str_add(out, "launched one by one");
}
