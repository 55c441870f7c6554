#include "explore/reference.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/configurations.h"
#include <stdlib.h>
#include <string.h>

static const double time_limit = 600; /* seconds for one reference result */

/* The requests to the runner, in order. */
static const struct step {
    bool slab;
    int truth;
} steps[] = {
    {true, EXPLORE_SECOND}, {true, EXPLORE_FIRST},  {false, EXPLORE_SECOND},
    {false, EXPLORE_FIRST}, {false, EXPLORE_THIRD},
};

enum { STEPS = sizeof steps / sizeof *steps };

struct explore_reference {
    struct explore_bench own; /* bench for the host, in the separate process */
    struct lift_worker *worker;
    bool is_own;
    bool wanted[STEPS];
    int at;                /* index of the current step */
    double began, seconds; /* start and duration of the problem's first result */
};

/* ---- lowering and memory */

/* Stores pads with a number as halos in the buffers if possible. Predicates for each
 * point would make a reference ten times as slow as a kernel. */
static lift_expr without_tests(struct lift_ir *ir, const struct lift_rules *rules,
                               lift_expr term)
{
    const struct lift_rule *rule = lift_rules_find(rules, "physicalHalo");
    const struct lift_path root = {0};
    struct lift_rewrite stored;

    return rule && lift_rewrite_at(ir, rule, term, &root, 0, &stored) ? stored.term
                                                                      : term;
}

const struct explore_problem *explore_reference_problem(const struct explore_bench *bench)
{
    return bench->problem->sweep ? bench->problem->sweep : bench->problem;
}

bool explore_reference_lower(struct explore_bench *bench, const struct lift_rules *rules,
                             struct lift_str *why)
{
    const struct explore_problem *p = explore_reference_problem(bench);
    lift_expr plain = configurations_term(p, rules, LIFT_DIALECT_OPENMP, NULL, why);

    bench->plain = plain ? without_tests(p->ir, rules, plain) : NULL;
    return plain != NULL;
}

static bool share(void **memory, size_t bytes, struct lift_str *why)
{
    *memory = lift_shared_alloc(bytes);
    if (!*memory)
        lift_str_addf(why, "cannot allocate %zu bytes for the reference", bytes);
    return *memory != NULL;
}

static const size_t magnitudes = EXPLORE_MAX_LEAVES * sizeof(double);

static uint64_t seed_of(const struct explore_bench *bench, int truth)
{
    switch (truth) {
    case EXPLORE_SECOND:
        return explore_second_seed(bench->seed);
    case EXPLORE_THIRD:
        return explore_third_seed(bench->seed);
    default:
        return bench->seed;
    }
}

bool explore_reference_room(struct explore_bench *bench, int truth, struct lift_str *why)
{
    struct explore_truth *t = &bench->truths[truth];
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(bench->problem, &bench->problem->sizes, leaves);
    void *shared;
    bool good = share(&shared, magnitudes, why);

    t->magnitude = shared;
    t->seed = seed_of(bench, truth);
    for (int i = 0; i < count && good; i++)
        good = share(&t->outputs[i], explore_leaf_bytes(&leaves[i]), why);
    return good;
}

void explore_reference_reuse(struct explore_bench *bench, int truth)
{
    bench->truths[truth] = bench->truths[EXPLORE_FIRST];
    bench->truths[truth].seed = seed_of(bench, truth);
}

static void release(const struct explore_bench *bench, const struct explore_truth *truth)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(bench->problem, &bench->problem->sizes, leaves);

    for (int i = 0; i < count; i++)
        if (truth->outputs[i])
            lift_shared_free(truth->outputs[i], explore_leaf_bytes(&leaves[i]));
    if (truth->magnitude)
        lift_shared_free(truth->magnitude, magnitudes);
}

void explore_reference_free(struct explore_bench *bench)
{
    for (int i = 0; i < EXPLORE_TRUTHS; i++)
        if (i == 0 || bench->truths[i].magnitude != bench->truths[0].magnitude)
            release(bench, &bench->truths[i]);
    memset(bench->truths, 0, sizeof bench->truths);
}

