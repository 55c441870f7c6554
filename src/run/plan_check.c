/* Checks all arguments of lift/plan.h before their use. */
#include "run/plan.h"
#include <math.h>
#include <unistd.h>

static const double longest = 1e9; /* seconds of an exploration */

/* ---- planners and options */

bool plan_check_planner(const struct lift_planner_options *o, struct lift_error *error)
{
    if (o->database && !o->database[0])
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'database' is an empty text: name a file, or pass NULL for "
                         "none");
    if (o->rule_count < 0)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "rule_count is %d: 0 or more is expected", o->rule_count);
    if (o->rule_count > 0 && !o->rules)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'rules' is NULL, and rule_count is %d: pass as many names of "
                         "files, or 0",
                         o->rule_count);
    for (int i = 0; i < o->rule_count; i++)
        if (!o->rules[i])
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "rules[%d] is NULL: the name of a file is expected", i);
    return true;
}

bool plan_check_options(const struct lift_plan_options *o, struct lift_error *error)
{
    if (!o)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "the options are NULL: 'program' or 'file' is needed at least");
    if (!o->program == !o->file)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "either 'program', the text of a .lift program, or 'file', the "
                         "name of its file, is expected, and %s given",
                         o->file ? "both are" : "none is");
    if ((int)o->effort < LIFT_ESTIMATE || (int)o->effort > LIFT_PATIENT)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "no effort has the number %d: LIFT_ESTIMATE, LIFT_MEASURE or "
                         "LIFT_PATIENT is expected",
                         (int)o->effort);
    if (!(o->seconds >= 0 && o->seconds <= longest))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "seconds is %g: a time of at most %g is expected, or 0 for a "
                         "minute",
                         o->seconds, longest);
    if (o->steps < 0 || o->steps > LIFT_MAX_STEPS)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "steps is %d: at most %d a launch are possible", o->steps,
                         LIFT_MAX_STEPS);
    return true;
}

/* ---- the calling process and thread */

void plan_owner_init(struct plan_owner *owner)
{
    owner->process = getpid();
    atomic_init(&owner->busy, false);
}

bool plan_owner_here(const struct plan_owner *owner)
{
    return owner->process == getpid();
}

bool plan_enter(struct plan_owner *owner, const char *what, struct lift_error *error)
{
    if (!owner)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "the %s is NULL: did the call that makes it fail?", what);
    if (!plan_owner_here(owner))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "the %s was made by process %ld, and this is a child of it: "
                         "make one in this process, before the parent executes any plan, "
                         "or start another program (exec)",
                         what, (long)owner->process);
    return !atomic_exchange(&owner->busy, true) ||
           lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "another thread uses the %s now: make one for each thread, or let "
                     "them take turns",
                     what);
}

void plan_leave(struct plan_owner *owner)
{
    atomic_store(&owner->busy, false);
}

/* ---- parameters */

static const char *range_of(enum lift_scalar scalar)
{
    switch (scalar) {
    case LIFT_I32:
        return "a whole number from -2147483648 to 2147483647";
    case LIFT_BOOL:
        return "0 or 1";
    default:
        return "a number of at most 3.40282347e+38, infinity or NaN";
    }
}

static bool is_of(enum lift_scalar scalar, double value)
{
    switch (scalar) {
    case LIFT_I32:
        return value >= INT32_MIN && value <= INT32_MAX && value == trunc(value);
    case LIFT_BOOL:
        return value == 0 || value == 1;
    default:
        return !isfinite(value) || isfinite(lift_scalar_round(scalar, value));
    }
}

bool plan_check_value(const char *what, const char *name, enum lift_scalar scalar,
                      double value, struct lift_error *error)
{
    return is_of(scalar, value) ||
           lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "%s '%s' is of %s and cannot be %g: %s is expected", what, name,
                     lift_scalar_name(scalar), value, range_of(scalar));
}

/* ---- memory */

/* Returns true if the memory of two arrays overlaps. */
static bool overlap(const struct plan_memory *m, const void *a,
                    const struct plan_array *of_a, const void *b,
                    const struct plan_array *of_b)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return m->handles ? a == b : x < y + of_b->bytes && y < x + of_a->bytes;
}

static const char *input_word(const struct plan_memory *m)
{
    return m->steps ? "array" : "input";
}

