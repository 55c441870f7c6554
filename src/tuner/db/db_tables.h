/* The tables that make up the content of a database, for merges, exports and imports.
 * The schema defines their columns. A preference decides which of two rows with equal
 * keys stays. */
#ifndef TUNER_DB_DB_TABLES_H
#define TUNER_DB_DB_TABLES_H

#include "tuner/db/db_internal.h"

enum { DB_COLUMNS = 20, DB_TABLES = 18 };

enum db_kind {
    DB_KIND_TEXT,
    DB_KIND_INTEGER,
    DB_KIND_REAL,
    DB_KIND_PACKED, /* a text packed by lift_pack */
    DB_KIND_LENGTH, /* bytes of the packed text in the next column */
};

struct db_column {
    char name[32];
    enum db_kind kind;
    bool key, optional; /* part of the primary key; may be NULL */
};

struct db_table {
    const char *name;
    const char *prefer; /* see db_tables.c; NULL: no preference */
    struct db_column columns[DB_COLUMNS];
    int count;
};

/* Referenced tables come before the tables that refer to them. */
extern const char *const db_table_names[DB_TABLES];
/* The version of the schema that added a table; folders of older versions lack the
 * table. */
int db_table_since(int index);
/* The version that added a column, one of the last of its table; 1: original. */
int db_column_since(const char *table, const char *column);

/* The name of a table (column NULL) or column in a folder of version 'version'. */
const char *db_former(int64_t version, const char *table, const char *column);
/* The current word for 'word' of such a folder. */
const char *db_word(int64_t version, const char *table, const char *column,
                    const char *word);

/* Reads the columns of table 'index' from the file's schema. */
bool db_table_describe(struct lift_db *db, int index, struct db_table *out);

/* Selects all rows that satisfy the SQL condition 'where' (NULL: all), in the order
 * of their keys. 'raw' columns are as stored; otherwise packed texts are unpacked,
 * and their lengths omitted. Returns NULL after an error; the caller finalizes. */
sqlite3_stmt *db_table_select(struct lift_db *db, const struct db_table *table, bool raw,
                              const char *where);

/* Inserts a row with the columns of db_table_select. Of two rows with equal keys, the
 * better one stays in any order; see db_tables.c. */
sqlite3_stmt *db_table_upsert(struct lift_db *db, const struct db_table *table, bool raw);

/* Merges the rows that satisfy 'where' (NULL: none) into another database, within a
 * transaction. If the source cannot be read, the target has the error. */
bool db_table_copy(struct lift_db *to, struct lift_db *from, int index,
                   const char *where);

/* True if db_table_select has the column. */
bool db_column_shown(const struct db_column *column, bool raw);

/* Between these two calls, within a transaction, rows may change trials that have
 * ended. */
bool db_thaw(struct lift_db *db);
bool db_freeze(struct lift_db *db);

/* Prepares a statement from text; NULL and the error. The caller finalizes. */
sqlite3_stmt *db_prepare(struct lift_db *db, const char *sql);
/* Runs SQL text without rows. */
bool db_exec(struct lift_db *db, const char *sql, const char *what);
/* Runs a statement without rows that has one number as its parameter. */
bool db_run(struct lift_db *db, const char *sql, int64_t number);
/* Reads the first column of the first row; 0 if there is no row. */
bool db_number(struct lift_db *db, const char *sql, int64_t *out);

/* Deletes unreferenced rows: candidates, builds, sources and environments without
 * trials, and unused expressions. */
bool db_drop_orphans(struct lift_db *db);
/* Returns deleted pages and the log to the file system. */
bool db_compact(struct lift_db *db);

#endif
