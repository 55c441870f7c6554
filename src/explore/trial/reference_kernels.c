/* The kernels that make references, at sizes given as numbers. */
#include "explore/candidate.h"
#include "explore/kept_binaries.h"
#include "explore/trial/reference_make.h"
#include <string.h>

/* Strict arithmetic, at the usual optimisation level. */
static const char host_flags[] = "-O2 -ffp-contract=off";

static bool fail_text(const struct making *m, const struct lift_str *why)
{
    return lift_fail(m->error, LIFT_ERROR_KERNEL, "%s", lift_str_get(why));
}

static bool build_host(const struct making *m, const struct explore_numbers *n,
                       struct runner_module *out)
{
    struct runner_request request = {.problem = m->step,
                                     .term = m->bench->plain,
                                     .numbers = &n->env,
                                     .dialect = LIFT_DIALECT_OPENMP};
    LIFT_SCOPED(lift_str) why = {0};

    if (!runner_generate(&request, out, &why))
        return fail_text(m, &why);
    return runner_build(m->r->host, out, host_flags, NULL, m->error);
}

static bool build_own(const struct making *m, int kind, const struct explore_numbers *n,
                      struct runner_module *out)
{
    const struct explore_own *own = &m->bench->own[kind];
    struct candidate_request request = {.problem = m->step,
                                        .device = m->bench->info,
                                        .candidates = &own->space,
                                        .point = own->point};
    const struct lift_side_condition *broken = explore_broken(&own->space, &n->env);
    LIFT_SCOPED(lift_str) why = {0};

    if (broken)
        return lift_fail(m->error, LIFT_ERROR_KERNEL, "%s", broken->why);
    if (!candidate_generate(&request, n, out, &why))
        return fail_text(m, &why);
    return runner_build_kept(m->device, out, candidate_flags(&request), m->error);
}

static void numbers_of(const struct making *m, int kind, struct explore_numbers *out)
{
    const struct explore_own *own = kind == REFERENCE_HOST ? NULL : &m->bench->own[kind];

    explore_numbers_of(m->bench->problem, own ? &own->space : NULL,
                       own ? own->point : NULL, out);
}

static struct lift_device *device_of(const struct making *m, int kind)
{
    return kind == REFERENCE_HOST ? m->r->host : m->device;
}

void reference_unload(struct references *r, struct lift_device *device, int index)
{
    struct reference_kernel *k = &r->kernels[index];

    runner_unload(k->kind == REFERENCE_HOST ? r->host : device, &k->module);
    memmove(k, k + 1, (size_t)(--r->kernel_count - index) * sizeof *k);
}

static struct reference_kernel *build_at_sizes(const struct making *m, int kind)
{
    struct references *r = m->r;
    struct explore_numbers n;
    struct reference_kernel *k;

    numbers_of(m, kind, &n);
    for (int i = 0; i < r->kernel_count; i++) {
        k = &r->kernels[i];
        if (k->kind == kind && k->problem == m->step &&
            !memcmp(k->sizes, n.values, (size_t)n.size_count * sizeof *k->sizes))
            return k;
    }
    if (r->kernel_count == REFERENCE_KERNELS) /* sizes that are seldom used */
        reference_unload(r, m->device, 0);
    k = &r->kernels[r->kernel_count];
    *k = (struct reference_kernel){.kind = kind, .problem = m->step};
    memcpy(k->sizes, n.values, (size_t)n.size_count * sizeof *k->sizes);
    if (kind == REFERENCE_HOST ? build_host(m, &n, &k->module)
                               : build_own(m, kind, &n, &k->module)) {
        r->kernel_count++;
        return k;
    }
    runner_unload(device_of(m, kind), &k->module);
    return NULL;
}

bool reference_compute(struct lift_device *device, struct runner_module *module,
                       uint64_t seed, struct runner_data *data, struct lift_error *error)
{
    runner_reseed(data, seed);
    return runner_fit(device, module, data, error) &&
           runner_chain(device, module, data, error);
}

/* ---- the check at a small size */

static bool agrees(struct lift_device *device, struct runner_data *data,
                   const struct explore_answer *answer, struct lift_error *error)
{
    struct explore_verdict v = {.bound = 0};

    for (int i = 0; i < data->output_count; i++) {
        const struct explore_leaf *leaf = &data->outputs[i];
        int64_t bad = v.bad;

        if (!runner_read(device, data, i, error))
            return false;
        v.bound =
            explore_bound(data->problem, i, leaf->scalar,
                          explore_magnitude(answer->data[i], LIFT_F64, leaf->count));
        explore_compare(&v,
                        (struct explore_pair){leaf->scalar, runner_result(),
                                              answer->data[i], true, leaf->count},
                        0);
        explore_excuse(&v, data->problem, i, leaf->count, bad);
    }
    return v.bad == 0 ||
           lift_fail(error, LIFT_ERROR_KERNEL,
                     "it differs from the interpreter at a small size in %lld values, "
                     "first at %lld: %g off",
                     (long long)v.bad, (long long)v.first_bad, v.max_error);
}

static bool check_at(const struct making *m, int kind, const struct explore_numbers *n)
{
    struct lift_device *device = device_of(m, kind);
    struct explore_question question = {
        .problem = m->step,
        .term = m->step->root,
        .numbers = &n->env,
        .seed = m->bench->seed,
        .interpreter = m->r->interpreted == m->step ? m->r->interpreter : NULL};
    struct runner_module module = {0};
    struct runner_data data = {0};
    LIFT_SCOPED(explore_answer) answer = {.count = 0};
    LIFT_SCOPED(lift_str) why = {0};
    bool good = explore_interpret(&question, &answer, &why) || fail_text(m, &why);

    good =
        good &&
        (kind == REFERENCE_HOST ? build_host(m, n, &module)
                                : build_own(m, kind, n, &module)) &&
        runner_data_create(m->step, device, &n->env, m->bench->seed, &data, m->error) &&
        reference_compute(device, &module, m->bench->seed, &data, m->error) &&
        agrees(device, &data, &answer, m->error);
    runner_unload(device, &module);
    runner_data_destroy(device, &data);
    return good;
}

/* Checks the kernel of a step once in each process: kernels differ only by their sizes.
 */
static bool check_small(const struct making *m, int kind)
{
    const struct explore_own *own = kind == REFERENCE_HOST ? NULL : &m->bench->own[kind];
    struct explore_numbers n;
    LIFT_SCOPED(lift_str) why = {0};

    if (m->r->checked[kind])
        return true;
    explore_numbers_of(m->step, own ? &own->space : NULL, own ? own->point : NULL, &n);
    if (!explore_small_sizes(m->step, own ? &own->space : NULL, &n, &why))
        return fail_text(m, &why);
    m->r->checked[kind] = check_at(m, kind, &n);
    return m->r->checked[kind];
}

struct reference_kernel *reference_kernel(const struct making *m, int kind)
{
    return kind == EXPLORE_WITNESS || check_small(m, kind) ? build_at_sizes(m, kind)
                                                           : NULL;
}
