#include "explore/runner.h"
#include "lift/bug.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_ARGS = 64, POISON = 0xff, LARGE_PAGE = 2 * 1024 * 1024 };

bool runner_generate(const struct runner_request *r, struct runner_module *out,
                     struct lift_str *why)
{
    const struct explore_problem *p = r->problem;
    struct lift_codegen_options options = {
        .dialect = r->dialect,
        .name = p->name,
        .input_count = p->input_count,
        .param_count = p->param_count,
        .outputs = p->outputs,
        .output_count = p->output_count,
        .local = {r->local[0], r->local[1], r->local[2]},
        .index_bits = r->index_bits,
        .comment = r->comment};
    struct explore_special special;

    *out = (struct runner_module){.ir = lift_ir_create()};
    if (!explore_specialise(p, r->term, r->numbers, out->ir, &special, why))
        return false;
    options.inputs = special.inputs;
    options.params = special.params;
    out->module = lift_codegen(out->ir, special.body, &options, why);
    return out->module != NULL;
}

bool runner_build(struct lift_device *device, struct runner_module *m, const char *flags,
                  struct lift_str *log, struct lift_failure *failure)
{
    m->binary = device->runtime->build(device, m->module->source, flags, log, failure);
    return m->binary != NULL;
}

void runner_unload(struct lift_device *device, struct runner_module *m)
{
    if (m->binary)
        device->runtime->unload(device, m->binary);
    if (m->ir)
        lift_ir_destroy(m->ir);
    *m = (struct runner_module){0};
}

/* ---- data */

static size_t leaf_bytes(const struct explore_leaf *leaf)
{
    return (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar);
}

/* Large pages, where there are some: the memory is touched in every try. */
static bool create_scratch(struct runner_data *d, struct lift_failure *failure)
{
    size_t most = 1, rounded;

    for (int i = 0; i < d->input_count; i++)
        most = leaf_bytes(&d->inputs[i]) > most ? leaf_bytes(&d->inputs[i]) : most;
    for (int i = 0; i < d->output_count; i++)
        most = leaf_bytes(&d->outputs[i]) > most ? leaf_bytes(&d->outputs[i]) : most;
    rounded = (most / LARGE_PAGE + 1) * LARGE_PAGE;
    d->scratch = aligned_alloc(LARGE_PAGE, rounded);
    if (d->scratch) {
        madvise(d->scratch, rounded, MADV_HUGEPAGE);
        return true;
    }
    failure->kind = LIFT_FAIL_RESOURCE;
    lift_str_addf(&failure->text, "cannot allocate %zu bytes", rounded);
    return false;
}

static bool create_input(const struct explore_problem *p, struct lift_device *device,
                         uint64_t seed, int index, struct runner_data *d,
                         struct lift_failure *failure)
{
    const struct explore_leaf *leaf = &d->inputs[index];

    d->in[index] = device->runtime->alloc(device, leaf_bytes(leaf), failure);
    if (!d->in[index])
        return false;
    explore_fill(p, seed, index, leaf, d->scratch);
    return device->runtime->write(device, d->in[index], d->scratch, leaf_bytes(leaf),
                                  failure);
}

bool runner_data_create(const struct explore_problem *p, struct lift_device *device,
                        const struct lift_nat_env *sizes, uint64_t seed,
                        struct runner_data *d, struct lift_failure *failure)
{
    *d = (struct runner_data){0};
    d->input_count = explore_input_leaves(p, sizes, d->inputs);
    d->output_count = explore_output_leaves(p, sizes, d->outputs);
    LIFT_ASSERT(d->input_count >= 0 && d->output_count >= 0);
    if (!create_scratch(d, failure))
        return false;
    for (int i = 0; i < d->input_count; i++)
        if (!create_input(p, device, seed, i, d, failure))
            return false;
    for (int i = 0; i < d->output_count; i++) {
        d->out[i] = device->runtime->alloc(device, leaf_bytes(&d->outputs[i]), failure);
        if (!d->out[i])
            return false;
    }
    return true;
}

static void release_temps(struct lift_device *device, struct runner_data *d)
{
    for (int i = 0; i < d->temp_count; i++)
        device->runtime->release(device, d->temps[i]);
    d->temp_count = 0;
}

