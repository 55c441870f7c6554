#include "hall.h"
#include "base/bug.h"
#include <stdlib.h>
#include <string.h>

void hall_forget(struct hall *h)
{
    lift_error_fini(&h->failure);
    h->failure = (struct lift_error){0};
}

void hall_note(struct hall *h, const char *name, const char *why)
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
        hall_note(h, c->name, why);
    }
    hall_forget(h);
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
            .bound = explore_bound(d->problem, i, d->outputs[i].scalar, t->magnitude[i]) *
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
    explore_numbers_of(p, recipe.candidates, recipe.point, &n);
    if (recipe.candidates->fixed ||
        !explore_small_sizes(p, recipe.candidates, &n, &why) ||
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

/* ---- compiling */

/* References by compilers of their own become binaries of the same process. */
static bool build_elsewhere(struct hall *h, struct contender *c, int way)
{
    struct lift_device *there = h->compilers[way];
    struct lift_str bytes = {0};
    bool good =
        runner_build(there, c->module, h->contest->ways[way].flags, NULL, &h->failure) &&
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
    const char *flags = lift_chosen_facts(h->contest->chosen)->flags;

    if (way >= 0)
        return build_elsewhere(h, c, way);
    if (c != h->contenders && h->contest->flags)
        flags = h->contest->flags;
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

/* 'way' negative: as ours is compiled, or with the contest's flags. */
static struct contender *admit(struct hall *h, const char *name,
                               struct runner_module *module, int way)
{
    struct contender *c = enter(h, name, module);

    if (way >= 0) {
        size_t len = strlen(c->name);

        c->own = *module;
        c->module = c->timing.module = &c->own;
        snprintf(c->name + len, sizeof c->name - len, " %s", h->contest->ways[way].name);
    }
    c->good = build(h, c, way) || fail(h, c);
    c->set = choose_set(h, c->module);
    c->good = c->good && check(h, c) && set_life(h, c);
    c->timing.data = &c->set->data;
    c->timing.used = c->timing.life;
    return c;
}

static void admit_reference(struct hall *h, struct bench_reference *r)
{
    if (*r->refused) {
        hall_note(h, r->name, r->refused);
    } else if (!r->plain || h->contest->way_count == 0) {
        admit(h, r->name, &r->module, -1)->plain = r->plain;
    } else {
        for (int w = 0; w < h->contest->way_count; w++)
            if (h->compilers[w])
                admit(h, r->name, &r->module, w)->plain = true;
    }
}

/* ---- turns */

bool hall_sample(struct hall *h, struct contender *c, struct timing_sample *sample)
{
    double ignored;

    return (fit(h, c) && timing_launch(&c->timing, 1, &ignored, &h->failure) &&
            timing_take(&c->timing, sample, &h->failure)) ||
           fail(h, c);
}

/* ---- opening and closing */

static void open_compiler(struct hall *h, int way)
{
    const struct contest_way *w = &h->contest->ways[way];
    const char *usual = getenv("LIFT_CC");
    char *kept = usual ? strdup(usual) : NULL;

    setenv("LIFT_CC", w->compiler, 1);
    h->compilers[way] = lift_device_open(h->contest->bench.device, &h->failure);
    if (!h->compilers[way])
        hall_note(h, w->name, lift_str_get(&h->failure.text));
    hall_forget(h);
    if (kept)
        setenv("LIFT_CC", kept, 1);
    else
        unsetenv("LIFT_CC");
    free(kept);
}

bool hall_open(struct hall *h, struct contest *contest, struct contest_result *out)
{
    LIFT_ASSERT(contest->rounds >= 1 && contest->rounds <= CONTEST_ROUNDS &&
                contest->way_count <= HALL_WAYS);
    *out = (struct contest_result){.refused = 0};
    *h = (struct hall){.contest = contest, .out = out};
    h->device = lift_device_open(contest->bench.device, &h->failure);
    if (!h->device) {
        snprintf(out->failure, sizeof out->failure, "%s", lift_str_get(&h->failure.text));
        return false;
    }
    lift_device_pin(h->device);
    h->rt = h->device->runtime;
    h->clocks = lift_clocks_open(lift_device_info(h->device));
    for (int w = 0; w < contest->way_count; w++)
        open_compiler(h, w);
    admit(h, "ours", (struct runner_module *)&contest->chosen->module, -1);
    for (int i = 0; i < contest->reference_count; i++)
        admit_reference(h, &contest->references[i]);
    return true;
}

static void close_contender(struct hall *h, int i)
{
    if (h->sets[i].data.problem)
        runner_data_destroy(h->device, &h->sets[i].data);
    if (h->contenders[i].module->binary)
        h->rt->unload(h->device, h->contenders[i].module->binary);
}

void hall_close(struct hall *h)
{
    if (h->device) {
        for (int i = 0; i < h->count; i++)
            close_contender(h, i);
        for (int t = 0; t < EXPLORE_TRUTHS; t++)
            for (int i = 0; i < EXPLORE_MAX_LEAVES; i++)
                h->rt->release(h->device, h->truths[t][i]);
        for (int w = 0; w < HALL_WAYS; w++)
            if (h->compilers[w])
                lift_device_close(h->compilers[w]);
        lift_clocks_close(h->clocks);
        lift_device_close(h->device);
    }
    lift_error_fini(&h->failure);
}
