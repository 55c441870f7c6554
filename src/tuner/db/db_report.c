/* Queries for reports. */
#include "tuner/db_report.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "tuner/db/db_internal.h"
#include <string.h>

DB_ROWS_OF_FILTER(lift_db_devices, lift_db_device_reader, lift_db_device_row,
                  (DB_DEVICES, "t", filter->device), .id = db_hash(stmt, 0),
                  .runtime = db_text(stmt, 1), .name = db_text(stmt, 2),
                  .vendor = db_text(stmt, 3), .arch = db_text(stmt, 4),
                  .compute_units = db_int(stmt, 5),
                  .copy_gbs = db_real(stmt, 6, DB_MOST_RATE), .copy_at = db_text(stmt, 7))

DB_ROWS_OF_FILTER(lift_db_problems, lift_db_problem_reader, lift_db_problem_row,
                  (DB_PROBLEMS, "ttti", filter->program, filter->sizes, filter->dtype,
                   filter->steps),
                  .id = db_hash(stmt, 0), .program = db_text(stmt, 1),
                  .text = db_text(stmt, 2), .sizes = db_text(stmt, 3),
                  .params = db_text(stmt, 4), .dtype = db_text(stmt, 5),
                  .points = db_count(stmt, 6), .bytes = db_count(stmt, 7),
                  .program_id = db_hash(stmt, 8), .steps = db_int(stmt, 9))

DB_ROWS_OF_PAIR(lift_db_top, lift_db_top_reader, lift_db_top_row, DB_TOP,
                .trial = db_text(stmt, 0), .candidate = db_text(stmt, 1),
                .expr = db_hash(stmt, 2), .tunables = db_text(stmt, 3),
                .seconds = db_real(stmt, 4, DB_MOST_SECONDS),
                .gpts = db_real(stmt, 5, DB_MOST_RATE),
                .gbs = db_real(stmt, 6, DB_MOST_RATE),
                .copy_share = db_real(stmt, 7, DB_MOST_RATE),
                .in_cache = db_int(stmt, 8) != 0, .later = db_int(stmt, 9) != 0)

static bool read_cost(sqlite3_stmt *stmt, void *user)
{
    *(struct lift_db_cost *)user =
        (struct lift_db_cost){.compile = db_real(stmt, 0, DB_MOST_SECONDS),
                              .check = db_real(stmt, 1, DB_MOST_SECONDS),
                              .measure = db_real(stmt, 2, DB_MOST_SECONDS)};
    return true;
}

bool lift_db_cost(struct lift_db *db, struct lift_hash session, struct lift_hash problem,
                  struct lift_hash device, struct lift_db_cost *cost)
{
    return db_each_row(db, db_query(db, DB_COST, "hhh", problem, device, session),
                       read_cost, cost);
}

DB_ROWS(lift_db_kernel, lift_db_kernel_reader, lift_db_kernel_row,
        (struct lift_db * db, const char *trial), (DB_KERNEL, "t", trial),
        .expr = db_hash(stmt, 0), .session = db_hash(stmt, 1),
        .tunables = db_text(stmt, 2), .flags = db_text(stmt, 3),
        .registers = db_known(stmt, 4), .spill_bytes = db_known(stmt, 5),
        .local_bytes = db_known(stmt, 6), .verified = db_int(stmt, 7) != 0,
        .candidate = db_text(stmt, 8), .arch = db_text(stmt, 9))

DB_ROWS_OF_PAIR(lift_db_exprs, lift_db_expr_reader, lift_db_expr_row, DB_EXPRS,
                .expr = db_hash(stmt, 0), .options = db_text(stmt, 1),
                .has_options = sqlite3_column_type(stmt, 1) == SQLITE_TEXT,
                .trials = db_count(stmt, 2), .seconds = db_real(stmt, 3, DB_MOST_SECONDS))

DB_ROWS_OF_PAIR(lift_db_samples, lift_db_sample_reader, lift_db_sample_row, DB_SAMPLES,
                .expr = db_hash(stmt, 0), .options = db_text(stmt, 1),
                .has_options = sqlite3_column_type(stmt, 1) == SQLITE_TEXT,
                .tunables = db_text(stmt, 2),
                .seconds = db_real(stmt, 3, DB_MOST_SECONDS))

DB_ROWS_OF_PAIR(lift_db_first, lift_db_first_reader, lift_db_first_row, DB_FIRST,
                .trial = db_text(stmt, 0), .seconds = db_real(stmt, 1, DB_MOST_SECONDS),
                .samples = db_text(stmt, 2), .confirmed = db_int(stmt, 3) != 0,
                .options = db_text(stmt, 4),
                .has_options = sqlite3_column_type(stmt, 4) == SQLITE_TEXT)

