#include "run/once.h"
#include "base/scope.h"
#include "rules/nd.h"
#include <string.h>

/* A grid that is computed once. */
struct constant {
    lift_expr grid; /* over the inputs of the program */
    lift_expr var;  /* the step's input that holds this grid */
};

struct split {
    struct lift_ir *ir;
    const struct lift_program *program;
    struct constant found[LIFT_MAX_ARGS];
    int count;
    lift_expr from[LIFT_MAX_ARGS], to[LIFT_MAX_ARGS]; /* maps and their replacements */
    int map_count;
};

/* ---- costly values */

static bool is_costly(lift_expr e)
{
    static const enum lift_op ops[] = {LIFT_SIN, LIFT_COS, LIFT_EXP, LIFT_LOG, LIFT_POW};

    for (int i = 0; i < (int)(sizeof ops / sizeof *ops); i++)
        if (lift_expr_is(e, ops[i]))
            return true;
    return false;
}

static const struct lift_program_input *input_of(const struct split *s, lift_expr var)
{
    for (int i = 0; i < s->program->input_count; i++)
        if (s->program->inputs[i].var == var)
            return &s->program->inputs[i];
    return NULL;
}

/* A map over grid points in d dimensions. Each point takes one element of each array. */
struct points {
    struct split *s;
    int d, count;
    lift_expr arrays[LIFT_MAX_ARGS], point; /* 'point': a variable, all elements */
    lift_expr body;
    lift_expr costly[LIFT_MAX_ARGS]; /* in the body */
    int costly_count;
};

/* Returns true for elements of inputs that no step changes, and for values computed from
 * such elements only. */
static bool is_constant(const struct points *p, lift_expr e)
{
    if (lift_expr_is(e, LIFT_GET) && lift_expr_arg(e, 0) == p->point) {
        const struct lift_program_input *in =
            input_of(p->s, p->arrays[e->u.prim.attrs.get.k]);

        return in && in->next == LIFT_NEXT_SAME && e->type->kind == LIFT_TYPE_SCALAR;
    }
    if (e->kind == LIFT_EXPR_FREE)
        return e->type->kind == LIFT_TYPE_SCALAR;
    if (e->kind == LIFT_EXPR_LIT)
        return true;
    if (e->kind != LIFT_EXPR_PRIM || e->type->kind != LIFT_TYPE_SCALAR || e->loose)
        return false;
    for (int i = 0; i < e->arg_count; i++)
        if (!is_constant(p, lift_expr_arg(e, i)))
            return false;
    return true;
}

static bool asks_for_point(const struct points *p, lift_expr e)
{
    return nd_count(e, p->point, 1) > 0;
}

static bool note_costly(void *points, lift_expr e)
{
    struct points *p = points;

    if (!is_costly(e) || e->loose || !lift_type_is_float(e->type) || !is_constant(p, e) ||
        !asks_for_point(p, e))
        return true;
    if (p->s->count + p->costly_count < LIFT_MAX_ARGS)
        p->costly[p->costly_count++] = e;
    return false;
}

/* ---- grids of costly values */

static lift_expr element(const struct points *p, lift_expr of, int k)
{
    return lift_get(p->s->ir, k, of);
}

static bool is_taken(const struct split *s, const char *name)
{
    const struct lift_program *p = s->program;
    bool taken = strcmp(p->name, name) == 0;

    for (int i = 0; i < p->size_count; i++)
        taken |= strcmp(p->sizes[i].name, name) == 0;
    for (int i = 0; i < p->param_count; i++)
        taken |= strcmp(p->params[i].name, name) == 0;
    for (int i = 0; i < p->input_count; i++)
        taken |= strcmp(p->inputs[i].name, name) == 0;
    for (int i = 0; i < p->output_count; i++)
        taken |= strcmp(p->outputs[i].name, name) == 0;
    for (int i = 0; i < s->count; i++)
        taken |= strcmp(s->found[i].var->u.name, name) == 0;
    return taken;
}

