/* Maintenance of databases (tuner/db.h): merge, export, import, prune and repair.
 * 'lift db' calls these functions. All but export, statistics and checks write, and
 * need LIFT_DB_WRITE. */
#ifndef TUNER_DB_TOOLS_H
#define TUNER_DB_TOOLS_H

#include "tuner/db_query.h"

struct lift_db_gain {
    int64_t trials, rows; /* new trials; rows that were new or replaced worse ones */
};

/* Merges all rows of 'from' into 'to' in one transaction. Merging is idempotent, and
 * the content does not depend on the order of merges. */
bool lift_db_merge(struct lift_db *to, struct lift_db *from, struct lift_db_gain *gain);

/* Writes all content into a new or empty folder, one sorted CSV file a table.
 * Databases with equal content give equal bytes. docs/results-and-database.md
 * describes the format. */
bool lift_db_export(struct lift_db *db, const char *folder);
/* Exports a selection: of each problem and device, the 'most' best expressions, each
 * with its best numbers. The export has all rows needed to make these kernels again:
 * derivations, checks, samples, and the final benchmark that named the best. The
 * export omits all other trials, sources and logs, the texts of intermediate terms,
 * and the machine of a session. A build keeps the hash of its source. */
bool lift_db_export_best(struct lift_db *db, const char *folder, int64_t most);
/* Merges that selection into another database, which then has no sources and logs of
 * the selection either. Returns false and an error of 'to'. */
bool lift_db_merge_best(struct lift_db *to, struct lift_db *from, int64_t most);
/* Merges the content of an exported folder. The error of a malformed file begins with
 * its name, line and column; the database is then unchanged. */
bool lift_db_import(struct lift_db *db, const char *folder, struct lift_db_gain *gain);

struct lift_db_prune {
    int64_t top; /* number of trials of each problem and device that stay complete */
    bool keep_failures; /* failed trials stay with their reasons; otherwise the function
                           deletes them */
};

struct lift_db_pruned {
    int64_t sources, samples, failures, exprs; /* deleted rows; of exprs: deleted texts */
    int64_t bytes_before, bytes_after;         /* size of the file */
};

/* Deletes samples, sources and logs of trials that are neither among the best nor in
 * a final benchmark, and texts of their intermediate expressions. Times, numbers and
 * rules stay. Then compacts the file. */
bool lift_db_prune(struct lift_db *db, const struct lift_db_prune *what,
                   struct lift_db_pruned *out);

enum lift_db_health {
    LIFT_DB_OK,       /* no error */
    LIFT_DB_NOTE,     /* unusual, but harmless */
    LIFT_DB_ERROR,    /* not repaired */
    LIFT_DB_REPAIRED, /* an error that was repaired */
};

enum lift_db_repair {
    LIFT_DB_LOOK,
    LIFT_DB_REPAIR,
    LIFT_DB_REPAIR_ALL, /* also ends sessions of other machines, which may still run */
};

typedef void lift_db_finding(void *user, enum lift_db_health health, const char *what);
/* Checks the whole file and repairs it according to 'repair'. Reports a finding for
 * each check. Returns false if an error remains. */
bool lift_db_doctor(struct lift_db *db, enum lift_db_repair repair,
                    lift_db_finding *finding, void *user);

struct lift_db_table_stats {
    const char *table;
    int64_t rows, bytes; /* of the table and its indexes; -1: unknown */
};

typedef bool lift_db_table_row(void *user, const struct lift_db_table_stats *row);
bool lift_db_table_stats(struct lift_db *db, lift_db_table_row *row, void *user);

struct lift_db_status_stats {
    const char *program, *device, *status;
    int64_t trials;
};

typedef bool lift_db_status_row(void *user, const struct lift_db_status_stats *row);
/* Rows are in the order of program, device and status. */
bool lift_db_status_stats(struct lift_db *db, lift_db_status_row *row, void *user);

#endif
