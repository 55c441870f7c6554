/* A program over several devices. The program of a part is the program itself, with the
 * length of a part in place of the grid's length. */
#include "base/fail.h"
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

/* ---- indices in the whole grid */

struct shifting {
    struct lift_ir *ir;
    const struct cut_ends *ends;
    lift_nat whole;  /* replaces the length of the grid used as a number */
    lift_expr first; /* index of the first element of the part */
};

/* Converts a function of an index of the whole grid to a function of an index of the
 * part. */
static lift_expr shift_index(struct shifting *s, lift_expr fun)
{
    lift_expr x = lift_fresh(s->ir, "i", lift_type_scalar(s->ir, LIFT_I32));
    lift_expr at = lift_call2(s->ir, LIFT_ADD, x, s->first);

    if (s->ends->ring)
        at = lift_call2(s->ir, LIFT_MOD, at, ir_size(s->ir, s->whole));
    return lift_fun(s->ir, lift_expr_apply(s->ir, fun, &at), x);
}

static bool is_place(const struct shifting *s, lift_expr e)
{
    return lift_expr_is(e, LIFT_ARRAY) && lift_nat_has(e->type->len, s->ends->var) &&
           lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 1);
}

static lift_expr whole_size(void *user, lift_expr e)
{
    const struct shifting *s = user;

    return lift_expr_is(e, LIFT_NAT)
               ? ir_size(s->ir, lift_nat_with(e->u.prim.nats[0], s->ends->var, s->whole))
               : NULL;
}

static lift_expr whole_place(void *user, lift_expr e, lift_expr to)
{
    struct shifting *s = user;
    lift_expr f;

    if (!to || !is_place(s, e))
        return to;
    f = shift_index(s, lift_expr_arg(to, 0));
    return lift_expr_rebuild(s->ir, to, &f, NULL);
}

/* The term of a part. Indices count from 'first', the index of its first element.
 * Lengths used as numbers are lengths of the whole grid. Returns 'e' if the term uses
 * neither. */
static lift_expr body_of_part(struct lift_ir *ir, lift_expr e,
                              const struct cut_ends *ends, lift_nat whole,
                              lift_expr first)
{
    struct shifting s = {ir, ends, whole, first};

    return ends->places ? lift_expr_mapped(
                              &(struct lift_expr_map){ir, &s, whole_size, whole_place}, e)
                        : e;
}

/* ---- the program of a part */

/* Names of the index parameter and of the size, for each dimension. */
static const struct {
    const char *first, *all;
} place_names[LIFT_PART_DIMS] = {{"firstPlane", "allPlanes"},
                                 {"firstRow", "allRows"},
                                 {"firstElement", "allElements"}};

/* Builds the program of a part. A program that uses no index and no length as a number is
 * its own part. */
static bool find_part(struct lift_ir *ir, const struct lift_program *program,
                      const struct cut_ends *ends, int64_t planes, struct lift_cut *out)
{
    const char *first = new_name(ir, program, place_names[ends->dim].first);
    const char *all = new_name(ir, program, place_names[ends->dim].all);
    lift_expr var = lift_expr_free(ir, first, lift_type_scalar(ir, LIFT_I32));
    lift_nat nat = lift_nat_var(ir->nats, all, LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
    lift_expr body = body_of_part(ir, program->body, ends, nat, var);
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

/* Adds the reads of one output. */
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

bool lift_cut_find(struct lift_ir *ir, const struct lift_program *program, int dim,
                   int64_t planes, struct lift_cut *out, struct lift_str *why)
{
    struct cut_ends ends = {.dim = dim, .why = why};
    lift_expr grids[LIFT_MAX_ARGS];

    *out = (struct lift_cut){.dim = dim};
    for (int i = 0; i < program->input_count; i++)
        grids[i] = program->inputs[i].var;
    bool reads = false;

    if (!cut_find_ends(ir, program->body, grids, program->input_count, &ends))
        return false;
    for (int i = 0; i < program->input_count; i++)
        reads |= out->cut[i] = cut_type_has(grids[i]->type, ends.var);
    if (!reads)
        return LIFT_FAIL(why, "no grid of that length is read");
    out->size = lift_nat_is_var(ends.var, NULL);
    out->before = ends.before;
    out->after = ends.after;
    out->ring = ends.ring;
    for (int i = 0; i < program->input_count; i++)
        out->known[i] = true;
    for (int o = 0; o < program->output_count; o++)
        add_reads(program,
                  program->output_count > 1 ? lift_get(ir, o, program->body)
                                            : program->body,
                  out);
    return find_part(ir, program, &ends, planes, out);
}

/* At an end without a neighbour, a mirrored boundary reads inwards, possibly beyond the
 * ghost planes. */
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
