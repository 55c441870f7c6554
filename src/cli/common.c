#include "base/file.h"
#include "base/guess.h"
#include "base/locale.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "ir/sizes.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char cli_default_db[] = "lift.db";

int cli_fail(int status, const char *format, ...)
{
    LIFT_SCOPED(lift_str) text = {0}, shown = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    lift_utf8_add(&shown, lift_str_get(&text), text.len);
    fprintf(stderr, "lift: %s\n", lift_str_get(&shown));
    return status;
}

int cli_no_such(const char *word, const char *const *names, const char *format, ...)
{
    struct lift_guess guess = {.word = word};
    LIFT_SCOPED(lift_str) text = {0};
    va_list args;

    for (; *names; names++)
        lift_guess_add(&guess, *names);
    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    lift_guess_print(&guess, &text);
    cli_fail(CLI_USAGE, "%s", lift_str_get(&text));
    return CLI_USAGE;
}

int cli_malformed(struct lift_error *errors)
{
    lift_error_print(errors, stderr);
    lift_error_fini(errors);
    return CLI_USAGE;
}

bool cli_write(const char *path, const char *text, size_t len)
{
    LIFT_SCOPED(lift_str) why = {0};

    if (strcmp(path, "-") != 0)
        return lift_file_write(path, text, len, false, &why) ||
               CLI_REFUSE("cannot write '%s': %s", path, lift_str_get(&why));
    return (fwrite(text, 1, len, stdout) == len && !fflush(stdout)) ||
           (cli_lost_output(errno), false);
}

int cli_lost_output(int error)
{
    static bool said;

    if (!said)
        cli_fail(CLI_FAILED, "cannot write the standard output%s%s", error ? ": " : "",
                 error ? strerror(error) : "");
    said = true;
    return CLI_FAILED;
}

bool cli_integer(const char *what, const char *text, int64_t lo, int64_t hi, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(text, &end, 10);
    return (!errno && end != text && !*end && *out >= lo && *out <= hi) ||
           CLI_REFUSE("%s '%s' is not a whole number from %lld to %lld", what, text,
                      (long long)lo, (long long)hi);
}

bool cli_positive(const char *what, const char *text, double *out)
{
    char *end;

    errno = 0;
    *out = lift_strtod(text, &end);
    return (!errno && end != text && !*end && isfinite(*out) && *out > 0) ||
           CLI_REFUSE("%s '%s' is not a positive number", what, text);
}

struct lift_db *cli_open(const char *path)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_db *db = lift_db_open(path ? path : cli_default_db, LIFT_DB_READ, &error);

    if (!db)
        cli_fail(CLI_FAILED, "%s", lift_error_text(&error));
    else if (lift_db_newer(db))
        cli_fail(CLI_DONE,
                 "warning: '%s' has schema %d, which is newer than this program: the "
                 "database is opened read-only",
                 path ? path : cli_default_db, lift_db_newer(db));
    return db;
}

void cli_warn_network(const char *path)
{
    const char *network = lift_db_network(path);

    if (network)
        cli_fail(CLI_DONE,
                 "warning: '%s' is on a network file system (%s): writing is slow there, "
                 "and only one machine at a time should write",
                 path, network);
}

bool cli_source(const char *path, const char *precision, int64_t steps,
                struct lift_source *out, struct lift_error *errors)
{
    enum lift_scalar scalar;

    if (!lift_source_load(path, out, errors))
        return false;
    if (precision && !lift_precision_parse(precision, &scalar)) {
        lift_fail_at(errors, NULL, (struct lift_span){0, 0},
                     "--precision '%s': expected single or double", precision);
        return false;
    }
    return (!precision || lift_source_precision(out, scalar, errors)) &&
           (!steps || lift_source_steps(out, (int)steps, errors));
}

void cli_add_subject(struct lift_str *out, const struct cli_subject *s)
{
    lift_str_addf(out, "%s %s", s->program, s->sizes);
    if (*s->dtype)
        lift_str_addf(out, " of %s", s->dtype);
    if (s->steps > 1)
        lift_str_addf(out, ", %d steps a launch,", s->steps);
    lift_str_addf(out, " on %s", s->device);
    if (s->runtime)
        lift_str_addf(out, " (%s)", s->runtime);
}

void cli_print_subject(const struct cli_subject *s)
{
    LIFT_SCOPED(lift_str) text = {0};

    cli_add_subject(&text, s);
    fputs(lift_str_get(&text), stdout);
}

bool cli_sizes(struct lift_arena *arena, const char *text,
               const struct lift_size_setting **sizes, int *count)
{
    struct lift_error errors = {0};

    *sizes = NULL;
    *count = 0;
    if (!text || lift_sizes_parse(arena, text, sizes, count, &errors))
        return true;
    cli_malformed(&errors);
    return false;
}

/* ---- the terminal */

int cli_columns(void)
{
    const char *set = getenv("COLUMNS");
    struct winsize size;
    int n;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
    n = set ? atoi(set) : 0;
    return n > 1 ? n : 80;
}

/* ---- commands */

const struct cli_command *cli_find(const struct cli_command *const *commands,
                                   const char *name, const char *of)
{
    struct lift_guess guess = {.word = name};
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; commands[i]; i++) {
        if (!strcmp(commands[i]->name, name))
            return commands[i];
        lift_guess_add(&guess, commands[i]->name);
    }
    lift_str_addf(&text, "no command '%s%s%s'", of, *of ? " " : "", name);
    lift_guess_print(&guess, &text);
    cli_fail(CLI_USAGE, "%s\n'lift help%s%s' lists them", lift_str_get(&text),
             *of ? " " : "", of);
    return NULL;
}

bool cli_is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "-?");
}

/* ---- JSON */

double cli_number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

const char *cli_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

json_t *cli_string(const char *text)
{
    LIFT_SCOPED(lift_str) utf8 = {0};

    if (!text)
        return json_null();
    lift_utf8_add(&utf8, text, strlen(text));
    return json_string(lift_str_get(&utf8));
}

void cli_print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(json);
}
