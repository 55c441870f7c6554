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
    bool quiet, silent; /* silent: another rank speaks for all */
    const char *exchange, *overlap, *graphs, *finite; /* NULL: not given */
    struct lift_job job;
};

static const struct cli_option options[] = {
    {"steps", 'n', "N", 0, "Steps of the time loop (1)",
     CLI_NUMBER(struct run_args, o.steps, 1, INT64_MAX / 2)},
    {"in", 'i', "NAME=VALUE", 0,
     "An input: a .npy file, a file of raw elements, a number, or a function of the "
     "indices, '(i, j) => 0.5 * i + j'; or a number for a parameter. May be repeated"},
    {"out", 'o', "NAME=FILE", 0,
     "Write an output, or an input that the time loop changes, after the last step: "
     ".npy, or raw elements to a FILE of another name. May be repeated"},
    {"snapshot", KEY_SNAPSHOT, "K:PATTERN[,NAME]", 0,
     "Write an array (the first output) after every K steps to the file of the PATTERN, "
     "in which %05d stands for the step. May be repeated"},
    {"points", KEY_POINTS, "NAME,NAME=FILE", 0,
     "Two inputs, for 'inject' or 'sample', from points of the grid: a .npy file, or "
     "text, a point in each line: 'z, y, x' in elements. May be repeated"},
    {"record", KEY_RECORD, "NAME=FILE", 0,
     "Write an array as it is after each step, all steps together. May be repeated"},
    {"size", 's', "NAME=N,...", 0,
     "Sizes; what is not given is that of the .npy files, or the default of the program",
     CLI_WORD(struct run_args, o.sizes)},
    CLI_PRECISION_OPTION(0, CLI_PRECISION_SETTING(struct run_args, o.precision)),
    {"device", 'd', "NAME", 0, "The device (host), as 'lift devices' lists it",
     CLI_WORD(struct run_args, device)},
    {"devices", 0, "NAME[=W],...", 0,
     "Several devices, which share the planes of the grid evenly, or by weights; a "
     "device may be named several times. With several ranks, those of a node: one each",
     CLI_WORD(struct run_args, o.devices)},
    {"cut", KEY_CUT, "PxR", 0,
     "With --devices or several ranks: P parts of the planes, each in R parts of the "
     "rows, which are P times R devices; without it, planes alone are shared out"},
    {"exchange-every", 0, "M", 0,
     "Of several parts: they exchange planes after M launches (1), M times as many",
     CLI_NUMBER(struct run_args, o.exchange_every, 1, 1000000)},
    {"exchange", 0, "auto|peer|host|mpi|nccl", 0,
     "How planes go between devices: by copies from one to the other (peer), through "
     "memory of the host, by MPI between ranks, or by NCCL; auto (the default): peer "
     "where it can be, and between ranks nccl",
     CLI_WORD(struct run_args, exchange)},
    {"overlap", 0, "auto|yes|no", 0,
     "Whether the planes that neighbours need come first, and are exchanged while others "
     "are computed; auto (the default): where all devices can copy meanwhile",
     CLI_WORD(struct run_args, overlap)},
    {"graphs", 0, "auto|no", 0,
     "Whether launches that come again from the same buffers are enqueued as one graph "
     "of the driver; auto (the default): where the device has graphs",
     CLI_WORD(struct run_args, graphs)},
    {"exchange-seconds", 0, "SECONDS", 0,
     "With --devices: a launch with its exchange may take so long (600); with several "
     "ranks, another one is waited for so long. Then the run ends, and says for whom",
     CLI_POSITIVE(struct run_args, o.exchange_seconds, 1)},
    {"db", 'D', "FILE", 0, "The database of kernels (lift.db, if it is there)",
     CLI_WORD(struct run_args, o.database)},
    {"plan-seconds", 0, "SECONDS", 0,
     "If the database has no kernel for these sizes on the device, explore so long "
     "first, into the database; without it, the nearest one or a plain one is taken",
     CLI_POSITIVE(struct run_args, o.plan_seconds, 1)},
    {"checkpoint", 0, "FILE", 0,
     "Where the state is kept when the run is stopped, by Ctrl-C or SIGTERM",
     CLI_WORD(struct run_args, o.checkpoint)},
    {"checkpoint-every", 0, "K", 0, "Keep it there after every K steps, too",
     CLI_NUMBER(struct run_args, o.checkpoint_every, 1, INT64_MAX / 2)},
    {"check-finite", 0, "N|auto|no", 0,
     "Stop the run, with status 1, if a look at the state after every N steps finds NaN "
     "or "
     "an infinity; auto (the default): looks that take 1 % of the time; no: none",
     CLI_WORD(struct run_args, finite)},
    {"continue", 0, "FILE", 0, "Go on from a checkpoint, to step N",
     CLI_WORD(struct run_args, o.from)},
    {"quiet", 'q', NULL, 0, "No progress line and no summary",
     CLI_FLAG(struct run_args, quiet)},
    CLI_ONE(struct run_args, o.file, "program"),
    CLI_NEEDED("which program?"),
    {0}};

static const char doc[] =
    "Run the time loop of a program on grids from files. Started by mpirun or srun, all "
    "ranks run it together, each with a part of the grid.\vWith --continue, inputs that "
    "the time loop changes come from the checkpoint, and need not be given. Files are "
    "complete before they get their names. Status 1 if a result is not finite, or the "
    "run failed; 128 and the number of the signal if it was stopped.";

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

/* K:PATTERN[,NAME] */
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

/* "2x3" */
static void read_cut(struct argp_state *state, struct run_args *a, const char *arg)
{
    char end;

    if (sscanf(arg, "%4dx%4d%c", &a->o.cut[0], &a->o.cut[1], &end) != 2 ||
        a->o.cut[0] < 1 || a->o.cut[1] < 1)
        argp_error(state, "--cut '%s': expected PxR, two numbers above 0", arg);
}

/* "auto" is 0, "no" below it. */
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

/* The number of a word in a list that ends with NULL; 0 of one that is not given. */
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

/* Options that mean something with others only. */
static void check_options(struct argp_state *state, const struct run_args *a)
{
    const struct {
        const char *name;
        bool given;
    } of_parts[] = {{"--cut", a->o.cut[0]},
                    {"--exchange-every", a->o.exchange_every},
                    {"--exchange", a->exchange},
                    {"--overlap", a->overlap},
                    {"--exchange-seconds", a->o.exchange_seconds > 0}};

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
