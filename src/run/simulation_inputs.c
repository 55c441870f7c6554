/* The kinds and lengths of a simulation's inputs. */
#include "base/guess.h"
#include "base/locale.h"
#include "ir/sizes.h"
#include "lift/parse.h"
#include "run/simulation_t.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- words */

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && !strcmp(text + len - tail, end);
}

static bool open_file(struct sim *s, struct sim_value *v)
{
    return (grid_map(v->word->value, &v->pages, &s->result.error.text) &&
            (v->kind == SIM_RAW ||
             npy_read(v->pages.data, v->pages.bytes, &v->npy, &s->result.error.text))) ||
           sim_fail_as(s, SIM_USAGE,
                       lift_arena_printf(s->arena, "cannot read '%s' for '%s'",
                                         v->word->value, v->word->name));
}

static bool read_word(struct sim *s, struct sim_value *v)
{
    char *end;

    v->number = lift_strtod(v->word->value, &end);
    v->kind = *v->word->value && !*end            ? SIM_NUMBER
              : strstr(v->word->value, "=>")      ? SIM_FUNCTION
              : ends_with(v->word->value, ".npy") ? SIM_NPY
                                                  : SIM_RAW;
    return v->kind == SIM_NUMBER || v->kind == SIM_FUNCTION || open_file(s, v);
}

static bool read_words(struct sim *s)
{
    int count = s->options.in_count;

    s->value_count = count + 2 * s->options.point_count;
    s->values = LIFT_NEW_ARRAY(s->arena, struct sim_value, s->value_count + 1);
    for (int i = 0; i < count; i++)
        s->values[i] = (struct sim_value){.word = &s->options.in[i]};
    for (int i = 0; i < count; i++)
        if (!read_word(s, &s->values[i]))
            return false;
    for (int i = 0; i < s->options.point_count; i++)
        if (!sim_read_points(s, &s->options.points[i], &s->values[count + 2 * i]))
            return false;
    return true;
}

/* ---- sizes */

static bool set_size(struct sim *s, const char *name, int64_t value, const char *from)
{
    for (int i = 0; i < s->size_count; i++)
        if (!strcmp(s->sizes[i].name, name))
            return s->sizes[i].value == value ||
                   sim_fail(s, SIM_USAGE, "'%s' is %lld by %s, and %lld by '%s'", name,
                            (long long)s->sizes[i].value, s->size_from[i],
                            (long long)value, from);
    if (value < 1)
        return sim_fail(s, SIM_USAGE, "'%s' is %lld by '%s': at least 1 is expected",
                        name, (long long)value, from);
    s->sizes[s->size_count] =
        (struct lift_size_setting){lift_arena_strdup(s->arena, name), value};
    s->size_from[s->size_count++] = lift_arena_printf(s->arena, "'%s'", from);
    return true;
}

static bool given_sizes(struct sim *s)
{
    const struct lift_size_setting *given;

    s->sizes = LIFT_NEW_ARRAY(s->arena, struct lift_size_setting, 2 * LIFT_MAX_SIZES);
    s->size_from = LIFT_NEW_ARRAY(s->arena, const char *, 2 * LIFT_MAX_SIZES);
    if (!s->options.sizes)
        return true;
    if (!lift_sizes_parse(s->arena, s->options.sizes, &given, &s->size_count,
                          &s->result.error))
        return sim_fail_as(s, SIM_USAGE, NULL);
    for (int i = 0; i < s->size_count; i++) {
        s->sizes[i] = given[i];
        s->size_from[i] = "--size";
    }
    return true;
}

/* Infers sizes from lengths that consist of a single size. */
static bool infer_from(struct sim *s, const struct sim_value *v, lift_type t)
{
    for (int d = 0; t->kind == LIFT_TYPE_ARRAY && d < v->npy.dims; t = t->elem, d++) {
        enum lift_var_kind kind;
        const char *name = lift_nat_is_var(t->len, &kind);

        if (name && kind == LIFT_VAR_SIZE &&
            !set_size(s, name, v->npy.length[d], v->word->value))
            return false;
    }
    return true;
}

static bool infer_sizes(struct sim *s)
{
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program_options given = {.sizes = s->sizes,
                                               .size_count = s->size_count};
    const struct lift_program *program =
        lift_program_load_general(&ir, &s->source, &given, &s->result.error);
    bool good = program != NULL || sim_fail_as(s, SIM_USAGE, NULL);

    for (int i = 0; good && i < s->value_count; i++)
        for (int k = 0; program && good && k < program->input_count; k++)
            if ((s->values[i].kind == SIM_NPY || s->values[i].kind == SIM_POINTS) &&
                !strcmp(s->values[i].word->name, program->inputs[k].name))
                good = infer_from(s, &s->values[i], program->inputs[k].type);
    lift_ir_destroy(ir);
    return good;
}

static bool load_problem(struct sim *s)
{

    s->problem =
        explore_problem_load(&s->source, s->sizes, s->size_count, &s->result.error);
    if (!s->problem)
        return sim_fail_as(s, SIM_USAGE, NULL);
    return explore_has_shapes(s->problem, &s->result.error.text) ||
           sim_fail_as(s, SIM_USAGE, NULL);
}

/* ---- arrays */

