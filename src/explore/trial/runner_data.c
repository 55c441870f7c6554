/* Allocates, lays out, fills and reads the buffers of a problem on a device. */
#include "base/bug.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "explore/runner.h"
#include "explore/trial/device_grids.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 * 1024 * 1024 };

/* Contents are valid until the next call, so one of each serves the process. Large pages
 * are used if available, since every trial touches the memory. */
static struct scratch {
    void *memory;
    size_t bytes;
} scratch, whole; /* a grid; and a whole buffer with its layout */

static bool grow(struct scratch *s, size_t bytes)
{
    if (bytes <= s->bytes)
        return true;
    free(s->memory);
    s->bytes = 0;
    s->memory = aligned_alloc(LARGE_PAGE, bytes);
    if (!s->memory)
        return false;
    s->bytes = bytes;
    madvise(s->memory, bytes, MADV_HUGEPAGE);
    return true;
}

static bool make_room(struct scratch *s, size_t most, struct lift_error *error)
{
    size_t rounded = (most / LARGE_PAGE + 1) * LARGE_PAGE;

    if (grow(s, rounded))
        return true;
    return lift_fail(error, LIFT_ERROR_RESOURCE, "cannot allocate %zu bytes", rounded);
}

static bool make_scratch(const struct runner_data *d, struct lift_error *error)
{
    size_t most = 1;

    for (int i = 0; i < d->input_count; i++)
        most = explore_leaf_bytes(&d->inputs[i]) > most
                   ? explore_leaf_bytes(&d->inputs[i])
                   : most;
    for (int i = 0; i < d->output_count; i++)
        most = explore_leaf_bytes(&d->outputs[i]) > most
                   ? explore_leaf_bytes(&d->outputs[i])
                   : most;
    return make_room(&scratch, most, error);
}

static const void *result;

const void *runner_result(void)
{
    return result;
}

/* The buffer's memory in this process; NULL: not accessible. */
static void *memory_of(struct lift_device *device, struct lift_buffer *buffer)
{
    return device->runtime->memory ? device->runtime->memory(device, buffer) : NULL;
}

/* Memory for the content of a whole buffer: mapped memory of the buffer, or scratch that
 * put_whole copies to the buffer. */
static void *take_whole(struct lift_device *device, struct lift_buffer *buffer,
                        const struct place *place, struct lift_error *error)
{
    void *own = memory_of(device, buffer);

    if (own)
        return own;
    return make_room(&whole, layout_bytes(place), error) ? whole.memory : NULL;
}

static bool put_whole(struct lift_device *device, struct lift_buffer *buffer,
                      const struct place *place, struct lift_error *error)
{
    return memory_of(device, buffer) ||
           device->runtime->write(device, buffer, whole.memory, layout_bytes(place),
                                  error);
}

/* Writes a grid to a buffer with this layout. */
static bool write_grid(struct lift_device *device, struct lift_buffer *buffer,
                       const struct place *place, const void *grid,
                       struct lift_error *error)
{
    void *to;

    if (!place->laid_out)
        return device->runtime->write(device, buffer, grid, layout_bytes(place), error);
    to = take_whole(device, buffer, place, error);
    if (!to)
        return false;
    layout_write(place, grid, to);
    return put_whole(device, buffer, place, error);
}

/* Replaces a buffer by one with another layout, unless the layouts are equal. */
static bool move_to(struct lift_device *device, struct lift_buffer **buffer,
                    struct place *is, const struct place *wanted,
                    struct lift_error *error)
{
    if (*buffer && layout_same(is, wanted))
        return true;
    device->runtime->release(device, *buffer);
    *is = *wanted;
    *buffer = device->runtime->alloc(device, layout_bytes(wanted), error);
    return *buffer != NULL;
}

/* The input of the current seed on the device; NULL if memory is short. */
static struct lift_buffer *master_of(struct lift_device *device, struct runner_data *d,
                                     int index)
{
    const struct explore_leaf *leaf = &d->inputs[index];
    struct master *m = &d->masters[d->masters[0][index].buffer &&
                                   d->masters[0][index].seed != d->seed][index];
    struct lift_random random = explore_random(d->problem, d->seed, index);
    LIFT_SCOPED(lift_error) error = {0};

    if (m->buffer && m->seed == d->seed)
        return m->buffer;
    if (!m->buffer)
        m->buffer = device->runtime->alloc(device, explore_leaf_bytes(leaf), &error);
    m->seed = d->seed;
    if (m->buffer && remote_fill(device, m->buffer, leaf, &random, &error))
        return m->buffer;
    device->runtime->release(device, m->buffer);
    m->buffer = NULL;
    return NULL;
}

