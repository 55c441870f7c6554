/* Tables for the common part of an emitted program. */
#include "base/bug.h"
#include "run/host/host_program.h"

static void add_numbers(const struct host *h, const int64_t *numbers, int count)
{
    lift_str_add(h->out, "{");
    for (int i = 0; i < count; i++)
        lift_str_addf(h->out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    lift_str_add(h->out, count ? "}, " : "0}, ");
}

/* The arrays of a kernel: its binds, inputs first, then outputs. */
struct arrays {
    int bind[3 * EXPLORE_MAX_LEAVES];
    int count[3]; /* inputs, outputs, scratch memory */
};

static struct arrays arrays_of(const struct host *h)
{
    static const enum lift_bind_kind kinds[] = {LIFT_BIND_INPUT, LIFT_BIND_OUTPUT,
                                                LIFT_BIND_TEMP};
    struct arrays a = {.count = {0}};
    int n = 0;

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < h->module->bind_count; i++)
            if (h->module->binds[i].kind == kinds[k]) {
                LIFT_ASSERT(n < (int)(sizeof a.bind / sizeof *a.bind));
                a.bind[n++] = i;
                a.count[k]++;
            }
    return a;
}

/* An in-place output has the layout of its input. */
static const struct place *place_of_bind(const struct host *h, int index)
{
    int at = h->module->binds[index].in_place;

    return &h->places[h->module->binds[index].kind == LIFT_BIND_OUTPUT && at >= 0
                          ? at
                          : index];
}

static int kind_of(const struct host *h, const struct arrays *all, int i)
{
    int kind = 0;

    while (
        !layout_same(place_of_bind(h, all->bind[kind]), place_of_bind(h, all->bind[i])))
        kind++;
    return kind;
}

/* Initialises all members in order, without designators, which older C++ lacks. */
static void add_array(const struct host *h, const struct arrays *all, int i)
{
    static const char *const types[] = {"F32", "F64", "I32", "BOOL", "F16", "BF16"};
    const struct lift_bind *b = &h->module->binds[all->bind[i]];
    const struct place *p = place_of_bind(h, all->bind[i]);
    const struct explore_shape *s = host_shape(h, b);
    int dims = p->laid_out ? p->layout.dims : 0, from = -1;

    if (b->kind == LIFT_BIND_INPUT)
        from = explore_next_array(h->chosen->problem, h->inputs, h->input_count,
                                  h->outputs, h->output_count, i);
    else if (b->kind == LIFT_BIND_OUTPUT && b->in_place >= 0)
        from = h->module->binds[b->in_place].index;
    lift_str_addf(h->out, "    {%s, %lld, %lld, %d, ", types[b->scalar],
                  s ? (long long)s->count : 0, (long long)b->count, dims);
    add_numbers(h, p->layout.length, dims);
    add_numbers(h, p->layout.stride, dims);
    lift_str_addf(h->out, "%lld, %s, ", dims ? (long long)p->layout.offset : 0,
                  p->filled ? "true" : "false");
    host_literal(h->out, LIFT_F64, p->filled ? p->fill : 0);
    lift_str_addf(h->out, ", %d, %d}, /* %s */\n", kind_of(h, all, i), from, b->label);
}

void host_kernel(const struct host *h)
{
    const struct arrays all = arrays_of(h);
    int count = all.count[0] + all.count[1] + all.count[2];

    host_call(h);
    lift_str_addf(h->out, "\nstatic const struct array %s_arrays[] = {\n", h->kernel);
    for (int i = 0; i < count; i++)
        add_array(h, &all, i);
    lift_str_addf(h->out,
                  "};\nstatic struct memory %s_memory;\n"
                  "static const struct kernel %s = {%s_arrays, %d, %d, %d, %lld, %d, %s, "
                  "run_%s,\n    &%s_memory};\n",
                  h->kernel, h->kernel, h->kernel, all.count[0], all.count[1],
                  all.count[2], (long long)host_runs(h), h->chosen->facts.at_once,
                  h->plain ? "true" : "false", h->kernel, h->kernel);
}

static void add_doubles(const struct host *h, const char *name, const double *numbers,
                        int count)
{
    lift_str_addf(h->out, "static const double %s[] = {", name);
    for (int i = 0; i < count; i++)
        lift_str_addf(h->out, "%s%.17g", i ? ", " : "", numbers[i]);
    lift_str_add(h->out, "};\n");
}

void host_tables(const struct host *h)
{
    const struct explore_problem *p = h->chosen->problem;
    double shares[EXPLORE_MAX_LEAVES];
    int outputs = h->output_count, at_once = h->chosen->facts.at_once, rest = 0;

    /* The program's default run has launches of each kernel. */
    for (const struct host *k = h->fewer; k; k = k->fewer)
        rest += k->chosen->facts.at_once;

    for (int i = 0; i < outputs; i++)
        shares[i] = explore_excused(p, i);
    lift_str_addf(h->out, "\nenum { INPUTS = %d, OUTPUTS = %d };\n", h->input_count,
                  outputs);
    lift_str_addf(h->out, "static const char program[] = \"%s\";\n", h->name);
    lift_str_addf(h->out,
                  "static const char steps_option[] = \"%s\";\n"
                  "enum { at_once = %d, default_steps = %d };\n",
                  h->fewer ? " [--steps N]" : "", at_once,
                  2 * at_once + (rest < at_once ? rest : at_once - 1));
    lift_str_addf(h->out,
                  "static const double points = %lld, bytes = %lld; /* of a launch */\n",
                  (long long)p->points, (long long)p->bytes);
    lift_str_addf(h->out,
                  "/* Operations that a point depends on; of each output, the epsilon of "
                  "the coarsest\n * arithmetic, what rounding to f16 and bf16 may "
                  "make of 1, and what single\n * precision was seen to lose. */\nstatic "
                  "const double operations = %.9g;\n",
                  p->ops);
    add_doubles(h, "epsilons", p->epsilon, outputs);
    add_doubles(h, "stored", p->stored, outputs);
    add_doubles(h, "roundings", p->rounding, outputs);
    lift_str_add(h->out,
                 "/* Of each output: which share of values may differ by more, since "
                 "comparisons of\n * rounded values decide about them. */\n");
    add_doubles(h, "excused", shares, outputs);
    lift_str_addf(h->out,
                  "static const bool positive = %s; /* inputs stay away from 0 */\n",
                  p->positive ? "true" : "false");
}
