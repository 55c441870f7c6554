/* The time loop of a simulation. */
#include "base/seconds.h"
#include "run/ranks/simulation_ranks.h"

/* Seconds of launches between two looks at signals, and two reports. */
static const double batch_seconds = 0.2;

static bool fail_plan(struct sim *s)
{
    s->result.hung = s->parts && s->parts->hung;
    return sim_fail_as(s, SIM_FAILED, NULL);
}

static void state_arrays(struct sim *s, void *arrays[EXPLORE_MAX_LEAVES])
{
    for (int i = 0; i < s->in_count; i++)
        arrays[i] = s->in[i].data;
}

static bool fetch_parts(struct sim *s)
{
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].changes &&
            !parts_fetch(s->parts, i, true, s->in[i].data, &s->result.error))
            return fail_plan(s);
    sim_lap(s, SIM_COPY);
    return true;
}

bool sim_fetch_state(struct sim *s)
{
    void *arrays[EXPLORE_MAX_LEAVES];
    bool good;

    if (s->fetched == s->step)
        return true;
    s->fetched = s->step;
    if (s->parts)
        return fetch_parts(s);
    state_arrays(s, arrays);
    good = plan_state_fetch(&s->state, arrays, NULL) || fail_plan(s);
    sim_lap(s, SIM_COPY);
    return good;
}

static int at_once(const struct lift_plan *plan)
{
    int steps = plan->chosen->problem->program->steps;

    return steps > 1 ? steps : 1;
}

/* The state goes to the plan that makes the next launch: fewer steps than the other one
 * has at once are left. */
static bool enter_plan(struct sim *s)
{
    struct lift_plan *plan = s->plan;
    void *arrays[EXPLORE_MAX_LEAVES];
    double begin;
    bool good;

    if (plan->single && s->options.steps - s->step < at_once(plan))
        plan = plan->single;
    if (s->state.plan == plan)
        return true;
    if (s->state.plan) {
        if (!sim_fetch_state(s))
            return false;
        plan_release_all(s->state.plan);
    }
    begin = lift_seconds();
    state_arrays(s, arrays);
    s->state = (struct plan_state){.plan = plan, .error = &s->result.error};
    plan_want_graphs(plan, s->options.graphs);
    s->launch_seconds = 0;
    good = (s->parts ? parts_load(s->parts, arrays, &s->result.error)
                     : plan_state_load(&s->state, arrays)) ||
           fail_plan(s);
    sim_lap(s, SIM_COPY);
    if (s->look.seconds == 0)
        s->look.seconds = s->since - begin;
    return good;
}

/* The next step after which something is written. */
static int64_t next_stop(const struct sim *s)
{
    const struct sim_options *o = &s->options;
    int64_t stop = o->record_count ? s->step + 1 : o->steps;

    for (int i = -2; i < o->snapshot_count; i++) {
        int64_t every = i == -2   ? (o->check_every > 0 ? o->check_every : 0)
                        : i == -1 ? o->checkpoint_every
                                  : o->snapshots[i].every;
        int64_t next = every ? s->step - s->step % every : 0;

        if (every && stop - next > every)
            stop = next + every;
    }
    return stop;
}

static void report(struct sim *s)
{
    struct sim_result *r = &s->result;
    const struct explore_problem *p = s->parts ? s->problem : s->plan->chosen->problem;
    double points = (double)p->points / at_once(s->plan);
    double speed = points * (double)(s->step - r->first) / r->seconds[SIM_KERNELS] * 1e-9;

    r->step = s->step;
    r->exchange = s->parts ? parts_exchange_seconds(s->parts) : 0;
    if (s->step == r->first)
        return;
    r->gpts = speed;
    if (s->copy_gbs > 0 && p->bytes > 0)
        r->roof = speed / (s->copy_gbs * (double)p->points / (double)p->bytes);
    if (s->options.report)
        s->options.report(s->options.user,
                          &(struct sim_progress){s->step, s->options.steps, speed,
                                                 r->roof, r->seconds[SIM_KERNELS]});
}

static bool launch_some(struct sim *s)
{
    int each = at_once(s->state.plan);
    int64_t most = (next_stop(s) - s->step) / each, count = 1;
    double begin = lift_seconds();

    if (s->launch_seconds > 0 && batch_seconds / s->launch_seconds < (double)most)
        count = (int64_t)(batch_seconds / s->launch_seconds);
    else if (s->launch_seconds > 0)
        count = most;
    count = count > 0 ? count : 1;
    s->began = s->step == s->result.first ? begin : s->began;
    if (s->parts)
        s->parts->step = s->step;
    if (!(s->parts ? parts_launch(s->parts, count, &s->result.error)
                   : plan_state_launch(&s->state, count)))
        return fail_plan(s);
    s->step += count * each;
    s->launch_seconds = (lift_seconds() - begin) / (double)count;
    sim_lap(s, SIM_KERNELS);
    s->result.loop = s->since - s->began;
    report(s);
    return true;
}

/* Unless it has a NaN or an infinity, which the result then says. */
static bool save_checkpoint(struct sim *s)
{
    return sim_fetch_state(s) && sim_check_state(s) &&
           (s->result.end == SIM_NOT_FINITE || sim_save_checkpoint(s));
}

/* A checkpoint of the last step serves runs that go on behind it. */
static bool write_some(struct sim *s)
{
    int64_t every = s->options.checkpoint_every;

    return sim_record(s) && sim_look(s) && sim_write_snapshots(s) &&
           (!every || s->step % every || save_checkpoint(s));
}

static bool run_steps(struct sim *s)
{
    while (s->step < s->options.steps) {
        if (!sim_turn(s))
            return false;
        if (s->turn.stop)
            break;
        if (!enter_plan(s) || !launch_some(s) || !write_some(s))
            return false;
    }
    return true;
}

static enum sim_end stop(struct sim *s)
{
    if (s->options.checkpoint && s->step > s->result.first &&
        (!save_checkpoint(s) || s->result.end == SIM_NOT_FINITE))
        return s->result.end;
    s->result.signal = s->turn.stop;
    return s->result.end = SIM_STOPPED;
}

enum sim_end sim_run(struct sim *s)
{
    bool good = run_steps(s);
    bool ended = sim_end_writer(s), written = good || s->result.end == SIM_NOT_FINITE;

    if (!written || !ended || !sim_write_records(s) || !good)
        return s->result.end;
    sim_add_times(s);
    if (s->step < s->options.steps)
        stop(s);
    else
        sim_write_outputs(s);
    if (s->result.end != SIM_FAILED && s->result.end != SIM_USAGE)
        sim_meet(s, true);
    return s->result.end;
}
