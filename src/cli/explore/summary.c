/* The results of an exploration as JSON, and the exit status. */
#include "cli/explore/summary.h"
#include "cli/best_lines.h"
#include "cli/cli.h"
#include "report/commands.h"
#include "report/schedule.h"
#include "report/short.h"

enum { TOP = 5 };

static const char *const ends[] = {"budget", "exhausted", "interrupted", "malformed",
                                   "failed"};

struct summary {
    const struct cli_summary *of;
    struct lift_db *db;
    struct report_named program; /* names for command lines */
};

static json_t *number_or_null(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

/* ---- one device */

static json_t *left_json(const struct lift_explore_left *rows, int count)
{
    json_t *out = json_object();

    for (int i = 0; i < count; i++)
        json_object_set_new(out, rows[i].reason, json_integer(rows[i].count));
    return out;
}

static json_t *reach_json(const struct lift_explore_reach *r)
{
    return json_pack("{s:I, s:I, s:o, s:o}", "expressions", (json_int_t)r->exprs, "tried",
                     (json_int_t)r->tried, "not_tried", left_json(r->left, r->left_count),
                     "not_lowered", left_json(r->unlowered, r->unlowered_count));
}

static bool add_failure(void *user, const struct lift_db_failure *f)
{
    json_array_append_new(user,
                          json_pack("{s:I, s:s, s:s}", "count", (json_int_t)f->count,
                                    "status", f->status, "reason", f->reason));
    return true;
}

static json_t *counts_json(const struct lift_explore_progress *p)
{
    json_t *counts = json_object();

    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++)
        if (p->by_status[i])
            json_object_set_new(counts, lift_trial_status_name((enum lift_trial_status)i),
                                json_integer(p->by_status[i]));
    return counts;
}

/* Returns the interference in a session, or in the session of a trial; null: unknown. */
static json_t *interference_json(const struct summary *s, struct lift_hash of,
                                 const struct lift_explore_part *part)
{
    json_t *json;

    if (!lift_db_interference(s->db, of, part->device, &json))
        cli_fail(CLI_FAILED, "%s", lift_db_error(s->db));
    return json;
}

static json_t *top_json(const struct summary *s, const struct report_top *top,
                        const struct lift_explore_part *part)
{
    struct lift_db *db = s->db;
    json_t *list = json_array();

    for (int i = 0; i < top->count; i++) {
        const struct report_top_row *row = &top->rows[i];
        json_t *tunables = json_loads(row->tunables, 0, NULL);
        LIFT_SCOPED(lift_str) how = {0}, schedule = {0};
        char hex[LIFT_HASH_HEX];
        struct lift_hash trial;
        json_t *interval =
            row->low > 0 ? json_pack("[f, f]", row->low, row->high) : json_null();

        if (!report_how_short(db, row->expr, ", ", &how) ||
            !report_schedule_of(db, s->of->rules, row->expr, row->tunables, &schedule))
            lift_str_add(&how, lift_db_error(db));
        lift_hash_parse(row->trial, &trial);
        json_array_append_new(
            list,
            json_pack(
                "{s:f, s:o, s:b, s:b, s:f, s:f, s:f, s:s, s:o, s:s, s:s, s:s, s:s, s:o}",
                "seconds", row->seconds, "interval", interval, "confirmed",
                row->confirmed, "tied", row->tied, "gpts", row->gpts, "gbs", row->gbs,
                "copy_share", row->copy_share, "copy_level",
                row->in_cache ? "cache" : "memory", "tunables",
                tunables ? tunables : json_null(), "how", lift_str_get(&how), "schedule",
                lift_str_get(&schedule), "expr", lift_hash_hex(row->expr, hex), "trial",
                row->trial, "interference", interference_json(s, trial, part)));
    }
    return list;
}

/* The command that times the best kernels again if the machine was busy; otherwise null.
 */
static json_t *again_json(const struct summary *s, const struct lift_explore_part *part,
                          const json_t *top)
{
    const struct lift_explore_result *r = s->of->result;
    const json_t *best = json_object_get(json_array_get(top, 0), "interference");
    LIFT_SCOPED(lift_str) command = {0};

    if (!json_is_true(json_object_get(best, "busy")))
        return json_null();
    report_final_command(&(struct report_retiming){.file = s->of->file,
                                                   .precision = s->of->precision,
                                                   .db = s->of->db,
                                                   .device = part->name,
                                                   .sizes = r->sizes,
                                                   .steps = r->steps},
                         &command);
    return json_string(lift_str_get(&command));
}

