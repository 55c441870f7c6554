/* Tries in the format for auto-tuning results of the T4 schema (Kernel Tuner,
 * TuningSchema), version 1.0.0. One result is made at a time: there may be a million. */
#include "base/json.h"
#include "tuner/db/db_tables.h"
#include "tuner/db_tools.h"
#include <string.h>

/* What the format calls the end of a try; NULL: it has none yet. */
static const char *invalidity(enum lift_try_status status)
{
    static const char *const names[LIFT_TRY_STATUSES] = {
        [LIFT_TRY_STARTED] = NULL,
        [LIFT_TRY_OK] = "correct",
        [LIFT_TRY_SLOW] = "correct",
        [LIFT_TRY_SLAB] = "correct",
        [LIFT_TRY_CONSTRAINT] = "constraints",
        [LIFT_TRY_CODEGEN] = "compile",
        [LIFT_TRY_COMPILE_ERROR] = "compile",
        [LIFT_TRY_COMPILE_TIMEOUT] = "timeout",
        [LIFT_TRY_RESOURCE] = "constraints",
        [LIFT_TRY_LAUNCH_ERROR] = "runtime",
        [LIFT_TRY_RUN_ERROR] = "runtime",
        [LIFT_TRY_RUN_TIMEOUT] = "timeout",
        [LIFT_TRY_CRASH] = "runtime",
        [LIFT_TRY_WRONG] = "correctness",
        [LIFT_TRY_NONFINITE] = "correctness",
        [LIFT_TRY_OVERFLOW] = "correctness",
        [LIFT_TRY_NONDETERMINISTIC] = "correctness",
        [LIFT_TRY_DEVICE_LOST] = "runtime",
        [LIFT_TRY_LOST] = "runtime",
    };

    return names[status];
}

enum { FORMAT = JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(12) };

struct t4 {
    struct lift_db *db;
    FILE *out;
    sqlite3_stmt *tries, *samples;
    int64_t points;
    bool failed;
};

static void set_text(json_t *object, const char *name, const char *text)
{
    json_t *value = json_string(text);

    /* What compilers and drivers say need not be UTF-8. */
    json_object_set_new(object, name, value ? value : json_string("(not UTF-8)"));
}

static void set_number(json_t *object, const char *name, sqlite3_stmt *row, int column,
                       double factor)
{
    if (sqlite3_column_type(row, column) != SQLITE_NULL)
        json_object_set_new(object, name,
                            json_real(sqlite3_column_double(row, column) * factor));
}

static json_t *configuration(const struct t4 *t)
{
    json_t *object = lift_json_read(db_text(t->tries, 2), 0);

    if (!json_is_object(object)) {
        json_decref(object);
        object = json_object();
    }
    set_text(object, "expression", db_text(t->tries, 1));
    return object;
}

static json_t *runtimes(struct t4 *t)
{
    json_t *list = json_array();
    int more;

    sqlite3_bind_text(t->samples, 1, db_text(t->tries, 0), -1, SQLITE_TRANSIENT);
    while ((more = db_step(t->db, t->samples)) > 0)
        json_array_append_new(
            list, json_real((double)sqlite3_column_int64(t->samples, 0) * 1e-6));
    db_done(t->samples);
    t->failed |= more < 0;
    return list;
}

static json_t *times(struct t4 *t)
{
    json_t *object = json_object();

    set_number(object, "compilation_time", t->tries, 6, 1e3);
    set_number(object, "validation", t->tries, 7, 1e3);
    json_object_set_new(object, "runtimes", runtimes(t));
    return object;
}

static void add_measurement(json_t *list, const char *name, double value,
                            const char *unit)
{
    json_t *object = json_object();

    set_text(object, "name", name);
    json_object_set_new(object, "value", json_real(value));
    set_text(object, "unit", unit);
    json_array_append_new(list, object);
}

static json_t *measurements(const struct t4 *t)
{
    json_t *list = json_array();
    double ns = sqlite3_column_double(t->tries, 5);

    if (ns > 0) {
        add_measurement(list, "time", ns * 1e-6, "ms");
        add_measurement(list, "throughput", (double)t->points / ns, "GPts/s");
    }
    return list;
}

static json_t *result(struct t4 *t)
{
    const char *verdict = invalidity(db_status_of(db_text(t->tries, 3)));
    json_t *object;

    if (!verdict)
        return NULL;
    object = json_object();
    set_text(object, "timestamp", db_text(t->tries, 8));
    json_object_set_new(object, "configuration", configuration(t));
    json_object_set_new(object, "objectives", json_pack("[s]", "time"));
    json_object_set_new(object, "times", times(t));
    set_text(object, "invalidity", verdict);
    json_object_set_new(object, "correctness", json_integer(!strcmp(verdict, "correct")));
    json_object_set_new(object, "measurements", measurements(t));
    /* The format is open: our own words are kept. */
    set_text(object, "status", db_text(t->tries, 3));
    set_text(object, "reason", db_text(t->tries, 4));
    return object;
}

