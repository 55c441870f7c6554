/* Finds and repairs differences between a file's schema and lift's. */
#include "tuner/db/db_doctor.h"
#include "tuner/db/db_foreign.h"
#include "tuner/db/db_tables.h"
#include <string.h>

struct differences {
    struct lift_str foreign, missing, tables; /* lists of names for messages */
    struct lift_str drop, make;               /* SQL */
    bool lacking; /* a table of the schema is a view or has other columns */
};

static void add_name(struct lift_str *words, const char *type, const char *name)
{
    lift_str_addf(words, "%s%s '%s'", words->len ? ", " : "", type, name);
}

static void note(void *user, bool ours, const char *type, const char *name,
                 const char *sql)
{
    struct differences *d = user;
    char *drop;

    if (!strcmp(type, "table")) {
        add_name(&d->tables, ours ? "without our table" : "table", name);
        d->lacking |= ours;
        return;
    }
    drop = sqlite3_mprintf("DROP %s IF EXISTS \"%w\";\n", type, name);
    lift_str_add(&d->drop, drop ? drop : "");
    sqlite3_free(drop);
    if (ours) {
        add_name(&d->missing, type, name);
        lift_str_addf(&d->make, "%s;\n", sql);
    } else {
        add_name(&d->foreign, type, name);
    }
}

static bool repair_schema(struct lift_db *db, const struct differences *d)
{
    return lift_db_begin(db) &&
           lift_db_end(db, db_exec(db, lift_str_get(&d->drop), "repair") &&
                               db_exec(db, lift_str_get(&d->make), "repair")) &&
           db_run_code(db, true);
}

static void say(const struct differences *d, struct lift_str *what)
{
    if (d->foreign.len)
        lift_str_addf(what, "not of the schema: %s", lift_str_get(&d->foreign));
    if (d->missing.len)
        lift_str_addf(what, "%smissing or changed: %s", what->len ? "; " : "",
                      lift_str_get(&d->missing));
    if (d->tables.len)
        lift_str_addf(what, "%sother tables or columns: %s", what->len ? "; " : "",
                      lift_str_get(&d->tables));
    if (!what->len)
        lift_str_add(what, "tables, views and triggers match the schema");
}

static enum lift_db_health judge(struct lift_db *db, const struct differences *d,
                                 bool repair)
{
    if (d->drop.len && !(repair && repair_schema(db, d)))
        return LIFT_DB_ERROR;
    if (d->lacking)
        return LIFT_DB_ERROR;
    if (d->drop.len)
        return LIFT_DB_REPAIRED;
    return d->tables.len ? LIFT_DB_NOTE : LIFT_DB_OK;
}

enum lift_db_health db_look_at_schema(struct lift_db *db, bool repair,
                                      struct lift_str *what)
{
    struct differences d = {.drop = {0}};
    enum lift_db_health health = LIFT_DB_ERROR;
    int64_t version;

    if (db->newer) {
        lift_str_add(what, "the schema is newer than this program's");
        return LIFT_DB_NOTE;
    }
    if (db_number(db, "PRAGMA user_version", &version) &&
        db_compare_schema(db, (int)version, true, note, &d)) {
        say(&d, what);
        health = judge(db, &d, repair);
    } else {
        lift_str_add(what, lift_db_error(db));
    }
    lift_str_fini(&d.foreign);
    lift_str_fini(&d.missing);
    lift_str_fini(&d.tables);
    lift_str_fini(&d.drop);
    lift_str_fini(&d.make);
    return health;
}
