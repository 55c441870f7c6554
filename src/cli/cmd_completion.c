/* 'lift completion SHELL': completion of command lines, generated from the tables of
 * options. */
#include "cli/describe.h"
#include <ctype.h>
#include <string.h>

enum cli_value cli_value_of(const struct argp_option *option)
{
    static const char *const files[] = {"FILE", "FOLDER", "DIR", NULL};

    if (!option->arg)
        return CLI_VALUE_NONE;
    for (int i = 0; files[i]; i++)
        if (!strcmp(files[i], option->arg))
            return CLI_VALUE_FILE;
    return strchr(option->arg, '|') ? CLI_VALUE_WORDS : CLI_VALUE_FREE;
}

void cli_each_command(cli_command_visit *visit)
{
    for (int i = 0; cli_commands[i]; i++) {
        const struct cli_command *const *parts = cli_commands[i]->parts;

        visit(cli_commands[i], NULL);
        for (int k = 0; parts && parts[k]; k++)
            visit(parts[k], cli_commands[i]);
    }
}

void cli_each_action(const struct cli_command *command, cli_word_visit *visit)
{
    const char *line = command->argp ? command->argp->args_doc : NULL;

    for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (islower((unsigned char)*line))
            visit(line, (int)strcspn(line, " \n"));
}

struct completion_args {
    const char *shell;
};

static const struct cli_option options[] = {
    CLI_ONE(struct completion_args, shell, "shell"),
    CLI_NEEDED("which shell: bash or zsh?"),
    {0}};

static const struct cli_argp argp = {
    options, NULL, "bash\nzsh",
    "Print a script by which a shell completes command lines of lift and "
    "lift-explore.\vFor this session of bash:\n\n  . <(lift completion bash)\n\nFor "
    "zsh, in a folder of $fpath:\n\n  lift completion zsh >FOLDER/_lift"};

static int run(int argc, char **argv)
{
    static const char *const shells[] = {"bash", "zsh", NULL};
    struct completion_args a = {NULL};

    cli_parse(&argp, argc, argv, &a);
    if (!strcmp(a.shell, "bash"))
        cli_print_bash();
    else if (!strcmp(a.shell, "zsh"))
        cli_print_zsh();
    else
        return cli_no_such(a.shell, shells,
                           "no completion for '%s': expected bash or zsh", a.shell);
    return CLI_DONE;
}

const struct cli_command cli_completion = {
    "completion", "print a script by which a shell completes command lines", run, &argp,
    NULL};
