/* Emits a derived term as source code. */
#include "cli/rules/derivation.h"
#include "ir/constraint.h"
#include "ir/sizes.h"
#include "ir/tunable.h"
#include <string.h>

/* Default values: of tunables, and of threads of a block in the two innermost
 * dimensions; 0: the defaults of code generation. */
struct defaults {
    int64_t tile;
    int local;
};

/* In the order of the attempts. */
static const struct defaults defaults[] = {{4, 0},  {4, 4},   {8, 8},  {16, 16}, {2, 2},
                                           {1, 1},  {8, 0},   {16, 0}, {2, 0},   {1, 0},
                                           {32, 0}, {32, 32}, {4, 32}, {8, 32}};

struct numbers {
    const struct lift_program *program;
    const struct lift_size_setting *given;
    int given_count;
    struct defaults otherwise;
    struct lift_nats *into;
};

static bool find(const struct lift_size_setting *list, int count, const char *name,
                 const char *former, int64_t *out)
{
    for (int i = 0; i < count; i++)
        if (lift_tunable_called(name, former, list[i].name)) {
            *out = list[i].value;
            return true;
        }
    return false;
}

static int64_t near(int64_t value, int64_t lo, int64_t hi)
{
    return lo > value ? lo : hi < value ? hi : value;
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
    if (!find(n->given, n->given_count, name, lift_nat_key(var), &value))
        value = near(n->otherwise.tile, lift_nat_lo(var), lift_nat_hi(var));
    return lift_nat_const(n->into, value);
}

/* Checks a condition with the chosen numbers. 'why' names a violated condition. */
static bool condition_holds(struct numbers *n, const struct lift_side_condition *c,
                            struct lift_str *why)
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
    lift_str_addf(why, "the tunables violate '%s' (%s)", lift_str_get(&text), c->why);
    return false;
}

static bool conditions_hold(const struct cli_derivation *d, struct numbers *n,
                            struct lift_str *why)
{
    struct lift_side_conditions own =
        lift_expr_constraints(lift_ir_arena(d->ir), d->term);

    for (int i = 0; i < own.count; i++)
        if (!condition_holds(n, &own.items[i], why))
            return false;
    for (int i = 0; i < d->condition_count; i++)
        if (!condition_holds(n, &d->conditions[i], why))
            return false;
    return true;
}

/* Rebuilds an expression in the kernel's context with numbers in place of its
 * parameters. */
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

/* True for launch tunables, which spaces have in addition to the tunables of a term. */
static bool is_of_launch(const char *said)
{
    const struct lift_tunable_word *words;
    int count;

    words = lift_tunable_words(&count);
    for (int i = 0; i < count; i++)
        if (words[i].kind == LIFT_TUNABLE_LAUNCH &&
            (!strcmp(words[i].word, said) || !strcmp(words[i].former, said)))
            return true;
    return false;
}

static const char *unknown_number(const struct cli_derivation *d, const struct numbers *n)
{
    struct lift_side_conditions own =
        lift_expr_constraints(lift_ir_arena(d->ir), d->term);

    for (int i = 0; i < n->given_count; i++) {
        bool known = is_of_launch(n->given[i].name);

        for (int k = 0; k < own.tunable_count; k++)
            known |= lift_tunable_called(own.tunables[k].name, own.tunables[k].key,
                                         n->given[i].name);
        if (!known)
            return n->given[i].name;
    }
    return NULL;
}

static int launch_number(const struct numbers *n, const char *name, int otherwise)
{
    int64_t value;

    return find(n->given, n->given_count, name, lift_tunable_former(name), &value)
               ? (int)value
               : otherwise;
}

/* Generates the source with these numbers; false and the reason if there is none. */
static bool make_source(const struct cli_derivation *d, struct lift_codegen_options o,
                        struct numbers n, struct lift_str *source, struct lift_str *why)
{
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    LIFT_SCOPED(lift_str) no_code = {0};
    const struct lift_module *module;

