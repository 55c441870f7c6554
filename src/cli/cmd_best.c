#include "cli/best.h"
#include "explore/explore.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RULE_FILES = 16, MAX_POSITIONAL = 2 };

struct best_args {
    struct report_where where;
    const char *positional[MAX_POSITIONAL], *rules[MAX_RULE_FILES];
    int positional_count, rule_count;
    bool json, force, verbose;
    enum best_emit emit;
    int64_t run;
    const char *output;
};

static const struct cli_option options[] = {
    {"emit", 'e', "source|host|header|expr|json", 0,
     "Print the source of the kernel, a program around it (host), the kernel behind one "
     "function (header), its expression, or all of these as JSON"},
    {"output", 'o', "FILE", 0, "With --emit: write to FILE",
     CLI_WORD(struct best_args, output)},
    {"json", 'j', NULL, 0, "Print JSON", CLI_FLAG(struct best_args, json)},
    {"verbose", 'v', NULL, 0,
     "Print tunables, registers, occupancy, hashes, the derivation and the traffic of "
     "each kernel, too",
     CLI_FLAG(struct best_args, verbose)},
    CLI_RULES_OPTION(0, struct best_args, rules, rule_count),
    {"run", 0, "N", 0,
     "Choose the kernel for a run of N steps of the time loop: its number of time steps "
     "a launch takes the least time, with the remainder. By default the run is long",
     CLI_NUMBER(struct best_args, run, 1, INT64_MAX)},
    CLI_FORCE_OPTION(0, struct best_args),
    CLI_WHERE(struct best_args, where),
    {0}};

static const char doc[] =
    "Show the best verified kernels of a database, or the best kernel of a "
    "program.\vWithout a program, the command prints a table of all. For a program it "
    "prints each explored problem: its speed, the speedup over the naive kernel, whether "
    "a final benchmark confirmed it, its schedule, and the next command. Of the kernels "
    "with different numbers of time steps a launch, the one with the least time a step "
    "answers, and a line compares it with the best single sweep; --steps N restricts. If "
    "the program "
    "was not explored at these sizes on this device, the kernel is that of the nearest "
    "sizes on this device, that of a device of the same architecture, or a "
    "default kernel; the output says which. DEVICE is a name as 'lift devices' lists it "
    "(host, opencl:0), or a part of the name of a device in the database.";

static enum best_emit read_emit(const char *arg)
{
    static const char *const names[] = {"source", "host", "header", "expr", "json", NULL};

    for (int i = 0; names[i]; i++)
        if (!strcmp(arg, names[i]))
            return (enum best_emit)(BEST_SOURCE + i);
    exit(cli_no_such(
        arg, names, "--emit takes 'source', 'host', 'header', 'expr' or 'json', not '%s'",
        arg));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct best_args *a = state->input;

    switch (key) {
    case 'e':
        a->emit = read_emit(arg);
        return 0;
    case ARGP_KEY_ARG:
        if (a->positional_count == MAX_POSITIONAL)
            argp_error(state, "one program at a time");
        a->positional[a->positional_count++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (a->output && a->emit == BEST_SHOW)
            argp_error(state, "--output needs --emit");
        if (a->run && a->where.steps)
            argp_error(state,
                       "--run chooses how many steps a kernel computes in each launch: "
                       "omit --steps");
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

static bool is_database(const char *name)
{
    size_t len = strlen(name);

    return len > 3 && strcmp(name + len - 3, ".db") == 0;
}

/* [DB] [PROGRAM]: for a single word, the file ending decides. */
static void take_positional(const struct best_args *a, struct best *b)
{
    bool both = a->positional_count == 2;
    bool db = a->positional_count > 0 && (both || is_database(a->positional[0]));

    if (db)
        b->where.db = a->positional[0];
    b->db_given = b->where.db != NULL;
    if (!b->where.db)
        b->where.db = cli_default_db;
    if (a->positional_count > db)
        b->where.program = a->positional[db];
}

static const struct cli_argp argp = {options, parse, "[DB] [PROGRAM | FILE.lift]", doc,
                                     &cli_where_argp};

static int run(int argc, char **argv)
{
    struct best_args a = {.emit = BEST_SHOW};
    LIFT_SCOPED(lift_explore_device) probed = {.texts = NULL};
    struct best b = {.arena = lift_arena_create(), .probed = &probed};
    int status;

    cli_parse(&argp, argc, argv, &a);
    b.where = a.where;
    take_positional(&a, &b);
    b.rule_files = a.rules;
    b.rule_count = a.rule_count;
    b.force_rules = a.force;
    b.json = a.json;
    b.verbose = a.verbose;
    b.emit = a.emit;
    b.output = a.output;
    b.run = a.run;
    b.families = b.emit == BEST_SHOW ? report_families_open() : NULL;
    if (best_prepare(&b, &status))
        status = best_answer(&b);
    report_families_close(b.families);
    lift_db_close(b.db);
    lift_source_free(&b.source);
    free(b.rows);
    free(b.others);
    lift_arena_destroy(b.arena);
    return status;
}

const struct cli_command cli_best = {"best", "show the best kernels of a database", run,
                                     &argp};
