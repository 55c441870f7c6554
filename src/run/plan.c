#include "run/plan.h"
#include "base/memory.h"
#include "ir/sizes.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)LIFT_PLAN_F32 == LIFT_F32 && (int)LIFT_PLAN_F64 == LIFT_F64 &&
                   (int)LIFT_PLAN_I32 == LIFT_I32 && (int)LIFT_PLAN_BOOL == LIFT_BOOL &&
                   (int)LIFT_PLAN_F16 == LIFT_F16 && (int)LIFT_PLAN_BF16 == LIFT_BF16,
               "two names of one thing");

struct lift_error *plan_begin(struct lift_error *given, struct lift_error *own)
{
    if (given)
        lift_error_fini(given);
    return given ? given : own;
}

/* ---- the planner */

static bool load_rules(struct lift_planner *p, const struct lift_planner_options *o,
                       struct lift_error *error)
{
    bool good = true;

    p->rules = lift_rules_shipped();
    for (int i = 0; good && i < o->rule_count; i++) {
        struct lift_source file = {.name = NULL};

        good = lift_source_load(o->rules[i], &file, error) &&
               lift_rules_load(p->rules, o->rules[i], file.text, error);
        if (good) {
            lift_str_addn(&p->rule_files, o->rules[i], strlen(o->rules[i]) + 1);
            lift_str_addn(&p->rule_files, file.text, strlen(file.text) + 1);
        }
        lift_source_free(&file);
    }
    return good;
}

/* If the caller agrees, an absent database is no error: plans that measure create the
 * database. */
static bool open_database(struct lift_planner *p, bool may_be_absent,
                          struct lift_error *error)
{
    if (may_be_absent && access(p->path, F_OK) != 0)
        return true;
    p->db = lift_db_open(p->path, LIFT_DB_READ, error);
    return p->db != NULL;
}

struct lift_planner *lift_planner_create_sized(const struct lift_planner_options *options,
                                               size_t size, struct lift_error *error)
{
    static const struct lift_sized kind = {"lift_planner_options", {sizeof *options}};
    LIFT_SCOPED(lift_error) own = {0};
    struct lift_planner_options o;
    struct lift_planner *p;

    error = plan_begin(error, &own);
    if (!lift_sized_take(&kind, options, size, &o, error) ||
        !plan_check_planner(&o, error))
        return NULL;
    p = lift_alloc(1, sizeof *p);
    plan_owner_init(&p->owner);
    if (o.database)
        p->path = lift_strdup(o.database);
    if (load_rules(p, &o, error) && (!p->path || open_database(p, o.create, error)))
        return p;
    lift_planner_destroy(p);
    return NULL;
}

void lift_planner_destroy(struct lift_planner *p)
{
    if (!p || !plan_owner_here(&p->owner))
        return;
    if (p->db)
        lift_db_close(p->db);
    if (p->rules)
        lift_rules_destroy(p->rules);
    lift_str_fini(&p->rule_files);
    free(p->path);
    free(p);
}

/* ---- making a plan */

struct making {
    struct lift_planner *planner;
    const struct lift_plan_options *options;
    const char *device;
    struct lift_source source;
    struct lift_plan *plan;
    struct plan_measured measured; /* 'gpts' is 0 without a measurement */
    struct plan_wanted wanted;
    struct lift_error *error;
};

bool plan_read_source(const struct lift_plan_options *o, struct lift_source *out,
                      struct lift_error *error)
{
    enum lift_scalar scalar;

    if (o->precision && !lift_precision_parse(o->precision, &scalar))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "precision '%s': expected single or double", o->precision);
    if (o->file && !lift_source_load(o->file, out, error))
        return false;
    if (o->program)
        *out = (struct lift_source){.name = lift_strdup("program"),
                                    .text = lift_strdup(o->program),
                                    .len = strlen(o->program)};
    return (!o->precision || lift_source_precision(out, scalar, error)) &&
           (!o->steps || lift_source_steps(out, o->steps, error));
}

/* A folder for the database of one plan. */
struct own_database {
    char folder[32], path[48];
    struct lift_db *db;
};

static bool make_folder(struct own_database *own, struct lift_error *error)
{
    strcpy(own->folder, "/tmp/lift-plan-XXXXXX");
    if (!mkdtemp(own->folder)) {
        own->folder[0] = '\0';
        return lift_fail(error, LIFT_ERROR_DATABASE, "cannot make a folder in '/tmp': %s",
                         strerror(errno));
    }
    snprintf(own->path, sizeof own->path, "%s/plan.db", own->folder);
    return true;
}

static void drop_folder(struct own_database *own)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[64];

    if (own->db)
        lift_db_close(own->db);
    if (!own->folder[0])
        return;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", own->path, ends[i]);
        unlink(path);
    }
    rmdir(own->folder);
}

static bool open_device(struct making *m)
{

    m->plan->device = lift_device_open(m->device, m->error);
    if (!m->plan->device)
        return lift_recode(m->error, LIFT_ERROR_DEVICE);
    return plan_adopt(m->plan, m->options->stream, m->error);
}

