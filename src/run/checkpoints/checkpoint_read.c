/* Reads checkpoints; checkpoint.c describes the format. */
#include "run/checkpoints/checkpoint.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SHOWN = 100 };

/* The unread bytes. */
struct rest {
    const char *at;
    size_t bytes;
};

/* Reads the next line, without its end. Returns false if there is none. */
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

static bool begins(const struct rest *line, const char *word)
{
    size_t len = strlen(word);

    return line->bytes >= len && memcmp(line->at, word, len) == 0;
}

/* Reports a line that differs from the expected line. */
static bool other(struct sim *s, int number, struct rest wanted, const struct rest *line)
{
    int shown = line && line->bytes < MOST_SHOWN ? (int)line->bytes : MOST_SHOWN;

    if (number == 1 && (!line || !begins(line, CHECKPOINT_TITLE)))
        return sim_fail(s, SIM_USAGE, "'%s' is no checkpoint", s->options.from);
    if (number == 1)
        return sim_fail(s, SIM_USAGE,
                        "'%s' is a checkpoint of version '%.*s', and this lift reads "
                        "version %d: older versions have no hash of the step; resume it "
                        "with the lift that wrote it",
                        s->options.from, shown - (int)strlen(CHECKPOINT_TITLE),
                        line->at + strlen(CHECKPOINT_TITLE), CHECKPOINT_VERSION);
    return sim_fail(s, SIM_USAGE,
                    "checkpoint '%s', line %d: '%.*s' is expected, not '%.*s'",
                    s->options.from, number, (int)wanted.bytes, wanted.at,
                    line ? shown : 0, line ? line->at : "");
}

static bool read_known(struct sim *s, struct rest *r, const struct lift_str *head,
                       int *number)
{
    struct rest known = {head->data, head->len}, wanted, line;
    bool good = true;

    while (good && next_line(&known, &wanted)) {
        bool any = next_line(r, &line);

        ++*number;
        good = (any && line.bytes == wanted.bytes &&
                memcmp(line.at, wanted.at, line.bytes) == 0) ||
               other(s, *number, wanted, any ? &line : NULL);
    }
    return good;
}

bool sim_open_checkpoint(struct sim *s)
{
    LIFT_SCOPED(lift_str) head = {0};
    struct rest r;
    int number = 0;

    if (!grid_map(s->options.from, &s->from, &s->result.error.text))
        return sim_fail_as(
            s, SIM_USAGE,
            lift_arena_printf(s->arena, "cannot read '%s'", s->options.from));
    r = (struct rest){s->from.data, s->from.bytes};
    checkpoint_add_title(&head, s);
    return read_known(s, &r, &head, &number);
}

/* Copies the rest of a line that begins with 'word' to 'out'. */
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
    int each = sim_launch_steps(s);
    int64_t step;

    if (!read_word(s, r, number, "step ", text))
        return false;
    if (sscanf(text, "%18" SCNd64 "%c", &step, &end) != 1 || step < 0)
        return sim_fail(s, SIM_USAGE, "checkpoint '%s', line %d: '%s' is no step",
                        s->options.from, number, text);
    if (step % each)
        return sim_fail(s, SIM_USAGE,
                        "checkpoint '%s', line %d: program '%s' computes %d steps a "
                        "launch, of which %" PRId64 " is not a multiple",
                        s->options.from, number, s->problem->name, each, step);
    s->step = step;
    return true;
}

/* Reads "record NAME TYPE ROWS". ROWS is at most the number of launches up to the step.
 */
static bool read_record(struct sim *s, struct rest line, int number,
                        struct checkpoint_records *records)
{
    int each = sim_launch_steps(s);
    LIFT_SCOPED(lift_str) wanted = {0};
    char *name = lift_arena_strndup(s->arena, line.at, line.bytes),
         *end = strchr(name, ' ');
    struct checkpoint_rows *r;
    char after;

    if (end)
        *end = '\0';
    if (!end || !sim_check_name(s, name))
        return sim_fail(s, SIM_USAGE, "checkpoint '%s', line %d: no array '%s'",
                        s->options.from, number, name);
    for (int i = 0; i < records->count; i++)
        if (!strcmp(records->at[i].name, name))
            return sim_fail(s, SIM_USAGE,
                            "checkpoint '%s', line %d: a second record of '%s'",
                            s->options.from, number, name);
    r = checkpoint_add_rows(s, records, name);
    sim_add_shape(&wanted, r->of.shape);
    lift_str_addc(&wanted, ' ');
    if (strncmp(end + 1, wanted.data, wanted.len) != 0 ||
        sscanf(end + 1 + wanted.len, "%18" SCNd64 "%c", &r->of.count, &after) != 1 ||
        r->of.count < 1 || r->of.count > s->step / each)
        return sim_fail(
            s, SIM_USAGE,
            "checkpoint '%s', line %d: 'record %s %sROWS' is expected, with 1 "
            "to %" PRId64 " rows",
            s->options.from, number, name, wanted.data, s->step / each);
    return true;
}

static bool read_records(struct sim *s, struct rest *r, int *number,
                         struct checkpoint_records *records)
{
    static const char word[] = "record ";
    struct rest line, after = *r;

