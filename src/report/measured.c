#include "report/measured.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/locale.h"
#include "base/utf8.h"
#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 11, NAMED_COLUMNS = 7, FIELDS = 64, MOST_BYTES = 16 << 20 };

/* The first columns are required. */
enum column {
    PROGRAM,
    SIZE,
    PRECISION,
    STEPS,
    DEVICE,
    KIND,
    GPTS,
    LOW,
    HIGH,
    KERNEL,
    DRAM
};
static const char *const names[COLUMNS] = {"program", "size",   "precision", "steps",
                                           "device",  "kind",   "gpts",      "low",
                                           "high",    "kernel", "dram_bytes"};

struct reader {
    const char *path;
    const json_t *document;
    json_t *rows;
    struct lift_str *why;
    bool failed;
    int line, others;
    int column[FIELDS]; /* column of each field of a row; -1: unknown */
    int fields, field;  /* number of fields of the header; index in the current row */
    struct lift_str values[COLUMNS];
};

/* Reports an error. Invalid UTF-8 in quoted text is replaced. */
static void fail(struct reader *r, const char *before, const char *text,
                 const char *after)
{
    LIFT_SCOPED(lift_str) shown = {0};

    if (r->failed)
        return;
    r->failed = true;
    lift_utf8_add(&shown, text, strnlen(text, 60));
    lift_str_addf(r->why, "%s:%d: %s%s%s", r->path, r->line, before, lift_str_get(&shown),
                  after);
}

static void take_field(void *text, size_t len, void *user)
{
    struct reader *r = user;

    if (r->line > 1) {
        int column = r->field < r->fields ? r->column[r->field] : -1;

        if (column >= 0)
            lift_str_addn(&r->values[column], text, len);
    } else if (r->field < FIELDS) {
        r->column[r->field] = -1;
        for (int i = 0; i < COLUMNS; i++)
            if (!strcmp(text, names[i]))
                r->column[r->field] = i;
        r->fields = r->field + 1;
    }
    r->field++;
}

/* The number in a column; 0: none. */
static double number_of(struct reader *r, enum column column)
{
    const char *text = lift_str_get(&r->values[column]);
    char *end;
    double value = lift_strtod(text, &end);

    if (!*text)
        return 0;
    if (*end || !isfinite(value) || value < 0)
        fail(r, "'", text, "' is not a positive number");
    return value;
}

/* True if a problem has the sizes "512x512x404". */
static bool is_of_size(const json_t *sizes, const char *text)
{
    LIFT_SCOPED(lift_str) all = {0};
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)sizes, name, value) lift_str_addf(
        &all, "%s%lld", all.len ? "x" : "", (long long)json_integer_value(value));
    return !strcmp(lift_str_get(&all), text);
}

static bool is_text(const json_t *row, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(row, key));

    return value && !strcmp(value, text);
}

static const char *id_of_problem(const struct reader *r)
{
    const char *dtype =
        !strcmp(lift_str_get(&r->values[PRECISION]), "double") ? "f64" : "f32";
    const json_t *row;
    size_t i;

    json_array_foreach(
        json_object_get(r->document, "problems"), i,
        row) if (is_text(row, "program", lift_str_get(&r->values[PROGRAM])) &&
                 is_text(row, "dtype", dtype) &&
                 json_integer_value(json_object_get(row, "steps")) ==
                     atoi(lift_str_get(&r->values[STEPS])) &&
                 is_of_size(
                     json_object_get(row, "sizes"),
                     lift_str_get(
                         &r->values
                              [SIZE]))) return json_string_value(json_object_get(row,
                                                                                 "id"));
    return NULL;
}

static const char *id_of_device(const struct reader *r)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(r->document, "devices"), i, row) if (
        is_text(row, "name",
                lift_str_get(
                    &r->values[DEVICE]))) return json_string_value(json_object_get(row,
                                                                                   "id"));
    return NULL;
}

static json_t *text_json(const struct lift_str *text)
{
    LIFT_SCOPED(lift_str) clean = {0};

    lift_utf8_add(&clean, lift_str_get(text), text->len);
    return json_string(lift_str_get(&clean));
}

static void put_row(struct reader *r)
{
    static const enum column numbers[] = {GPTS, LOW, HIGH, DRAM};
    const char *problem = id_of_problem(r), *device = id_of_device(r);
    json_t *row;

    if (!problem || !device) {
        r->others++;
        return;
    }
    row = json_pack("{s:s, s:s, s:o, s:o}", "problem", problem, "device", device, "kind",
                    text_json(&r->values[KIND]), "kernel", text_json(&r->values[KERNEL]));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = number_of(r, numbers[i]);

        json_object_set_new(row, names[numbers[i]],
                            value > 0 ? json_real(value) : json_null());
    }
    json_array_append_new(r->rows, row);
}

static void check_header(struct reader *r)
{
    for (int i = 0; i < NAMED_COLUMNS; i++) {
        bool found = false;

        for (int k = 0; k < r->fields; k++)
            found |= r->column[k] == i;
        if (!found)
            fail(r, "there is no column '", names[i],
                 "'; expected program, size, precision, steps, device, kind and gpts");
    }
}

static void end_row(int byte, void *user)
{
    struct reader *r = user;

    (void)byte;
    if (r->line == 1)
        check_header(r);
    else if (!r->failed && r->field < r->fields)
        fail(r, "the row has too few fields", "", "");
    else if (!r->failed)
        put_row(r);
    for (int i = 0; i < COLUMNS; i++)
        lift_str_clear(&r->values[i]);
    r->field = 0;
    r->line++;
}

bool report_measured_read(const char *path, const json_t *document, json_t *rows,
                          int *others, struct lift_str *why)
{
    LIFT_IN_C_LOCALE;
    LIFT_SCOPED(lift_str) text = {0}, reason = {0};
    struct reader r = {
        .path = path, .document = document, .rows = json_array(), .why = why, .line = 1};
    struct csv_parser parser;

    if (!lift_file_read(path, MOST_BYTES, &text, &reason)) {
        lift_str_addf(why, "cannot read '%s': %s", path, lift_str_get(&reason));
        json_decref(r.rows);
        return false;
    }
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL))
        LIFT_BUG("out of memory");
    if (csv_parse(&parser, text.data, text.len, take_field, end_row, &r) != text.len ||
        csv_fini(&parser, take_field, end_row, &r))
        fail(&r, "a quote is out of place", "", "");
    if (r.line == 1)
        fail(&r, "the file is empty; expected the names of columns", "", "");
    csv_free(&parser);
    for (int i = 0; i < COLUMNS; i++)
        lift_str_fini(&r.values[i]);
    if (!r.failed)
        json_array_extend(rows, r.rows);
    json_decref(r.rows);
    *others = r.others;
    return !r.failed;
}