static bool refill_input(struct lift_device *device, struct runner_data *d, int index,
                         struct lift_error *error)
{
    bool there = d->remote && explore_seed_is_plain(d->seed);
    struct lift_buffer *master = there ? master_of(device, d, index) : NULL;
    void *own;

    if (master)
        return remote_lay_out(device, d->in[index], &d->in_at[index], master, error);
    own = d->in_at[index].laid_out ? NULL : memory_of(device, d->in[index]);
    explore_fill(d->problem, d->seed, index, &d->inputs[index],
                 own ? own : scratch.memory);
    return own ||
           write_grid(device, d->in[index], &d->in_at[index], scratch.memory, error);
}

/* 'keep': as in runner_refit. */
static bool fit_input(struct lift_device *device, struct runner_data *d, int index,
                      const struct place *wanted, bool keep, struct lift_error *error)
{
    if (d->in[index] && (keep || !d->spent[index]) &&
        layout_same(&d->in_at[index], wanted))
        return true;
    if (!move_to(device, &d->in[index], &d->in_at[index], wanted, error))
        return false;
    d->spent[index] = false;
    return refill_input(device, d, index, error) &&
           device->runtime->digest(device, d->in[index], &d->digests[index], error);
}

void runner_reseed(struct runner_data *d, uint64_t seed)
{
    for (int i = 0; i < d->input_count && d->seed != seed; i++)
        d->spent[i] = true;
    d->seed = seed;
}

bool runner_data_create(const struct explore_problem *p, struct lift_device *device,
                        const struct lift_nat_env *sizes, uint64_t seed,
                        struct runner_data *d, struct lift_error *error)
{
    *d = (struct runner_data){.problem = p, .seed = seed};
    d->remote = !lift_device_info(device)->is_cpu;
    d->input_count = explore_input_leaves(p, sizes, d->inputs);
    d->output_count = explore_output_leaves(p, sizes, d->outputs);
    LIFT_ASSERT(d->input_count >= 0 && d->output_count >= 0);
    for (int i = 0; i < d->output_count; i++)
        d->stored_in[i] = -1;
    return make_scratch(d, error);
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
    for (int i = 0; i < d->input_count; i++) {
        device->runtime->release(device, d->in[i]);
        device->runtime->release(device, d->masters[0][i].buffer);
        device->runtime->release(device, d->masters[1][i].buffer);
    }
    for (int i = 0; i < d->output_count; i++)
        device->runtime->release(device, d->out[i]);
    *d = (struct runner_data){0};
}

static bool same_leaf(const struct explore_leaf *a, const struct explore_leaf *b)
{
    return a->scalar == b->scalar && a->count == b->count && a->offset == b->offset &&
           a->stride == b->stride && a->member == b->member;
}

/* True if the inputs of both problems have equal values for equal seeds. */
static bool same_inputs(const struct runner_data *d, const struct explore_problem *p,
                        const struct explore_leaf *inputs, int count)
{
    bool same = d->input_count == count && d->problem->positive == p->positive &&
                d->problem->reach.high == p->reach.high &&
                d->problem->reach.low == p->reach.low &&
                d->problem->reach.integers == p->reach.integers;

    for (int i = 0; i < count && same; i++)
        same = same_leaf(&d->inputs[i], &inputs[i]);
    return same;
}

bool runner_data_turn(const struct explore_problem *p, struct lift_device *device,
                      struct runner_data *d, struct lift_error *error)
{
    struct explore_leaf inputs[EXPLORE_MAX_LEAVES], outputs[EXPLORE_MAX_LEAVES];
    int input_count = explore_input_leaves(p, &p->sizes, inputs), count;
    uint64_t seed = d->seed;

