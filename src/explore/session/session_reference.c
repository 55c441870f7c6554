/* The benches of a session: grids and reference kernels. The runners make references when
 * a trial needs them (explore/reference.h). They make the first one while compilers build
 * the first candidates. */
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

/* Finds the slab of a problem for the device that needs the largest. */
static const struct explore_problem *find_slab(const struct session *s,
                                               const struct explore_problem *p)
{
    int64_t bytes = 0, wanted;

    for (int i = 0; i < s->device_session_count; i++) {
        wanted = explore_slab_bytes(&s->device_sessions[i].device.info);
        bytes = wanted > bytes ? wanted : bytes;
    }
    return explore_slab_of(p, bytes);
}

/* Second inputs are for the slab if there is one. All depths have the reference kernels
 * of the first one. */
static bool make_benches(struct device_session *l, struct lift_str *why)
{
    const struct session *s = l->session;

    for (int i = 0; i < s->depth_count; i++) {
        const struct explore_problem *slab = s->depths[i].slab;
        struct explore_bench *bench = &l->benches[i];

        *bench = (struct explore_bench){.problem = s->depths[i].problem,
                                        .device = l->result->name,
                                        .info = &l->device.info,
                                        .later = &l->depths[i].later,
                                        .seed = s->options->seed,
                                        .plain = l->benches[0].plain,
                                        .own = l->benches[0].own,
                                        .second = !slab,
                                        .depths = l->benches};
        if ((i == 0 || !bench->problem->sweep) &&
            !explore_reference_lower(bench, s->options->rules, why))
            return false;
        if (!slab)
            continue;
        l->slabs[i] = *bench;
        l->slabs[i].problem = slab;
        l->slabs[i].second = true;
        bench->slab = &l->slabs[i];
    }
    return true;
}

bool session_begin_runners(struct session *s)
{
    LIFT_SCOPED(lift_str) why = {0};

    for (int i = 0; i < s->depth_count; i++)
        s->depths[i].slab = find_slab(s, s->depths[i].problem);
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        if (!make_benches(l, &why))
            return session_fail(s, "no reference for '%s': %s", s->problem->name,
                                lift_str_get(&why));
        l->runner = lift_worker_create(explore_run_serve, &l->benches[0]);
        drive_prepare(l);
    }
    return true;
}

/* The slab's reference has fewer points than the problem's, and serves later trials. */
bool session_has_slab_time(const struct session *s)
{
    double left = session_deadline(s) - s->result->progress.reserved - lift_seconds();
    const struct explore_problem *slab = s->depths[0].slab;
    double share = slab ? (double)slab->points / (double)s->problem->points : 0;

    return !slab || s->slab_known || s->options->seconds <= 0 ||
           left > (0.5 + 2 * share) * s->reference_seconds;
}
