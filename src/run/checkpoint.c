/* Checkpoints. A head of lines of text says of what run the arrays are; all of it but
 * what the run has come to is known beforehand, so that a file is read by comparison:
 *
 *     lift checkpoint 3
 *     program acoustic 4b7c...
 *     sizes {"nx":64,"ny":64,"nz":64}
 *     param k 0x1.99999ap-4
 *     input vp f32 [64][64][64] 90ab...      what the time loop does not change
 *     state prev f32 [64][64][64]            what it does
 *     kernel 77aa...
 *     step 500
 *     data 0123...
 *
 * An empty line ends it, and zeros up to a multiple of 64 bytes; likewise each array.
 * Hashes of arrays are sums over their elements, which several processes have. */
#include "run/ranks/simulation_ranks.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 64, MOST_SHOWN = 100 };

static size_t padding(size_t bytes)
{
    return (ALIGN - bytes % ALIGN) % ALIGN;
}

static void add_hash(struct lift_str *out, struct lift_hash hash)
{
    char hex[LIFT_HASH_HEX];

    lift_str_add(out, lift_hash_hex(hash, hex));
}

/* The lines that are known beforehand. */
static void add_head(struct lift_str *out, const struct sim *s)
{
    const struct explore_problem *p = s->problem;

    lift_str_addf(out, "lift checkpoint 3\nprogram %s ", p->name);
    add_hash(out, lift_program_id(p->program));
    lift_str_addf(out, "\nsizes %s\n", p->sizes_json);
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

static bool hash_data(struct sim *s, struct lift_hash *out)
{
    struct lift_hash hash;

    *out = lift_hash_text("");
    for (int i = 0; i < s->in_count; i++) {
        if (!s->in[i].changes)
            continue;
        if (!sim_hash(s, i, &hash))
            return false;
        *out = lift_hash_combine(*out, hash);
    }
    return true;
}

bool sim_hash_inputs(struct sim *s)
{
    bool wanted = s->options.checkpoint || s->options.from;

    for (int i = 0; wanted && i < s->in_count; i++)
        if (!s->in[i].changes && !sim_hash(s, i, &s->in[i].hash))
            return false;
    return true;
}

/* ---- writing */

bool sim_save_checkpoint(struct sim *s)
{
    static const char zeros[ALIGN];
    struct grid_part parts[2 * EXPLORE_MAX_LEAVES + 1];
    struct lift_hash kernel, data;
    LIFT_SCOPED(lift_str) head = {0};
    int count = 1;
    bool good;

    if (!sim_kernel(s, &kernel) || !hash_data(s, &data))
        return false;
    add_head(&head, s);
    lift_str_add(&head, "kernel ");
    add_hash(&head, kernel);
    lift_str_addf(&head, "\nstep %" PRId64 "\ndata ", s->step);
    add_hash(&head, data);
    lift_str_add(&head, "\n\n");
    lift_str_addn(&head, zeros, padding(head.len));
    parts[0] = sim_piece_once(s, head.data, head.len);
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].changes) {
            parts[count++] = sim_piece(s, &s->in[i].shape, i, s->in[i].data);
            parts[count++] = sim_piece_once(s, zeros, padding(s->in[i].bytes));
        }
    good = sim_write_file(s, s->options.checkpoint, parts, count, true);
    sim_lap(s, SIM_WRITE);
    return good;
}

/* ---- reading */

/* What is left to be read. */
struct rest {
    const char *at;
    size_t bytes;
};

/* The next line, without its end; false if there is none. */
static bool next_line(struct rest *r, struct rest *line)
{
    const char *end = memchr(r->at, '\n', r->bytes);

    if (!end)
        return false;
    *line = (struct rest){r->at, (size_t)(end - r->at)};
    r->bytes -= line->bytes + 1;
    r->at = end + 1;
    return true;
}

/* The line that differs from the one that is expected, if it is no other run's at all. */
static bool other(struct sim *s, int number, struct rest wanted, const struct rest *line)
{
    static const char any[] = "lift checkpoint ";
    int shown = line && line->bytes < MOST_SHOWN ? (int)line->bytes : MOST_SHOWN;

    if (number == 1 && (!line || line->bytes < sizeof any - 1 ||
                        memcmp(line->at, any, sizeof any - 1) != 0))
        return sim_fail(s, SIM_USAGE, "'%s' is no checkpoint", s->options.from);
    return sim_fail(s, SIM_USAGE,
                    "checkpoint '%s', line %d: '%.*s' is expected, not '%.*s'",
                    s->options.from, number, (int)wanted.bytes, wanted.at,
                    line ? shown : 0, line ? line->at : "");
}

