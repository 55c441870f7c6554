#include "lift/explore.h"
#include "explore/derive.h"
#include "explore/joint.h"
#include "explore/lower.h"
#include "explore/reference.h"
#include "explore/session.h"
#include "lift/bug.h"
#include "lift/db_query.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXPRS = 2000, MOST_SHAPES = 400 };

bool session_fail(struct session *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&s->result->error, format, args);
    va_end(args);
    s->result->end = LIFT_EXPLORE_FAILED;
    return false;
}

static bool load(struct session *s, struct lift_diags *diags)
{
    const struct lift_explore_options *o = s->options;

    s->problem = explore_problem_load(o->source, o->sizes, o->size_count, diags);
    if (!s->problem) {
        s->result->end = LIFT_EXPLORE_BAD_PROGRAM;
        return false;
    }
    s->result->program = strdup(s->problem->name);
    s->result->sizes = strdup(s->problem->sizes_json);
    LIFT_ASSERT(s->result->program && s->result->sizes);
    return true;
}

static bool open_db(struct session *s)
{
    struct lift_str why = {0};

    s->recorder.db = lift_db_open(s->options->db, LIFT_DB_WRITE, &why);
    if (!s->recorder.db)
        session_fail(s, "%s", lift_str_get(&why));
    else if (lift_db_read_only(s->recorder.db))
        session_fail(s, "database '%s' is of a newer version and cannot be written",
                     s->options->db);
    lift_str_fini(&why);
    return s->result->error.len == 0;
}

static bool probe(struct session *s, bool measure)
{
    struct lift_str why = {0};

    lift_explore_device_fini(&s->device);
    if (!lift_explore_device(s->options->device, measure, &s->device, &why))
        session_fail(s, "%s", lift_str_get(&why));
    lift_str_fini(&why);
    return s->result->error.len == 0;
}

/* The roof is measured once a device. */
static bool find_roof(struct session *s)
{
    struct lift_hash id = lift_device_hash(&s->device.info);
    double roof = 0;

    if (!lift_db_put_device(s->recorder.db, &s->device.info) ||
        !lift_db_get_roof(s->recorder.db, id, &roof))
        return session_fail(s, "%s", lift_db_error(s->recorder.db));
    if (roof <= 0) {
        session_report(s, "measuring the copy bandwidth");
        if (!probe(s, true))
            return false;
        roof = s->device.copy_gbs;
        if (roof > 0 && !lift_db_put_roof(s->recorder.db, id, roof))
            return session_fail(s, "%s", lift_db_error(s->recorder.db));
    }
    s->device.copy_gbs = roof;
    return true;
}

static bool prepare(struct session *s, struct lift_diags *diags)
{
    if (!load(s, diags))
        return false;
    session_report(s, "asking the device");
    return probe(s, false) && open_db(s) && find_roof(s);
}

static bool make_arms(struct session *s)
{
    struct derivation *d = s->derivation;
    struct lift_str why = {0};

    s->arms = calloc((size_t)d->leaf_count + 1, sizeof *s->arms);
    s->leaves = calloc((size_t)d->leaf_count + 1, sizeof *s->leaves);
    s->tried = calloc((size_t)d->leaf_count + 1, sizeof *s->tried);
    LIFT_ASSERT(s->arms && s->leaves && s->tried);
    for (int i = 0; i < d->leaf_count; i++) {
        const struct derive_leaf *leaf = &d->leaves[i];

        lift_str_clear(&why);
        s->leaves[s->arm_count] = i;
        if (explore_arm_make(
                &(struct explore_arm_request){.problem = s->problem,
                                              .device = &s->device.info,
                                              .term = d->nodes[leaf->node].term,
                                              .conditions = leaf->conditions},
                &s->arms[s->arm_count], &why))
            s->arm_count++;
        else
            tally_add(&s->armless, lift_str_get(&why), 1);
    }
    s->result->progress.exprs = s->arm_count;
    if (s->arm_count == 0)
        session_fail(s, "no low-level expression of '%s' fits: %s", s->problem->name,
                     lift_str_get(&why));
    lift_str_fini(&why);
    return s->arm_count > 0;
}

static bool derive(struct session *s)
{
    const struct lift_explore_options *o = s->options;
    struct derive_limits most = {o->max_shapes > 0 ? o->max_shapes : MOST_SHAPES,
                                 o->max_exprs > 0 ? o->max_exprs : MOST_EXPRS};
    const struct tally *unlowered;

    session_report(s, "rewriting");
    s->derivation = explore_derive(s->problem, o->rules, &s->device.info, most);
    unlowered = &s->derivation->reach.unlowered;
    if (s->derivation->leaf_count == 0)
        return session_fail(s, "'%s' cannot be lowered for '%s': %s", s->problem->name,
                            o->device, unlowered->count ? unlowered->rows[0].reason : "");
    return make_arms(s);
}

