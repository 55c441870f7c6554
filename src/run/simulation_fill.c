/* The elements of a simulation's inputs. */
#include "base/parallel.h"
#include "run/ranks/simulation_ranks.h"
#include <string.h>

enum { ELEMENT_GRAIN = 1 << 18 };

/* ---- numbers */

struct same {
    const struct sim_array *array;
    int64_t first;
    double number;
};

static void set_elements(void *user, int64_t from, int64_t to)
{
    const struct same *f = user;

    for (int64_t i = from; i < to; i++)
        explore_set_element(f->array->data, f->array->shape.scalar, f->first + i,
                            f->number);
}

/* The memory has zeros already, so the number 0 needs no work. */
static void fill_number(const struct sim *s, const struct sim_array *a, double number)
{
    struct sim_planes ranges[SIM_RANGES];
    int count = number != 0 ? sim_needed(s, (int)(a - s->in), ranges) : 0;

    for (int k = 0; k < count; k++) {
        struct sim_runs runs = sim_runs_of(&a->shape, &ranges[k]);

        for (int64_t r = 0; r < runs.runs; r++) {
            struct same f = {a, runs.first + r * runs.apart, number};

            lift_parallel(runs.count, ELEMENT_GRAIN, set_elements, &f);
        }
    }
}

/* ---- functions of the indices: a program with one unused input */

/* Adds a unique name for a length. Lengths are sizes of the program: checks also compile
 * the kernel for smaller lengths. */
static void add_length_name(struct lift_str *out, const struct sim *s, int dim)
{
    char name[64] = "fill";
    size_t end = 4;

    for (int i = 0; i < s->problem->sizes.count; i++)
        while (!strncmp(s->problem->sizes.names[i], name, end) && end < sizeof name - 8)
            name[end++] = '_';
    lift_str_addf(out, "%.*s%d", (int)end, name, dim);
}

static void add_sizes(struct lift_str *out, const struct sim *s,
                      const struct sim_array *a, const struct sim_planes *planes)
{
    for (int i = 0; i < s->problem->sizes.count; i++)
        lift_str_addf(out, "size %s = %lld\n", s->problem->sizes.names[i],
                      (long long)s->problem->sizes.values[i]);
    for (int d = 0; d < a->shape.dims; d++) {
        lift_str_add(out, "size ");
        add_length_name(out, s, d);
        lift_str_addf(
            out, " = %lld\n",
            (long long)(d < PARTS_DIMS ? planes->count[d] : a->shape.length[d]));
    }
}

/* Adds the program that computes some planes of an array. */
static void add_program(struct lift_str *out, const struct sim *s,
                        const struct sim_array *a, const struct sim_planes *planes)
{
    static const char *const names = "ijk";

    add_sizes(out, s, a, planes);
    lift_str_addf(out,
                  "stencil %s(unused: [i32]1) -> grid {\nval value =\n%s\nreturn array",
                  "fill", a->value->word->value);
    if (a->shape.dims > 1)
        lift_str_addf(out, "%d", a->shape.dims);
    lift_str_addc(out, '(');
    for (int d = 0; d < a->shape.dims; d++) {
        add_length_name(out, s, d);
        lift_str_add(out, ", ");
    }
    lift_str_add(out, "fun(");
    for (int d = 0; d < a->shape.dims; d++)
        lift_str_addf(out, "%s%c", d ? ", " : "", names[d]);
    /* For f64 the planner converts the whole text from f32 to double precision. */
    lift_str_addf(out, " => %s(value(",
                  a->shape.scalar == LIFT_F64 ? "f32"
                                              : lift_scalar_name(a->shape.scalar));
    for (int d = 0; d < a->shape.dims; d++) {
        lift_str_addf(out, "%s%c", d ? ", " : "", names[d]);
        if (d < PARTS_DIMS && planes->first[d])
            lift_str_addf(out, " + %lld", (long long)planes->first[d]);
    }
    lift_str_add(out, "))))\n}\n");
}

static bool run_program(struct sim *s, const char *text, const struct sim_array *a,
                        void *to)
{
    int32_t unused = 0;
    const struct lift_plan_options options = {
        .program = text, .precision = a->shape.scalar == LIFT_F64 ? "double" : NULL};
    struct lift_planner *planner = lift_planner_create(NULL, &s->result.error);
    struct lift_plan *plan =
        planner ? lift_plan_create(planner, &options, &s->result.error) : NULL;
    bool good = plan && lift_plan_execute(plan, (const void *[]){&unused}, (void *[]){to},
                                          &s->result.error);

    if (!good)
        sim_fail(s, SIM_USAGE, "cannot fill input '%s' by '%s': %s", a->shape.name,
                 a->value->word->value, lift_error_text(&s->result.error));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    return good;
}

