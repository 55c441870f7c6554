/* Explores several depths with one budget. The first session explores the depth with
 * the best estimate, and measures the time until a kernel is verified. Then each
 * depth gets a small share of the budget. The faster half then shares as much time as
 * all depths had, and so on, until one depth is left. Small budgets have fewer rungs.
 * Depths whose share would be too small are not explored. */
#include "cli/explore/depths.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/seconds.h"
#include "cli/explore/interrupt.h"
#include "cli/explore/summary.h"
#include "report/short.h"
#include <math.h>
#include <stdlib.h>

/* Fractions of the time for the estimates and for the first session. A session
 * shorter than the minimum would end before its search begins. A rung may take the
 * late fraction of the time of later rungs, so that each depth is explored once. */
static const double estimates_part = 1.0 / 10, first_part = 1.0 / 4, late_part = 1.0 / 3,
                    least_part = 1.0 / 16, least_seconds = 10;

/* One factor of temporal blocking, and its results on each device. */
struct depth {
    int64_t steps;
    struct lift_source source;
    struct cli_exploration last; /* the last exploration, if 'explored' */
    bool explored;               /* at least once by this command */
    bool done;                   /* all configurations were tried, or none can be tried */
    char *why; /* reason why the depth cannot be explored; NULL: explorable */
    struct {
        double estimate, gpts; /* 10^9 grid points a second, of each step; 0: unknown */
        int64_t trials;        /* by this command */
    } devices[CLI_EXPLORE_LIST];
    int device_count;
};

struct depths {
    const struct explore_args *args;
    const struct lift_explore_options *options;
    struct depth all[LIFT_MAX_STEPS]; /* sorted, the best first */
    int count;
    int64_t trials; /* number of trials so far */
    double began;   /* by lift_seconds */
    double start;   /* longest time, in seconds, from a session's start to its first
                       verified kernel */
    bool explored;
    int status; /* CLI_DONE: continue */
};

/* ---- order */

static double value_of(const struct depth *depth, int device, bool estimate)
{
    return estimate ? depth->devices[device].estimate : depth->devices[device].gpts;
}

static double greatest(const struct depths *d, int device, bool estimate)
{
    double most = 0;

    for (int i = 0; i < d->count; i++)
        most = fmax(most, value_of(&d->all[i], device, estimate));
    return most;
}

/* Sorts by speeds or by estimates. Depths without either keep their order, at the
 * end. If devices differ, a depth's score is its greatest fraction of the best speed
 * on any device. */
static void rank(struct depths *d, bool by_estimates)
{
    double scores[LIFT_MAX_STEPS];

    for (int i = 0; i < d->count; i++) {
        struct depth moved = d->all[i];
        double score = 0;
        int at = i;

        for (int k = 0; k < moved.device_count; k++)
            if (value_of(&moved, k, by_estimates) > 0)
                score = fmax(score, value_of(&moved, k, by_estimates) /
                                        greatest(d, k, by_estimates));
        for (; at > 0 && scores[at - 1] < score; at--) {
            d->all[at] = d->all[at - 1];
            scores[at] = scores[at - 1];
        }
        d->all[at] = moved;
        scores[at] = score;
    }
}

/* ---- before the first trial */

static bool load(struct depths *d)
{
    LIFT_SCOPED(lift_error) errors = {0};

    for (int i = 0; i < d->args->step_count; i++) {
        struct depth *depth = &d->all[d->count++];

        depth->steps = d->args->steps[i];
        if (!cli_source(d->args->file, d->args->precision, depth->steps, &depth->source,
                        &errors)) {
            d->status = cli_malformed(&errors);
            break;
        }
    }
    return d->status == CLI_DONE;
}

/* Estimates a depth. A depth that cannot be explored is skipped, unless all depths
 * fail. */
static void estimate(struct depths *d, struct depth *depth, double seconds)
{
    struct lift_explore_options o = *d->options;
    struct cli_exploration e = {.result = {.program = NULL}};
    int status;

    o.source = &depth->source;
    o.seconds = seconds;
    status = cli_exploration_estimate(&e, &o, d->args->quiet);
    if (status == CLI_DONE) {
        depth->device_count = e.result.part_count;
        for (int i = 0; i < e.result.part_count; i++)
            depth->devices[i].estimate = e.result.parts[i].estimate;
    } else if (status == CLI_FAILED) {
        depth->why = lift_strdup(lift_str_get(&e.result.error));
        depth->done = true;
    } else {
        d->status = status;
    }
    cli_exploration_fini(&e);
}

/* Estimates all depths. Without a time limit for the session, estimates have none
 * either. */
