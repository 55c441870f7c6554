#include "cli/cli.h"
#include "lift/parse.h"
#include "run/once.h"
#include <stdio.h>

struct split_args {
    const char *file, *folder;
};

static const struct cli_option options[] = {{"output", 'o', "DIR", 0,
                                             "Write the two programs to this folder (.)",
                                             CLI_WORD(struct split_args, folder)},
                                            CLI_ONE(struct split_args, file, "program"),
                                            CLI_NEEDED("which program?"),
                                            {0}};

static const struct cli_argp argp = {
    options, NULL, "FILE.lift",
    "Split a program with a time loop in two: one computes once what no step changes, "
    "the other computes the steps.\vNAME_once.lift computes functions such as sin and "
    "exp of inputs that no step changes. Its outputs are inputs of NAME_step.lift. The "
    "exit status is 2 if the program has no such functions."};

static bool write_one(const struct split_args *a, const struct once_split *split,
                      const char *end, const struct lift_str *text)
{
    LIFT_SCOPED(lift_str) path = {0};

    lift_str_addf(&path, "%s/%s_%s.lift", a->folder, lift_str_get(&split->name), end);
    return cli_write(lift_str_get(&path), lift_str_get(text), text->len);
}

static int run(int argc, char **argv)
{
    struct split_args a = {.folder = "."};
    struct once_split split = {.name = {0}};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source source;
    int status = CLI_FAILED;

    cli_parse(&argp, argc, argv, &a);
    if (!lift_source_load(a.file, &source, &errors))
        return cli_malformed(&errors);
    if (!once_split(&source, &split, &errors))
        status = cli_malformed(&errors);
    else if (write_one(&a, &split, "once", &split.once) &&
             write_one(&a, &split, "step", &split.step)) {
        printf("once: %s\n", lift_str_get(&split.grids));
        status = CLI_DONE;
    }
    once_split_fini(&split);
    lift_source_free(&source);
    return status;
}

const struct cli_command cli_split = {
    "split", "compute once what no step of a time loop changes", run, &argp, NULL};