/* Checks one pointer of the caller. Kernels of the host work on the caller's memory. */
static bool check_pointer(const struct plan_memory *m, const char *word,
                          const struct plan_array *a, const void *data,
                          struct lift_error *error)
{
    int align = m->handles ? 1 : lift_scalar_bytes(a->shape.scalar);

    if (!data)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "%s '%s' is NULL: memory for %lld elements of %s is expected",
                         word, a->shape.name, (long long)a->shape.count,
                         lift_scalar_name(a->shape.scalar));
    return (uintptr_t)data % (uintptr_t)align == 0 ||
           lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "%s '%s' is at %p, which is not aligned for %s: a multiple of %d "
                     "bytes is expected",
                     word, a->shape.name, data, lift_scalar_name(a->shape.scalar), align);
}

static bool check_pointers(const struct lift_plan *p, const struct plan_memory *m,
                           struct lift_error *error)
{
    if (p->input_count && !m->inputs)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'%ss' is NULL: %d pointer%s %s "
                         "expected",
                         input_word(m), p->input_count, p->input_count == 1 ? "" : "s",
                         p->input_count == 1 ? "is" : "are");
    if (!m->outputs && !m->steps)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'outputs' is NULL: %d pointer%s %s expected", p->output_count,
                         p->output_count == 1 ? "" : "s",
                         p->output_count == 1 ? "is" : "are");
    for (int i = 0; i < p->input_count; i++)
        if (!check_pointer(m, input_word(m), &p->in[i], m->inputs[i], error))
            return false;
    for (int o = 0; m->outputs && o < p->output_count; o++)
        if ((m->outputs[o] || !m->steps) &&
            !check_pointer(m, "output", &p->out[o], m->outputs[o], error))
            return false;
    return true;
}

/* An output may overwrite an input. After many steps the input receives the new state:
 * output and new state must then be one value, or no step changes the input. */
static bool may_replace(const struct lift_plan *p, const struct plan_memory *m, int i,
                        int o)
{
    const struct plan_array *in = &p->in[i];

    return m->inputs[i] == m->outputs[o] &&
           (!m->steps || in->next == LIFT_NEXT_SAME ||
            (in->next == LIFT_NEXT_OUTPUT && in->next_index == o));
}

static bool check_output(const struct lift_plan *p, const struct plan_memory *m, int o,
                         struct lift_error *error)
{
    const struct plan_array *out = &p->out[o];

    for (int i = 0; i < p->input_count; i++)
        if (overlap(m, m->inputs[i], &p->in[i], m->outputs[o], out) &&
            !may_replace(p, m, i, o))
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "output '%s' overlaps %s '%s'%s: pass %sseparate memory",
                             out->shape.name, input_word(m), p->in[i].shape.name,
                             m->inputs[i] == m->outputs[o] ? "" : " in part",
                             m->inputs[i] == m->outputs[o] ? ""
                                                           : "the same pointer, or ");
    for (int i = 0; i < o; i++)
        if (m->outputs[i] && overlap(m, m->outputs[i], &p->out[i], m->outputs[o], out))
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "outputs '%s' and '%s' overlap: pass separate memory",
                             p->out[i].shape.name, out->shape.name);
    return true;
}

/* An array that the time loop changes must not overlap other inputs: the steps write this
 * array. */
static bool check_state(const struct lift_plan *p, const struct plan_memory *m, int i,
                        struct lift_error *error)
{
    for (int j = 0; j < i; j++)
        if ((p->in[i].next != LIFT_NEXT_SAME || p->in[j].next != LIFT_NEXT_SAME) &&
            overlap(m, m->inputs[i], &p->in[i], m->inputs[j], &p->in[j]))
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "arrays '%s' and '%s' overlap, and the steps change them: "
                             "pass separate memory",
                             p->in[j].shape.name, p->in[i].shape.name);
    return true;
}

bool plan_check_memory(const struct lift_plan *p, const struct plan_memory *m,
                       struct lift_error *error)
{
    if (!check_pointers(p, m, error))
        return false;
    for (int i = 0; m->steps && i < p->input_count; i++)
        if (!check_state(p, m, i, error))
            return false;
    for (int o = 0; m->outputs && o < p->output_count; o++)
        if (m->outputs[o] && !check_output(p, m, o, error))
            return false;
    return true;
}
