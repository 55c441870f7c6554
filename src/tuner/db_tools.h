/* What keeps databases (tuner/db.h) in order: putting them together, taking their content
 * out and back in, making them small, and looking after them. 'lift db' is these calls.
 * All but export, statistics and the look of doctor write, and need LIFT_DB_WRITE. */
#ifndef TUNER_DB_TOOLS_H
#define TUNER_DB_TOOLS_H

#include "tuner/db_query.h"

struct lift_db_gain {
    int64_t trials, rows; /* that were not there before; rows: or were not as good */
};

/* Puts all rows of 'from' into 'to', as one transaction. Merging is idempotent, and the
 * order of merges does not matter: the content is the same. */
bool lift_db_merge(struct lift_db *to, struct lift_db *from, struct lift_db_gain *gain);

/* Writes all content into a new or empty folder, one CSV file a table, sorted: databases
 * of the same content give the same bytes. docs/results-and-database.md describes the
 * format. */
bool lift_db_export(struct lift_db *db, const char *folder);
/* The same of a selection: of each problem and device the 'most' best expressions, each
 * with its best numbers, and all that is needed to make these kernels again: derivations,
 * checks, samples, the final benchmark that named the best one. Left out are all other
 * trials, sources and logs (a build keeps the hash of its source), the texts of terms on
 * the way, and on which machine a session ran. */
bool lift_db_export_best(struct lift_db *db, const char *folder, int64_t most);
/* Puts that selection into another database, which then has no sources and logs of its
 * own either. False and an error of 'to'. */
bool lift_db_merge_best(struct lift_db *to, struct lift_db *from, int64_t most);
/* Puts the content of such a folder in, as a merge does. The error of a malformed file
 * begins with its name, line and column; then nothing was put in. */
bool lift_db_import(struct lift_db *db, const char *folder, struct lift_db_gain *gain);

struct lift_db_prune {
    int64_t top;        /* of each problem and device so many trials are kept whole */
    bool keep_failures; /* failed trials stay with their reasons; otherwise they are
                           deleted */
};

struct lift_db_pruned {
    int64_t sources, samples, failures, exprs; /* that went; of exprs: the texts */
    int64_t bytes_before, bytes_after;         /* of the file */
};

/* Samples, sources and logs of trials that are not among the best (or in a final
 * benchmark) go, and the texts of the expressions on the way to them; times, numbers and
 * rules stay. Then the file is made as small as it can be. */
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
    LIFT_DB_REPAIR_ALL, /* ends sessions of other machines, too, which may still run */
};

typedef void lift_db_finding(void *user, enum lift_db_health health, const char *what);
/* Checks the whole file, and repairs it as 'repair' says. Reports a finding for each
 * check. False if an error is left. */
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
/* By program, device and status. */
bool lift_db_status_stats(struct lift_db *db, lift_db_status_row *row, void *user);

#endif
