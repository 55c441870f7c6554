/* Rebuilds the kernels of a database. This process derives all kernels of a problem and
 * device, then one worker builds them. */
#include "run/rebuild.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "explore/derive.h"
#include "explore/explore.h"
#include "explore/reference.h"
#include "run/chosen.h"
#include <stdlib.h>
#include <string.h>

const char *lift_rebuilt_end_name(enum lift_rebuilt_end end)
{
    static const char *const names[] = {"same",    "other source", "lost",
                                        "refused", "wrong",        "skipped"};

    return names[end];
}

/* A stored kernel, with its own copies of the texts. */
struct entry {
    struct lift_db_kernel kernel;
    struct candidate_space candidates;
    int point[LIFT_SPACE_PARAMS];
    char *lost;    /* why the kernel has no candidate space; NULL: it has a space */
    char *changes; /* of its derivation and its tunables, in words */
};

struct rebuild {
    const struct lift_rebuild_options *options;
    struct lift_db *db;
    struct lift_arena *arena; /* of the current kernels */
    struct entry *entries;    /* of one problem and device */
    int count, cap;
    struct explore_problem *problem;
    /* The compilation target of kernels of the last device. */
    struct lift_hash device_id;
    char *target; /* NULL: none */
    struct lift_explore_device device;
    struct lift_str why; /* why there is no target */
};

/* ---- the compilation target */

/* For a verification, any device of the kernel's architecture counts as the kernel's
 * device. */
static bool is_same(const struct rebuild *r, const struct lift_db_kernel *k)
{
    if (r->options->verify && !strcmp(r->device.info.arch, k->arch))
        return true;
    return lift_hash_equal(lift_device_hash(&r->device.info), k->device_id);
}

static bool is_here(struct rebuild *r, const char *name, const struct lift_db_kernel *k)
{
    bool good = lift_explore_device(name, false, &r->device, &r->why) && is_same(r, k);

    if (!good)
        lift_explore_device_fini(&r->device);
    lift_str_clear(&r->why);
    return good;
}

/* Finds the device itself, for verification or if its runtime builds only for present
 * devices. */
static void find_device(struct rebuild *r, const struct lift_db_kernel *k)
{
    const char *all = "all";
    char **names = lift_explore_devices(&all, 1, &r->why);

    for (int i = 0; names && names[i]; i++) {
        if (!r->target && !strncmp(names[i], k->runtime, strlen(k->runtime)) &&
            is_here(r, names[i], k)) {
            r->target = names[i];
            continue;
        }
        free(names[i]);
    }
    free(names);
    if (!r->target)
        lift_str_addf(
            &r->why,
            r->options->verify
                ? "this machine has no '%s', and no other '%s' of its architecture"
                : "this machine has no '%s', and '%s' cannot build for a device that is "
                  "absent",
            k->device, k->runtime);
}

static void find_target(struct rebuild *r, const struct lift_db_kernel *k)
{
    const struct lift_runtime *runtime = lift_runtime_named(k->runtime);
    LIFT_SCOPED(lift_str) name = {0};

    if (r->device_id.hi && lift_hash_equal(r->device_id, k->device_id))
        return;
    r->device_id = k->device_id;
    free(r->target);
    r->target = NULL;
    lift_explore_device_fini(&r->device);
    lift_str_clear(&r->why);
    if (r->options->verify) {
        find_device(r, k);
        return;
    }
    lift_str_addf(&name, "%s:%.*s", k->runtime, (int)strcspn(k->arch, ":"), k->arch);
    if (lift_explore_device(lift_str_get(&name), false, &r->device, &r->why)) {
        r->target = lift_str_take(&name);
        return;
    }
    if (!runtime || !runtime->builds_by_arch)
        find_device(r, k);
}

/* ---- the kernels */

/* Loads the stored program. Programs with functions in C come from the user's file only.
 */
static struct explore_problem *load(const struct rebuild *r,
                                    const struct lift_db_kernel *k, struct lift_str *why)
{
    struct lift_source source = {k->program, k->text, strlen(k->text)};
    struct lift_size_setting sizes[EXPLORE_MAX_SIZES];
    json_t *json = lift_json_read(k->sizes, 0), *value;
    struct lift_error errors = {0};
    struct explore_problem *p;
    const char *name;
    int count = 0;

    json_object_foreach(json, name, value) if (count < EXPLORE_MAX_SIZES) sizes[count++] =
        (struct lift_size_setting){name, json_integer_value(value)};
    p = explore_problem_load_stored(&source, sizes, count, &errors);
    if (!p && r->options->source) {
        lift_error_fini(&errors);
        source = *r->options->source;
        p = explore_problem_load(&source, sizes, count, &errors);
    }
    if (p && r->options->verify && !explore_problem_ready(p, &source, &errors)) {
        explore_problem_destroy(p);
        p = NULL;
    }
    if (errors.code)
        lift_str_addf(why, "%s%s",
                      errors.code == LIFT_ERROR_PROGRAM ? "the program cannot be loaded: "
                                                        : "",
                      lift_str_get(&errors.text));
    lift_error_fini(&errors);
    json_decref(json);
    return p;
}

