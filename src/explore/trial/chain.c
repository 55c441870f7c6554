/* Several time steps by launches of the kernel of one step. */
#include "base/bug.h"
#include "base/fail.h"
#include "explore/program_arrays.h"
#include "explore/rotation.h"
#include "explore/runner.h"

struct grid {
    struct lift_buffer *buffer;
    struct place place;
};

/* The arrays of a step are its inputs, then its outputs. Later outputs of the problem,
 * the state of earlier steps, only leave their buffers here. */
struct chain {
    struct runner_data *data;
    struct explore_shape in[EXPLORE_MAX_LEAVES], out[EXPLORE_MAX_LEAVES];
    int step_outputs;
    struct rotation turn;
    struct rotation_pool pool;
    struct grid grids[ROTATION_BUFFERS]; /* by the number of the buffer */
};

/* The array that replaces input 'i' after a launch of 'p'. */
static int next_of(const struct chain *c, const struct explore_problem *p, int outputs,
                   int i)
{
    return explore_next_array(p, c->in, c->data->input_count, c->out, outputs, i);
}

/* Takes an array of the data as the next buffer of the pool. */
static void add(struct chain *c, struct lift_buffer *buffer, const struct place *place)
{
    int kind = 0, i = c->pool.count++;

    while (kind < i && !layout_same(&c->grids[kind].place, place))
        kind++;
    c->grids[i] = (struct grid){buffer, *place};
    c->pool.kinds[i] = kind;
    c->turn.arrays[i] = (struct rotation_array){kind, -1, i};
}

static bool begin(struct chain *c, struct lift_error *error)
{
    struct runner_data *d = c->data;
    const struct explore_problem *step = d->problem->sweep;

    explore_input_shapes(step, c->in);
    c->step_outputs = explore_output_shapes(step, c->out);
    c->turn.pool = &c->pool;
    c->turn.inputs = d->input_count;
    c->turn.count = d->input_count + c->step_outputs;
    for (int i = 0; i < d->input_count; i++)
        add(c, d->in[i], &d->in_at[i]);
    for (int o = 0; o < c->step_outputs; o++)
        add(c, d->out[o], &d->out_at[o]);
    for (int i = 0; i < d->input_count; i++) {
        int from = next_of(c, step, c->step_outputs, i);

        if (c->turn.arrays[from].kind != c->turn.arrays[i].kind)
            return lift_fail(error, LIFT_ERROR_RUN,
                             "the kernel of a step stores '%s' in another layout",
                             c->in[i].name);
        c->turn.arrays[i].from = from;
    }
    return true;
}

/* Gives the data the buffers of the next launch. */
static void bind(struct chain *c)
{
    struct runner_data *d = c->data;

    rotation_outputs(&c->turn);
    for (int i = 0; i < d->input_count; i++)
        d->in[i] = c->grids[c->turn.arrays[i].buffer].buffer;
    for (int o = 0; o < c->step_outputs; o++)
        d->out[o] = c->grids[c->turn.arrays[d->input_count + o].buffer].buffer;
}

static bool launch(struct lift_device *device, struct runner_module *m, struct chain *c,
                   struct lift_error *error)
{
    int outputs = c->data->output_count;
    bool good;

    bind(c);
    c->data->output_count = c->step_outputs;
    good = runner_poison(device, c->data, error) &&
           runner_launch(device, m, c->data, 1, NULL, error);
    c->data->output_count = outputs;
    rotation_next(&c->turn);
    return good;
}

/* The number of the buffer of output 'o' after the last launch. */
static int result_of(struct chain *c, int o)
{
    struct runner_data *d = c->data;

    if (o < c->step_outputs)
        return c->turn.arrays[d->input_count + o].buffer;
    for (int i = 0; i < d->input_count; i++)
        if (next_of(c, d->problem, d->output_count, i) == d->input_count + o)
            return c->turn.arrays[i].buffer;
    LIFT_BUG("no input of '%s' takes output '%s'", d->problem->name, c->out[o].name);
}

static void take(struct grid *from, struct lift_buffer **buffer, struct place *place)
{
    *buffer = from->buffer;
    *place = from->place;
    from->buffer = NULL;
}

/* Gives the results to the data's outputs, and the other buffers to the inputs that
 * change. */
static void settle(struct chain *c)
{
    struct runner_data *d = c->data;
    int next = 0;

    explore_output_shapes(d->problem, c->out);
    for (int o = c->step_outputs; o < d->output_count; o++) {
        add(c, d->out[o], &d->out_at[o]);
        d->stored_in[o] = -1;
    }
    for (int o = 0; o < d->output_count; o++)
        take(&c->grids[result_of(c, o)], &d->out[o], &d->out_at[o]);
    for (int i = 0; i < d->input_count; i++)
        if (c->turn.arrays[i].from == i)
            take(&c->grids[i], &d->in[i], &d->in_at[i]);
    for (int i = 0; i < d->input_count; i++) {
        if (c->turn.arrays[i].from == i)
            continue;
        while (!c->grids[next].buffer && next < c->pool.count - 1)
            next++;
        take(&c->grids[next], &d->in[i], &d->in_at[i]);
        d->spent[i] = true;
    }
}

bool runner_chain(struct lift_device *device, struct runner_module *m,
                  struct runner_data *data, struct lift_error *error)
{
    struct chain c = {.data = data};
    bool good;

    if (!data->problem->sweep)
        return runner_poison(device, data, error) &&
               runner_launch(device, m, data, 1, NULL, error);
    good = begin(&c, error);
    for (int i = 0; i < data->problem->program->steps && good; i++)
        good = launch(device, m, &c, error);
    settle(&c);
    return good;
}
