/* Generates the source of a module, launches it, and inspects its buffers. */
#include "explore/runner.h"
#include "base/bug.h"
#include "base/fail.h"
#include "explore/program_arrays.h"
#include "explore/rotation.h"
#include "tuner/db.h"
#include "tuner/worker.h"
#include <string.h>

enum { MAX_ARGS = 64, MAX_TENSORS = 16 };

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
        .stored = lift_expr_mentions(p->program->body, LIFT_PAD_STORED),
        .local = {r->local[0], r->local[1], r->local[2]},
        .index_bits = r->index_bits,
        .resident = r->resident,
        .warp = r->warp,
        .most_straight = r->most_straight,
        .most_code = r->most_code,
        .exact = !p->relaxed,
        .comment = r->comment,
        .local_functions = r->local_functions,
        .beside = r->beside};
    struct explore_special special;
    bool dying[EXPLORE_MAX_INPUTS];

    *out = (struct runner_module){.ir = lift_ir_create()};
    if (!explore_specialise(p, r->term, r->numbers, out->ir, &special, why))
        return false;
    if (r->beside)
        options.name =
            lift_arena_printf(lift_ir_arena(out->ir), "%s_%s", p->name, r->beside);
    options.inputs = special.inputs;
    options.params = special.params;
    options.dying = dying;
    for (int i = 0; i < p->input_count; i++)
        dying[i] = lift_program_input_dies(p->program, i);
    out->module = lift_codegen(out->ir, special.body, &options, why);
    if (!out->module || strlen(out->module->source) <= LIFT_DB_TEXT)
        return out->module != NULL;
    return LIFT_FAIL(why, "its source has more than 16 MiB");
}

bool runner_build(struct lift_device *device, struct runner_module *m, const char *flags,
                  struct lift_str *log, struct lift_error *error)
{
    m->binary = device->runtime->build(device, m->module->source, flags, log, error);
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

/* ---- buffers */

static bool bind_fits(const struct lift_bind *bind, const struct runner_data *d)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct place place;
    bool known = runner_place(d->problem, d->problem->param_values, bind, &place, &why);

    switch (bind->kind) {
    case LIFT_BIND_INPUT:
        return known && d->in[bind->index] && !d->spent[bind->index] &&
               layout_same(&d->in_at[bind->index], &place);
    case LIFT_BIND_OUTPUT:
        return known && bind->in_place < 0 && d->out[bind->index] &&
               layout_same(&d->out_at[bind->index], &place);
    case LIFT_BIND_TEMP:
    case LIFT_BIND_PARAM:
        return true;
    }
    LIFT_BUG("bind of kind %d", (int)bind->kind);
}

bool runner_fits(const struct runner_module *m, const struct runner_data *d)
{
    for (int i = 0; i < m->module->bind_count; i++)
        if (!bind_fits(&m->module->binds[i], d))
            return false;
    return !runner_overwrites(d);
}

/* ---- launching */

static struct lift_arg buffer_arg(struct lift_buffer *buffer)
{
    return (struct lift_arg){.kind = LIFT_ARG_BUFFER, .buffer = buffer};
}

struct lift_arg runner_param(const struct lift_bind *bind, double value)
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

struct launch {
    const struct lift_module *module;
    const struct runner_data *data;
};

static struct lift_arg bind_arg(const void *user, int index)
{
    const struct launch *l = user;
    const struct runner_data *d = l->data;
    const struct explore_problem *p = d->problem;
    const struct lift_bind *bind = &l->module->binds[index];

    switch (bind->kind) {
    case LIFT_BIND_INPUT:
        LIFT_ASSERT(bind->index < d->input_count &&
                    bind->count == d->in_at[bind->index].count);
        return buffer_arg(d->in[bind->index]);
    case LIFT_BIND_OUTPUT:
        LIFT_ASSERT(bind->index < d->output_count && bind->in_place < 0 &&
                    bind->count == d->out_at[bind->index].count);
        return buffer_arg(d->out[bind->index]);
    case LIFT_BIND_TEMP:
        return buffer_arg(d->temps[temp_index(l->module, index)]);
    case LIFT_BIND_PARAM:
        LIFT_ASSERT(bind->index < p->param_count);
        return runner_param(bind, p->param_values[bind->index]);
    }
    LIFT_BUG("bind of kind %d", (int)bind->kind);
}

