/* Detection of foreign objects in a file's schema. */
#ifndef TUNER_DB_DB_FOREIGN_H
#define TUNER_DB_DB_FOREIGN_H

#include "tuner/db/db_internal.h"

/* Call right after opening a handle. */
bool db_harden(struct lift_db *db);
/* Enables or disables the triggers and views of the file. */
bool db_run_code(struct lift_db *db, bool may);

/* A trigger, view or index that differs between the file and an empty database of
 * that version. 'ours': missing or different in the file. Otherwise only the file has
 * the object, or has another version of it. 'sql' creates the object. With 'tables',
 * tables count as well; their 'sql' lists their columns. */
typedef void db_difference(void *user, bool ours, const char *type, const char *name,
                           const char *sql);
bool db_compare_schema(struct lift_db *db, int version, bool tables, db_difference *row,
                       void *user);

/* Checks for triggers and views that do not belong to the file's version. Returns
 * false with an error that names the remedy. A lenient handle disables all triggers
 * and views instead. */
bool db_guard(struct lift_db *db);

#endif
