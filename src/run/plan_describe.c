/* The arrays and the facts of a plan. */
#include "base/bug.h"
#include "run/plan.h"
#include <string.h>

/* ---- element types */

static enum lift_scalar scalar_of(const char *name, size_t len, bool *known)
{
    for (int s = 0; s < LIFT_SCALARS; s++) {
        const char *word = lift_scalar_name((enum lift_scalar)s);

        *known = strlen(word) == len && strncmp(word, name, len) == 0;
        if (*known)
            return (enum lift_scalar)s;
    }
    return LIFT_F32;
}

/* One word of the list of types, for all arrays or for one name. */
struct expected {
    const char *name;
    size_t len; /* 0: all arrays */
    enum lift_scalar scalar;
};

/* Returns the number of arrays in the list to which the word applies; -1 if one of them
 * has another type. */
static int check_arrays(const struct explore_shape *list, int count,
                        const struct expected *x, struct lift_error *error)
{
    int found = 0;

    for (int i = 0; i < count; i++) {
        if (x->len && (strlen(list[i].name) != x->len ||
                       strncmp(list[i].name, x->name, x->len) != 0))
            continue;
        found++;
        if (list[i].scalar == x->scalar)
            continue;
        lift_fail(error, LIFT_ERROR_ARGUMENT,
                  "array '%s' of the program is of %s, not of %s: change its "
                  "type in the program, or the caller's",
                  list[i].name, lift_scalar_name(list[i].scalar),
                  lift_scalar_name(x->scalar));
        return -1;
    }
    return found;
}

static bool check_word(const struct explore_problem *p, const char *word, size_t len,
                       struct lift_error *error)
{
    struct explore_shape list[EXPLORE_MAX_LEAVES];
    const char *equals = memchr(word, '=', len), *type = equals ? equals + 1 : word;
    size_t type_len = len - (size_t)(type - word);
    struct expected x = {word, equals ? (size_t)(equals - word) : 0, LIFT_F32};
    bool known;
    int in, out;

    x.scalar = scalar_of(type, type_len, &known);
    if (!known || equals == word)
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT,
            "'%.*s' in 'types': f32, f64, i32, bool, f16 or bf16 is expected, or one of "
            "them for one array, as in 'u=f32'",
            (int)len, word);
    in = check_arrays(list, explore_input_shapes(p, list), &x, error);
    out = in < 0 ? -1 : check_arrays(list, explore_output_shapes(p, list), &x, error);
    if (in == 0 && out == 0)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'%.*s' in 'types': program '%s' has no array of that name",
                         (int)len, word, p->name);
    return out >= 0;
}

bool plan_check_types(const struct explore_problem *p, const char *types,
                      struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    size_t len;

    if (!explore_has_shapes(p, &why))
        return lift_fail(error, LIFT_ERROR_ARGUMENT, "program '%s': %s", p->name,
                         lift_str_get(&why));
    if (!types)
        return true;
    do {
        len = strcspn(types, ",");
        if (!check_word(p, types, len, error))
            return false;
        types += len + 1;
    } while (types[-1] == ',');
    return true;
}

/* ---- arrays */

static void set_array(struct plan_array *a, const struct explore_shape *shape)
{
    *a = (struct plan_array){.shape = *shape,
                             .bytes = (size_t)shape->count *
                                      (size_t)lift_scalar_bytes(shape->scalar),
                             .shared_with = -1,
                             .next = LIFT_NEXT_SAME};
}

static void set_arrays(struct lift_plan *plan)
{
    const struct lift_module *m = plan->chosen->module.module;
    const struct explore_problem *p = plan->chosen->problem;
    struct explore_shape in[EXPLORE_MAX_LEAVES], out[EXPLORE_MAX_LEAVES];
    int inputs = explore_input_shapes(p, in), outputs = explore_output_shapes(p, out);

    plan->input_count = inputs;
    for (int i = 0; i < inputs; i++)
        set_array(&plan->in[i], &in[i]);
    plan->output_count = outputs;
    for (int i = 0; i < outputs; i++)
        set_array(&plan->out[i], &out[i]);
    for (int i = 0; i < m->bind_count; i++)
        if (m->binds[i].kind == LIFT_BIND_OUTPUT && m->binds[i].in_place >= 0) {
            int input = m->binds[m->binds[i].in_place].index;

            plan->out[m->binds[i].index].shared_with = input;
            plan->in[input].shared_with = m->binds[i].index;
        }
    plan->iterates = p->program->iterative;
    for (int i = 0; i < inputs && plan->iterates; i++) {
        int next = explore_next_array(p, in, inputs, out, outputs, i);

        plan->in[i].next = p->program->inputs[in[i].owner].next;
        plan->in[i].next_index = next < inputs ? next : next - inputs;
    }
}

