/* The reference kernel at the problem's size: the naive host kernel of one time step,
 * compiled without fast-math, run in a process that has opened the host. It uses the
 * buffers of that process, since the first access to new memory takes ten times as long
 * as the kernel. */
#include "base/bug.h"
#include "base/locale.h"
#include "base/parallel.h"
#include "explore/reference.h"
#include "explore/trial/trial_run.h"

/* Strict arithmetic, at the usual optimisation level. */
static const char flags[] = "-O2 -ffp-contract=off";

static bool compile(struct run *r, const struct lift_nat_env *numbers,
                    struct runner_module *out)
{
    const struct explore_bench *bench = r->state->bench;
    struct runner_request request = {.problem = explore_reference_problem(bench),
                                     .term = bench->plain,
                                     .numbers = numbers,
                                     .dialect = LIFT_DIALECT_OPENMP};
    struct lift_error error = {0};
    LIFT_SCOPED(lift_str) why = {0};
    bool good = runner_generate(&request, out, &why);

    if (!good)
        trial_end(&r->t, LIFT_TRIAL_COMPILE_ERROR, lift_str_get(&why));
    return good && (runner_build(r->state->device, out, flags, NULL, &error) ||
                    trial_end_failure(&r->t, &error));
}

/* Runs the kernel on the inputs of a seed; the outputs are in 'data'. */
static bool compute(struct run *r, struct runner_module *m, uint64_t seed,
                    struct runner_data *data)
{
    struct lift_device *device = r->state->device;
    struct lift_error error = {0};

    runner_reseed(data, seed);
    return (runner_fit(device, m, data, &error) &&
            runner_chain(device, m, data, &error)) ||
           trial_end_failure(&r->t, &error);
}

static bool agrees(struct run *r, struct runner_data *data,
                   const struct explore_answer *answer)
{
    struct explore_verdict v = {.bound = 0};
    char text[TRIAL_REASON];

    for (int i = 0; i < data->output_count; i++) {
        const struct explore_leaf *leaf = &data->outputs[i];
        struct lift_error error = {0};
        int64_t bad = v.bad;

        if (!runner_read(r->state->device, data, i, &error))
            return trial_end_failure(&r->t, &error);
        v.bound =
            explore_bound(r->state->bench->problem, i, leaf->scalar,
                          explore_magnitude(answer->data[i], LIFT_F64, leaf->count));
        explore_compare(&v,
                        (struct explore_pair){leaf->scalar, runner_result(),
                                              answer->data[i], true, leaf->count},
                        0);
        explore_excuse(&v, r->state->bench->problem, i, leaf->count, bad);
    }
    if (v.bad == 0)
        return true;
    lift_snprintf(
        text, sizeof text,
        "it differs from the interpreter at a small size in %lld values, first at "
        "%lld: %g off",
        (long long)v.bad, (long long)v.first_bad, v.max_error);
    return trial_end(&r->t, LIFT_TRIAL_WRONG, text);
}

static bool ask_interpreter(struct run *r, const struct explore_numbers *n,
                            struct explore_answer *out)
{
    const struct explore_bench *bench = r->state->bench;
    struct explore_question question = {.problem = bench->problem,
                                        .term = bench->problem->root,
                                        .numbers = &n->env,
                                        .seed = bench->seed,
                                        .interpreter = r->state->interpreter};
    LIFT_SCOPED(lift_str) why = {0};
    bool good = explore_interpret(&question, out, &why);

    if (!good)
        trial_end(&r->t, LIFT_TRIAL_CONSTRAINT, lift_str_get(&why));
    return good;
}

static bool check_at(struct run *r, const struct explore_numbers *n)
{
    const struct explore_bench *bench = r->state->bench;
    struct runner_module m = {0};
    struct runner_data data = {0};
    LIFT_SCOPED(explore_answer) answer = {.count = 0};
    struct lift_error error = {0};
    bool good = ask_interpreter(r, n, &answer) && compile(r, &n->env, &m);

    if (good && !runner_data_create(bench->problem, r->state->device, &n->env,
                                    bench->seed, &data, &error))
        good = trial_end_failure(&r->t, &error);
    good = good && compute(r, &m, bench->seed, &data) && agrees(r, &data, &answer);
    runner_unload(r->state->device, &m);
    runner_data_destroy(r->state->device, &data);
    return good;
}

/* Checks once in each process: the slab's kernel differs only by its sizes. */
static bool check_small(struct run *r, bool *checked)
{
    const struct explore_problem *p = r->state->bench->problem;
    struct explore_numbers n;
    LIFT_SCOPED(lift_str) why = {0};
    bool good;

    if (*checked)
        return true;
    explore_numbers_of(p, NULL, NULL, &n);
    good = explore_small_sizes(p, NULL, &n, &why);
    if (!good)
        trial_end(&r->t, LIFT_TRIAL_CONSTRAINT, lift_str_get(&why));
    *checked = good && check_at(r, &n);
    return *checked;
}

static bool keep(struct run *r, const struct explore_truth *into)
{
    struct runner_data *data = &r->state->data;

    for (int i = 0; i < data->output_count; i++) {
        const struct explore_leaf *leaf = &data->outputs[i];
        struct lift_error error = {0};

        if (!runner_read(r->state->device, data, i, &error))
            return trial_end_failure(&r->t, &error);
        lift_parallel_copy(into->outputs[i], runner_result(),
                           (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar));
        into->magnitude[i] =
            explore_magnitude(runner_result(), leaf->scalar, leaf->count);
    }
    return true;
}

bool run_truth(struct run *r, struct run_state *process)
{
    const struct explore_bench *bench = r->state->bench;
    const struct explore_truth *truth = &bench->truths[r->request->candidates];
    struct runner_module *m = &r->state->plain;

    LIFT_ASSERT(r->request->candidates < EXPLORE_TRUTHS && bench->plain);
    runner_limit((struct runner_limits){.launch = 0});
    if (!check_small(r, &process->plain_checked) ||
        (!m->binary && !compile(r, &bench->problem->sizes, m)) || !run_prepare(r, m) ||
        !compute(r, m, truth->seed, &r->state->data) || !keep(r, truth))
        return false;
    r->t.reply.status = LIFT_TRIAL_OK;
    return true;
}
