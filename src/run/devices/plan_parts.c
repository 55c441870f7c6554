/* Plans on several devices, and in several processes that the caller connects: making
 * them. */
#include "run/devices/plan_parts.h"
#include "base/fail.h"
#include "base/memory.h"
#include "ir/sizes.h"
#include <stdlib.h>
#include <string.h>

enum { WORD = 256 };

/* What a process says of itself. */
struct word {
    struct lift_hash what; /* what all of them must have in common */
    char device[WORD];
};
_Static_assert(sizeof(struct word) <= TEAM_WORD, "a meeting has room for it");

static struct word word_of(const struct lift_parts *p, int rank)
{
    struct word out;

    memcpy(&out, team_word(&p->team, rank), sizeof out);
    return out;
}

/* All processes come here; false for all if another one has another program. */
static bool agree(struct lift_parts *p, bool good, const struct word *mine,
                  struct lift_error *error)
{
    if (!team_meet(&p->team, !good, mine, sizeof *mine, error))
        return false;
    for (int i = 0; i < p->team.to.size; i++)
        if (!lift_hash_equal(word_of(p, i).what, word_of(p, 0).what))
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "process %d has another program than process 0, other "
                             "sizes, another cut, exchange_every, exchange or "
                             "overlap",
                             i);
    return true;
}

/* ---- options */

static bool check(const struct lift_parts_options *o, struct lift_error *error)
{
    const struct lift_plan_options plain = {
        .program = o ? o->program : NULL, .file = o ? o->file : NULL, .seconds = 0};
    const struct lift_communicator *c = o ? o->communicator : NULL;

    if (!plan_check_options(o ? &plain : NULL, error) || !o)
        return false;
    if (o->exchange_every < 0 || o->exchange_every > INT32_MAX)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "exchange_every is %lld: a number of launches is expected",
                         (long long)o->exchange_every);
    if (o->cut[0] < 0 || o->cut[1] < 0 || !o->cut[0] != !o->cut[1])
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "cut is {%d, %d}: parts along the planes and the rows are "
                         "expected, or {0, 0}",
                         o->cut[0], o->cut[1]);
    if ((unsigned)o->exchange > LIFT_EXCHANGE_NCCL ||
        (unsigned)o->overlap > LIFT_OVERLAP_NO)
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT,
            "exchange is %d and overlap %d: values of enum lift_exchange and "
            "enum lift_overlap are expected",
            (int)o->exchange, (int)o->overlap);
    if (!(o->seconds >= 0))
        return lift_fail(error, LIFT_ERROR_ARGUMENT, "seconds is %g: a time is expected",
                         o->seconds);
    if (c && (c->size < 1 || c->size > PARTS_MOST || c->rank < 0 || c->rank >= c->size))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "rank %d of %d processes: at most %d are possible", c->rank,
                         c->size, PARTS_MOST);
    if (c && c->size > 1 && !c->exchange)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'exchange' is NULL: a function that "
                         "sends and receives is expected");
    return true;
}

static bool check_device(const struct lift_parts *p, const char *devices,
                         struct lift_error *error)
{
    if (p->team.to.size > 1 && parts_count(devices) > 1)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "devices is '%s': each of several processes has one", devices);
    return strlen(devices) < WORD || p->team.to.size == 1 ||
           lift_fail(error, LIFT_ERROR_ARGUMENT, "'%s' is no name of a device", devices);
}

static bool load_source(struct lift_parts *p, const struct lift_parts_options *o,
                        struct lift_error *error)
{
    enum lift_scalar scalar;

    if (o->precision && !lift_precision_parse(o->precision, &scalar))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "precision '%s': expected single or double", o->precision);
    if (o->file && !lift_source_load(o->file, &p->source, error))
        return false;
    if (o->program)
        p->source = (struct lift_source){.name = lift_strdup("program"),
                                         .text = lift_strdup(o->program),
                                         .len = strlen(o->program)};
    return !o->precision || lift_source_precision(&p->source, scalar, error);
}

static bool load_problem(struct lift_parts *p, const char *sizes,
                         struct lift_error *error)
{
    const struct lift_size_setting *settings = NULL;
    int count = 0;

