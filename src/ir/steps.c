/* Fuses several steps of a time loop to one program, whose body repeats the step. */
#include "ir/expr.h"
#include "ir/text/elab_t.h"
#include "lift/build.h"
#include "lift/program.h"
#include <stdlib.h>
#include <string.h>

/* The value of an input after a step: an input of the program (step 0), or an output. */
struct origin {
    int step, index;
};

struct binding {
    lift_expr var, value;
};

struct fusing {
    struct lift_ir *ir;
    const struct lift_program *step;
    struct lift_program *fused;
    struct origin state[LIFT_MAX_ARGS];
    lift_expr made[LIFT_MAX_STEPS + 1][LIFT_MAX_ARGS]; /* the outputs of each step */
    struct binding *bindings;                          /* 'let's, outermost first */
    int count, cap;
};

static lift_expr value_of(const struct fusing *f, struct origin from)
{
    return from.step ? f->made[from.step][from.index] : f->step->inputs[from.index].var;
}

static lift_expr bind(struct fusing *f, const char *hint, lift_expr value)
{
    struct lift_arena *arena = lift_ir_arena(f->ir);
    lift_expr var = lift_fresh(f->ir, hint, value->type);

    LIFT_ARENA_ROOM(arena, f->bindings, f->count, f->cap);
    f->bindings[f->count++] = (struct binding){var, value};
    return var;
}

static lift_expr replaced(struct lift_ir *ir, lift_expr e, lift_expr var, lift_expr value)
{
    return lift_expr_apply(ir, lift_fun(ir, e, var), &value);
}

/* The body with the current values of the inputs. The substitution is simultaneous, since
 * a value may be another input. */
static lift_expr applied(const struct fusing *f)
{
    const struct lift_program *p = f->step;
    lift_expr vars[LIFT_MAX_ARGS], body = p->body;

    for (int i = 0; i < p->input_count; i++) {
        vars[i] = lift_fresh(f->ir, p->inputs[i].name, p->inputs[i].type);
        body = replaced(f->ir, body, p->inputs[i].var, vars[i]);
    }
    for (int i = 0; i < p->input_count; i++)
        body = replaced(f->ir, body, vars[i], value_of(f, f->state[i]));
    return body;
}

/* The grid of tuples that 'e' unzips; NULL if 'e' is no unzip. */
static lift_expr zipped(struct lift_ir *ir, lift_expr e)
{
    int rank = lift_type_rank(e->type->parts[0]);
    lift_expr grid = e;

    if (!lift_expr_is(e, LIFT_UNZIP))
        return NULL;
    for (int d = rank; d > 0; d--) {
        grid = lift_expr_child(grid, grid->arg_count - 1);
        if (lift_unzip_n(ir, rank, grid) == e)
            return grid;
    }
    return NULL;
}

/* Separates the outputs of a step. Lets around the outputs become lets of the fused
 * program. Returns true if the outputs are members of a bound value. */
static bool take_apart(struct fusing *f, lift_expr body, const char *hint,
                       lift_expr out[LIFT_MAX_ARGS])
{
    int count = f->step->output_count;
    lift_expr grid;

    while (lift_expr_is(body, LIFT_LET)) {
        lift_expr fun = lift_expr_child(body, 1);
        lift_expr var = bind(f, fun->u.lambda.names[0], lift_expr_child(body, 0));

        body = lift_expr_apply(f->ir, fun, &var);
    }
    out[0] = body;
    if (body->type->kind != LIFT_TYPE_TUPLE)
        return false;
    grid = zipped(f->ir, body);
    if (grid)
        body = lift_unzip_n(f->ir, lift_type_rank(grid->type), bind(f, hint, grid));
    else if (!lift_expr_is(body, LIFT_TUPLE))
        body = bind(f, hint, body);
    for (int k = 0; k < count; k++)
        out[k] = lift_expr_is(body, LIFT_TUPLE) ? lift_expr_child(body, k)
                                                : lift_get(f->ir, k, body);
    return !lift_expr_is(body, LIFT_TUPLE);
}

static void make_step(struct fusing *f, int step)
{
    struct lift_arena *arena = lift_ir_arena(f->ir);
    const struct lift_program *p = f->step;
    lift_expr out[LIFT_MAX_ARGS];

    bool bound =
        take_apart(f, applied(f), lift_arena_printf(arena, "%s_%d", p->name, step), out);

    for (int k = 0; k < p->output_count; k++) {
        const char *hint = lift_arena_printf(arena, "%s_%d", p->outputs[k].name, step);

        f->made[step][k] = bound ? out[k] : bind(f, hint, out[k]);
    }
}

static void advance(struct fusing *f, int step)
{
    struct origin next[LIFT_MAX_ARGS];

    for (int i = 0; i < f->step->input_count; i++) {
        const struct lift_program_input *in = &f->step->inputs[i];

        next[i] = in->next == LIFT_NEXT_SAME    ? f->state[i]
                  : in->next == LIFT_NEXT_INPUT ? f->state[in->next_index]
                                                : (struct origin){step, in->next_index};
    }
    memcpy(f->state, next, (size_t)f->step->input_count * sizeof *next);
}

/* ---- the fused program */

