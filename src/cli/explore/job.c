#include "cli/explore/job.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "cli/explore/exploration.h"
#include "cli/explore/summary.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Share of the time for the merge and the final benchmark, and its maximum in
 * seconds. */
static const double final_share = 0.15, final_most = 120;
/* Interval between checks of the other ranks: a share of the time, within these
 * limits in seconds. */
static const double look_share = 1.0 / 20, look_least = 2, look_most = 120;
/* Seconds: a rank whose file changed more recently is running. */
static const double lately = 30;

struct job_run {
    const struct explore_args *args;
    const struct lift_explore_options *options; /* of the whole job */
    struct lift_str db, state;                  /* files of this rank */
    const char *device;
    double began, final; /* seconds: the start, by lift_seconds; time for the final
                            benchmark, 0: no limit */
    int64_t before[LIFT_TRIAL_STATUSES]; /* the problem's trials before the merge */
};

/* ---- impossible jobs */

static const char *refusal(const struct explore_args *a)
{
    return a->o.table ? "--table is for one process" : NULL;
}

/* Returns true if another job uses the database. */
static bool is_used(const struct job_run *r)
{
    struct cli_rank_state state;

    cli_rank_state_read(lift_str_get(&r->state), &state);
    if (state.is != CLI_RANK_RUNNING || state.pid == getpid() ||
        fabs((double)time(NULL) - state.touched) > lately)
        return false;
    cli_fail(CLI_FAILED,
             "'%s' says that process %lld runs as rank %d of a job with this database: "
             "wait until it ends, or name another one with --db",
             lift_str_get(&r->state), (long long)state.pid, r->args->job.rank);
    return true;
}

/* ---- this rank */

/* Of several devices, chooses the one with the rank's index on the node. */
static bool choose_device(struct job_run *r)
{
    const struct explore_args *a = r->args;
    LIFT_SCOPED(lift_str) why = {0};
    char **names = lift_explore_devices(a->o.devices, a->o.device_count, &why);
    int count = 0;

    while (names && names[count])
        count++;
    if (!names)
        return CLI_REFUSE("%s", lift_str_get(&why));
    if (count > 1 && a->job.local >= count)
        cli_fail(CLI_DONE,
                 "rank %d is number %d of its machine, which has %d devices: two ranks "
                 "share '%s', and their times are unreliable",
                 a->job.rank, a->job.local + 1, count, names[a->job.local % count]);
    r->device = lift_arena_strdup(a->arena, names[count > 1 ? a->job.local % count : 0]);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return true;
}

static void set_options(const struct job_run *r, struct lift_explore_options *o)
{
    const struct explore_args *a = r->args;
    double every = a->winners_every;

    if (every <= 0)
        every = fmin(fmax(look_share * o->seconds, look_least), look_most);
    o->devices = &r->device;
    o->device_count = 1;
    o->db = lift_str_get(&r->db);
    o->no_final = true;
    o->no_naive |= a->job.rank > 0;
    if (o->seconds > 0)
        o->seconds -= r->final;
    o->share = (struct lift_explore_share){.rank = a->job.rank,
                                           .ranks = a->job.size,
                                           .base = r->options->db,
                                           .every = every};
}

static int search(const struct job_run *r, struct cli_exploration *e)
{
    struct lift_explore_options o = *r->options;
    int status;

    set_options(r, &o);
    e->alive = lift_str_get(&r->state);
    status = cli_exploration_run(e, &o, r->args->quiet || r->args->job.rank > 0);
    if (status == CLI_DONE && e->result.parts && e->result.parts->lost)
        status =
            cli_fail(CLI_FAILED, "rank %d: %s", r->args->job.rank, e->result.parts->lost);
    return status;
}

/* ---- rank 0, when all ranks have ended */

/* Adds the trials of all numbers of time steps to 'counts'. */
static bool count_trials(const struct job_run *r, const struct lift_explore_result *e,
                         int64_t counts[LIFT_TRIAL_STATUSES])
{
    struct lift_db *db =
        access(r->options->db, F_OK) == 0 ? cli_open(r->options->db) : NULL;
    bool good = db != NULL;

    for (int i = 0; i < e->parts->depth_count && good; i++) {
        int64_t of_depth[LIFT_TRIAL_STATUSES];

        good =
            lift_db_counts(db, e->parts->depths[i].problem, e->parts->device, of_depth);
        for (int k = 0; k < LIFT_TRIAL_STATUSES && good; k++)
            counts[k] += of_depth[k];
    }

    lift_db_close(db);
    return good;
}

