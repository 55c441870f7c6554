#include "cli/run/run_print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 64, KEY_SNAPSHOT = 256, KEY_CUT, KEY_POINTS, KEY_RECORD };

struct run_args {
    struct sim_options o;
    struct sim_word in[MOST_WORDS], out[MOST_WORDS];
    struct sim_word points[MOST_WORDS], records[MOST_WORDS];
    struct sim_snapshot snapshots[MOST_WORDS];
    const char *device;
    bool quiet, silent; /* silent: another rank prints the output */
    const char *exchange, *overlap, *graphs, *finite; /* NULL: not given */
    struct lift_job job;
};

static const struct cli_option options[] = {
    {"steps", 'n', "N", 0, "Run N steps of the time loop (1)",
     CLI_NUMBER(struct run_args, o.steps, 1, INT64_MAX / 2)},
    {"in", 'i', "NAME=VALUE", 0,
     "Set an input: VALUE is a .npy file, a file of raw elements, a number, or a "
     "function of the indices such as '(i, j) => 0.5 * i + j'. Set a parameter: VALUE is "
     "a number. Repeatable"},
    {"out", 'o', "NAME=FILE", 0,
     "Write an output, or an input that the time loop changes, after the last step. A "
     "FILE whose name ends with .npy has that format, another FILE has raw elements. "
     "Repeatable"},
    {"snapshot", KEY_SNAPSHOT, "K:PATTERN[,NAME]", 0,
     "Write the array NAME (the first output) after every K steps. PATTERN is the name "
     "of the file; %05d in it stands for the step. Repeatable"},
    {"points", KEY_POINTS, "NAME,NAME=FILE", 0,
     "Set the two inputs of an 'inject' or 'sample' from positions in the grid. FILE is "
     "a .npy file, or text with a position 'z, y, x' in elements on each line. "
     "Repeatable"},
    {"record", KEY_RECORD, "NAME=FILE", 0,
     "Write the values of an array after each step, all steps to one file. Repeatable"},
    {"size", 's', "NAME=N,...", 0,
     "Use these sizes. Other sizes come from the .npy files, or are defaults of the "
     "program",
     CLI_WORD(struct run_args, o.sizes)},
    CLI_PRECISION_OPTION(0, CLI_PRECISION_SETTING(struct run_args, o.precision)),
    {"device", 'd', "NAME", 0, "Run on this device, as 'lift devices' lists it (host)",
     CLI_WORD(struct run_args, device)},
    {"devices", 0, "NAME[=W],...", 0,
     "Divide the planes of the grid among these devices, evenly or by the weights W. A "
     "device may occur several times. With several ranks, each rank of a node takes one "
     "of them",
     CLI_WORD(struct run_args, o.devices)},
    {"cut", KEY_CUT, "PxR", 0,
     "With --devices or several ranks: divide the planes into P parts and the rows of "
     "each into R parts, for P times R devices. Without this option, only planes are "
     "divided"},
    {"exchange-every", 0, "M", 0,
     "With several parts: exchange planes after every M launches, M times as many (1)",
     CLI_NUMBER(struct run_args, o.exchange_every, 1, 1000000)},
    {"exchange", 0, "auto|peer|host|mpi|nccl", 0,
     "Exchange planes by direct copies between devices (peer), through memory of the "
     "host, by MPI between ranks, or by NCCL. auto (the default): peer if possible, and "
     "nccl between ranks",
     CLI_WORD(struct run_args, exchange)},
    {"overlap", 0, "auto|yes|no", 0,
     "Compute the boundary planes first, and exchange them while the other planes are "
     "computed. auto (the default): if all devices can copy and compute concurrently",
     CLI_WORD(struct run_args, overlap)},
    {"graphs", 0, "auto|no", 0,
     "Launch sequences of kernels on the same buffers as one graph of the driver. auto "
     "(the default): if the device has graphs",
     CLI_WORD(struct run_args, graphs)},
    {"exchange-timeout", 0, "SECONDS", 0,
     "With --devices: end the run if a launch with its exchange takes longer (600). With "
     "several ranks: end the run if another rank takes longer. The message names the "
     "device or rank",
     CLI_POSITIVE(struct run_args, o.exchange_seconds, 1)},
    {"db", 'D', "FILE", 0, "Read kernels from this database (lift.db, if it exists)",
     CLI_WORD(struct run_args, o.database)},
    {"explore-seconds", 0, "SECONDS", 0,
     "If the database has no kernel for these sizes and this device, explore for this "
     "time first, into the database. Without this option, the run takes the kernel of "
     "the nearest sizes, or a default kernel",
     CLI_POSITIVE(struct run_args, o.plan_seconds, 1)},
    {"checkpoint", 0, "FILE", 0,
     "Write the state to this file when Ctrl-C or SIGTERM stops the run",
     CLI_WORD(struct run_args, o.checkpoint)},
    {"checkpoint-every", 0, "K", 0, "Also write the checkpoint after every K steps",
     CLI_NUMBER(struct run_args, o.checkpoint_every, 1, INT64_MAX / 2)},
    {"check-finite", 0, "N|auto|no", 0,
     "Check the state for NaN and infinities after every N steps; if there are any, stop "
     "with status 1. auto (the default): checks take 1 % of the time. no: never check",
     CLI_WORD(struct run_args, finite)},
    {"resume", 0, "FILE", 0, "Resume from a checkpoint, up to step N of --steps",
     CLI_WORD(struct run_args, o.from)},
    {"quiet", 'q', NULL, 0, "Print no progress and no summary",
     CLI_FLAG(struct run_args, quiet)},
    CLI_ONE(struct run_args, o.file, "program"),
    CLI_NEEDED("which program?"),
    {0}};

