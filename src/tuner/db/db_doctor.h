/* Parts of the look over a database that have files of their own. */
#ifndef TUNER_DB_DB_DOCTOR_H
#define TUNER_DB_DB_DOCTOR_H

#include "tuner/db/db_internal.h"
#include "tuner/db_tools.h"

/* Whether tables, views and triggers are those of the schema; 'what' says which are not.
 * A repair drops what does not belong and makes what is missing. */
enum lift_db_health db_look_at_schema(struct lift_db *db, bool repair,
                                      struct lift_str *what);

/* db_ailments.c: what may be wrong with the rows. 'count' is how to count it, 'well' and
 * 'ill' what to say of the count, and 'remedy' what mends it (DB_STMTS: nothing but to
 * put another copy of the database in, by a merge). Ends with the count DB_STMTS. */
struct db_ailment {
    enum db_stmt count, remedy;
    const char *well, *ill;
    enum lift_db_health health;
};
extern const struct db_ailment db_ailments[];

#endif