void runner_data_destroy(struct lift_device *device, struct runner_data *d)
{
    release_temps(device, d);
    for (int i = 0; i < d->input_count; i++)
        device->runtime->release(device, d->in[i]);
    for (int i = 0; i < d->output_count; i++)
        device->runtime->release(device, d->out[i]);
    free(d->scratch);
    *d = (struct runner_data){0};
}

bool runner_poison(struct lift_device *device, struct runner_data *d,
                   struct lift_failure *failure)
{
    for (int i = 0; i < d->output_count; i++) {
        size_t bytes = leaf_bytes(&d->outputs[i]);

        memset(d->scratch, POISON, bytes);
        if (!device->runtime->write(device, d->out[i], d->scratch, bytes, failure))
            return false;
    }
    return true;
}

bool runner_read(struct lift_device *device, struct runner_data *d, int output,
                 struct lift_failure *failure)
{
    return device->runtime->read(device, d->out[output], d->scratch,
                                 leaf_bytes(&d->outputs[output]), failure);
}

bool runner_temps(struct lift_device *device, const struct runner_module *m,
                  struct runner_data *d, struct lift_failure *failure)
{
    release_temps(device, d);
    for (int i = 0; i < m->module->bind_count; i++) {
        const struct lift_bind *bind = &m->module->binds[i];

        if (bind->kind != LIFT_BIND_TEMP)
            continue;
        LIFT_ASSERT(d->temp_count < EXPLORE_MAX_LEAVES);
        d->temps[d->temp_count] = device->runtime->alloc(
            device, (size_t)bind->count * (size_t)lift_scalar_bytes(bind->scalar),
            failure);
        if (!d->temps[d->temp_count])
            return false;
        d->temp_count++;
    }
    return true;
}

/* ---- launching */

static struct lift_arg buffer_arg(struct lift_buffer *buffer)
{
    return (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = buffer};
}

static struct lift_arg param_arg(const struct lift_bind *bind, double value)
{
    switch (bind->scalar) {
    case LIFT_F32:
        return (struct lift_arg){.kind = LIFT_ARG_F32, .f = value};
    case LIFT_F64:
        return (struct lift_arg){.kind = LIFT_ARG_F64, .f = value};
    default:
        return (struct lift_arg){.kind = LIFT_ARG_I32, .i = (int32_t)value};
    }
}

static int temp_index(const struct lift_module *m, int bind)
{
    int index = 0;

    for (int i = 0; i < bind; i++)
        index += m->binds[i].kind == LIFT_BIND_TEMP;
    return index;
}

static struct lift_arg bind_arg(const struct explore_problem *p,
                                const struct lift_module *m, const struct runner_data *d,
                                int index)
{
    const struct lift_bind *bind = &m->binds[index];

    switch (bind->kind) {
    case LIFT_BIND_INPUT:
        LIFT_ASSERT(bind->index < d->input_count &&
                    bind->count == d->inputs[bind->index].count);
        return buffer_arg(d->in[bind->index]);
    case LIFT_BIND_OUTPUT:
        LIFT_ASSERT(bind->index < d->output_count &&
                    bind->count == d->outputs[bind->index].count);
        return buffer_arg(d->out[bind->index]);
    case LIFT_BIND_TEMP:
        return buffer_arg(d->temps[temp_index(m, index)]);
    case LIFT_BIND_PARAM:
        LIFT_ASSERT(bind->index < p->param_count);
        return param_arg(bind, p->param_values[bind->index]);
    }
    LIFT_BUG("bind of kind %d", (int)bind->kind);
}

bool runner_launch(const struct explore_problem *p, struct lift_device *device,
                   const struct runner_module *m, const struct runner_data *d,
                   double *seconds, struct lift_failure *failure)
{
    for (int k = 0; k < m->module->kernel_count; k++) {
        const struct lift_kernel *kernel = &m->module->kernels[k];
        struct lift_arg args[MAX_ARGS];

        LIFT_ASSERT(kernel->arg_count <= MAX_ARGS);
        for (int i = 0; i < kernel->arg_count; i++)
            args[i] = bind_arg(p, m->module, d, kernel->args[i]);
        if (!device->runtime->launch(device, m->binary,
                                     &(struct lift_call){kernel->name, kernel->launch,
                                                         args, kernel->arg_count},
                                     failure))
            return false;
    }
    return device->runtime->finish(device, seconds, failure);
}
