#include "replay.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/memory.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_FIELDS = 512, MAX_POINTS = 1 << 24 };

struct lift_replay {
    struct lift_arena *arena;
    struct lift_joint *joint;
    struct lift_replay_answer *answers; /* by number of the point */
    double best;
};

/* Reads a point of the file, and the text after its values. */
struct line {
    struct lift_choice choice;
    struct lift_replay_answer answer;
};

/* An expression being read. */
struct part {
    struct lift_param params[LIFT_SPACE_PARAMS];
    int param_count;
    double *features;
    int *near;
    int near_count;
    size_t first; /* of the lines */
};

struct reader {
    struct lift_arena *arena;
    const char *path;
    struct lift_str *why;
    int line_number;
    char *fields[MAX_FIELDS];
    int field_count;
    const char **names; /* of features */
    int feature_count, feature_cap;
    struct part *parts;
    int part_count, part_cap;
    struct line *lines;
    size_t line_count, line_cap;
    bool simple;  /* a table without names */
    bool guesses; /* some point has an estimate */
};

static bool fail(struct reader *r, const char *what)
{
    lift_str_addf(r->why, "'%s' line %d: %s", r->path, r->line_number, what);
    return false;
}

static bool to_integer(const char *text, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && !errno;
}

static bool to_number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

/* ---- lines of an expression */

static bool begin_expr(struct reader *r)
{
    LIFT_ROOM(r->parts, r->part_count, r->part_cap);
    r->parts[r->part_count++] = (struct part){.first = r->line_count};
    return true;
}

static bool read_feature(struct reader *r, const char *name)
{
    if (r->part_count)
        return fail(r, "features are named before the first expression");
    LIFT_ROOM(r->names, r->feature_count, r->feature_cap);
    r->names[r->feature_count++] = lift_arena_strdup(r->arena, name);
    return true;
}

static bool read_features(struct reader *r, struct part *p)
{
    if (r->field_count != r->feature_count)
        return fail(r, "expected one number for each feature");
    p->features = LIFT_NEW_ARRAY(r->arena, double, r->feature_count + 1);
    for (int i = 0; i < r->field_count; i++)
        if (!to_number(r->fields[i], &p->features[i]))
            return fail(r, "a feature is no number");
    return true;
}

static bool read_near(struct reader *r, struct part *p)
{
    p->near = LIFT_NEW_ARRAY(r->arena, int, r->field_count + 1);
    p->near_count = r->field_count;
    for (int i = 0; i < r->field_count; i++) {
        int64_t n;

        if (!to_integer(r->fields[i], &n) || n < 0 || n > INT32_MAX)
            return fail(r, "expected the numbers of near expressions");
        p->near[i] = (int)n;
    }
    return true;
}

static bool add_param(struct reader *r, struct part *p, const char *name, int64_t *values,
                      int count)
{
    if (p->param_count == LIFT_SPACE_PARAMS)
        return fail(r, "too many parameters");
    for (int i = 1; i < count; i++)
        if (values[i - 1] >= values[i])
            return fail(r, "the values of a parameter do not ascend");
    for (int i = 0; i < p->param_count; i++)
        if (!strcmp(p->params[i].name, name))
            return fail(r, "two parameters have one name");
    p->params[p->param_count++] = (struct lift_param){name, values, count};
    return true;
}

static bool read_param(struct reader *r, struct part *p)
{
    int count = r->field_count - 1;
    int64_t *values = LIFT_NEW_ARRAY(r->arena, int64_t, count > 0 ? count : 1);

    if (count < 1)
        return fail(r, "expected a parameter's name and values");
    for (int i = 0; i < count; i++)
        if (!to_integer(r->fields[i + 1], &values[i]))
            return fail(r, "a parameter's value is no integer");
    return add_param(r, p, lift_arena_strdup(r->arena, r->fields[0]), values, count);
}

