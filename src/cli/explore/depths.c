/* Several depths in one run. The one of which the cost model expects most has the first
 * session, which shows how long it takes until a kernel is verified and has more time if
 * that is long. Then each gets a
 * small share of the budget; then the faster half of them gets as much as all did, and so
 * on, until one is left. There are fewer depths and rungs where shares would be of no
 * use. */
#include "cli/explore/depths.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "cli/explore/interrupt.h"
#include "cli/explore/summary.h"
#include "report/short.h"
#include <math.h>
#include <stdlib.h>

/* Of the time, for the estimates; depths that have none then come last. */
static const double estimates_part = 0.1;

struct depths {
    const struct explore_args *args;
    const struct lift_explore_options *options;
    struct cli_depth all[LIFT_MAX_STEPS];
    int count;
    struct cli_share budget, used;
    double began; /* by lift_seconds */
    double start; /* seconds until a session's first kernel was verified, the longest */
    bool explored;
    int status; /* CLI_DONE: go on */
};

/* ---- before anything is tried */

static bool load(struct depths *d)
{
    LIFT_SCOPED(lift_error) errors = {0};

    for (int i = 0; i < d->args->step_count; i++) {
        struct cli_depth *depth = &d->all[d->count++];

        depth->steps = d->args->steps[i];
        if (!cli_source(d->args->file, d->args->precision, depth->steps, &depth->source,
                        &errors)) {
            d->status = cli_malformed(&errors);
            break;
        }
    }
    return d->status == CLI_DONE;
}

static void take_estimates(struct cli_depth *depth, const struct lift_explore_result *r)
{
    depth->device_count = r->part_count;
    for (int i = 0; i < r->part_count; i++)
        depth->devices[i].estimate = r->parts[i].estimate;
}

/* A depth that cannot be explored is left out, unless all are. */
static void estimate(struct depths *d, struct cli_depth *depth, double seconds)
{
    struct lift_explore_options o = *d->options;
    struct cli_exploration e = {.result = {.program = NULL}};
    int status;

    o.source = &depth->source;
    o.seconds = seconds;
    status = cli_exploration_estimate(&e, &o, d->args->quiet);
    if (status == CLI_DONE) {
        take_estimates(depth, &e.result);
    } else if (status == CLI_FAILED) {
        depth->why = lift_strdup(lift_str_get(&e.result.error));
        depth->done = true;
    } else {
        d->status = status;
    }
    cli_exploration_fini(&e);
}

/* Nothing is used of a time that is not limited. */
static void use_time(struct depths *d)
{
    d->used.seconds = d->budget.seconds > 0 ? lift_seconds() - d->began : 0;
}

static bool has_time_to_estimate(struct depths *d)
{
    use_time(d);
    return d->budget.seconds <= 0 || d->used.seconds < estimates_part * d->budget.seconds;
}

/* Of a session, so that what it may spend on estimates is a fair part of the time that is
 * left for those of so many depths; 0: no limit. */
static double seconds_of_estimate(const struct depths *d, int left)
{
    const double times = 4;

    return times * (estimates_part * d->budget.seconds - d->used.seconds) / left;
}

static bool estimate_all(struct depths *d)
{
    int failed = 0;

    for (int i = 0; i < d->count && d->status == CLI_DONE && !cli_interrupted; i++)
        if (has_time_to_estimate(d)) {
            estimate(d, &d->all[i], seconds_of_estimate(d, d->count - i));
            failed += d->all[i].why != NULL;
        }
    if (d->status == CLI_DONE && failed == d->count)
        d->status = cli_fail(CLI_FAILED, "%s", d->all[0].why);
    cli_depths_rank(d->all, d->count, true);
    return d->status == CLI_DONE;
}

/* ---- exploring */

/* The best kernels are those that the database knows. */
static void take_results(struct depths *d, struct cli_depth *depth)
{
    const struct lift_explore_result *r = &depth->last.result;
    LIFT_OWNED(lift_db) *db = cli_open(d->options->db);
    int64_t most = 0;

    depth->device_count = r->part_count;
    for (int i = 0; i < r->part_count && db; i++) {
        struct cli_depth_device *device = &depth->devices[i];
        LIFT_SCOPED(report_top) top = {.most = 1};

        if (report_top_load(&top, db, r->problem, r->parts[i].device) && top.count)
            device->gpts = top.rows[0].gpts;
        device->tries += r->parts[i].progress.tries;
        if (r->parts[i].progress.tries > most)
            most = r->parts[i].progress.tries;
    }
    d->used.tries += most;
}