static const char doc[] =
    "Run the time loop of a program on grids from files. With mpirun or srun, each rank "
    "runs a part of the grid.\vWith --resume, inputs that the time loop changes come "
    "from the checkpoint. A file gets its name when it is complete. The exit status is "
    "1 if a result is not finite or the run failed, and 128 plus the number of the "
    "signal if a signal stopped the run.";

static void add_word(struct argp_state *state, struct sim_word *list, int *count,
                     const char *option, char *arg)
{
    char *equals = strchr(arg, '=');

    if (!equals || equals == arg || !equals[1]) {
        argp_error(state, "%s '%s': expected NAME=%s", option, arg,
                   list == ((struct run_args *)state->input)->in ? "VALUE" : "FILE");
        return;
    }
    if (*count == MOST_WORDS)
        argp_error(state, "more than %d times %s", MOST_WORDS, option);
    *equals = '\0';
    list[(*count)++] = (struct sim_word){arg, equals + 1};
}

/* Parses K:PATTERN[,NAME]. */
static void add_snapshot(struct argp_state *state, struct run_args *a, char *arg)
{
    struct sim_snapshot s = {.field = NULL};
    char *colon = strchr(arg, ':'), *comma = colon ? strrchr(colon, ',') : NULL;

    if (!colon) {
        argp_error(state, "--snapshot '%s': expected K:PATTERN[,NAME]", arg);
        return;
    }
    *colon = '\0';
    if (!cli_integer("--snapshot", arg, 1, INT64_MAX / 2, &s.every))
        exit(CLI_USAGE);
    if (comma)
        *comma = '\0';
    s.field = comma ? comma + 1 : NULL;
    s.pattern = colon + 1;
    if (!sim_is_pattern(s.pattern))
        argp_error(
            state,
            "--snapshot '%s': expected one %%d or %%05d in it, for the step, and no "
            "other '%%'",
            s.pattern);
    if (a->o.snapshot_count == MOST_WORDS)
        argp_error(state, "more than %d times --snapshot", MOST_WORDS);
    a->snapshots[a->o.snapshot_count++] = s;
}

/* Parses "2x3". */
static void read_cut(struct argp_state *state, struct run_args *a, const char *arg)
{
    char end;

    if (sscanf(arg, "%4dx%4d%c", &a->o.cut[0], &a->o.cut[1], &end) != 2 ||
        a->o.cut[0] < 1 || a->o.cut[1] < 1)
        argp_error(state, "--cut '%s': expected PxR, two numbers above 0", arg);
}

/* Parses "auto" to 0, "no" to a negative number. */
static int64_t finite_steps(struct argp_state *state, const char *arg)
{
    char *end;
    long long steps = strtoll(arg, &end, 10);

    if (!strcmp(arg, "auto") || !strcmp(arg, "no"))
        return *arg == 'a' ? 0 : -1;
    if (end == arg || *end || steps < 1 || steps > INT64_MAX / 2)
        argp_error(state, "--check-finite '%s': expected a number above 0, auto or no",
                   arg);
    return steps;
}

