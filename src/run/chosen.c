#include "run/chosen.h"
#include "base/bug.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "lift/parse.h"
#include "tuner/db_query.h"
#include "tuner/param_json.h"
#include <stdlib.h>
#include <string.h>

const char *lift_chosen_how_name(enum lift_chosen_how how)
{
    static const char *const names[] = {"exact", "nearest size", "same architecture",
                                        "default", "drawn"};

    LIFT_ASSERT(how >= 0 && how < sizeof names / sizeof *names);
    return names[how];
}

/* ---- a candidate's kernel */

bool chosen_generate(const struct chooser *c, const struct chosen_candidate *candidate,
                     struct chosen_use use, struct runner_module *out,
                     struct lift_str *why)
{
    struct explore_numbers n;
    struct candidate_request request = chosen_request(c, candidate);

    request.local_functions = use.local_functions;
    request.beside = use.beside;
    explore_numbers_of(c->problem, &candidate->candidates, candidate->point, &n);
    return candidate_generate(&request, &n, out, why);
}

struct candidate_request chosen_request(const struct chooser *c,
                                        const struct chosen_candidate *candidate)
{
    return (struct candidate_request){.problem = c->problem,
                                      .device = c->device,
                                      .candidates = &candidate->candidates,
                                      .point = candidate->point,
                                      .any_length = candidate->any_length};
}

/* ---- words */

const char *chosen_text(struct lift_arena *arena, const char *text)
{
    LIFT_SCOPED(lift_str) clean = {0};

    lift_utf8_add(&clean, text, strlen(text));
    return lift_arena_strdup(arena, lift_str_get(&clean));
}

void chosen_changes(const struct candidate_space *candidates, const int *point,
                    const char *tunables, struct lift_str *out)
{
    json_auto_t *from = lift_json_read(tunables, 0);
    bool any = false;

    for (int i = 0; i < lift_space_param_count(candidates->space); i++) {
        const struct lift_param *param = lift_space_param(candidates->space, i);
        long long now = param->values[point[i]];
        const json_t *was = lift_param_in(from, param);

        if (json_is_integer(was) ? json_integer_value(was) == now
                                 : param->tacit && now == 0)
            continue;
        lift_str_add(out, any ? ", " : "; changed to fit: ");
        any = true;
        if (json_is_integer(was))
            lift_str_addf(out, "%s %lld to %lld", param->name,
                          (long long)json_integer_value(was), now);
        else
            lift_str_addf(out, "%s %lld (new)", param->name, now);
    }
}

const char *chosen_words(const struct chooser *c,
                         const struct chosen_candidate *candidate)
{
    LIFT_SCOPED(lift_str) text = {0};

    switch (candidate->how) {
    case LIFT_CHOSEN_EXACT:
        lift_str_add(&text, "explored at these sizes on this device");
        break;
    case LIFT_CHOSEN_SIZE:
        lift_str_addf(&text, "of the nearest sizes explored on this device, %s",
                      candidate->from_sizes);
        if (candidate->slower > 0)
            lift_str_addf(&text,
                          "; the kernel explored at these sizes is %.0f times slower",
                          candidate->slower);
        break;
    case LIFT_CHOSEN_ARCH:
        lift_str_addf(&text, "explored on '%s', of the same architecture, at %s",
                      candidate->from_device, candidate->from_sizes);
        break;
    case LIFT_CHOSEN_DEFAULT:
        lift_str_addf(&text, "a default kernel: %s",
                      candidate->passed
                          ? "the kernels of the database were slower or failed here"
                      : c->db ? "the database has no kernel that fits"
                              : "no database");
        break;
    case LIFT_CHOSEN_DRAWN:
        lift_str_add(&text, "at random");
        break;
    }
    if (candidate->from_tunables)
        chosen_changes(&candidate->candidates, candidate->point, candidate->from_tunables,
                       &text);
    if (candidate->refused)
        lift_str_addf(&text,
                      "; %d of the database's expressions %s passed over, the first %s",
                      candidate->refused, candidate->refused == 1 ? "is" : "are",
                      candidate->refusal);
    return lift_arena_strdup(c->arena, lift_str_get(&text));
}

/* ---- facts */

struct step_list {
    struct lift_arena *arena;
    const struct lift_rules *rules;
    struct lift_chosen_step *items;
    int count, cap;
};

/* Checks the name of a macro or option before the name enters comments and documents: a
 * database may hold any text. */
static bool is_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_=(), ");

    return len > 0 && text[len] == '\0';
}

