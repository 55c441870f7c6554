/* The commands of 'lift db'. Each is one file; cmd_db.c has the table. */
#ifndef CLI_CMD_DB_H
#define CLI_CMD_DB_H

#include "cli/cli.h"
#include "lift/db_tools.h"

extern const struct cli_command cli_db_doctor, cli_db_export, cli_db_import, cli_db_merge,
    cli_db_prune, cli_db_rebuild, cli_db_stats;

/* Opens for writing; NULL and a message. One that can only be read is none. */
struct lift_db *cli_db_open(const char *path);
/* The same in any mode but LIFT_DB_READ (cli_open). */
struct lift_db *cli_db_open_for(const char *path, enum lift_db_mode mode);
/* Removes a database that was made for what failed. */
void cli_db_forget(const char *path);

#endif
