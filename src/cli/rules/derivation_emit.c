/* A derived term as source. */
#include "cli/rules/derivation.h"
#include "lift/constraint.h"
#include "lift/sizes.h"
#include <string.h>

enum { TILE = 4 }; /* what a tunable is if nothing is said */

struct numbers {
    const struct lift_program *program;
    const struct lift_size_setting *given;
    int given_count;
    struct lift_nats *into;
};

static bool find(const struct lift_size_setting *list, int count, const char *name,
                 int64_t *out)
{
    for (int i = 0; i < count; i++)
        if (lift_tunable_called(name, list[i].name)) {
            *out = list[i].value;
            return true;
        }
    return false;
}

static int64_t near_tile(lift_nat var)
{
    int64_t lo = lift_nat_lo(var), hi = lift_nat_hi(var);

    return lo > TILE ? lo : hi < TILE ? hi : TILE;
}

static lift_nat number_of(void *user, lift_nat var)
{
    struct numbers *n = user;
    enum lift_var_kind kind;
    const char *name = lift_nat_is_var(var, &kind);
    int64_t value;

    if (!name)
        return NULL;
    for (int i = 0; i < n->program->size_count; i++)
        if (kind == LIFT_VAR_SIZE && !strcmp(n->program->sizes[i].name, name))
            return lift_nat_const(n->into, n->program->sizes[i].value);
    if (kind != LIFT_VAR_TUNABLE)
        return NULL;
    if (!find(n->given, n->given_count, name, &value))
        value = near_tile(var);
    return lift_nat_const(n->into, value);
}

/* What does not hold is said with its numbers. */
static bool condition_holds(struct numbers *n, const struct lift_side_condition *c)
{
    lift_nat a = lift_nat_subst(n->into, c->a, number_of, n);
    lift_nat b = lift_nat_subst(n->into, c->b, number_of, n);
    bool le = c->kind == LIFT_SIDE_LE;
    LIFT_SCOPED(lift_str) text = {0};

    if (le ? lift_nat_proves_le(a, b) : lift_nat_proves_divides(a, b))
        return true;
    lift_nat_print(c->a, 0, &text);
    lift_str_add(&text, le ? " <= " : " divides ");
    lift_nat_print(c->b, 0, &text);
    return CLI_REFUSE("the tunables do not fit: not '%s' (%s); choose them with --set",
                      lift_str_get(&text), c->why);
}

static bool conditions_hold(const struct cli_derivation *d, struct numbers *n)
{
    struct lift_side_conditions own =
        lift_expr_constraints(lift_ir_arena(d->ir), d->term);

    for (int i = 0; i < own.count; i++)
        if (!condition_holds(n, &own.items[i]))
            return false;
    for (int i = 0; i < d->condition_count; i++)
        if (!condition_holds(n, &d->conditions[i]))
            return false;
    return true;
}

/* Inputs or parameters in the context of the kernel. */
static bool bring(struct numbers *n, struct lift_ir *ir, lift_expr from, lift_expr *to)
{
    *to = lift_expr_subst(ir, from, number_of, n, NULL);
    return *to != NULL;
}

static const struct lift_module *generate(const struct cli_derivation *d,
                                          struct lift_codegen_options *o,
                                          struct numbers *n, struct lift_ir *ir,
                                          struct lift_str *why)
{
    lift_expr inputs[LIFT_MAX_ARGS], params[LIFT_MAX_SCALARS], body;
    const char *outputs[LIFT_MAX_ARGS];
    bool dying[LIFT_MAX_ARGS];
    struct lift_type_error error = {.text = ""};
    struct lift_codegen_options own = *o;

    for (int i = 0; i < o->input_count; i++)
        if (!bring(n, ir, d->program->inputs[i].var, &inputs[i]))
            return NULL;
    for (int i = 0; i < o->input_count; i++)
        dying[i] = lift_program_input_dies(d->program, i);
    for (int i = 0; i < o->param_count; i++)
        if (!bring(n, ir, d->program->params[i].var, &params[i]))
            return NULL;
    for (int i = 0; i < o->output_count; i++)
        outputs[i] = d->program->outputs[i].name;
    body = lift_expr_subst(ir, d->term, number_of, n, &error);
    if (!body) {
        lift_str_add(why, error.text);
        return NULL;
    }
    own.inputs = inputs;
    own.params = params;
    own.outputs = outputs;
    own.dying = dying;
    return lift_codegen(ir, body, &own, why);
}

/* What stands in every space of a device with groups. */
static const char *const launch[] = {"index", lift_resident_name};

static const char *unknown_number(const struct cli_derivation *d, const struct numbers *n)
{
    struct lift_side_conditions own =
        lift_expr_constraints(lift_ir_arena(d->ir), d->term);

    for (int i = 0; i < n->given_count; i++) {
        bool known = !strncmp(n->given[i].name, "local", 5);

        for (size_t k = 0; k < sizeof launch / sizeof launch[0]; k++)
            known |= !strcmp(launch[k], n->given[i].name);
        for (int k = 0; k < own.tunable_count; k++)
            known |= lift_tunable_called(own.tunables[k].name, n->given[i].name);
        if (!known)
            return n->given[i].name;
    }
    return NULL;
}

int cli_derivation_emit(const struct cli_derivation *d, enum lift_dialect dialect,
                        const char *last_pass, const struct lift_size_setting *numbers,
                        int count)
{
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    struct numbers n = {d->program, numbers, count, lift_ir_nats(ir)};
    struct lift_codegen_options o = {
        .dialect = dialect,
        .name = d->program->name,
        .input_count = d->program->input_count,
        .param_count = d->program->param_count,
        .output_count = d->program->output_count,
        .stored = lift_expr_mentions(d->program->body, LIFT_PAD_STORED),
        .exact = d->program->exact,
        .last_pass = last_pass};
    LIFT_SCOPED(lift_str) why = {0};
    const struct lift_module *module = NULL;
    const char *unknown = unknown_number(d, &n);
    int64_t value;

    for (int i = 0; i < 3; i++)
        o.local[i] = find(numbers, count, lift_local_names[i], &value) ? (int)value : 0;
    o.index_bits = find(numbers, count, launch[0], &value) ? (int)value : 0;
    o.resident = find(numbers, count, launch[1], &value) ? (int)value : 0;
    if (unknown)
        cli_fail(CLI_FAILED, "the term has no tunable '%s'", unknown);
    else if (conditions_hold(d, &n)) {
        module = generate(d, &o, &n, ir, &why);
        if (module)
            fputs(module->source, stdout);
        else
            cli_fail(CLI_FAILED, "no code: %s", lift_str_get(&why));
    }
    return module ? CLI_DONE : CLI_FAILED;
}
