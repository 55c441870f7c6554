#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/shell.h"
#include "cli/summary.h"
#include "lift/search.h"
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_RULE_FILES = 16,
    MAX_DEVICES = 64,
    MAX_JOBS = 1024,
    KEY_HOURS = 256,
    KEY_MINUTES,
    KEY_TRIES,
    KEY_SEED,
    KEY_JSON,
    KEY_TECHNIQUE,
    KEY_MAX_EXPRS,
    KEY_MAX_SHAPES,
    KEY_FORCE,
};

static const double default_seconds = 60;

struct explore_args {
    const char *file, *size, *db, *technique;
    const char *devices[MAX_DEVICES];
    int device_count;
    const char *rules[MAX_RULE_FILES];
    int rule_count;
    double seconds;
    int64_t tries, jobs, seed, max_exprs, max_shapes;
    bool json, force, quiet;
};

static const struct argp_option options[] = {
    {"hours", KEY_HOURS, "N", 0, "Explore for N hours", 1},
    {"minutes", KEY_MINUTES, "N", 0, "Explore for N minutes", 1},
    {"seconds", 't', "N", 0, "Explore for N seconds (one minute, if nothing is said)", 1},
    {"tries", KEY_TRIES, "N", 0, "Stop after N tries of each device", 1},
    {"device", 'd', "NAME", 0,
     "host, opencl:0, ... (host); 'lift devices' lists them. May be repeated; 'all' is "
     "every device that is found. Each is explored at the same time, for the whole time",
     2},
    {"jobs", 'j', "N", 0,
     "Compile up to N candidates at once (as many as cores, at most 16)", 2},
    {"size", 's', "NAME=N,...", 0, "Sizes instead of the program's defaults", 2},
    {"db", 'D', "FILE", 0, "The database, made if absent (lift.db)", 2},
    {"rules", 'r', "FILE", 0, "Rules besides those that ship; may be repeated", 3},
    {"force-rules", KEY_FORCE, NULL, 0, "Take rules that the check refutes", 3},
    {"technique", KEY_TECHNIQUE, "NAME", 0,
     "halving, climb, random or exhaustive (halving)", 3},
    {"max-exprs", KEY_MAX_EXPRS, "N", 0, "At most N low-level expressions (2000)", 3},
    {"max-shapes", KEY_MAX_SHAPES, "N", 0, "At most N terms that are lowered (400)", 3},
    {"seed", KEY_SEED, "N", 0, "Of all random choices (1)", 3},
    {"json", KEY_JSON, NULL, 0, "Print the result as JSON", 4},
    {"quiet", 'q', NULL, 0, "No progress", 4},
    {0}};

static const char doc[] = "Find the fastest verified kernel of a program for a device.\v"
                          "Every try is kept in the database; running the command again "
                          "goes on where it stopped. "
                          "Ctrl-C ends after the try in hand, a second one at once. "
                          "Colours are used on a terminal, unless NO_COLOR is set.";

static bool take_time(struct explore_args *a, const char *what, const char *text,
                      double unit)
{
    double n;

    if (!cli_positive(what, text, &n))
        return false;
    a->seconds = n * unit;
    return true;
}