/* 'scale': seconds of a unit of time; 'costs': how many numbers follow the time. */
static bool read_point(struct reader *r, const struct part *p, double scale, int costs)
{
    struct line line = {.choice = {.expr = r->part_count - 1}};
    int count = p->param_count;
    bool guessed = !r->simple && r->field_count == count + 2 + costs;
    double time;

    if (r->field_count != count + 1 + costs + guessed)
        return fail(r, "expected a value for each parameter, a time and what it cost");
    for (int i = 0; i < count; i++) {
        int64_t n;

        if (!to_integer(r->fields[i], &n) || n < 0 || n >= p->params[i].count)
            return fail(r, "a parameter has no such value");
        line.choice.values[i] = (int)n;
    }
    if (!to_number(r->fields[count], &time))
        return fail(r, "the time is no number");
    line.answer.outcome = (struct lift_outcome){time > 0, time > 0 ? time * scale : 0};
    for (int i = 0; i < costs; i++) {
        double cost;

        if (!to_number(r->fields[count + 1 + i], &cost))
            return fail(r, "the cost is no number");
        line.answer.cost += cost > 0 ? cost * scale : 0;
    }
    if (guessed && !to_number(r->fields[count + 1 + costs], &line.answer.guess))
        return fail(r, "the estimate is no number");
    if (line.answer.guess <= 0)
        line.answer.guess = INFINITY;
    r->guesses |= guessed;
    if (r->line_count == MAX_POINTS)
        return fail(r, "too many points");
    LIFT_ROOM(r->lines, r->line_count, r->line_cap);
    r->lines[r->line_count++] = line;
    return true;
}

/* ---- the file */

static void split(struct reader *r, char *text)
{
    char *rest = NULL;

    r->field_count = 0;
    for (char *f = strtok_r(text, " \t\r\n", &rest); f && r->field_count < MAX_FIELDS;
         f = strtok_r(NULL, " \t\r\n", &rest))
        r->fields[r->field_count++] = f;
}

static bool read_named(struct reader *r, char *text)
{
    struct part *p = r->part_count ? &r->parts[r->part_count - 1] : NULL;
    char *rest = strchr(text, ' ');

    if (rest)
        *rest++ = '\0';
    else
        rest = text + strlen(text);
    if (!strcmp(text, "about"))
        return true;
    if (!strcmp(text, "feature"))
        return read_feature(r, rest);
    if (!strcmp(text, "expr"))
        return begin_expr(r);
    split(r, rest);
    if (p && !strcmp(text, "features"))
        return read_features(r, p);
    if (p && !strcmp(text, "near"))
        return read_near(r, p);
    if (p && !strcmp(text, "param") && p->first == r->line_count)
        return read_param(r, p);
    if (p && !strcmp(text, "point"))
        return read_point(r, p, 1, 1);
    return fail(r, "expected about, feature, or expr and then features, near, param or "
                   "point");
}

/* Line 2 of a simple table has the number of values of each parameter. */
static bool read_counts(struct reader *r)
{
    begin_expr(r);
    for (int i = 0; i < r->field_count; i++) {
        int64_t n, *values;

        if (!to_integer(r->fields[i], &n) || n < 1 || n > MAX_FIELDS)
            return fail(r, "expected the number of values of each parameter");
        values = LIFT_NEW_ARRAY(r->arena, int64_t, n);
        for (int64_t k = 0; k < n; k++)
            values[k] = k + 1;
        if (!add_param(r, &r->parts[0], lift_arena_printf(r->arena, "p%d", i), values,
                       (int)n))
            return false;
    }
    return true;
}

static bool read_simple(struct reader *r, char *text)
{
    split(r, text);
    return r->line_number == 2 ? read_counts(r) : read_point(r, &r->parts[0], 1e-3, 2);
}

static bool read_line(struct reader *r, char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    if (r->line_number == 1) {
        r->simple = text[0] >= '0' && text[0] <= '9';
        return r->simple || !strcmp(text, "lift-space 1") ||
               fail(r, "expected 'lift-space 1' or the numbers of points and parameters");
    }
    if (!text[0] || text[0] == '#')
        return true;
    return r->simple ? read_simple(r, text) : read_named(r, text);
}

/* Appends the text of a file that may be compressed by gzip. */
static bool unpack(struct reader *r, FILE *in, struct lift_str *text)
{
    char buffer[4096];
    gzFile packed = gzdopen(dup(fileno(in)), "rb");
    int got = 0;
    bool whole;

    LIFT_ASSERT(packed);
    while (text->len <= LIFT_FILE_TABLE &&
           (got = gzread(packed, buffer, sizeof buffer)) > 0)
        lift_str_addn(text, buffer, (size_t)got);
    whole = gzclose_r(packed) == Z_OK && got >= 0;
    return (text->len <= LIFT_FILE_TABLE || fail(r, "the unpacked text is too long")) &&
           (whole || fail(r, "the compressed file is damaged"));
}

