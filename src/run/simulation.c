#include "base/memory.h"
#include "base/seconds.h"
#include "run/ranks/simulation_ranks.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures */

bool sim_fail(struct sim *s, enum sim_end end, const char *format, ...)
{
    va_list args;

    s->result.end = end;
    va_start(args, format);
    lift_vfail(&s->result.error, LIFT_ERROR_RUN, format, args);
    va_end(args);
    return false;
}

bool sim_fail_as(struct sim *s, enum sim_end end, const char *what)
{
    s->result.end = end;
    if (!s->result.error.code)
        s->result.error.code = LIFT_ERROR_RUN;
    return what && lift_fail_in(&s->result.error, "%s", what);
}

bool sim_fail_by_code(struct sim *s)
{
    const struct team *t = &s->team;
    enum lift_error_code code = s->result.error.code;
    bool usage = code == LIFT_ERROR_ARGUMENT || code == LIFT_ERROR_PROGRAM;

    s->result.elsewhere = t->failed >= 0 && t->failed != t->to.rank;
    s->result.end = s->result.elsewhere ? (enum sim_end)team_end(t, t->failed)
                    : usage             ? SIM_USAGE
                                        : SIM_FAILED;
    return false;
}

void sim_lap(struct sim *s, enum sim_stage stage)
{
    double now = lift_seconds();

    s->result.seconds[stage] += now - s->since;
    s->since = now;
}

/* ---- before the first step */

static bool check_steps(struct sim *s)
{
    const struct lift_program *p = s->problem->program;
    int64_t steps = s->options.steps;

    if (!p->iterative && steps != 1)
        return sim_fail(s, SIM_USAGE,
                        "program '%s' has no time loop: only one step is possible",
                        s->problem->name);
    return p->steps <= 1 || steps % p->steps == 0 ||
           sim_fail(
               s, SIM_USAGE,
               "program '%s' computes %d steps a launch, of which %lld is no multiple",
               s->problem->name, p->steps, (long long)steps);
}

struct sim *sim_prepare(const struct sim_options *options, bool *good)
{
    const struct lift_plan_options program = {.file = options->file,
                                              .precision = options->precision};
    struct sim *s = lift_alloc(1, sizeof *s);

    s->options = *options;
    if (options->exchange_seconds <= 0)
        s->options.exchange_seconds = PARTS_PATIENCE;
    s->team = team_of((struct lift_communicator){.size = 1}, NULL);
    s->arena = lift_arena_create();
    s->records = LIFT_NEW_ARRAY(s->arena, struct sim_record, options->record_count + 1);
    s->since = lift_seconds();
    *good = (plan_read_source(&program, &s->source, &s->result.error) ||
             sim_fail_by_code(s)) &&
            sim_read_inputs(s) && check_steps(s) && sim_check_outputs(s) &&
            (!options->from || sim_open_checkpoint(s));
    *good = sim_join(s, *good);
    *good = *good && sim_make_parts(s) && sim_fill_inputs(s);
    *good = sim_meet(s, *good);
    if (*good) {
        *good = sim_hash_inputs(s) && (!options->from || sim_load_checkpoint(s));
        s->result.first = s->result.step = s->fetched = s->step;
    }
    *good = sim_meet(s, *good);
    sim_is_prepared(s);
    sim_lap(s, SIM_SETUP);
    return s;
}

const struct sim_result *sim_result(const struct sim *s)
{
    return &s->result;
}

void sim_destroy(struct sim *s)
{
    sim_leave(s);
    if (s->result.hung)
        return;
    parts_destroy(s->parts);
    lift_planner_destroy(s->planner);
    sim_free_inputs(s);
    sim_free_records(s);
    grid_unmap(&s->from);
    lift_source_free(&s->source);
    lift_error_fini(&s->result.error);
    lift_str_fini(&s->result.launches);
    lift_str_fini(&s->result.depths);
    lift_arena_destroy(s->arena);
    free(s);
}
