/* The command line of one command: argp with extensions. */
#include "base/bug.h"
#include "base/guess.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>

enum {
    KEY_USAGE = 1001,
    FIRST_KEY = 4096, /* keys of options without a letter, by their index in the table */
    MOST_OPTIONS = 64
};

/* ---- help, also by -h */

static const struct argp_option help_options[] = {
    {"help", 'h', NULL, 0, "Give this help list", -1},
    {NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, -1},
    {"usage", KEY_USAGE, NULL, 0, "Give a short usage message", -1},
    {0}};

enum { NAMES = 6, DOCS = 29, SLACK = 3 }; /* columns */

/* Descriptions start in an aligned column. argp breaks the line after a long option.
 * If the option ends in that column or in the next three, argp inserts three spaces
 * instead. */
static size_t shifted(const char *line)
{
    if (strcspn(line, "\n") <= DOCS + SLACK || line[strspn(line, " ")] != '-')
        return 0;
    for (size_t end = DOCS; end <= DOCS + SLACK; end++)
        if (line[end - 1] != ' ' && !strncmp(line + end, "   ", 3))
            return end;
    return 0;
}

/* glibc's argp sometimes indents a long option where its description belongs. */
static bool swapped(const char *line)
{
    size_t at;

    if (strcspn(line, "\n") <= NAMES + DOCS || strncmp(line, "  ", 2) != 0)
        return false;
    at = NAMES + strspn(line + NAMES, " ");
    return at == NAMES + DOCS && !strncmp(line + at, "--", 2);
}

static void print_help(struct argp_state *state)
{
    LIFT_FREED char *text = NULL;
    size_t size;
    bool late = false; /* this line should have the indentation of the previous one */
    FILE *out = open_memstream(&text, &size);

    if (!out)
        LIFT_BUG("out of memory");
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    argp_state_help(state, out, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
    fclose(out);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t end = shifted(line);

        printf("%*s", late ? DOCS : 0, "");
        late = swapped(line);
        if (late)
            printf("%.*s", NAMES, line);
        else if (end)
            printf("%.*s\n%*s", (int)end, line, DOCS, "");
        line += late ? NAMES + DOCS : end ? end + SLACK : 0;
        printf("%.*s\n", (int)strcspn(line, "\n"), line);
    }
    exit(CLI_DONE);
}

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case 'h':
    case '?':
        print_help(state);
        return 0;
    case KEY_USAGE:
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp help_argp = {.options = help_options, .parser = parse_help};

/* ---- values */

void cli_add(struct argp_state *state, const char **list, int *count, int most,
             const char *what, const char *word)
{
    if (*count == most)
        argp_error(state, "more than %d %s", most, what);
    list[(*count)++] = word;
}

static void only(struct argp_state *state, const char **member, const char *what,
                 const char *word)
{
    if (*member)
        argp_error(state, "one %s at a time", what);
    *member = word;
}

/* Returns false after a message. */
static bool set_number(const struct cli_option *o, const char *arg, void *member)
{
    const struct cli_setting *s = &o->set;
    int64_t number = 0;
    double *real = member;
    char name[64];

    snprintf(name, sizeof name, "--%s", o->name);
    if (s->kind == CLI_IS_NUMBER)
        return cli_integer(name, arg, s->lo, s->hi, member);
    if (s->kind == CLI_IS_POSITIVE) {
        bool good = cli_positive(name, arg, real);

        *real *= (double)s->lo;
        return good;
    }
    if (!cli_integer(name, arg, s->lo, s->hi, &number))
        return false;
    *(int *)member = (int)number;
    return true;
}

static void set_precision(const struct cli_setting *s, const char *arg,
                          struct argp_state *state)
{
    char *input = state->input;
    enum lift_scalar scalar;

    if (!lift_precision_parse(arg, &scalar))
        argp_error(state, "--precision takes 'single' or 'double', not '%s'", arg);
    *(const char **)(void *)(input + s->member) = arg;
    if (s->lo)
        *(const char **)(void *)(input + s->lo) = lift_scalar_name(scalar);
}

