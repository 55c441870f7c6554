/* Loads a problem from a .lift file. */
#include "base/memory.h"
#include "explore/problem.h"
#include "explore/program_arrays.h"
#include <stdlib.h>
#include <string.h>

/* Loads the program twice: with numbers, which finds all mistakes, and, if possible, with
 * sizes as variables. */
static bool load_both(struct explore_problem *p, const struct lift_source *source,
                      struct lift_program_options options, struct lift_error *errors)
{
    struct lift_ir *scratch = lift_ir_create();
    bool sound = lift_program_load(scratch, source, &options, errors) != NULL;

    lift_ir_destroy(scratch);
    if (!sound)
        return false;
    p->ir = lift_ir_create();
    p->program = lift_program_load_general(&p->ir, source, &options, errors);
    return p->program != NULL;
}

static bool read_sizes(struct explore_problem *p, const struct lift_source *source,
                       struct lift_error *errors)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    int count = p->program->size_count;
    const char **names = LIFT_NEW_ARRAY(arena, const char *, count + 1);
    int64_t *values = LIFT_NEW_ARRAY(arena, int64_t, count + 1);

    for (int i = 0; i < count; i++) {
        names[i] = p->program->sizes[i].name;
        values[i] = p->program->sizes[i].value;
        if (values[i] > 0)
            continue;
        lift_fail_at(errors, NULL, (struct lift_span){0, 0},
                     "the size '%s' of '%s' has no value: give it with --size %s=...",
                     names[i], source->name, names[i]);
        return false;
    }
    p->sizes = (struct lift_nat_env){names, values, count};
    return true;
}

/* Orders names for JSON. Insertion sort suffices for few names. */
static void sort_names(const char **names, int *order, int count)
{
    for (int i = 0; i < count; i++) {
        int at = i;

        for (; at > 0 && strcmp(names[order[at - 1]], names[i]) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static const char *sizes_json(const struct explore_problem *p)
{
    int order[EXPLORE_MAX_SIZES];
    LIFT_SCOPED(lift_str) text = {0};

    sort_names((const char **)p->sizes.names, order, p->sizes.count);
    for (int i = 0; i < p->sizes.count; i++)
        lift_str_addf(&text, "%s\"%s\":%lld", i ? "," : "", p->sizes.names[order[i]],
                      (long long)p->sizes.values[order[i]]);
    return lift_arena_printf(lift_ir_arena(p->ir), "{%s}", lift_str_get(&text));
}

static const char *params_json(const struct explore_problem *p)
{
    const char *names[EXPLORE_MAX_PARAMS];
    int order[EXPLORE_MAX_PARAMS];
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; i < p->param_count; i++)
        names[i] = p->params[i]->u.name;
    sort_names(names, order, p->param_count);
    for (int i = 0; i < p->param_count; i++)
        lift_str_addf(&text, "%s\"%s\":%.17g", i ? "," : "", names[order[i]],
                      p->param_values[order[i]]);
    return lift_arena_printf(lift_ir_arena(p->ir), "{%s}", lift_str_get(&text));
}

static void read_program(struct explore_problem *p)
{
    const struct lift_program *program = p->program;
    struct lift_side_conditions own =
        lift_expr_constraints(lift_ir_arena(p->ir), program->body);
    const char **outputs =
        LIFT_NEW_ARRAY(lift_ir_arena(p->ir), const char *, program->output_count);

    p->name = program->name;
    p->root = program->body;
    p->conditions = own.items;
    p->condition_count = own.count;
    p->relaxed = !program->exact;
    p->input_count = program->input_count;
    p->param_count = program->param_count;
    p->output_count = program->output_count;
    for (int i = 0; i < p->input_count; i++)
        p->inputs[i] = program->inputs[i].var;
    for (int i = 0; i < p->param_count; i++) {
        p->params[i] = program->params[i].var;
        p->param_values[i] = program->params[i].value;
    }
    for (int i = 0; i < p->output_count; i++)
        outputs[i] = program->outputs[i].name;
    p->outputs = outputs;
    p->sizes_json = sizes_json(p);
    p->params_json = params_json(p);
}

static struct explore_problem *load(const struct lift_source *source,
                                    struct lift_program_options options,
                                    struct lift_error *errors)
{
    struct explore_problem *p = lift_alloc(1, sizeof *p);
    LIFT_SCOPED(lift_str) why = {0};

    if (!load_both(p, source, options, errors) || !read_sizes(p, source, errors)) {
        explore_problem_destroy(p);
        return NULL;
    }
    read_program(p);
    p->text = lift_arena_strdup(lift_ir_arena(p->ir), source->text);
    p->file = lift_arena_strdup(lift_ir_arena(p->ir), source->name);
    if (p->program->function_count)
        p->functions = lift_functions_create();
    if (!explore_problem_measure(p, &why))
        lift_fail_at(errors, NULL, (struct lift_span){0, 0}, "%s", lift_str_get(&why));
    else if (p->functions || explore_problem_ready(p, source, errors))
        return p;
    explore_problem_destroy(p);
    return NULL;
}

struct explore_problem *explore_problem_load(const struct lift_source *source,
                                             const struct lift_size_setting *sizes,
                                             int size_count, struct lift_error *errors)
{
    return load(source,
                (struct lift_program_options){.sizes = sizes, .size_count = size_count},
                errors);
}

struct explore_problem *explore_problem_of_steps(const struct explore_problem *sweep,
                                                 int steps, struct lift_error *errors)
{
    struct lift_source source = {.name = lift_strdup(sweep->file),
                                 .text = lift_strdup(sweep->text),
                                 .len = strlen(sweep->text)};
    struct lift_size_setting sizes[EXPLORE_MAX_SIZES];
    struct explore_problem *p = NULL;
    LIFT_SCOPED(lift_str) why = {0};

    for (int i = 0; i < sweep->sizes.count; i++)
        sizes[i] =
            (struct lift_size_setting){sweep->sizes.names[i], sweep->sizes.values[i]};
    if (lift_source_steps(&source, steps, errors))
        p = explore_problem_load(&source, sizes, sweep->sizes.count, errors);
    if (p && steps > 1 && explore_has_shapes(p, &why))
        p->sweep = sweep;
    lift_source_free(&source);
    return p;
}

struct explore_problem *explore_problem_load_stored(const struct lift_source *source,
                                                    const struct lift_size_setting *sizes,
                                                    int size_count,
                                                    struct lift_error *errors)
{
    return load(source,
                (struct lift_program_options){
                    .sizes = sizes, .size_count = size_count, .stored = true},
                errors);
}

void explore_problem_destroy(struct explore_problem *p)
{
    if (!p)
        return;
    lift_functions_destroy(p->functions);
    if (p->ir)
        lift_ir_destroy(p->ir);
    free(p);
}
