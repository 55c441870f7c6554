/* What the values of each column may be, beyond what the schema says: data that others
 * made is held to it when it is imported or merged. */
#ifndef TUNER_DB_DB_VALUES_H
#define TUNER_DB_DB_VALUES_H

#include "tuner/db/db_tables.h"

/* Of a field of a CSV file or of a row; 'type' is one of SQLite's. */
struct db_value {
    int type;
    int64_t integer;
    double real;
    const char *text; /* unpacked, with 'len' bytes */
    size_t len;
};

/* NULL, or what the value is not: words that follow "'...' of column 'x' is ". */
const char *db_value_wrong(const struct db_table *table, const struct db_column *column,
                           const struct db_value *value);

/* The same of a row whose values are right, one for each column of the table: ids that
 * are hashes of the content (docs/database-schema.md), and rewrites of an
 * expression into itself. 'column' is the one that is wrong. */
const char *db_row_wrong(const struct db_table *table, const struct db_value *values,
                         const char **column);

/* Checks of a text: that it is a name; the error in JSON of options of decisions
 * (db_configurations.c). */
bool db_is_word(const char *text, size_t len);
const char *db_options_wrong(const char *text, size_t len);

/* Whether each value of a row of db_table_select, 'raw', may be there, and the row. If
 * not, 'why' says which one may not. */
bool db_row_right(const struct db_table *table, sqlite3_stmt *row, struct lift_str *why);

/* Counts the rows of a database that have a value that may not be there, and says of one
 * which. */
bool db_count_wrong(struct lift_db *db, int64_t *count, struct lift_str *first);
/* Replaces bytes that are no UTF-8, and other invalid values by NULL; deletes rows of
 * results that need such a value. Other rows stay unchanged. */
bool db_repair_values(struct lift_db *db);

#endif
