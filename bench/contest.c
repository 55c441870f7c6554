#include "contest.h"
#include "explore/timing.h"
#include "lift/bug.h"
#include "lift/stats.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 3, MOST_CONTENDERS = REFERENCE_MOST + 1, COPIES = 4 };

/* Arrays of the driver's copy: far larger than caches, but not all of the memory. */
static const int64_t copied_bytes = 1024 * 1024 * 1024, copied_share = 64;

struct contender {
    const char *name;
    struct runner_module *module;
    struct set *set;
    struct timing timing;
    bool good;
    double error, bound;
    double seconds[CONTEST_ROUNDS];
};

/* Buffers, fitted to one of the contenders that share them. */
struct set {
    struct runner_data data;
    const struct contender *fitted;
};

struct hall {
    struct contest *contest;
    struct contest_result *out;
    struct lift_device *device;
    const struct lift_runtime *rt;
    struct lift_clocks *clocks;
    struct contender contenders[MOST_CONTENDERS]; /* ours first */
    int count;
    struct set sets[MOST_CONTENDERS];
    struct lift_buffer *truths[EXPLORE_TRUTHS][EXPLORE_MAX_LEAVES];
    struct lift_buffer *copy_from, *copy_to;
    size_t copy_bytes; /* 0: the driver has no copy */
    double copies[CONTEST_ROUNDS];
    struct lift_failure failure;
};

static void forget(struct hall *h)
{
    lift_failure_fini(&h->failure);
    h->failure = (struct lift_failure){0};
}

static void note(struct hall *h, const char *name, const char *why)
{
    size_t len = strlen(h->out->notes);

    snprintf(h->out->notes + len, sizeof h->out->notes - len, "%s: %.*s\n", name,
             (int)strcspn(why, "\n"), why);
}

/* A contender leaves the contest. False, for 'return'. */
static bool leave(struct hall *h, struct contender *c, const char *why)
{
    c->good = false;
    if (c == &h->contenders[0]) {
        snprintf(h->out->failure, sizeof h->out->failure, "%.*s", (int)strcspn(why, "\n"),
                 why);
    } else {
        h->out->refused++;
        note(h, c->name, why);
    }
    forget(h);
    return false;
}

static bool fail(struct hall *h, struct contender *c)
{
    return leave(h, c, lift_str_get(&h->failure.text));
}

/* ---- right? */

static bool fit(struct hall *h, struct contender *c)
{
    struct set *set = c->set;

    if (set->fitted == c)
        return true;
    if (!set->data.problem &&
        !runner_data_create(h->contest->bench.problem, h->device,
                            &h->contest->bench.problem->sizes, h->contest->bench.seed,
                            &set->data, &h->failure))
        return false;
    set->fitted = NULL;
    if (!runner_fit(h->device, c->module, &set->data, &h->failure))
        return false;
    set->fitted = c;
    c->timing.used = c->timing.life;
    return true;
}

static struct lift_buffer *truth(struct hall *h, int number, int output,
                                 const struct explore_leaf *leaf)
{
    const struct explore_truth *t = &h->contest->bench.truths[number];
    struct lift_buffer **there = &h->truths[number][output];
    size_t bytes = (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar);

    if (*there)
        return *there;
    *there = h->rt->alloc(h->device, bytes, &h->failure);
    if (*there && h->rt->write(h->device, *there, t->outputs[output], bytes, &h->failure))
        return *there;
    return NULL;
}

