/* Writes snapshots, and the arrays after the last step. */
#include "base/guess.h"
#include "base/locale.h"
#include "base/memory.h"
#include "run/ranks/simulation_ranks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of files */

/* Finds the conversion of a pattern: its beginning, its end and its width. */
static const char *conversion(const char *pattern, const char **end, int *width,
                              bool *zeros)
{
    const char *at = strchr(pattern, '%'), *p = at ? at + 1 : NULL;

    if (!at)
        return NULL;
    *zeros = *p == '0';
    *width = 0;
    for (; lift_is_digit(*p) && *width < 100; p++)
        *width = 10 * *width + (*p - '0');
    *end = p + 1;
    return *p == 'd' && *width < 100 && !strchr(*end, '%') ? at : NULL;
}

bool sim_is_pattern(const char *pattern)
{
    const char *end;
    int width;
    bool zeros;

    return conversion(pattern, &end, &width, &zeros) != NULL;
}

static char *snapshot_path(const char *pattern, int64_t step)
{
    struct lift_str out = {0};
    const char *end = "", *at;
    int width = 0;
    bool zeros = false;

    at = conversion(pattern, &end, &width, &zeros);
    lift_str_addn(&out, pattern, (size_t)(at - pattern));
    lift_str_addf(&out, zeros ? "%0*lld" : "%*lld", width, (long long)step);
    lift_str_add(&out, end);
    return lift_str_take(&out);
}

/* ---- fields */

static int find_array(const struct sim *s, const char *name, bool input)
{
    for (int i = 0; i < (input ? s->in_count : s->out_count); i++)
        if (!strcmp(input ? s->in[i].shape.name : s->out[i].name, name))
            return i;
    return -1;
}

/* Uses a plan that has only the arrays of the program. */
struct sim_field sim_field_of(const struct sim *s, const char *name)
{
    const struct lift_plan *p = parts_main_plan(s->parts->own);
    struct sim_field f = {find_array(s, name, true), find_array(s, name, false)};

    if (f.in >= 0)
        return (struct sim_field){f.in, -1};
    for (int i = 0; i < p->input_count; i++)
        if (p->in[i].next == LIFT_NEXT_OUTPUT && p->in[i].next_index == f.out)
            return (struct sim_field){i, -1};
    return f;
}

const struct explore_shape *sim_shape_of(const struct sim *s, struct sim_field f)
{
    return f.in >= 0 ? &s->in[f.in].shape : &s->out[f.out];
}

size_t sim_bytes_of(const struct explore_shape *shape)
{
    return (size_t)shape->count * (size_t)lift_scalar_bytes(shape->scalar);
}

/* Finds an output of the program among the outputs of the current plan, which may have
 * more. */
static int plan_output(const struct sim *s, int out)
{
    int index = 0;

    while (strcmp(s->parts->own->state.plan->out[index].shape.name, s->out[out].name) !=
           0)
        index++;
    return index;
}

/* Copies the array from the device, after the last launch. */
bool sim_fetch_field(struct sim *s, struct sim_field f, void *grid)
{
    return parts_fetch(s->parts, f.in >= 0 ? f.in : plan_output(s, f.out), f.in >= 0,
                       grid, &s->result.error) ||
           sim_fail_as(s, SIM_FAILED, NULL);
}

bool sim_check_name(struct sim *s, const char *name)
{
    struct lift_guess guess = {.word = name};
    LIFT_SCOPED(lift_str) text = {0};

    if (find_array(s, name, true) >= 0 || find_array(s, name, false) >= 0)
        return true;
    for (int i = 0; i < s->out_count; i++)
        lift_guess_add(&guess, s->out[i].name);
    for (int i = 0; i < s->in_count; i++)
        lift_guess_add(&guess, s->in[i].shape.name);
    lift_guess_print(&guess, &text);
    sim_fail(s, SIM_USAGE, "program '%s' has no output and no input '%s'%s",
             s->problem->name, name, lift_str_get(&text));
    return false;
}

static bool check_path(struct sim *s, const char *path)
{
    if (grid_may_write(path, &s->result.error.text)) {
        if (!s->options.job || s->options.job->rank == 0)
            grid_sweep(path, "");
        return true;
    }
    return sim_fail_as(s, SIM_USAGE,
                       lift_arena_printf(s->arena, "cannot write '%s'", path));
}

/* Removes temporary files of snapshots, for all steps. */
static void sweep_snapshots(const struct sim *s, const char *pattern)
{
    LIFT_SCOPED(lift_str) begin = {0};
    const char *end = "", *at;
    int width;
    bool zeros;

    at = conversion(pattern, &end, &width, &zeros);
    lift_str_addn(&begin, pattern, (size_t)(at - pattern));
    if (!strchr(end, '/') && (!s->options.job || s->options.job->rank == 0))
        grid_sweep(lift_str_get(&begin), end);
}

static const char *snapshot_field(const struct sim *s, int i)
{
    const char *field = s->options.snapshots[i].field;

    return field ? field : s->out[0].name;
}

