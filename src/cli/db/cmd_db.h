/* The commands of 'lift db'. Each is one file; cmd_db.c has the table. */
#ifndef CLI_DB_CMD_DB_H
#define CLI_DB_CMD_DB_H

#include "cli/cli.h"
#include "tuner/db_tools.h"

extern const struct cli_command cli_db_doctor, cli_db_export, cli_db_import, cli_db_merge,
    cli_db_prune, cli_db_rebuild, cli_db_stats;

/* Opens for writing; NULL after a message. Rejects read-only and missing files. */
struct lift_db *cli_db_open(const char *path);
/* Opens in any mode except LIFT_DB_READ (use cli_open). */
struct lift_db *cli_db_open_for(const char *path, enum lift_db_mode mode);
/* Opens for writing, and creates a missing file; 'made' is then true. A created file
 * that cannot be opened is removed. */
struct lift_db *cli_db_create(const char *path, bool *made);
/* Closes the database. A created database without content is removed. */
void cli_db_close_made(struct lift_db *db, const char *path, bool made, bool filled);

/* Removes the file, and SQLite's files next to it. */
void cli_db_remove(const char *path);

/* Copy bandwidths of a database. The functions print a line for each bandwidth that
 * differs by 10 % or more in another database, or in the same database after a merge.
 * The first function fills the struct, even on failure; the last one releases the
 * struct. bandwidths.c */
struct cli_bandwidths {
    struct cli_bandwidth {
        struct lift_hash device;
        double gbs;
    } * items;
    int count;
};
bool cli_read_bandwidths(struct lift_db *db, struct cli_bandwidths *out);
void cli_compare_bandwidths(const struct cli_bandwidths *known, const char *was,
                            struct lift_db *db, const char *is);
void cli_bandwidths_fini(struct cli_bandwidths *bandwidths);

/* cmd_db_merge.c: merges all of 'source' into 'to', which is the file 'target'.
 * Returns CLI_DONE, or CLI_FAILED after a message. If 'says', lists copy bandwidths
 * that differ. */
int cli_db_merge_file(struct lift_db *to, const char *target, const char *source,
                      bool says, struct lift_db_gain *gain);

#endif
