/* Inserts rows. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/stats.h"
#include "tuner/db/db_internal.h"
#include <math.h>
#include <stdlib.h>

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Reports that the caller passed NULL as a row. */
static bool db_nothing(struct lift_db *db)
{
    LIFT_ASSERT(db);
    return db_failf(db, "'%s': the row that is to be put is NULL", db->path);
}

bool lift_db_put_device(struct lift_db *db, const struct lift_device_info *info)
{
    if (!info)
        return db_nothing(db);
    return db_write(db, NULL, DB_PUT_DEVICE, "httttiiiii", lift_device_hash(info),
                    info->runtime, info->name, info->vendor, info->arch,
                    (int64_t)info->compute_units, (int64_t)info->simd_width,
                    (int64_t)info->max_group_size, info->local_bytes, info->global_bytes);
}

bool lift_db_put_copy_bandwidth(struct lift_db *db, struct lift_hash device, double gbs)
{
    int changes;

    if (!db_write(db, &changes, DB_PUT_COPY_BANDWIDTH, "hd", device, gbs))
        return false;
    return changes == 1 || db_failf(db, "'%s' does not know that device", db->path);
}

bool lift_db_get_copy_bandwidth(struct lift_db *db, struct lift_hash device, double *gbs)
{
    sqlite3_stmt *stmt = db_query(db, DB_GET_COPY_BANDWIDTH, "h", device);
    int row;

    *gbs = 0;
    if (!stmt)
        return false;
    row = db_step(db, stmt);
    if (row > 0)
        *gbs = db_real(stmt, 0, DB_MOST_RATE);
    db_done(stmt);
    return row >= 0;
}

bool lift_db_put_cache_bandwidth(struct lift_db *db, struct lift_hash device,
                                 int64_t bytes, double gbs)
{
    int changes;

    if (!db_write(db, &changes, DB_PUT_CACHE_BANDWIDTH, "hid", device, bytes, gbs))
        return false;
    return changes == 1 || db_failf(db, "'%s' does not know that device", db->path);
}

bool lift_db_get_cache_bandwidth(struct lift_db *db, struct lift_hash device,
                                 int64_t *bytes, double *gbs)
{
    sqlite3_stmt *stmt = db_query(db, DB_GET_CACHE_BANDWIDTH, "h", device);
    int row;

    *bytes = 0;
    *gbs = 0;
    if (!stmt)
        return false;
    row = db_step(db, stmt);
    if (row > 0) {
        *bytes = db_count(stmt, 0);
        *gbs = db_real(stmt, 1, DB_MOST_RATE);
    }
    db_done(stmt);
    return row >= 0;
}

bool lift_db_put_program(struct lift_db *db, const struct lift_db_program *program)
{
    if (!program)
        return db_nothing(db);
    return db_write(db, NULL, DB_PUT_PROGRAM, "htt", program->id, program->name,
                    program->text);
}

/* The root identifies the program's meaning, so the program's text is not part of the
 * problem's id. */
struct lift_hash lift_db_problem_id(const struct lift_db_problem *problem)
{
    struct lift_hash id = lift_hash_combine(problem->program, problem->root);

    id = lift_hash_combine(id, lift_hash_text(or_empty(problem->sizes)));
    id = lift_hash_combine(id, lift_hash_text(or_empty(problem->params)));
    return lift_hash_combine(id, lift_hash_text(or_empty(problem->dtype)));
}

bool lift_db_put_problem(struct lift_db *db, const struct lift_db_problem *problem,
                         struct lift_hash *id)
{
    if (!problem)
        return db_nothing(db);
    *id = lift_db_problem_id(problem);
    return db_write(db, NULL, DB_PUT_PROBLEM, "hhhtttiii", *id, problem->program,
                    problem->root, problem->sizes, problem->params, problem->dtype,
                    problem->points, problem->bytes, (int64_t)problem->steps);
}

bool lift_db_put_expr(struct lift_db *db, const struct lift_db_expr *expr)
{
    if (!expr)
        return db_nothing(db);
    return db_write(db, NULL, DB_PUT_EXPR, "htit", expr->id,
                    expr->level == LIFT_DB_LOW ? "low" : "high", (int64_t)expr->size,
                    expr->text);
}

bool lift_db_put_deriv(struct lift_db *db, const struct lift_db_deriv *deriv)
{
    if (!deriv)
        return db_nothing(db);
    return db_write(db, NULL, DB_PUT_DERIV, "hhttt", deriv->child, deriv->parent,
                    deriv->rule, deriv->position, deriv->args);
}

bool lift_db_put_macro(struct lift_db *db, const struct lift_db_macro *m)
{
    if (!m)
        return db_nothing(db);
    return db_write(db, NULL, DB_PUT_MACRO, "hhttii", m->child, m->parent, m->macro,
                    m->position, (int64_t)m->steps, (int64_t)m->depth);
}

struct lift_hash db_candidate_id(struct lift_hash expr, const char *tunables)
{
    return lift_hash_combine(expr, lift_hash_text(tunables));
}

