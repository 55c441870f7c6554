/* Limits the cost of opening a file that other programs wrote. */
#include "base/file.h"
#include "tuner/db/db_internal.h"

/* Rejects special files: opening a pipe in place of a log would block. */
bool db_limit_path(struct lift_db *db)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    bool good = true;

    for (size_t i = 0; i < sizeof beside / sizeof *beside && good; i++) {
        LIFT_SCOPED(lift_str) path = {0}, why = {0};

        lift_str_addf(&path, "%s%s", db->path, beside[i]);
        good =
            lift_file_ends(lift_str_get(&path), &why) ||
            db_failf(db, "cannot open '%s': %s", lift_str_get(&path), lift_str_get(&why));
    }
    return good;
}

void db_limit_rows(struct lift_db *db)
{
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, LIFT_DB_TEXT + (1 << 20));
}