/* A new tunable, or a value that is no longer allowed, does not lose the kernel. */
static bool find_point(const struct rebuild *r, struct entry *e, struct lift_str *changes,
                       struct lift_str *why)
{
    if (!candidate_space_nearest(&e->candidates, e->kernel.tunables, e->point))
        return LIFT_FAIL(why, "no tunables near %s are allowed now", e->kernel.tunables);
    chosen_changes(&e->candidates, e->point, e->kernel.tunables, changes);
    e->changes = lift_arena_strdup(r->arena, lift_str_get(changes));
    return true;
}

static bool derive(const struct rebuild *r, struct entry *e, struct lift_str *changes,
                   struct lift_str *why)
{
    struct chooser c = {.problem = r->problem,
                        .device = &r->device.info,
                        .rules = r->options->rules,
                        .db = r->db,
                        .arena = r->arena};
    struct candidate_space_request request = {.problem = r->problem,
                                              .device = &r->device.info};

    request.term = refit_derive(&c, e->kernel.expr, &request.conditions, changes, why);
    if (!request.term || !candidate_space_make(&request, &e->candidates, why))
        return false;
    if (lift_program_may_overwrite(r->problem->program, request.term))
        return find_point(r, e, changes, why);
    return LIFT_FAIL(why, "it overwrites an input that is needed again");
}

static void derive_all(struct rebuild *r)
{
    LIFT_SCOPED(lift_str) why = {0}, changes = {0};

    r->problem = load(r, &r->entries[0].kernel, &why);
    for (int i = 0; i < r->count; i++) {
        struct entry *e = &r->entries[i];

        if (r->problem) {
            lift_str_clear(&why);
            lift_str_clear(&changes);
            if (derive(r, e, &changes, &why))
                continue;
        }
        e->lost = lift_arena_strdup(r->arena, lift_str_get(&why));
    }
}

static void tell(const struct rebuild *r, const struct entry *e, struct lift_rebuilt *row)
{
    row->kernel = &e->kernel;
    row->target = r->target ? r->target : "";
    row->log = row->log ? row->log : "";
    r->options->row(r->options->user, row);
}

/* Reports the end of a build or of a run. The reason and the log are the last step's. */
static void tell_end(const struct rebuild *r, const struct entry *e,
                     const struct trial_reply *end, const struct lift_str *texts,
                     struct lift_rebuilt *row)
{
    row->log = trial_log(end, texts);
    row->reason = end->reason;
    row->status = end->status;
    if (end->status == LIFT_TRIAL_OK)
        row->reason = e->changes;
    tell(r, e, row);
}

/* The workers for the kernels of one problem and device. */
struct crew {
    struct explore_bench bench;
    struct lift_worker *builder, *runner;
    bool runs;           /* the runner runs and verifies binaries */
    struct lift_str why; /* why no binary can be run */
};

/* Returns true if the new source equals the stored source. The source's comment has the
 * tunables, whose names may have changed since then. */
static bool is_stored(const struct entry *e, const char *source)
{
    LIFT_FREED char *now = lift_space_json(e->candidates.space, e->point);
    const char *at = strstr(source, now);
    LIFT_SCOPED(lift_str) then = {0};

    if (lift_hash_equal(lift_hash_text(source), e->kernel.source))
        return true;
    if (at)
        lift_str_addf(&then, "%.*s%s%s", (int)(at - source), source, e->kernel.tunables,
                      at + strlen(now));
    return at && lift_hash_equal(lift_hash_text(lift_str_get(&then)), e->kernel.source);
}