bool lift_db_put_candidate(struct lift_db *db, struct lift_hash expr,
                           const char *tunables, struct lift_hash *id)
{
    if (!tunables)
        tunables = "{}";
    *id = db_candidate_id(expr, tunables);
    return db_write(db, NULL, DB_PUT_CANDIDATE, "hht", *id, expr, tunables);
}

bool lift_db_put_reach(struct lift_db *db, struct lift_hash session,
                       struct lift_hash problem, struct lift_hash device,
                       const struct lift_db_reach *reach)
{
    return db_write(db, NULL, DB_PUT_REACH, "hhhtti", session, problem, device,
                    reach->what, reach->reason, reach->count);
}

/* Trials. */

static const char *const status_names[LIFT_TRIAL_STATUSES] = {
    [LIFT_TRIAL_STARTED] = "started",
    [LIFT_TRIAL_OK] = "ok",
    [LIFT_TRIAL_SLOW] = "slow",
    [LIFT_TRIAL_SLAB] = "slab",
    [LIFT_TRIAL_CONSTRAINT] = "constraint",
    [LIFT_TRIAL_CODEGEN] = "codegen",
    [LIFT_TRIAL_COMPILE_ERROR] = "compile_error",
    [LIFT_TRIAL_COMPILE_TIMEOUT] = "compile_timeout",
    [LIFT_TRIAL_RESOURCE] = "resource",
    [LIFT_TRIAL_LAUNCH_ERROR] = "launch_error",
    [LIFT_TRIAL_RUN_ERROR] = "run_error",
    [LIFT_TRIAL_RUN_TIMEOUT] = "run_timeout",
    [LIFT_TRIAL_CRASH] = "crash",
    [LIFT_TRIAL_WRONG] = "wrong",
    [LIFT_TRIAL_NONFINITE] = "nonfinite",
    [LIFT_TRIAL_OVERFLOW] = "overflow",
    [LIFT_TRIAL_NONDETERMINISTIC] = "nondeterministic",
    [LIFT_TRIAL_DEVICE_LOST] = "device_lost",
    [LIFT_TRIAL_LOST] = "lost",
};

bool lift_trial_is_rejected(enum lift_trial_status status)
{
    return status == LIFT_TRIAL_CODEGEN || status == LIFT_TRIAL_CONSTRAINT;
}

const char *lift_trial_status_name(enum lift_trial_status status)
{
    LIFT_ASSERT(status >= 0 && status < LIFT_TRIAL_STATUSES);
    return status_names[status];
}

const char *lift_trial_phase_name(enum lift_trial_phase phase)
{
    static const char *const names[LIFT_TRIAL_PHASES] = {"search", "seed",
                                                         "final_benchmark", "recheck"};

    LIFT_ASSERT(phase >= 0 && phase < LIFT_TRIAL_PHASES);
    return names[phase];
}

bool lift_db_put_env(struct lift_db *db, const struct lift_db_env *env,
                     struct lift_hash *id)
{
    const char *fields[] = {env->os,       env->kernel, env->driver, env->runtime,
                            env->compiler, env->tool,   env->unit,   env->settings};

    *id = (struct lift_hash){0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        *id = lift_hash_combine(*id, lift_hash_text(or_empty(fields[i])));
    return db_write(db, NULL, DB_PUT_ENV, "htttttttt", *id, fields[0], fields[1],
                    fields[2], fields[3], fields[4], fields[5], fields[6], fields[7]);
}

bool lift_db_trial_start(struct lift_db *db, const struct lift_db_trial *trial,
                         struct lift_hash *id)
{
    char env[LIFT_HASH_HEX] = "";

    if (trial->env.lo || trial->env.hi)
        lift_hash_hex(trial->env, env);
    return db_new_id(db, id) &&
           db_write(db, NULL, DB_TRIAL_START, "hhhhhtt", *id, trial->candidate,
                    trial->problem, trial->device, trial->session,
                    lift_trial_phase_name(trial->phase), env);
}

bool lift_db_trial_launch(struct lift_db *db, struct lift_hash id)
{
    return db_write(db, NULL, DB_TRIAL_LAUNCH, "h", id);
}

bool lift_db_put_finalist(struct lift_db *db, struct lift_hash session,
                          struct lift_hash problem, struct lift_hash device,
                          const struct lift_db_finalist *f)
{
    return db_write(db, NULL, DB_PUT_FINALIST, "hhhihdddi", session, problem, device,
                    (int64_t)f->place, f->trial, f->seconds * 1e9, f->low * 1e9,
                    f->high * 1e9, (int64_t)f->tied);
}

bool lift_db_put_event(struct lift_db *db, struct lift_hash session,
                       struct lift_hash device, const struct lift_db_event *event)
{
    struct lift_hash id;