    if (d->problem == p)
        return true;
    if (!same_inputs(d, p, inputs, input_count)) {
        runner_data_destroy(device, d);
        return runner_data_create(p, device, &p->sizes, seed, d, error);
    }
    count = explore_output_leaves(p, &p->sizes, outputs);
    release_temps(device, d);
    for (int i = 0; i < EXPLORE_MAX_LEAVES; i++) {
        d->stored_in[i] = -1;
        if (i < count && i < d->output_count && same_leaf(&d->outputs[i], &outputs[i]))
            continue;
        device->runtime->release(device, d->out[i]);
        d->out[i] = NULL;
    }
    memcpy(d->outputs, outputs, sizeof outputs);
    d->output_count = count;
    d->problem = p;
    return make_scratch(d, error);
}

static bool poison(struct lift_device *device, const struct runner_data *d,
                   struct lift_buffer *buffer, const struct place *place,
                   struct lift_error *error)
{
    void *to;

    if (d->remote)
        return remote_poison(device, buffer, place, error);
    to = take_whole(device, buffer, place, error);
    if (!to)
        return false;
    layout_poison(place, to);
    return put_whole(device, buffer, place, error);
}

bool runner_poison(struct lift_device *device, struct runner_data *d,
                   struct lift_error *error)
{
    for (int i = 0; i < d->output_count; i++)
        if (d->stored_in[i] < 0 && !poison(device, d, d->out[i], &d->out_at[i], error))
            return false;
    return true;
}

bool runner_compare(struct lift_device *device, const struct runner_data *d, int output,
                    struct lift_buffer *want, struct explore_verdict *verdict,
                    struct lift_error *error)
{
    int64_t base = 0; /* positions count all outputs */
    int input = d->stored_in[output];
    struct remote_pair pair = {.got = input < 0 ? d->out[output] : d->in[input],
                               .want = want,
                               .place = input < 0 ? &d->out_at[output] : &d->in_at[input],
                               .count = d->outputs[output].count};

    for (int i = 0; i < output; i++)
        base += d->outputs[i].count;
    return remote_compare(device, pair, base, verdict, error);
}

/* Reads a whole buffer, halo included; returns NULL and a failure. */
static const void *read_whole(struct lift_device *device, struct lift_buffer *buffer,
                              const struct place *place, struct lift_error *error)
{
    const void *own = memory_of(device, buffer);

    if (own)
        return own;
    if (make_room(&whole, layout_bytes(place), error) &&
        device->runtime->read(device, buffer, whole.memory, layout_bytes(place), error))
        return whole.memory;
    return NULL;
}

bool runner_read(struct lift_device *device, struct runner_data *d, int output,
                 struct lift_error *error)
{
    int input = d->stored_in[output];
    struct lift_buffer *buffer = input < 0 ? d->out[output] : d->in[input];
    const struct place *place = input < 0 ? &d->out_at[output] : &d->in_at[input];

    result = read_whole(device, buffer, place, error);
    if (!result || !place->laid_out)
        return result != NULL;
    if (!layout_read(place, result, scratch.memory)) {
        return lift_fail(error, LIFT_ERROR_OVERFLOW,
                         "the kernel wrote around the grid of output %d", output);
    }
    result = scratch.memory;
    return true;
}

bool runner_overwrites(const struct runner_data *d)
{
    for (int i = 0; i < d->output_count; i++)
        if (d->stored_in[i] >= 0)
            return true;
    return false;
}

enum { BLOCK = 1 << 18 }; /* elements of a repeated part */

struct repeating {
    const char *block;
    char *to;
    size_t block_bytes, bytes;
};

static void repeat_blocks(void *user, int64_t from, int64_t to)
{
    const struct repeating *r = user;

    for (int64_t i = from; i < to; i++) {
        size_t at = (size_t)i * r->block_bytes, left = r->bytes - at;

        memcpy(r->to + at, r->block, left < r->block_bytes ? left : r->block_bytes);
    }
}

/* Repeats the first block of the right values in the whole buffer, which is in this
 * process. */
static void refill_alike(struct runner_data *d, int index, void *buffer)
{
    struct explore_leaf block = d->inputs[index];
    struct repeating r = {scratch.memory, buffer, 0, layout_bytes(&d->in_at[index])};

    block.count = block.count < BLOCK ? block.count : BLOCK;
    r.block_bytes = explore_leaf_bytes(&block);
    explore_fill(d->problem, d->seed, index, &block, scratch.memory);
    if (r.block_bytes)
        lift_parallel((int64_t)((r.bytes + r.block_bytes - 1) / r.block_bytes), 1,
                      repeat_blocks, &r);
}

