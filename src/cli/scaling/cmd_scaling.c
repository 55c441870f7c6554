#include "base/file.h"
#include "base/locale.h"
#include "cli/scaling/scaling.h"
#include "ir/expr.h"
#include <stdlib.h>
#include <string.h>

enum { KEY_LINK = 256, KEY_NETWORK, KEY_DEVICES };

static const struct cli_option options[] = {
    {"size", 's', "NAME=N,...", 0, "Sizes instead of the program's defaults", 1,
     CLI_WORD(struct scaling_args, size)},
    CLI_PRECISION_OPTION(1, CLI_PRECISION_SETTING(struct scaling_args, precision)),
    CLI_STEPS_OPTION(1, struct scaling_args),
    {"devices", KEY_DEVICES, "N,...", 0, "Numbers of devices (1,2,4,8)", 1},
    {"exchange-every", 0, "M", 0, "Parts exchange after M launches (1)", 1,
     CLI_NUMBER(struct scaling_args, every, 1, 1000)},
    {"cut", 0, "1|2", 0,
     "Dimensions that are cut: planes alone (1), or planes and rows as is fastest", 1,
     CLI_NUMBER(struct scaling_args, cut, 1, 2)},
    {"rate", 0, "GPTS", 0,
     "GPts/s of one device, instead of those of the best kernel in the database", 2,
     CLI_POSITIVE(struct scaling_args, rate, 1)},
    {"db", 'D', "FILE", 0, "The database with that kernel (lift.db)", 2,
     CLI_WORD(struct scaling_args, db)},
    {"device", 'd', "WORDS", 0, "The device of that kernel: a part of its name", 2,
     CLI_WORD(struct scaling_args, device)},
    {"launch", 0, "US", 0, "Microseconds that a launch takes besides (5)", 2,
     CLI_POSITIVE(struct scaling_args, launch, 1)},
    {"link", KEY_LINK, "GBS,US", 0,
     "Between devices of a node: GB/s in one direction, and microseconds (300,10)", 3},
    {"network", KEY_NETWORK, "GBS,US", 0, "Between nodes, for a device (40,20)", 3},
    {"node", 0, "N", 0, "Devices of a node (8)", 3,
     CLI_NUMBER(struct scaling_args, node, 1, SCALING_MOST)},
    {"measured", 0, "FILE", 0,
     "What bench/scaling.sh printed: the rate and the link are those measured, unless "
     "they are given, and the model is compared with each run",
     3, CLI_WORD(struct scaling_args, measured)},
    {"json", 0, NULL, 0, "Print JSON", 4, CLI_FLAG(struct scaling_args, json)},
    CLI_ONE(struct scaling_args, file, "file"),
    CLI_NEEDED("which program?"),
    {0}};

static const char doc[] =
    "Predict how a time loop scales over devices, without running it.\vWeak: each device "
    "has the grid of --size; strong: all have it together. docs/scaling.md has the "
    "model.";

static bool take_link(const char *what, const char *text, struct scaling_link *out)
{
    double bandwidth, latency;
    int end = 0;

    if (lift_sscanf(text, "%lf,%lf%n", &bandwidth, &latency, &end) != 2 || text[end] ||
        !(bandwidth > 0) || !(latency >= 0) || bandwidth > 1e9 || latency > 1e9)
        return CLI_REFUSE("%s '%s': expected GB/s and microseconds, like 300,10", what,
                          text);
    *out = (struct scaling_link){bandwidth * 1e9, latency * 1e-6};
    return true;
}

static bool take_devices(struct scaling_args *a, const char *text)
{
    char *words = lift_arena_strdup(a->arena, text), *word;
    int64_t n;

    a->device_count = 0;
    while ((word = strsep(&words, ",")) != NULL) {
        if (!cli_integer("--devices", word, 1, SCALING_MOST, &n))
            return false;
        if (a->device_count == SCALING_DEVICES)
            return CLI_REFUSE("more than %d numbers of --devices", SCALING_DEVICES);
        a->devices[a->device_count++] = (int)n;
    }
    return true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct scaling_args *a = state->input;
    bool good = true;

    switch (key) {
    case KEY_LINK:
        good = take_link("--link", arg, &a->near);
        break;
    case KEY_NETWORK:
        good = take_link("--network", arg, &a->far);
        break;
    case KEY_DEVICES:
        good = take_devices(a, arg);
        break;
    default:
        return cli_set(options, key, arg, state);
    }
    if (!good)
        exit(CLI_USAGE);
    return 0;
}

/* ---- what is measured */