static bool compare(struct hall *h, struct contender *c, int number)
{
    const struct explore_truth *t = &h->contest->bench.truths[number];
    struct runner_data *d = &c->set->data;

    for (int i = 0; i < d->output_count; i++) {
        struct explore_verdict v = {
            .bound = explore_bound(d->problem, d->outputs[i].scalar, t->magnitude[i]) *
                     explore_seed_width(t->seed)};
        struct lift_buffer *want = truth(h, number, i, &d->outputs[i]);
        char why[CONTEST_TEXT];

        if (!want || !runner_compare(h->device, d, i, want, &v, &h->failure))
            return fail(h, c);
        if (v.bound > 0 && v.max_error * c->bound >= c->error * v.bound) {
            c->error = v.max_error;
            c->bound = v.bound;
        }
        if (v.bad == 0)
            continue;
        snprintf(why, sizeof why,
                 "refused: it differs from the plain program in %lld values, first at "
                 "%lld, by up to %g (allowed: %g)",
                 (long long)v.bad, (long long)v.first_bad, v.max_error, v.bound);
        return leave(h, c, why);
    }
    return true;
}

static bool check_once(struct hall *h, struct contender *c, int number)
{
    struct runner_data *d;

    if (!fit(h, c))
        return fail(h, c);
    d = &c->set->data;
    runner_reseed(d, h->contest->bench.truths[number].seed);
    if (!runner_fit(h->device, c->module, d, &h->failure) ||
        !runner_poison(h->device, d, &h->failure) ||
        !runner_launch(h->device, c->module, d, 1, NULL, &h->failure) ||
        !runner_inspect(h->device, d, false, &h->failure))
        return fail(h, c);
    return compare(h, c, number) &&
           (runner_inspect(h->device, d, true, &h->failure) || fail(h, c));
}

/* On both inputs, the first of them last: on these it is timed. */
static bool check(struct hall *h, struct contender *c)
{
    return check_once(h, c, EXPLORE_SECOND) && check_once(h, c, EXPLORE_FIRST);
}

/* ---- kernels that overwrite an input */

/* How often ours can be launched on the same data, found out at a small size. */
static bool find_life(struct hall *h, struct contender *c)
{
    const struct lift_chosen *chosen = h->contest->chosen;
    struct candidate_recipe recipe = chosen_recipe(&chosen->chooser, &chosen->candidate);
    const struct explore_problem *p = chosen->problem;
    struct explore_numbers n;
    struct runner_module small = {0};
    struct runner_data data = {0};
    struct lift_str why = {0};
    bool good;

    c->timing.life = 1;
    explore_numbers_of(p, recipe.arm, recipe.point, &n);
    if (recipe.arm->fixed || !explore_small_sizes(p, recipe.arm, &n, &why) ||
        !candidate_generate(&recipe, &n, &small, &why)) {
        lift_str_fini(&why);
        runner_unload(h->device, &small);
        return true;
    }
    good = runner_build(h->device, &small, candidate_flags(&recipe), NULL, &h->failure) &&
           runner_data_create(p, h->device, &n.env, h->contest->bench.seed, &data,
                              &h->failure) &&
           runner_fit(h->device, &small, &data, &h->failure) &&
           timing_life(h->device, &small, &data, &c->timing.life, &h->failure);
    runner_data_destroy(h->device, &data);
    runner_unload(h->device, &small);
    return good || fail(h, c);
}

/* Bit 'i': input 'i' is overwritten by some output. */
static uint64_t overwritten(const struct lift_module *m)
{
    uint64_t set = 0;

    for (int i = 0; i < m->bind_count; i++)
        if (m->binds[i].kind == LIFT_BIND_OUTPUT && m->binds[i].in_place >= 0)
            set |= (uint64_t)1 << m->binds[m->binds[i].in_place].index;
    return set;
}

/* One that overwrites the same inputs as ours computes the same, and lasts as long. */
static bool set_life(struct hall *h, struct contender *c)
{
    struct contender *ours = &h->contenders[0];
    uint64_t set = overwritten(c->module->module);

    if (set == 0)
        return true;
    if (c == ours)
        return find_life(h, c);
    c->timing.life =
        ours->good && overwritten(ours->module->module) == set ? ours->timing.life : 1;
    return true;
}

/* ---- the list */