struct samples {
    struct lift_hash trial;
    double *seconds;
    int *left_out;
    int count;
};

static bool read_sample(sqlite3_stmt *stmt, void *user)
{
    struct samples *s = user;
    size_t count = (size_t)s->count + 1;

    s->seconds = lift_resize(s->seconds, count, sizeof *s->seconds);
    s->left_out = lift_resize(s->left_out, count, sizeof *s->left_out);
    s->seconds[s->count] = db_real(stmt, 0, DB_MOST_SECONDS);
    s->left_out[s->count++] = db_int(stmt, 1);
    s->trial = db_hash(stmt, 2);
    return true;
}

bool lift_db_naive(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   struct lift_db_naive *out)
{
    const int least = 3; /* samples of a final benchmark that was not cut short */
    struct samples s = {.seconds = NULL};
    bool good =
        db_each_row(db, db_query(db, DB_NAIVE, "hh", problem, device), read_sample, &s);
    LIFT_FREED double *kept = lift_alloc((size_t)s.count + 1, sizeof *kept);
    int count = lift_stats_keep(s.seconds, s.left_out, s.count, kept);

    *out = (struct lift_db_naive){.seconds = lift_median_interval(kept, count, 0.95)};
    if (s.count < least)
        out->seconds.low = out->seconds.high = 0;
    lift_hash_hex(s.trial, out->trial);
    free(s.seconds);
    free(s.left_out);
    return good;
}

/* Takes an object only with "busy" and "words", whose text becomes one line. */
static bool read_interference(sqlite3_stmt *stmt, void *user)
{
    json_t **out = user, *object = lift_json_read(db_text(stmt, 0), 0);
    const char *words = json_string_value(json_object_get(object, "words"));
    LIFT_SCOPED(lift_str) line = {0};

    if (!words || !json_is_boolean(json_object_get(object, "busy"))) {
        json_decref(object);
        return false;
    }
    lift_utf8_add(&line, words, strlen(words));
    for (char *at = line.data; at && *at; at++)
        if (strchr("\t\r\n", *at))
            *at = ' ';
    json_object_set_new(object, "words", json_string(lift_str_get(&line)));
    json_decref(*out);
    *out = object;
    return false;
}

bool lift_db_interference(struct lift_db *db, struct lift_hash of,
                          struct lift_hash device, json_t **out)
{
    *out = json_null();
    return db_each_row(db, db_query(db, DB_INTERFERENCE, "hh", of, device),
                       read_interference, out);
}

/* ---- the tables of a report */

static json_t *value_of(sqlite3_stmt *stmt, int column)
{
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        return json_integer(db_count(stmt, column));
    case SQLITE_FLOAT:
        return json_real(db_real(stmt, column, DB_MOST_SECONDS));
    case SQLITE_NULL:
        return json_null();
    default:
        return json_string(db_text(stmt, column));
    }
}

/* Adds a row as an object. A value that is not valid JSON remains a text. */
static bool add_object(sqlite3_stmt *stmt, void *rows)
{
    json_t *row = json_object(), *parsed;

    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        bool is_json = !strncmp(name, "json_", 5);

        parsed = is_json ? lift_json_read(db_text(stmt, i), 0) : NULL;
        json_object_set_new(row, is_json ? name + 5 : name,
                            parsed ? parsed : value_of(stmt, i));
    }
    return json_array_append_new(rows, row) == 0;
}

json_t *lift_db_report(struct lift_db *db, const struct lift_db_filter *filter)
{
    static const struct {
        const char *name;
        enum db_stmt stmt;
    } tables[] = {
        {"devices", DB_REPORT_DEVICES},   {"problems", DB_REPORT_PROBLEMS},
        {"sessions", DB_REPORT_SESSIONS}, {"explored", DB_REPORT_EXPLORED},
        {"progress", DB_REPORT_PROGRESS}, {"causes", DB_REPORT_CAUSES},
        {"reasons", DB_REPORT_REASONS},   {"finals", DB_REPORT_FINALS},
        {"events", DB_REPORT_EVENTS},
    };
    json_t *report = json_object();
    bool good = true;

    for (size_t i = 0; i < sizeof tables / sizeof *tables && good; i++) {
        json_t *rows = json_array();

        json_object_set_new(report, tables[i].name, rows);
        good = db_each_row(db,
                           db_query(db, tables[i].stmt, "tttti", filter->program,
                                    filter->sizes, filter->device, filter->dtype,
                                    filter->steps),
                           add_object, rows);
    }
    if (good)
        return report;
    json_decref(report);
    return NULL;
}