/* Returns a unique name: 'sin_tilt', or 'sin_tilt_vp' for two inputs. */
static const char *name_of(const struct points *p, lift_expr e)
{
    struct lift_arena *arena = lift_ir_arena(p->s->ir);
    const char *name = lift_prim_info(e->op)->name;

    for (int k = 0; k < p->count; k++)
        if (nd_count(e, element(p, p->point, k), 1) > 0)
            name = lift_arena_printf(arena, "%s_%s", name, p->arrays[k]->u.name);
    while (is_taken(p->s, name))
        name = lift_arena_printf(arena, "%s_", name);
    return name;
}

/* Returns the grid of the values of 'e' at each grid point. */
static lift_expr grid_of(const struct points *p, lift_expr e)
{
    struct lift_ir *ir = p->s->ir;
    lift_expr used[LIFT_MAX_ARGS], of[LIFT_MAX_ARGS], zip, fun;
    int count = 0;

    for (int k = 0; k < p->count; k++)
        if (nd_count(e, element(p, p->point, k), 1) > 0) {
            of[count] =
                lift_fresh(ir, p->arrays[k]->u.name, element(p, p->point, k)->type);
            e = nd_replace(ir, e, element(p, p->point, k), of[count]);
            used[count++] = p->arrays[k];
        }
    if (count == 1)
        return lift_map_n(ir, p->d, lift_fun(ir, e, of[0]), used[0]);
    zip = lift_zip_n(ir, p->d, used, count);
    fun = lift_fresh(ir, "t", nd_under(zip->type, p->d));
    for (int i = 0; i < count; i++)
        e = nd_replace(ir, e, of[i], lift_get(ir, i, fun));
    return lift_map_n(ir, p->d, lift_fun(ir, e, fun), zip);
}

static lift_expr add_constant(struct points *p, lift_expr e)
{
    struct split *s = p->s;
    struct constant *c = &s->found[s->count];
    const char *name = name_of(p, e);

    c->grid = grid_of(p, e);
    c->var = lift_expr_free(s->ir, name, c->grid->type);
    s->count++;
    return c->var;
}

/* Adds the grids to the map's zip and drops unneeded arrays. Returns false if the zip has
 * no room for the grids. */
static bool replace_map(struct points *p, lift_expr map)
{
    struct lift_ir *ir = p->s->ir;
    lift_expr arrays[2 * LIFT_MAX_ARGS], old[2 * LIFT_MAX_ARGS], zip, point;
    lift_expr costly[LIFT_MAX_ARGS], body = p->body;
    int count = 0;

    for (int i = 0; i < p->costly_count; i++) {
        costly[i] = lift_fresh(ir, "c", p->costly[i]->type);
        body = nd_replace(ir, body, p->costly[i], costly[i]);
    }
    for (int k = 0; k < p->count; k++)
        if (nd_count(body, element(p, p->point, k), 1) > 0) {
            old[count] = element(p, p->point, k);
            arrays[count++] = p->arrays[k];
        }
    for (int i = 0; i < p->costly_count; i++) {
        old[count] = costly[i];
        arrays[count++] = add_constant(p, p->costly[i]);
    }
    if (count < 2 || count > LIFT_MAX_ARGS)
        return false;
    zip = lift_zip_n(ir, p->d, arrays, count);
    point = lift_fresh(ir, "t", nd_under(zip->type, p->d));
    for (int i = 0; i < count; i++)
        body = nd_replace(ir, body, old[i], lift_get(ir, i, point));
    if (asks_for_point(p, body))
        return false;
    p->s->from[p->s->map_count] = map;
    p->s->to[p->s->map_count++] = lift_map_n(ir, p->d, lift_fun(ir, body, point), zip);
    return true;
}

static bool note_map(void *split, lift_expr e)
{
    struct split *s = split;
    struct points p = {.s = s};
    lift_expr f = NULL, xs;
    int before = s->count;

    if (e->loose || !lift_expr_is(e, LIFT_MAP))
        return true;
    for (p.d = LIFT_MAX_DIMS; p.d > 0 && !p.count; p.d--)
        if (nd_is_map(s->ir, p.d, e, &f, &xs))
            p.count = nd_is_zip(s->ir, p.d, xs, p.arrays);
    if (!p.count || s->map_count == LIFT_MAX_ARGS)
        return true;
    p.d++;
    p.point = lift_fresh(s->ir, "t", nd_under(xs->type, p.d));
    p.body = lift_expr_apply(s->ir, f, &p.point);
    lift_expr_each(p.body, note_costly, &p);
    if (!p.costly_count)
        return true;
    if (!replace_map(&p, e))
        s->count = before;
    return false;
}

