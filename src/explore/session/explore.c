#include "explore/explore.h"
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/derive.h"
#include "explore/final/final.h"
#include "explore/session/session.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool session_fail(struct session *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&s->result->error, format, args);
    va_end(args);
    s->result->end = LIFT_EXPLORE_FAILED;
    return false;
}

bool session_db_fail(struct session *s)
{
    return session_fail(s, "%s", lift_db_error(s->db));
}

static bool add_depth(struct session *s, struct explore_problem *problem)
{
    if (problem)
        s->depths[s->depth_count++] = (struct depth){
            .steps = problem->program->steps > 1 ? problem->program->steps : 1,
            .problem = problem};
    return problem != NULL;
}

/* Adds the depths that explorations of a program with a time loop include. A depth that
 * cannot be made, or takes long to make, ends the list. */
static void load_deeper(struct session *s)
{
    static const double most_seconds = 1;
    double began = lift_seconds();

    for (int steps = 2; steps <= LIFT_EXPLORE_STEPS; steps++) {
        LIFT_SCOPED(lift_error) errors = {0};

        if (lift_seconds() - began > most_seconds ||
            !add_depth(s, explore_problem_of_steps(s->sweep, steps, &errors)))
            break;
    }
}

/* Explorations of given expressions or with few trials have a single time step a launch,
 * unless the user says otherwise. */
static bool explores_deeper(const struct session *s)
{
    const struct lift_explore_options *o = s->options;

    return o->step_count == 0 && s->problem->program->iterative &&
           s->depths[0].steps == 1 && session_may_grow(o) && !session_has_few_trials(o);
}

static bool load(struct session *s, struct lift_error *errors)
{
    const struct lift_explore_options *o = s->options;
    bool good;

    s->sweep = explore_problem_load(o->source, o->sizes, o->size_count, errors);
    good = s->sweep && (o->step_count > 0 || add_depth(s, s->sweep));
    for (int i = 0; i < o->step_count && good; i++)
        good =
            add_depth(s, o->steps[i] == 1
                             ? s->sweep
                             : explore_problem_of_steps(s->sweep, o->steps[i], errors));
    if (!good) {
        s->result->end = LIFT_EXPLORE_BAD_PROGRAM;
        return false;
    }
    s->problem = s->depths[0].problem;
    if (explores_deeper(s))
        load_deeper(s);
    s->result->program = lift_strdup(s->problem->name);
    s->result->sizes = lift_strdup(s->problem->sizes_json);
    s->result->dtype = lift_strdup(s->problem->dtype);
    s->result->steps = s->depths[0].steps;
    return true;
}

/* The session: its devices, its preparation and its end. */
bool session_ready(struct session *s, struct lift_error *errors)
{
    bool good = true;

    for (int i = -1; i < s->depth_count && good; i++) {
        struct explore_problem *p = i < 0 ? s->sweep : s->depths[i].problem;
        const struct lift_source source = {p->file, p->text, strlen(p->text)};

        good = explore_problem_ready(p, &source, errors);
    }
    if (good)
        return true;
    if (errors->code == LIFT_ERROR_PROGRAM) {
        s->result->end = LIFT_EXPLORE_BAD_PROGRAM;
        return false;
    }
    session_fail(s, "%s", lift_error_text(errors));
    lift_error_fini(errors);
    return false;
}

static bool open_db(struct session *s)
{
    LIFT_SCOPED(lift_error) failed = {0};

    s->db = lift_db_open(s->options->db, LIFT_DB_WRITE, &failed);
    if (!s->db)
        session_fail(s, "%s", lift_error_text(&failed));
    else if (lift_db_read_only(s->db))
        session_fail(s, "database '%s' is of a newer version and cannot be written",
                     s->options->db);
    return s->result->error.len == 0;
}

/* ---- device sessions */

static bool count_device_sessions(struct session *s)
{
    const struct lift_explore_options *o = s->options;
    LIFT_SCOPED(lift_str) why = {0};
    char **names = lift_explore_devices(o->devices, o->device_count, &why);

    while (names && names[s->device_session_count])
        s->device_session_count++;
    if (s->device_session_count > DEVICE_SESSIONS)
        session_fail(s, "%d devices: at most %d can be explored together",
                     s->device_session_count, DEVICE_SESSIONS);
    if (!names)
        session_fail(s, "%s", lift_str_get(&why));
    s->device_sessions =
        lift_alloc((size_t)s->device_session_count + 1, sizeof *s->device_sessions);
    s->result->parts =
        lift_alloc((size_t)s->device_session_count + 1, sizeof *s->result->parts);
    s->benches = lift_alloc((size_t)s->device_session_count + 1, sizeof *s->benches);
    for (int i = 0; names && i < s->device_session_count; i++) {
        s->device_sessions[i] =
            (struct device_session){.session = s, .result = &s->result->parts[i]};
        s->result->parts[i].name = names[i];
        s->result->part_count++;
    }
    free(names);
    return s->result->error.len == 0;
}

static bool each_device_session(struct session *s, bool (*does)(struct device_session *))
{
    for (int i = 0; i < s->device_session_count; i++)
        if (!does(&s->device_sessions[i]))
            return false;
    return true;
}

/* ---- the session */

static void budget_text(const struct lift_explore_options *o, struct lift_str *out)
{
    if (o->seconds > 0)
        lift_str_addf(out, "%g s", o->seconds);
    if (o->trials > 0)
        lift_str_addf(out, "%s%lld trials", out->len ? ", " : "", (long long)o->trials);
    if (o->share.ranks > 0)
        lift_str_addf(out, "; rank %d of %d", o->share.rank, o->share.ranks);
}

