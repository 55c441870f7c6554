/* Records arrays after each launch: memory and checkpoints hold the rows until the end,
 * when each array goes to one file. */
#include "base/memory.h"
#include "run/ranks/simulation_ranks.h"
#include <stdlib.h>
#include <string.h>

int64_t sim_record_rows(const struct sim *s, const struct sim_record *r)
{
    return (s->step - r->first) / sim_launch_steps(s);
}

bool sim_record_again(const struct sim *s, int record)
{
    const struct sim_word *words = s->options.records;

    for (int i = 0; i < record; i++)
        if (!strcmp(words[i].name, words[record].name))
            return true;
    return false;
}

/* Allocates all rows after step 'first'. */
static bool begin_record(struct sim *s, int record, int64_t first)
{
    const struct sim_options *o = &s->options;
    const struct explore_shape *shape =
        sim_shape_of(s, sim_field_of(s, o->records[record].name));
    struct sim_record *r = &s->records[record];
    size_t rows = (size_t)((o->steps - first) / sim_launch_steps(s));

    if (r->pages.data)
        return true;
    r->first = first;
    return grid_zeros(sim_bytes_of(shape) * rows, &r->pages, &s->result.error.text) ||
           sim_fail_as(s, SIM_FAILED, "a record");
}

bool sim_take_rows(struct sim *s, int record, const void *rows, int64_t count)
{
    const struct explore_shape *shape =
        sim_shape_of(s, sim_field_of(s, s->options.records[record].name));

    if (!begin_record(s, record, s->step - count * sim_launch_steps(s)))
        return false;
    memcpy(s->records[record].pages.data, rows, sim_bytes_of(shape) * (size_t)count);
    return true;
}

bool sim_record(struct sim *s)
{
    for (int i = 0; i < s->options.record_count; i++) {
        struct sim_record *r = &s->records[i];
        struct sim_field f = sim_field_of(s, s->options.records[i].name);
        size_t row = sim_bytes_of(sim_shape_of(s, f));

        if (!begin_record(s, i, s->result.first) ||
            !sim_fetch_field(
                s, f, (char *)r->pages.data + (size_t)(sim_record_rows(s, r) - 1) * row))
            return false;
    }
    sim_lap(s, SIM_COPY);
    return true;
}

static bool write_record(struct sim *s, const struct sim_word *word,
                         const struct sim_record *r)
{
    struct sim_field f = sim_field_of(s, word->name);
    const struct explore_shape *row = sim_shape_of(s, f);
    struct explore_shape shape = *row;
    int64_t rows = sim_record_rows(s, r);
    LIFT_SCOPED(lift_str) header = {0};
    LIFT_FREED struct grid_part *parts = lift_alloc((size_t)rows + 1, sizeof *parts);

    memmove(shape.length + 1, shape.length, sizeof shape.length - sizeof shape.length[0]);
    shape.length[0] = rows;
    shape.dims++;
    sim_add_header(&header, word->value, &shape);
    parts[0] = sim_piece_once(s, lift_str_get(&header), header.len);
    for (int64_t i = 0; i < rows; i++)
        parts[i + 1] = sim_piece(s, row, f.in,
                                 (char *)r->pages.data + (size_t)i * sim_bytes_of(row));
    return sim_write_file(s, word->value, parts, (int)rows + 1, false);
}

bool sim_write_records(struct sim *s)
{
    bool good = true;

    for (int i = 0; good && i < s->options.record_count; i++)
        if (s->records[i].pages.data)
            good = write_record(s, &s->options.records[i], &s->records[i]);
    sim_lap(s, SIM_WRITE);
    return good;
}

void sim_free_records(struct sim *s)
{
    for (int i = 0; s->records && i < s->options.record_count; i++)
        grid_unmap(&s->records[i].pages);
}