/* ---- the programs */

static const char *name_with(const struct split *s, const char *end)
{
    return lift_arena_printf(lift_ir_arena(s->ir), "%s_%s", s->program->name, end);
}

/* Drops inputs that the program does not read and no step changes. */
static void drop_inputs(struct lift_program *p)
{
    int at[LIFT_MAX_ARGS], count = 0;

    for (int i = 0; i < p->input_count; i++) {
        bool stays = p->inputs[i].next != LIFT_NEXT_SAME ||
                     nd_count(p->body, p->inputs[i].var, 1) > 0;

        for (int k = 0; k < p->input_count; k++)
            stays |= p->inputs[k].next == LIFT_NEXT_INPUT && p->inputs[k].next_index == i;
        at[i] = stays ? count++ : -1;
    }
    for (int i = 0; i < p->input_count; i++) {
        if (p->inputs[i].next == LIFT_NEXT_INPUT)
            p->inputs[i].next_index = at[p->inputs[i].next_index];
        if (at[i] >= 0)
            p->inputs[at[i]] = p->inputs[i];
    }
    p->input_count = count;
}

static void print_once(const struct split *s, struct lift_str *out)
{
    struct lift_program *p =
        lift_arena_copy(lift_ir_arena(s->ir), s->program, sizeof *s->program);
    lift_expr grids[LIFT_MAX_ARGS];

    p->name = name_with(s, "once");
    p->iterative = false;
    p->output_count = s->count;
    for (int i = 0; i < s->count; i++) {
        grids[i] = s->found[i].grid;
        p->outputs[i] =
            (struct lift_program_output){s->found[i].var->u.name, grids[i]->type};
    }
    for (int i = 0; i < p->input_count; i++)
        p->inputs[i].next = LIFT_NEXT_SAME;
    p->body = s->count > 1 ? lift_call(s->ir, LIFT_TUPLE, grids, s->count) : grids[0];
    drop_inputs(p);
    lift_program_print(p, out);
}

static bool print_step(const struct split *s, struct lift_str *out)
{
    struct lift_program *p =
        lift_arena_copy(lift_ir_arena(s->ir), s->program, sizeof *s->program);

    p->name = name_with(s, "step");
    p->body = lift_expr_replace(s->ir, p->body, s->from, s->to, s->map_count);
    drop_inputs(p);
    if (p->input_count + s->count > LIFT_MAX_ARGS)
        return false;
    for (int i = 0; i < s->count; i++)
        p->inputs[p->input_count++] =
            (struct lift_program_input){.name = s->found[i].var->u.name,
                                        .type = s->found[i].var->type,
                                        .var = s->found[i].var};
    lift_program_print(p, out);
    return true;
}

static bool refuse(struct lift_error *errors, const struct lift_program *p,
                   const char *why)
{
    lift_fail_at(errors, NULL, (struct lift_span){0}, "'%s' %s", p->name, why);
    return false;
}

void once_split_fini(struct once_split *split)
{
    lift_str_fini(&split->name);
    lift_str_fini(&split->once);
    lift_str_fini(&split->step);
    lift_str_fini(&split->grids);
}

bool once_split(const struct lift_source *source, struct once_split *out,
                struct lift_error *errors)
{
    struct lift_ir *ir = lift_ir_create();
    struct split s = {.program = lift_program_load_general(&ir, source, NULL, errors)};
    bool good = s.program != NULL;

    s.ir = ir;
    if (good && !s.program->iterative)
        good = refuse(errors, s.program, "has no time loop");
    if (good)
        lift_expr_each(s.program->body, note_map, &s);
    if (good && !s.count)
        good = refuse(errors, s.program,
                      "computes nothing by functions of inputs that no step changes");
    if (good && !print_step(&s, &out->step))
        good = refuse(errors, s.program, "has too many inputs");
    if (good)
        print_once(&s, &out->once);
    if (good)
        lift_str_add(&out->name, s.program->name);
    for (int i = 0; good && i < s.count; i++)
        lift_str_addf(&out->grids, "%s%s", i ? ", " : "", s.found[i].var->u.name);
    lift_ir_destroy(ir);
    return good;
}
