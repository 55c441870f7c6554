/* Valid values of each column, beyond the schema's constraints. Imports and merges
 * check data of other programs with these functions. */
#ifndef TUNER_DB_DB_VALUES_H
#define TUNER_DB_DB_VALUES_H

#include "tuner/db/db_tables.h"

/* The value of a CSV field or of a column of a row; 'type' is one of SQLite's types. */
struct db_value {
    int type;
    int64_t integer;
    double real;
    const char *text; /* unpacked, with 'len' bytes */
    size_t len;
};

/* Returns NULL, or the expected form for an invalid value: the end of a message that
 * begins "'...' of column 'x' is ". */
const char *db_value_wrong(const struct db_table *table, const struct db_column *column,
                           const struct db_value *value);

/* Checks a row of valid values, one for each column of the table. Ids must be hashes
 * of the content (docs/database-schema.md), and no rewrite may lead from an
 * expression to itself. 'column' is set to the invalid column. */
const char *db_row_wrong(const struct db_table *table, const struct db_value *values,
                         const char **column);

/* Checks of a text: a valid name; errors in JSON of options of decisions
 * (db_configurations.c). */
bool db_is_word(const char *text, size_t len);
const char *db_options_wrong(const char *text, size_t len);

/* Checks a row of db_table_select, 'raw', and each of its values. On failure, 'why'
 * names the invalid value. */
bool db_row_right(const struct db_table *table, sqlite3_stmt *row, struct lift_str *why);

/* Counts the rows of a database that have an invalid value, and describes the first. */
bool db_count_wrong(struct lift_db *db, int64_t *count, struct lift_str *first);
/* Replaces invalid UTF-8, and replaces other invalid values by NULL. Deletes rows of
 * results that require such a value. Other rows stay unchanged. */
bool db_repair_values(struct lift_db *db);

#endif
