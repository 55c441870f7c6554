/* Completion for bash: the options and words of each command in one 'case', and a
 * function that reads the command line. */
#include "cli/describe.h"
#include <ctype.h>
#include <stdio.h>

static void print_names(const struct argp_option *o)
{
    if (isgraph(o->key & 0x7f) && o->key < 0x80)
        printf(" -%c", o->key);
    if (o->name)
        printf(" --%s", o->name);
}

static void print_option(void *user, const struct argp_option *o)
{
    (void)user;
    print_names(o);
}

static void print_of_value(void *user, const struct argp_option *o)
{
    if (cli_value_of(o) == *(const enum cli_value *)user)
        print_names(o);
}

/* Prints " --precision:single|double" for each name of the option. */
static void print_choice(void *user, const struct argp_option *o)
{
    (void)user;
    if (cli_value_of(o) != CLI_VALUE_WORDS)
        return;
    if (isgraph(o->key & 0x7f) && o->key < 0x80)
        printf(" -%c:%s", o->key, o->arg);
    if (o->name)
        printf(" --%s:%s", o->name, o->arg);
}

static void print_word(const char *word, int length)
{
    printf(" %.*s", length, word);
}

static void print_command(const struct cli_command *c, const struct cli_command *of)
{
    enum cli_value file = CLI_VALUE_FILE, free_text = CLI_VALUE_FREE;

    printf("    '%s%s%s')\n        options='", of ? of->name : "", of ? " " : "",
           c->name);
    cli_each_option(c->argp, print_option, NULL);
    printf("'\n        files='");
    cli_each_option(c->argp, print_of_value, &file);
    printf(" '\n        others='");
    cli_each_option(c->argp, print_of_value, &free_text);
    printf(" '\n        choices='");
    cli_each_option(c->argp, print_choice, NULL);
    printf(" '\n        words='");
    cli_each_action(c, print_word);
    if (!c->argp)
        for (int i = 0; c->parts[i]; i++)
            printf(" %s", c->parts[i]->name);
    printf("'\n        ;;\n");
}

/* Prints the names of commands with two words. */
static void print_parts(const struct cli_command *c, const struct cli_command *of)
{
    if (of)
        printf(" '%s %s'", of->name, c->name);
}

void cli_print_bash(void)
{
    puts("# Completion of lift and lift-explore for bash, printed by 'lift completion "
         "bash'.");
    printf("_lift_commands='");
    for (int i = 0; cli_commands[i]; i++)
        printf("%s%s", i ? " " : "", cli_commands[i]->name);
    printf("'\n_lift_parts=(");
    cli_each_command(print_parts);
    puts(" )\n_lift_command()\n{\n    case $1 in");
    cli_each_command(print_command);
    puts("    *) return 1 ;;\n    esac\n}");
    fputs(cli_texts[CLI_BASH_READER], stdout);
}