static bool call_kernel(struct lift_device *device, const struct runner_module *m, int k,
                        runner_arg *arg, const void *user, struct lift_error *error)
{
    const struct lift_kernel *kernel = &m->module->kernels[k];
    struct lift_arg args[MAX_ARGS];
    struct lift_tensor_arg tensors[MAX_TENSORS];

    LIFT_ASSERT(kernel->arg_count <= MAX_ARGS && kernel->tensor_count <= MAX_TENSORS);
    for (int i = 0; i < kernel->arg_count; i++)
        args[i] = arg(user, kernel->args[i]);
    for (int i = 0; i < kernel->tensor_count; i++)
        tensors[i] = (struct lift_tensor_arg){
            .tensor = &kernel->tensors[i],
            .buffer = arg(user, kernel->tensors[i].bind).buffer,
            .scalar = m->module->binds[kernel->tensors[i].bind].scalar};
    return device->runtime->launch(device, m->binary,
                                   &(struct lift_call){kernel->name, kernel->launch, args,
                                                       kernel->arg_count, tensors,
                                                       kernel->tensor_count},
                                   error);
}

bool runner_call(struct lift_device *device, const struct runner_module *m,
                 runner_arg *arg, const void *user, struct lift_error *error)
{
    int64_t again = 0; /* iterations of the current loop that have finished */

    for (int k = 0; k < m->module->kernel_count; k++) {
        const struct lift_kernel *kernel = &m->module->kernels[k];

        if (!call_kernel(device, m, k, arg, user, error))
            return false;
        again = kernel->times > 1 ? (again + 1) % kernel->times : again;
        if (kernel->times > 1 && again)
            k = kernel->first - 1;
    }
    return true;
}

static struct runner_limits limits;

void runner_limit(struct runner_limits l)
{
    limits = l;
}

/* ---- the time loop */

enum { COUNTERS = 1024 }; /* elements of a short array of integers */

/* The array that becomes input 'i' in the next launch, as in struct rotation_array. */
static void find_next(const struct runner_data *d, int next[EXPLORE_MAX_LEAVES])
{
    struct explore_shape in[EXPLORE_MAX_LEAVES], out[EXPLORE_MAX_LEAVES];
    int ins = explore_input_shapes(d->problem, in),
        outs = explore_output_shapes(d->problem, out);

    for (int i = 0; i < ins; i++)
        next[i] =
            !lift_scalar_is_real(d->inputs[i].scalar) && d->inputs[i].count <= COUNTERS
                ? i
                : explore_next_array(d->problem, in, ins, out, outs, i);
}

bool runner_rotates(const struct runner_data *d)
{
    LIFT_SCOPED(lift_str) why = {0};
    int next[EXPLORE_MAX_LEAVES];

    if (!d->problem->program->iterative || !explore_has_shapes(d->problem, &why))
        return false;
    find_next(d, next);
    for (int i = 0; i < d->input_count; i++)
        for (int j = 0; j < i; j++)
            if (next[i] == next[j])
                return false;
    return true;
}

bool runner_passes(const struct runner_data *d, int output)
{
    int next[EXPLORE_MAX_LEAVES];
    bool passes = false;

    find_next(d, next);
    for (int i = 0; i < d->input_count; i++)
        passes |= next[i] == d->input_count + output;
    return passes;
}

/* The data's buffers as a rotation. */
struct turning {
    struct rotation r;
    struct rotation_pool pool;
    struct lift_buffer *held[ROTATION_ARRAYS];
};

/* The layout of array 'i' of all inputs and then all outputs. */
static const struct place *place_at(const struct runner_data *d, int i)
{
    int output = i - d->input_count;

    if (output < 0)
        return &d->in_at[i];
    return d->stored_in[output] < 0 ? &d->out_at[output]
                                    : &d->in_at[d->stored_in[output]];
}

static void find_rotation(const struct runner_data *d, struct turning *t)
{
    struct rotation *r = &t->r;
    int next[EXPLORE_MAX_LEAVES];

    *t = (struct turning){
        .r = {&t->pool, d->input_count, d->input_count + d->output_count}};
    find_next(d, next);
    for (int i = 0; i < r->count; i++) {
        int output = i - d->input_count, kind = 0;

        while (!layout_same(place_at(d, kind), place_at(d, i)))
            kind++;
        r->arrays[i] = (struct rotation_array){
            kind, output < 0 ? next[i] : d->stored_in[output], -1};
        if (output >= 0 && d->stored_in[output] >= 0)
            continue;
        r->arrays[i].buffer = rotation_free(r, i, kind);
        t->held[r->arrays[i].buffer] = output < 0 ? d->in[i] : d->out[output];
    }
    rotation_outputs(r);
    for (int i = 0; i < d->input_count; i++)
        LIFT_ASSERT(layout_same(place_at(d, next[i]), &d->in_at[i]));
}

