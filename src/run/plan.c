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
    p->rules = lift_rules_shipped();
    for (int i = 0; i < o->rule_count; i++)
        if (!lift_rules_load_file(p->rules, o->rules[i], error))
            return false;
    return true;
}

/* One that is not there yet is left to plans that measure, if the caller agrees. */
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
    free(p->path);
    free(p);
}

/* ---- making a plan */

struct making {
    struct lift_planner *planner;
    const struct lift_plan_options *options;
    const char *device;
    struct lift_source source;
    struct lift_arena *arena;
    const struct lift_size_setting *sizes;
    int size_count;
    struct lift_plan *plan;
    double gpts; /* measured now; 0: not */
    struct plan_wanted wanted;
    struct lift_error *error;
};

static bool read_source(struct making *m)
{
    const struct lift_plan_options *o = m->options;
    enum lift_scalar scalar;

    if (o->precision && !lift_precision_parse(o->precision, &scalar))
        return lift_fail(m->error, LIFT_ERROR_ARGUMENT,
                         "precision '%s': expected single or double", o->precision);
    if (o->file && !lift_source_load(o->file, &m->source, m->error))
        return false;
    if (o->program)
        m->source = (struct lift_source){.name = lift_strdup("program"),
                                         .text = lift_strdup(o->program),
                                         .len = strlen(o->program)};
    return (!o->precision || lift_source_precision(&m->source, scalar, m->error)) &&
           (!o->steps || lift_source_steps(&m->source, o->steps, m->error));
}

static bool read_sizes(struct making *m)
{
    return !m->options->sizes || lift_sizes_parse(m->arena, m->options->sizes, &m->sizes,
                                                  &m->size_count, m->error);
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

/* What its processes find is in a database: the planner's, or one for this plan only. */
static bool explore(struct making *m, struct own_database *own)
{
    struct lift_planner *p = m->planner;
    const char *path = p->path ? p->path : own->path;
    struct lift_db **db = p->path ? &p->db : &own->db;

    if ((!p->path && !make_folder(own, m->error)) ||
        !plan_explore(p, &m->source, m->options, path, m->error))
        return false;
    if (!*db)
        *db = lift_db_open(path, LIFT_DB_READ, m->error);
    return *db != NULL;
}

static bool open_device(struct making *m)
{

    m->plan->device = lift_device_open(m->device, m->error);
    if (!m->plan->device)
        return lift_recode(m->error, LIFT_ERROR_DEVICE);
    return plan_adopt(m->plan, m->options->stream, m->error);
}

/* What the C functions of the program say is run in other processes only. */
static bool make_ready(struct making *m)
{
    struct explore_problem *p = m->plan->chosen->problem;

    return m->options->effort == LIFT_ESTIMATE
               ? explore_problem_compile(p, &m->source, m->error)
               : explore_problem_ready(p, &m->source, m->error);
}

static bool open_choice(struct making *m, const struct lift_device_info *info,
                        struct lift_db *db)
{
    m->plan->chosen =
        chosen_open(&(struct lift_choose_options){.source = &m->source,
                                                  .sizes = m->sizes,
                                                  .size_count = m->size_count,
                                                  .rules = m->planner->rules,
                                                  .db = db,
                                                  .device = info},
                    m->error);
    return m->plan->chosen &&
           plan_check_types(m->plan->chosen->problem, m->options->types, m->error) &&
           make_ready(m);
}

/* Processes are forked before this one opens the device. */
static bool measure(struct making *m, struct lift_db *db)
{
    LIFT_SCOPED(lift_explore_device) probed = {.texts = NULL};
    const struct plan_store where = {m->planner->path, &probed, m->planner->rules};
    LIFT_SCOPED(lift_str) why = {0};
    bool good = lift_explore_device(m->device, false, &probed, &why);

    if (!good)
        lift_fail(m->error, LIFT_ERROR_DEVICE, "%s", lift_str_get(&why));
    good = good && open_choice(m, &probed.info, db) &&
           plan_measure(m->plan->chosen, m->device, &where, &m->gpts, &m->plan->unkept,
                        m->error);
    return good;
}

static bool make_plan(struct making *m)
{
    enum lift_plan_effort effort = m->options->effort;
    struct own_database own = {.db = NULL};
    bool good;
    struct lift_db *db;

    good = (m->planner->db || !m->planner->path ||
            open_database(m->planner, true, m->error)) &&
           read_source(m) && read_sizes(m) &&
           (effort == LIFT_ESTIMATE || plan_may_fork(m->error)) &&
           (effort != LIFT_PATIENT || explore(m, &own));
    db = own.db ? own.db : m->planner->db;
    if (good && effort == LIFT_ESTIMATE)
        good = open_device(m) && open_choice(m, lift_device_info(m->plan->device), db);
    else if (good)
        good = measure(m, db) && open_device(m);
    good = good && plan_take_kernel(m->plan, m->device, &m->wanted, &m->gpts, m->error) &&
           chosen_finish(m->plan->chosen, m->error) &&
           plan_describe(m->plan, m->gpts, m->error);
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
                       .arena = lift_arena_create(),
                       .plan = lift_alloc(1, sizeof *m.plan),
                       .wanted = *wanted,
                       .error = error};
    bool good;

    lift_error_fini(error); /* not that of another candidate */
    plan_owner_init(&m.plan->owner);
    good = make_plan(&m);
    lift_source_free(&m.source);
    lift_arena_destroy(m.arena);
    if (good)
        return m.plan;
    lift_plan_destroy(m.plan);
    return NULL;
}

struct lift_plan *lift_plan_create_sized(struct lift_planner *planner,
                                         const struct lift_plan_options *options,
                                         size_t size, struct lift_error *error)
{
    /* The shorter one had no 'steps'. */
    static const struct lift_sized kind = {
        "lift_plan_options",
        {sizeof *options, offsetof(struct lift_plan_options, steps)}};
    LIFT_SCOPED(lift_error) own = {0};
    struct lift_plan *plan;
    struct lift_plan_options o, one;

    error = plan_begin(error, &own);
    if (!lift_sized_take(&kind, options, size, &o, error) ||
        !plan_check_options(options ? &o : NULL, error) ||
        !plan_enter(planner ? &planner->owner : NULL, "planner", error) || !planner)
        return NULL;
    plan = create(planner, &o, &(struct plan_wanted){.like = NULL}, error);
    if (plan && o.steps > 1) { /* processes are forked no more: a device is open */
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
