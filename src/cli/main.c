#include "base/locale.h"
#include "cli/describe.h"
#include "lift/version.h"
#include "tuner/worker.h"
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* To add a command, add one file and one line here. */
const struct cli_command *const cli_commands[] = {
    &cli_explore, &cli_devices, &cli_best, &cli_run,   &cli_show,
    &cli_report,  &cli_check,   &cli_fmt,  &cli_split, &cli_rules,
    &cli_derive,  &cli_db,      NULL};

/* Hidden commands: for building and installing lift, and for its library. */
static const struct cli_command *const hidden[] = {&cli_completion, &cli_manual,
                                                   &cli_worker, NULL};

static const struct cli_command *find_command(const char *name)
{
    for (int i = 0; hidden[i]; i++)
        if (!strcmp(hidden[i]->name, name))
            return hidden[i];
    return cli_find(cli_commands, name, "");
}

static void list(FILE *out)
{
    fputs("usage: lift COMMAND [OPTION...]\n\ncommands:\n", out);
    for (int i = 0; cli_commands[i]; i++)
        fprintf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fputs("\n'lift help COMMAND' says more; 'lift-explore' is 'lift explore'.\n", out);
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    static char name[64];

    snprintf(name, sizeof name, "lift %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

/* Prints the help of a command, or of a subcommand: "db", "merge". */
static int help(const char *name, char *part)
{
    const struct cli_command *command;
    char self[] = "lift", option[] = "--help";
    char *argv[] = {self, part ? part : option, part ? option : NULL, NULL};

    if (!name) {
        list(stdout);
        return CLI_DONE;
    }
    command = find_command(name);
    return command ? run(command, part ? 3 : 2, argv) : CLI_USAGE;
}

/* Runs at the end of any command, also after argp's exit: a command whose output is
 * lost has failed. A process without a standard output succeeds unless the command
 * prints. */
static void check_stdout(void)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    failed |= fflush(stdout) != 0;
    if (!failed && close(STDOUT_FILENO) && errno != EBADF)
        failed = true;
    if (failed)
        _exit(cli_lost_output(errno));
}

int main(int argc, char **argv)
{
    LIFT_IN_C_LOCALE; /* drivers may call setlocale */
    const struct cli_command *command;

    lift_worker_self = "/proc/self/exe";
    argp_err_exit_status = CLI_USAGE;
    atexit(check_stdout);
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit becomes a write error */
    if (argc > 0 && !strcmp(basename(argv[0]), "lift-explore"))
        return run(&cli_explore, argc, argv);
    if (argc < 2) {
        list(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("lift %s\n", lift_version());
        return CLI_DONE;
    }
    if (!strcmp(argv[1], "help") || cli_is_help(argv[1]))
        return help(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    command = find_command(argv[1]);
    return command ? run(command, argc - 1, argv + 1) : CLI_USAGE;
}