static bool read_head(struct sim *s, struct rest *r, int *number)
{
    LIFT_SCOPED(lift_str) head = {0};
    struct rest known, wanted, line;
    bool good = true;

    add_head(&head, s);
    known = (struct rest){head.data, head.len};
    while (good && next_line(&known, &wanted)) {
        bool any = next_line(r, &line);

        ++*number;
        good = (any && line.bytes == wanted.bytes &&
                memcmp(line.at, wanted.at, line.bytes) == 0) ||
               other(s, *number, wanted, any ? &line : NULL);
    }
    return good;
}

/* The rest of a line that begins with a word, as a text in 'out'. */
static bool read_word(struct sim *s, struct rest *r, int number, const char *word,
                      char out[LIFT_HASH_HEX])
{
    size_t len = strlen(word);
    struct rest line, wanted = {word, len};
    bool any = next_line(r, &line);

    if (!any || line.bytes <= len || memcmp(line.at, word, len) != 0 ||
        line.bytes - len >= LIFT_HASH_HEX)
        return other(s, number, wanted, any ? &line : NULL);
    memcpy(out, line.at + len, line.bytes - len);
    out[line.bytes - len] = '\0';
    return true;
}

static bool read_hash(struct sim *s, struct rest *r, int number, const char *word,
                      struct lift_hash *out)
{
    char text[LIFT_HASH_HEX];

    return read_word(s, r, number, word, text) &&
           (lift_hash_parse(text, out) ||
            sim_fail(s, SIM_USAGE, "checkpoint '%s', line %d: '%s' is no hash",
                     s->options.from, number, text));
}

static bool read_step(struct sim *s, struct rest *r, int number)
{
    char text[LIFT_HASH_HEX], end;
    int64_t step;

    if (!read_word(s, r, number, "step ", text))
        return false;
    if (sscanf(text, "%18" SCNd64 "%c", &step, &end) != 1 || step < 0)
        return sim_fail(s, SIM_USAGE, "checkpoint '%s', line %d: '%s' is no step",
                        s->options.from, number, text);
    s->step = step;
    return true;
}

static bool read_data(struct sim *s, size_t begin)
{
    size_t end = begin;

    for (int i = 0; i < s->in_count; i++)
        end += s->in[i].changes ? s->in[i].bytes + padding(s->in[i].bytes) : 0;
    if (s->from.bytes != end)
        return sim_fail(s, SIM_USAGE, "checkpoint '%s' has %zu bytes, not %zu",
                        s->options.from, s->from.bytes, end);
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].changes) {
            s->in[i].data = (char *)s->from.data + begin;
            begin += s->in[i].bytes + padding(s->in[i].bytes);
        }
    return true;
}

static bool check_data(struct sim *s, struct lift_hash wanted)
{
    struct lift_hash data;

    return hash_data(s, &data) &&
           (lift_hash_equal(data, wanted) ||
            sim_fail(s, SIM_USAGE,
                     "checkpoint '%s' is damaged: its elements are not those "
                     "that were written",
                     s->options.from));
}

/* What this process can see alone. */
static bool read_file(struct sim *s, struct lift_hash *kernel, struct lift_hash *data)
{
    struct lift_str why = {0};
    struct rest r;
    size_t head;
    int number = 0;

    if (!grid_map(s->options.from, &s->from, &why))
        return sim_fail_why(
            s, SIM_USAGE,
            lift_arena_printf(s->arena, "cannot read '%s'", s->options.from), &why);
    r = (struct rest){s->from.data, s->from.bytes};
    if (!read_head(s, &r, &number) || !read_hash(s, &r, number + 1, "kernel ", kernel) ||
        !read_step(s, &r, number + 2) || !read_hash(s, &r, number + 3, "data ", data))
        return false;
    if (r.bytes == 0 || *r.at != '\n')
        return sim_fail(s, SIM_USAGE,
                        "checkpoint '%s', line %d: an empty line is expected",
                        s->options.from, number + 4);
    head = (size_t)(r.at + 1 - (const char *)s->from.data);
    return read_data(s, head + padding(head));
}

bool sim_load_checkpoint(struct sim *s)
{
    struct lift_hash kernel, data, own;

    if (!sim_meet(s, read_file(s, &kernel, &data)) || !sim_kernel(s, &own) ||
        !check_data(s, data))
        return false;
    if (!lift_hash_equal(kernel, own))
        s->result.note = "other kernels go on than those before: results may differ from "
                         "those of one run by rounding";
    return true;
}