bool sim_check_outputs(struct sim *s)
{
    for (int i = 0; i < s->options.out_count; i++)
        if (!sim_check_name(s, s->options.out[i].name) ||
            !check_path(s, s->options.out[i].value))
            return false;
    for (int i = 0; i < s->options.snapshot_count; i++) {
        const struct sim_snapshot *n = &s->options.snapshots[i];
        LIFT_FREED char *path = snapshot_path(n->pattern, n->every);

        if (!sim_check_name(s, snapshot_field(s, i)) || !check_path(s, path))
            return false;
        sweep_snapshots(s, n->pattern);
    }
    for (int i = 0; i < s->options.record_count; i++)
        if (!sim_check_name(s, s->options.records[i].name) ||
            !check_path(s, s->options.records[i].value))
            return false;
    return !s->options.checkpoint || check_path(s, s->options.checkpoint);
}

/* ---- files of grids */

/* Adds nothing for files of raw elements. */
void sim_add_header(struct lift_str *out, const char *path,
                    const struct explore_shape *shape)
{
    struct npy npy = {.scalar = shape->scalar, .dims = shape->dims};
    size_t len = strlen(path);

    if (len < 4 || strcmp(path + len - 4, ".npy") != 0)
        return;
    for (int d = 0; d < shape->dims; d++)
        npy.length[d] = shape->length[d];
    npy_write(&npy, out);
}

static void *write_snapshot(void *arg)
{
    struct sim_writer *w = arg;

    w->good = grid_write(w->path, w->parts, 2, false, &w->why);
    return NULL;
}

bool sim_end_writer(struct sim *s)
{
    struct sim_writer *w = &s->writer;
    bool good = true;

    if (w->runs)
        pthread_join(w->thread, NULL);
    if (w->path)
        good =
            w->good || s->ranks || sim_fail(s, SIM_FAILED, "%s", lift_str_get(&w->why));
    free(w->path);
    lift_str_fini(&w->header);
    lift_str_fini(&w->why);
    grid_unmap(&w->pages);
    *w = (struct sim_writer){.runs = false};
    sim_lap(s, SIM_WRITE);
    return good;
}

static bool begin_snapshot(struct sim *s, int i)
{
    struct sim_field f = sim_field_of(s, snapshot_field(s, i));
    const struct explore_shape *shape = sim_shape_of(s, f);
    struct sim_writer *w = &s->writer;

    if (!sim_end_writer(s))
        return false;
    if (!grid_zeros(sim_bytes_of(shape), &w->pages, &s->result.error.text))
        return sim_fail_as(s, SIM_FAILED, "a snapshot");
    if (!sim_fetch_field(s, f, w->pages.data))
        return false;
    sim_lap(s, SIM_COPY);
    w->path = snapshot_path(s->options.snapshots[i].pattern, s->step);
    sim_add_header(&w->header, w->path, shape);
    w->parts[0] = sim_piece_once(s, lift_str_get(&w->header), w->header.len);
    w->parts[1] = sim_piece(s, shape, f.in, w->pages.data);
    if (s->ranks) { /* only this thread may call MPI */
        w->good = sim_write_file(s, w->path, w->parts, 2, false);
        sim_lap(s, SIM_WRITE);
        return w->good;
    }
    w->runs = pthread_create(&w->thread, NULL, write_snapshot, w) == 0;
    if (!w->runs)
        write_snapshot(w);
    sim_lap(s, SIM_WRITE);
    return true;
}

bool sim_write_snapshots(struct sim *s)
{
    for (int i = 0; i < s->options.snapshot_count; i++)
        if (s->step % s->options.snapshots[i].every == 0 && !begin_snapshot(s, i))
            return false;
    return true;
}

/* ---- after the last step */

static bool write_output(struct sim *s, const struct sim_word *word)
{
    struct sim_field f = sim_field_of(s, word->name);
    const struct explore_shape *shape = sim_shape_of(s, f);
    struct grid_pages pages = {NULL, 0};
    struct lift_str header = {0};
    const void *data = f.in >= 0 ? s->in[f.in].data : NULL;
    bool good = true;

    if (!data && !s->parts->own->state.plan)
        return sim_fail(
            s, SIM_USAGE,
            "'%s' is not in the checkpoint, and no step is left to compute it",
            word->name);
    if (!data) {
        good = grid_zeros(sim_bytes_of(shape), &pages, &s->result.error.text)
                   ? sim_fetch_field(s, f, pages.data)
                   : sim_fail_as(s, SIM_FAILED, word->name);
        data = pages.data;
        sim_lap(s, SIM_COPY);
    }
    sim_add_header(&header, word->value, shape);
    if (good) {
        const struct grid_part parts[2] = {
            sim_piece_once(s, lift_str_get(&header), header.len),
            sim_piece(s, shape, f.in, data)};

        good = sim_check_finite(s, f, data) &&
               sim_write_file(s, word->value, parts, 2, false);
    }
    lift_str_fini(&header);
    grid_unmap(&pages);
    return good;
}

bool sim_write_outputs(struct sim *s)
{
    bool good = s->step == s->result.first || sim_fetch_state(s);

    good = good && sim_check_state(s);
    for (int i = 0; good && i < s->options.out_count; i++)
        good = write_output(s, &s->options.out[i]);
    sim_lap(s, SIM_WRITE);
    return good;
}