static struct contender *enter(struct hall *h, const char *name,
                               struct runner_module *module)
{
    struct contender *c = &h->contenders[h->count++];

    *c = (struct contender){
        .name = name,
        .module = module,
        .timing = {.device = h->device, .clocks = h->clocks, .module = module}};
    /* The device lays shared buffers out soon; the host had better not. */
    c->set = &h->sets[lift_device_info(h->device)->is_cpu ? h->count - 1 : 0];
    return c;
}

static void admit(struct hall *h, const char *name, struct runner_module *module)
{
    struct contender *c = enter(h, name, module);
    const char *flags = lift_chosen_facts(h->contest->chosen)->flags;

    c->good = runner_build(h->device, module, flags, NULL, &h->failure) || fail(h, c);
    c->good = c->good && check(h, c) && set_life(h, c);
    c->timing.data = &c->set->data;
    c->timing.used = c->timing.life;
}

static void admit_all(struct hall *h)
{
    struct contest *c = h->contest;

    admit(h, "ours", (struct runner_module *)&c->chosen->module);
    for (int i = 0; i < c->reference_count; i++) {
        struct bench_reference *r = &c->references[i];

        if (*r->refused)
            note(h, r->name, r->refused);
        else
            admit(h, r->name, &r->module);
    }
}

/* ---- fast? */

/* One sample, after a launch that does not count: another one was at work before. */
static bool sample(struct hall *h, struct contender *c, double *seconds)
{
    struct timing_sample s;
    double ignored;

    if (!fit(h, c) || !timing_launch(&c->timing, 1, &ignored, &h->failure) ||
        !timing_take(&c->timing, &s, &h->failure))
        return fail(h, c);
    *seconds = s.seconds;
    return true;
}

static void note_time(struct hall *h, const char *name, double seconds)
{
    char text[CONTEST_TEXT];

    snprintf(text, sizeof text, "%.4g ms, %.4g GPts/s", 1e3 * seconds,
             1e-9 * (double)h->contest->bench.problem->points / seconds);
    note(h, name, text);
}

/* The fastest reference of a few samples each; NULL if there is none. */
static struct contender *find_rival(struct hall *h)
{
    struct contender *best = NULL;
    double least = HUGE_VAL;

    for (int i = 1; i < h->count; i++) {
        struct contender *c = &h->contenders[i];
        double median;

        for (int k = 0; c->good && k < TRIALS; k++)
            sample(h, c, &c->seconds[k]);
        median = c->good ? lift_median(c->seconds, TRIALS) : HUGE_VAL;
        if (c->good && h->contest->all)
            note_time(h, c->name, median);
        if (median < least) {
            least = median;
            best = c;
        }
    }
    return best;
}

static void open_copy(struct hall *h)
{
    const struct lift_device_info *info = lift_device_info(h->device);
    int64_t bytes = copied_bytes;

    if (!h->rt->copy)
        return;
    if (info->global_bytes > 0 && bytes > info->global_bytes / copied_share)
        bytes = info->global_bytes / copied_share;
    h->copy_from = h->rt->alloc(h->device, (size_t)bytes, &h->failure);
    h->copy_to = h->rt->alloc(h->device, (size_t)bytes, &h->failure);
    if (h->copy_from && h->copy_to)
        h->copy_bytes = (size_t)bytes;
    else
        note(h, "the driver's copy", lift_str_get(&h->failure.text));
}

/* Negative on failure. */
static double time_copies(struct hall *h, int count)
{
    double seconds;

    for (int i = 0; i < count; i++)
        if (!h->rt->copy(h->device, h->copy_to, h->copy_from, h->copy_bytes, &h->failure))
            return -1;
    return h->rt->finish(h->device, &seconds, &h->failure) ? seconds / count : -1;
}