/* Some rows of planes are computed separately and then copied into place. Grids of two
 * dimensions use whole planes, since a compiler's sine of an element may depend on where
 * a vector begins. */
static struct sim_planes made_for(const struct sim_array *a, struct sim_planes range)
{
    if (a->shape.dims == PARTS_DIMS) {
        range.first[1] = 0;
        range.count[1] = sim_length(&a->shape, 1);
    }
    return range;
}

static void copy_rows(const struct sim_array *a, const struct sim_planes *range,
                      const struct sim_planes *made, const char *from)
{
    struct sim_runs to = sim_runs_of(&a->shape, range);
    size_t bytes = (size_t)lift_scalar_bytes(a->shape.scalar);
    size_t row = (size_t)to.count / (size_t)range->count[1] * bytes;

    from += (size_t)(range->first[1] - made->first[1]) * row;
    for (int64_t i = 0; i < to.runs; i++)
        memcpy((char *)a->data + (size_t)(to.first + i * to.apart) * bytes,
               from + (size_t)(i * made->count[1]) * row, (size_t)to.count * bytes);
}

static bool fill_range(struct sim *s, const struct sim_array *a,
                       const struct sim_planes *range, const struct sim_planes *made,
                       const char *text)
{
    struct sim_runs runs = sim_runs_of(&a->shape, range);
    int64_t all = sim_length(&a->shape, 1);
    size_t bytes = (size_t)lift_scalar_bytes(a->shape.scalar);
    size_t row = (size_t)(runs.apart / all) * bytes;
    struct grid_pages pages;
    bool good;

    if (range->count[1] == all)
        return run_program(s, text, a, (char *)a->data + (size_t)runs.first * bytes);
    if (!grid_zeros((size_t)(made->count[0] * made->count[1]) * row, &pages,
                    &s->result.error.text))
        return sim_fail_as(s, SIM_FAILED, a->shape.name);
    good = run_program(s, text, a, pages.data);
    if (good)
        copy_rows(a, range, made, pages.data);
    grid_unmap(&pages);
    return good;
}

static bool fill_function(struct sim *s, const struct sim_array *a)
{
    struct sim_planes ranges[SIM_RANGES];
    int count = sim_needed(s, (int)(a - s->in), ranges);
    bool good = true;

    if (a->shape.dims < 1 || a->shape.dims > 3)
        return sim_fail(s, SIM_USAGE,
                        "input '%s' has %d dimensions: functions fill arrays of 1 to 3",
                        a->shape.name, a->shape.dims);
    for (int i = 0; good && i < count; i++) {
        struct sim_planes made = made_for(a, ranges[i]);
        LIFT_SCOPED(lift_str) text = {0};

        add_program(&text, s, a, &made);
        good = fill_range(s, a, &ranges[i], &made, lift_str_get(&text));
    }
    return good;
}

/* ---- files */

/* Uses the elements of a mapped file in place, or copies unaligned elements. */
static bool place_file(struct sim *s, struct sim_array *a)
{
    const struct sim_value *v = a->value;

    a->data = (char *)v->pages.data + v->npy.begin;
    if (v->npy.begin % (size_t)lift_scalar_bytes(a->shape.scalar) != 0) {
        if (!grid_zeros(a->bytes, &a->own, &s->result.error.text))
            return sim_fail_as(s, SIM_FAILED, a->shape.name);
        memcpy(a->own.data, a->data, a->bytes);
        a->data = a->own.data;
    }
    return true;
}

static bool fill(struct sim *s, struct sim_array *a)
{
    const struct sim_value *v = a->value;

    if (v->kind == SIM_NPY || v->kind == SIM_RAW)
        return place_file(s, a);
    if (!grid_zeros(a->bytes, &a->own, &s->result.error.text))
        return sim_fail_as(s, SIM_FAILED, a->shape.name);
    a->data = a->own.data;
    if (v->kind == SIM_FUNCTION)
        return fill_function(s, a);
    if (v->kind == SIM_POINTS) {
        sim_fill_points(s, a);
        return true;
    }
    if (!plan_check_value("input", a->shape.name, a->shape.scalar, v->number,
                          &s->result.error))
        return sim_fail_as(s, SIM_USAGE, NULL);
    fill_number(s, a, v->number);
    return true;
}

bool sim_fill_inputs(struct sim *s)
{
    for (int i = 0; i < s->in_count; i++)
        if (s->in[i].value && !fill(s, &s->in[i]))
            return false;
    return true;
}