    if (!sizes || lift_sizes_parse(p->arena, sizes, &settings, &count, error))
        p->problem = explore_problem_load(&p->source, settings, count, error);
    if (!p->problem)
        return false;
    return p->problem->program->iterative ||
           lift_fail(error, LIFT_ERROR_ARGUMENT, "program '%s' has no time loop",
                     p->problem->name);
}

static void describe(const struct lift_parts *p, const struct lift_parts_options *o,
                     const char *devices, struct word *out)
{
    const struct explore_problem *problem = p->problem;

    out->what = lift_hash_combine(lift_program_id(problem->program),
                                  lift_hash_text(problem->sizes_json));
    out->what.lo += (uint64_t)(o->exchange_every ? o->exchange_every : 1);
    for (int d = 0; d < PARTS_DIMS; d++)
        out->what = lift_hash_add_int(out->what, o->cut[d]);
    out->what = lift_hash_add_int(out->what, o->exchange);
    out->what = lift_hash_add_int(out->what, o->overlap);
    strncpy(out->device, devices, sizeof out->device - 1);
}

/* ---- making them */

/* The devices of all processes in a list. */
static const char *list_devices(struct lift_parts *p, const char *own)
{
    LIFT_SCOPED(lift_str) list = {0};

    if (p->team.to.size == 1)
        return own;
    for (int i = 0; i < p->team.to.size; i++)
        lift_str_addf(&list, "%s%s", i ? "," : "", word_of(p, i).device);
    return lift_arena_strdup(p->arena, lift_str_get(&list));
}

static bool make(struct lift_parts *p, const struct lift_parts_options *o,
                 struct lift_planner *planner, struct lift_error *error)
{
    const char *devices = o->devices ? o->devices : "host";
    struct word mine = {.device = ""};
    bool good = check_device(p, devices, error) && load_source(p, o, error) &&
                load_problem(p, o->sizes, error);

    if (good)
        describe(p, o, devices, &mine);
    if (!agree(p, good, &mine, error))
        return false;
    p->all = parts_create(&(struct parts_options){.program = {&p->source, o->file,
                                                              o->precision, p->problem},
                                                  .devices = list_devices(p, devices),
                                                  .cut = {o->cut[0], o->cut[1]},
                                                  .every = o->exchange_every,
                                                  .exchange = o->exchange,
                                                  .overlap = o->overlap,
                                                  .patience = o->seconds,
                                                  .graphs = true,
                                                  .own_only = p->team.to.size > 1,
                                                  .team = &p->team},
                          error);
    good = p->all && parts_make(p->all, planner, error);
    return team_meet(&p->team, !good, NULL, 0, error);
}

struct lift_parts *lift_parts_create_sized(struct lift_planner *planner,
                                           const struct lift_parts_options *options,
                                           size_t size, struct lift_error *error)
{
    /* The shorter one had no 'exchange'. */
    static const struct lift_sized kind = {
        "lift_parts_options",
        {sizeof *options, offsetof(struct lift_parts_options, exchange)}};
    LIFT_SCOPED(lift_error) own = {0};
    struct lift_parts_options o;
    struct lift_parts *p;

    error = plan_begin(error, &own);
    if (!lift_sized_take(&kind, options, size, &o, error) ||
        !check(options ? &o : NULL, error))
        return NULL;
    p = lift_alloc(1, sizeof *p);
    plan_owner_init(&p->owner);
    p->arena = lift_arena_create();
    p->launches = -1;
    p->team =
        team_of(o.communicator ? *o.communicator : (struct lift_communicator){.size = 1},
                "messages");
    if (make(p, &o, planner, error))
        return p;
    lift_parts_destroy(p);
    return NULL;
}

void lift_parts_destroy(struct lift_parts *p)
{
    if (!p || !plan_owner_here(&p->owner) || (p->all && p->all->hung))
        return;
    parts_destroy(p->all);
    explore_problem_destroy(p->problem);
    lift_source_free(&p->source);
    lift_arena_destroy(p->arena);
    team_fini(&p->team);
    free(p);
}
