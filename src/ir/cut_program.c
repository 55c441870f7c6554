/* A program over several devices: its term, and the program of a part, which is read from
 * the term. */
#include "ir/cut.h"
#include "lift/reach.h"
#include <string.h>

static bool is_name(const struct lift_program *p, const char *name)
{
    bool found = false;

    for (int i = 0; i < p->size_count; i++)
        found |= !strcmp(p->sizes[i].name, name);
    for (int i = 0; i < p->param_count; i++)
        found |= !strcmp(p->params[i].name, name);
    for (int i = 0; i < p->input_count; i++)
        found |= !strcmp(p->inputs[i].name, name);
    for (int i = 0; i < p->output_count; i++)
        found |= !strcmp(p->outputs[i].name, name);
    return found || !strcmp(p->name, name);
}

static const char *new_name(struct lift_ir *ir, const struct lift_program *p,
                            const char *name)
{
    while (is_name(p, name))
        name = lift_arena_printf(ir->arena, "%s_", name);
    return name;
}

/* ---- the program of a part */

struct sizes {
    lift_nat part, var, planes;
};

static lift_nat size_of_part(void *user, lift_nat n)
{
    const struct sizes *s = user;

    return n == s->part ? s->var : n == s->var ? s->planes : NULL;
}

/* The function of a mapDevice, applied to the grids of a program: its parts are as long
 * as the program's grids, and the whole grid is 'planes' long. */
static lift_expr body_of_part(struct lift_ir *ir, const struct lift_program *p,
                              const struct lift_cut *cut, lift_expr first,
                              lift_nat planes)
{
    lift_expr f = lift_expr_arg(cut->term, 0), args[2] = {first}, from[LIFT_MAX_ARGS];
    lift_expr to[LIFT_MAX_ARGS], y;
    lift_nat var = lift_nat_find_var(ir->nats, cut->size);
    struct sizes sizes = {lift_part_length(ir, 0), var, planes};
    lift_expr body;
    int n = 0;

    args[1] = lift_fresh(ir, "part", f->type->parts[1]);
    body = lift_expr_subst(ir, lift_expr_apply(ir, f, args), size_of_part, &sizes, NULL);
    y = lift_expr_free(ir, args[1]->u.name, ir_grid_of(ir, args[1]->type, var));
    for (int i = 0; i < p->input_count; i++)
        if (cut->cut[i]) {
            from[n] = y->type->kind == LIFT_TYPE_TUPLE ? lift_get(ir, n, y) : y;
            to[n++] = p->inputs[i].var;
        }
    return lift_expr_replace(ir, body, from, to, n);
}

/* Where nothing asks for a place, neither the first plane nor the number of them all, it
 * is the program itself. */
static bool find_part(struct lift_ir *ir, const struct lift_program *program,
                      int64_t planes, struct lift_cut *out, struct lift_str *why)
{
    const char *first = new_name(ir, program, "firstPlane");
    const char *all = new_name(ir, program, "allPlanes");
    lift_expr var = lift_expr_free(ir, first, lift_type_scalar(ir, LIFT_I32));
    lift_nat nat = lift_nat_var(ir->nats, all, LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    lift_expr body = body_of_part(ir, program, out, var, nat);
    struct lift_program *p;

    out->part = program;
    if (body == program->body)
        return true;
    if (program->size_count == LIFT_MAX_SIZES ||
        program->param_count == LIFT_MAX_SCALARS) {
        lift_str_add(why, "it has no room for a size and a parameter more");
        return false;
    }
    p = lift_arena_copy(ir->arena, program, sizeof *program);
    p->sizes[p->size_count++] =
        (struct lift_program_size){all, planes, planes, 1, LIFT_NAT_MAX, nat};
    p->params[p->param_count++] = (struct lift_program_param){first, LIFT_I32, 0, var};
    p->body = body;
    out->part = p;
    out->first = first;
    out->planes = all;
    return true;
}

/* ---- reads */

/* What one output reads. */
static void add_reads(const struct lift_program *p, lift_expr output,
                      struct lift_cut *out)
{
    struct lift_reach reach[LIFT_MAX_ARGS];

    for (int i = 0; i < p->input_count; i++)
        reach[i].array = p->inputs[i].var;
    lift_reach_find(output, 1, reach, p->input_count);
    for (int i = 0; i < p->input_count; i++) {
        const struct lift_reach *r = &reach[i];

        out->known[i] &= r->known;
        if (r->read && -r->lo[0] > out->read_before[i])
            out->read_before[i] = -r->lo[0];
        if (r->read && r->hi[0] > out->read_after[i])
            out->read_after[i] = r->hi[0];
    }
}

static void find_reads(struct lift_ir *ir, const struct lift_program *p,
                       struct lift_cut *out)
{
    for (int i = 0; i < p->input_count; i++)
        out->known[i] = true;
    for (int o = 0; o < p->output_count; o++)
        add_reads(p, p->output_count > 1 ? lift_get(ir, o, p->body) : p->body, out);
}

bool lift_cut_find(struct lift_ir *ir, const struct lift_program *program,
                   const struct lift_shared *shared, int64_t planes, struct lift_cut *out,
                   struct lift_str *why)
{
    struct cut_ends ends = {.why = why};
    lift_expr grids[LIFT_MAX_ARGS];

    *out = (struct lift_cut){.size = NULL};
    for (int i = 0; i < program->input_count; i++)
        grids[i] = program->inputs[i].var;
    if (!cut_find_ends(ir, program->body, grids, program->input_count, &ends))
        return false;
    for (int i = 0; i < program->input_count; i++)
        out->cut[i] = ir_type_has(grids[i]->type, ends.var);
    out->term = cut_term(ir, program->body, grids, program->input_count, &ends, shared);
    if (!out->term)
        return false;
    out->size = lift_nat_is_var(ends.var, NULL);
    lift_nat_is_const(out->term->u.prim.nats[0], &out->before);
    lift_nat_is_const(out->term->u.prim.nats[1], &out->after);
    out->ring = out->term->u.prim.attrs[1] == LIFT_ENDS_RING;
    find_reads(ir, program, out);
    return find_part(ir, program, planes, out, why);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A mirror reads inwards at the end of the grid: beyond the ghost planes perhaps, where
 * there is no neighbour. */
struct lift_fetched lift_cut_fetched(const struct lift_cut *c,
                                     const struct lift_program *p, int input,
                                     int64_t launches)
{
    if (!p->iterative || !c->cut[input] || p->inputs[input].next == LIFT_NEXT_SAME)
        return (struct lift_fetched){0, 0};
    if (launches == 1 && c->known[input])
        return (struct lift_fetched){least(c->read_before[input], c->before),
                                     least(c->read_after[input], c->after)};
    return (struct lift_fetched){launches * c->before, launches * c->after};
}