static void build(const struct rebuild *r, struct crew *crew, const struct entry *e)
{
    struct trial_request asked = {.parts = crew->runs ? TRIAL_BOTH : TRIAL_FULL,
                                  .candidates = (int)(e - r->entries),
                                  .alone = true};
    struct lift_rebuilt row = {.end = LIFT_REBUILT_REFUSED};
    LIFT_SCOPED(lift_str) built = {0}, ran = {0};
    struct trial_reply end;
    bool good;

    memcpy(asked.point, e->point, sizeof asked.point);
    good = explore_trial_build(crew->builder, &asked, &built, &end);
    row.resources = end.resources;
    if (good) {
        row.end = is_stored(e, built.data + sizeof end) ? LIFT_REBUILT_SAME
                                                        : LIFT_REBUILT_OTHER;
        if (crew->runs && !explore_trial_run(crew->runner, &asked, &built,
                                             explore_run_seconds(r->problem), &ran, &end))
            row.end = LIFT_REBUILT_WRONG;
    }
    tell_end(r, e, &end, row.end == LIFT_REBUILT_WRONG ? &ran : &built, &row);
}

static void assemble(const struct rebuild *r, struct crew *crew,
                     struct candidate_space *spaces)
{
    *crew = (struct crew){.bench = {.problem = r->problem,
                                    .device = r->target,
                                    .info = &r->device.info,
                                    .spaces = spaces,
                                    .seed = 1}};
    crew->runs = r->options->verify && r->problem &&
                 explore_reference_lower(&crew->bench, r->options->rules, &crew->why);
    crew->builder = lift_worker_create(explore_build_serve, &crew->bench);
    crew->runner = lift_worker_create(explore_run_serve, &crew->bench);
}

static void build_all(const struct rebuild *r)
{
    LIFT_FREED struct candidate_space *spaces =
        lift_alloc((size_t)r->count, sizeof *spaces);
    struct crew crew;

    for (int i = 0; i < r->count; i++)
        spaces[i] = r->entries[i].candidates;
    assemble(r, &crew, spaces);
    for (int i = 0; i < r->count; i++) {
        const struct entry *e = &r->entries[i];

        if (e->lost)
            tell(r, e,
                 &(struct lift_rebuilt){.end = LIFT_REBUILT_LOST, .reason = e->lost});
        else if (r->options->verify && !crew.runs)
            tell(r, e,
                 &(struct lift_rebuilt){.end = LIFT_REBUILT_SKIPPED,
                                        .reason = lift_str_get(&crew.why)});
        else
            build(r, &crew, e);
    }
    lift_worker_stop(crew.builder);
    lift_worker_stop(crew.runner);
    lift_str_fini(&crew.why);
}

/* Rebuilds all collected kernels of one problem and device. */
static void flush(struct rebuild *r)
{
    if (!r->count)
        return;
    find_target(r, &r->entries[0].kernel);
    if (r->target) {
        derive_all(r);
        build_all(r);
    }
    for (int i = 0; i < r->count && !r->target; i++)
        tell(r, &r->entries[i],
             &(struct lift_rebuilt){.end = LIFT_REBUILT_SKIPPED,
                                    .reason = lift_str_get(&r->why)});
    explore_problem_destroy(r->problem);
    r->problem = NULL;
    r->count = 0;
    lift_arena_destroy(r->arena);
    r->arena = lift_arena_create();
}

static struct lift_db_kernel keep(struct lift_arena *arena,
                                  const struct lift_db_kernel *row)
{
    struct lift_db_kernel k = *row;

    k.program = lift_arena_strdup(arena, row->program);
    k.text = lift_arena_strdup(arena, row->text);
    k.sizes = lift_arena_strdup(arena, row->sizes);
    k.dtype = lift_arena_strdup(arena, row->dtype);
    k.tunables = lift_arena_strdup(arena, row->tunables);
    k.device = lift_arena_strdup(arena, row->device);
    k.runtime = lift_arena_strdup(arena, row->runtime);
    k.arch = lift_arena_strdup(arena, row->arch);
    return k;
}

static bool take(void *user, const struct lift_db_kernel *row)
{
    struct rebuild *r = user;

    if (r->count && (!lift_hash_equal(r->entries[0].kernel.problem, row->problem) ||
                     !lift_hash_equal(r->entries[0].kernel.device_id, row->device_id)))
        flush(r);
    LIFT_ROOM(r->entries, r->count, r->cap);
    r->entries[r->count++] = (struct entry){.kernel = keep(r->arena, row)};
    return true;
}

bool lift_rebuild(struct lift_db *db, const struct lift_rebuild_options *options)
{
    struct rebuild r = {.options = options, .db = db, .arena = lift_arena_create()};
    bool good = lift_db_kernels(db, &options->filter, options->most, take, &r);

    if (good)
        flush(&r);
    lift_explore_device_fini(&r.device);
    lift_str_fini(&r.why);
    lift_arena_destroy(r.arena);
    free(r.target);
    free(r.entries);
    return good;
}
