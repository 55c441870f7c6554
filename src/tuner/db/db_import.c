/* Imports a folder of CSV files, as db_export.c writes them, into a database. */
#include "base/bug.h"
#include "base/file.h"
#include "base/locale.h"
#include "base/utf8.h"
#include "tuner/db/db_folder.h"
#include "tuner/db/db_values.h"
#include "tuner/db_tools.h"
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A place in a file: line and column in bytes, from 1. */
struct place {
    int64_t line, column;
};

/* The reader of one file. The parser receives bytes one by one, so that the place of
 * every field is known. */
struct reader {
    struct lift_db *db;
    const char *path;
    struct csv_parser parser;
    struct place at, field,
        row;      /* the current place; beginnings of the field and the row */
    bool between; /* between fields: the next byte begins a field */
    int count;    /* fields read of the current row */
    int64_t rows;
    bool failed;
    char character[4]; /* bytes of the current UTF-8 character */
    int character_bytes;
    struct place character_at;
    /* The table, and the columns that the header names. */
    struct db_table table;
    const struct db_column *column[DB_COLUMNS];
    const char *names[DB_COLUMNS];
    int columns;
    struct db_value values[DB_COLUMNS]; /* of the current row, by the table's columns */
    struct lift_str texts[DB_COLUMNS];  /* texts of 'values' */
    struct place places[DB_COLUMNS];
    sqlite3_stmt *put; /* NULL: the file is 'about', and rows are not stored */
    int64_t version;   /* of the folder */
};

