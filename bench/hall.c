/* Compiles and checks all kernels for one program, generated and hand-written, and then
 * times them alternately. */
#include "base/bug.h"
#include "base/stats.h"
#include "bench.h"
#include "ceilings.h"
#include "explore/reference.h"
#include "explore/trial/timing.h"
#include "turns.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = TURNS_MOST - TURNS_CEILINGS, WAYS = 4, TRIALS = 3 };

struct contender {
    char name[REFERENCE_NAME + TURNS_WAY];
    struct runner_module *module;
    struct runner_module own; /* of a reference that is compiled in several ways */
    bool plain;
    struct set *set;
    struct timing timing;
    bool good;
    struct turns_entry *entry;
};

/* Buffers, fitted to one of the contenders that share them. */
struct set {
    struct runner_data data;
    const struct contender *fitted;
};

struct hall {
    struct turns_request *request;
    struct turns_result *out;
    struct lift_device *device;
    struct lift_device *compilers[WAYS]; /* of the ways; NULL: not here */
    const struct lift_runtime *rt;
    struct lift_clocks *clocks;
    struct contender contenders[MOST]; /* ours first */
    int count;
    struct set sets[MOST];
    struct references *references;
    struct ceilings *ceilings;
    struct lift_error failure;
};

static void forget(struct hall *h)
{
    lift_error_fini(&h->failure);
    h->failure = (struct lift_error){0};
}

static void note(struct hall *h, const char *name, const char *why)
{
    size_t len = strlen(h->out->notes);

    snprintf(h->out->notes + len, sizeof h->out->notes - len, "%s: %.*s\n", name,
             (int)strcspn(why, "\n"), why);
}

/* A contender leaves. False, for 'return'. */
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
        !runner_data_create(h->request->bench.problem, h->device,
                            &h->request->bench.problem->sizes, h->request->bench.seed,
                            &set->data, &h->failure))
        return false;
    set->fitted = NULL;
    if (!runner_fit(h->device, c->module, &set->data, &h->failure))
        return false;
    set->fitted = c;
    return true;
}

