#include "explore/reference.h"
#include "explore/derive.h"
#include "explore/lower.h"
#include "explore/runner.h"
#include "lift/bug.h"
#include "lift/parallel.h"
#include <string.h>

static const double time_limit = 600; /* seconds */

/* Strict arithmetic, and the optimiser's usual level. */
static const char flags[] = "-O2 -ffp-contract=off";

struct reference {
    struct explore_bench *bench;
    lift_expr term;
    int truths; /* how many are wanted */
};

/* What the worker answers; a text follows if it failed. */
struct reference_reply {
    bool good;
    double magnitude[EXPLORE_TRUTHS][EXPLORE_MAX_LEAVES];
};

static bool explain(struct lift_failure *failure, struct lift_str *why)
{
    lift_str_add(why, lift_str_get(&failure->text));
    lift_failure_fini(failure);
    return false;
}

/* The plain reference, compiled for some sizes. */
struct compiled {
    const struct reference *r;
    struct lift_device *device;
    const struct lift_nat_env *numbers;
    struct runner_module module;
};

static bool compile(struct compiled *c, struct lift_str *why)
{
    struct runner_request request = {.problem = c->r->bench->problem,
                                     .term = c->r->term,
                                     .numbers = c->numbers,
                                     .dialect = LIFT_DIALECT_OPENMP};
    struct lift_failure failure = {0};

    return runner_generate(&request, &c->module, why) &&
           (runner_build(c->device, &c->module, flags, NULL, &failure) ||
            explain(&failure, why));
}

/* Runs it on the inputs of a seed; the outputs are in 'data', which may be empty or have
 * been here before. */
static bool compute(struct compiled *c, uint64_t seed, struct runner_data *data,
                    struct lift_str *why)
{
    const struct explore_problem *p = c->r->bench->problem;
    struct lift_failure failure = {0};
    bool good;

    if (!data->problem &&
        !runner_data_create(p, c->device, c->numbers, seed, data, &failure))
        return explain(&failure, why);
    runner_reseed(data, seed);
    good = runner_fit(c->device, &c->module, data, &failure) &&
           runner_poison(c->device, data, &failure) &&
           runner_launch(c->device, &c->module, data, 1, NULL, &failure);
    return good || explain(&failure, why);
}

static bool agrees(const struct reference *r, struct lift_device *device,
                   struct runner_data *data, const struct explore_answer *answer,
                   struct lift_str *why)
{
    struct explore_verdict v = {.bound = 0};

    for (int i = 0; i < data->output_count; i++) {
        const struct explore_leaf *leaf = &data->outputs[i];
        struct lift_failure failure = {0};

        if (!runner_read(device, data, i, &failure))
            return explain(&failure, why);
        v.bound =
            explore_bound(r->bench->problem, leaf->scalar,
                          explore_magnitude(answer->data[i], LIFT_F64, leaf->count));
        explore_compare(&v,
                        (struct explore_pair){leaf->scalar, runner_result(),
                                              answer->data[i], true, leaf->count},
                        0);
    }
    if (v.bad)
        lift_str_addf(
            why,
            "it differs from the interpreter at a small size in %lld values, first "
            "at %lld: %g off",
            (long long)v.bad, (long long)v.first_bad, v.max_error);
    return v.bad == 0;
}

static bool check_small(const struct reference *r, struct lift_device *device,
                        struct lift_str *why)
{
    const struct explore_problem *p = r->bench->problem;
    struct explore_numbers n;
    struct compiled c = {r, device, &n.env, {0}};
    struct explore_question question = {p, p->root, &n.env, r->bench->seed, false};
    struct explore_answer answer;
    struct runner_data data = {0};
    bool good;

    explore_numbers_of(p, NULL, NULL, &n);
    if (!explore_small_sizes(p, NULL, &n, why) ||
        !explore_interpret(&question, &answer, why))
        return false;
    good = compile(&c, why) && compute(&c, r->bench->seed, &data, why) &&
           agrees(r, device, &data, &answer, why);
    runner_unload(device, &c.module);
    runner_data_destroy(device, &data);
    explore_answer_fini(&answer);
    return good;
}

static bool fill(struct compiled *c, int truth, struct runner_data *data,
                 struct reference_reply *reply, struct lift_str *why)
{
    const struct explore_truth *into = &c->r->bench->truths[truth];

