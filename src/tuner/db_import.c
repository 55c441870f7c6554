/* The content of a folder of CSV files, as db_export.c writes them, into a database. */
#include "lift/bug.h"
#include "lift/db_tools.h"
#include "tuner/db_folder.h"
#include "tuner/db_tables.h"
#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of the bytes of a file, from 1. */
struct place {
    int64_t line, column;
};

/* One file while it is read. Bytes are handed to the parser one by one, so that the place
 * of every field is known. */
struct reader {
    struct lift_db *db;
    const char *path;
    struct csv_parser parser;
    struct place at, field, row; /* now; where the field and the row began */
    bool between;                /* fields: the next byte begins one */
    int count;                   /* fields of the row so far */
    int64_t rows;
    bool failed;
    /* Of the row after the header. */
    const char *names[DB_COLUMNS];
    enum db_kind kinds[DB_COLUMNS];
    bool optional[DB_COLUMNS];
    int columns;
    sqlite3_stmt *put; /* NULL: rows are looked at by 'about' */
    int64_t version;   /* of the folder */
};

static void fail_at(struct reader *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The first error of a file stays. */
static void fail_at(struct reader *r, struct place at, const char *format, ...)
{
    struct lift_str text = {0};
    va_list args;

    if (r->failed)
        return;
    r->failed = true;
    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    db_failf(r->db, "%s:%lld:%lld: %s", r->path, (long long)at.line, (long long)at.column,
             lift_str_get(&text));
    lift_str_fini(&text);
}

static void take_name(struct reader *r, const char *text)
{
    if (r->count >= r->columns)
        fail_at(r, r->field, "'%s' is a column too many", text ? text : "");
    else if (!text || strcmp(text, r->names[r->count]) != 0)
        fail_at(r, r->field, "column '%s' was expected, not '%s'", r->names[r->count],
                text ? text : "");
}

static bool put_number(struct reader *r, const char *text, size_t len)
{
    int i = r->count + 1;
    char *end;

    errno = 0;
    if (r->kinds[r->count] == DB_KIND_INTEGER) {
        long long value = strtoll(text, &end, 10);

        if (!errno && end == text + len)
            return sqlite3_bind_int64(r->put, i, value) == SQLITE_OK;
        fail_at(r, r->field, "'%s' of column '%s' is not a whole number", text,
                r->names[r->count]);
    } else {
        double value = strtod(text, &end);

        if (end == text + len && value == value)
            return sqlite3_bind_double(r->put, i, value) == SQLITE_OK;
        fail_at(r, r->field, "'%s' of column '%s' is not a number", text,
                r->names[r->count]);
    }
    return true;
}

static void take_value(struct reader *r, const char *text, size_t len)
{
    bool bound;

    if (r->count >= r->columns) {
        fail_at(r, r->field, "the row has more than %d fields", r->columns);
        return;
    }
    if (!text) {
        if (!r->optional[r->count])
            fail_at(r, r->field, "column '%s' has no value", r->names[r->count]);
        bound = sqlite3_bind_null(r->put, r->count + 1) == SQLITE_OK;
    } else if (r->kinds[r->count] == DB_KIND_TEXT || r->kinds[r->count] == DB_KIND_PACKED)
        bound = sqlite3_bind_text(r->put, r->count + 1, text, (int)len,
                                  SQLITE_TRANSIENT) == SQLITE_OK;
    else
        bound = put_number(r, text, len);
    if (!bound)
        r->failed = !db_fail(r->db, "write");
}

/* "schema",4 */
static void take_about(struct reader *r, const char *text)
{
    if (r->count == 1 && text)
        r->version = strtoll(text, NULL, 10);
}

static void end_field(void *data, size_t len, void *user)
{
    struct reader *r = user;

    if (!r->rows)
        take_name(r, data);
    else if (r->put)
        take_value(r, data, len);
    else
        take_about(r, data);
    r->count++;
    r->between = true;
}

static void put_row(struct reader *r)
{
    if (sqlite3_step(r->put) != SQLITE_DONE) {
        int code = sqlite3_extended_errcode(r->db->handle);

        if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
            fail_at(r, r->row, "the row refers to one that is not there");
        else if ((code & 0xff) == SQLITE_CONSTRAINT)
            fail_at(r, r->row, "%s", sqlite3_errmsg(r->db->handle));
        else
            r->failed = !db_fail(r->db, "write");
    }
    sqlite3_reset(r->put);
}

static void end_row(int byte, void *user)
{
    struct reader *r = user;

    (void)byte;
    if (!r->failed && r->count < r->columns)
        fail_at(r, r->at, "the row has %d of %d fields", r->count, r->columns);
    if (!r->failed && r->rows && r->put)
        put_row(r);
    r->rows++;
    r->count = 0;
}

static void take_byte(struct reader *r, char byte)
{
    if (r->between && !(r->count == 0 && (byte == '\n' || byte == '\r'))) {
        r->field = r->at;
        if (!r->count)
            r->row = r->at;
        r->between = false;
    }
    if (csv_parse(&r->parser, &byte, 1, end_field, end_row, r) != 1)
        fail_at(r, r->at, "%s",
                csv_error(&r->parser) == CSV_EPARSE
                    ? "a quote is out of place"
                    : csv_strerror(csv_error(&r->parser)));
    r->at.column++;
    if (byte == '\n')
        r->at = (struct place){r->at.line + 1, 1};
}

static void read_bytes(struct reader *r, FILE *file)
{
    static char buffer[1 << 16];
    size_t got;

    while (!r->failed && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        for (size_t i = 0; i < got && !r->failed; i++)
            take_byte(r, buffer[i]);
    if (!r->failed && ferror(file))
        r->failed = !db_failf(r->db, "cannot read '%s': %s", r->path, strerror(errno));
    if (!r->failed && csv_fini(&r->parser, end_field, end_row, r))
        fail_at(r, r->field, "a quote is not closed");
    if (!r->failed && !r->rows)
        fail_at(r, r->at, "the file is empty; the names of columns were expected");
}

static bool read_file(struct reader *r)
{
    FILE *file = fopen(r->path, "re");

    if (!file)
        return db_failf(r->db, "cannot read '%s': %s", r->path, strerror(errno));
    if (csv_init(&r->parser,
                 CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL))
        LIFT_BUG("out of memory");
    r->at = r->field = r->row = (struct place){1, 1};
    r->between = true;
    read_bytes(r, file);
    csv_free(&r->parser);
    fclose(file);
    return !r->failed;
}

static bool import_table(struct lift_db *db, int index, const char *path)
{
    struct db_table table;
    struct reader r = {.db = db, .path = path};
    bool good;

    if (!db_table_describe(db, index, &table) ||
        !(r.put = db_table_upsert(db, &table, false)))
        return false;
    for (int i = 0; i < table.count; i++) {
        const struct db_column *c = &table.columns[i];

        if (!db_column_shown(c, false))
            continue;
        r.names[r.columns] = c->name;
        r.kinds[r.columns] = c->kind;
        r.optional[r.columns++] = c->optional;
    }
    good = read_file(&r);
    sqlite3_finalize(r.put);
    return good;
}

enum { OLDEST = 4 }; /* since this version all tables have the same columns */

/* The files are of tables as this version's, or of none that is understood. */
static bool read_about(struct lift_db *db, const char *path)
{
    struct reader r = {
        .db = db, .path = path, .names = {"name", "value"}, .columns = 2, .version = -1};
    int64_t ours;

    if (!read_file(&r) || !db_number(db, "PRAGMA user_version", &ours))
        return false;
    return (r.version >= OLDEST && r.version <= ours) ||
           db_failf(db, "cannot read '%s': its schema is %lld, this program's %lld", path,
                    (long long)r.version, (long long)ours);
}

static bool import_all(struct lift_db *db, const char *folder)
{
    struct lift_str path = {0};
    bool good =
        read_about(db, db_folder_file(&path, folder, DB_FOLDER_ABOUT)) && db_thaw(db);

    for (int i = 0; i < DB_TABLES && good; i++)
        good = import_table(db, i, db_folder_file(&path, folder, db_table_names[i]));
    lift_str_fini(&path);
    return good && db_freeze(db);
}

bool lift_db_import(struct lift_db *db, const char *folder, struct lift_db_gain *gain)
{
    int64_t before, after, rows = sqlite3_total_changes64(db->handle);

    *gain = (struct lift_db_gain){0};
    if (db->read_only)
        return db_failf(db, "cannot import into '%s': it can only be read", db->path);
    if (!lift_db_begin(db))
        return false;
    if (!db_number(db, "SELECT count(*) FROM try", &before) || !import_all(db, folder) ||
        !db_number(db, "SELECT count(*) FROM try", &after)) {
        lift_db_rollback(db);
        return false;
    }
    gain->tries = after - before;
    gain->rows = sqlite3_total_changes64(db->handle) - rows;
    return lift_db_commit(db);
}