static bool take(struct explore_args *a, int key, char *arg)
{
    switch (key) {
    case KEY_HOURS:
        return take_time(a, "--hours", arg, 3600);
    case KEY_MINUTES:
        return take_time(a, "--minutes", arg, 60);
    case 't':
        return take_time(a, "--seconds", arg, 1);
    case KEY_TRIES:
        return cli_integer("--tries", arg, 1, INT64_MAX, &a->tries);
    case 'j':
        return cli_integer("--jobs", arg, 1, MAX_JOBS, &a->jobs);
    case KEY_SEED:
        return cli_integer("--seed", arg, 0, INT64_MAX, &a->seed);
    case KEY_MAX_EXPRS:
        return cli_integer("--max-exprs", arg, 1, 1000000, &a->max_exprs);
    case KEY_MAX_SHAPES:
        return cli_integer("--max-shapes", arg, 1, 1000000, &a->max_shapes);
    case 's':
        a->size = arg;
        return true;
    case 'D':
        a->db = arg;
        return true;
    case KEY_TECHNIQUE:
        a->technique = arg;
        if (lift_technique_find(arg))
            return true;
        cli_fail(CLI_USAGE, "no search technique '%s'", arg);
        return false;
    default:
        return false;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explore_args *a = state->input;

    switch (key) {
    case 'r':
        if (a->rule_count == MAX_RULE_FILES)
            argp_error(state, "more than %d rule files", MAX_RULE_FILES);
        a->rules[a->rule_count++] = arg;
        return 0;
    case 'd':
        if (a->device_count == MAX_DEVICES)
            argp_error(state, "more than %d devices", MAX_DEVICES);
        a->devices[a->device_count++] = arg;
        return 0;
    case KEY_FORCE:
        a->force = true;
        return 0;
    case KEY_JSON:
        a->json = true;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one file at a time");
        a->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program?");
        return 0;
    case ARGP_KEY_INIT:
    case ARGP_KEY_END:
    case ARGP_KEY_SUCCESS:
    case ARGP_KEY_FINI:
    case ARGP_KEY_ERROR:
        return ARGP_ERR_UNKNOWN;
    default:
        if (!arg)
            return ARGP_ERR_UNKNOWN;
        if (!take(a, key, arg))
            exit(CLI_USAGE);
        return 0;
    }
}

static volatile sig_atomic_t interrupted;

/* The worker is in a group of its own and dies with its parent. */
static void interrupt(int signal)
{
    static const char text[] =
        "\nlift: finishing the try in hand; Ctrl-C again stops at once\n";
    ssize_t ignored;

    if (interrupted)
        _exit(128 + signal);
    interrupted = 1;
    ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
}

static void catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void join(int argc, char **argv, struct lift_str *out)
{
    for (int i = 0; i < argc; i++) {
        lift_str_add(out, i ? " " : "");
        if (i)
            cli_quote(out, argv[i]);
        else
            lift_str_add(out, argv[i]);
    }
}

static int explore(const struct explore_args *a, const struct lift_source *source,
                   const struct lift_rules *rules, const char *argv)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_diags diags = {0};
    struct cli_progress progress;
    struct lift_explore_options o = {.source = source,
                                     .rules = rules,
                                     .devices = a->devices,
                                     .device_count = a->device_count,
                                     .db = a->db,
                                     .argv = argv,
                                     .seconds = a->seconds,
                                     .tries = a->tries,
                                     .jobs = (int)a->jobs,
                                     .seed = (uint64_t)a->seed,
                                     .technique = a->technique,
                                     .max_exprs = (int)a->max_exprs,
                                     .max_shapes = (int)a->max_shapes,
                                     .interrupted = &interrupted,
                                     .report = cli_progress_report,
                                     .user = &progress};
    struct lift_explore_result result;
    int status;

    if (!cli_sizes(arena, a->size, &o.sizes, &o.size_count)) {
        lift_arena_destroy(arena);
        return CLI_USAGE;
    }
    cli_progress_init(&progress, a->quiet);
    catch_interrupts();
    result = lift_explore(&o, &diags);
    cli_progress_end(&progress);
    if (result.end == LIFT_EXPLORE_BAD_PROGRAM)
        status = cli_malformed(&diags);
    else if (result.end == LIFT_EXPLORE_FAILED)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&result.error));
    else
        status = cli_explore_summary(
            &(struct cli_summary){&result, &progress, a->db, a->json});
    lift_explore_result_fini(&result);
    lift_diags_fini(&diags);
    lift_arena_destroy(arena);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "FILE", doc, NULL, NULL, NULL};
    struct explore_args a = {.db = cli_default_db, .seed = 1};
    struct lift_str line = {0};
    struct lift_diags diags = {0};
    struct lift_source source;
    struct lift_rules *rules;
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (a.seconds <= 0 && a.tries == 0)
        a.seconds = default_seconds;
    if (!lift_source_load(a.file, &source, &diags))
        return cli_malformed(&diags);
    join(argc, argv, &line);
    rules = cli_load_rules(a.rules, a.rule_count, a.force, &status);
    if (rules) {
        status = explore(&a, &source, rules, lift_str_get(&line));
        lift_rules_destroy(rules);
    }
    lift_source_free(&source);
    lift_str_fini(&line);
    return status;
}

const struct cli_command cli_explore = {
    "explore", "find the fastest verified kernel of a program for a device", run};
