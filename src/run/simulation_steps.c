/* The time loop of a simulation. */
#include "base/seconds.h"
#include "run/devices/overlap.h"
#include "run/ranks/simulation_ranks.h"
#include <string.h>

/* Seconds of launches between two checks for signals, and between two reports. */
static const double batch_seconds = 0.2;

static bool fail_plan(struct sim *s)
{
    s->result.hung = s->parts->hung;
    return sim_fail_as(s, SIM_FAILED, NULL);
}

bool sim_fetch_state(struct sim *s)
{
    if (s->fetched == s->step)
        return true;
    s->fetched = s->step;
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].changes &&
            !parts_fetch(s->parts, i, true, s->in[i].data, &s->result.error))
            return fail_plan(s);
    sim_lap(s, SIM_COPY);
    return true;
}

/* Moves the state to the plan of the next launch. */
static bool enter_plan(struct sim *s, int at_once)
{
    struct lift_plan *now = s->parts->own->state.plan;
    void *arrays[EXPLORE_MAX_LEAVES];
    double begin;

    if (now && s->parts->at_once == at_once)
        return true;
    s->launch_seconds = 0;
    if (now && parts_change(s->parts, at_once, &s->result.error)) {
        sim_lap(s, SIM_COPY);
        return true;
    }
    if (s->result.error.code)
        return fail_plan(s);
    if (now && !sim_fetch_state(s))
        return false;
    begin = lift_seconds();
    for (int i = 0; i < s->in_count; i++)
        arrays[i] = s->in[i].data;
    if (!parts_load(s->parts, arrays, at_once, &s->result.error))
        return fail_plan(s);
    sim_lap(s, SIM_COPY);
    if (s->look.seconds == 0)
        s->look.seconds = s->since - begin;
    return true;
}

int64_t sim_next_stop(const struct sim *s, int64_t step)
{
    const struct sim_options *o = &s->options;
    int64_t stop = o->record_count ? step + 1 : o->steps;

    for (int i = -2; i < o->snapshot_count; i++) {
        int64_t every = i == -2   ? (o->check_every > 0 ? o->check_every : 0)
                        : i == -1 ? o->checkpoint_every
                                  : o->snapshots[i].every;
        int64_t next = every ? step - step % every : 0;

        if (every && stop - next > every)
            stop = next + every;
    }
    return stop;
}

/* Divides the steps until the next stop into launches. */
static void plan_launches(struct sim *s)
{
    int64_t steps = sim_next_stop(s, s->step) - s->step;
    int own = sim_launch_steps(s);

    s->todo = (struct depth_split){.part = {{own, steps / own}}, .count = 1};
    if (own == 1 && (s->parts->count == 1 || s->parts->deep > 1))
        s->todo = depth_split(s->parts->count == 1 ? &s->parts->own->plan->speeds
                                                   : &s->parts->speeds,
                              steps, s->parts->own->state.plan ? s->parts->at_once : 0);
}

static void report(struct sim *s)
{
    struct sim_result *r = &s->result;
    const struct explore_problem *p =
        s->parts->count > 1 ? s->problem : s->plan->chosen->problem;
    double points = (double)p->points / plan_launch_steps(p);
    double speed = points * (double)(s->step - r->first) / r->seconds[SIM_KERNELS] * 1e-9;

    r->step = s->step;
    r->exchange = parts_exchange_seconds(s->parts);
    if (s->step == r->first)
        return;
    r->gpts = speed;
    r->in_cache = s->in_cache;
    r->copy_share =
        lift_copy_share((double)p->bytes, (double)p->points / speed * 1e-9, s->copy_gbs);
    if (s->options.report)
        s->options.report(s->options.user,
                          &(struct sim_progress){s->step, s->options.steps, speed,
                                                 r->copy_share, r->in_cache,
                                                 r->seconds[SIM_KERNELS]});
}

static bool launch_some(struct sim *s)
{
    struct depth_part *next = s->todo.part;
    int64_t count;
    double begin;

    if (s->todo.count == 0)
        plan_launches(s);
    if (!enter_plan(s, next->at_once))
        return false;
    count = plan_batch(s->launch_seconds, batch_seconds, next->launches);
    begin = lift_seconds();
    s->began = s->step == s->result.first ? begin : s->began;
    s->parts->step = s->step;
    if (!parts_launch(s->parts, count, &s->result.error))
        return fail_plan(s);
    s->step += count * next->at_once;
    s->launches[next->at_once] += count;
    next->launches -= count;
    if (next->launches <= 0)
        memmove(next, next + 1, (size_t)--s->todo.count * sizeof *next);
    s->launch_seconds = (lift_seconds() - begin) / (double)count;
    sim_lap(s, SIM_KERNELS);
    s->result.loop = s->since - s->began;
    report(s);
    return true;
}

/* Saves the state, unless it has a NaN or an infinity; the result then reports this. */
static bool save_checkpoint(struct sim *s)
{
    return sim_fetch_state(s) && sim_check_state(s) &&
           (s->result.end == SIM_NOT_FINITE || sim_save_checkpoint(s));
}

/* Also saves a checkpoint of the last step: later runs may resume from this checkpoint.
 */
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
        if (!launch_some(s) || !write_some(s))
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

static void describe_launches(struct sim *s)
{
    struct lift_str *out = &s->result.depths;

    for (int n = LIFT_MAX_STEPS; n > 0; n--)
        if (s->launches[n]) {
            lift_str_add(out, out->len ? ", " : "");
            depth_describe(
                &(struct depth_split){.part = {{n, s->launches[n]}}, .count = 1}, out);
        }
}

static void add_times(struct sim *s)
{
    const struct parts *parts = s->parts;
    struct sim_times *out = LIFT_NEW_ARRAY(s->arena, struct sim_times, parts->own_count);

    plan_graphs_describe(parts->count == 1 ? s->plan : parts->own->plan,
                         &s->result.launches);
    if (parts->count == 1
            ? depth_fastest(&parts->own->plan->known) > 1 || parts->own->plan->dropped
            : parts->deep > parts->base || parts->shallow.len > 0)
        describe_launches(s);
    s->result.times = out;
    for (int i = 0; parts->overlaps && i < parts->own_count; i++) {
        const struct overlap_times *t = &parts->own[i].overlap->times;

        if (parts->own[i].overlap->timed)
            out[s->result.time_count++] = (struct sim_times){
                parts->own[i].device, t->edges, t->began, t->taken, t->inner};
    }
}

enum sim_end sim_run(struct sim *s)
{
    bool good = run_steps(s);
    bool ended = sim_end_writer(s), written = good || s->result.end == SIM_NOT_FINITE;

    if (!written || !ended || !sim_write_records(s) || !good)
        return s->result.end;
    add_times(s);
    if (s->step < s->options.steps)
        stop(s);
    else
        sim_write_outputs(s);
    if (s->result.end != SIM_FAILED && s->result.end != SIM_USAGE)
        sim_meet(s, true);
    return s->result.end;
}
