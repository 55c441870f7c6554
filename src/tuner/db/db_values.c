#include "tuner/db/db_values.h"
#include "base/bug.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/utf8.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum form {
    ANY,
    ID,      /* 32 hexadecimal digits */
    WORD,    /* a name of the language */
    RULE,    /* a name, or NAME(2), NAME(0, 3), NAME(tensor) */
    MACRO,   /* a name, or DECISION=OPTION */
    LINE,    /* a text without line ends */
    OBJECT,  /* a JSON object, or empty */
    OPTIONS, /* DECISION=OPTION,..., or empty */
    MOMENT,  /* 2026-11-20T06:10:32.123Z */
    INT,     /* an integer of C's int, not negative */
    WHOLE,   /* an integer that a double represents exactly, not negative */
    AMOUNT,  /* a finite number, not negative */
    MEASURE, /* a finite number above zero */
    SECONDS, /* an amount up to DB_MOST_SECONDS */
    RATE,    /* an amount up to DB_MOST_RATE */
    ERROR,   /* a number that is not negative, or infinity */
};

/* The first match counts. Without a table, an entry is for all tables. */
static const struct {
    const char *table, *column;
    enum form form;
} forms[] = {
    {NULL, "id", ID},
    {"problem", "program", ID},
    {NULL, "root", ID},
    {NULL, "child", ID},
    {NULL, "parent", ID},
    {NULL, "expr", ID},
    {NULL, "candidate", ID},
    {NULL, "problem", ID},
    {NULL, "device", ID},
    {NULL, "session", ID},
    {NULL, "env", ID},
    {NULL, "build", ID},
    {NULL, "source", ID},
    {NULL, "trial", ID},
    {"program", "name", WORD},
    {NULL, "rule", RULE},
    {NULL, "macro", MACRO},
    {NULL, "sizes", OBJECT},
    {NULL, "params", OBJECT},
    {NULL, "tunables", OBJECT},
    {NULL, "settings", OBJECT},
    /* of decisions, by name */
    {NULL, "options", OPTIONS},
    {NULL, "started", MOMENT},
    {NULL, "launched", MOMENT},
    {NULL, "ended", MOMENT},
    {NULL, "copy_at", MOMENT},
    {NULL, "at", MOMENT},
    {NULL, "text", ANY},
    {NULL, "log", ANY},
    {NULL, "argv", ANY},
    {NULL, "reason", ANY},
    {NULL, "compute_units", INT},
    {NULL, "simd_width", INT},
    {NULL, "max_group_size", INT},
    {NULL, "registers", INT},
    {NULL, "size", INT},
    {NULL, "depth", INT},
    {NULL, "later", INT},
    {NULL, "steps", INT},
    {NULL, "idx", INT},
    {NULL, "batch", INT},
    {NULL, "throttled", INT},
    {NULL, "place", INT},
    {NULL, "tied", INT},
    {NULL, "points", WHOLE},
    {NULL, "max_error", ERROR},
    {NULL, "bound", ERROR},
    {NULL, "median_ns", MEASURE},
    {NULL, "low_ns", MEASURE},
    {NULL, "high_ns", MEASURE},
    {NULL, "compile_s", SECONDS},
    {NULL, "check_s", SECONDS},
    {NULL, "measure_s", SECONDS},
    {NULL, "copy_gbs", RATE},
    {NULL, "cache_gbs", RATE},
};

static enum form form_of(const struct db_table *table, const struct db_column *c)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].column, c->name) &&
            (!forms[i].table || !strcmp(forms[i].table, table->name)))
            return forms[i].form;
    return c->kind == DB_KIND_INTEGER || c->kind == DB_KIND_LENGTH ? WHOLE
           : c->kind == DB_KIND_REAL                               ? AMOUNT
                                                                   : LINE;
}

/* ---- texts */

/* Length of the name, or of the number, at the beginning of a text. */
static size_t word_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_");
}

bool db_is_word(const char *text, size_t len)
{
    return len > 0 && !lift_is_digit(*text) && word_length(text) == len;
}

/* Accepts a rule's name, with or without numbers and words in parentheses. */
static bool is_rule(const char *text, size_t len)
{
    size_t at = word_length(text), part;

    if (at == len || text[at] != '(')
        return db_is_word(text, len);
    if (!db_is_word(text, at))
        return false;
    do {
        at += text[at] == '(' ? 1 : 2;
        part = word_length(text + at);
        at += part;
    } while (part > 0 && text[at] == ',' && text[at + 1] == ' ');
    return part > 0 && text[at] == ')' && at + 1 == len;
}

static bool is_macro(const char *text, size_t len)
{
    const char *equals = memchr(text, '=', len);
    size_t first = equals ? (size_t)(equals - text) : len;

    return equals ? db_is_word(text, first) && db_is_word(equals + 1, len - first - 1)
                  : is_rule(text, len);
}