static bool estimate_all(struct depths *d)
{
    const double times =
        4; /* an estimate may take up to this multiple of its equal share */
    double budget = estimates_part * d->options->seconds;
    int failed = 0;

    for (int i = 0; i < d->count && d->status == CLI_DONE && !cli_interrupted; i++) {
        double left = budget - (lift_seconds() - d->began);

        if (budget > 0 && left <= 0)
            break;
        estimate(d, &d->all[i], budget > 0 ? times * left / (d->count - i) : 0);
        failed += d->all[i].why != NULL;
    }
    if (d->status == CLI_DONE && failed == d->count)
        d->status = cli_fail(CLI_FAILED, "%s", d->all[0].why);
    rank(d, true);
    return d->status == CLI_DONE;
}

/* ---- exploring */

/* Reads the speeds of the best kernels from the database. */
static void take_results(struct depths *d, struct depth *depth)
{
    const struct lift_explore_result *r = &depth->last.result;
    LIFT_OWNED(lift_db) *db = cli_open(d->options->db);
    int64_t most = 0;

    depth->device_count = r->part_count;
    for (int i = 0; i < r->part_count && db; i++) {
        LIFT_SCOPED(report_top) top = {.most = 1};

        if (report_top_load(&top, db, r->problem, r->parts[i].device) && top.count)
            depth->devices[i].gpts = top.rows[0].gpts;
        depth->devices[i].trials += r->parts[i].progress.trials;
        if (r->parts[i].progress.trials > most)
            most = r->parts[i].progress.trials;
    }
    d->trials += most;
}

static void announce(const struct depth *depth, const struct lift_explore_options *o)
{
    fprintf(stderr, "%lld step%s a launch", (long long)depth->steps,
            depth->steps == 1 ? "" : "s");
    if (o->seconds > 0)
        fprintf(stderr, ", %.3g s", o->seconds);
    if (o->trials > 0)
        fprintf(stderr, ", %lld trials", (long long)o->trials);
    fputc('\n', stderr);
}

/* Explores a depth. An error before any depth was explored ends the command, since
 * other depths would fail as well. */
static void explore(struct depths *d, struct depth *depth, struct lift_explore_options *o)
{
    int status;

    o->source = &depth->source;
    if (!d->args->quiet)
        announce(depth, o);
    cli_exploration_fini(&depth->last);
    depth->explored = false;
    status = cli_exploration_run(&depth->last, o, d->args->quiet);
    if (status == CLI_DONE) {
        take_results(d, depth);
        d->start = fmax(d->start, depth->last.result.first_verified);
        d->explored = depth->explored = true;
        depth->done = depth->last.result.end == LIFT_EXPLORE_EXHAUSTED;
    } else if (status == CLI_FAILED && d->explored) {
        depth->why = lift_strdup(lift_str_get(&depth->last.result.error));
        depth->done = true;
    } else {
        d->status = status;
    }
}

/* Seconds that a session needs to be worth its start. */
static double least_of(const struct depths *d)
{
    return fmax(fmin(least_seconds, least_part * d->options->seconds),
                LIFT_EXPLORE_STARTS * d->start);
}

static double seconds_left(const struct depths *d)
{
    return d->options->seconds - (lift_seconds() - d->began);
}

/* Sets the limits of the next session of a rung with 'sessions' sessions left.
 * 'later' and 'later_trials' are reserved for later rungs. Returns false if the rung
 * is over. The first session of all may take longer, so that it ends with a verified
 * kernel. */
static bool take_share(const struct depths *d, int sessions, double later,
                       int64_t later_trials, struct lift_explore_options *o)
{
    const double shortest = 0.1; /* 0 means no limit */
    double left = seconds_left(d), least = least_of(d);
    int64_t trials = d->options->trials - d->trials;
    bool over = d->options->trials > 0 && trials <= 0;

    if (d->options->trials > 0)
        o->trials = lift_max((trials - later_trials) / sessions, (int64_t)1);
    if (d->options->seconds > 0 && !d->explored) {
        o->seconds = fmin(least_seconds, first_part * d->options->seconds);
        o->most_seconds = left;
    } else if (d->options->seconds > 0) {
        o->seconds = fmax(fmin(fmax((left - later) / sessions, least), left), shortest);
        over |= least / 2 > left - fmax((1 - late_part) * later, 0);
    }
    return !over || !d->explored;
}

/* Runs a session for each of the first 'count' depths with untried configurations.
 * Only the first session and the last rung time the naive kernel, whose compilation
 * is slow for many steps. */
