/* The commands of 'lift db'. Each is one file; cmd_db.c has the table. */
#ifndef CLI_DB_CMD_DB_H
#define CLI_DB_CMD_DB_H

#include "cli/cli.h"
#include "tuner/db_tools.h"

extern const struct cli_command cli_db_doctor, cli_db_export, cli_db_import, cli_db_merge,
    cli_db_prune, cli_db_rebuild, cli_db_stats;

/* Opens for writing; NULL and a message. One that can only be read is none, nor is one
 * that is not there. */
struct lift_db *cli_db_open(const char *path);
/* The same in any mode but LIFT_DB_READ (cli_open). */
struct lift_db *cli_db_open_for(const char *path, enum lift_db_mode mode);
/* The same, but one that is not there is made; then 'made' is true. One that was made and
 * cannot be opened is removed. */
struct lift_db *cli_db_create(const char *path, bool *made);
/* Closes it; one that was made, and that nothing came into, is removed. */
void cli_db_close_made(struct lift_db *db, const char *path, bool made, bool filled);

/* Removes its file, and the files that SQLite adds. */
void cli_db_remove(const char *path);

/* The copy bandwidths that a database has, and a line for each that is 10 % or more away
 * in another one, or in the same after rows came into it. What the first made, even if it
 * fails, is released by the last. bandwidths.c */
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

/* cmd_db_merge.c: puts all of 'source' into 'to', which is the file 'target'; CLI_DONE,
 * or CLI_FAILED after a message. Roofs that differ are told if 'says'. */
int cli_db_merge_file(struct lift_db *to, const char *target, const char *source,
                      bool says, struct lift_db_gain *gain);

#endif
