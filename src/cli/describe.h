/* What the tables of commands and options say, in the languages of other programs: manual
 * pages, and completion for shells. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/cli.h"

/* All commands but those below; ends with NULL. main.c */
extern const struct cli_command *const cli_commands[];

extern const struct cli_command cli_completion, cli_manual, cli_worker;

/* How an option's value is completed. */
enum cli_value { CLI_VALUE_NONE, CLI_VALUE_FILE, CLI_VALUE_WORDS, CLI_VALUE_FREE };
/* WORDS: its 'arg' is a list of words, "single|double". */
enum cli_value cli_value_of(const struct argp_option *option);

/* Calls 'visit' with each command, and each part of one: 'of' is the command that it is a
 * part of, or NULL. */
typedef void cli_command_visit(const struct cli_command *command,
                               const struct cli_command *of);
void cli_each_command(cli_command_visit *visit);

/* Calls 'visit' with each word that 'args_doc' has in the place of a name: "list", "show"
 * of "list\nshow NAME". */
typedef void cli_word_visit(const char *word, int length);
void cli_each_action(const struct cli_command *command, cli_word_visit *visit);

/* Texts of completion.bash and manual.roff, in their order. */
enum cli_text { CLI_BASH_READER, CLI_MANUAL_BEGIN, CLI_MANUAL_END };
extern const char *const cli_texts[];

void cli_print_bash(void);
void cli_print_zsh(void);

#endif