static bool put_session(struct session *s)
{
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) budget = {0}, versions = {0};
    struct lift_db_session row = {.argv = s->options->argv,
                                  .seed = s->options->seed,
                                  .age = lift_seconds() - s->started};
    bool good;

    budget_text(s->options, &budget);
    lift_str_addf(&versions, "rules %s",
                  lift_hash_hex(lift_rules_hash(s->options->rules), hex));
    row.budget = lift_str_get(&budget);
    row.versions = lift_str_get(&versions);
    good = lift_db_session_start(s->db, &row, &s->result->session);
    return good || session_db_fail(s);
}

static bool start_session(struct session *s)
{
    if (!put_session(s))
        return false;
    for (int i = 0; i < s->device_session_count; i++) {
        struct device_session *l = &s->device_sessions[i];

        for (int k = 0; k < s->depth_count; k++) {
            struct device_depth *d = &l->depths[k];

            d->recorder = (struct recorder){.db = s->db,
                                            .problem = d->problem,
                                            .derivation = d->derivation,
                                            .device = &l->device.info,
                                            .session = s->result->session};
            record_ids(&d->recorder);
            if ((k == 0 && !record_problem(&d->recorder)) ||
                !record_env(&d->recorder, l->device.settings))
                return session_db_fail(s);
            l->result->depths[l->result->depth_count++] = (struct lift_explore_depth){
                .steps = s->depths[k].steps, .problem = d->recorder.problem_id};
        }
        s->result->problem = l->depths[0].recorder.problem_id;
    }
    return true;
}

static void name_longest(struct device_session *l)
{
    LIFT_SCOPED(lift_str) text = {0};

    if (l->longest_compilation.seconds <= 0)
        return;
    device_session_print_configuration(l, l->longest_compilation.choice.expr, &text);
    l->result->longest_kernel = lift_strdup(lift_str_get(&text));
    l->result->longest_compilation = l->longest_compilation.seconds;
}

static void end_session(struct session *s)
{
    static const char *const names[] = {"budget", "exhausted", "interrupted",
                                        "malformed program", "failed"};
    bool good = true;

    for (int i = 0; i < s->device_session_count; i++)
        name_longest(&s->device_sessions[i]);

    for (int i = 0; i < s->device_session_count && good; i++)
        good = device_session_reach(&s->device_sessions[i]) &&
               device_session_put_interference(&s->device_sessions[i]);
    good = good && lift_db_session_end(s->db, s->result->session, names[s->result->end]);
    if (!good && s->result->end != LIFT_EXPLORE_FAILED)
        session_db_fail(s);
}

bool session_open(struct session *s, struct lift_error *errors)
{
    return load(s, errors) && count_device_sessions(s) &&
           each_device_session(s, device_session_probe);
}

void session_close(struct session *s)
{
    depths_end(s);
    for (int i = 0; i < s->device_session_count; i++)
        device_session_close(&s->device_sessions[i]);
    pool_fini(&s->pool);
    free(s->benches);
    free(s->device_sessions);
    lift_db_close(s->base);
    lift_db_close(s->db);
    for (int i = 0; i < s->depth_count; i++)
        if (s->depths[i].problem != s->sweep)
            explore_problem_destroy(s->depths[i].problem);
    explore_problem_destroy(s->sweep);
}

/* Returns false for targets, which cannot run kernels. */
static bool device_session_runs(struct device_session *l)
{
    return !l->device.info.builds_only ||
           session_fail(l->session,
                        "'%s' is an architecture, not a device: kernels can be built "
                        "for it, but not run (--build-only)",
                        l->result->name);
}

/* Checks the request before the database is created or changed. */
static bool prepare(struct session *s, struct lift_error *errors)
{
    return session_open(s, errors) && each_device_session(s, device_session_runs) &&
           each_device_session(s, device_session_begin_bandwidth) &&
           session_ready(s, errors) &&
           (session_processors(s) || session_begin_runners(s)) &&
           each_device_session(s, device_session_derive) &&
           each_device_session(s, device_session_space);
}

static void explore(struct session *s, struct lift_error *errors)
{
    if (!prepare(s, errors) || !open_db(s) ||
        !each_device_session(s, device_session_find_bandwidth) || !start_session(s))
        return;
    if (each_device_session(s, device_session_search) &&
        (!session_processors(s) || session_begin_runners(s)))
        session_loop(s);
    if (s->result->end != LIFT_EXPLORE_FAILED)
        session_final(s);
    if (s->result->end != LIFT_EXPLORE_FAILED)
        each_device_session(s, device_session_doubt_bandwidth);
    if (s->options->table && s->result->end != LIFT_EXPLORE_FAILED)
        device_session_write_table(&s->device_sessions[0]);
    end_session(s);
}

struct lift_explore_result lift_explore(const struct lift_explore_options *options,
                                        struct lift_error *errors)
{
    struct lift_explore_result result = {.end = LIFT_EXPLORE_BUDGET};
    struct session s = {.options = options, .result = &result, .started = lift_seconds()};

    explore(&s, errors);
    session_sum(&s);
    session_close(&s);
    return result;
}

/* ---- results */

static void free_rows(struct lift_explore_left *rows, int count)
{
    for (int i = 0; i < count; i++)
        free(rows[i].reason);
    free(rows);
}

void lift_explore_result_fini(struct lift_explore_result *result)
{
    for (int i = 0; i < result->part_count; i++) {
        struct lift_explore_part *p = &result->parts[i];

        free_rows(p->reach.left, p->reach.left_count);
        free_rows(p->reach.unlowered, p->reach.unlowered_count);
        free(p->name);
        free(p->longest_kernel);
        free(p->lost);
        free(p->no_naive);
    }
    free(result->parts);
    free(result->program);
    free(result->sizes);
    free(result->dtype);
    lift_str_fini(&result->error);
    *result = (struct lift_explore_result){.program = NULL};
}