    n.into = lift_ir_nats(ir);
    for (int i = 0; i < 3; i++)
        o.local[i] =
            launch_number(&n, lift_local_names[i], i < 2 ? n.otherwise.local : 0);
    o.index_bits = launch_number(&n, "index_bits", 0);
    o.resident = launch_number(&n, lift_resident_name, 0);
    if (!conditions_hold(d, &n, why))
        return false;
    module = generate(d, &o, &n, ir, &no_code);
    if (module)
        lift_str_add(source, module->source);
    else
        lift_str_addf(why, "no code: %s", lift_str_get(&no_code));
    return module != NULL;
}

/* The reason why the first defaults yield no kernel, and another reason from later
 * defaults. */
struct reasons {
    struct lift_str first, other;
};

static void reasons_free(struct reasons *r)
{
    lift_str_fini(&r->first);
    lift_str_fini(&r->other);
}

/* Tests the defaults until one yields a kernel; 'n' keeps the numbers. */
static bool find_source(const struct cli_derivation *d,
                        const struct lift_codegen_options *o, struct numbers *n,
                        struct lift_str *source, struct reasons *r)
{
    bool groups = lift_dialect_has_groups(o->dialect);

    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        LIFT_SCOPED(lift_str) why = {0};

        n->otherwise = defaults[i];
        if (!groups && defaults[i].local)
            continue;
        if (make_source(d, *o, *n, source, &why))
            return true;
        if (!r->first.len)
            lift_str_add(&r->first, lift_str_get(&why));
        else if (!r->other.len &&
                 strcmp(lift_str_get(&why), lift_str_get(&r->first)) != 0)
            lift_str_add(&r->other, lift_str_get(&why));
    }
    return false;
}

/* Prints "tile_x=4,block_x=4": the found numbers, as --set takes them. */
static void print_numbers(const struct cli_derivation *d, const struct numbers *n,
                          struct lift_str *out)
{
    struct lift_side_conditions own =
        lift_expr_constraints(lift_ir_arena(d->ir), d->term);

    for (int i = 0; i < own.tunable_count; i++)
        lift_str_addf(
            out, "%s%s=%lld", out->len ? "," : "", own.tunables[i].name,
            (long long)near(n->otherwise.tile, own.tunables[i].lo, own.tunables[i].hi));
    for (int i = 0; i < 2 && n->otherwise.local; i++)
        lift_str_addf(out, "%s%s=%d", out->len ? "," : "", lift_local_names[i],
                      n->otherwise.local);
}

/* Reports that the given numbers yield no kernel, and other numbers that do. */
static int refuse(const struct cli_derivation *d, const struct lift_codegen_options *o,
                  const struct reasons *given)
{
    struct numbers any = {.program = d->program};
    LIFT_SCOPED(lift_str) source = {0}, serve = {0};
    struct reasons r = {.first = {0}};
    bool found = find_source(d, o, &any, &source, &r);

    if (found)
        print_numbers(d, &any, &serve);
    reasons_free(&r);
    if (serve.len)
        return cli_fail(CLI_FAILED, "%s; these values are valid: --set %s",
                        lift_str_get(&given->first), lift_str_get(&serve));
    if (given->other.len)
        return cli_fail(CLI_FAILED, "%s; with other tunables: %s",
                        lift_str_get(&given->first), lift_str_get(&given->other));
    return cli_fail(CLI_FAILED, "%s", lift_str_get(&given->first));
}

int cli_derivation_emit(const struct cli_derivation *d, enum lift_dialect dialect,
                        const char *last_pass, const struct lift_size_setting *numbers,
                        int count)
{
    struct numbers n = {.program = d->program, .given = numbers, .given_count = count};
    struct lift_codegen_options o = {
        .dialect = dialect,
        .name = d->program->name,
        .input_count = d->program->input_count,
        .param_count = d->program->param_count,
        .output_count = d->program->output_count,
        .stored = lift_expr_mentions(d->program->body, LIFT_PAD_STORED),
        .exact = d->program->exact,
        .last_pass = last_pass};
    LIFT_SCOPED(lift_str) source = {0};
    struct reasons reasons = {.first = {0}};
    const char *unknown = unknown_number(d, &n);
    int status = CLI_DONE;

    if (unknown)
        return cli_fail(CLI_FAILED, "the term has no tunable '%s'", unknown);
    if (find_source(d, &o, &n, &source, &reasons))
        fputs(lift_str_get(&source), stdout);
    else
        status = refuse(d, &o, &reasons);
    reasons_free(&reasons);
    return status;
}