static bool sample_copy(struct hall *h, double *seconds)
{
    if (h->copy_bytes == 0)
        return true;
    *seconds = time_copies(h, 1) < 0 ? -1 : time_copies(h, COPIES);
    if (*seconds > 0)
        return true;
    note(h, "the driver's copy", lift_str_get(&h->failure.text));
    h->copy_bytes = 0;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values. */
static struct figure figure_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (struct figure){lift_median(values, count), values[(count - 1) / 4],
                           values[count - 1 - (count - 1) / 4]};
}

static void summarise(struct hall *h, struct contender *rival)
{
    struct contender *ours = &h->contenders[0];
    int rounds = h->contest->rounds;
    double ratio[CONTEST_ROUNDS];
    bool two = rival && rival->good;

    for (int r = 0; two && r < rounds; r++)
        ratio[r] = rival->seconds[r] / ours->seconds[r];
    if (h->copy_bytes > 0)
        h->out->copy_driver =
            2e-9 * (double)h->copy_bytes / lift_median(h->copies, rounds);
    h->out->seconds = figure_of(ours->seconds, rounds);
    h->out->error = ours->error;
    h->out->bound = ours->bound;
    if (!two)
        return;
    snprintf(h->out->reference, sizeof h->out->reference, "%s", rival->name);
    h->out->reference_seconds = figure_of(rival->seconds, rounds);
    h->out->ratio = figure_of(ratio, rounds);
}

static void run_rounds(struct hall *h)
{
    struct contender *ours = &h->contenders[0], *rival = find_rival(h);

    open_copy(h);
    for (int r = 0; r < h->contest->rounds && ours->good; r++) {
        sample_copy(h, &h->copies[r]);
        sample(h, ours, &ours->seconds[r]);
        if (rival && rival->good)
            sample(h, rival, &rival->seconds[r]);
    }
    if (ours->good)
        summarise(h, rival);
}

static void find_resources(struct hall *h)
{
    const struct runner_module *m = h->contenders[0].module;

    h->out->resources = (struct lift_resources)LIFT_RESOURCES_UNKNOWN;
    for (int k = 0; m->binary && k < m->module->kernel_count; k++) {
        struct lift_resources r =
            h->rt->resources(h->device, m->binary, m->module->kernels[k].name);

        if (r.registers >= h->out->resources.registers)
            h->out->resources = r;
    }
}

/* ---- all of it */

static void close_hall(struct hall *h)
{
    for (int i = 0; i < h->count; i++) {
        if (h->sets[i].data.problem)
            runner_data_destroy(h->device, &h->sets[i].data);
        if (h->contenders[i].module->binary)
            h->rt->unload(h->device, h->contenders[i].module->binary);
    }
    for (int t = 0; t < EXPLORE_TRUTHS; t++)
        for (int i = 0; i < EXPLORE_MAX_LEAVES; i++)
            h->rt->release(h->device, h->truths[t][i]);
    h->rt->release(h->device, h->copy_from);
    h->rt->release(h->device, h->copy_to);
    lift_clocks_close(h->clocks);
    lift_device_close(h->device);
}

void contest_hold(struct contest *contest, struct contest_result *out)
{
    struct hall *h = calloc(1, sizeof *h);

    LIFT_ASSERT(h && contest->rounds >= 1 && contest->rounds <= CONTEST_ROUNDS);
    *out = (struct contest_result){.refused = 0};
    h->contest = contest;
    h->out = out;
    h->device = lift_device_open(contest->bench.device, &h->failure);
    if (h->device) {
        h->rt = h->device->runtime;
        h->clocks = lift_clocks_open(lift_device_info(h->device));
        out->copy_kernel = lift_device_copy_bandwidth(h->device, &h->failure);
        forget(h);
        admit_all(h);
        find_resources(h);
        if (h->contenders[0].good)
            run_rounds(h);
        close_hall(h);
    } else {
        snprintf(out->failure, sizeof out->failure, "%s", lift_str_get(&h->failure.text));
    }
    lift_failure_fini(&h->failure);
    free(h);
}
