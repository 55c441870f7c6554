/* Repairs invalid values. */
#include "tuner/db/db_values.h"
#include <string.h>

static bool exec_and_free(struct lift_db *db, struct lift_str *sql)
{
    bool good = db_exec(db, lift_str_get(sql), "repair");

    lift_str_fini(sql);
    return good;
}

static bool mend_text(struct lift_db *db, const struct db_table *table, int i)
{
    const struct db_column *c = &table->columns[i];
    struct lift_str sql = {0};

    if (c->kind == DB_KIND_TEXT && !c->key)
        lift_str_addf(&sql,
                      "UPDATE %s SET %s = lift_text(%s) WHERE lift_text(%s) IS NOT %s",
                      table->name, c->name, c->name, c->name, c->name);
    else if (c->kind == DB_KIND_PACKED)
        lift_str_addf(
            &sql,
            "UPDATE %s SET (%s, %s) = (SELECT length(CAST(t AS BLOB)), lift_pack(t) FROM"
            " (SELECT lift_text(CAST(sqlar_uncompress(%s, %s) AS TEXT)) AS t))"
            " WHERE lift_text(CAST(sqlar_uncompress(%s, %s) AS TEXT))"
            " IS NOT CAST(sqlar_uncompress(%s, %s) AS TEXT)",
            table->name, c[-1].name, c->name, c->name, c[-1].name, c->name, c[-1].name,
            c->name, c[-1].name);
    return exec_and_free(db, &sql);
}

struct mender {
    struct db_table table;
    const struct db_column *column;
};

/* lift_wrong(value): true if the value is invalid in the mender's column. */
static void wrong(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const struct mender *m = sqlite3_user_data(context);
    struct db_value value = {.type = sqlite3_value_type(argv[0]),
                             .integer = sqlite3_value_int64(argv[0]),
                             .real = sqlite3_value_double(argv[0])};

    (void)argc;
    if (value.type == SQLITE_TEXT) {
        value.text = (const char *)sqlite3_value_text(argv[0]);
        value.len = (size_t)sqlite3_value_bytes(argv[0]);
    }
    sqlite3_result_int(context, db_value_wrong(&m->table, m->column, &value) != NULL);
}

/* True for tables to which no other table refers. */
static bool is_result(const char *table)
{
    static const char *const results[] = {"macro_use", "configuration", "check_result",
                                          "timing",    "finalist",      "device_event",
                                          "reach"};

    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (!strcmp(results[i], table))
            return true;
    return false;
}

static bool mend_value(struct lift_db *db, struct mender *m)
{
    const struct db_column *c = m->column;
    struct lift_str sql = {0};

    if (sqlite3_create_function_v2(db->handle, "lift_wrong", 1, SQLITE_UTF8, m, wrong,
                                   NULL, NULL, NULL) != SQLITE_OK)
        return db_fail(db, "repair");
    if (c->kind != DB_KIND_PACKED && c->kind != DB_KIND_LENGTH && c->optional)
        lift_str_addf(&sql, "UPDATE %s SET %s = NULL WHERE lift_wrong(%s)", m->table.name,
                      c->name, c->name);
    else if (is_result(m->table.name))
        lift_str_addf(&sql, "DELETE FROM %s WHERE lift_wrong(%s)", m->table.name,
                      c->name);
    return exec_and_free(db, &sql);
}

static bool mend_table(struct lift_db *db, int index)
{
    struct mender m;

    if (!db_table_describe(db, index, &m.table))
        return false;
    for (int i = 0; i < m.table.count; i++) {
        m.column = &m.table.columns[i];
        if (!mend_text(db, &m.table, i) || !mend_value(db, &m))
            return false;
    }
    return true;
}

static bool mend_all(struct lift_db *db)
{
    bool good = db_thaw(db);

    for (int i = 0; i < DB_TABLES && good; i++)
        good = mend_table(db, i);
    sqlite3_create_function_v2(db->handle, "lift_wrong", 1, SQLITE_UTF8, NULL, NULL, NULL,
                               NULL, NULL);
    return good && db_freeze(db);
}

bool db_repair_values(struct lift_db *db)
{
    return lift_db_begin(db) && lift_db_end(db, mend_all(db));
}