static json_t *busy_json(const struct lift_explore_part *part)
{
    if (part->trying <= 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:i}", "seconds", part->trying, "session",
                     part->session_busy, "runner", part->runner_busy, "compilers",
                     part->compilers_busy, "jobs", part->jobs);
}

/* The number of time steps of the best kernel: an index of the part's depths. */
static int best_depth(const struct lift_explore_part *part)
{
    for (int i = 0; i < part->depth_count; i++)
        if (part->depths[i].steps == part->progress.best_steps)
            return i;
    return 0;
}

/* The best kernel and the trials of each number of time steps; NULL after a message. */
static json_t *depths_json(const struct summary *s, const struct lift_explore_part *part)
{
    json_t *list = json_array();

    for (int i = 0; i < part->depth_count; i++) {
        const struct lift_explore_depth *depth = &part->depths[i];
        LIFT_SCOPED(report_top) top = {.most = 1};

        if (!report_top_load(&top, s->db, depth->problem, part->device)) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list,
                              json_pack("{s:i, s:I, s:I, s:o, s:b, s:b}", "steps",
                                        depth->steps, "trials", (json_int_t)depth->trials,
                                        "verified", (json_int_t)depth->verified, "gpts",
                                        number_or_null(top.count ? top.rows[0].gpts : 0),
                                        "confirmed", top.count && top.rows[0].confirmed,
                                        "best", top.count && i == best_depth(part)));
    }
    return list;
}

/* Compares the naive kernel with the best kernel of 'top'. Intervals of the search
 * are unknown. */
static json_t *naive_json(const struct lift_explore_part *part,
                          const struct report_top *top)
{
    const struct lift_explore_progress *p = &part->progress;
    bool known = top->count > 0 && p->gain > 0;
    const struct lift_interval launch = {known ? top->rows[0].seconds : 0,
                                         known ? top->rows[0].low : 0,
                                         known ? top->rows[0].high : 0, 0};
    const struct lift_interval best =
        lift_interval_scaled(launch, 1.0 / part->depths[best_depth(part)].steps);

    return cli_naive_json(
        &(struct cli_naive){{p->naive_seconds, p->naive_low, p->naive_high, 0},
                            p->naive_low > 0,
                            part->no_naive},
        &best);
}

/* Adds the costs of a depth, and its failures. */
static bool add_depth(const struct summary *s, const struct lift_explore_part *part,
                      int at, struct lift_db_cost *cost, json_t *failures)
{
    const struct lift_hash problem = part->depths[at].problem;
    struct lift_db_cost one = {0};
    bool good =
        lift_db_cost(s->db, s->of->result->session, problem, part->device, &one) &&
        lift_db_failures(s->db, problem, part->device, add_failure, failures);

    cost->compile += one.compile;
    cost->check += one.check;
    cost->measure += one.measure;
    return good;
}

/* The failures include those of all sessions, by status and reason. Returns NULL
 * after a message. */
static json_t *part_json(const struct summary *s, const struct lift_explore_part *part)
{
    const struct lift_explore_result *r = s->of->result;
    const struct lift_explore_progress *p = &part->progress;
    int best = best_depth(part);
    LIFT_SCOPED(report_top) top = {.most = TOP};
    struct report_named program = s->program;
    LIFT_SCOPED(lift_str) emit = {0};
    struct lift_db_cost cost = {0};
    json_t *failures = json_array(), *depths = depths_json(s, part), *list;
    bool good =
        depths && report_top_load(&top, s->db, part->depths[best].problem, part->device);

    for (int i = 0; i < part->depth_count && good; i++)
        good = add_depth(s, part, i, &cost, failures);
    if (!good) {
        json_decref(depths);
        json_decref(failures);
        cli_fail(CLI_FAILED, "%s", lift_db_error(s->db));
        return NULL;
    }
    program.steps = 0; /* the best kernel of all numbers of time steps */
    report_emit_command(&program, s->of->db, part->name, r->sizes, &emit);
    list = top_json(s, &top, part);
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, "
        "s:o, "
        "s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:i, s:o}",
        "device", part->name, "trials", (json_int_t)p->trials, "rejected",
        (json_int_t)p->rejected, "excluded", (json_int_t)p->excluded, "verified",
        (json_int_t)p->verified, "expressions", p->exprs, "seeds", part->seeds,
        "unknown_seeds", part->unknown_seeds, "learned", part->learned, "gain",
        number_or_null(p->gain), "naive", naive_json(part, &top), "busy", busy_json(part),
        "copy_gbs", number_or_null(part->copy_gbs), "copy_gbs_before",
        number_or_null(part->copy_gbs_before), "by_status", counts_json(p), "failures",
        failures, "reachable", reach_json(&part->reach), "lost", cli_string(part->lost),
        "top", list, "cost",
        json_pack("{s:f, s:f, s:f}", "compiling", cost.compile, "checking", cost.check,
                  "measuring", cost.measure),
        "longest_compilation",
        json_pack("{s:o, s:s?}", "seconds", number_or_null(part->longest_compilation),
                  "kernel", part->longest_kernel),
        "emit", lift_str_get(&emit), "interference",
        interference_json(s, r->session, part), "again", again_json(s, part, list),
        "steps", part->depths[best].steps, "depths", depths);
}