/* An exploration writes the planner's database, or a temporary database of this plan. */
static bool measure(struct making *m, struct own_database *own)
{
    struct lift_planner *p = m->planner;
    struct plan_job job = {LIFT_PATIENT, m->options, m->source, .database = p->path};
    bool good;

    if (m->options->effort == LIFT_PATIENT) {
        if (!p->path && !make_folder(own, m->error))
            return false;
        job.database = p->path ? p->path : own->path;
        if (!plan_ask(p, &job, NULL, m->error))
            return false;
    }
    job.effort = LIFT_MEASURE;
    good = plan_ask(p, &job, &m->measured, m->error);
    m->plan->unkept = m->measured.unkept;
    if (!good)
        return false;
    m->wanted.kernel = &m->measured.kernel;
    if (!own->folder[0])
        return p->db || !p->path || open_database(p, true, m->error);
    own->db = lift_db_open(own->path, LIFT_DB_READ, m->error);
    return own->db != NULL;
}

static bool choose(struct making *m, struct lift_db *db)
{
    const struct plan_job job = {LIFT_ESTIMATE, m->options, m->source, m->planner->rules,
                                 NULL};
    struct lift_chosen *c =
        plan_open_choice(&job, lift_device_info(m->plan->device), db, m->error);

    m->plan->chosen = c;
    return c && explore_problem_compile(c->problem, &m->source, m->error) &&
           plan_take_kernel(m->plan, m->device, &m->wanted, &m->measured.gpts,
                            m->error) &&
           chosen_finish(c, m->error) &&
           plan_describe(m->plan, m->measured.gpts, m->error);
}

static bool make_plan(struct making *m)
{
    struct lift_planner *p = m->planner;
    struct own_database own = {.db = NULL};
    bool good = (p->db || !p->path || open_database(p, true, m->error)) &&
                plan_read_source(m->options, &m->source, m->error) &&
                (m->options->effort == LIFT_ESTIMATE || measure(m, &own)) &&
                open_device(m) && choose(m, own.db ? own.db : p->db);

    drop_folder(&own);
    return good;
}

static struct lift_plan *create(struct lift_planner *planner,
                                const struct lift_plan_options *options,
                                const struct plan_wanted *wanted,
                                struct lift_error *error)
{
    struct making m = {.planner = planner,
                       .options = options,
                       .device = options->device ? options->device : "host",
                       .plan = lift_alloc(1, sizeof *m.plan),
                       .wanted = *wanted,
                       .error = error};
    bool good;

    lift_error_fini(error); /* discards the error of the previous candidate */
    plan_owner_init(&m.plan->owner);
    good = make_plan(&m);
    lift_source_free(&m.source);
    if (good)
        return m.plan;
    lift_plan_destroy(m.plan);
    return NULL;
}

struct lift_plan *lift_plan_create_sized(struct lift_planner *planner,
                                         const struct lift_plan_options *options,
                                         size_t size, struct lift_error *error)
{
    /* Older versions of the struct had no 'go_on' and no 'steps'. */
    static const struct lift_sized kind = {"lift_plan_options",
                                           {sizeof *options,
                                            offsetof(struct lift_plan_options, go_on),
                                            offsetof(struct lift_plan_options, steps)}};
    LIFT_SCOPED(lift_error) own = {0};
    struct lift_plan *plan;
    struct lift_plan_options o, one;

    error = plan_begin(error, &own);
    if (!lift_sized_take(&kind, options, size, &o, error) ||
        !plan_check_options(options ? &o : NULL, error) ||
        !plan_enter(planner ? &planner->owner : NULL, "planner", error) || !planner)
        return NULL;
    plan = create(planner, &o, &(struct plan_wanted){.like = NULL}, error);
    if (plan && o.steps > 1) {
        one = o;
        one.steps = 1;
        one.effort = LIFT_ESTIMATE;
        plan->single = create(planner, &one, &(struct plan_wanted){.like = NULL}, error);
    }
    plan_leave(&planner->owner);
    if (plan && o.steps > 1 && !plan->single) {
        lift_plan_destroy(plan);
        return NULL;
    }
    return plan;
}

struct lift_plan *plan_create_like(struct lift_planner *planner,
                                   const struct lift_plan_options *options,
                                   const struct plan_wanted *wanted,
                                   struct lift_error *error)
{
    struct lift_plan *plan;

    if (!plan_check_options(options, error) ||
        !plan_enter(&planner->owner, "planner", error))
        return NULL;
    plan = create(planner, options, wanted, error);
    plan_leave(&planner->owner);
    return plan;
}

void plan_forget_binary(struct lift_plan *plan)
{
    struct runner_module *m = &plan->chosen->module;

    if (m->binary)
        plan->device->runtime->unload(plan->device, m->binary);
    m->binary = NULL;
}

void lift_plan_destroy(struct lift_plan *plan)
{
    if (!plan || !plan_owner_here(&plan->owner))
        return;
    lift_plan_destroy(plan->single);
    if (plan->device) {
        plan_release_all(plan);
        for (int i = 0; i < PLAN_MAX_BINDS; i++)
            if (plan->temps[i])
                plan->device->runtime->release(plan->device, plan->temps[i]);
        if (plan->chosen)
            plan_forget_binary(plan);
        lift_device_close(plan->device);
    }
    lift_chosen_destroy(plan->chosen);
    lift_str_fini(&plan->unkept);
    lift_str_fini(&plan->graphs.why);
    free(plan);
}
