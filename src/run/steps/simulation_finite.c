/* Searches the arrays of a run for NaN and infinities, so that an unstable run stops
 * early.
 *
 * A search copies the state from the device. By default searches take 1 % of the time:
 * the next search follows when kernels have run 100 times as long as the last search
 * took. */
#include "base/seconds.h"
#include "run/ranks/simulation_ranks.h"
#include <math.h>

enum { TIMES = 100 };

bool sim_check_finite(struct sim *s, struct sim_field f, const void *data)
{
    const struct explore_shape *shape = sim_shape_of(s, f);
    struct sim_infinite bad;
    int64_t place[LIFT_LAYOUT_DIMS + 1], rest;
    struct lift_str at = {0};

    if (!lift_scalar_is_real(shape->scalar) || s->options.check_every < 0)
        return true;
    if (!sim_find_infinite(s, shape, f.in, data, &bad))
        return false;
    if (bad.count == 0 || s->result.end == SIM_NOT_FINITE)
        return true;
    rest = bad.first;
    for (int d = shape->dims - 1; d >= 0; d--) {
        place[d] = rest % shape->length[d];
        rest /= shape->length[d];
    }
    for (int d = 0; d < shape->dims; d++)
        lift_str_addf(&at, "[%lld]", (long long)place[d]);
    sim_fail(s, SIM_NOT_FINITE,
             "%lld of %lld elements of '%s' are not finite after step %lld, the first "
             "is %g at %s",
             (long long)bad.count, (long long)shape->count, shape->name,
             (long long)s->step, isnan(bad.value) ? fabs(bad.value) : bad.value,
             lift_str_get(&at));
    lift_str_fini(&at);
    return true;
}

bool sim_check_state(struct sim *s)
{
    bool good = true;

    for (int i = 0; good && i < s->in_count; i++)
        if (s->in[i].changes)
            good = sim_check_finite(s, (struct sim_field){i, -1}, s->in[i].data);
    return good;
}

bool sim_is_look_due(const struct sim *s)
{
    const struct sim_look *look = &s->look;

    return s->options.check_every == 0 && look->seconds > 0 &&
           s->result.seconds[SIM_KERNELS] - look->kernels > TIMES * look->seconds;
}

bool sim_look(struct sim *s)
{
    int64_t every = s->options.check_every, saved = s->options.checkpoint_every;
    bool due = every == 0 ? s->turn.look : every > 0 ? s->step % every == 0 : false;
    double begin = lift_seconds();

    due |= every >= 0 && saved && s->step % saved == 0;
    if (!due || s->step == s->options.steps)
        return true;
    if (!sim_fetch_state(s) || !sim_check_state(s))
        return false;
    sim_lap(s, SIM_COPY);
    if (s->result.end == SIM_NOT_FINITE)
        lift_fail_more(
            &s->result.error,
            ": the run stops at step %lld of %lld; --check-finite no continues",
            (long long)s->step, (long long)s->options.steps);
    s->look = (struct sim_look){lift_seconds() - begin, s->result.seconds[SIM_KERNELS]};
    return s->result.end != SIM_NOT_FINITE;
}
