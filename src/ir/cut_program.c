/* A program over several devices: its term, and the program of a part, which is what the
 * function of the term computes. */
#include "base/number.h"
#include "ir/cut_t.h"
#include "ir/reach.h"
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

/* How places along each dimension are asked for. */
static const struct {
    const char *first, *all;
} place_names[LIFT_PART_DIMS] = {{"firstPlane", "allPlanes"},
                                 {"firstRow", "allRows"},
                                 {"firstElement", "allElements"}};

/* Where nothing asks for a place, neither the first plane nor the number of them all, it
 * is the program itself. */
static bool find_part(struct lift_ir *ir, const struct lift_program *program,
                      const struct cut_ends *ends, int64_t planes, struct lift_cut *out)
{
    const char *first = new_name(ir, program, place_names[ends->dim].first);
    const char *all = new_name(ir, program, place_names[ends->dim].all);
    lift_expr var = lift_expr_free(ir, first, lift_type_scalar(ir, LIFT_I32));
    lift_nat nat = lift_nat_var(ir->nats, all, LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    lift_expr body = cut_body(ir, program->body, ends, nat, var);
    struct lift_program *p;

    out->part = program;
    if (body == program->body)
        return true;
    if (program->size_count == LIFT_MAX_SIZES ||
        program->param_count == LIFT_MAX_SCALARS) {
        lift_str_add(ends->why, "it has no room for a size and a parameter more");
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
    lift_reach_find(output, out->dim + 1, reach, p->input_count);
    for (int i = 0; i < p->input_count; i++) {
        const struct lift_reach *r = &reach[i];

        out->known[i] &= r->known;
        if (r->read && -r->lo[out->dim] > out->read_before[i])
            out->read_before[i] = -r->lo[out->dim];
        if (r->read && r->hi[out->dim] > out->read_after[i])
            out->read_after[i] = r->hi[out->dim];
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
    struct cut_ends ends = {.dim = shared->dim, .why = why};
    lift_expr grids[LIFT_MAX_ARGS];

    *out = (struct lift_cut){.dim = shared->dim};
    for (int i = 0; i < program->input_count; i++)
        grids[i] = program->inputs[i].var;
    if (!cut_find_ends(ir, program->body, grids, program->input_count, &ends))
        return false;
    for (int i = 0; i < program->input_count; i++)
        out->cut[i] = ir_type_has(grids[i]->type, ends.var);
    out->term =
        cut_term(ir, program->body, grids, program->input_count, &ends, shared->shares);
    if (!out->term)
        return false;
    out->size = lift_nat_is_var(ends.var, NULL);
    out->before = ends.before;
    out->after = ends.after;
    out->ring = ends.ring;
    find_reads(ir, program, out);
    return find_part(ir, program, &ends, planes, out);
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
        return (struct lift_fetched){lift_min(c->read_before[input], c->before),
                                     lift_min(c->read_after[input], c->after)};
    return (struct lift_fetched){launches * c->before, launches * c->after};
}