/* Updates the summary, which rank 0 prints: counts the trials of all ranks on devices
 * of its kind. */
static void add_up(const struct job_run *r, struct lift_explore_result *e)
{
    struct lift_explore_progress *p = &e->parts->progress;
    int64_t after[LIFT_TRIAL_STATUSES] = {0};

    if (!count_trials(r, e, after))
        return;
    p->trials = p->rejected = 0;
    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++) {
        p->by_status[i] = after[i] - r->before[i];
        *(lift_trial_is_rejected((enum lift_trial_status)i) ? &p->rejected
                                                            : &p->trials) +=
            p->by_status[i];
    }
    p->verified = p->by_status[LIFT_TRIAL_OK];
    e->progress.trials = p->trials;
    e->progress.verified = p->verified;
}

/* Runs the final benchmark of all ranks' results on this rank's device. */
static int hold_final(const struct job_run *r, struct lift_explore_progress *p)
{
    struct lift_explore_options o = *r->options;
    struct cli_exploration e = {.result = {.program = NULL}};
    int status;

    o.devices = &r->device;
    o.device_count = 1;
    o.only_final = o.no_naive = o.no_seeds = true;
    o.seconds = r->final;
    o.trials = 0;
    status = cli_exploration_run(&e, &o, r->args->quiet);
    if (status == CLI_DONE && e.result.progress.best_seconds > 0)
        p->gain = p->naive_seconds / e.result.progress.best_seconds;
    cli_exploration_fini(&e);
    return status;
}

static int finish(struct job_run *r, struct cli_exploration *e, struct cli_rank *ranks)
{
    const struct explore_args *a = r->args;
    int count = a->job.size, status, held = CLI_DONE, said;

    cli_ranks_wait(r->options->db, a->rank_seconds, ranks, count);
    if (e->result.parts)
        count_trials(r, &e->result, r->before);
    status = cli_ranks_merge(r->options->db, ranks, count, a->keep_ranks, !a->json);
    if (ranks[0].end != CLI_RANK_DONE || !ranks[0].merged || !e->result.parts)
        return CLI_FAILED;
    add_up(r, &e->result);
    if (!r->options->no_final)
        held = hold_final(r, &e->result.parts->progress);
    if (held > CLI_USAGE)
        return held;
    e->result.progress.elapsed = lift_seconds() - r->began;
    if (!a->json)
        cli_ranks_print(ranks, count);
    said = cli_explore_summary(
        &(struct cli_summary){.result = &e->result,
                              .progress = &e->progress,
                              .db = r->options->db,
                              .file = a->file,
                              .precision = a->precision,
                              .rules = r->options->rules,
                              .json = a->json,
                              .verbose = a->verbose,
                              .ranks = a->json ? cli_ranks_json(ranks, count) : NULL});
    return status != CLI_DONE ? status : held != CLI_DONE ? held : said;
}

static int run(struct job_run *r)
{
    const struct explore_args *a = r->args;
    struct cli_exploration e = {.result = {.program = NULL}};
    LIFT_FREED struct cli_rank *ranks = lift_alloc((size_t)a->job.size, sizeof *ranks);
    int status = CLI_FAILED;

    if (is_used(r) || !cli_rank_running(lift_str_get(&r->state)))
        return CLI_FAILED;
    if (choose_device(r))
        status = search(r, &e);
    cli_rank_ended(lift_str_get(&r->state), status);
    if (a->job.rank == 0 && status <= CLI_FAILED) {
        ranks[0].end = status == CLI_DONE ? CLI_RANK_DONE : CLI_RANK_FAILED;
        ranks[0].status = status;
        status = finish(r, &e, ranks);
    }
    cli_exploration_fini(&e);
    return status;
}

int cli_explore_job(const struct lift_explore_options *options,
                    const struct explore_args *args)
{
    struct job_run r = {.args = args, .options = options, .began = lift_seconds()};
    const char *why = refusal(args);
    int status;

    if (why && args->job.rank > 0)
        return CLI_USAGE;
    if (why)
        return cli_fail(CLI_USAGE, "this is a job of %d ranks: %s", args->job.size, why);
    if (args->job.rank == 0)
        cli_warn_network(options->db);
    lift_explore_rank_db(options->db, args->job.rank, &r.db);
    cli_rank_state_path(options->db, args->job.rank, &r.state);
    if (!options->no_final)
        r.final = fmin(final_share * options->seconds, final_most);
    status = run(&r);
    lift_str_fini(&r.db);
    lift_str_fini(&r.state);
    return status;
}
