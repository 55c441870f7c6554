/* The final benchmark in the process that runs the kernels. All finalists stay loaded. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/final/final.h"
#include "explore/trial/trial_run.h"

struct slot {
    const struct explore_problem *problem;
    struct candidate candidate; /* with binaries, if its checks passed */
    struct timing timing;
    int set; /* index of its buffers */
    bool ready;
};

/* A set of buffers, at present in the layout of one of the finalists that share it. */
struct set {
    struct runner_data data; /* empty if the allocation failed */
    int slot;
};

struct final_state {
    struct run_state *run;
    struct slot slots[MOST_FINALISTS];
    struct set sets[MOST_FINALISTS];
    int set_count;
};

/* True if another set of buffers fits. Sets take at most a quarter of the memory. All
 * finalists share one set if memory is short, or if the device itself writes the layouts,
 * which is fast. */
static bool has_room(const struct final_state *f)
{
    int64_t bytes = 0;

    if (f->set_count == 0)
        return true;
    for (int i = 0; i < f->set_count; i++)
        bytes += (int64_t)runner_data_bytes(&f->sets[i].data);
    return !f->sets[0].data.remote && f->set_count < MOST_FINALISTS &&
           bytes / f->set_count * (f->set_count + 1) <=
               f->run->bench->info->global_bytes / 4;
}

/* Chooses a set that fits already, a new set, or the next in turn. */
static int choose_set(struct final_state *f, const struct runner_module *m, int slot)
{
    for (int i = 0; i < f->set_count; i++)
        if (!f->sets[i].data.problem ||
            (f->sets[i].data.problem == f->run->bench->problem &&
             runner_fits(m, &f->sets[i].data)))
            return i;
    return has_room(f) ? f->set_count++ : slot % f->set_count;
}

static void take_back(struct final_state *f, int slot)
{
    struct set *set = &f->sets[f->slots[slot].set];

    set->data = f->run->data;
    set->slot = slot;
    f->run->data = (struct runner_data){0};
    f->run->data_ready = false;
}

static bool turn(struct final_state *f, struct run *r)
{
    struct lift_error error = {0};

    return !f->run->data_ready ||
           runner_data_turn(f->run->bench->problem, f->run->device, &f->run->data,
                            &error) ||
           trial_end_failure(&r->t, &error);
}

/* Checks use the buffers of the run's state. */
static bool check(struct final_state *f, struct run *r, int index)
{
    struct slot *slot = &f->slots[index];
    bool good;

    slot->set = choose_set(f, &r->candidate.full, index);
    f->run->data = f->sets[slot->set].data;
    f->run->data_ready = f->run->data.problem != NULL;
    good = turn(f, r) && run_check(r) && run_life(r, &slot->timing);
    take_back(f, index);
    return good;
}

static void load(struct final_state *f, struct run *r, int index, const char *job)
{
    struct slot *slot = &f->slots[index];

    candidate_fini(f->run->device, &slot->candidate);
    *slot = (struct slot){.problem = f->run->bench->problem};
    slot->timing =
        (struct timing){.device = f->run->device, .clocks = f->run->clocks, .steps = 1};
    if (run_load(r, job) && check(f, r, index)) {
        slot->candidate = r->candidate;
        slot->ready = true;
        r->candidate = (struct candidate){0};
        r->t.reply.status = LIFT_TRIAL_OK;
    }
}

/* Restores the layout if another finalist has used the buffers. */
static bool fit(struct final_state *f, int index, struct lift_error *error)
{
    struct slot *slot = &f->slots[index];
    struct set *set = &f->sets[slot->set];

    slot->timing.module = &slot->candidate.full;
    slot->timing.data = &set->data;
    if (set->slot == index)
        return true;
    set->slot = index;
    return runner_data_turn(slot->problem, f->run->device, &set->data, error) &&
           runner_refit(f->run->device, &slot->candidate.full, &set->data, error);
}

static bool take(struct run *r, struct timing *t, struct lift_error *error)
{
    struct trial_reply *reply = &r->t.reply;
    struct timing_sample sample;

    if (!timing_take(t, &sample, error))
        return false;
    reply->samples[reply->sample_count] = sample.seconds;
    reply->trips[reply->sample_count] = sample.trip;
    reply->clocks[reply->sample_count++] = sample.clock;
    return true;
}

static void time_one(struct final_state *f, struct run *r, int index)
{
    struct slot *slot = &f->slots[index];
    struct lift_error error = {0};
    double ignored, start = lift_seconds();
    bool good;

    if (!slot->ready) {
        trial_end(&r->t, LIFT_TRIAL_LOST, "the worker was started again");
        return;
    }
    good = fit(f, index, &error) && timing_launch(&slot->timing, 1, &ignored, &error);
    for (int i = 0; i < r->request->samples && good; i++)
        good = take(r, &slot->timing, &error);
    r->t.reply.measure_s = lift_seconds() - start;
    if (good)
        r->t.reply.status = LIFT_TRIAL_OK;
    else
        trial_end_failure(&r->t, &error);
}

/* The first request of the final benchmark ends the search: its buffers are released, and
 * finalists allocate theirs. */
void run_final(struct run *r, const char *job)
{
    struct run_state *s = r->state;
    int slot = r->request->slot;

    LIFT_ASSERT(slot >= 0 && slot < MOST_FINALISTS);
    if (!s->final) {
        s->final = lift_alloc(1, sizeof *s->final);
        s->final->run = s;
        run_drop(s);
        references_drop(s->references, s->device);
        if (s->slab)
            run_drop(s->slab);
    }
    if (r->request->task == TRIAL_LOAD)
        load(s->final, r, slot, job);
    else
        time_one(s->final, r, slot);
    candidate_fini(s->device, &r->candidate);
}