    while (next_line(&after, &line) && begins(&line, word)) {
        line = (struct rest){line.at + strlen(word), line.bytes - strlen(word)};
        if (!read_record(s, line, (*number)++, records))
            return false;
        *r = after;
    }
    return true;
}

static bool read_data(struct sim *s, size_t begin, struct checkpoint_records *records)
{
    const char *data = s->from.data;
    size_t end = begin;

    for (int i = 0; i < s->in_count; i++)
        end += s->in[i].changes ? s->in[i].bytes + checkpoint_padding(s->in[i].bytes) : 0;
    for (int i = 0; i < records->count; i++) {
        struct checkpoint_rows *r = &records->at[i];
        size_t bytes;

        if (__builtin_mul_overflow((size_t)r->of.count, sim_bytes_of(r->of.shape),
                                   &bytes) ||
            __builtin_add_overflow(end, bytes + checkpoint_padding(bytes), &end))
            end = SIZE_MAX;
    }
    if (s->from.bytes != end)
        return sim_fail(s, SIM_USAGE, "checkpoint '%s' has %zu bytes, not %zu",
                        s->options.from, s->from.bytes, end);
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].changes) {
            s->in[i].data = (char *)s->from.data + begin;
            begin += s->in[i].bytes + checkpoint_padding(s->in[i].bytes);
        }
    for (int i = 0; i < records->count; i++) {
        size_t bytes =
            (size_t)records->at[i].of.count * sim_bytes_of(records->at[i].of.shape);

        records->at[i].of.data = data + begin;
        begin += bytes + checkpoint_padding(bytes);
    }
    return true;
}

/* The last lines of a head. */
struct said {
    struct lift_hash kernel, hash;
    struct lift_str hashed; /* the lines that the hash covers */
    struct checkpoint_records records;
};

static void said_fini(struct said *said)
{
    lift_str_fini(&said->hashed);
    checkpoint_records_fini(&said->records);
}

/* Makes the checks that need no other process. */
static bool read_file(struct sim *s, struct said *said)
{
    LIFT_SCOPED(lift_str) head = {0};
    const char *begin = s->from.data;
    struct rest r = {begin, s->from.bytes};
    int number = 0;
    size_t end;

    checkpoint_add_head(&head, s);
    if (!read_known(s, &r, &head, &number) ||
        !read_hash(s, &r, ++number, "kernel ", &said->kernel) ||
        !read_step(s, &r, ++number))
        return false;
    number++;
    if (!read_records(s, &r, &number, &said->records))
        return false;
    lift_str_addn(&said->hashed, begin, (size_t)(r.at - begin));
    if (!read_hash(s, &r, number++, "hash ", &said->hash))
        return false;
    if (r.bytes == 0 || *r.at != '\n')
        return sim_fail(s, SIM_USAGE,
                        "checkpoint '%s', line %d: an empty line is expected",
                        s->options.from, number);
    end = (size_t)(r.at + 1 - begin);
    return read_data(s, end + checkpoint_padding(end), &said->records);
}

static bool check_hash(struct sim *s, const struct said *said)
{
    struct lift_hash hash;

    return checkpoint_hash(s, &said->hashed, &said->records, &hash) &&
           (lift_hash_equal(hash, said->hash) ||
            sim_fail(s, SIM_USAGE,
                     "checkpoint '%s' is damaged: its lines and elements do not match "
                     "its hash",
                     s->options.from));
}

/* Copies the rows of records that the options name, and notes other records. */
static bool take_records(struct sim *s, const struct checkpoint_records *records,
                         struct lift_str *note)
{
    const struct sim_options *o = &s->options;

    for (int i = 0; i < records->count; i++) {
        const struct checkpoint_rows *r = &records->at[i];
        bool taken = false;

        for (int k = 0; k < o->record_count; k++)
            if (!strcmp(o->records[k].name, r->name)) {
                taken = true;
                if (!sim_take_rows(s, k, r->of.data, r->of.count))
                    return false;
            }
        if (!taken)
            lift_str_addf(note,
                          "%sthe checkpoint has %" PRId64 " rows of '%s', which no "
                          "--record writes",
                          note->len ? "; " : "", r->of.count, r->name);
    }
    for (int k = 0; k < o->record_count; k++)
        if (!s->records[k].pages.data)
            lift_str_addf(note,
                          "%sthe checkpoint has no rows of '%s': its record begins after "
                          "step %" PRId64,
                          note->len ? "; " : "", o->records[k].name, s->step);
    return true;
}

bool sim_load_checkpoint(struct sim *s)
{
    LIFT_SCOPED(said) said = {.hashed = {0}};
    LIFT_SCOPED(lift_str) note = {0};
    struct lift_hash own;

    if (!sim_meet(s, read_file(s, &said)) || !sim_kernel(s, &own) ||
        !check_hash(s, &said))
        return false;
    if (s->step > s->options.steps)
        return sim_fail(s, SIM_USAGE,
                        "checkpoint '%s' is of step %" PRId64 ": --steps %" PRId64
                        " is before it",
                        s->options.from, s->step, s->options.steps);
    if (!lift_hash_equal(said.kernel, own))
        lift_str_add(&note, "the run resumes with other kernels: results may differ by "
                            "rounding from those of an uninterrupted run");
    if (!take_records(s, &said.records, &note))
        return false;
    if (note.len)
        s->result.note = lift_arena_strdup(s->arena, note.data);
    return true;
}
