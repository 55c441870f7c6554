/* Plans of parts. */
#include "base/memory.h"
#include "run/devices/overlap.h"
#include <string.h>

static bool asks_for_places(const struct parts *parts)
{
    bool asks = false;

    for (int d = 0; d < PARTS_DIMS; d++)
        asks |= parts->cut[d].first != NULL;
    return asks;
}

static struct lift_source print(const struct lift_program *program, const char *name)
{
    struct lift_str text = {0};
    struct lift_source source = {.name = lift_strdup(name)};

    lift_program_print(program, &text);
    source.len = text.len;
    source.text = lift_str_take(&text);
    return source;
}

struct lift_source parts_source(const struct parts *parts)
{
    const struct lift_source *all = parts->options.program.source;

    if (asks_for_places(parts))
        return print(parts->program, all->name);
    return (struct lift_source){.name = lift_strdup(all->name),
                                .text = lift_strndup(all->text, all->len),
                                .len = all->len};
}

unsigned parts_neighbours(const struct part *p)
{
    unsigned sides = 0;

    for (int side = 0; side < PARTS_SIDES; side++)
        sides |= p->beside[side] >= 0 ? PARTS_OPEN(side) : 0;
    return sides;
}

struct parts_range parts_range_of(const struct part *p, const struct plan_layout *like)
{
    struct parts_range out = {.like = like};

    if (p->all->overlaps)
        out.open = parts_neighbours(p);
    for (int d = 0; d < PARTS_DIMS; d++) {
        out.first[d] = p->along[d].begin;
        out.count[d] = p->along[d].length;
    }
    return out;
}

static int64_t size_of(const struct parts *parts, const struct parts_range *range, int i)
{
    const struct explore_problem *problem = parts->options.program.problem;

    for (int d = 0; d < PARTS_DIMS; d++)
        if (parts_are_along(parts, d) &&
            !strcmp(problem->sizes.names[i], parts->cut[d].size))
            return range->count[d];
    return problem->sizes.values[i];
}

void parts_sizes(const struct parts *parts, const struct parts_range *range,
                 struct lift_str *out)
{
    const struct explore_problem *problem = parts->options.program.problem;

    for (int i = 0; i < problem->sizes.count; i++)
        lift_str_addf(out, "%s%s=%lld", i ? "," : "", problem->sizes.names[i],
                      (long long)size_of(parts, range, i));
    for (int d = 0; d < PARTS_DIMS; d++)
        if (parts->cut[d].planes)
            lift_str_addf(out, ",%s=%lld", parts->cut[d].planes,
                          (long long)parts->length[d]);
}

static struct lift_plan *create(const struct part *part, const struct parts_range *range,
                                struct lift_planner *planner, struct lift_error *error)
{
    const struct parts *parts = part->all;
    const struct parts_program *program = &parts->options.program;
    const struct lift_program *opened = parts->opened[range->open];
    const struct lift_hash id =
        opened ? lift_program_id(parts->program) : (struct lift_hash){0};
    const struct plan_wanted wanted = {.like = range->like,
                                       .known_as = opened ? &id : NULL,
                                       .also =
                                           parts->deep > parts->base ? parts->deep : 0};
    struct lift_source source =
        opened ? print(opened, program->source->name) : parts_source(parts);
    LIFT_SCOPED(lift_str) sizes = {0};
    struct lift_plan_options options = {.device = part->device, .effort = LIFT_ESTIMATE};
    struct lift_plan *plan;

    parts_sizes(parts, range, &sizes);
    options.sizes = lift_str_get(&sizes);
    if (opened || asks_for_places(parts) || !program->file) {
        options.program = source.text;
    } else {
        options.file = program->file;
        options.precision = program->precision;
    }
    plan = plan_create_like(planner, &options, &wanted, error);
    lift_source_free(&source);
    return plan;
}

static bool set_places(const struct parts *parts, const struct parts_range *range,
                       struct lift_plan *plan, struct lift_error *error)
{
    bool good = true;

    for (int d = 0; good && d < PARTS_DIMS; d++) {
        int64_t n = parts->length[d];

        good = !parts->cut[d].first ||
               lift_plan_set_param(plan, parts->cut[d].first,
                                   (double)((range->first[d] + n) % n), error);
    }
    return good;
}

struct lift_plan *parts_make_plan(const struct part *part, struct parts_range range,
                                  struct lift_planner *planner, struct lift_error *error)
{
    struct lift_plan *plan = create(part, &range, planner, error);

    if (plan && set_places(part->all, &range, plan, error))
        return plan;
    lift_plan_destroy(plan);
    lift_fail_in(error, "on '%s'", part->device);
    return NULL;
}

bool parts_set_param(struct parts *parts, const char *name, double value,
                     struct lift_error *error)
{
    bool good = true;

    for (int i = 0; good && i < parts->own_count; i++) {
        struct part *p = &parts->own[i];

        good = lift_plan_set_param(p->plan, name, value, error);
        for (int k = 0; good && p->overlap && k < OVERLAP_WINDOWS; k++)
            good = !p->overlap->window[k].plan ||
                   lift_plan_set_param(p->overlap->window[k].plan, name, value, error);
    }
    return good;
}