static bool is_taken(const struct lift_program *p, const char *name)
{
    bool taken = false;

    for (int i = 0; i < p->input_count; i++)
        taken |= strcmp(p->inputs[i].name, name) == 0;
    for (int i = 0; i < p->output_count; i++)
        taken |= strcmp(p->outputs[i].name, name) == 0;
    return taken;
}

static const char *name_before(struct fusing *f, struct origin from)
{
    struct lift_arena *arena = lift_ir_arena(f->ir);
    const char *last = f->step->outputs[from.index].name;
    int back = f->fused->steps - from.step;
    const char *name = back > 1 ? lift_arena_printf(arena, "%s_before%d", last, back)
                                : lift_arena_printf(arena, "%s_before", last);

    while (is_taken(f->fused, name))
        name = lift_arena_printf(arena, "%s_", name);
    return name;
}

/* The output that is the value of an input after the last step, added if needed; -1: too
 * many outputs. */
static int output_of(struct fusing *f, struct origin from, struct origin *outputs)
{
    struct lift_program *p = f->fused;

    for (int k = 0; k < p->output_count; k++)
        if (outputs[k].step == from.step && outputs[k].index == from.index)
            return k;
    if (p->output_count == LIFT_MAX_ARGS)
        return -1;
    outputs[p->output_count] = from;
    p->outputs[p->output_count] = (struct lift_program_output){
        name_before(f, from), f->step->outputs[from.index].type};
    return p->output_count++;
}

static bool connect(struct fusing *f, struct origin *outputs)
{
    for (int i = 0; i < f->step->input_count; i++) {
        struct origin from = f->state[i];
        struct lift_program_input *in = &f->fused->inputs[i];

        if (in->next == LIFT_NEXT_SAME)
            continue;
        in->next = from.step ? LIFT_NEXT_OUTPUT : LIFT_NEXT_INPUT;
        in->next_index = from.step ? output_of(f, from, outputs) : from.index;
        if (in->next_index < 0)
            return false;
    }
    return true;
}

/* Builds the body: the last step, and the additional outputs. */
static void close_body(struct fusing *f, lift_expr last, const struct origin *outputs)
{
    lift_expr out[LIFT_MAX_ARGS], body = last;

    if (f->fused->output_count > f->step->output_count) {
        take_apart(f, last, f->step->name, out);
        for (int k = f->step->output_count; k < f->fused->output_count; k++)
            out[k] = value_of(f, outputs[k]);
        body = lift_call(f->ir, LIFT_TUPLE, out, f->fused->output_count);
    }
    for (int i = f->count; i-- > 0;) {
        lift_expr fun = lift_fun(f->ir, body, f->bindings[i].var);

        if (lift_expr_uses_bound(fun->u.lambda.body, 0, 1))
            body = lift_let(f->ir, f->bindings[i].value, fun);
    }
    f->fused->body = body;
}

static bool fuse(struct fusing *f)
{
    struct origin outputs[LIFT_MAX_ARGS] = {{0}};
    lift_expr last;

    for (int i = 0; i < f->step->input_count; i++)
        f->state[i] = (struct origin){0, i};
    for (int k = 0; k < f->step->output_count; k++)
        outputs[k] = (struct origin){f->fused->steps, k};
    for (int t = 1; t < f->fused->steps; t++) {
        make_step(f, t);
        advance(f, t);
    }
    last = applied(f);
    advance(f, f->fused->steps);
    if (!connect(f, outputs))
        return false;
    close_body(f, last, outputs);
    return true;
}

static bool refuse(struct lift_error *errors, const struct lift_program *p, int steps,
                   const char *why)
{
    lift_fail_at(errors, NULL, (struct lift_span){0}, "%d steps of '%s' a launch: %s",
                 steps, p->name, why);
    return false;
}

/* If types hold for numbers only, the sizes have exactly these values. */
static bool fused_text(struct fusing *f, int steps, struct lift_error *errors,
                       struct lift_str *out)
{
    if (steps < 1 || steps > LIFT_MAX_STEPS)
        return refuse(errors, f->step, steps, "1 to 16 are possible");
    if (f->step->steps != 1)
        return refuse(errors, f->step, steps, "it already states its number of steps");
    if (steps == 1)
        return true;
    if (!f->step->iterative)
        return refuse(errors, f->step, steps,
                      "it has no time loop; say 'time (...) <- (...)' in it");
    f->fused = lift_arena_copy(lift_ir_arena(f->ir), f->step, sizeof *f->step);
    f->fused->steps = steps;
    for (int i = 0; i < f->fused->size_count; i++)
        if (lift_nat_is(f->fused->sizes[i].nat, f->fused->sizes[i].value))
            f->fused->sizes[i].lo = f->fused->sizes[i].hi = f->fused->sizes[i].value;
    if (!fuse(f))
        return refuse(errors, f->step, steps, "it would have more than 24 outputs");
    lift_program_print(f->fused, out);
    return true;
}

bool lift_source_steps(struct lift_source *source, int steps, struct lift_error *errors)
{
    struct lift_ir *ir = lift_ir_create();
    struct fusing f = {.step = lift_program_load_general(&ir, source, NULL, errors)};
    LIFT_SCOPED(lift_str) out = {0};
    bool good;

    f.ir = ir;
    good = f.step && fused_text(&f, steps, errors, &out);
    if (good && steps > 1) {
        free((char *)source->text);
        source->len = out.len;
        source->text = lift_str_take(&out);
    }
    lift_ir_destroy(ir);
    return good;
}
