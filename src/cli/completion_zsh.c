/* Completion for zsh: a function for each command, with its options for _arguments. */
#include "cli/describe.h"
#include <ctype.h>
#include <stdio.h>

/* Prints text inside single quotes, and escapes the special characters of _arguments. */
static void print_text(const char *text, int length)
{
    for (int i = 0; i < length && text[i]; i++) {
        if (text[i] == '\'')
            fputs("'\\''", stdout);
        else if (text[i] == '\n')
            putchar(' ');
        else if (text[i] == '[' || text[i] == ']' || text[i] == ':' || text[i] == '\\')
            printf("\\%c", text[i]);
        else
            putchar(text[i]);
    }
}

/* Length of the first sentence, or part of a sentence, of an option's help. */
static int first_part(const char *doc)
{
    int i = 0;

    for (; doc[i] && doc[i] != ';'; i++)
        if (i && doc[i] == '.' && doc[i - 1] != '.' && (!doc[i + 1] || doc[i + 1] == ' '))
            break;
    return i;
}

static void print_value(const struct argp_option *o)
{
    switch (cli_value_of(o)) {
    case CLI_VALUE_NONE:
        return;
    case CLI_VALUE_FILE:
        printf(":%s:_files", o->arg);
        return;
    case CLI_VALUE_FREE:
        putchar(':');
        print_text(o->arg, INT16_MAX);
        fputs(": ", stdout);
        return;
    case CLI_VALUE_WORDS:
        fputs(":word:(", stdout);
        for (const char *c = o->arg; c && *c; c++)
            putchar(*c == '|' ? ' ' : *c);
        putchar(')');
    }
}

static void print_option(void *user, const struct argp_option *o)
{
    bool letter = isgraph(o->key & 0x7f) && o->key < 0x80;

    (void)user;
    printf(" \\\n        ");
    if (letter && o->name)
        printf("'*'{-%c%s,--%s%s}'", o->key, o->arg ? "+" : "", o->name,
               o->arg ? "=" : "");
    else
        printf("'*%s%s%s", letter ? "-" : "--",
               letter ? (char[]){(char)o->key, '\0'} : o->name, o->arg ? "=" : "");
    putchar('[');
    print_text(o->doc ? o->doc : "", first_part(o->doc ? o->doc : ""));
    putchar(']');
    print_value(o);
    putchar('\'');
}

static void print_word(const char *word, int length)
{
    printf(" %.*s", length, word);
}

/* Prints a function in which the next word selects one of the commands. The functions
 * of the commands begin with 'prefix'. */
static void print_choice(const char *name, const char *prefix,
                         const struct cli_command *const *commands)
{
    printf("%s()\n{\n    local -a commands=(", name);
    for (int i = 0; commands[i]; i++) {
        printf("\n        '%s:", commands[i]->name);
        print_text(commands[i]->summary, INT16_MAX);
        putchar('\'');
    }
    printf(")\n\n    if (( CURRENT == 2 )); then\n        _describe 'command' commands\n"
           "        return\n    fi\n    shift words\n    (( CURRENT-- ))\n"
           "    (( ! $+functions[%s_$words[1]] )) || %s_$words[1]\n}\n",
           prefix, prefix);
}

/* Prints the words that may follow a command in place of options; some of these words
 * have their own options. */
static void print_actions(const struct cli_command *c)
{
    printf("    local -a actions=(");
    cli_each_action(c, print_word);
    puts(" )\n\n    if (( CURRENT == 2 && $#actions )) && [[ $words[2] != -* ]]; then\n"
         "        _describe 'action' actions\n        return\n    fi");
    for (int i = 0; c->parts && c->parts[i]; i++)
        printf("    if [[ $words[2] == %s ]]; then\n        shift words\n"
               "        (( CURRENT-- ))\n        _lift_%s_%s\n        return\n    fi\n",
               c->parts[i]->name, c->name, c->parts[i]->name);
}

static void print_command(const struct cli_command *c, const struct cli_command *of)
{
    char prefix[64];

    if (!c->argp) {
        snprintf(prefix, sizeof prefix, "_lift_%s", c->name);
        print_choice(prefix, prefix, c->parts);
        return;
    }
    printf("_lift%s%s_%s()\n{\n", of ? "_" : "", of ? of->name : "", c->name);
    print_actions(c);
    printf("    _arguments -s");
    cli_each_option(c->argp, print_option, NULL);
    printf(" \\\n        '*:file:_files'\n}\n");
}

void cli_print_zsh(void)
{
    puts("#compdef lift lift-explore\n"
         "# Completion of lift and lift-explore, printed by 'lift completion zsh'.");
    cli_each_command(print_command);
    print_choice("_lift_choose", "_lift", cli_commands);
    puts(
        "_lift()\n{\n    if [[ $service == lift-explore ]]; then\n        _lift_explore\n"
        "    else\n        _lift_choose\n    fi\n}\n"
        "if [[ $funcstack[1] == _lift ]]; then\n    _lift \"$@\"\nelse\n"
        "    compdef _lift lift lift-explore\nfi");
}