static void explore_rung(struct depths *d, int count, int rungs)
{
    double later = seconds_left(d) * (rungs - 1) / rungs;
    int64_t trials = d->options->trials - d->trials,
            later_trials = trials - trials / rungs;
    struct depth *chosen[LIFT_MAX_STEPS];
    int n = 0;

    for (int i = 0; i < d->count && n < count; i++)
        if (!d->all[i].done)
            chosen[n++] = &d->all[i];
    for (int i = 0; i < n && d->status == CLI_DONE && !cli_interrupted; i++) {
        struct lift_explore_options o = *d->options;

        if (!take_share(d, n - i, later, later_trials, &o))
            break;
        o.no_naive |= o.most_seconds <= 0 && rungs > 1;
        explore(d, chosen[i], &o);
    }
    rank(d, false);
}

/* Without a budget, explores each depth once, to its end. */
static void explore_all(struct depths *d)
{
    bool limited = d->options->seconds > 0 || d->options->trials > 0;
    int rungs = 1, left = d->count;

    for (int depths = d->count; limited && depths > 1; depths = (depths + 1) / 2)
        rungs++;
    for (; rungs > 0 && d->status == CLI_DONE; rungs--, left = (left + 1) / 2) {
        for (; rungs > 1 && d->options->seconds > 0 &&
               seconds_left(d) < rungs * least_of(d);
             rungs--)
            left = (left + 1) / 2;
        explore_rung(d, left, rungs);
    }
}

/* ---- the end */

static const char *device_name(const struct depths *d, int device)
{
    for (int i = 0; i < d->count; i++)
        if (d->all[i].explored && device < d->all[i].last.result.part_count)
            return d->all[i].last.result.parts[device].name;
    return "";
}

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *depth_json(const struct depths *d, const struct depth *depth)
{
    bool found = depth->device_count > 0 && depth->devices[0].gpts > 0;
    json_t *devices = json_array();
    LIFT_SCOPED(lift_str) why = {0};

    if (depth->why)
        lift_str_add(&why, depth->why);
    else if (depth->explored)
        lift_str_add(&why, "no kernel was verified");
    else if (least_of(d) > 0)
        lift_str_addf(
            &why, "not explored: a session needs about %.2g s, and less time was left",
            least_of(d));
    else
        lift_str_add(&why, "not explored: no time was left");
    for (int i = 0; i < depth->device_count; i++) {
        double gpts = depth->devices[i].gpts;

        json_array_append_new(
            devices,
            json_pack("{s:s, s:o, s:o, s:I, s:b}", "device", device_name(d, i), "gpts",
                      positive(gpts), "estimate", positive(depth->devices[i].estimate),
                      "trials", (json_int_t)depth->devices[i].trials, "best",
                      gpts > 0 && gpts == greatest(d, i, false)));
    }
    return json_pack("{s:I, s:b, s:o, s:s?}", "steps", (json_int_t)depth->steps,
                     "explored", depth->explored, "devices", devices, "reason",
                     found ? NULL : lift_str_get(&why));
}

/* Sorted by depth, not by speed. */
static json_t *depths_json(const struct depths *d)
{
    json_t *list = json_array();

    for (int64_t n = 1; n <= LIFT_MAX_STEPS; n++)
        for (int i = 0; i < d->count; i++)
            if (d->all[i].steps == n)
                json_array_append_new(list, depth_json(d, &d->all[i]));
    return list;
}

/* Prints the summary of the best depth's last session, and a line for each depth. */
static int say(const struct depths *d)
{
    const struct depth *best = d->all;
    json_auto_t *json = depths_json(d);
    int status;

    while (best < d->all + d->count && !best->explored)
        best++;
    if (best == d->all + d->count)
        return cli_interrupted ? CLI_DONE : CLI_FAILED;
    status = cli_explore_summary(
        &(struct cli_summary){.result = &best->last.result,
                              .progress = &best->last.progress,
                              .db = d->options->db,
                              .file = d->args->file,
                              .precision = d->args->precision,
                              .rules = d->options->rules,
                              .json = d->args->json,
                              .verbose = d->args->verbose,
                              .depths = d->args->json ? json_incref(json) : NULL});
    if (!d->args->json)
        cli_depths_print(json);
    for (int i = 0; i < d->count; i++)
        if (d->all[i].why)
            status = CLI_FAILED;
    return status;
}

int cli_explore_depths(const struct explore_args *args,
                       const struct lift_explore_options *options)
{
    struct depths d = {
        .args = args, .options = options, .began = lift_seconds(), .status = CLI_DONE};

    cli_warn_network(options->db);
    lift_explore_devices_remember();
    if (load(&d) && estimate_all(&d))
        explore_all(&d);
    if (d.status == CLI_DONE)
        d.status = say(&d);
    for (int i = 0; i < d.count; i++) {
        cli_exploration_fini(&d.all[i].last);
        lift_source_free(&d.all[i].source);
        free(d.all[i].why);
    }
    return d.status;
}
