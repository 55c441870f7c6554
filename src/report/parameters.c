#include "report/parameters.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/memory.h"
#include "ir/tunable.h"
#include "tuner/importance.h"
#include <math.h>
#include <string.h>

enum {
    PARAMETERS = 64,
    VALUES = 32, /* values of a parameter; a parameter with more is in no map */
    ENOUGH = 12, /* minimum of trials for the importance of parameters */
    SLOWEST =
        2, /* slower times are capped at this multiple of the median, as in searches */
    DOTS = 120 /* maximum number of times of a family */
};

/* A decision or a tunable, with its values in trials. */
struct parameter {
    const char *name;
    bool is_decision, has_more;
    const char *values[VALUES]; /* as JSON */
    double numbers[VALUES];     /* values of a tunable */
    int count;
    int column; /* column of the forest: of a tunable, or of a decision's first value */
    double share;
};

struct sample {
    double seconds;
    const char *family;
    bool has_options;
    short values[PARAMETERS]; /* -1: none */
};

struct family_row {
    const char *name;
    int64_t trials, exprs;
    double seconds;
};

struct collection {
    const struct report_families *families;
    struct lift_arena *arena;
    struct parameter parameters[PARAMETERS];
    int parameter_count;
    struct sample *samples;
    int count, cap;
    struct family_row *rows;
    int row_count, row_cap;
};

/* ---- content of the database */

static int parameter_of(struct collection *c, const char *name, bool is_decision)
{
    for (int i = 0; i < c->parameter_count; i++)
        if (c->parameters[i].is_decision == is_decision &&
            !strcmp(c->parameters[i].name, name))
            return i;
    if (c->parameter_count == PARAMETERS)
        return -1;
    c->parameters[c->parameter_count] = (struct parameter){
        .name = lift_arena_strdup(c->arena, name), .is_decision = is_decision};
    return c->parameter_count++;
}

/* The index of a value. Compilers have names; other values of tunables are numbers. */
static short value_of(struct collection *c, struct parameter *p, const json_t *value)
{
    const char *word = p->is_decision
                           ? NULL
                           : lift_tunable_value_word(p->name, json_integer_value(value));
    json_auto_t *shown = word ? json_string(word) : NULL;
    LIFT_FREED char *text = lift_json_print(shown ? shown : value, JSON_ENCODE_ANY);

    for (int i = 0; i < p->count && text; i++)
        if (!strcmp(p->values[i], text))
            return (short)i;
    if (!text || p->count == VALUES) {
        p->has_more = true;
        return -1;
    }
    p->values[p->count] = lift_arena_strdup(c->arena, text);
    p->numbers[p->count] = json_number_value(value);
    return (short)p->count++;
}

static void set_value(struct collection *c, struct sample *s, const char *name,
                      const json_t *value, bool is_decision)
{
    int at = parameter_of(c, is_decision ? name : lift_tunable_now(name), is_decision);

    if (at >= 0)
        s->values[at] = value_of(c, &c->parameters[at], value);
}

static const char *family_name(const struct collection *c, const char *options, bool has)
{
    int changes;
    const struct lift_family *family =
        has ? report_family_of(c->families, options, &changes) : NULL;

    return family ? family->name : "";
}

static bool take_sample(void *user, const struct lift_db_sample_row *row)
{
    struct collection *c = user;
    json_auto_t *tunables = lift_json_read(row->tunables, 0);
    LIFT_SCOPED(lift_str) today = {0};
    char *options, *rest = NULL;
    struct sample *s;
    const char *name;
    json_t *value;

    LIFT_ROOM(c->samples, c->count, c->cap);
    s = &c->samples[c->count++];
    *s = (struct sample){row->seconds,
                         family_name(c, row->options, row->has_options),
                         row->has_options,
                         {0}};
    memset(s->values, -1, sizeof s->values);
    json_object_foreach(tunables, name, value) if (json_is_integer(value))
        set_value(c, s, name, value, false);
    report_options_today(c->families, row->options, &today);
    options = lift_arena_strdup(c->arena, lift_str_get(&today));
    for (char *pair = strtok_r(options, ",", &rest); pair;
         pair = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(pair, '=');
        json_auto_t *option = equals ? json_string(equals + 1) : NULL;

        if (!option)
            continue;
        *equals = '\0';
        set_value(c, s, pair, option, true);
    }
    return true;
}