/* The index of a word in a list that ends with NULL; 0 for NULL. */
static int choose(struct argp_state *state, const char *option, const char *word,
                  const char *const *words, const char *expected)
{
    int i = 0;

    while (word && words[i] && strcmp(words[i], word) != 0)
        i++;
    if (!words[i])
        argp_error(state, "%s '%s': expected %s", option, word, expected);
    return i;
}

static void read_words(struct argp_state *state, struct run_args *a)
{
    static const char *const ways[] = {"auto", "peer", "host", "mpi", "nccl", NULL},
                             *const answers[] = {"auto", "yes", "no", NULL},
                             *const graphs[] = {"auto", "no", NULL};

    a->o.exchange = (enum lift_exchange)choose(state, "--exchange", a->exchange, ways,
                                               "auto, peer, host, mpi or nccl");
    a->o.overlap = (enum lift_overlap)choose(state, "--overlap", a->overlap, answers,
                                             "auto, yes or no");
    a->o.graphs = !choose(state, "--graphs", a->graphs, graphs, "auto or no");
    a->o.check_every = finite_steps(state, a->finite ? a->finite : "auto");
}

/* Rejects options that require other options. */
static void check_options(struct argp_state *state, const struct run_args *a)
{
    const struct {
        const char *name;
        bool given;
    } of_parts[] = {{"--cut", a->o.cut[0]},
                    {"--exchange-every", a->o.exchange_every},
                    {"--exchange", a->exchange},
                    {"--overlap", a->overlap},
                    {"--exchange-timeout", a->o.exchange_seconds > 0}};

    if (a->o.checkpoint_every && !a->o.checkpoint)
        argp_error(state, "--checkpoint-every needs --checkpoint");
    if (a->o.devices && a->device)
        argp_error(state, "--device or --devices");
    for (size_t i = 0; i < sizeof of_parts / sizeof *of_parts; i++)
        if (of_parts[i].given && !a->o.devices && !a->o.job)
            argp_error(state, "%s needs --devices, or several ranks", of_parts[i].name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_args *a = state->input;

    switch (key) {
    case 'i':
        add_word(state, a->in, &a->o.in_count, "--in", arg);
        return 0;
    case 'o':
        add_word(state, a->out, &a->o.out_count, "--out", arg);
        return 0;
    case KEY_POINTS:
        add_word(state, a->points, &a->o.point_count, "--points", arg);
        return 0;
    case KEY_RECORD:
        add_word(state, a->records, &a->o.record_count, "--record", arg);
        return 0;
    case KEY_SNAPSHOT:
        add_snapshot(state, a, arg);
        return 0;
    case KEY_CUT:
        read_cut(state, a, arg);
        return 0;
    case ARGP_KEY_END:
        read_words(state, a);
        check_options(state, a);
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

static const struct cli_argp argp = {options, parse, "FILE.lift", doc};

static int run(int argc, char **argv)
{
    struct run_args a = {.o = {.steps = 1}};
    struct sim *sim;
    bool good, hung;
    int status;

    a.o.in = a.in;
    a.o.out = a.out;
    a.o.points = a.points;
    a.o.records = a.records;
    a.o.snapshots = a.snapshots;
    if (lift_job_find(&a.job) && a.job.size > 1)
        a.o.job = &a.job;
    cli_parse(&argp, argc, argv, &a);
    a.silent = a.o.job && a.job.rank > 0;
    if (!a.o.devices)
        a.o.devices = a.device ? a.device : "host";
    if (!a.o.database && (a.o.plan_seconds > 0 || access(cli_default_db, F_OK) == 0))
        a.o.database = cli_default_db;
    a.o.stop = &run_stopped;
    a.o.report = run_can_show() && !a.quiet && !a.silent ? run_show : NULL;
    sim = sim_prepare(&a.o, &good);
    if (good) {
        run_begin(&a.o, a.silent ? NULL : sim_result(sim), a.quiet);
        sim_run(sim);
        if (!a.silent)
            run_end(&a.o, sim_result(sim), a.quiet);
    }
    status = run_status(&a.o, sim_result(sim));
    hung = sim_result(sim)->hung;
    sim_destroy(sim);
    if (hung) {
        fflush(NULL);
        _exit(status);
    }
    return status;
}

const struct cli_command cli_run = {
    "run", "run the time loop of a program on grids from files", run, &argp, NULL};