/* ---- requests */

static void ask(struct explore_reference *r)
{
    struct trial_request asked = {.task = TRIAL_TRUTH};

    while (r->at < STEPS && !r->wanted[r->at])
        r->at++;
    if (r->at == STEPS)
        return;
    asked.slab = steps[r->at].slab;
    asked.candidates = steps[r->at].truth;
    r->began = lift_seconds();
    lift_worker_begin(r->worker, &asked, sizeof asked, time_limit);
}

/* The device of the separate process. */
static const struct lift_device_info host = {.dialect = LIFT_DIALECT_OPENMP,
                                             .is_cpu = true};

struct explore_reference *explore_reference_begin(struct explore_bench *bench,
                                                  struct lift_worker *runner,
                                                  struct explore_wanted wanted)
{
    struct explore_reference *r = lift_alloc(1, sizeof *r);

    r->own = *bench;
    r->own.device = "host";
    r->own.info = &host;
    r->is_own = !runner;
    r->worker = runner ? runner : lift_worker_create(explore_run_serve, &r->own);
    for (int i = 0; i < STEPS; i++)
        r->wanted[i] =
            ((steps[i].slab ? wanted.slab : wanted.whole) >> steps[i].truth & 1) != 0;
    ask(r);
    return r;
}

struct lift_worker *explore_reference_worker(const struct explore_reference *r)
{
    return r->worker;
}

static bool receive(struct lift_worker_result result, const struct lift_str *reply,
                    struct lift_str *why)
{
    struct trial_reply end;

    if (result.end == LIFT_WORKER_TIMEOUT)
        lift_str_addf(why, "the reference of the naive kernel took more than %g s",
                      time_limit);
    else if (trial_read(result, TRIAL_RUNS, reply, &end))
        return true;
    else
        lift_str_addf(why, "the reference of the naive kernel failed: %s", end.reason);
    return false;
}

bool explore_reference_step(struct explore_reference *r, bool *good, struct lift_str *why)
{
    struct lift_worker_result result;
    LIFT_SCOPED(lift_str) reply = {0};

    *good = true;
    if (r->at < STEPS && lift_worker_step(r->worker, &reply, &result)) {
        *good = receive(result, &reply, why);
        if (!steps[r->at].slab && r->seconds <= 0)
            r->seconds = lift_seconds() - r->began;
        r->at++;
        if (*good)
            ask(r);
    }
    return !*good || r->at == STEPS;
}

bool explore_reference_has(const struct explore_reference *r, bool slab, int truth)
{
    for (int i = r->at; i < STEPS; i++)
        if (r->wanted[i] && steps[i].slab == slab && steps[i].truth == truth)
            return false;
    return true;
}

double explore_reference_seconds(const struct explore_reference *r)
{
    return r->seconds;
}

void explore_reference_end(struct explore_reference *r)
{
    if (r && r->is_own)
        lift_worker_stop(r->worker);
    free(r);
}

/* ---- waiting */

bool explore_reference_make(struct explore_bench *bench, int truths, struct lift_str *why)
{
    struct explore_reference *r =
        explore_reference_begin(bench, NULL, (struct explore_wanted){(1u << truths) - 1});
    bool good;

    while (!explore_reference_step(r, &good, why)) {
        struct pollfd fd;
        int ms = lift_worker_wait(r->worker, &fd);

        poll(&fd, 1, ms);
    }
    explore_reference_end(r);
    return good;
}

bool explore_reference_plain(struct explore_bench *bench, const struct lift_rules *rules,
                             int truths, struct lift_str *why)
{
    for (int i = 0; i < truths; i++)
        if (!explore_reference_room(bench, i, why))
            return false;
    return explore_reference_lower(bench, rules, why) &&
           explore_reference_make(bench, truths, why);
}
