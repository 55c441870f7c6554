#include "cli/db/cmd_db.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command *const commands[] = {
    &cli_db_merge,   &cli_db_export, &cli_db_import, &cli_db_prune,
    &cli_db_rebuild, &cli_db_doctor, &cli_db_stats,  NULL};

static struct lift_db *open_for(const char *path, enum lift_db_mode mode)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_db *db;

    if (mode != LIFT_DB_INSPECT)
        cli_warn_network(path);
    db = lift_db_open(path, mode, &error);
    if (!db)
        cli_fail(CLI_FAILED, "%s", lift_error_text(&error));
    if (db && mode != LIFT_DB_INSPECT && lift_db_read_only(db)) {
        cli_fail(CLI_FAILED, "database '%s' is of a newer version and cannot be written",
                 path);
        lift_db_close(db);
        return NULL;
    }
    return db;
}

struct lift_db *cli_db_open(const char *path)
{
    return cli_db_open_for(path, LIFT_DB_WRITE);
}

struct lift_db *cli_db_open_for(const char *path, enum lift_db_mode mode)
{
    if (access(path, F_OK) == 0)
        return open_for(path, mode);
    cli_fail(CLI_FAILED, "no database '%s': %s", path, strerror(errno));
    return NULL;
}

struct lift_db *cli_db_create(const char *path, bool *made)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    struct lift_db *db;

    *made = fd >= 0;
    if (*made)
        close(fd);
    db = open_for(path, LIFT_DB_WRITE);
    if (!db && *made)
        cli_db_remove(path);
    return db;
}

void cli_db_close_made(struct lift_db *db, const char *path, bool made, bool filled)
{
    lift_db_close(db);
    if (made && !filled)
        cli_db_remove(path);
}

void cli_db_remove(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        LIFT_SCOPED(lift_str) file = {0};

        lift_str_addf(&file, "%s%s", path, ends[i]);
        unlink(lift_str_get(&file));
    }
}

static void list(FILE *out)
{
    fputs("Usage: lift db COMMAND [OPTION...]\nManage databases of "
          "explorations.\n\ncommands:\n",
          out);
    for (int i = 0; commands[i]; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'lift db COMMAND --help' says more.\n", out);
}

static int run(int argc, char **argv)
{
    static char name[64];
    const struct cli_command *command;

    if (argc > 1 && cli_is_help(argv[1])) {
        list(stdout);
        return CLI_DONE;
    }
    if (argc < 2) {
        list(stderr);
        return CLI_USAGE;
    }
    command = cli_find(commands, argv[1], "db");
    if (!command)
        return CLI_USAGE;
    snprintf(name, sizeof name, "lift db %s", argv[1]);
    argv[1] = name;
    return command->run(argc - 1, argv + 1);
}

const struct cli_command cli_db = {"db", "merge, export, import, prune, check databases",
                                   run, NULL, commands};
