/* What the common part of an emitted program must know, as tables. */
#include "run/host/host_program.h"

static void add_numbers(const struct host *h, const int64_t *numbers, int count)
{
    lift_str_add(h->out, "{");
    for (int i = 0; i < count; i++)
        lift_str_addf(h->out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    lift_str_add(h->out, count ? "}, " : "0}, ");
}

/* All members in their order, which C++ takes, too. */
static void add_array(const struct host *h, const struct lift_bind *b,
                      const struct place *p)
{
    static const char *const types[] = {"F32", "F64", "I32", "BOOL", "F16", "BF16"};
    const struct explore_shape *s = host_shape(h, b);
    bool laid_out = p && p->laid_out, filled = p && p->filled;

    lift_str_addf(h->out, "    {\"%s\", %s, %lld, %lld, %d, ", b->label, types[b->scalar],
                  (long long)(s ? s->count : b->count), (long long)b->count,
                  laid_out ? p->layout.dims : 0);
    add_numbers(h, laid_out ? p->layout.length : NULL, laid_out ? p->layout.dims : 0);
    add_numbers(h, laid_out ? p->layout.stride : NULL, laid_out ? p->layout.dims : 0);
    lift_str_addf(h->out, "%lld, %s, ", laid_out ? (long long)p->layout.offset : 0,
                  filled ? "true" : "false");
    host_literal(h->out, LIFT_F64, filled ? p->fill : 0);
    lift_str_addf(h->out, ", %d},\n",
                  b->kind == LIFT_BIND_OUTPUT && b->in_place >= 0
                      ? h->module->binds[b->in_place].index + 1
                      : 0);
}

/* An output that is stored in an input lies as that does. */
static const struct place *place_of_bind(const struct host *h, int index)
{
    int at = h->module->binds[index].in_place;

    return &h->places[h->module->binds[index].kind == LIFT_BIND_OUTPUT && at >= 0
                          ? at
                          : index];
}

int host_add_table(const struct host *h, const struct lift_module *m,
                   enum lift_bind_kind kind, const char *name)
{
    int count = 0;

    lift_str_addf(h->out, "static const struct array %s%s[] = {\n", h->prefix, name);
    for (int i = 0; i < m->bind_count; i++)
        if (m->binds[i].kind == kind) {
            add_array(h, &m->binds[i], m == h->module ? place_of_bind(h, i) : NULL);
            count++;
        }
    lift_str_add(h->out, "    {NULL, F32, 0, 0, 0, {0}, {0}, 0, false, 0.0, 0},\n};\n");
    return count;
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
    int inputs = host_add_table(h, h->module, LIFT_BIND_INPUT, "inputs");
    int outputs = host_add_table(h, h->module, LIFT_BIND_OUTPUT, "outputs");
    int temps = host_add_table(h, h->module, LIFT_BIND_TEMP, "temps");
    int plain_temps = host_add_table(h, h->plain, LIFT_BIND_TEMP, "plain_temps");

    for (int i = 0; i < outputs; i++)
        shares[i] = explore_excused(p, i);
    lift_str_addf(h->out,
                  "enum { INPUTS = %d, OUTPUTS = %d, TEMPS = %d, PLAIN_TEMPS = %d };\n\n",
                  inputs, outputs, temps, plain_temps);
    lift_str_addf(h->out, "static const char program[] = \"%s\";\n", h->name);
    lift_str_addf(h->out,
                  "static const char steps_option[] = \"%s\";\n"
                  "enum { at_once = %d }; /* steps of a launch */\n",
                  h->single ? " [--steps N]" : "", h->chosen->facts.at_once);
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
