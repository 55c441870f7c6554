/* Checks of 'lift db doctor' that are in separate files. */
#ifndef TUNER_DB_DB_DOCTOR_H
#define TUNER_DB_DB_DOCTOR_H

#include "tuner/db/db_internal.h"
#include "tuner/db_tools.h"

/* Checks that tables, views and triggers are those of the schema; 'what' lists the
 * differences. A repair drops foreign objects and creates missing ones. */
enum lift_db_health db_look_at_schema(struct lift_db *db, bool repair,
                                      struct lift_str *what);

/* db_row_errors.c: errors that rows may have. 'count' counts the rows with the error.
 * 'ok' is the message for zero rows, 'error' the message after the number. 'remedy'
 * repairs the rows (DB_STMTS: only a merge with another copy of the database repairs
 * them). The list ends with the count DB_STMTS. */
struct db_row_error {
    enum db_stmt count, remedy;
    const char *ok, *error;
    enum lift_db_health health;
};
extern const struct db_row_error db_row_errors[];

#endif
