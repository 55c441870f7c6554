/* Plans of parts. */
#include "lift/memory.h"
#include "run/parts.h"
#include <string.h>

struct lift_source parts_source(const struct parts *parts, const struct lift_source *all)
{
    struct lift_str text = {0};
    struct lift_source source = {.name = lift_strdup(all->name)};

    if (parts->cut.first)
        lift_program_print(parts->cut.part, &text);
    else
        lift_str_addn(&text, all->text, all->len);
    source.len = text.len;
    source.text = lift_str_take(&text);
    return source;
}

void parts_sizes(const struct parts *parts, int64_t length,
                 const struct explore_problem *problem, struct lift_str *out)
{
    for (int i = 0; i < problem->sizes.count; i++) {
        bool planes = !strcmp(problem->sizes.names[i], parts->cut.size);

        lift_str_addf(out, "%s%s=%lld", i ? "," : "", problem->sizes.names[i],
                      (long long)(planes ? length : problem->sizes.values[i]));
    }
    if (parts->cut.planes)
        lift_str_addf(out, ",%s=%lld", parts->cut.planes, (long long)parts->planes);
}

static struct lift_plan *create(const struct part *part, struct parts_range range,
                                const struct parts_program *program,
                                struct lift_planner *planner,
                                struct lift_plan_error *error)
{
    const struct parts *parts = part->all;
    struct lift_source source = parts_source(parts, program->source);
    struct lift_str sizes = {0};
    struct lift_plan_options options = {.device = part->device, .effort = LIFT_ESTIMATE};
    struct lift_plan *plan;

    parts_sizes(parts, range.count, program->problem, &sizes);
    options.sizes = lift_str_get(&sizes);
    if (parts->cut.first || !program->file) {
        options.program = source.text;
    } else {
        options.file = program->file;
        options.precision = program->precision;
    }
    plan = plan_create_like(planner, &options, range.like, error);
    lift_str_fini(&sizes);
    lift_source_free(&source);
    return plan;
}

struct lift_plan *parts_make_plan(const struct part *part, struct parts_range range,
                                  const struct parts_program *program,
                                  struct lift_planner *planner,
                                  struct lift_plan_error *error)
{
    const struct parts *parts = part->all;
    struct lift_plan_error own = {.text = ""};
    struct lift_plan *plan = create(part, range, program, planner, &own);
    int64_t place = (range.first + parts->planes) % parts->planes;

    if (plan && (!parts->cut.first ||
                 lift_plan_set_param(plan, parts->cut.first, (double)place, &own)))
        return plan;
    lift_plan_destroy(plan);
    plan_fail(error, own.fault, "on '%s': %s", part->device, own.text);
    return NULL;
}