/* The rewrites have been repeated and are correct. Their macro is only a name in the
 * database; the rules may no longer define this macro. */
static bool add_step(void *user, const struct lift_db_step *step)
{
    struct step_list *list = user;
    const struct lift_rule *rule = lift_rules_find_recorded(list->rules, step->rule);
    LIFT_SCOPED(lift_str) macros = {0};

    LIFT_ARENA_ROOM(list->arena, list->items, list->count, list->cap);
    for (int i = 0; i < step->macro_count; i++) {
        const char *name = step->macros[i].macro;
        LIFT_SCOPED(lift_str) now = {0};
        bool former = !lift_rules_find(list->rules, name) && lift_former_name(name, &now);

        if (former || is_name(name))
            lift_str_addf(&macros, "%s%s", macros.len ? ", " : "",
                          former ? lift_str_get(&now) : name);
    }
    list->items[list->count++] = (struct lift_chosen_step){
        lift_arena_strdup(list->arena, rule ? rule->name : step->rule),
        lift_arena_strdup(list->arena, step->position),
        lift_arena_strdup(list->arena, step->args),
        lift_arena_strdup(list->arena, lift_str_get(&macros))};
    return true;
}

static bool find_steps(struct lift_chosen *c, struct lift_str *why)
{
    struct step_list list = {.arena = c->arena, .rules = c->chooser.rules};

    if (c->candidate.how >= LIFT_CHOSEN_DEFAULT)
        return true;
    if (!lift_db_derivation_from(c->chooser.db, &c->problem->root->hash, c->facts.expr,
                                 add_step, &list))
        return LIFT_FAIL(why, "%s", lift_db_error(c->chooser.db));
    c->facts.steps = list.items;
    c->facts.step_count = list.count;
    return true;
}

static void find_kernels(struct lift_chosen *c)
{
    const struct lift_module *m = c->module.module;
    struct lift_chosen_kernel *list =
        LIFT_NEW_ARRAY(c->arena, struct lift_chosen_kernel, m->kernel_count);

    for (int i = 0; i < m->kernel_count; i++)
        list[i] = (struct lift_chosen_kernel){
            m->kernels[i].name, m->kernels[i].read_bytes, m->kernels[i].written_bytes,
            lift_module_runs(m, i)};
    c->facts.kernels = list;
    c->facts.kernel_count = m->kernel_count;
}

static bool find_facts(struct lift_chosen *c, struct lift_str *why)
{
    const struct chosen_candidate *k = &c->candidate;
    struct candidate_request request = chosen_request(&c->chooser, k);
    LIFT_FREED char *json = lift_space_json(k->candidates.space, k->point);
    LIFT_SCOPED(lift_str) text = {0};

    lift_term_print(k->candidates.term, &text);
    c->facts = (struct lift_chosen_facts){
        .how = k->how,
        .words = chosen_words(&c->chooser, k),
        .refused = k->refused,
        .program = c->problem->name,
        .sizes = c->problem->sizes_json,
        .device = c->device.name,
        .runtime = c->device.runtime,
        .dtype = c->problem->dtype,
        .at_once = c->problem->program->steps,
        .tunables = lift_arena_strdup(c->arena, json),
        .flags = candidate_flags(&request),
        .expression = lift_arena_strdup(c->arena, lift_str_get(&text)),
        .expr = k->candidates.term->hash,
        .trial = k->trial,
        .from_sizes = k->from_sizes,
        .from_device = k->from_device,
        .from_tunables = k->from_tunables,
        .seconds = k->seconds,
        .gpts = k->gpts,
        .gbs = k->gbs,
        .bytes = c->problem->bytes,
        .source = c->module.module->source};
    find_kernels(c);
    return find_steps(c, why);
}

/* ---- choosing */

static void keep_device(struct lift_chosen *c, const struct lift_device_info *info)
{
    c->device = *info;
    c->device.name = chosen_text(c->arena, info->name);
    c->device.vendor = chosen_text(c->arena, info->vendor);
    c->device.arch = chosen_text(c->arena, info->arch);
    c->device.runtime = chosen_text(c->arena, info->runtime);
    c->device.driver = chosen_text(c->arena, info->driver);
    c->device.compiler = chosen_text(c->arena, info->compiler);
}

bool chosen_take(struct lift_chosen *c, const struct chosen_candidate *candidate,
                 struct lift_str *why)
{
    lift_str_clear(why);
    runner_unload(NULL, &c->module);
    c->candidate = *candidate;
    return chosen_generate(&c->chooser, candidate, (struct chosen_use){0}, &c->module,
                           why);
}