bool plan_set_arrays(struct lift_plan *plan, struct lift_error *error)
{
    const struct explore_problem *p = plan->chosen->problem;

    for (int i = 0; i < p->param_count; i++)
        plan->params[i] = p->param_values[i];
    set_arrays(plan);
    return plan_place_arrays(plan, error);
}

/* ---- memory layout */

static void add_place(struct lift_str *out, const struct place *p)
{
    const struct lift_layout *l = &p->layout;

    lift_str_addf(out, "%d %d", p->scalar, p->laid_out);
    for (int d = 0; p->laid_out && d < l->dims; d++)
        lift_str_addf(out, " %lld %lld", d ? (long long)l->length[d] : 0,
                      (long long)l->stride[d]);
    if (p->filled)
        lift_str_addf(out, " %a", p->fill);
    lift_str_add(out, "\n");
}

struct plan_layout plan_layout_of(const struct lift_plan *plan)
{
    LIFT_SCOPED(lift_str) places = {0}, shared = {0};
    struct plan_layout out;

    for (int i = 0; i < plan->input_count; i++)
        add_place(&places, &plan->in[i].place);
    for (int o = 0; o < plan->output_count; o++) {
        add_place(&places, &plan->out[o].place);
        lift_str_addf(&shared, "%d ", plan->out[o].shared_with);
    }
    out =
        (struct plan_layout){lift_hash_text(lift_str_get(&places)),
                             lift_hash_text(lift_str_get(&shared)), plan->facts.tunables};
    return out;
}

static bool set_temps(struct lift_plan *plan, struct lift_error *error)
{
    const struct lift_module *m = plan->chosen->module.module;

    LIFT_ASSERT(m->bind_count <= PLAN_MAX_BINDS);
    for (int i = 0; i < m->bind_count; i++) {
        const struct lift_bind *b = &m->binds[i];

        if (b->kind != LIFT_BIND_TEMP)
            continue;
        if (!plan_allocate_temp(plan, b, &plan->temps[i], error))
            return false;
        plan->bound[i] = plan->temps[i];
    }
    return true;
}

/* ---- facts */

static bool is_copied(const struct lift_plan *plan, const struct plan_array *a,
                      bool input)
{
    if (!plan->device->runtime->wrap || a->place.laid_out)
        return true;
    return input && a->shared_with >= 0;
}

static size_t copied_bytes(const struct lift_plan *plan)
{
    size_t sum = 0;

    for (int i = 0; i < plan->input_count; i++)
        sum += is_copied(plan, &plan->in[i], true) ? plan->in[i].bytes : 0;
    for (int i = 0; i < plan->output_count; i++)
        sum += is_copied(plan, &plan->out[i], false) ? plan->out[i].bytes : 0;
    return sum;
}

static void set_rewrites(struct lift_plan *plan)
{
    const struct lift_chosen_facts *c = &plan->chosen->facts;
    struct lift_plan_rewrite *list =
        LIFT_NEW_ARRAY(plan->chosen->arena, struct lift_plan_rewrite, c->step_count + 1);

    for (int i = 0; i < c->step_count; i++)
        list[i] = (struct lift_plan_rewrite){c->steps[i].rule, c->steps[i].position};
    plan->facts.rewrites = list;
    plan->facts.rewrite_count = c->step_count;
}