/* ---- all devices */

static json_t *stages_json(const struct cli_progress *progress)
{
    json_t *stages = json_object();

    for (int i = 0; i < progress->stage_count; i++)
        json_object_set_new(stages, progress->stages[i].name,
                            json_real(progress->stages[i].seconds));
    return stages;
}

/* Returns NULL after a message. */
static json_t *summary_json(const struct summary *s)
{
    const struct lift_explore_result *r = s->of->result;
    const struct lift_explore_progress *p = &r->progress;
    LIFT_SCOPED(lift_str) show = {0}, report = {0};
    json_t *json, *devices = json_array(), *part;

    for (int i = 0; i < r->part_count; i++) {
        if (!(part = part_json(s, &r->parts[i]))) {
            json_decref(devices);
            return NULL;
        }
        json_array_append_new(devices, part);
    }
    report_show_command(&s->program, s->of->db, &show);
    report_report_command(s->of->db, &report);
    json = json_pack(
        "{s:s, s:s?, s:s, s:i, s:s, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:s, s:s}",
        "program", r->program, "sizes", r->sizes, "dtype", r->dtype, "steps", r->steps,
        "end", ends[r->end], "db", s->of->db, "trials", (json_int_t)p->trials, "verified",
        (json_int_t)p->verified, "seconds", p->elapsed, "extended",
        number_or_null(r->extended), "stages", stages_json(s->of->progress), "devices",
        devices, "show", lift_str_get(&show), "report", lift_str_get(&report));
    if (s->of->ranks)
        json_object_set(json, "ranks", s->of->ranks);
    return json;
}

/* The exit status: a failure if a device has no verified kernel, unless the user
 * ended the exploration early. */
static int end_status(const struct lift_explore_result *r, const json_t *json)
{
    int lost = 0, missing = 0;
    const json_t *device;
    size_t at;

    json_array_foreach(json_object_get(json, "devices"), at, device) missing +=
        json_array_size(json_object_get(device, "top")) == 0;
    for (int i = 0; i < r->part_count; i++) {
        lost += r->parts[i].lost != NULL;
        if (r->parts[i].lost)
            cli_fail(CLI_FAILED, "%s", r->parts[i].lost);
    }
    if (lost)
        return CLI_FAILED;
    if (missing == 0 || r->end == LIFT_EXPLORE_INTERRUPTED)
        return CLI_DONE;
    return cli_fail(CLI_FAILED,
                    "no kernel of '%s' was verified; \"%s --failures\" says why",
                    r->program, cli_text(json, "show"));
}

int cli_explore_summary(const struct cli_summary *of)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct summary s = {.of = of, .db = cli_open(of->db)};
    int status = CLI_FAILED;
    json_t *json = NULL;

    if (s.db && !report_named(s.db, arena, of->result->problem, &s.program))
        cli_fail(CLI_FAILED, "%s", lift_db_error(s.db));
    else if (s.db) {
        if (!*s.program.program)
            s.program.program =
                of->result
                    ->program; /* the exploration ended before its problem was stored */
        json = summary_json(&s);
    }
    if (json && of->json)
        cli_print_json(json_incref(json));
    else if (json)
        cli_explore_print(json, of->verbose);
    if (json)
        status = end_status(of->result, json);
    json_decref(json);
    json_decref(of->ranks);
    lift_db_close(s.db);
    return status;
}