static void set(const struct cli_option *o, char *arg, struct argp_state *state)
{
    const struct cli_setting *s = &o->set;
    char *input = state->input;
    void *member = input + s->member;

    switch (s->kind) {
    case CLI_IS_END:
        break;
    case CLI_IS_WORD:
        *(const char **)member = arg;
        break;
    case CLI_IS_FLAG:
        *(bool *)member = true;
        break;
    case CLI_IS_NUMBER:
    case CLI_IS_INT:
    case CLI_IS_POSITIVE:
        if (!set_number(o, arg, member))
            exit(CLI_USAGE);
        break;
    case CLI_IS_PRECISION:
        set_precision(s, arg, state);
        break;
    case CLI_IS_LIST:
        cli_add(state, member, (int *)(void *)(input + s->lo), (int)s->hi, s->what, arg);
        break;
    case CLI_IS_ONE:
        only(state, member, s->what, arg);
        break;
    case CLI_IS_ALL:
        *(struct cli_words *)member =
            (struct cli_words){state->argv + state->next, state->argc - state->next};
        break;
    case CLI_IS_NEEDED:
        argp_error(state, "%s", s->what);
        break;
    case CLI_IS_CHILD:
        state->child_inputs[0] = member;
        break;
    }
}

static int key_of(const struct cli_option *options, int i)
{
    return options[i].key || !options[i].name ? options[i].key : FIRST_KEY + i;
}

static bool is_last(const struct cli_option *o)
{
    return !o->name && o->set.kind == CLI_IS_END;
}

error_t cli_set(const struct cli_option *options, int key, char *arg,
                struct argp_state *state)
{
    int i = 0;

    while (!is_last(&options[i]) && key_of(options, i) != key)
        i++;
    set(&options[i], arg, state);
    return options[i].set.kind == CLI_IS_END ? ARGP_ERR_UNKNOWN : 0;
}

/* ---- unknown options */

static bool is_end(const struct argp_option *o)
{
    return !o->name && !o->key && !o->doc && !o->group;
}

/* Finds an option by its long name, the beginning of a long name, or its letter.
 * 'guess' receives the names. */
static const struct argp_option *find(const struct argp *argp, const char *name,
                                      size_t len, int letter, struct lift_guess *guess)
{
    const struct argp_option *found = NULL;

    for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
        if (letter ? o->key == letter : o->name && strncmp(o->name, name, len) == 0)
            found = found && !letter && strlen(o->name) != len ? found : o;
        if (o->name && guess)
            lift_guess_add(guess, o->name);
    }
    for (const struct argp_child *c = argp->children; c && c->argp && !found; c++)
        found = find(c->argp, name, len, letter, guess);
    return found;
}

/* True if the word after these letters is an option's value. */
static bool letters_take(const struct argp *argp, const char *letters)
{
    for (; *letters; letters++) {
        const struct argp_option *o = find(argp, "", 0, *letters, NULL);

        if (o && o->arg)
            return !letters[1];
    }
    return false;
}

/* ---- former names of options: accepted by commands that have only the new name */

static const struct {
    const char *former, *name;
} renamed[] = {
    {"tries", "trials"},
    {"no-plain", "no-naive"},
    {"no-final", "no-final-benchmark"},
    {"only-final", "only-final-benchmark"},
    {"winners-every", "sync-every"},
    {"rank-seconds", "rank-timeout"},
    {"points", "draws"},
    {"fixed", "fixed-sizes"},
    {"continue", "resume"},
    {"plan-seconds", "explore-seconds"},
    {"exchange-seconds", "exchange-timeout"},
};

static bool has_option(const struct argp *argp, const char *name)
{
    const struct argp_option *o = find(argp, name, strlen(name), 0, NULL);

    return o && !strcmp(o->name, name);
}

/* Replaces the former name of an option in 'word', "--NAME" or "--NAME=VALUE", and
 * prints the new name once. The new word lasts as long as the process. */
static void rename_option(const struct argp *argp, const char *command, char **word)
{
    static char *words[MOST_OPTIONS];
    static bool said[sizeof renamed / sizeof *renamed];
    static int count;
    size_t len = strcspn(*word, "=");
    LIFT_SCOPED(lift_str) now = {0};

    for (size_t i = 0; i < sizeof renamed / sizeof *renamed && count < MOST_OPTIONS;
         i++) {
        if (strlen(renamed[i].former) + 2 != len ||
            strncmp(*word + 2, renamed[i].former, len - 2) != 0 ||
            has_option(argp, renamed[i].former) || !has_option(argp, renamed[i].name))
            continue;
        if (!said[i])
            fprintf(stderr, "%s: option '--%s' is now called '--%s'\n", command,
                    renamed[i].former, renamed[i].name);
        said[i] = true;
        lift_str_addf(&now, "--%s%s", renamed[i].name, *word + len);
        *word = words[count++] = lift_strdup(lift_str_get(&now));
        return;
    }
}

