/* The benches of a session: grids and reference kernels. The runners make references when
 * a trial needs them (explore/reference.h). */
#include "base/seconds.h"
#include "explore/reference.h"
#include "explore/session/session.h"
#include "explore/trial/slab.h"

int session_processors(const struct session *s)
{
    int count = 0;

    for (int i = 0; i < s->device_session_count; i++)
        count += s->device_sessions[i].device.info.is_cpu;
    return count;
}

/* Finds the slab for the device that needs the largest. */
static const struct explore_problem *find_slab(const struct session *s)
{
    int64_t bytes = 0, wanted;

    for (int i = 0; i < s->device_session_count; i++) {
        wanted = explore_slab_bytes(&s->device_sessions[i].device.info);
        bytes = wanted > bytes ? wanted : bytes;
    }
    return explore_slab_of(s->problem, bytes);
}

/* Second inputs are for the slab if there is one. */
static bool make_benches(struct device_session *l, struct lift_str *why)
{
    const struct session *s = l->session;

    l->bench = (struct explore_bench){.problem = s->problem,
                                      .device = l->result->name,
                                      .info = &l->device.info,
                                      .spaces = l->spaces,
                                      .later = &l->later,
                                      .seed = s->options->seed,
                                      .second = !s->slab};
    if (!explore_reference_lower(&l->bench, s->options->rules, why))
        return false;
    if (!s->slab)
        return true;
    l->slab = l->bench;
    l->slab.problem = s->slab;
    l->slab.second = true;
    l->bench.slab = &l->slab;
    return true;
}

bool session_begin_runners(struct session *s)
{
    LIFT_SCOPED(lift_str) why = {0};

    s->slab = find_slab(s);
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        if (!make_benches(l, &why))
            return session_fail(s, "no reference for '%s': %s", s->problem->name,
                                lift_str_get(&why));
        l->runner = lift_worker_create(explore_run_serve, &l->bench);
    }
    return true;
}

/* The slab's reference has fewer points than the problem's, and serves later trials. */
bool session_has_slab_time(const struct session *s)
{
    double left = session_deadline(s) - s->result->progress.reserved - lift_seconds();
    double share = s->slab ? (double)s->slab->points / (double)s->problem->points : 0;

    return !s->slab || s->slab_known || s->options->seconds <= 0 ||
           left > (0.5 + 2 * share) * s->reference_seconds;
}
