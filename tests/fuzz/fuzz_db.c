/* A valid database with changed rows, schema and pages: every command ends with an answer
 * or a message, and a merge takes valid rows only. */
#include "base/bug.h"
#include "fuzz_world.h"
#include "tuner/db/db_tables.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *base;
static size_t base_len;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_make_base();
    base = fuzz_read(fuzz_path("base.db"), &base_len);
    return 0;
}

/* ---- rows */

static struct db_table tables[DB_TABLES];

static void describe_tables(void)
{
    struct lift_error error = {0};
    struct lift_db *db = lift_db_open(":memory:", LIFT_DB_WRITE, &error);

    LIFT_ASSERT(db);
    for (int i = 0; i < DB_TABLES; i++)
        LIFT_ASSERT(db_table_describe(db, i, &tables[i]));
    lift_db_close(db);
}

/* A value of SQL: nothing, a number, a text, bytes, or one that stands elsewhere. */
static void add_value(struct lift_str *sql, struct fuzz_input *in)
{
    static const char *const odd[] = {"-1",
                                      "0",
                                      "1e999",
                                      "-1e999",
                                      "4e-324",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "4294967296",
                                      "''",
                                      "zeroblob(9)",
                                      "char(27) || '[2J'",
                                      "'</script>' || char(34)",
                                      "NULL",
                                      "id",
                                      "child",
                                      "parent"};
    const char *text;
    size_t len;

    switch (fuzz_byte(in) % 4) {
    case 0:
        lift_str_add(sql, odd[fuzz_byte(in) % 16]);
        return;
    case 1:
        lift_str_addf(sql, "%lld", (long long)fuzz_number(in, 8));
        return;
    case 2:
        lift_str_addf(sql, "%d.0e%d", (int)fuzz_byte(in) - 128, (int)fuzz_byte(in) - 128);
        return;
    default:
        text = fuzz_text(in, &len);
        lift_str_add(sql, "CAST(x'");
        for (size_t i = 0; i < len; i++)
            lift_str_addf(sql, "%02x", (unsigned char)text[i]);
        lift_str_add(sql, fuzz_byte(in) % 4 ? "' AS TEXT)" : "' AS BLOB)");
    }
}

/* Of one row, or of all. */
static void add_update(struct lift_str *sql, struct fuzz_input *in)
{
    const struct db_table *t = &tables[fuzz_byte(in) % DB_TABLES];
    const struct db_column *c = &t->columns[fuzz_byte(in) % t->count];
    int row = fuzz_byte(in);

    lift_str_addf(sql, "UPDATE OR IGNORE %s SET %s = ", t->name, c->name);
    add_value(sql, in);
    if (row < 192)
        lift_str_addf(sql, " WHERE %s = (SELECT %s FROM %s LIMIT 1 OFFSET %d)",
                      t->columns[0].name, t->columns[0].name, t->name, row % 32);
    lift_str_add(sql, ";");
}

static void add_delete(struct lift_str *sql, struct fuzz_input *in)
{
    const struct db_table *t = &tables[fuzz_byte(in) % DB_TABLES];

    lift_str_addf(sql, "DELETE FROM %s WHERE %s = (SELECT %s FROM %s LIMIT 1 OFFSET %d);",
                  t->name, t->columns[0].name, t->columns[0].name, t->name,
                  fuzz_byte(in) % 32);
}

static const char *const schemas[] = {
    "DROP VIEW best_kernel",
    "DROP VIEW winner; CREATE VIEW winner AS WITH RECURSIVE c(problem) AS (SELECT 1 UNION"
    " ALL SELECT problem + 1 FROM c) SELECT problem, 1 AS device, 1 AS trial FROM c",
    "CREATE TRIGGER endless AFTER INSERT ON trial BEGIN INSERT INTO trial SELECT * FROM "
    "trial;"
    " END",
    "DROP TABLE timing; CREATE VIEW timing AS SELECT 1 AS trial, 2 AS idx, 3 AS ns",
    "DROP TABLE reach",
    "ALTER TABLE device RENAME COLUMN name TO label",
    "ALTER TABLE device ADD COLUMN more AS (zeroblob(1000000000))",
    "CREATE INDEX more ON deriv(hex(zeroblob(100000)))",
    "DROP INDEX trial_rank",
    "PRAGMA user_version = 3",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 11",
    "PRAGMA user_version = -2147483641",
    "PRAGMA application_id = 0",
    "INSERT OR IGNORE INTO deriv SELECT parent, child, rule, position, args, 1, 0"
    " FROM deriv",
    "PRAGMA journal_mode = wal",
    "INSERT INTO status VALUES ('odd', 'unknown')",
};

static void change_rows(const char *path, struct fuzz_input *in)
{
    struct lift_str sql = {0};
    int count = fuzz_byte(in) % 12;
    sqlite3 *handle;

    lift_str_add(&sql, "PRAGMA foreign_keys = 0; PRAGMA synchronous = 0;"
                       " DROP TRIGGER trial_ended;");
    for (int i = 0; i < count && in->size; i++) {
        uint8_t what = fuzz_byte(in) % 8;

        if (what == 0)
            lift_str_addf(&sql, "%s;",
                          schemas[fuzz_byte(in) % (sizeof schemas / sizeof *schemas)]);
        else if (what == 1)
            add_delete(&sql, in);
        else
            add_update(&sql, in);
    }
    LIFT_ASSERT(sqlite3_open(path, &handle) == SQLITE_OK);
    for (const char *at = lift_str_get(&sql); *at;) { /* one that fails is left out */
        sqlite3_stmt *stmt = NULL;
        const char *rest = at;

        if (sqlite3_prepare_v2(handle, at, -1, &stmt, &rest) == SQLITE_OK)
            sqlite3_step(stmt);
        sqlite3_finalize(stmt);
        if (rest == at)
            break;
        at = rest;
    }
    sqlite3_close(handle);
    lift_str_fini(&sql);
}

/* ---- pages */

static void change_pages(const char *path, struct fuzz_input *in)
{
    int count = fuzz_byte(in) % 8;
    size_t len;
    char *bytes;

    if (!count || !in->size)
        return;
    bytes = fuzz_read(path, &len);
    for (int i = 0; i < count && in->size; i++) {
        size_t at = fuzz_number(in, 2) * 4096 + fuzz_number(in, 2) % 4096, more;
        const char *text = fuzz_text(in, &more);

        for (size_t k = 0; k < more && len; k++)
            bytes[(at + k) % len] = text[k];
    }
    if (fuzz_byte(in) % 8 == 1)
        len = fuzz_number(in, 3) % (len + 1);
    fuzz_write(path, bytes, len);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    const char *path = fuzz_path("x.db");
    uint64_t which = fuzz_number(&in, 2), tools = fuzz_byte(&in);

    if (!tables[0].count)
        describe_tables();
    fuzz_write(path, base, base_len);
    change_rows(path, &in);
    change_pages(path, &in);
    fuzz_commands(path, which);
    if (tools & 1)
        fuzz_merge(path);
    if (tools & 2) {
        fuzz_mend(path);
        fuzz_commands(path, which);
        if (tools & 4)
            fuzz_merge(path);
    }
    fuzz_forget(path);
    return 0;
}
