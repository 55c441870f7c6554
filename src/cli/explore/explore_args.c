#include "cli/explore/explore_args.h"
#include "base/guess.h"
#include "base/hash.h"
#include "ir/tunable.h"
#include "tuner/search.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_JOBS = 1024,
    MOST = 1000000, /* maximum of candidates or combinations */
    KEY_TECHNIQUE = 256,
    KEY_EXHAUSTIVE,
    KEY_EXPR,
    KEY_TUNABLE,
    KEY_STEPS,
    KEY_NO_TEMPORAL,
};

static const double default_seconds = 60, default_silence = 120;

static const struct cli_option options[] = {
    {"hours", 0, "N", 0, "Explore for N hours", 1,
     CLI_POSITIVE(struct explore_args, o.seconds, 3600)},
    {"minutes", 0, "N", 0, "Explore for N minutes", 1,
     CLI_POSITIVE(struct explore_args, o.seconds, 60)},
    {"seconds", 't', "N", 0, "Explore for N seconds (60 if no limit is given)", 1,
     CLI_POSITIVE(struct explore_args, o.seconds, 1)},
    {"trials", 0, "N", 0, "Stop after N trials on each device", 1,
     CLI_NUMBER(struct explore_args, o.trials, 1, INT64_MAX)},
    {"device", 'd', "NAME", 0,
     "Explore on this device, as 'lift devices' lists it: host, opencl:0, ... (host). "
     "Repeatable; 'all' means every device. All devices are explored concurrently, each "
     "for the whole time",
     2, CLI_LIST(struct explore_args, devices, o.device_count, "devices")},
    {"jobs", 'j', "N", 0,
     "Compile up to N candidates concurrently (one for each core, at most 16)", 2,
     CLI_INT(struct explore_args, o.jobs, MAX_JOBS)},
    {"size", 's', "NAME=N,...", 0, "Use these sizes instead of the program's defaults",
     2},
    CLI_PRECISION_OPTION(2, CLI_WORD(struct explore_args, precision)),
    {"steps", KEY_STEPS, "N|A..B,...", 0,
     "Explore only kernels that compute this number of time steps a launch (1..8 for a "
     "program with a time loop)",
     2},
    {"no-temporal", KEY_NO_TEMPORAL, NULL, 0,
     "Explore no temporal blocking: as --steps 1", 2},
    {"db", 'D', "FILE", 0,
     "Keep the results in this database, which is created if it does not exist (lift.db)",
     2, CLI_WORD(struct explore_args, o.db)},
    CLI_RULES_OPTION(3, struct explore_args, rules, rule_count),
    CLI_FORCE_OPTION(3, struct explore_args),
    {"technique", KEY_TECHNIQUE, "NAME", 0,
     "Search by this technique: forest (default), climb, random or exhaustive; 'help' "
     "describes them",
     3},
    {"exhaustive", KEY_EXHAUSTIVE, NULL, 0,
     "Run a trial of every configuration, without a time limit", 3},
    {"no-seeds", 0, NULL, 0,
     "Do not begin with kernels of the database, or of the folder of --tuned, that were "
     "fast at other sizes or on other devices",
     3, CLI_FLAG(struct explore_args, o.no_seeds)},
    {"tuned", 0, "FOLDER", 0,
     "Also begin with the kernels of this folder, which 'lift db export --csv FOLDER "
     "--best 1' writes (the folder 'tuned' next to the program, if it exists)",
     3, CLI_WORD(struct explore_args, o.tuned)},
    {"no-naive", 0, NULL, 0,
     "Do not time the naive kernel, which speedups refer to, nor the best kernel of "
     "earlier sessions",
     3, CLI_FLAG(struct explore_args, o.no_naive)},
    {"seed", 0, "N", 0, "Seed of all random choices (1)", 3,
     .set = {CLI_IS_NUMBER, CLI_MEMBER(uint64_t, struct explore_args, o.seed), 0,
             INT64_MAX}},
    {"print-space", 0, NULL, 0,
     "Run no trials. Print the number of combinations of schedule options, how many of a "
     "random sample can be derived and why others cannot, and each expression that an "
     "exploration begins with",
     4, CLI_FLAG(struct explore_args, print_space)},
    {"sample", 0, "N", 0,
     "With --print-space: draw N combinations, all with the same probability (200)", 4,
     CLI_INT(struct explore_args, sample, MOST)},
    {"build-only", 0, "N", 0,
     "Build N random candidates, print the registers and the memory of each, and run "
     "none. The device may be an architecture, such as cuda:sm_90, hip:gfx90a or "
     "host:aarch64",
     4, CLI_INT(struct explore_args, build_only, MOST)},
    {"check-only", 0, "N", 0,
     "Build N random candidates for small sizes, run each, compare its results with the "
     "program, and time none",
     4, CLI_INT(struct explore_args, check_only, MOST)},
    {"programs", 0, "FOLDER", 0,
     "With --build-only: write each candidate to FOLDER as a program that checks and "
     "times itself",
     4, CLI_WORD(struct explore_args, programs)},
    {"decide", 0, "NAME=OPTION,...", 0,
     "Explore only this configuration: options of schedule decisions, or a kernel family "
     "and the options that differ from it, such as star_split_shift,copy=async ('lift "
     "rules "
     "doc' lists them). Repeatable",
     4, CLI_LIST(struct explore_args, points, o.point_count, "times --decide")},
    {"max-exprs", 0, "N", 0,
     "Derive only the first N low-level expressions of the families", 4,
     CLI_INT(struct explore_args, o.max_exprs, MOST)},
    {"expr", KEY_EXPR, "HASH", 0,
     "Explore only this low-level expression: its hash as --print-space prints it, or "
     "the first digits. Repeatable",
     4},
    {"tunable", KEY_TUNABLE, "NAME=N,...", 0,
     "Explore only these values of a tunable, in expressions that have it. Repeatable",
     4},
    {"table", 0, "FILE", 0,
     "At the end, write all configurations with known results to a table for replay", 4,
     CLI_WORD(struct explore_args, o.table)},
    {"no-final-benchmark", 0, NULL, 0,
     "Do not check the fastest kernels on other inputs and time them again at the end", 4,
     CLI_FLAG(struct explore_args, o.no_final)},
    {"only-final-benchmark", 0, NULL, 0,
     "Run no trials. Time the fastest kernels of the database, of these configurations "
     "and expressions, against each other, even if their times differ much",
     4, CLI_FLAG(struct explore_args, o.only_final)},
    {"sync-every", 0, "N", 0,
     "In a job of mpirun or srun: read the fastest kernels of the other ranks every N "
     "seconds (a twentieth of the time, 2 to 120)",
     5, CLI_POSITIVE(struct explore_args, winners_every, 1)},
    {"rank-timeout", 0, "N", 0,
     "In a job: at the end, count a rank as dead if it gives no sign of life for N "
     "seconds (120)",
     5, CLI_POSITIVE(struct explore_args, rank_seconds, 1)},
    {"keep-ranks", 0, NULL, 0,
     "In a job: keep the databases of the ranks after they are merged", 5,
     CLI_FLAG(struct explore_args, keep_ranks)},
    {"json", 0, NULL, 0, "Print the result as JSON", 6,
     CLI_FLAG(struct explore_args, json)},
    {"quiet", 'q', NULL, 0, "Print no progress", 6, CLI_FLAG(struct explore_args, quiet)},
    {"verbose", 'v', NULL, 0,
     "At the end, also print the trials, the reasons why other expressions were not "
     "tried, the cost, and the five fastest kernels",
     6, CLI_FLAG(struct explore_args, verbose)},
    CLI_ONE(struct explore_args, file, "file"),
    CLI_NEEDED("which program?"),
    {0}};

