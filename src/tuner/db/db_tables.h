/* The tables whose rows make up the content of a database, as merging, exporting and
 * importing see them: what the schema says of their columns, and which of two rows of one
 * name stays. */
#ifndef TUNER_DB_DB_TABLES_H
#define TUNER_DB_DB_TABLES_H

#include "tuner/db/db_internal.h"

enum { DB_COLUMNS = 20, DB_TABLES = 18 };

enum db_kind {
    DB_KIND_TEXT,
    DB_KIND_INTEGER,
    DB_KIND_REAL,
    DB_KIND_PACKED, /* a text as lift_pack makes it */
    DB_KIND_LENGTH, /* bytes of the packed text in the next column */
};

struct db_column {
    char name[32];
    enum db_kind kind;
    bool key, optional; /* part of the primary key; may be NULL */
};

struct db_table {
    const char *name;
    const char *prefer; /* see db_tables.c; NULL: nothing */
    struct db_column columns[DB_COLUMNS];
    int count;
};

/* In this order all rows that a row refers to come before it. */
extern const char *const db_table_names[DB_TABLES];
/* The version of the schema that brought a table; folders of older ones lack it. */
int db_table_since(int index);
/* Likewise of a column, one of the last of its table; 1 is what it was before. */
int db_column_since(const char *table, const char *column);

/* What a folder of version 'version' calls a table (no column: NULL) or a column. */
const char *db_former(int64_t version, const char *table, const char *column);
/* The word that is stored for 'word' of such a folder. */
const char *db_word(int64_t version, const char *table, const char *column,
                    const char *word);

/* What the file's schema says of table 'index'. */
bool db_table_describe(struct lift_db *db, int index, struct db_table *out);

/* All rows of which the SQL condition 'where' holds (NULL: any), in the order of their
 * names. 'raw' columns are as they are stored; otherwise packed texts are unpacked, and
 * their lengths left out. NULL if it failed; the caller finalizes. */
sqlite3_stmt *db_table_select(struct lift_db *db, const struct db_table *table, bool raw,
                              const char *where);

/* Puts a row with the columns of db_table_select. Of two rows of one name the better one
 * stays, whichever came first; see db_tables.c. */
sqlite3_stmt *db_table_upsert(struct lift_db *db, const struct db_table *table, bool raw);

/* Puts the rows of a table of which 'where' (NULL: nothing) holds into another database,
 * as a merge does; within a transaction. A source that cannot be read is told as an error
 * of the target. */
bool db_table_copy(struct lift_db *to, struct lift_db *from, int index,
                   const char *where);

/* Whether the column is one of those of db_table_select. */
bool db_column_shown(const struct db_column *column, bool raw);

/* Rows may change what a trial that has ended says only between these two, within a
 * transaction. */
bool db_thaw(struct lift_db *db);
bool db_freeze(struct lift_db *db);

/* A statement of any text; NULL and the error. The caller finalizes. */
sqlite3_stmt *db_prepare(struct lift_db *db, const char *sql);
/* Runs a text without rows. */
bool db_exec(struct lift_db *db, const char *sql, const char *what);
/* A statement without rows with one number. */
bool db_run(struct lift_db *db, const char *sql, int64_t number);
/* The first column of the first row; 0 if there is none. */
bool db_number(struct lift_db *db, const char *sql, int64_t *out);

/* Rows that nothing leads to go: candidates, builds, sources and environments without
 * trials, and expressions without a use. */
bool db_drop_orphans(struct lift_db *db);
/* Returns deleted pages and the log to the file system. */
bool db_compact(struct lift_db *db);

#endif