static bool compare(struct hall *h, struct contender *c, struct explore_truth *t)
{
    struct runner_data *d = &c->set->data;

    for (int i = 0; i < d->output_count; i++) {
        struct explore_verdict v = {
            .bound = explore_bound(d->problem, i, d->outputs[i].scalar, t->magnitude[i]) *
                     explore_seed_width(t->seed)};
        struct lift_buffer *want = references_there(t, h->device, i, &d->outputs[i]);
        char why[TURNS_TEXT];

        if (!want)
            return leave(h, c, "the reference does not fit the device's memory");
        if (!runner_compare(h->device, d, i, want, &v, &h->failure))
            return fail(h, c);
        if (c == h->contenders && v.bound > 0 &&
            v.max_error * h->out->bound >= h->out->error * v.bound) {
            h->out->error = v.max_error;
            h->out->bound = v.bound;
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
    struct explore_truth *t;
    struct runner_data *d;

    if (!fit(h, c))
        return fail(h, c);
    d = &c->set->data;
    t = references_make(h->references, h->device, &h->request->bench, number, d,
                        &h->failure);
    if (!t)
        return fail(h, c);
    runner_reseed(d, t->seed);
    if (!runner_fit(h->device, c->module, d, &h->failure) ||
        !runner_poison(h->device, d, &h->failure) ||
        !runner_launch(h->device, c->module, d, 1, NULL, &h->failure) ||
        !runner_inspect(h->device, d, false, &h->failure))
        return fail(h, c);
    return compare(h, c, t) &&
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
    const struct lift_chosen *chosen = h->request->chosen;
    struct candidate_request request =
        chosen_request(&chosen->chooser, &chosen->candidate);
    const struct explore_problem *p = chosen->problem;
    struct explore_numbers n;
    struct runner_module small = {0};
    struct runner_data data = {0};
    struct lift_str why = {0};
    bool good;

    c->timing.life = 1;
    explore_numbers_of(p, request.candidates, request.point, &n);
    if (request.candidates->fixed ||
        !explore_small_sizes(p, request.candidates, &n, &why) ||
        !candidate_generate(&request, &n, &small, &why)) {
        lift_str_fini(&why);
        runner_unload(h->device, &small);
        return true;
    }
    good =
        runner_build(h->device, &small, candidate_flags(&request), NULL, &h->failure) &&
        runner_data_create(p, h->device, &n.env, h->request->bench.seed, &data,
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

/* ---- compiling */

/* References compiled by other compilers become binaries of the same process. */
static bool build_elsewhere(struct hall *h, struct contender *c, int way)
{
    struct lift_device *there = h->compilers[way];
    struct lift_str bytes = {0};
    bool good =
        runner_build(there, c->module, h->request->ways[way].flags, NULL, &h->failure) &&
        there->runtime->save(there, c->module->binary, &bytes, &h->failure);

    there->runtime->unload(there, c->module->binary);
    c->module->binary = NULL;
    if (good)
        c->module->binary = h->rt->load(h->device, bytes.data, bytes.len, &h->failure);
    lift_str_fini(&bytes);
    return c->module->binary != NULL;
}

static bool build(struct hall *h, struct contender *c, int way)
{
    const char *flags = lift_chosen_facts(h->request->chosen)->flags;

    if (way >= 0)
        return build_elsewhere(h, c, way);
    if (c != h->contenders && h->request->flags)
        flags = h->request->flags;
    return runner_build(h->device, c->module, flags, NULL, &h->failure);
}

/* ---- the list */

/* The device lays shared buffers out soon; the host had better not. */
static struct set *choose_set(struct hall *h, const struct runner_module *m)
{
    if (!lift_device_info(h->device)->is_cpu)
        return &h->sets[0];
    for (int i = 0; i < h->count - 1 && overwritten(m->module) == 0; i++)
        if (h->sets[i].data.problem && runner_fits(m, &h->sets[i].data))
            return &h->sets[i];
    return &h->sets[h->count - 1];
}

static struct contender *enter(struct hall *h, const char *name,
                               struct runner_module *module)
{
    struct contender *c = &h->contenders[h->count++];

    *c = (struct contender){
        .module = module,
        .timing = {.device = h->device, .clocks = h->clocks, .module = module}};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

/* 'way' negative: as ours is compiled, or with the flags of the request. */
static struct contender *admit(struct hall *h, const char *name,
                               struct runner_module *module, int way)
{
    struct contender *c = enter(h, name, module);

    if (way >= 0) {
        size_t len = strlen(c->name);

        c->own = *module;
        c->module = c->timing.module = &c->own;
        snprintf(c->name + len, sizeof c->name - len, " %s", h->request->ways[way].name);
    }
    c->good = build(h, c, way) || fail(h, c);
    c->set = choose_set(h, c->module);
    c->good = c->good && check(h, c) && set_life(h, c);
    c->timing.data = &c->set->data;
    c->timing.steps = 1;
    return c;
}

static void admit_reference(struct hall *h, struct bench_reference *r)
{
    if (*r->refused) {
        note(h, r->name, r->refused);
    } else if (!r->plain || h->request->way_count == 0) {
        admit(h, r->name, &r->module, -1)->plain = r->plain;
    } else {
        for (int w = 0; w < h->request->way_count; w++)
            if (h->compilers[w])
                admit(h, r->name, &r->module, w)->plain = true;
    }
}

/* ---- opening and closing */

static void open_compiler(struct hall *h, int way)
{
    const struct turns_way *w = &h->request->ways[way];
    const char *usual = getenv("LIFT_CC");
    char *kept = usual ? strdup(usual) : NULL;

    setenv("LIFT_CC", w->compiler, 1);
    h->compilers[way] = lift_device_open(h->request->bench.device, &h->failure);
    if (!h->compilers[way])
        note(h, w->name, lift_str_get(&h->failure.text));
    forget(h);
    if (kept)
        setenv("LIFT_CC", kept, 1);
    else
        unsetenv("LIFT_CC");
    free(kept);
}

static bool open_hall(struct hall *h, struct turns_request *request,
                      struct turns_result *out)
{
    LIFT_ASSERT(request->rounds >= 1 && request->rounds <= TURNS_ROUNDS &&
                request->way_count <= WAYS);
    *out = (struct turns_result){.refused = 0};
    *h = (struct hall){.request = request, .out = out};
    h->references = references_create(&request->bench);
    h->device = lift_device_open(request->bench.device, &h->failure);
    if (!h->device) {
        snprintf(out->failure, sizeof out->failure, "%s", lift_str_get(&h->failure.text));
        return false;
    }
    lift_device_pin(h->device);
    h->rt = h->device->runtime;
    h->clocks = lift_clocks_open(lift_device_info(h->device));
    for (int w = 0; w < request->way_count; w++)
        open_compiler(h, w);
    admit(h, "ours", (struct runner_module *)&request->chosen->module, -1);
    for (int i = 0; i < request->reference_count; i++)
        admit_reference(h, &request->references[i]);
    return true;
}

static void close_contender(struct hall *h, int i)
{
    if (h->sets[i].data.problem)
        runner_data_destroy(h->device, &h->sets[i].data);
    if (h->contenders[i].module->binary)
        h->rt->unload(h->device, h->contenders[i].module->binary);
}

static void close_hall(struct hall *h)
{
    references_destroy(h->references, h->device);
    if (h->device) {
        for (int i = 0; i < h->count; i++)
            close_contender(h, i);
        for (int w = 0; w < WAYS; w++)
            if (h->compilers[w])
                lift_device_close(h->compilers[w]);
        ceilings_close(h->ceilings);
        lift_clocks_close(h->clocks);
        lift_device_close(h->device);
    }
    lift_error_fini(&h->failure);
}

/* ---- timing */

static void put_sample(const struct hall *h, struct turns_entry *e,
                       const struct timing_sample *s)
{
    struct turn *turn = &e->turns[e->count++];

    LIFT_ASSERT(e->count <= TURNS_ROUNDS);
    *turn = (struct turn){.seconds = s->seconds, .at = bench_now()};
    if (!h->request->fastest)
        turn->trip = s->trip;
}

/* One sample, after a launch that does not count: another kernel ran before. A contender
 * that fails leaves. */
static void sample(struct hall *h, struct contender *c)
{
    struct timing_sample s;
    double ignored;

    if (!c->good)
        return;
    if (fit(h, c) && timing_launch(&c->timing, 1, &ignored, &h->failure) &&
        timing_take(&c->timing, &s, &h->failure))
        put_sample(h, c->entry, &s);
    else
        fail(h, c);
}

static void sample_ceiling(struct hall *h, int which, struct turns_entry *e)
{
    struct timing_sample s;

    if (ceilings_sample(h->ceilings, which, &s, &h->failure))
        put_sample(h, e, &s);
    else if (lift_error_count(&h->failure))
        note(h, e->name, lift_str_get(&h->failure.text));
    forget(h);
}

static struct turns_entry *add_entry(struct turns_result *out, const char *name,
                                     enum turns_kind kind)
{
    struct turns_entry *e = &out->entries[out->count++];

    LIFT_ASSERT(out->count <= TURNS_MOST);
    *e = (struct turns_entry){.kind = kind};
    snprintf(e->name, sizeof e->name, "%s", name);
    return e;
}

static void add_entries(struct hall *h)
{
    for (int i = 0; i < h->count; i++) {
        struct contender *c = &h->contenders[i];

        c->entry = add_entry(h->out, c->name,
                             i == 0     ? TURNS_OURS
                             : c->plain ? TURNS_PLAIN
                                        : TURNS_HAND);
    }
    h->ceilings = ceilings_open(h->device, h->clocks, h->request->fastest, &h->failure);
    if (!h->ceilings && lift_error_count(&h->failure))
        note(h, "ceilings", lift_str_get(&h->failure.text));
    forget(h);
    for (int k = 0; k < ceilings_count(h->ceilings); k++)
        add_entry(h->out, ceilings_name(h->ceilings, k), TURNS_CEILING)->bytes =
            ceilings_bytes(h->ceilings, k);
}

static void note_time(struct hall *h, const char *name, double seconds)
{
    char text[TURNS_TEXT];

    snprintf(text, sizeof text, "%.4g ms, %.4g GPts/s", 1e3 * seconds,
             1e-9 * (double)h->request->bench.problem->points / seconds);
    note(h, name, text);
}

/* The fastest reference by a few samples each stays; the others leave without a note. */
static void choose_fastest(struct hall *h)
{
    struct contender *best = NULL;
    double least = HUGE_VAL;

    for (int i = 1; i < h->count; i++) {
        struct contender *c = &h->contenders[i];
        double seconds[TRIALS], median;

        for (int k = 0; k < TRIALS; k++) {
            sample(h, c);
            if (c->good)
                seconds[k] = c->entry->turns[k].seconds;
        }
        c->entry->count = 0;
        if (!c->good)
            continue;
        c->good = false;
        median = lift_median(seconds, TRIALS);
        if (h->request->note)
            note_time(h, c->name, median);
        if (median < least) {
            least = median;
            best = c;
        }
    }
    if (best)
        best->good = true;
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

static void run_rounds(struct hall *h)
{
    add_entries(h);
    if (h->request->fastest) {
        h->out->copy = lift_device_copy_bandwidth(h->device, &h->failure);
        forget(h);
        if (h->contenders[0].good)
            choose_fastest(h);
    }
    for (int r = 0; r < h->request->rounds && h->contenders[0].good; r++) {
        for (int i = 0; i < h->count; i++)
            sample(h, &h->contenders[i]);
        for (int k = 0; k < ceilings_count(h->ceilings); k++)
            sample_ceiling(h, k, &h->out->entries[h->count + k]);
    }
    turns_find_states(h->out);
}

void turns_hold(struct turns_request *request, struct turns_result *out)
{
    struct hall *h = malloc(sizeof *h);

    LIFT_ASSERT(h);
    if (open_hall(h, request, out)) {
        find_resources(h);
        run_rounds(h);
    }
    close_hall(h);
    free(h);
}
