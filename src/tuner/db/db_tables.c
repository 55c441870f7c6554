/* Of two rows with equal keys, the greater stays. Rows are compared by the
 * expressions of 'prefer' ('@' stands for either row), then by all other columns,
 * with NULL as the least value. So the result depends neither on the order of rows
 * nor on repetition. */
#include "tuner/db/db_tables.h"
#include <string.h>

const char *const db_table_names[DB_TABLES] = {
    "device",        "program",      "expr",    "problem",  "deriv",        "macro_use",
    "configuration", "candidate",    "session", "env",      "source",       "build",
    "trial",         "check_result", "timing",  "finalist", "device_event", "reach",
};

int db_table_since(int index)
{
    return !strcmp(db_table_names[index], "configuration") ? 6 : 1;
}

int db_column_since(const char *table, const char *column)
{
    static const struct {
        const char *table, *column;
        int since;
    } later[] = {{"problem", "steps", 7},
                 {"device", "cache_bytes", 11},
                 {"device", "cache_gbs", 11}};

    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (!strcmp(table, later[i].table) && !strcmp(column, later[i].column))
            return later[i].since;
    return 1;
}

/* Former names, in folders of earlier versions, of tables, columns and words of a
 * column. */
static const struct {
    int until; /* the last version with the former name */
    const char *table, *column, *word, *former; /* no column: a name of the table */
} former[] = {
    {9, "trial", NULL, NULL, "try"},
    {9, "configuration", NULL, NULL, "point"},
    {9, "check_result", "trial", NULL, "try"},
    {9, "timing", "trial", NULL, "try"},
    {9, "finalist", "trial", NULL, "try"},
    {9, "trial", "phase", "final_benchmark", "final"},
    {9, "device_event", "kind", "copy_bandwidth", "roof"},
    {9, "device_event", "kind", "naive", "plain"},
};

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

const char *db_former(int64_t version, const char *table, const char *column)
{
    for (size_t i = 0; i < sizeof former / sizeof former[0]; i++)
        if (version <= former[i].until && !former[i].word &&
            !strcmp(former[i].table, table) && same(former[i].column, column))
            return former[i].former;
    return column ? column : table;
}

const char *db_word(int64_t version, const char *table, const char *column,
                    const char *word)
{
    for (size_t i = 0; i < sizeof former / sizeof former[0]; i++)
        if (version <= former[i].until && former[i].word &&
            !strcmp(former[i].table, table) && same(former[i].column, column) &&
            !strcmp(former[i].former, word))
            return former[i].word;
    return word;
}

/* Preferred rows: the newest copy bandwidth; the shortest derivation; a session that
 * ended by itself; a trial that ended rather than became lost. */
static const struct {
    const char *table, *prefer;
} preferences[] = {
    {"device", "@copy_at IS NOT NULL, ifnull(@copy_at, '')"},
    {"expr", "@bytes"},
    {"deriv", "-@depth, -@later"},
    {"session", "@ended IS NOT NULL, @end_reason IS NOT 'the process died'"},
    {"build", "@log IS NOT NULL"},
    {"source", "@text IS NOT NULL"},
    {"trial", "@status <> 'started', @status <> 'lost'"},
};

static enum db_kind kind_of(const char *type)
{
    if (!*type)
        return DB_KIND_PACKED;
    if (!strcmp(type, "INTEGER"))
        return DB_KIND_INTEGER;
    return strcmp(type, "REAL") ? DB_KIND_TEXT : DB_KIND_REAL;
}

static void read_column(sqlite3_stmt *row, struct db_table *table)
{
    struct db_column *c = &table->columns[table->count++];

    snprintf(c->name, sizeof c->name, "%s", db_text(row, 0));
    c->kind = kind_of(db_text(row, 1));
    c->key = sqlite3_column_int(row, 3) > 0;
    c->optional = !c->key && !sqlite3_column_int(row, 2);
    if (c->kind == DB_KIND_PACKED)
        c[-1].kind = DB_KIND_LENGTH;
}

bool db_table_describe(struct lift_db *db, int index, struct db_table *out)
{
    LIFT_OWNED(sqlite3_stmt) *rows = db_prepare(
        db, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) ORDER BY cid");
    int more = -1;

    *out = (struct db_table){.name = db_table_names[index]};
    for (size_t i = 0; i < sizeof preferences / sizeof preferences[0]; i++)
        if (!strcmp(preferences[i].table, out->name))
            out->prefer = preferences[i].prefer;
    if (rows && sqlite3_bind_text(rows, 1, out->name, -1, SQLITE_STATIC) == SQLITE_OK)
        while ((more = db_step(db, rows)) > 0 && out->count < DB_COLUMNS)
            read_column(rows, out);
    return more == 0;
}

bool db_column_shown(const struct db_column *column, bool raw)
{
    return raw || column->kind != DB_KIND_LENGTH;
}