    return db_new_id(db, &id) && db_write(db, NULL, DB_PUT_EVENT, "hhhtt", id, device,
                                          session, event->kind, event->text);
}

/* The median of samples that are not discarded, in nanoseconds; NaN if there is none. */
static double median_ns(const struct lift_db_end *end)
{
    int count = end->sample_count, *throttled;
    double *kept, median;

    if (!count)
        return NAN;
    throttled = lift_resize(NULL, (size_t)count, sizeof *throttled);
    kept = lift_resize(NULL, (size_t)count, sizeof *kept);
    for (int i = 0; i < count; i++)
        throttled[i] = end->clocks ? end->clocks[i].throttled : -1;
    count = lift_stats_keep(end->samples, throttled, count, kept);
    for (int i = 0; i < count; i++)
        kept[i] = (double)llround(kept[i] * 1e9);
    median = lift_median(kept, count);
    free(throttled);
    free(kept);
    return median;
}

/* The device is part of the id, since a compiler's output depends on the device. */
static bool put_build(struct lift_db *db, const struct lift_db_build *b,
                      struct lift_hash device, struct lift_hash *id)
{
    struct lift_hash source = lift_hash_text(b->source);

    *id = lift_hash_combine(source, lift_hash_text(or_empty(b->compiler)));
    *id = lift_hash_combine(*id, lift_hash_text(or_empty(b->driver)));
    *id = lift_hash_combine(*id, lift_hash_text(or_empty(b->flags)));
    *id = lift_hash_combine(*id, device);
    return db_write(db, NULL, DB_PUT_SOURCE, "ht", source, b->source) &&
           db_write(db, NULL, DB_PUT_BUILD, "hhtttiiiit", *id, source, b->compiler,
                    b->driver, b->flags, (int64_t)b->resources.registers,
                    (int64_t)b->resources.spill_bytes, b->resources.local_bytes,
                    (int64_t)b->resources.max_group_size, b->log);
}

static const char *check_name(enum lift_check_kind kind)
{
    static const char *const names[LIFT_CHECK_KINDS] = {"small", "full", "second",
                                                        "slab"};

    return names[kind];
}

static bool put_samples(struct lift_db *db, struct lift_hash id,
                        const struct lift_db_end *end)
{
    static const struct lift_db_clock unknown = {1, 0, -1};

    for (int i = 0; i < end->sample_count; i++) {
        const struct lift_db_clock *c = end->clocks ? &end->clocks[i] : &unknown;

        if (!db_write(db, NULL, DB_PUT_TIMING, "hiiidi", id, (int64_t)i,
                      (int64_t)llround(end->samples[i] * 1e9),
                      (int64_t)(c->batch > 0 ? c->batch : 1), c->mhz,
                      (int64_t)c->throttled))
            return false;
    }
    return true;
}

static bool put_results(struct lift_db *db, struct lift_hash id,
                        const struct lift_db_end *end)
{
    for (int i = 0; i < end->check_count; i++) {
        const struct lift_db_check *c = &end->checks[i];

        if (!db_write(db, NULL, DB_PUT_CHECK, "hitddii", id, (int64_t)i,
                      check_name(c->kind), c->max_error, c->bound, c->bad, c->first_bad))
            return false;
    }
    return put_samples(db, id, end);
}

static bool device_of(struct lift_db *db, struct lift_hash trial,
                      struct lift_hash *device)
{
    sqlite3_stmt *stmt = db_query(db, DB_TRIAL_DEVICE, "h", trial);
    int row = stmt ? db_step(db, stmt) : -1;

    *device = row > 0 ? db_hash(stmt, 0) : (struct lift_hash){0};
    if (stmt)
        db_done(stmt);
    return row >= 0;
}

static bool put_end(struct lift_db *db, struct lift_hash id,
                    const struct lift_db_end *end)
{
    char hex[LIFT_HASH_HEX], build[LIFT_HASH_HEX] = "";
    struct lift_hash build_id, device;
    int changes;

    if (end->build) {
        if (!device_of(db, id, &device) || !put_build(db, end->build, device, &build_id))
            return false;
        lift_hash_hex(build_id, build);
    }
    if (!db_write(db, &changes, DB_TRIAL_FINISH, "htttdddd", id,
                  status_names[end->status], end->reason, build, median_ns(end),
                  end->compile_s, end->check_s, end->measure_s))
        return false;
    if (changes != 1)
        return db_failf(db, "cannot end the trial '%s' of '%s': it is not running",
                        lift_hash_hex(id, hex), db->path);
    return put_results(db, id, end);
}

static bool is_verified(const struct lift_db_end *end)
{
    bool full = false;

    for (int i = 0; i < end->check_count; i++) {
        if (end->checks[i].bad)
            return false;
        full = full || end->checks[i].kind == LIFT_CHECK_FULL;
    }
    return full && end->sample_count > 0;
}

bool lift_db_trial_finish(struct lift_db *db, struct lift_hash id,
                          const struct lift_db_end *end)
{
    LIFT_ASSERT(end->status > LIFT_TRIAL_STARTED && end->status < LIFT_TRIAL_STATUSES);
    LIFT_ASSERT(end->status != LIFT_TRIAL_OK || is_verified(end));
    return lift_db_begin(db) && lift_db_end(db, put_end(db, id, end));
}