static bool is_object(const char *text, size_t len)
{
    json_auto_t *json = lift_json_readn(text, len, 0);
    bool object = json_is_object(json);

    return len == 0 || object;
}

static bool is_moment(const char *text, size_t len)
{
    static const char like[] = "0000-00-00T00:00:00.000Z";

    if (len != strlen(like))
        return false;
    for (size_t i = 0; i < len; i++)
        if (like[i] == '0' ? !lift_is_digit(text[i]) : text[i] != like[i])
            return false;
    return true;
}

static const char *text_wrong(enum form form, const char *text, size_t len)
{
    if (len > LIFT_DB_TEXT)
        return "longer than a text may be";
    if (lift_utf8_check(text, len) < len)
        return "not UTF-8 without control characters";
    if (form == ANY)
        return NULL;
    if (strcspn(text, "\t\r\n") < len)
        return "not one line";
    if (form == ID &&
        (len != LIFT_HASH_HEX - 1 || strspn(text, "0123456789abcdef") != len))
        return "not 32 hexadecimal digits";
    if (form == WORD && !db_is_word(text, len))
        return "not a name";
    if (form == RULE && !is_rule(text, len))
        return "not the name of a rule";
    if (form == MACRO && !is_macro(text, len))
        return "not the name of a macro, nor DECISION=OPTION";
    if (form == OBJECT && !is_object(text, len))
        return "not an object of JSON";
    if (form == OPTIONS)
        return db_options_wrong(text, len);
    if (form == MOMENT && !is_moment(text, len))
        return "not a time such as 2026-11-20T06:10:32.123Z";
    return NULL;
}

/* ---- numbers */

static const char *number_wrong(enum form form, const struct db_value *v)
{
    static const double largest[] = {
        [INT] = INT32_MAX,           [WHOLE] = 9007199254740992.0, /* 2^53 */
        [SECONDS] = DB_MOST_SECONDS, [RATE] = DB_MOST_RATE,        [AMOUNT] = INFINITY,
    };
    double x = v->type == SQLITE_INTEGER ? (double)v->integer : v->real;

    switch (form) {
    case INT:
    case WHOLE:
        return v->type != SQLITE_INTEGER ? "not a whole number"
               : x < 0                   ? "negative"
               : x > largest[form]       ? "too large a number"
                                         : NULL;
    case ERROR:
        return x >= 0 ? NULL : "negative";
    case MEASURE:
        return x > 0 && isfinite(x) ? NULL : "not a positive number";
    case SECONDS:
    case RATE:
    case AMOUNT:
        if (!(x >= 0) || !isfinite(x))
            return "not a number from 0 on";
        return x > largest[form] ? "too large a number" : NULL;
    default:
        LIFT_BUG("form %d is none of a number", (int)form);
    }
}

const char *db_value_wrong(const struct db_table *table, const struct db_column *column,
                           const struct db_value *value)
{
    bool number = column->kind == DB_KIND_INTEGER || column->kind == DB_KIND_REAL ||
                  column->kind == DB_KIND_LENGTH;

    if (value->type == SQLITE_NULL)
        return column->optional ? NULL : "nothing, and must be there";
    if (number)
        return value->type == SQLITE_INTEGER || value->type == SQLITE_FLOAT
                   ? number_wrong(form_of(table, column), value)
                   : "not a number";
    return value->type == SQLITE_TEXT
               ? text_wrong(form_of(table, column), value->text, value->len)
               : "not a text";
}

/* ---- rows */

/* The value of a column. In another schema the column may be missing or be no text. */
static struct db_value value_of(const struct db_table *table,
                                const struct db_value *values, const char *column)
{
    struct db_value value = {.text = ""};

    for (int i = 0; i < table->count; i++)
        if (!strcmp(table->columns[i].name, column))
            value = values[i];
    value.text = value.text ? value.text : "";
    return value;
}

/* Hashes some columns: those with '@' before the name are ids, others are texts. */
static struct lift_hash columns_hash(const struct db_table *table,
                                     const struct db_value *values,
                                     const char *const *columns)
{
    struct lift_hash hash = {0}, next;

    for (int i = 0; columns[i]; i++) {
        bool id = *columns[i] == '@';
        struct db_value value = value_of(table, values, columns[i] + id);

        next = id ? (struct lift_hash){0} : lift_hash_text(value.text);
        if (id)
            lift_hash_parse(value.text, &next);
        hash = i ? lift_hash_combine(hash, next) : next;
    }
    return hash;
}