static void list_arrays(struct sim *s)
{
    struct explore_shape shapes[EXPLORE_MAX_LEAVES];

    s->in_count = explore_input_shapes(s->problem, shapes);
    for (int i = 0; i < s->in_count; i++)
        s->in[i] = (struct sim_array){
            .shape = shapes[i],
            .bytes =
                (size_t)shapes[i].count * (size_t)lift_scalar_bytes(shapes[i].scalar),
            .changes =
                s->problem->program->iterative &&
                s->problem->program->inputs[shapes[i].owner].next != LIFT_NEXT_SAME};
    s->out_count = explore_output_shapes(s->problem, s->out);
}

static bool is_param(const struct sim *s, const char *name)
{
    for (int i = 0; i < s->problem->param_count; i++)
        if (!strcmp(s->problem->params[i]->u.name, name))
            return true;
    return false;
}

static bool no_such_input(struct sim *s, const char *name)
{
    struct lift_guess guess = {.word = name};
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; i < s->in_count; i++)
        lift_guess_add(&guess, s->in[i].shape.name);
    for (int i = 0; i < s->problem->param_count; i++)
        lift_guess_add(&guess, s->problem->params[i]->u.name);
    lift_guess_print(&guess, &text);
    sim_fail(s, SIM_USAGE, "program '%s' has no input and no parameter '%s'%s",
             s->problem->name, name, lift_str_get(&text));
    return false;
}

static bool take_value(struct sim *s, struct sim_value *v)
{
    const char *name = v->word->name;

    if (is_param(s, name))
        return v->kind == SIM_NUMBER ||
               sim_fail(s, SIM_USAGE,
                        "'%s' is a parameter: a number is expected, not '%s'", name,
                        v->word->value);
    for (int i = 0; i < s->in_count; i++) {
        struct sim_array *a = &s->in[i];

        if (strcmp(a->shape.name, name) != 0)
            continue;
        if (a->value)
            return sim_fail(s, SIM_USAGE, "input '%s' is given twice", name);
        a->value = v;
        return true;
    }
    return no_such_input(s, name);
}

static void add_lengths(struct lift_str *out, enum lift_scalar scalar,
                        const int64_t *length, int dims)
{
    lift_str_addf(out, "%s ", lift_scalar_name(scalar));
    for (int d = 0; d < dims; d++)
        lift_str_addf(out, "[%lld]", (long long)length[d]);
}

void sim_add_shape(struct lift_str *out, const struct explore_shape *shape)
{
    add_lengths(out, shape->scalar, shape->length, shape->dims);
}

static bool none_missing(struct sim *s)
{
    LIFT_SCOPED(lift_str) list = {0};
    bool good;

    for (int i = 0; i < s->in_count; i++) {
        struct sim_array *a = &s->in[i];

        if (s->options.from && a->changes)
            a->value = NULL;
        else if (!a->value) {
            lift_str_addf(&list, "\n  %s: ", a->shape.name);
            sim_add_shape(&list, &a->shape);
        }
    }
    good = list.len == 0 ||
           sim_fail(s, SIM_USAGE,
                    "inputs of '%s' have no value; give each a file, a number or a "
                    "function of its indices with --in NAME=VALUE:%s",
                    s->problem->name, lift_str_get(&list));
    return good;
}

/* ---- files of arrays */

static bool same_shape(const struct explore_shape *a, const struct npy *npy)
{
    if (a->scalar != npy->scalar || a->dims != npy->dims)
        return false;
    for (int d = 0; d < a->dims; d++)
        if (a->length[d] != npy->length[d])
            return false;
    return true;
}

static bool check_file(struct sim *s, const struct sim_array *a)
{
    const struct sim_value *v = a->value;
    LIFT_SCOPED(lift_str) want = {0}, got = {0};

    if (v->kind == SIM_NPY)
        add_lengths(&got, v->npy.scalar, v->npy.length, v->npy.dims);
    else
        lift_str_addf(&got, "%zu bytes", v->pages.bytes);
    sim_add_shape(&want, &a->shape);
    if (v->kind == SIM_RAW)
        lift_str_addf(&want, ", %zu bytes", a->bytes);
    return (v->kind == SIM_NPY ? same_shape(&a->shape, &v->npy)
                               : v->pages.bytes == a->bytes) ||
           sim_fail(s, SIM_USAGE, "'%s' has %s: input '%s' is %s", v->word->value,
                    lift_str_get(&got), a->shape.name, lift_str_get(&want));
}

static bool check_files(struct sim *s)
{
    for (int i = 0; i < s->in_count; i++) {
        const struct sim_value *v = s->in[i].value;

        if (v && (v->kind == SIM_NPY || v->kind == SIM_RAW) && !check_file(s, &s->in[i]))
            return false;
        if (v && v->kind == SIM_POINTS && !sim_check_points(s, &s->in[i]))
            return false;
    }
    return true;
}

bool sim_read_inputs(struct sim *s)
{
    if (!read_words(s) || !given_sizes(s) || !infer_sizes(s) || !load_problem(s))
        return false;
    list_arrays(s);
    for (int i = 0; i < s->value_count; i++)
        if (!take_value(s, &s->values[i]))
            return false;
    return none_missing(s) && check_files(s);
}

void sim_free_inputs(struct sim *s)
{
    for (int i = 0; s->values && i < s->value_count; i++)
        grid_unmap(&s->values[i].pages);
    for (int i = 0; i < s->in_count; i++)
        grid_unmap(&s->in[i].own);
    explore_problem_destroy(s->problem);
}