static bool make_reference(struct session *s)
{
    struct lift_str why = {0};
    lift_expr plain;
    bool good;

    session_report(s, "computing the reference");
    s->bench = (struct explore_bench){.problem = s->problem,
                                      .device = s->options->device,
                                      .info = &s->device.info,
                                      .arms = s->arms,
                                      .seed = s->options->seed};
    plain = explore_lower_plainly(s->problem->ir, s->options->rules,
                                  explore_prepare(s->problem, s->options->rules), &why);
    good = plain && explore_reference_make(&s->bench, plain, &why);
    if (!good)
        session_fail(s, "no reference for '%s': %s", s->problem->name,
                     lift_str_get(&why));
    lift_str_fini(&why);
    return good;
}

static void budget_text(const struct lift_explore_options *o, struct lift_str *out)
{
    if (o->seconds > 0)
        lift_str_addf(out, "%g s", o->seconds);
    if (o->tries > 0)
        lift_str_addf(out, "%s%lld tries", out->len ? ", " : "", (long long)o->tries);
}

static bool start_session(struct session *s)
{
    char hex[LIFT_HASH_HEX];
    struct lift_str budget = {0}, versions = {0};
    struct lift_db_session row = {.argv = s->options->argv, .seed = s->options->seed};
    bool good;

    budget_text(s->options, &budget);
    lift_str_addf(&versions, "rules %s",
                  lift_hash_hex(lift_rules_hash(s->options->rules), hex));
    row.budget = lift_str_get(&budget);
    row.versions = lift_str_get(&versions);
    s->recorder.problem = s->problem;
    s->recorder.derivation = s->derivation;
    s->recorder.device = &s->device.info;
    good = record_problem(&s->recorder) &&
           lift_db_session_start(s->recorder.db, &row, &s->recorder.session);
    s->result->problem = s->recorder.problem_id;
    s->result->device = s->recorder.device_id;
    s->result->session = s->recorder.session;
    lift_str_fini(&budget);
    lift_str_fini(&versions);
    return good || session_fail(s, "%s", lift_db_error(s->recorder.db));
}

static bool start_search(struct session *s)
{
    const char *name = s->options->technique;
    const struct lift_technique *technique =
        name ? lift_technique_find(name) : lift_techniques[0];

    if (!technique)
        return session_fail(s, "no search technique '%s'", name);
    s->joint = explore_joint_make(
        lift_ir_arena(s->problem->ir),
        &(struct explore_joint_parts){s->derivation, s->options->rules, s->arms,
                                      s->leaves, s->arm_count});
    s->ask = explore_ask_create(s->joint, technique, s->options->seed, s->options->tries);
    return true;
}

static const char *end_name(enum lift_explore_end end)
{
    static const char *const names[] = {"budget", "exhausted", "interrupted",
                                        "malformed program", "failed"};

    return names[end];
}

static bool explore(struct session *s, struct lift_diags *diags)
{
    if (!prepare(s, diags) || !derive(s) || !start_session(s))
        return false;
    if (start_search(s) && session_resume(s) && make_reference(s)) {
        s->builder = lift_worker_create(explore_build_serve, &s->bench);
        s->runner = lift_worker_create(explore_run_serve, &s->bench);
        session_loop(s);
    }
    if ((!session_reach(s) || !lift_db_session_end(s->recorder.db, s->recorder.session,
                                                   end_name(s->result->end))) &&
        s->result->end != LIFT_EXPLORE_FAILED)
        session_fail(s, "%s", lift_db_error(s->recorder.db));
    return true;
}

struct lift_explore_result lift_explore(const struct lift_explore_options *options,
                                        struct lift_diags *diags)
{
    struct lift_explore_result result = {.end = LIFT_EXPLORE_BUDGET};
    struct session s = {.options = options, .result = &result, .started = session_now()};

    result.progress.budget = options->seconds;
    result.progress.try_limit = options->tries;
    explore(&s, diags);
    result.progress.elapsed = session_now() - s.started;
    lift_worker_stop(s.builder);
    lift_worker_stop(s.runner);
    if (s.bench.problem)
        explore_reference_free(&s.bench);
    explore_ask_destroy(s.ask);
    free(s.arms);
    free(s.leaves);
    free(s.tried);
    tally_fini(&s.armless);
    derive_destroy(s.derivation);
    lift_explore_device_fini(&s.device);
    if (s.recorder.db)
        lift_db_close(s.recorder.db);
    explore_problem_destroy(s.problem);
    return result;
}

static void free_rows(struct lift_explore_left *rows, int count)
{
    for (int i = 0; i < count; i++)
        free(rows[i].reason);
    free(rows);
}

void lift_explore_result_fini(struct lift_explore_result *result)
{
    free(result->program);
    free(result->sizes);
    lift_str_fini(&result->error);
    free_rows(result->reach.left, result->reach.left_count);
    free_rows(result->reach.unlowered, result->reach.unlowered_count);
    *result = (struct lift_explore_result){.program = NULL};
}