static bool take_expr(void *user, const struct lift_db_expr_row *row)
{
    struct collection *c = user;
    const char *name = family_name(c, row->options, row->has_options);
    int at = 0;

    while (at < c->row_count && strcmp(c->rows[at].name, name) != 0)
        at++;
    if (at == c->row_count) {
        LIFT_ROOM(c->rows, c->row_count, c->row_cap);
        c->rows[c->row_count++] = (struct family_row){.name = name};
    }
    c->rows[at].trials += row->trials;
    c->rows[at].exprs++;
    if (row->seconds > 0 &&
        !(c->rows[at].seconds > 0 && c->rows[at].seconds <= row->seconds))
        c->rows[at].seconds = row->seconds;
    return true;
}

/* Fills in defaults for trials whose expression has no option of a decision. */
static void fill_defaults(struct collection *c)
{
    for (int i = 0; i < c->parameter_count; i++) {
        struct parameter *p = &c->parameters[i];
        const char *name =
            p->is_decision ? report_default_option(c->families, p->name) : NULL;
        json_auto_t *option = name ? json_string(name) : NULL;

        for (int k = 0; k < c->count && option; k++)
            if (c->samples[k].has_options && c->samples[k].values[i] < 0)
                c->samples[k].values[i] = value_of(c, p, option);
    }
}

/* ---- families */

static void add_families(const struct collection *c, const char *problem,
                         const char *device, json_t *out)
{
    for (int i = 0; i < c->row_count; i++) {
        const struct family_row *row = &c->rows[i];
        json_t *times = json_array();
        int all = 0, before = 0, stride;

        for (int k = 0; k < c->count; k++)
            all += !strcmp(c->samples[k].family, row->name);
        stride = all > DOTS ? (all + DOTS - 1) / DOTS : 1;
        for (int k = 0; k < c->count; k++)
            if (!strcmp(c->samples[k].family, row->name) && before++ % stride == 0)
                json_array_append_new(times, json_real(c->samples[k].seconds));
        json_array_append_new(
            out,
            json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "problem", problem, "device",
                      device, "family", row->name, "trials", (json_int_t)row->trials,
                      "expressions", (json_int_t)row->exprs, "seconds",
                      row->seconds > 0 ? json_real(row->seconds) : json_null(), "times",
                      times));
    }
}

/* ---- importance */

/* Assigns a column to each tunable, and to each option of a decision. */
static int number_columns(struct collection *c)
{
    int columns = 0;

    for (int i = 0; i < c->parameter_count; i++) {
        c->parameters[i].column = columns;
        columns += c->parameters[i].is_decision ? c->parameters[i].count : 1;
    }
    return columns;
}

static void fill_row(const struct collection *c, const struct sample *s, float *row)
{
    for (int i = 0; i < c->parameter_count; i++) {
        const struct parameter *p = &c->parameters[i];
        int value = s->values[i];

        for (int k = 0; p->is_decision && k < p->count; k++)
            row[p->column + k] = k == value;
        if (!p->is_decision)
            row[p->column] = value < 0               ? -1
                             : p->numbers[value] > 0 ? (float)log2(p->numbers[value])
                                                     : (float)p->numbers[value];
    }
}

/* Computes the shares. Returns the explained fraction of the variance of the
 * logarithm of times. */
static double find_shares(struct collection *c)
{
    size_t columns = (size_t)number_columns(c), count = (size_t)c->count;
    LIFT_FREED float *rows = lift_resize(NULL, count * (columns + 1), sizeof *rows);
    LIFT_FREED double *shares = lift_alloc(columns + 1, sizeof *shares);
    float *targets = rows + count * columns;
    double explained, most = SLOWEST * c->samples[count / 2].seconds;

    for (size_t i = 0; i < count; i++) {
        fill_row(c, &c->samples[i], rows + i * columns);
        targets[i] = (float)log(fmin(most, c->samples[i].seconds));
    }
    explained = lift_importance(rows, targets, c->count, (int)columns, shares);
    for (int i = 0; i < c->parameter_count; i++) {
        struct parameter *p = &c->parameters[i];
        int width = p->is_decision ? p->count : 1;

        for (int k = 0; k < width; k++)
            p->share += shares[p->column + k];
    }
    return explained;
}