static void turn(struct runner_data *d, struct turning *t)
{
    struct rotation *r = &t->r;

    rotation_next(r);
    rotation_outputs(r);
    for (int i = 0; i < d->input_count; i++) {
        d->in[i] = t->held[r->arrays[i].buffer];
        d->spent[i] |= r->arrays[i].from != i;
    }
    for (int o = 0; o < d->output_count; o++)
        if (d->stored_in[o] < 0)
            d->out[o] = t->held[r->arrays[d->input_count + o].buffer];
}

static bool launch_all(struct lift_device *device, const struct runner_module *m,
                       struct runner_data *d, int count, struct turning *turns,
                       struct lift_error *error)
{
    const struct launch l = {m->module, d};

    for (int i = 0; i < count; i++) {
        if (turns && d->turned)
            turn(d, turns);
        if (!runner_call(device, m, bind_arg, &l, error))
            return false;
        d->turned = turns != NULL;
    }
    return true;
}

static void begin(struct runner_module *m, struct runner_data *d, int count)
{
    if (limits.launch > 0)
        lift_worker_allow(limits.launch * count + (m->launches ? 0 : limits.first));
    m->launches += count;
    d->used += count;
    for (int o = 0; o < d->output_count; o++)
        if (d->stored_in[o] >= 0)
            d->spent[d->stored_in[o]] = true;
}

/* 'good': the kernels were launched. */
static bool finish(struct lift_device *device, bool good, double *seconds,
                   struct lift_error *error)
{
    good = good && device->runtime->finish(device, seconds, error);
    if (limits.launch > 0)
        lift_worker_allow(limits.rest);
    return good;
}

bool runner_launch(struct lift_device *device, struct runner_module *m,
                   struct runner_data *d, int count, double *seconds,
                   struct lift_error *error)
{
    begin(m, d, count);
    return finish(device, launch_all(device, m, d, count, NULL, error), seconds, error);
}

bool runner_steps(struct lift_device *device, struct runner_module *m,
                  struct runner_data *d, int count, double *seconds,
                  struct lift_error *error)
{
    struct turning turns;

    LIFT_ASSERT(runner_rotates(d));
    find_rotation(d, &turns);
    begin(m, d, count);
    return finish(device, launch_all(device, m, d, count, &turns, error), seconds, error);
}

/* ---- writes outside the outputs */

static bool inspect_bands(struct lift_device *device, struct lift_buffer *buffer,
                          const char *what, int index, struct lift_error *error)
{
    int64_t at;

    if (!buffer) /* no module used it */
        return true;
    if (!device->runtime->guards(device, buffer, &at, error))
        return false;
    if (at == LIFT_UNTOUCHED)
        return true;
    return lift_fail(error, LIFT_ERROR_OVERFLOW,
                     "the kernel wrote outside %s %d, at byte %lld", what, index,
                     (long long)at);
}

static bool inspect_all_bands(struct lift_device *device, const struct runner_data *d,
                              struct lift_error *error)
{
    for (int i = 0; i < d->output_count; i++)
        if (!inspect_bands(device, d->out[i], "output", i, error))
            return false;
    for (int i = 0; i < d->input_count; i++)
        if (!inspect_bands(device, d->in[i], "input", i, error))
            return false;
    for (int i = 0; i < d->temp_count; i++)
        if (!inspect_bands(device, d->temps[i], "its intermediate buffer", i, error))
            return false;
    return true;
}

bool runner_inspect(struct lift_device *device, const struct runner_data *d, bool inputs,
                    struct lift_error *error)
{
    if (!inspect_all_bands(device, d, error))
        return false;
    for (int i = 0; inputs && i < d->input_count; i++) {
        uint64_t now;

        if (d->spent[i] || !d->in[i])
            continue;
        if (!device->runtime->digest(device, d->in[i], &now, error))
            return false;
        if (now == d->digests[i])
            continue;
        return lift_fail(error, LIFT_ERROR_OVERFLOW, "the kernel changed input %d", i);
    }
    return true;
}

/* The buffer of an output. */
static struct lift_buffer *result_of(const struct runner_data *d, int output)
{
    return d->stored_in[output] < 0 ? d->out[output] : d->in[d->stored_in[output]];
}

bool runner_remember(struct lift_device *device, struct runner_data *d,
                     struct lift_error *error)
{
    for (int i = 0; i < d->output_count; i++)
        if (!device->runtime->digest(device, result_of(d, i), &d->out_digests[i], error))
            return false;
    return true;
}

bool runner_recall(struct lift_device *device, const struct runner_data *d, bool *same,
                   struct lift_error *error)
{
    *same = true;
    for (int i = 0; i < d->output_count; i++) {
        uint64_t now;

        if (!device->runtime->digest(device, result_of(d, i), &now, error))
            return false;
        *same = *same && now == d->out_digests[i];
    }
    return true;
}
