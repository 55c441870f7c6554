/* Checkpoints. A head of text lines identifies the run of the arrays. The reader knows
 * the lines before "kernel" and compares them:
 *
 *     lift checkpoint 4
 *     program acoustic 4b7c...
 *     sizes {"nx":64,"ny":64,"nz":64}
 *     param k 0x1.99999ap-4
 *     input vp f32 [64][64][64] 90ab...      an array that the time loop does not change
 *     state prev f32 [64][64][64]            an array that the time loop changes
 *     kernel 77aa...
 *     step 500
 *     record trace f32 [20] 500              rows so far; the last row is of this step
 *     hash 0123...                           of all lines above and of all elements
 *
 * An empty line ends the head. Zeros pad the head, each array and the rows of each record
 * to a multiple of 64 bytes. Hashes of arrays are sums over elements, so that several
 * processes can compute them. */
#include "run/checkpoints/checkpoint.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

size_t checkpoint_padding(size_t bytes)
{
    return (ALIGN - bytes % ALIGN) % ALIGN;
}

static void add_hash(struct lift_str *out, struct lift_hash hash)
{
    char hex[LIFT_HASH_HEX];

    lift_str_add(out, lift_hash_hex(hash, hex));
}

void checkpoint_add_title(struct lift_str *out, const struct sim *s)
{
    const struct explore_problem *p = s->problem;

    lift_str_addf(out, "%s%d\nprogram %s ", CHECKPOINT_TITLE, CHECKPOINT_VERSION,
                  p->name);
    add_hash(out, lift_program_id(p->program));
    lift_str_addf(out, "\nsizes %s\n", p->sizes_json);
}

void checkpoint_add_head(struct lift_str *out, const struct sim *s)
{
    const struct explore_problem *p = s->problem;

    checkpoint_add_title(out, s);
    for (int i = 0; i < p->param_count; i++)
        lift_str_addf(out, "param %s %a\n", p->params[i]->u.name, s->plan->params[i]);
    for (int i = 0; i < s->in_count; i++) {
        const struct sim_array *a = &s->in[i];

        lift_str_addf(out, "%s %s ", a->changes ? "state" : "input", a->shape.name);
        sim_add_shape(out, &a->shape);
        if (!a->changes) {
            lift_str_addc(out, ' ');
            add_hash(out, a->hash);
        }
        lift_str_addc(out, '\n');
    }
}

static bool hash_input(struct sim *s, int input, struct lift_hash *out)
{
    const struct sim_array *a = &s->in[input];
    const struct sim_rows rows = {&a->shape, input, a->data, 1};

    return sim_hash(s, &rows, out);
}

bool checkpoint_hash(struct sim *s, const struct lift_str *head,
                     const struct checkpoint_records *records, struct lift_hash *out)
{
    struct lift_hash hash;

    *out = lift_hash_bytes(head->data, head->len, 0);
    for (int i = 0; i < s->in_count; i++) {
        if (!s->in[i].changes)
            continue;
        if (!hash_input(s, i, &hash))
            return false;
        *out = lift_hash_combine(*out, hash);
    }
    for (int i = 0; i < records->count; i++) {
        if (!sim_hash(s, &records->at[i].of, &hash))
            return false;
        *out = lift_hash_combine(*out, hash);
    }
    return true;
}

bool sim_hash_inputs(struct sim *s)
{
    bool wanted = s->options.checkpoint || s->options.from;

    for (int i = 0; wanted && i < s->in_count; i++)
        if (!s->in[i].changes && !hash_input(s, i, &s->in[i].hash))
            return false;
    return true;
}

struct checkpoint_rows *
checkpoint_add_rows(struct sim *s, struct checkpoint_records *records, const char *name)
{
    struct sim_field f = sim_field_of(s, name);
    struct checkpoint_rows *r;

    LIFT_ROOM(records->at, records->count, records->cap);
    r = &records->at[records->count++];
    *r = (struct checkpoint_rows){name, {.shape = sim_shape_of(s, f), .input = f.in}};
    return r;
}

void checkpoint_records_fini(struct checkpoint_records *records)
{
    free(records->at);
}

/* ---- writing */

static void add_records(struct sim *s, struct checkpoint_records *records,
                        struct lift_str *head)
{
    for (int i = 0; i < s->options.record_count; i++) {
        const struct sim_record *record = &s->records[i];
        struct checkpoint_rows *r;

        if (!record->pages.data || sim_record_again(s, i))
            continue;
        r = checkpoint_add_rows(s, records, s->options.records[i].name);
        r->of.data = record->pages.data;
        r->of.count = sim_record_rows(s, record);
        lift_str_addf(head, "record %s ", r->name);
        sim_add_shape(head, r->of.shape);
        lift_str_addf(head, " %" PRId64 "\n", r->of.count);
    }
}

/* Each process writes its share of each row. */
static bool write_checkpoint(struct sim *s, const struct lift_str *head,
                             const struct checkpoint_records *records)
{
    static const char zeros[ALIGN];
    int64_t most = 1 + 2 * (int64_t)s->in_count;
    int count = 1;

    for (int i = 0; i < records->count; i++)
        most += records->at[i].of.count + 1;
    LIFT_FREED struct grid_part *parts = lift_alloc((size_t)most, sizeof *parts);

    parts[0] = sim_piece_once(s, head->data, head->len);
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].changes) {
            parts[count++] = sim_piece(s, &s->in[i].shape, i, s->in[i].data);
            parts[count++] = sim_piece_once(s, zeros, checkpoint_padding(s->in[i].bytes));
        }
    for (int i = 0; i < records->count; i++) {
        const struct checkpoint_rows *r = &records->at[i];
        size_t row = sim_bytes_of(r->of.shape);

        for (int64_t k = 0; k < r->of.count; k++)
            parts[count++] = sim_piece(s, r->of.shape, r->of.input,
                                       (const char *)r->of.data + (size_t)k * row);
        parts[count++] =
            sim_piece_once(s, zeros, checkpoint_padding((size_t)r->of.count * row));
    }
    return sim_write_file(s, s->options.checkpoint, parts, count, true);
}

bool sim_save_checkpoint(struct sim *s)
{
    static const char zeros[ALIGN];
    struct lift_hash kernel, hash;
    LIFT_SCOPED(lift_str) head = {0};
    LIFT_SCOPED(checkpoint_records) records = {NULL, 0, 0};
    bool good;

    if (!sim_kernel(s, &kernel))
        return false;
    checkpoint_add_head(&head, s);
    lift_str_add(&head, "kernel ");
    add_hash(&head, kernel);
    lift_str_addf(&head, "\nstep %" PRId64 "\n", s->step);
    add_records(s, &records, &head);
    if (!checkpoint_hash(s, &head, &records, &hash))
        return false;
    lift_str_add(&head, "hash ");
    add_hash(&head, hash);
    lift_str_add(&head, "\n\n");
    lift_str_addn(&head, zeros, checkpoint_padding(head.len));
    good = write_checkpoint(s, &head, &records);
    sim_lap(s, SIM_WRITE);
    return good;
}