/* True if more than 90 % of the trials have the same value of a parameter. */
static bool is_settled(const struct collection *c, int parameter)
{
    int counts[VALUES + 1] = {0}, most = 0;

    for (int i = 0; i < c->count; i++) {
        int value = c->samples[i].values[parameter];

        if (value >= 0 && ++counts[value] > most)
            most = counts[value];
    }
    return most * 10 > c->count * 9;
}

/* The parameter with the greatest share that a map can have, except 'but'. */
static int most_important(const struct collection *c, int but)
{
    int best = -1;

    for (int i = 0; i < c->parameter_count; i++) {
        const struct parameter *p = &c->parameters[i];

        if (i != but && p->share > 0 && p->count > 1 && !p->has_more &&
            !is_settled(c, i) && (best < 0 || p->share > c->parameters[best].share))
            best = i;
    }
    return best;
}

static json_t *axis_json(const struct parameter *p)
{
    json_t *values = json_array();

    for (int i = 0; i < p->count; i++)
        json_array_append_new(values, lift_json_read(p->values[i], JSON_DECODE_ANY));
    return json_pack("{s:s, s:o}", "name", p->name, "values", values);
}

/* The fastest time for each pair of values of the two most important parameters;
 * NULL: there are fewer than two parameters. */
static json_t *map_json(const struct collection *c)
{
    int x = most_important(c, -1), y = most_important(c, x);
    double least[VALUES][VALUES] = {{0}};
    int counts[VALUES][VALUES] = {{0}};
    json_t *cells;

    if (x < 0 || y < 0)
        return NULL;
    for (int i = 0; i < c->count; i++) {
        const struct sample *s = &c->samples[i];

        if (s->values[x] < 0 || s->values[y] < 0)
            continue;
        /* samples are sorted by time */
        if (!counts[s->values[x]][s->values[y]]++)
            least[s->values[x]][s->values[y]] = s->seconds;
    }
    cells = json_array();
    for (int i = 0; i < c->parameters[x].count; i++)
        for (int k = 0; k < c->parameters[y].count; k++)
            if (counts[i][k])
                json_array_append_new(
                    cells, json_pack("[i, i, f, i]", i, k, least[i][k], counts[i][k]));
    return json_pack("{s:o, s:o, s:o}", "x", axis_json(&c->parameters[x]), "y",
                     axis_json(&c->parameters[y]), "cells", cells);
}

static void add_importance(struct collection *c, const char *problem, const char *device,
                           json_t *out)
{
    json_t *parameters, *map;
    double explained;

    if (c->count < ENOUGH)
        return;
    explained = find_shares(c);
    parameters = json_array();
    for (int i = 0; i < c->parameter_count; i++)
        if (c->parameters[i].share > 0)
            json_array_append_new(
                parameters,
                json_pack("{s:s, s:s, s:f}", "name", c->parameters[i].name, "kind",
                          c->parameters[i].is_decision ? "decision" : "tunable", "share",
                          c->parameters[i].share));
    map = map_json(c);
    json_array_append_new(out, json_pack("{s:s, s:s, s:i, s:f, s:o, s:o}", "problem",
                                         problem, "device", device, "trials", c->count,
                                         "explained", explained, "parameters", parameters,
                                         "map", map ? map : json_null()));
}

bool report_add_parameters(const struct report_families *f, struct lift_db *db,
                           struct lift_hash problem, struct lift_hash device,
                           json_t *families, json_t *importance)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct collection *c = lift_alloc(1, sizeof *c);
    char problem_id[LIFT_HASH_HEX], device_id[LIFT_HASH_HEX];
    bool good;

    c->families = f;
    c->arena = arena;
    lift_hash_hex(problem, problem_id);
    lift_hash_hex(device, device_id);
    good = lift_db_samples(db, problem, device, take_sample, c) &&
           lift_db_exprs(db, problem, device, take_expr, c);
    if (good) {
        fill_defaults(c);
        add_families(c, problem_id, device_id, families);
        add_importance(c, problem_id, device_id, importance);
    }
    free(c->samples);
    free(c->rows);
    free(c);
    return good;
}
