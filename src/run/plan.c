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
    const struct making *of; /* the plan is one of its others; NULL: the first plan */
    struct lift_db *db;      /* to choose from */
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
    if (m->of) {
        m->plan->device = m->of->plan->device;
        m->plan->borrows = true;
        m->plan->stream = m->of->plan->stream;
        return true;
    }
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

static bool choose(struct making *m)
{
    const struct plan_job job = {LIFT_ESTIMATE, m->options, m->source, m->planner->rules,
                                 NULL};
    struct lift_chosen *c =
        plan_open_choice(&job, lift_device_info(m->plan->device), m->db, m->error);

    m->plan->chosen = c;
    return c && explore_problem_compile(c->problem, &m->source, m->error) &&
           plan_take_kernel(m->plan, m->device, &m->wanted, &m->measured.gpts,
                            m->error) &&
           chosen_finish(c, m->error) &&
           plan_describe(m->plan, m->measured.gpts, m->error);
}

/* ---- temporal blocking */

struct lift_plan *plan_at(struct lift_plan *plan, int at_once)
{
    if (plan_launch_steps(plan->chosen->problem) == at_once)
        return plan;
    for (int i = 0; i < plan->other_count; i++)
        if (plan_launch_steps(plan->others[i]->chosen->problem) == at_once)
            return plan->others[i];
    return NULL;
}

static struct lift_plan *make_other(const struct making *of, int at_once,
                                    struct lift_error *error)
{
    struct lift_plan_options options = *of->options;
    struct making m = {.planner = of->planner,
                       .options = &options,
                       .device = of->device,
                       .plan = lift_alloc(1, sizeof *m.plan),
                       .of = of,
                       .db = of->db,
                       .error = error};
    bool good;

    options.steps = at_once;
    options.effort = LIFT_ESTIMATE;
    options.types = NULL; /* checked with the first plan */
    plan_owner_init(&m.plan->owner);
    good = plan_read_source(&options, &m.source, error) && open_device(&m) && choose(&m);
    lift_source_free(&m.source);
    if (good)
        return m.plan;
    lift_plan_destroy(m.plan);
    return NULL;
}

/* Adds a plan with this number of time steps a launch, if its kernel is as near to the
 * request as the database said. Otherwise other kernels do its work. */
static void add_deep(struct making *m, int at_once, enum lift_chosen_how how)
{
    LIFT_SCOPED(lift_error) why = {0};
    struct lift_plan *other = make_other(m, at_once, &why);

    if (other && other->chosen->facts.how == how) {
        m->plan->others[m->plan->other_count++] = other;
        return;
    }
    m->plan->dropped = lift_arena_printf(
        m->plan->chosen->arena, "a kernel of %d time steps a launch is not used: %s",
        at_once, other ? other->chosen->facts.words : lift_error_text(&why));
    lift_plan_destroy(other);
    m->plan->speeds.gpts[at_once] = m->plan->known.gpts[at_once] = 0;
}

/* Finds the speeds of the database's kernels by their time steps. */
static bool find_depths(struct making *m, enum lift_chosen_how *how)
{
    const struct chooser c = {.problem = m->plan->chosen->problem,
                              .device = lift_device_info(m->plan->device),
                              .db = m->db};
    struct depth_ids ids = {.source = &m->source};

    return depth_find(&c, &ids, &m->plan->known, how) ||
           lift_fail(m->error, LIFT_ERROR_DATABASE, "%s", lift_db_error(m->db));
}

/* Chooses kernels of several time steps a launch for the wanted runs. If one of them
 * cannot be made, chooses among the others. */
static bool add_deeper(struct making *m)
{
    struct lift_plan *plan = m->plan;
    enum lift_chosen_how how;
    int missing = 1;

    if (!find_depths(m, &how))
        return false;
    while (missing) {
        plan->speeds = plan->known;
        depth_keep(&plan->speeds, m->wanted.runs, m->wanted.run_count);
        missing = 0;
        for (int n = 2; n <= LIFT_MAX_STEPS; n++)
            if (plan->speeds.gpts[n] > 0 && !plan_at(plan, n)) {
                add_deep(m, n, how);
                missing += !plan_at(plan, n);
            }
    }
    for (int i = plan->other_count - 1; i >= 0; i--)
        if (!(plan->speeds.gpts[plan_launch_steps(plan->others[i]->chosen->problem)] >
              0)) {
            lift_plan_destroy(plan->others[i]);
            plan->others[i] = plan->others[--plan->other_count];
        }
    return true;
}

/* Adds the kernel of several time steps a launch that the caller wants. */
static bool add_wanted(struct making *m)
{
    struct lift_plan *plan = m->plan;
    enum lift_chosen_how how;

    if (!find_depths(m, &how))
        return false;
    plan->speeds = plan->known;
    add_deep(m, m->wanted.also, how);
    return true;
}

/* Adds the plans of other numbers of time steps a launch. A plan of several steps
 * computes the remainder of a run by single steps. */
static bool add_others(struct making *m)
{
    struct lift_plan *plan = m->plan;
    int at_once = plan_launch_steps(plan->chosen->problem);

    plan->speeds.gpts[at_once] = 1;
    if (m->options->steps > 1) {
        plan->others[0] = make_other(m, 1, m->error);
        plan->other_count = plan->others[0] ? 1 : 0;
        return plan->other_count > 0;
    }
    if (m->wanted.also && at_once == 1)
        return add_wanted(m);
    if (!m->wanted.runs || !plan->iterates || at_once > 1 || m->options->steps == 1)
        return true;
    return add_deeper(m);
}

/* ---- plans */

static bool make_plan(struct making *m)
{
    struct lift_planner *p = m->planner;
    struct own_database own = {.db = NULL};
    bool good = (p->db || !p->path || open_database(p, true, m->error)) &&
                plan_read_source(m->options, &m->source, m->error) &&
                (m->options->effort == LIFT_ESTIMATE || measure(m, &own)) &&
                open_device(m);

    m->db = own.db ? own.db : p->db;
    good = good && choose(m) && add_others(m);
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
    struct lift_plan_options o;
    /* Callers do not say how many steps they will compute: many. */
    const struct depth_run run = {(int64_t)1 << 30, 1};
    const struct plan_wanted wanted = {.runs = &run, .run_count = 1};

    error = plan_begin(error, &own);
    if (!lift_sized_take(&kind, options, size, &o, error) ||
        !plan_check_options(options ? &o : NULL, error) ||
        !plan_enter(planner ? &planner->owner : NULL, "planner", error) || !planner)
        return NULL;
    plan = create(planner, &o, &wanted, error);
    if (plan)
        plan_describe_depths(plan);
    plan_leave(&planner->owner);
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
    for (int i = 0; i < plan->other_count; i++)
        lift_plan_destroy(plan->others[i]);
    if (plan->device) {
        plan_release_all(plan);
        for (int i = 0; i < PLAN_MAX_BINDS; i++)
            if (plan->temps[i])
                plan->device->runtime->release(plan->device, plan->temps[i]);
        if (plan->chosen)
            plan_forget_binary(plan);
        if (!plan->borrows)
            lift_device_close(plan->device);
    }
    lift_chosen_destroy(plan->chosen);
    lift_str_fini(&plan->unkept);
    lift_str_fini(&plan->graphs.why);
    free(plan);
}
