/* Text of terms with their declarations, and of programs. */
#include "ir/text/print_t.h"
#include "lift/parse.h"
#include "lift/program.h"
#include <inttypes.h>

static void print_range(const struct lift_var *n, int64_t usual_lo, struct lift_str *out)
{
    if (n->lo == usual_lo && n->hi == LIFT_NAT_MAX && n->kind == LIFT_VAR_SIZE)
        return;
    lift_str_add(out, " in ");
    if (n->lo != LIFT_NAT_MIN)
        lift_str_addf(out, "%" PRId64, n->lo);
    lift_str_add(out, "..");
    if (n->hi != LIFT_NAT_MAX)
        lift_str_addf(out, "%" PRId64, n->hi);
}

static void declare_nat(const struct lift_var *n, struct lift_str *out)
{
    lift_str_addf(out, "%s %s", n->kind == LIFT_VAR_SIZE ? "size" : "tunable", n->name);
    print_range(n, 1, out);
    lift_str_add(out, ";\n");
}

static void declare_free(lift_expr e, struct lift_str *out)
{
    bool param = e->type->kind == LIFT_TYPE_SCALAR && e->type->scalar != LIFT_BOOL &&
                 !lift_scalar_is_storage(e->type->scalar);

    lift_str_addf(out, "%s %s: ", param ? "param" : "input", e->u.name);
    lift_type_print(e->type, out);
    lift_str_add(out, ";\n");
}

void lift_term_print(lift_expr e, struct lift_str *out)
{
    struct print_vars vars;

    print_vars_collect(e, &vars);
    for (int i = 0; i < vars.nat_count; i++)
        declare_nat(&vars.nats[i], out);
    for (int i = 0; i < vars.free_count; i++)
        declare_free(vars.frees[i], out);
    print_vars_fini(&vars);
    lift_expr_print_indented(e, 0, out);
    lift_str_addc(out, '\n');
}

/* ---- programs */

static void print_sizes(const struct lift_program *p, struct lift_str *out)
{
    for (int i = 0; i < p->size_count; i++) {
        const struct lift_program_size *s = &p->sizes[i];

        lift_str_addf(out, "size %s", s->name);
        if (s->value)
            lift_str_addf(out, " = %" PRId64, s->value);
        print_range(&(struct lift_var){.kind = LIFT_VAR_SIZE, .lo = s->lo, .hi = s->hi},
                    1, out);
        lift_str_addc(out, '\n');
    }
}

/* Names that the program defines from its parameters on. */
struct scope {
    const char *names[LIFT_MAX_SIZES + LIFT_MAX_SCALARS + LIFT_MAX_ARGS];
    int count;
};

static void collect_scope(const struct lift_program *p, struct scope *out)
{
    out->count = 0;
    for (int i = 0; i < p->size_count; i++)
        out->names[out->count++] = p->sizes[i].name;
    for (int i = 0; i < p->param_count; i++)
        out->names[out->count++] = p->params[i].name;
    for (int i = 0; i < p->input_count; i++)
        out->names[out->count++] = p->inputs[i].name;
}

static void print_params(const struct lift_program *p, const struct scope *scope,
                         struct lift_str *out)
{
    for (int i = 0; i < p->param_count; i++) {
        const struct lift_program_param *param = &p->params[i];

        lift_str_addf(out, "param %s: %s = ", param->name,
                      lift_scalar_name(param->scalar));
        print_number(param->scalar, param->value, scope->names, scope->count, out);
        lift_str_addc(out, '\n');
    }
}

static void print_stencil(const struct lift_program *p, const struct scope *scope,
                          struct lift_str *out)
{
    lift_str_addf(out, "\nstencil %s(", p->name);
    for (int i = 0; i < p->input_count; i++) {
        lift_str_addf(out, "%s%s: ", i ? ", " : "", p->inputs[i].name);
        lift_type_print(p->inputs[i].type, out);
    }
    lift_str_add(out, p->output_count > 1 ? ") -> (" : ") -> ");
    for (int i = 0; i < p->output_count; i++)
        lift_str_addf(out, "%s%s", i ? ", " : "", p->outputs[i].name);
    lift_str_add(out, p->output_count > 1 ? ") =\n    " : " =\n    ");
    print_in_program(p->body, 4, scope->names, scope->count, out);
    lift_str_addc(out, '\n');
}

static void print_time(const struct lift_program *p, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) targets = {0}, sources = {0};

    for (int i = 0; i < p->input_count; i++) {
        const struct lift_program_input *in = &p->inputs[i];
        const char *comma = targets.len ? ", " : "";

        if (in->next == LIFT_NEXT_SAME)
            continue;
        lift_str_addf(&targets, "%s%s", comma, in->name);
        lift_str_addf(&sources, "%s%s", comma,
                      in->next == LIFT_NEXT_OUTPUT ? p->outputs[in->next_index].name
                                                   : p->inputs[in->next_index].name);
    }
    lift_str_addf(out, "\ntime (%s) <- (%s)\n", lift_str_get(&targets),
                  lift_str_get(&sources));
}

void lift_program_print(const struct lift_program *program, struct lift_str *out)
{
    struct scope scope;

    collect_scope(program, &scope);
    if (program->exact)
        lift_str_add(out, "exact\n");
    print_sizes(program, out);
    print_params(program, &scope, out);
    print_stencil(program, &scope, out);
    if (program->iterative)
        print_time(program, out);
    if (program->steps > 1)
        lift_str_addf(out, "steps %d\n", program->steps);
}
