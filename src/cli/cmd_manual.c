/* 'lift manual [COMMAND [PART]]': prints a manual page, generated from the tables of
 * options. */
#include "cli/describe.h"
#include "lift/version.h"
#include <ctype.h>
#include <string.h>

/* ---- text in the language of man */

/* Prints lines unchanged. An empty line begins a paragraph; an indented line stays
 * indented. */
static void print_text(const char *text, size_t length)
{
    bool begins = true;

    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (c == '\n' && begins)
            puts(".PP");
        else if (c == '-')
            fputs("\\-", stdout);
        else if (c == '\\')
            fputs("\\e", stdout);
        else if (begins && (c == '.' || c == '\''))
            printf("\\&%c", c);
        else
            putchar(c);
        begins = c == '\n';
    }
    if (!begins)
        putchar('\n');
}

static void print_words(const char *text)
{
    print_text(text, strlen(text));
}

static void print_section(const char *title)
{
    printf(".SH %s\n", title);
}

/* ---- a page of a command */

static void print_option(void *user, const struct argp_option *o)
{
    bool letter = isgraph(o->key & 0x7f) && o->key < 0x80;

    (void)user;
    puts(".TP");
    if (letter)
        printf("\\fB\\-%c\\fR%s", o->key, o->name ? ", " : "");
    if (o->name) {
        fputs("\\fB\\-\\-", stdout);
        for (const char *c = o->name; *c; c++)
            printf(*c == '-' ? "\\-" : "%c", *c);
        fputs("\\fR", stdout);
    }
    if (o->arg)
        printf("=\\fI%s\\fR", o->arg);
    putchar('\n');
    print_words(o->doc ? o->doc : "");
}

/* Prints a line for each form of the arguments. */
static void print_synopsis(const char *name, const struct cli_argp *argp)
{
    const char *line = argp && argp->args_doc ? argp->args_doc : "";

    do {
        size_t length = strcspn(line, "\n");

        printf(".B %s\n[\\fIOPTION\\fR...] ", name);
        print_text(line, length);
        if (!length)
            putchar('\n');
        line += length + (line[length] == '\n');
        if (*line)
            puts(".br");
    } while (*line);
}

static void print_head(const char *title, const char *summary)
{
    char upper[64];
    int i = 0;

    for (; title[i]; i++)
        upper[i] = (char)toupper((unsigned char)title[i]);
    upper[i] = '\0';
    printf(".\\\" Printed by 'lift manual'.\n.TH %s 1 \"\" \"lift %s\" \"lift\"\n", upper,
           lift_version());
    print_section("NAME");
    printf("%s \\- ", title);
    print_words(summary);
    print_section("SYNOPSIS");
}

static void print_parts(const char *of, const struct cli_command *const *parts)
{
    print_section("COMMANDS");
    for (int i = 0; parts[i]; i++) {
        printf(".TP\n\\fB%s\\-%s\\fR(1)\n", of, parts[i]->name);
        print_words(parts[i]->summary);
    }
}

static void print_status(void)
{
    print_section("EXIT STATUS");
    puts("0 if all is done, 1 if the work failed, 2 if the command line or a file of the "
         "user is wrong.");
}

static void print_page(const struct cli_command *c, const struct cli_command *of)
{
    const char *doc = c->argp ? c->argp->doc : NULL;
    const char *more = doc ? strchr(doc, '\v') : NULL;
    char page[64], name[64];

    snprintf(page, sizeof page, "lift-%s%s%s", of ? of->name : "", of ? "-" : "",
             c->name);
    snprintf(name, sizeof name, "lift %s%s%s", of ? of->name : "", of ? " " : "",
             c->name);
    print_head(page, c->summary);
    print_synopsis(name, c->argp);
    if (doc) {
        print_section("DESCRIPTION");
        print_text(doc, more ? (size_t)(more - doc) : strlen(doc));
        if (more) {
            puts(".PP");
            print_words(more + 1);
        }
    }
    if (c->parts)
        print_parts(page, c->parts);
    if (c->argp) {
        print_section("OPTIONS");
        cli_each_option(c->argp, print_option, NULL);
    }
    print_status();
    print_section("SEE ALSO");
    puts("\\fBlift\\fR(1)");
}

/* ---- the command */

struct manual_args {
    const char *names[2];
    int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct manual_args *a = state->input;

    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (a->count == 2)
        argp_error(state, "one page at a time");
    a->names[a->count++] = arg;
    return 0;
}

static const struct cli_argp argp = {NULL, parse, "[COMMAND [PART]]",
                                     "Print a manual page in roff, for man."};

static int run(int argc, char **argv)
{
    struct manual_args a = {.count = 0};
    const struct cli_command *command, *part = NULL;

    cli_parse(&argp, argc, argv, &a);
    if (!a.count) {
        print_head("lift", "make fast stencil kernels by rewriting and exploration");
        fputs(cli_texts[CLI_MANUAL_BEGIN], stdout);
        print_parts("lift", cli_commands);
        fputs(cli_texts[CLI_MANUAL_END], stdout);
        print_status();
        return CLI_DONE;
    }
    command = cli_find(cli_commands, a.names[0], "");
    if (!command)
        return CLI_USAGE;
    if (a.count == 2 && !command->parts)
        return cli_fail(CLI_USAGE, "'%s' has no parts", a.names[0]);
    if (a.count == 2 && !(part = cli_find(command->parts, a.names[1], a.names[0])))
        return CLI_USAGE;
    if (part)
        print_page(part, command);
    else
        print_page(command, NULL);
    return CLI_DONE;
}

const struct cli_command cli_manual = {"manual", "print a manual page", run, &argp, NULL};
