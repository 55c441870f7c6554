/* What of a file's schema does not belong to it. */
#ifndef TUNER_DB_DB_FOREIGN_H
#define TUNER_DB_DB_FOREIGN_H

#include "tuner/db/db_internal.h"

/* Of a handle that was just opened. */
bool db_harden(struct lift_db *db);
/* Whether the triggers and views of the file work. */
bool db_run_code(struct lift_db *db, bool may);

/* A trigger, view or index that differs between the file and an empty database of that
 * version. 'ours': it is missing in the file or differs there. Otherwise only the file
 * has it, or the file's version differs from ours. 'sql' creates it. With 'tables',
 * tables count, too; their 'sql' lists their columns. */
typedef void db_difference(void *user, bool ours, const char *type, const char *name,
                           const char *sql);
bool db_compare_schema(struct lift_db *db, int version, bool tables, db_difference *row,
                       void *user);

/* False, with an error that says what to do, if the file has triggers or views that do
 * not belong to its version. A lenient handle has none of them run instead. */
bool db_guard(struct lift_db *db);

#endif
