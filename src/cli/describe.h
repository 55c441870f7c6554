/* The tables of commands and options, converted for manual pages and for completion
 * in shells. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/cli.h"

/* All commands except hidden ones; ends with NULL. main.c */
extern const struct cli_command *const cli_commands[];

extern const struct cli_command cli_completion, cli_manual, cli_worker;

/* How an option's value is completed. */
enum cli_value { CLI_VALUE_NONE, CLI_VALUE_FILE, CLI_VALUE_WORDS, CLI_VALUE_FREE };
/* WORDS: 'arg' is a list of words, "single|double". */
enum cli_value cli_value_of(const struct argp_option *option);

/* Calls 'visit' with each command and subcommand. 'of' is the parent of a subcommand,
 * otherwise NULL. */
typedef void cli_command_visit(const struct cli_command *command,
                               const struct cli_command *of);
void cli_each_command(cli_command_visit *visit);

/* Calls 'visit' with each fixed word of 'args_doc': "list" and "show" of "list
 * show NAME". */
typedef void cli_word_visit(const char *word, int length);
void cli_each_action(const struct cli_command *command, cli_word_visit *visit);

/* Texts of completion.bash and manual.roff, in their order. */
enum cli_text { CLI_BASH_READER, CLI_MANUAL_BEGIN, CLI_MANUAL_END };
extern const char *const cli_texts[];

void cli_print_bash(void);
void cli_print_zsh(void);

#endif