static struct lift_hash device_hash(const struct db_table *t, const struct db_value *v)
{
    return lift_device_hash(&(struct lift_device_info){
        .runtime = value_of(t, v, "runtime").text,
        .vendor = value_of(t, v, "vendor").text,
        .name = value_of(t, v, "name").text,
        .arch = value_of(t, v, "arch").text,
        .compute_units = (int)value_of(t, v, "compute_units").integer,
        .simd_width = (int)value_of(t, v, "simd_width").integer,
        .local_bytes = value_of(t, v, "local_bytes").integer});
}

/* Computes the id of a row that db_write.c names by its content; false for other
 * rows. The text of a source may be pruned. */
static bool content_id(const struct db_table *t, const struct db_value *v,
                       struct lift_hash *id)
{
    static const char *const problem[] = {"@program", "@root", "sizes",
                                          "params",   "dtype", NULL};
    static const char *const candidate[] = {"@expr", "tunables", NULL};
    static const char *const source[] = {"text", NULL};
    bool known = true;

    if (!strcmp(t->name, "device"))
        *id = device_hash(t, v);
    else if (!strcmp(t->name, "problem"))
        *id = columns_hash(t, v, problem);
    else if (!strcmp(t->name, "candidate"))
        *id = columns_hash(t, v, candidate);
    else if (!strcmp(t->name, "source") && *value_of(t, v, "text").text)
        *id = columns_hash(t, v, source);
    else
        known = false;
    return known;
}

const char *db_row_wrong(const struct db_table *table, const struct db_value *values,
                         const char **column)
{
    struct lift_hash id;
    char hex[LIFT_HASH_HEX];

    *column = "id";
    if (content_id(table, values, &id) &&
        strcmp(lift_hash_hex(id, hex), value_of(table, values, "id").text) != 0)
        return "not the hash of its row";
    *column = "parent";
    if (!strcmp(table->name, "deriv") && !strcmp(value_of(table, values, "child").text,
                                                 value_of(table, values, "parent").text))
        return "its own child";
    return NULL;
}

/* Reads the value of a column. '*unpacked' is the unpacked text, which the caller
 * frees. */
static struct db_value read_value(const struct db_table *table, sqlite3_stmt *row, int i,
                                  char **unpacked)
{
    struct db_value value = {.type = sqlite3_column_type(row, i),
                             .integer = sqlite3_column_int64(row, i),
                             .real = sqlite3_column_double(row, i)};

    if (table->columns[i].kind == DB_KIND_PACKED && value.type == SQLITE_BLOB) {
        int64_t bytes = sqlite3_column_int64(row, i - 1);

        value.text = *unpacked =
            db_unpack(sqlite3_column_blob(row, i), sqlite3_column_bytes(row, i), bytes);
        value.len = (size_t)bytes;
        value.type = value.text ? SQLITE_TEXT : SQLITE_BLOB;
    } else if (value.type == SQLITE_TEXT) {
        value.text = (const char *)sqlite3_column_text(row, i);
        value.len = (size_t)sqlite3_column_bytes(row, i);
    }
    return value;
}

bool db_row_right(const struct db_table *table, sqlite3_stmt *row, struct lift_str *why)
{
    LIFT_FREED char *unpacked = NULL; /* a table has at most one packed text */
    struct db_value values[DB_COLUMNS];
    const char *wrong = NULL, *column = NULL;

    for (int i = 0; i < table->count && !wrong; i++) {
        const struct db_column *c = &table->columns[i];

        column = c->name;
        values[i] = read_value(table, row, i, &unpacked);
        wrong = c->kind == DB_KIND_PACKED && values[i].type == SQLITE_BLOB
                    ? "damaged, or longer than a text may be"
                    : db_value_wrong(table, c, &values[i]);
    }
    if (!wrong)
        wrong = db_row_wrong(table, values, &column);
    return !wrong || LIFT_FAIL(why, "a row of table '%s' has a '%s' that is %s",
                               table->name, column, wrong);
}

/* ---- a database */

static bool count_table(struct lift_db *db, int index, int64_t *count,
                        struct lift_str *first)
{
    struct db_table table;
    sqlite3_stmt *rows;
    int more;

    if (!db_table_describe(db, index, &table) ||
        !(rows = db_table_select(db, &table, true, NULL)))
        return false;
    while ((more = db_step(db, rows)) > 0) {
        LIFT_SCOPED(lift_str) why = {0};

        if (!db_row_right(&table, rows, &why) && !(*count)++)
            lift_str_add(first, lift_str_get(&why));
    }
    sqlite3_finalize(rows);
    return more == 0;
}

bool db_count_wrong(struct lift_db *db, int64_t *count, struct lift_str *first)
{
    *count = 0;
    for (int i = 0; i < DB_TABLES; i++)
        if (!count_table(db, i, count, first))
            return false;
    return true;
}