static const char doc[] =
    "Find the fastest verified kernel of a program for a device.\vThe database keeps "
    "every trial: rerun the command to resume. Ctrl-C finishes the current trial, then "
    "times the best kernels again; a second Ctrl-C stops immediately. On a terminal the "
    "output has colours, unless NO_COLOR is set. 'mpirun -n N lift-explore ...' and "
    "'srun lift-explore ...' explore one problem in N processes (docs/clusters.md).";

static bool take_technique(struct explore_args *a, const char *name)
{
    struct lift_guess guess = {.word = name};
    LIFT_SCOPED(lift_str) text = {0};

    if (!strcmp(name, "help")) {
        for (int i = 0; lift_techniques[i]; i++)
            printf("%-12s %s%s\n", lift_techniques[i]->name, lift_techniques[i]->doc,
                   i ? "" : " (default)");
        exit(CLI_DONE);
    }
    a->o.technique = name;
    if (lift_technique_find(name))
        return true;
    for (int i = 0; lift_techniques[i]; i++)
        lift_guess_add(&guess, lift_techniques[i]->name);
    lift_guess_print(&guess, &text);
    cli_fail(CLI_USAGE,
             "no search technique '%s'%s\n'lift explore --technique help' lists them",
             name, lift_str_get(&text));
    return false;
}

/* Parses "1..8". */
static bool read_range(const char *word, const char *dots, int64_t *from, int64_t *to)
{
    char *end;

    *from = strtoll(word, &end, 10);
    if (end == word || end != dots || *from < 1)
        return false;
    *to = strtoll(dots + 2, &end, 10);
    return end != dots + 2 && !*end && *from <= *to && *to <= LIFT_MAX_STEPS;
}

static bool take_range(const char *word, int64_t *from, int64_t *to)
{
    const char *dots = strstr(word, "..");

    if (!dots) {
        bool good = cli_integer("--steps", word, 1, LIFT_MAX_STEPS, from);

        *to = *from;
        return good;
    }
    if (!read_range(word, dots, from, to))
        cli_fail(CLI_USAGE,
                 "--steps '%s' is not a range: expected A..B, whole numbers from 1 to "
                 "%d, A not above B",
                 word, LIFT_MAX_STEPS);
    return read_range(word, dots, from, to);
}

