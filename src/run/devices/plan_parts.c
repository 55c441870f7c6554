/* Makes plans on several devices, and in several processes that the caller connects. */
#include "run/devices/plan_parts.h"
#include "base/fail.h"
#include "base/memory.h"
#include "ir/sizes.h"
#include <stdlib.h>
#include <string.h>

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

static bool load(struct lift_parts *p, const struct lift_parts_options *o,
                 struct lift_error *error)
{
    const struct lift_plan_options program = {
        .program = o->program, .file = o->file, .precision = o->precision};
    const struct lift_size_setting *settings = NULL;
    int count = 0;

    if (plan_read_source(&program, &p->source, error) &&
        (!o->sizes || lift_sizes_parse(p->arena, o->sizes, &settings, &count, error)))
        p->problem = explore_problem_load(&p->source, settings, count, error);
    if (!p->problem)
        return false;
    return p->problem->program->iterative ||
           lift_fail(error, LIFT_ERROR_ARGUMENT, "program '%s' has no time loop",
                     p->problem->name);
}

/* All processes take part in the barrier at the end, also after an error. */
static bool make(struct lift_parts *p, const struct lift_parts_options *o,
                 struct lift_planner *planner, struct lift_error *error)
{
    bool good = load(p, o, error);

    if (good)
        p->all = parts_create(
            &(struct parts_options){
                .program = {&p->source, o->file, o->precision, p->problem},
                .devices = o->devices ? o->devices : "host",
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
    /* Older versions of the struct had no 'exchange'. */
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