    if (!compute(c, into->seed, data, why))
        return false;
    for (int i = 0; i < data->output_count; i++) {
        const struct explore_leaf *leaf = &data->outputs[i];
        struct lift_failure failure = {0};

        if (!runner_read(c->device, data, i, &failure))
            return explain(&failure, why);
        lift_parallel_copy(into->outputs[i], runner_result(),
                           (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar));
        reply->magnitude[truth][i] =
            explore_magnitude(runner_result(), leaf->scalar, leaf->count);
    }
    return true;
}

static bool fill_all(const struct reference *r, struct lift_device *device,
                     struct reference_reply *reply, struct lift_str *why)
{
    struct compiled c = {r, device, &r->bench->problem->sizes, {0}};
    struct runner_data data = {0};
    bool good = compile(&c, why);

    for (int i = 0; i < r->truths && good; i++)
        good = fill(&c, i, &data, reply, why);
    runner_unload(device, &c.module);
    runner_data_destroy(device, &data);
    return good;
}

static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *out)
{
    const struct reference *r = user;
    struct reference_reply reply = {.good = false};
    struct lift_failure failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);
    struct lift_str why = {0};

    (void)state, (void)request, (void)size;
    if (!device)
        explain(&failure, &why);
    else
        reply.good = check_small(r, device, &why) && fill_all(r, device, &reply, &why);
    if (device)
        lift_device_close(device);
    lift_str_addn(out, (const char *)&reply, sizeof reply);
    lift_str_addn(out, lift_str_get(&why), why.len + 1);
    lift_str_fini(&why);
}

static bool allocate(struct explore_bench *bench, struct explore_truth *truth,
                     struct lift_str *why)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(bench->problem, &bench->problem->sizes, leaves);

    for (int i = 0; i < count; i++) {
        size_t bytes =
            (size_t)leaves[i].count * (size_t)lift_scalar_bytes(leaves[i].scalar);

        truth->outputs[i] = lift_shared_alloc(bytes);
        if (truth->outputs[i])
            continue;
        lift_str_addf(why, "cannot allocate %zu bytes for the reference", bytes);
        return false;
    }
    return true;
}

static bool receive(struct explore_bench *bench, struct lift_worker_result result,
                    const struct lift_str *out, struct lift_str *why)
{
    struct reference_reply reply;

    if (result.end == LIFT_WORKER_TIMEOUT)
        lift_str_addf(why, "the plain reference took more than %g s", time_limit);
    else if (result.end != LIFT_WORKER_OK || out->len < sizeof reply)
        lift_str_addf(why, "the plain reference crashed (%d)", result.code);
    else {
        memcpy(&reply, out->data, sizeof reply);
        for (int i = 0; i < EXPLORE_TRUTHS; i++)
            memcpy(bench->truths[i].magnitude, reply.magnitude[i],
                   sizeof reply.magnitude[i]);
        if (reply.good)
            return true;
        lift_str_addf(why, "the plain reference failed: %s", out->data + sizeof reply);
    }
    return false;
}

bool explore_reference_make(struct explore_bench *bench, lift_expr term, int truths,
                            struct lift_str *why)
{
    struct reference r = {bench, term, truths};
    struct lift_worker *worker;
    struct lift_str out = {0};
    bool good;

    bench->truths[EXPLORE_FIRST].seed = bench->seed;
    bench->truths[EXPLORE_SECOND].seed = explore_second_seed(bench->seed);
    for (int i = 0; i < truths; i++)
        if (!allocate(bench, &bench->truths[i], why))
            return false;
    worker = lift_worker_create(serve, &r);
    good = receive(bench, lift_worker_call(worker, "", 1, time_limit, &out), &out, why);
    lift_worker_stop(worker);
    lift_str_fini(&out);
    return good;
}

static void release(const struct explore_bench *bench, const struct explore_truth *truth)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(bench->problem, &bench->problem->sizes, leaves);

    for (int i = 0; i < count; i++)
        if (truth->outputs[i])
            lift_shared_free(truth->outputs[i],
                             (size_t)leaves[i].count *
                                 (size_t)lift_scalar_bytes(leaves[i].scalar));
}

bool explore_reference_plain(struct explore_bench *bench, const struct lift_rules *rules,
                             int truths, struct lift_str *why)
{
    const struct explore_problem *p = bench->problem;
    lift_expr plain = explore_lower_plainly(
        p->ir, rules, explore_prepare(p, rules, LIFT_DIALECT_OPENMP), why);

    return plain && explore_reference_make(bench, plain, truths, why);
}

void explore_reference_free(struct explore_bench *bench)
{
    for (int i = 0; i < EXPLORE_TRUTHS; i++)
        release(bench, &bench->truths[i]);
}
