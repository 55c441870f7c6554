#include "cli/check.h"
#include "cli/cli.h"

struct check_args {
    const char *size, *precision;
    int64_t steps;
    bool json, decisions;
    struct cli_words files;
};

static const struct cli_option options[] = {
    {"size", 's', "NAME=N,...", 0,
     "Use these sizes instead of the defaults of the programs",
     CLI_WORD(struct check_args, size)},
    CLI_PRECISION_OPTION(0, CLI_PRECISION_SETTING(struct check_args, precision)),
    CLI_STEPS_OPTION(0, struct check_args),
    {"decisions", 0, NULL, 0,
     "List the schedule options that apply for several programs, too",
     CLI_FLAG(struct check_args, decisions)},
    {"json", 'j', NULL, 0, "Print a JSON array with an object for each file",
     CLI_FLAG(struct check_args, json)},
    CLI_ALL(struct check_args, files),
    CLI_NEEDED("which programs?"),
    {0}};

static const char doc[] =
    "Check the types of programs, and print what they read, store and compute.\vThe "
    "command compiles and runs nothing. It lists the elements of each input that output "
    "element [z][y][x] needs. Traffic is compulsory: each input is read once, and each "
    "output is written once. For a single program, the command also lists the schedule "
    "options that apply, alone or in a family, on devices of threads, of work-groups, "
    "or both ('lift rules doc' explains them). The exit status is 2 if a program is "
    "wrong; the other programs are checked nevertheless.";

/* ---- mistakes */

static json_t *mistakes(struct lift_error *errors)
{
    json_t *list = json_array();

    for (const struct lift_error *e = lift_error_at(errors, 0); e; e = e->next) {
        json_t *one = json_object();

        if (e->file) {
            json_object_set_new(one, "line", json_integer(e->line));
            json_object_set_new(one, "column", json_integer(e->column));
        }
        json_object_set_new(one, "message", json_string(lift_str_get(&e->text)));
        json_array_append_new(list, one);
    }
    return list;
}

static int say_wrong(const char *file, struct lift_error *errors, json_t *list)
{
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:b, s:o}", "file", file, "valid", 0,
                                              "errors", mistakes(errors)));
    return cli_malformed(errors);
}

/* ---- one program */

static int look(const struct check_args *a, struct cli_checked c, json_t *list)
{
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_footprints prints;
    LIFT_SCOPED(lift_str) why = {0};
    json_t *decisions = NULL, *facts = NULL;

    c.program = lift_program_load(ir, c.source, c.sizes, &errors);
    c.prints = &prints;
    if (!c.program || (a->decisions && !(decisions = cli_check_decisions(&c, &errors))))
        return say_wrong(c.file, &errors, list);
    if (lift_footprints_find(ir, c.program, &prints, &why))
        facts = cli_check_json(&c);
    else
        lift_fail_at(&errors, NULL, (struct lift_span){0, 0}, "'%s': %s", c.file,
                     lift_str_get(&why));
    if (facts && decisions)
        json_object_set(facts, "options", decisions);
    if (facts && list)
        json_array_append(list, facts);
    else if (facts)
        cli_check_print(facts);
    json_decref(facts);
    json_decref(decisions);
    return lift_error_count(&errors) ? say_wrong(c.file, &errors, list) : CLI_DONE;
}

static int check(const struct check_args *a, const struct lift_program_options *sizes,
                 const char *file, json_t *list)
{
    struct lift_source source = {0};
    struct cli_checked c = {.file = file, .source = &source, .sizes = sizes};
    struct lift_error errors = {0};
    int status;

    if (cli_source(file, a->precision, a->steps, &source, &errors))
        status = look(a, c, list);
    else
        status = say_wrong(file, &errors, list);
    lift_source_free(&source);
    return status;
}

static int check_all(const struct check_args *a, const struct lift_program_options *sizes)
{
    json_t *list = a->json ? json_array() : NULL;
    int status = CLI_DONE;

    for (int i = 0; i < a->files.count; i++) {
        int one = check(a, sizes, a->files.words[i], list);

        status = one > status ? one : status;
    }
    if (list)
        cli_print_json(list);
    return status;
}

static const struct cli_argp argp = {options, NULL, "FILE...", doc};

static int run(int argc, char **argv)
{
    struct check_args a = {.size = NULL};
    struct lift_program_options sizes = {.symbolic = false};
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    int status = CLI_USAGE;

    cli_parse(&argp, argc, argv, &a);
    a.decisions |= a.files.count == 1;
    if (cli_sizes(arena, a.size, &sizes.sizes, &sizes.size_count))
        status = check_all(&a, &sizes);
    return status;
}

const struct cli_command cli_check = {
    "check", "check types of programs; print what they read, store and compute", run,
    &argp};