/* Parses "1,2,4" or "1..8", or both: each number once, in increasing order. */
static bool take_steps(struct explore_args *a, const char *list)
{
    char *words = lift_arena_strdup(a->arena, list), *rest = words, *word;
    bool wanted[LIFT_MAX_STEPS + 1] = {false};

    while ((word = strsep(&rest, ",")) != NULL) {
        int64_t from, to;

        if (!take_range(word, &from, &to))
            return false;
        for (int64_t n = from; n <= to; n++)
            wanted[n] = true;
    }
    a->step_count = 0;
    for (int n = 1; n <= LIFT_MAX_STEPS; n++)
        if (wanted[n])
            a->steps[a->step_count++] = n;
    return true;
}

static bool add_expr(struct explore_args *a, const char *hash)
{
    if (!lift_hash_is_short(hash)) {
        cli_fail(CLI_USAGE,
                 "--expr '%s' is not the hash of an expression: expected at least %d of "
                 "its digits, as --print-space prints them",
                 hash, LIFT_HASH_LEAST);
        return false;
    }
    if (a->o.expr_count == CLI_EXPLORE_LIST)
        return CLI_REFUSE("more than %d times --expr", CLI_EXPLORE_LIST);
    a->exprs[a->o.expr_count++] = hash;
    return true;
}

static bool add_value(struct explore_args *a, const char *name, const char *text)
{
    int64_t value = lift_tunable_value(name, text, strlen(text));

    if (value < 0 && !cli_integer("--tunable", text, 0, INT64_MAX, &value))
        return false;
    if (a->o.tunable_count == CLI_EXPLORE_LIST)
        return CLI_REFUSE("more than %d values of tunables", CLI_EXPLORE_LIST);
    a->tunables[a->o.tunable_count++] = (struct lift_size_setting){name, value};
    return true;
}

/* Parses "tile_x=8,16". */
static bool add_tunable(struct explore_args *a, const char *text)
{
    char *copy = lift_arena_strdup(a->arena, text), *values = strchr(copy, '=');
    const char *name;
    char *rest = NULL;
    int before = a->o.tunable_count;

    if (values && values > copy) {
        *values++ = '\0';
        name = cli_tunable(copy);
        for (char *v = strtok_r(values, ",", &rest); v; v = strtok_r(NULL, ",", &rest))
            if (!add_value(a, name, v))
                return false;
    }
    return a->o.tunable_count > before ||
           CLI_REFUSE("--tunable '%s': expected a name and values, like tile_x=8,16",
                      text);
}

static bool take(struct explore_args *a, int key, char *arg)
{
    switch (key) {
    case KEY_STEPS:
        return take_steps(a, arg);
    case KEY_TECHNIQUE:
        return take_technique(a, arg);
    case KEY_EXPR:
        return add_expr(a, arg);
    case KEY_TUNABLE:
        return add_tunable(a, arg);
    case 's':
        return cli_sizes(a->arena, arg, &a->o.sizes, &a->o.size_count);
    default:
        return false;
    }
}

/* The folder 'tuned' next to the program; NULL if the folder has no database. */
static const char *ships_with(struct lift_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    int length = slash ? (int)(slash - file) + 1 : 0;
    const char *folder = lift_arena_printf(arena, "%.*stuned", length, file);

    return access(lift_arena_printf(arena, "%s/lift.csv", folder), R_OK) == 0 ? folder
                                                                              : NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explore_args *a = state->input;

    switch (key) {
    case KEY_EXHAUSTIVE:
        a->o.technique = "exhaustive";
        return 0;
    case KEY_NO_TEMPORAL:
        take_steps(a, "1");
        return 0;
    case ARGP_KEY_END:
        if (a->programs && !a->build_only)
            argp_error(state, "--programs needs --build-only");
        if (a->sample && !a->print_space)
            argp_error(state, "--sample needs --print-space");
        if (a->o.only_final && a->o.no_final)
            argp_error(
                state,
                "--only-final-benchmark and --no-final-benchmark exclude each other");
        if (!a->o.tuned && a->file)
            a->o.tuned = ships_with(a->arena, a->file);
        return 0;
    case ARGP_KEY_INIT:
    case ARGP_KEY_SUCCESS:
    case ARGP_KEY_FINI:
    case ARGP_KEY_ERROR:
        return ARGP_ERR_UNKNOWN;
    default:
        if (cli_set(options, key, arg, state) == 0)
            return 0;
        if (!arg)
            return ARGP_ERR_UNKNOWN;
        if (!take(a, key, arg))
            exit(CLI_USAGE);
        return 0;
    }
}

const struct cli_argp cli_explore_argp = {options, parse, "FILE", doc};

void cli_explore_parse(struct explore_args *a, int argc, char **argv)
{
    a->o.db = cli_default_db;
    a->o.seed = 1;
    a->rank_seconds = default_silence;
    a->o.devices = a->devices;
    a->o.exprs = a->exprs;
    a->o.points = a->points;
    a->o.tunables = a->tunables;
    cli_parse(&cli_explore_argp, argc, argv, a);
    if (a->o.seconds <= 0 && a->o.trials == 0 && !a->o.only_final &&
        !(a->o.technique && !strcmp(a->o.technique, "exhaustive")))
        a->o.seconds = default_seconds;
}