static void announce(const struct depths *d, const struct cli_depth *depth,
                     const struct cli_share *share)
{
    if (d->args->quiet)
        return;
    fprintf(stderr, "%lld step%s at once", (long long)depth->steps,
            depth->steps == 1 ? "" : "s");
    if (share->seconds > 0)
        fprintf(stderr, ", %.3g s", share->seconds);
    if (share->tries > 0)
        fprintf(stderr, ", %lld tries", (long long)share->tries);
    fputc('\n', stderr);
}

/* What fails before anything was explored would fail for the others, too. The naive
 * kernel, which takes long to compile if it is of many steps, is for the first session,
 * which is to end with a verified kernel, and for the last rung. */
static void explore(struct depths *d, struct cli_depth *depth,
                    const struct cli_share *share, double most, bool naive)
{
    struct lift_explore_options o = *d->options;
    int status;

    o.source = &depth->source;
    o.seconds = share->seconds;
    o.tries = share->tries;
    o.most_seconds = most;
    o.no_plain |= !naive;
    announce(d, depth, share);
    cli_exploration_fini(&depth->last);
    depth->explored = false;
    status = cli_exploration_run(&depth->last, &o, d->args->quiet);
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
    use_time(d);
}

/* The first 'left' of those of which something is left. */
static int choose(struct depths *d, int left, struct cli_depth **chosen)
{
    int count = 0;

    for (int i = 0; i < d->count && count < left; i++)
        if (!d->all[i].done)
            chosen[count++] = &d->all[i];
    return count;
}

/* Its time is known then, and the depth is done with the first rung. */
static struct cli_depth *explore_first(struct depths *d)
{
    struct cli_share share = {.seconds = cli_depth_first(&d->budget)};
    struct cli_depth *first;

    if (d->budget.seconds <= 0 || d->count < 2 || !choose(d, 1, &first))
        return NULL;
    if (d->budget.tries > 0)
        share.tries = d->budget.tries / cli_depth_rungs(d->count) / d->count + 1;
    explore(d, first, &share, d->budget.seconds - d->used.seconds, true);
    return first;
}

static double least_of(const struct depths *d)
{
    return cli_depth_least(&d->budget, d->start);
}

static void explore_rung(struct depths *d, int left, int rungs_left,
                         const struct cli_depth *but)
{
    struct cli_share end, share;
    struct cli_depth *chosen[LIFT_MAX_STEPS];
    int count = choose(d, left, chosen);

    use_time(d);
    end = cli_depth_rung_end(&d->budget, &d->used, rungs_left);
    for (int i = 0; i < count && d->status == CLI_DONE && !cli_interrupted; i++)
        if (chosen[i] != but && (cli_depth_share(&d->budget, &d->used, &end, count - i,
                                                 least_of(d), &share) ||
                                 !d->explored))
            explore(d, chosen[i], &share, 0, rungs_left == 1);
    cli_depths_rank(d->all, d->count, false);
}

/* Without a budget each is explored once, to the end. */
static void explore_all(struct depths *d)
{
    bool limited = d->budget.seconds > 0 || d->budget.tries > 0;
    int rungs = limited ? cli_depth_rungs(d->count) : 1, left = d->count, most;
    const struct cli_depth *first = explore_first(d);

    for (; rungs > 0 && d->status == CLI_DONE; rungs--, left = (left + 1) / 2) {
        use_time(d);
        most = cli_depth_rungs_left(&d->budget, &d->used, least_of(d), rungs);
        for (; rungs > most; rungs--)
            left = (left + 1) / 2;
        explore_rung(d, left, rungs, rungs > 1 ? first : NULL);
        first = NULL;
    }
    for (int i = 0; i < d->count; i++)
        d->all[i].needs = least_of(d);
}

/* ---- the end */

static const struct cli_depth *first_explored(const struct depths *d)
{
    for (int i = 0; i < d->count; i++)
        if (d->all[i].explored)
            return &d->all[i];
    return NULL;
}

/* The last session of the best depth, and a line for each of them. */
static int say(const struct depths *d)
{
    const struct cli_depth *best = first_explored(d);
    bool json = d->args->json;
    int status = CLI_DONE;

    if (!best)
        return cli_interrupted ? CLI_DONE : CLI_FAILED;
    status = cli_explore_summary(&(struct cli_summary){
        &best->last.result, &best->last.progress, d->options->db, json,
        json ? cli_depths_json(d->all, d->count) : NULL, NULL});
    if (!json)
        cli_depths_print(d->all, d->count);
    for (int i = 0; i < d->count; i++)
        if (d->all[i].why)
            status = CLI_FAILED;
    return status;
}

int cli_explore_depths(const struct explore_args *args,
                       const struct lift_explore_options *options)
{
    struct depths d = {.args = args,
                       .options = options,
                       .budget = {options->seconds, options->tries},
                       .began = lift_seconds(),
                       .status = CLI_DONE};

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