/* Appends column names, separated by commas: columns of the key, or all others. */
static void add_names(struct lift_str *sql, const struct db_table *table, bool key)
{
    const char *comma = "";

    for (int i = 0; i < table->count; i++) {
        if (key && !table->columns[i].key)
            continue;
        lift_str_addf(sql, "%s%s", comma, table->columns[i].name);
        comma = ", ";
    }
}

static sqlite3_stmt *prepare_and_free(struct lift_db *db, struct lift_str *sql)
{
    sqlite3_stmt *stmt = db_prepare(db, lift_str_get(sql));

    lift_str_fini(sql);
    return stmt;
}

sqlite3_stmt *db_table_select(struct lift_db *db, const struct db_table *table, bool raw,
                              const char *where)
{
    struct lift_str sql = {0};
    const char *comma = "SELECT ";

    for (int i = 0; i < table->count; i++) {
        const struct db_column *c = &table->columns[i];

        if (!db_column_shown(c, raw))
            continue;
        if (c->kind == DB_KIND_PACKED && !raw)
            lift_str_addf(&sql, "%sCAST(sqlar_uncompress(%s, %s) AS TEXT) AS %s", comma,
                          c->name, c[-1].name, c->name);
        else
            lift_str_addf(&sql, "%s%s", comma, c->name);
        comma = ", ";
    }
    lift_str_addf(&sql, " FROM %s%s%s ORDER BY ", table->name, where ? " WHERE " : "",
                  where ? where : "");
    add_names(&sql, table, true);
    return prepare_and_free(db, &sql);
}

static void add_values(struct lift_str *sql, const struct db_table *table, bool raw)
{
    int given = 0;

    for (int i = 0; i < table->count; i++) {
        const struct db_column *c = &table->columns[i];

        lift_str_add(sql, i ? ", " : "");
        if (raw || (c->kind != DB_KIND_LENGTH && c->kind != DB_KIND_PACKED))
            lift_str_addf(sql, "?%d", ++given);
        else if (c->kind == DB_KIND_LENGTH) /* the packed text is the next column */
            lift_str_addf(sql, "ifnull(length(CAST(?%d AS BLOB)), 0)", given + 1);
        else
            lift_str_addf(sql, "lift_pack(?%d)", ++given);
    }
}

/* Appends the values that rank a row; 'row' qualifies its columns. */
static void add_rank(struct lift_str *sql, const struct db_table *table, const char *row)
{
    lift_str_add(sql, "(");
    for (const char *p = table->prefer; p && *p; p++)
        if (*p == '@')
            lift_str_addf(sql, "%s.", row);
        else
            lift_str_addc(sql, *p);
    for (int i = 0, first = !table->prefer; i < table->count; i++) {
        const char *name = table->columns[i].name;

        if (table->columns[i].key)
            continue;
        lift_str_addf(sql, "%s%s.%s IS NOT NULL, ifnull(%s.%s, '')", first ? "" : ", ",
                      row, name, row, name);
        first = 0;
    }
    lift_str_add(sql, ")");
}

sqlite3_stmt *db_table_upsert(struct lift_db *db, const struct db_table *table, bool raw)
{
    struct lift_str sql = {0};
    const char *comma = " DO UPDATE SET ";

    lift_str_addf(&sql, "INSERT INTO %s(", table->name);
    add_names(&sql, table, false);
    lift_str_add(&sql, ") VALUES (");
    add_values(&sql, table, raw);
    lift_str_add(&sql, ") ON CONFLICT(");
    add_names(&sql, table, true);
    lift_str_add(&sql, ")");
    for (int i = 0; i < table->count; i++) {
        const char *name = table->columns[i].name;

        if (table->columns[i].key)
            continue;
        lift_str_addf(&sql, "%s%s = excluded.%s", comma, name, name);
        comma = ", ";
    }
    lift_str_add(&sql, " WHERE ");
    add_rank(&sql, table, "excluded");
    lift_str_add(&sql, " > ");
    add_rank(&sql, table, table->name);
    return prepare_and_free(db, &sql);
}

bool db_thaw(struct lift_db *db)
{
    return db_exec(db, "DROP TRIGGER trial_ended", "write");
}

bool db_freeze(struct lift_db *db)
{
    return db_exec(db, db_sql[DB_TRIAL_ENDED], "write");
}

sqlite3_stmt *db_prepare(struct lift_db *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK) {
        db_fail(db, "query");
        return NULL;
    }
    return stmt;
}

bool db_exec(struct lift_db *db, const char *sql, const char *what)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ||
           db_fail(db, what);
}

bool db_run(struct lift_db *db, const char *sql, int64_t number)
{
    sqlite3_stmt *stmt = db_prepare(db, sql);
    bool good = stmt && sqlite3_bind_int64(stmt, 1, number) == SQLITE_OK &&
                db_step(db, stmt) == 0;

    sqlite3_finalize(stmt);
    return good;
}

bool db_number(struct lift_db *db, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = db_prepare(db, sql);
    int row = stmt ? db_step(db, stmt) : -1;

    *out = row > 0 ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return row >= 0;
}