static bool put_results(struct t4 *t)
{
    const char *comma = "";
    int more;

    while ((more = db_step(t->db, t->tries)) > 0) {
        json_auto_t *object = result(t);

        if (!object)
            continue;
        fputs(comma, t->out);
        lift_json_write(object, t->out, FORMAT);
        comma = ",\n";
    }
    return more == 0 && !t->failed;
}

/* The row of a statement as an object of its columns. */
static json_t *row_object(sqlite3_stmt *row)
{
    json_t *object = json_object();

    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);

        if (sqlite3_column_type(row, i) == SQLITE_INTEGER)
            json_object_set_new(object, name, json_integer(sqlite3_column_int64(row, i)));
        else if (sqlite3_column_type(row, i) == SQLITE_FLOAT)
            json_object_set_new(object, name, json_real(sqlite3_column_double(row, i)));
        else if (sqlite3_column_type(row, i) == SQLITE_TEXT)
            set_text(object, name, db_text(row, i));
    }
    return object;
}

static sqlite3_stmt *query(struct lift_db *db, const char *sql, struct lift_hash a,
                           struct lift_hash b)
{
    sqlite3_stmt *stmt = db_prepare(db, sql);
    char hex[LIFT_HASH_HEX];

    if (!stmt)
        return NULL;
    sqlite3_bind_text(stmt, 1, lift_hash_hex(a, hex), -1, SQLITE_TRANSIENT);
    if (sqlite3_bind_parameter_count(stmt) > 1)
        sqlite3_bind_text(stmt, 2, lift_hash_hex(b, hex), -1, SQLITE_TRANSIENT);
    return stmt;
}

static bool put_objects(struct lift_db *db, json_t *list, sqlite3_stmt *rows)
{
    int more = -1;

    while (rows && (more = db_step(db, rows)) > 0)
        json_array_append_new(list, row_object(rows));
    sqlite3_finalize(rows);
    return more == 0;
}

static json_t *metadata(struct t4 *t, struct lift_hash problem, struct lift_hash device)
{
    json_t *devices = json_array(), *envs = json_array(), *problems = json_array();
    bool good =
        put_objects(t->db, devices,
                    query(t->db, "SELECT * FROM device WHERE id = ?", device, device)) &&
        put_objects(t->db, problems,
                    query(t->db,
                          "SELECT p.name AS program, b.id, b.sizes, b.params, b.dtype,"
                          " b.points, b.bytes FROM problem b JOIN program p"
                          " ON p.id = b.program WHERE b.id = ?",
                          problem, problem)) &&
        put_objects(t->db, envs,
                    query(t->db,
                          "SELECT * FROM env WHERE id IN (SELECT env FROM try WHERE"
                          " problem = ? AND device = ?) ORDER BY id",
                          problem, device));
    json_t *first = json_array_get(envs, 0);
    json_t *all = json_pack("{s:{s:O, s:s}, s:{s:{s:O}, s:[]}, s:O}", "hardware",
                            "hardware_description", devices, "operating_system",
                            first ? json_string_value(json_object_get(first, "os")) : "",
                            "environment", "device_query", "environments", envs,
                            "requirements", "problem", problems);

    t->points =
        json_integer_value(json_object_get(json_array_get(problems, 0), "points"));
    json_decref(devices);
    json_decref(problems);
    json_decref(envs);
    if (good && all)
        return all;
    json_decref(all);
    return NULL;
}

static bool write_all(struct t4 *t, json_t *about)
{
    bool good;

    fputs("{\"metadata\":", t->out);
    lift_json_write(about, t->out, FORMAT);
    fputs(",\n\"results\":[\n", t->out);
    good = put_results(t);
    fputs("],\n\"schema_version\":\"1.0.0\"}\n", t->out);
    return good;
}

bool lift_db_export_t4(struct lift_db *db, struct lift_hash problem,
                       struct lift_hash device, FILE *out)
{
    struct t4 t = {.db = db, .out = out};
    json_auto_t *about = metadata(&t, problem, device);
    bool good = about != NULL;

    t.tries = query(db,
                    "SELECT t.id, c.expr, c.tunables, t.status, t.reason, t.median_ns,"
                    " t.compile_s, t.check_s, t.started FROM try t JOIN candidate c"
                    " ON c.id = t.candidate WHERE t.problem = ? AND t.device = ?"
                    " ORDER BY t.started, t.id",
                    problem, device);
    t.samples = db_prepare(db, "SELECT ns FROM timing WHERE try = ? ORDER BY idx");
    good = good && t.tries && t.samples && write_all(&t, about);
    sqlite3_finalize(t.tries);
    sqlite3_finalize(t.samples);
    return good;
}