static void fail_at(struct reader *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports an error; the first error of a file stays. Invalid bytes in quoted text are
 * replaced. */
static void fail_at(struct reader *r, struct place at, const char *format, ...)
{
    LIFT_SCOPED(lift_str) text = {0}, shown = {0};
    va_list args;

    if (r->failed)
        return;
    r->failed = true;
    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    lift_utf8_add(&shown, lift_str_get(&text), text.len);
    db_failf(r->db, "%s:%lld:%lld: %s", r->path, (long long)at.line, (long long)at.column,
             lift_str_get(&shown));
}

static void take_name(struct reader *r, const char *text)
{
    if (r->count >= r->columns)
        fail_at(r, r->field, "'%s' is a column too many", text ? text : "");
    else if (!text || strcmp(text, r->names[r->count]) != 0)
        fail_at(r, r->field, "column '%s' was expected, not '%s'", r->names[r->count],
                text ? text : "");
}

/* Accepts digits, and for a real number also the format of printf, without blanks and
 * hexadecimal digits. */
static bool to_number(enum db_kind kind, const char *text, size_t len,
                      struct db_value *value)
{
    static const char digits[] = "0123456789";
    bool begins = strspn(text + (*text == '-'), digits) > 0 || !strcmp(text, "inf");
    char *end;

    errno = 0;
    if (kind == DB_KIND_INTEGER) {
        value->type = SQLITE_INTEGER;
        value->integer = strtoll(text, &end, 10);
    } else {
        value->type = SQLITE_FLOAT;
        value->real = lift_strtod(text, &end);
    }
    return begins && end == text + len && !strpbrk(text, "xX") &&
           !(errno == ERANGE && (kind == DB_KIND_INTEGER || fabs(value->real) > 1));
}

static bool to_value(const struct db_column *c, const char *text, size_t len,
                     struct db_value *value)
{
    *value = (struct db_value){
        .type = text ? SQLITE_TEXT : SQLITE_NULL, .text = text, .len = len};
    return !text || c->kind == DB_KIND_TEXT || c->kind == DB_KIND_PACKED ||
           to_number(c->kind, text, len, value);
}

static bool bind_value(sqlite3_stmt *put, int i, const struct db_value *value)
{
    switch (value->type) {
    case SQLITE_NULL:
        return sqlite3_bind_null(put, i) == SQLITE_OK;
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(put, i, value->integer) == SQLITE_OK;
    case SQLITE_FLOAT:
        return sqlite3_bind_double(put, i, value->real) == SQLITE_OK;
    default:
        return sqlite3_bind_text(put, i, value->text, (int)value->len,
                                 SQLITE_TRANSIENT) == SQLITE_OK;
    }
}

static void take_value(struct reader *r, const char *text, size_t len)
{
    const struct db_column *c;
    struct db_value value;
    const char *wrong, *word;
    int i;

    if (r->count >= r->columns) {
        fail_at(r, r->field, "the row has more than %d fields", r->columns);
        return;
    }
    c = r->column[r->count];
    word = text ? db_word(r->version, r->table.name, c->name, text) : NULL;
    if (word != text) {
        text = word;
        len = strlen(word);
    }
    if (!to_value(c, text, len, &value))
        wrong = c->kind == DB_KIND_INTEGER ? "not a whole number" : "not a number";
    else
        wrong = db_value_wrong(&r->table, c, &value);
    if (wrong && !text)
        fail_at(r, r->field, "column '%s' has no value", c->name);
    else if (wrong)
        fail_at(r, r->field, "'%.60s' of column '%s' is %s", text, c->name, wrong);
    else if (!bind_value(r->put, r->count + 1, &value))
        r->failed = !db_fail(r->db, "write");
    i = (int)(c - r->table.columns);
    lift_str_clear(&r->texts[i]);
    lift_str_addn(&r->texts[i], text ? text : "", len);
    value.text = value.text ? lift_str_get(&r->texts[i]) : NULL;
    r->values[i] = value;
    r->places[i] = r->field;
}

static void check_row(struct reader *r)
{
    const char *column, *wrong = db_row_wrong(&r->table, r->values, &column);

    for (int i = 0; i < r->table.count && wrong; i++)
        if (!strcmp(r->table.columns[i].name, column))
            fail_at(r, r->places[i], "'%s' of column '%s' is %s", r->values[i].text,
                    column, wrong);
}

static void end_field(void *data, size_t len, void *user)
{
    struct reader *r = user;

    if (!r->rows)
        take_name(r, data);
    else if (r->put)
        take_value(r, data, len);
    else if (r->count == 1 && data)
        r->version = strtoll(data, NULL, 10);
    r->count++;
    r->between = true;
}

static void put_row(struct reader *r)
{
    if (sqlite3_step(r->put) != SQLITE_DONE) {
        int code = sqlite3_extended_errcode(r->db->handle);

        if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
            fail_at(r, r->row, "the row refers to a missing row");
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
        check_row(r);
    if (!r->failed && r->rows && r->put)
        put_row(r);
    r->rows++;
    r->count = 0;
}

/* Checks UTF-8 (base/utf8.h) byte by byte. */
static void check_character(struct reader *r, char byte)
{
    if (!r->character_bytes)
        r->character_at = r->at;
    r->character[r->character_bytes++] = byte;
    if (lift_utf8_char(r->character, r->character + r->character_bytes))
        r->character_bytes = 0;
    else if (r->character_bytes == sizeof r->character || (unsigned char)byte < 0x80)
        fail_at(r, r->character_at,
                "unexpected byte 0x%02x: expected UTF-8 without control characters",
                (unsigned char)r->character[0]);
}

static void take_byte(struct reader *r, char byte)
{
    check_character(r, byte);
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
    if (r->parser.entry_pos > LIFT_DB_TEXT)
        fail_at(r, r->field, "the field is longer than a text may be, 16 MiB");
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
    if (r->character_bytes)
        fail_at(r, r->character_at, "the file ends within a character");
    if (!r->failed && ferror(file))
        r->failed = !db_failf(r->db, "cannot read '%s': %s", r->path, strerror(errno));
    if (!r->failed && csv_fini(&r->parser, end_field, end_row, r))
        fail_at(r, r->field, "a quote is not closed");
    if (!r->failed && !r->rows)
        fail_at(r, r->at, "the file is empty; the names of columns were expected");
}

static bool read_file(struct reader *r)
{
    LIFT_SCOPED(lift_str) why = {0};
    FILE *file = lift_file_open(r->path, LIFT_FILE_CSV, &why);

    if (!file)
        db_failf(r->db, "cannot read '%s': %s", r->path, lift_str_get(&why));
    if (!file)
        return false;
    if (csv_init(&r->parser,
                 CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL))
        LIFT_BUG("out of memory");
    csv_set_blk_size(&r->parser, 1 << 16);
    r->at = r->field = r->row = (struct place){1, 1};
    r->between = true;
    read_bytes(r, file);
    csv_free(&r->parser);
    fclose(file);
    return !r->failed;
}

/* Imports one table. A folder of version 'version' lacks the columns that came later. */
static bool import_table(struct lift_db *db, int index, int64_t version, const char *path)
{
    struct reader r = {.db = db, .path = path, .version = version};
    bool good;

    if (!db_table_describe(db, index, &r.table) ||
        !(r.put = db_table_upsert(db, &r.table, false)))
        return false;
    for (int i = 0; i < r.table.count; i++) {
        const struct db_column *c = &r.table.columns[i];

        if (!db_column_shown(c, false))
            continue;
        if (version < db_column_since(r.table.name, c->name)) {
            sqlite3_bind_int64(r.put, r.columns + 1, 1);
            break;
        }
        r.names[r.columns] = db_former(version, r.table.name, c->name);
        r.column[r.columns++] = c;
    }
    good = read_file(&r);
    for (int i = 0; i < DB_COLUMNS; i++)
        lift_str_fini(&r.texts[i]);
    sqlite3_finalize(r.put);
    return good;
}

enum { OLDEST = 4 }; /* since this version, migrations only append columns to tables */

/* Reads the folder's version; rejects folders that are newer or too old. */
static bool read_about(struct lift_db *db, const char *path, int64_t *version)
{
    struct reader r = {
        .db = db, .path = path, .names = {"name", "value"}, .columns = 2, .version = -1};
    int64_t ours;

    if (!read_file(&r) || !db_number(db, "PRAGMA user_version", &ours))
        return false;
    *version = r.version;
    return (r.version >= OLDEST && r.version <= ours) ||
           db_failf(db, "cannot read '%s': its schema is %lld, this program's %lld", path,
                    (long long)r.version, (long long)ours);
}

static bool import_all(struct lift_db *db, const char *folder)
{
    LIFT_SCOPED(lift_str) path = {0};
    int64_t version = 0;
    bool good =
        read_about(db, db_folder_file(&path, folder, DB_FOLDER_ABOUT), &version) &&
        db_thaw(db);

    for (int i = 0; i < DB_TABLES && good; i++)
        good = version < db_table_since(i) ||
               import_table(db, i, version,
                            db_folder_file(&path, folder,
                                           db_former(version, db_table_names[i], NULL)));
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
    if (!db_number(db, "SELECT count(*) FROM trial", &before) ||
        !import_all(db, folder) || !db_number(db, "SELECT count(*) FROM trial", &after)) {
        lift_db_rollback(db);
        return false;
    }
    gain->trials = after - before;
    gain->rows = sqlite3_total_changes64(db->handle) - rows;
    return lift_db_commit(db);
}