static bool read_lines(struct reader *r, FILE *in)
{
    LIFT_SCOPED(lift_str) text = {0};
    bool good = unpack(r, in, &text);

    for (size_t at = 0, size; good && at < text.len; at += size + 1) {
        char *line = text.data + at;

        size = strcspn(line, "\n");
        line[size] = '\0';
        r->line_number++;
        good = read_line(r, line);
    }
    return good && (r->line_count > 0 || fail(r, "there are no points"));
}

/* ---- the space */

static const struct lift_space *make_space(struct reader *r, int part)
{
    const struct part *p = &r->parts[part];
    size_t end = part + 1 < r->part_count ? r->parts[part + 1].first : r->line_count;
    size_t width = (size_t)p->param_count;
    LIFT_FREED int *rows = lift_resize(NULL, (end - p->first) * width + 1, sizeof *rows);

    for (size_t i = p->first; i < end; i++)
        memcpy(rows + (i - p->first) * width, r->lines[i].choice.values,
               width * sizeof *rows);
    return lift_space_create_table(r->arena, p->params, p->param_count, rows,
                                   (int64_t)(end - p->first));
}

static bool check_near(struct reader *r)
{
    for (int i = 0; i < r->part_count; i++)
        for (int k = 0; k < r->parts[i].near_count; k++)
            if (r->parts[i].near[k] >= r->part_count || r->parts[i].near[k] == i)
                return fail(r, "a near expression does not exist, or is the same");
    return true;
}

static double guess(void *user, const struct lift_choice *choice)
{
    const struct lift_replay *replay = user;
    int64_t index = lift_joint_index(replay->joint, choice);

    return index < 0 ? INFINITY : replay->answers[index].guess;
}

static struct lift_replay *assemble(struct reader *r)
{
    struct lift_replay *replay = lift_alloc(1, sizeof *replay);
    struct lift_joint_expr *exprs = lift_alloc((size_t)r->part_count + 1, sizeof *exprs);

    for (int i = 0; i < r->part_count; i++)
        exprs[i] = (struct lift_joint_expr){make_space(r, i), r->parts[i].features,
                                            r->parts[i].near, r->parts[i].near_count};
    replay->arena = r->arena;
    replay->joint = lift_joint_create(
        r->arena,
        &(struct lift_joint_parts){exprs, r->part_count, r->names, r->feature_count,
                                   r->guesses ? guess : NULL, replay});
    replay->answers = lift_alloc(r->line_count, sizeof *replay->answers);
    replay->best = INFINITY;
    for (size_t i = 0; i < r->line_count; i++) {
        struct lift_outcome outcome = r->lines[i].answer.outcome;

        replay->answers[lift_joint_index(replay->joint, &r->lines[i].choice)] =
            r->lines[i].answer;
        if (outcome.ok && outcome.seconds < replay->best)
            replay->best = outcome.seconds;
    }
    free(exprs);
    return replay;
}

struct lift_replay *lift_replay_read(const char *path, struct lift_str *why)
{
    struct lift_str reason = {0};
    FILE *in = lift_file_open(path, LIFT_FILE_TABLE, &reason);
    struct reader r = {.path = path, .why = why};
    struct lift_replay *replay = NULL;

    if (!in) {
        lift_str_addf(why, "cannot read '%s': %s", path, lift_str_get(&reason));
        lift_str_fini(&reason);
        return NULL;
    }
    r.arena = lift_arena_create();
    if (read_lines(&r, in) && check_near(&r))
        replay = assemble(&r);
    else
        lift_arena_destroy(r.arena);
    fclose(in);
    free(r.names);
    free(r.parts);
    free(r.lines);
    return replay;
}

void lift_replay_destroy(struct lift_replay *replay)
{
    if (!replay)
        return;
    free(replay->answers);
    lift_arena_destroy(replay->arena);
    free(replay);
}

const struct lift_joint *lift_replay_joint(const struct lift_replay *replay)
{
    return replay->joint;
}

struct lift_replay_answer lift_replay_answer(const struct lift_replay *replay,
                                             const struct lift_choice *choice)
{
    int64_t index = lift_joint_index(replay->joint, choice);

    LIFT_ASSERT(index >= 0);
    return replay->answers[index];
}

double lift_replay_best(const struct lift_replay *replay)
{
    return replay->best;
}
