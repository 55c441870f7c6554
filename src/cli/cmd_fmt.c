#include "base/file.h"
#include "cli/cli.h"
#include "lift/parse.h"
#include <string.h>

struct fmt_args {
    bool in_place, check;
    struct cli_words files;
};

static const struct cli_option options[] = {
    {"in-place", 'i', NULL, 0, "Rewrite the files", CLI_FLAG(struct fmt_args, in_place)},
    {"check", 'c', NULL, 0, "Change no file; exit with status 1 if a file would change",
     CLI_FLAG(struct fmt_args, check)},
    CLI_ALL(struct fmt_args, files),
    CLI_NEEDED("which files?"),
    {0}};

static int replace(const char *path, const struct lift_str *text)
{
    LIFT_SCOPED(lift_str) why = {0};

    return lift_file_write(path, lift_str_get(text), text->len, true, &why)
               ? CLI_DONE
               : cli_fail(CLI_FAILED, "cannot write '%s': %s", path, lift_str_get(&why));
}

static int finish(const struct fmt_args *a, const char *path,
                  const struct lift_source *source, const struct lift_str *text)
{
    bool same = source->len == text->len &&
                memcmp(source->text, lift_str_get(text), text->len) == 0;

    if (a->check) {
        if (!same)
            printf("%s\n", path);
        return same ? CLI_DONE : CLI_FAILED;
    }
    if (a->in_place)
        return same ? CLI_DONE : replace(path, text);
    fputs(lift_str_get(text), stdout);
    return CLI_DONE;
}

static int format(const struct fmt_args *a, const char *path)
{
    struct lift_source source;
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_SCOPED(lift_str) text = {0};
    int status;

    if (!lift_source_load(path, &source, &errors))
        return cli_malformed(&errors);
    if (lift_format(&source, &errors, &text))
        status = finish(a, path, &source, &text);
    else
        status = cli_malformed(&errors);
    lift_source_free(&source);
    return status;
}

static const struct cli_argp argp = {options, NULL, "FILE...", "Format programs."};

static int run(int argc, char **argv)
{
    struct fmt_args a = {.in_place = false};
    int status = CLI_DONE;

    cli_parse(&argp, argc, argv, &a);
    for (int i = 0; i < a.files.count; i++) {
        int one = format(&a, a.files.words[i]);

        status = one > status ? one : status;
    }
    return status;
}

const struct cli_command cli_fmt = {"fmt", "format programs", run, &argp};