struct lift_chosen *chosen_open(const struct lift_choose_options *o,
                                struct lift_error *errors)
{
    struct lift_chosen *c = lift_alloc(1, sizeof *c);

    c->arena = lift_arena_create();
    keep_device(c, o->device);
    c->problem =
        o->stored
            ? explore_problem_load_stored(o->source, o->sizes, o->size_count, errors)
            : explore_problem_load(o->source, o->sizes, o->size_count, errors);
    c->chooser = (struct chooser){.problem = c->problem,
                                  .device = &c->device,
                                  .rules = o->rules,
                                  .db = o->db,
                                  .without = o->without,
                                  .arena = c->arena};
    if (c->problem)
        return c;
    lift_chosen_destroy(c);
    return NULL;
}

bool chosen_finish(struct lift_chosen *c, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool good = find_facts(c, &why) ||
                lift_fail(error, LIFT_ERROR_DATABASE, "%s", lift_str_get(&why));

    c->chooser.db = NULL;
    c->chooser.without = NULL;
    c->chooser.near = NULL;
    c->chooser.known_as = NULL;
    return good;
}

bool chosen_program(const struct candidate_request *request,
                    const struct lift_rules *rules, struct lift_str *out,
                    struct lift_error *error)
{
    struct lift_chosen c = {.arena = lift_arena_create()};
    struct chosen_candidate candidate = {.how = LIFT_CHOSEN_DRAWN,
                                         .candidates = *request->candidates};
    LIFT_SCOPED(lift_str) why = {0};
    bool good;

    /* The chosen kernel only borrows problem and device. */
    c.problem = (struct explore_problem *)request->problem;
    c.device = *request->device;
    memcpy(candidate.point, request->point, sizeof candidate.point);
    c.chooser = (struct chooser){.problem = request->problem,
                                 .device = request->device,
                                 .rules = rules,
                                 .arena = c.arena};
    good = (chosen_take(&c, &candidate, &why) ||
            lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why))) &&
           chosen_finish(&c, error) && lift_chosen_host(&c, NULL, 0, out, error);
    runner_unload(NULL, &c.module);
    lift_arena_destroy(c.arena);
    return good;
}

struct taker {
    struct lift_chosen *chosen;
    struct lift_str why; /* why the last candidate was rejected */
};

/* Takes the first candidate whose source can be generated. */
static bool take(void *user, const struct chosen_candidate *candidate)
{
    struct taker *t = user;

    return !chosen_take(t->chosen, candidate, &t->why);
}

static bool choose(struct lift_chosen *c, struct lift_error *error)
{
    struct taker t = {.chosen = c};
    LIFT_SCOPED(lift_str) plain = {0};
    bool good = chosen_each(&c->chooser, take, &t, &plain);

    if (!good)
        lift_fail(error, LIFT_ERROR_DATABASE, "%s", lift_db_error(c->chooser.db));
    else if (!c->module.module)
        lift_fail(error, LIFT_ERROR_KERNEL, "no kernel of '%s' can be made for '%s': %s",
                  c->problem->name, c->device.runtime,
                  lift_str_get(plain.len ? &plain : &t.why));
    lift_str_fini(&t.why);
    return good && c->module.module && chosen_finish(c, error);
}

struct lift_chosen *lift_choose_sized(const struct lift_choose_options *options,
                                      size_t size, struct lift_error *error)
{
    static const struct lift_sized kind = {"lift_choose_options", {sizeof *options}};
    struct lift_choose_options o;
    const char *missing;
    struct lift_chosen *c;

    if (!lift_sized_take(&kind, options, size, &o, error))
        return NULL;
    missing = !options                       ? "options"
              : !o.source                    ? "options.source"
              : !o.rules                     ? "options.rules"
              : !o.device                    ? "options.device"
              : o.size_count > 0 && !o.sizes ? "options.sizes"
                                             : NULL;
    if (missing) {
        lift_fail(error, LIFT_ERROR_ARGUMENT, "'%s' is NULL", missing);
        return NULL;
    }
    c = chosen_open(&o, error);
    if (!c || choose(c, error))
        return c;
    lift_chosen_destroy(c);
    return NULL;
}

void lift_chosen_destroy(struct lift_chosen *c)
{
    if (!c)
        return;
    runner_unload(NULL, &c->module);
    explore_problem_destroy(c->problem);
    lift_arena_destroy(c->arena);
    free(c);
}

const struct lift_chosen_facts *lift_chosen_facts(const struct lift_chosen *c)
{
    return c ? &c->facts : NULL;
}
