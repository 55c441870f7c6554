#include "explore/reference.h"
#include "explore/derive.h"
#include "explore/interpret.h"
#include "explore/lower.h"
#include "explore/runner.h"
#include "lift/bug.h"
#include "lift/parallel.h"
#include <stdlib.h>
#include <string.h>

static const double time_limit = 600; /* seconds */

/* Strict arithmetic, and the optimiser's usual level. */
static const char flags[] = "-O2 -ffp-contract=off";

struct explore_reference {
    struct explore_bench *bench;
    lift_expr term;
    int truths; /* how many are wanted */
    struct lift_worker *worker;
};

static bool explain(struct lift_failure *failure, struct lift_str *why)
{
    lift_str_add(why, lift_str_get(&failure->text));
    lift_failure_fini(failure);
    return false;
}

/* The plain reference, compiled for some sizes. */
struct compiled {
    const struct explore_reference *r;
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

static bool agrees(const struct explore_reference *r, struct lift_device *device,
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
            explore_bound(r->bench->problem, i, leaf->scalar,
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

static bool check_small(const struct explore_reference *r, struct lift_device *device,
                        struct lift_str *why)
{
    const struct explore_problem *p = r->bench->problem;
    struct explore_numbers n;
    struct compiled c = {r, device, &n.env, {0}};
    struct explore_question question = {p, p->root, &n.env, r->bench->seed, false, NULL};
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
                 struct lift_str *why)
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
        into->magnitude[i] =
            explore_magnitude(runner_result(), leaf->scalar, leaf->count);
    }
    return true;
}

static bool fill_all(const struct explore_reference *r, struct lift_device *device,
                     struct lift_str *why)
{
    struct compiled c = {r, device, &r->bench->problem->sizes, {0}};
    struct runner_data data = {0};
    bool good = compile(&c, why);

    for (int i = 0; i < r->truths && good; i++)
        good = fill(&c, i, &data, why);
    runner_unload(device, &c.module);
    runner_data_destroy(device, &data);
    return good;
}

/* Answers with a byte, 1 if all went well, and why not. */
static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *out)
{
    const struct explore_reference *r = user;
    struct lift_failure failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);
    struct lift_str why = {0};
    bool good = false;

    (void)state, (void)request, (void)size;
    if (!device)
        explain(&failure, &why);
    else
        good = check_small(r, device, &why) && fill_all(r, device, &why);
    if (device)
        lift_device_close(device);
    lift_str_addc(out, good);
    lift_str_addn(out, lift_str_get(&why), why.len + 1);
    lift_str_fini(&why);
}

static bool share(void **memory, size_t bytes, struct lift_str *why)
{
    *memory = lift_shared_alloc(bytes);
    if (!*memory)
        lift_str_addf(why, "cannot allocate %zu bytes for the reference", bytes);
    return *memory != NULL;
}

static size_t bytes_of(const struct explore_leaf *leaf)
{
    return (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar);
}

static const size_t magnitudes = EXPLORE_MAX_LEAVES * sizeof(double);

static bool allocate(struct explore_bench *bench, struct explore_truth *truth,
                     struct lift_str *why)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(bench->problem, &bench->problem->sizes, leaves);
    void *shared;
    bool good = share(&shared, magnitudes, why);

    truth->magnitude = shared;
    for (int i = 0; i < count && good; i++)
        good = share(&truth->outputs[i], bytes_of(&leaves[i]), why);
    return good;
}

static bool receive(struct lift_worker_result result, const struct lift_str *out,
                    struct lift_str *why)
{
    if (result.end == LIFT_WORKER_TIMEOUT)
        lift_str_addf(why, "the plain reference took more than %g s", time_limit);
    else if (result.end != LIFT_WORKER_OK || out->len < 2)
        lift_str_addf(why, "the plain reference crashed (%d)", result.code);
    else if (out->data[0])
        return true;
    else
        lift_str_addf(why, "the plain reference failed: %s", out->data + 1);
    return false;
}

/* Memory that is shared is there before the worker is. */
static struct explore_reference *begin(struct explore_bench *bench, lift_expr term,
                                       int truths, struct lift_str *why)
{
    struct explore_reference *r = calloc(1, sizeof *r);

    LIFT_ASSERT(r);
    *r = (struct explore_reference){bench, term, truths, NULL};
    bench->truths[EXPLORE_FIRST].seed = bench->seed;
    bench->truths[EXPLORE_SECOND].seed = explore_second_seed(bench->seed);
    for (int i = 0; i < truths; i++)
        if (!allocate(bench, &bench->truths[i], why)) {
            free(r);
            return NULL;
        }
    r->worker = lift_worker_create(serve, r);
    lift_worker_begin(r->worker, "", 1, time_limit);
    return r;
}

struct lift_worker *explore_reference_worker(const struct explore_reference *r)
{
    return r->worker;
}

bool explore_reference_step(struct explore_reference *r, bool *good, struct lift_str *why)
{
    struct lift_worker_result result;
    struct lift_str out = {0};
    bool over = lift_worker_step(r->worker, &out, &result);

    if (over)
        *good = receive(result, &out, why);
    lift_str_fini(&out);
    return over;
}

void explore_reference_end(struct explore_reference *r)
{
    if (r)
        lift_worker_stop(r->worker);
    free(r);
}

bool explore_reference_make(struct explore_bench *bench, lift_expr term, int truths,
                            struct lift_str *why)
{
    struct explore_reference *r = begin(bench, term, truths, why);
    struct pollfd fd;
    bool good = false;

    while (r && !explore_reference_step(r, &good, why)) {
        int ms = lift_worker_wait(r->worker, &fd);

        poll(&fd, 1, ms);
    }
    explore_reference_end(r);
    return good;
}

static void release(const struct explore_bench *bench, const struct explore_truth *truth)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_output_leaves(bench->problem, &bench->problem->sizes, leaves);

    for (int i = 0; i < count; i++)
        if (truth->outputs[i])
            lift_shared_free(truth->outputs[i], bytes_of(&leaves[i]));
    if (truth->magnitude)
        lift_shared_free(truth->magnitude, magnitudes);
}

static lift_expr plain_term(const struct explore_bench *bench,
                            const struct lift_rules *rules, struct lift_str *why)
{
    const struct explore_problem *p = bench->problem;

    return explore_lower_plainly(p->ir, rules,
                                 explore_prepare(p, rules, LIFT_DIALECT_OPENMP), why);
}

bool explore_reference_plain(struct explore_bench *bench, const struct lift_rules *rules,
                             int truths, struct lift_str *why)
{
    lift_expr plain = plain_term(bench, rules, why);

    return plain && explore_reference_make(bench, plain, truths, why);
}

struct explore_reference *explore_reference_begin(struct explore_bench *bench,
                                                  const struct lift_rules *rules,
                                                  int truths, struct lift_str *why)
{
    lift_expr plain = plain_term(bench, rules, why);

    return plain ? begin(bench, plain, truths, why) : NULL;
}

void explore_reference_free(struct explore_bench *bench)
{
    for (int i = 0; i < EXPLORE_TRUTHS; i++)
        release(bench, &bench->truths[i]);
}