bool plan_describe(struct lift_plan *plan, double gpts, struct lift_error *error)
{
    const struct lift_chosen_facts *c = &plan->chosen->facts;

    if (!plan_set_arrays(plan, error) || !set_temps(plan, error))
        return false;
    plan->facts = (struct lift_plan_facts){
        .program = c->program,
        .sizes = c->sizes,
        .device = c->device,
        .chosen = lift_chosen_how_name(c->how),
        .why = c->words,
        .measured = gpts > 0,
        .gpts = gpts > 0 ? gpts : c->gpts,
        .points = plan->chosen->problem->points,
        .copied = copied_bytes(plan),
        .tunables = c->tunables,
        .flags = c->flags,
        .source = c->source,
        .unkept = plan->unkept.len ? lift_str_get(&plan->unkept) : NULL};
    plan->facts.advance_steps = plan_launch_steps(plan->chosen->problem);
    plan->facts.advance_gpts = plan->facts.gpts;
    set_rewrites(plan);
    return true;
}

void plan_describe_depths(struct lift_plan *plan)
{
    int at_once = depth_fastest(&plan->speeds);
    const struct lift_plan *deep = at_once > 1 ? plan_at(plan, at_once) : NULL;

    if (plan->dropped)
        plan->facts.why = lift_arena_printf(plan->chosen->arena, "%s; %s",
                                            plan->facts.why, plan->dropped);
    if (!deep)
        return;
    plan->facts.advance_steps = at_once;
    plan->facts.advance_gpts = plan->speeds.gpts[at_once];
    plan->facts.why = lift_arena_printf(
        plan->chosen->arena, "%s; lift_plan_advance computes %d time steps a launch: %s",
        plan->facts.why, at_once, deep->facts.why);
}

/* ---- queries */

static bool answer(const struct plan_array *list, int count, int index,
                   struct lift_plan_array *out)
{
    const struct explore_shape *s = &list[index].shape;

    if (index < 0 || index >= count || !out)
        return false;
    *out = (struct lift_plan_array){.name = s->name,
                                    .type = (enum lift_plan_type)s->scalar,
                                    .dims = s->dims,
                                    .count = s->count,
                                    .bytes = list[index].bytes};
    for (int d = 0; d < s->dims; d++)
        out->length[d] = s->length[d];
    return true;
}

int lift_plan_inputs(const struct lift_plan *plan)
{
    return plan ? plan->input_count : 0;
}

int lift_plan_outputs(const struct lift_plan *plan)
{
    return plan ? plan->output_count : 0;
}

bool lift_plan_input(const struct lift_plan *plan, int index,
                     struct lift_plan_array *array)
{
    return plan && answer(plan->in, plan->input_count, index, array);
}

bool lift_plan_output(const struct lift_plan *plan, int index,
                      struct lift_plan_array *array)
{
    return plan && answer(plan->out, plan->output_count, index, array);
}

bool lift_plan_iterates(const struct lift_plan *plan)
{
    return plan && plan->iterates;
}

const struct lift_plan_facts *lift_plan_facts(const struct lift_plan *plan)
{
    return plan ? &plan->facts : NULL;
}

static bool set_param(struct lift_plan *plan, const char *name, double value,
                      struct lift_error *error)
{
    const struct explore_problem *p = plan->chosen->problem;

    for (int i = 0; i < p->param_count; i++)
        if (strcmp(p->params[i]->u.name, name) == 0) {
            double before = plan->params[i];

            if (!plan_check_value("parameter", name, p->params[i]->type->scalar, value,
                                  error))
                return false;
            plan->params[i] = value;
            plan_graphs_drop(plan);
            if (plan_place_arrays(plan, error))
                return true;
            plan->params[i] = before;
            plan_place_arrays(plan, NULL);
            return false;
        }
    return lift_fail(error, LIFT_ERROR_ARGUMENT, "program '%s' has no parameter '%s'",
                     plan->facts.program, name);
}

bool lift_plan_set_param(struct lift_plan *plan, const char *name, double value,
                         struct lift_error *error)
{
    bool good;

    if (!plan_enter(plan ? &plan->owner : NULL, "plan", error) || !plan)
        return false;
    good = name ? set_param(plan, name, value, error)
                : lift_fail(error, LIFT_ERROR_ARGUMENT,
                            "the name is NULL: the name of a parameter is expected");
    for (int i = 0; name && good && i < plan->other_count; i++)
        good = set_param(plan->others[i], name, value, error);
    plan_leave(&plan->owner);
    return good;
}