int cli_scaling_read(const char *path, struct scaling_measured *out)
{
    LIFT_SCOPED(lift_str) text = {0}, why = {0};

    if (!lift_file_read(path, LIFT_FILE_SOURCE, &text, &why))
        return cli_fail(CLI_FAILED, "cannot read '%s': %s", path, lift_str_get(&why));
    if (!scaling_read(lift_str_get(&text), out, &why))
        return cli_fail(CLI_USAGE, "cannot read '%s': %s", path, lift_str_get(&why));
    return CLI_DONE;
}

static int take_measured(struct scaling_view *v, const char *path)
{
    int status = cli_scaling_read(path, &v->measured);

    if (status != CLI_DONE)
        return status;
    if (!v->program || strcmp(v->measured.program, v->program) != 0)
        return cli_fail(CLI_USAGE, "'%s' is of '%s', not of '%s'", path,
                        v->measured.program, v->program);
    v->fitted = scaling_fit(&v->measured, &v->stencil, &v->machine);
    v->from = "measured";
    return CLI_DONE;
}

struct search {
    struct scaling_view *view;
    double points; /* of the largest problem so far */
};

static bool take_best(void *user, const struct lift_db_best *row)
{
    struct search *s = user;
    struct scaling_view *v = s->view;
    double points = row->gpts * row->seconds;

    if (!(points > s->points))
        return true;
    s->points = points;
    v->machine.rate = row->gpts * 1e9;
    v->from = lift_arena_printf(v->args->arena, "%s on %s", row->sizes, row->device);
    return true;
}

/* Of the largest grid: what is small may fit a cache. */
static int take_from_db(struct scaling_view *v)
{
    const struct scaling_args *a = v->args;
    struct search s = {.view = v};
    LIFT_OWNED(lift_db) *db = cli_open(a->db);
    struct lift_db_filter filter = {.device = a->device, .steps = a->steps};
    int status = CLI_FAILED;

    if (!db || !cli_program(db, a->arena, a->file, &filter.program, &status))
        return status;
    if (!lift_db_best(db, &filter, take_best, &s))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    if (s.points > 0)
        return CLI_DONE;
    return cli_fail(
        CLI_FAILED,
        "'%s' has no verified kernel of '%s': explore it, or say how fast one "
        "device is (--rate)",
        a->db, v->program);
}

static int set_machine(struct scaling_view *v)
{
    const struct scaling_args *a = v->args;
    int steps = a->steps > 1 ? (int)a->steps : 1, status;

    if (a->launch > 0)
        v->machine.launch = a->launch * 1e-6;
    v->machine.node = (int)a->node;
    status = a->measured ? take_measured(v, a->measured) : CLI_DONE;
    if (status == CLI_DONE && a->rate > 0) {
        v->machine.rate = a->rate * 1e9;
        v->from = "given";
    } else if (status == CLI_DONE && !v->from) {
        status = take_from_db(v);
    }
    if (v->measured.count == 0)
        v->machine.rate /= steps; /* a launch computes several */
    if (a->near.bandwidth > 0)
        v->machine.near = a->near;
    if (a->far.bandwidth > 0)
        v->machine.far = a->far;
    return status;
}

/* ---- the command */

static int load(struct scaling_view *v, struct lift_source *source)
{
    const struct scaling_args *a = v->args;
    struct lift_program_options with = {.sizes = NULL};
    LIFT_SCOPED(lift_str) why = {0};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    struct lift_diags diags = {0};
    const struct lift_program *p;

    if (a->size && !cli_sizes(a->arena, a->size, &with.sizes, &with.size_count))
        return CLI_USAGE;
    if (!cli_source(a->file, a->precision, a->steps, source, &diags) ||
        !(p = lift_program_load(ir, source, &with, &diags)))
        return cli_malformed(&diags);
    v->program = lift_arena_strdup(a->arena, p->name);
    if (scaling_of_program(source, &with, &v->stencil, &v->grid, &why))
        return CLI_DONE;
    return cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
}

static int scaling(const struct scaling_args *a)
{
    struct scaling_view v = {.args = a, .machine = scaling_nominal};
    struct lift_source source = {0};
    int status = load(&v, &source);

    if (status == CLI_DONE)
        status = set_machine(&v);
    if (status == CLI_DONE && a->json)
        scaling_print_json(&v);
    else if (status == CLI_DONE)
        scaling_print(&v);
    lift_source_free(&source);
    return status;
}

static const struct cli_argp argp = {options, parse, "FILE", doc};

static int run(int argc, char **argv)
{
    struct scaling_args a = {.arena = lift_arena_create(),
                             .db = cli_default_db,
                             .devices = {1, 2, 4, 8},
                             .device_count = 4,
                             .every = 1,
                             .cut = 1,
                             .node = scaling_nominal.node};
    int status;

    cli_parse(&argp, argc, argv, &a);
    status = scaling(&a);
    lift_arena_destroy(a.arena);
    return status;
}

const struct cli_command cli_scaling = {
    "scaling", "predict how a time loop scales over devices", run, &argp};