bool runner_refill(struct lift_device *device, struct runner_data *d, bool exact,
                   struct lift_error *error)
{
    for (int i = 0; i < d->input_count; i++) {
        void *own = d->in[i] && !exact ? memory_of(device, d->in[i]) : NULL;

        if (!d->in[i] || !d->spent[i])
            continue;
        if (own)
            refill_alike(d, i, own);
        else if (!refill_input(device, d, i, error))
            return false;
        d->spent[i] = own != NULL;
    }
    d->used = 0;
    d->turned = false;
    return true;
}

size_t runner_data_bytes(const struct runner_data *d)
{
    size_t bytes = 0;

    for (int i = 0; i < d->input_count; i++)
        bytes += (d->in[i] ? layout_bytes(&d->in_at[i]) : 0) +
                 (d->remote ? 2 * explore_leaf_bytes(&d->inputs[i]) : 0);
    for (int i = 0; i < d->output_count; i++)
        bytes += d->out[i] ? layout_bytes(&d->out_at[i]) : 0;
    return bytes;
}

/* Kernels write nothing around the grids of intermediates. */
static bool fit_temp(struct lift_device *device, const struct place *place,
                     struct runner_data *d, struct lift_error *error)
{
    struct lift_buffer *temp;

    LIFT_ASSERT(d->temp_count < EXPLORE_MAX_LEAVES);
    temp = device->runtime->alloc(device, layout_bytes(place), error);
    if (temp)
        d->temps[d->temp_count++] = temp;
    return temp && (!place->filled || poison(device, d, temp, place, error));
}

bool runner_place(const struct explore_problem *p, const double *param_values,
                  const struct lift_bind *bind, struct place *out, struct lift_str *why)
{
    struct lift_binding params[EXPLORE_MAX_PARAMS];
    struct lift_eval_env env = {.values = params, .value_count = p->param_count};

    for (int i = 0; i < p->param_count; i++)
        params[i] = (struct lift_binding){
            p->params[i]->u.name, lift_type_is_scalar(p->params[i]->type, LIFT_I32)
                                      ? lift_value_int((int64_t)param_values[i])
                                      : lift_value_float(param_values[i])};
    return place_of(bind, &env, out, why);
}

static bool fit_output(struct lift_device *device, struct runner_data *d, int index,
                       const struct place *wanted, bool keep, struct lift_error *error)
{
    bool moves = !d->out[index] || !layout_same(&d->out_at[index], wanted);

    return move_to(device, &d->out[index], &d->out_at[index], wanted, error) &&
           (!keep || !moves || poison(device, d, d->out[index], wanted, error));
}

static bool fit_bind(struct lift_device *device, const struct lift_module *m,
                     const struct lift_bind *bind, struct runner_data *d, bool keep,
                     struct lift_error *error)
{
    struct place place;

    if (!runner_place(d->problem, d->problem->param_values, bind, &place, &error->text)) {
        error->code = LIFT_ERROR_RUN;
        return false;
    }
    switch (bind->kind) {
    case LIFT_BIND_INPUT:
        return fit_input(device, d, bind->index, &place, keep, error);
    case LIFT_BIND_OUTPUT:
        d->stored_in[bind->index] =
            bind->in_place < 0 ? -1 : m->binds[bind->in_place].index;
        return bind->in_place >= 0 ||
               fit_output(device, d, bind->index, &place, keep, error);
    case LIFT_BIND_TEMP:
        return fit_temp(device, &place, d, error);
    case LIFT_BIND_PARAM:
        return true;
    }
    LIFT_BUG("bind of kind %d", (int)bind->kind);
}

/* Fits inputs first: outputs may be stored in them. */
static bool fit(struct lift_device *device, const struct runner_module *m,
                struct runner_data *d, bool keep, struct lift_error *error)
{
    release_temps(device, d);
    d->used = keep ? d->used : 0;
    d->turned = false;
    for (int i = 0; i < m->module->bind_count; i++)
        if (!fit_bind(device, m->module, &m->module->binds[i], d, keep, error))
            return false;
    return true;
}

bool runner_fit(struct lift_device *device, const struct runner_module *m,
                struct runner_data *d, struct lift_error *error)
{
    return fit(device, m, d, false, error);
}

bool runner_refit(struct lift_device *device, const struct runner_module *m,
                  struct runner_data *d, struct lift_error *error)
{
    return fit(device, m, d, true, error);
}