/* Replaces former names, and returns the first unknown long option, with the guess
 * for its name; NULL: all options are known. */
static const char *unknown_option(const struct argp *argp, int argc, char **argv,
                                  struct lift_guess *guess)
{
    static char word[64];

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool is_long = argv[i][0] == '-' && argv[i][1] == '-';
        const struct argp_option *o;
        const char *name;
        size_t len;

        if (is_long)
            rename_option(argp, argv[0], &argv[i]);
        name = argv[i] + 2;
        len = is_long ? strcspn(name, "=") : 0;
        if (len == 0) {
            i += argv[i][0] == '-' && letters_take(argp, argv[i] + 1);
            continue;
        }
        snprintf(word, sizeof word, "%.*s", (int)len, name);
        *guess = (struct lift_guess){.word = word};
        o = find(argp, name, len, 0, guess);
        if (!o)
            return argv[i];
        i += o->arg && !name[len];
    }
    return NULL;
}

/* Converts a table for argp; NULL: the table has no options. */
static const struct argp_option *list_options(const struct cli_option *from,
                                              struct argp_option out[MOST_OPTIONS])
{
    int count = 0;

    for (int i = 0; from && !is_last(&from[i]); i++) {
        LIFT_ASSERT(count < MOST_OPTIONS - 1);
        if (from[i].name)
            out[count++] =
                (struct argp_option){from[i].name,  key_of(from, i), from[i].arg,
                                     from[i].flags, from[i].doc,     from[i].group};
    }
    out[count] = (struct argp_option){0};
    return count ? out : NULL;
}

static void each_of(const struct argp_option *options, cli_option_visit *visit,
                    void *user)
{
    for (const struct argp_option *o = options; o && !is_end(o); o++)
        if (!(o->flags & OPTION_HIDDEN))
            visit(user, o);
}

void cli_each_option(const struct cli_argp *argp, cli_option_visit *visit, void *user)
{
    struct argp_option options[MOST_OPTIONS];

    for (; argp; argp = argp->child)
        each_of(list_options(argp->options, options), visit, user);
    each_of(help_options, visit, user);
}

/* Tables of the command and of its child: argp's parsers have no argument for tables. */
static const struct cli_option *the_options, *more_options;

static error_t parse_table(int key, char *arg, struct argp_state *state)
{
    return cli_set(the_options, key, arg, state);
}

static error_t parse_more(int key, char *arg, struct argp_state *state)
{
    return cli_set(more_options, key, arg, state);
}

int cli_parse(const struct cli_argp *argp, int argc, char **argv, void *input)
{
    struct argp_option options[2][MOST_OPTIONS];
    const struct cli_argp *more = argp->child;
    struct argp child = {list_options(more ? more->options : NULL, options[1]),
                         parse_more};
    struct argp_child children[3] = {{more ? &child : NULL}};
    struct argp all = {list_options(argp->options, options[0]),
                       argp->parser ? argp->parser : parse_table, argp->args_doc,
                       argp->doc, children};
    struct lift_guess guess;
    const char *unknown;

    the_options = argp->options;
    more_options = more ? more->options : NULL;
    children[more ? 1 : 0] = (struct argp_child){&help_argp, 0, NULL, -1};
    unknown = unknown_option(&all, argc, argv, &guess);
    if (unknown) {
        fprintf(stderr, "%s: no option '%.*s'", argv[0], (int)strcspn(unknown, "="),
                unknown);
        if (guess.name)
            fprintf(stderr, "; did you mean '--%s'?", guess.name);
        fprintf(stderr, "\n'%s --help' lists them\n", argv[0]);
        exit(CLI_USAGE);
    }
    return argp_parse(&all, argc, argv, ARGP_NO_HELP, NULL, input);
}
