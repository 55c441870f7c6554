/* A program: sizes, parameters, functions, outputs, the time loop. */
#include "gen.h"
#include "base/bug.h"
#include "eval.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance */

int rg_below(struct gen *g, int n)
{
    return (int)lift_rng_below(&g->rng, (uint64_t)n);
}

int rg_range(struct gen *g, int lo, int hi)
{
    return lo + rg_below(g, hi - lo + 1);
}

bool rg_chance(struct gen *g, int percent)
{
    return rg_below(g, 100) < percent;
}

int rg_pick(struct gen *g, const int *weights)
{
    int sum = 0, at;

    for (int i = 0; weights[i] >= 0; i++)
        sum += weights[i];
    at = rg_below(g, sum);
    for (int i = 0;; i++) {
        at -= weights[i];
        if (at < 0)
            return i;
    }
}

int rg_enter(struct gen *g, rp_type type, const char *stem)
{
    int v = rp_new_var(g->p, type);
    struct rp_var *var = &g->p->vars[v];

    LIFT_ASSERT(g->scope_count < RG_SCOPE);
    var->name = rg_name(g, stem);
    for (int i = 0; type->form == RP_TUPLE && i < type->count; i++)
        var->parts[i] = rg_name(g, "m");
    g->scope[g->scope_count++] = v;
    return v;
}

void rg_leave(struct gen *g, int count)
{
    g->scope_count -= count;
}

/* ---- types */

enum rp_kind rg_number_kind(struct gen *g)
{
    static const int weights[] = {60, 17, 23, -1};

    return (enum rp_kind)rg_pick(g, weights);
}

static enum rp_kind any_kind(struct gen *g)
{
    if (rg_chance(g, 4))
        return rg_chance(g, 50) ? RP_F16 : RP_BF16;
    return rg_chance(g, 5) ? RP_BOOL : rg_number_kind(g);
}

rp_type rg_element_type(struct gen *g)
{
    rp_type member[RP_MEMBERS];
    int count = rg_chance(g, 85) ? 2 : 3;

    if (rg_chance(g, 88))
        return rp_scalar(any_kind(g));
    for (int i = 0; i < count; i++)
        member[i] = rp_scalar(any_kind(g));
    if (rg_chance(g, 10))
        member[0] = rp_tuple(g->p, (rp_type[]){rp_scalar(RP_F32), member[0]}, 2);
    return rp_tuple(g->p, member, count);
}

/* ---- declarations */

static void declare_sizes(struct gen *g, int d)
{
    static const int most[] = {0, 60, 30, 14, 7};
    struct rp_program *p = g->p;

    p->size_count = rg_range(g, 1, d);
    for (int i = 0; i < p->size_count; i++)
        p->sizes[i] = (struct rp_named){
            .name = rg_name(g, "n"),
            .value = rg_chance(g, 6) ? rg_range(g, 1, 2)
                                     : rg_range(g, rg_chance(g, 20) ? 1 : 4, most[d])};
}

static void declare_scalars(struct gen *g)
{
    static const enum rp_kind kinds[] = {RP_F32, RP_I32, RP_I32, RP_F64};
    struct rp_program *p = g->p;

    p->param_count = rg_below(g, 4);
    for (int i = 0; i < p->param_count; i++) {
        enum rp_kind kind = kinds[rg_below(g, 4)];

        p->params[i] = (struct rp_named){
            .name = rg_name(g, "a"),
            .type = rp_scalar(kind),
            .value = kind == RP_I32 ? rg_range(g, -3, 3) : rg_range(g, -100, 100) / 64.0};
    }
    p->const_count = rg_below(g, 3);
    for (int i = 0; i < p->const_count; i++)
        p->consts[i] = (struct rp_named){.name = rg_name(g, "c"),
                                         .value = rg_range(g, -200, 200) / 128.0};
}

static void declare_function(struct gen *g)
{
    struct rp_program *p = g->p;
    struct rp_fun f = {.name = rg_name(g, "f"), .param_count = rg_range(g, 1, 3)};

    for (int i = 0; i < f.param_count; i++)
        f.param[i] = rg_enter(
            g,
            rg_chance(g, 85) ? rp_scalar(rg_number_kind(g))
            : rg_chance(g, 50)
                ? rp_array(p, rp_fixed(3), rp_scalar(RP_F32))
                : rp_tuple(
                      p, (rp_type[]){rp_scalar(RP_F32), rp_scalar(rg_number_kind(g))}, 2),
            "q");
    f.body = rg_scalar(g, rg_number_kind(g), rg_range(g, 1, 3));
    rg_leave(g, f.param_count);
    p->funs[p->fun_count++] = f;
}

/* ---- outputs */

static rp_type output_element(struct gen *g)
{
    if (rg_chance(g, 5))
        return rp_array(g->p, rp_fixed(rg_range(g, 2, 3)), rp_scalar(RP_F32));
    if (rg_chance(g, 6))
        return rp_scalar(rg_chance(g, 50) ? RP_F16 : RP_BF16);
    return rp_scalar(rg_number_kind(g));
}

/* A grid, with steps or points now and then; where there are points off the grid it may
 * have others than 'len' says. */
static struct rp_expr *output_grid(struct gen *g, const struct rp_len *len, int d,
                                   rp_type elem, int depth, bool sampled)
{
    bool points = rp_is_float(elem) && !g->points && rg_chance(g, 20);

    if (rp_is_float(elem) && rg_chance(g, 10))
        return rg_iterated(g, len, d, elem);
    g->points |= points;
    if (points && sampled && rg_chance(g, 65))
        return rg_sampled(g, len, d, elem);
    if (points)
        return rg_injected(g, d, rg_grid(g, len, d, elem, depth));
    return rg_grid(g, len, d, elem, depth);
}

/* Lengths of one grid: sizes, something more, or multiples of them. */
static void choose_lengths(struct gen *g, int d, struct rp_len *len)
{
    for (int i = 0; i < d; i++) {
        len[i] = (struct rp_len){i % g->p->size_count, 1, 0};
        if (rg_chance(g, 10))
            len[i].mul = 2;
        if (rg_chance(g, 8))
            len[i].add = rg_range(g, 1, 3);
        if (rg_chance(g, 4))
            len[i] = rp_fixed(rg_range(g, 1, 6));
    }
}

/* Inputs that the time loop updates: the last one takes an output of its type, each other
 * one takes the next input. */
static void declare_loop(struct gen *g, int output, rp_type type)
{
    struct rp_program *p = g->p;
    int count = rg_chance(g, 65) ? 1 : 2;

    if (p->input_count + count > RP_INPUTS)
        return;
    p->loops = true;
    for (int i = 0; i < count; i++) {
        int k = p->input_count++;

        p->inputs[k] = (struct rp_named){.name = rg_name(g, "u"), .type = type};
        p->next[k] = i == count - 1 ? output : -1 - (k + 1);
    }
}

static struct rp_expr *grid_of_tuples(struct gen *g, const struct rp_len *len, int d,
                                      int depth)
{
    struct rp_program *p = g->p;
    rp_type member[RP_MEMBERS], grid[RP_MEMBERS];
    struct rp_expr *e, *apart;

    for (int i = 0; i < p->output_count; i++) {
        member[i] = rp_scalar(rg_number_kind(g));
        grid[i] = rp_grid(p, len, d, member[i]);
    }
    e = rg_mapped(g, len, d, rp_tuple(p, member, p->output_count), depth);
    if (rg_chance(g, 50))
        return e;
    apart = rp_new1(p, RP_UNZIP, rp_tuple(p, grid, p->output_count), e);
    apart->d = d;
    return apart;
}

/* Several grids, sometimes of different lengths. */
static struct rp_expr *several(struct gen *g, struct rp_len *len, int d, int depth)
{
    struct rp_program *p = g->p;
    struct rp_expr *grids[RP_OUTPUTS], *e;
    rp_type type[RP_OUTPUTS];
    bool looped;

    for (int i = 0; i < p->output_count; i++) {
        if (rg_chance(g, 15))
            choose_lengths(g, d, len);
        type[i] = output_element(g);
        looped = rg_chance(g, 15);
        if (looped)
            declare_loop(g, i, rp_grid(p, len, d, type[i]));
        grids[i] = output_grid(g, len, d, type[i], i == 0 ? depth : 1, !looped);
        type[i] = grids[i]->type;
    }
    e = rp_new(p, RP_MAKE, rp_tuple(p, type, p->output_count));
    for (int i = 0; i < p->output_count; i++)
        rp_add_arg(e, grids[i]);
    return e;
}

static struct rp_expr *several_shared(struct gen *g, struct rp_len *len, int d, int depth)
{
    struct rp_expr *value, *e;
    int v;

    if (rg_chance(g, 70))
        return several(g, len, d, depth);
    value = rg_grid(g, len, d, rg_element_type(g), 1);
    v = rg_enter(g, value->type, "t");
    e = several(g, len, d, depth);
    e = rp_new2(g->p, RP_LET, e->type, value, e);
    rg_leave(g, 1);
    e->param[0] = v;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

static struct rp_expr *body(struct gen *g, int d)
{
    struct rp_program *p = g->p;
    int depth = rg_range(g, 1, 3);
    struct rp_len len[RP_DIMS];
    rp_type elem;

    choose_lengths(g, d, len);
    if (p->output_count > 1)
        return rg_chance(g, 22) ? grid_of_tuples(g, len, d, depth)
                                : several_shared(g, len, d, depth);
    elem = output_element(g);
    if (rg_chance(g, 3)) /* a view as it stands */
        return rg_windows(g, len, d > 2 ? 2 : d, elem, depth);
    if (rg_chance(g, 25))
        declare_loop(g, 0, rp_grid(p, len, d, elem));
    return output_grid(g, len, d, elem, depth, false);
}

/* ---- stages */

/* Adds 'count' intermediates after the grid 'x'. The last one is the result, possibly
 * together with its predecessor. */
static struct rp_expr *stages_after(struct gen *g, const struct rp_len *len, int d,
                                    struct rp_expr *x, int count)
{
    struct rp_program *p = g->p;
    struct rp_expr *value = rg_stage(g, len, d, rp_scalar(rg_number_kind(g)), x), *e;
    rp_type types[2] = {value->type, x->type};
    int v;

    if (count == 1 && p->output_count == 1)
        return value;
    if (count == 1) {
        e = rp_new(p, RP_MAKE, rp_tuple(p, types, 2));
        rp_add_arg(e, value);
        rp_add_arg(e, rp_var(p, x->k));
        return e;
    }
    v = rg_enter(g, value->type, "t");
    e = stages_after(g, len, d, rp_var(p, v), count - 1);
    rg_leave(g, 1);
    e = rp_new2(p, RP_LET, e->type, value, e);
    e->param[0] = v;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

static struct rp_expr *staged(struct gen *g, int d)
{
    struct rp_len len[RP_DIMS];

    choose_lengths(g, d, len);
    return stages_after(g, len, d, rg_leaf(g, len, d, rp_scalar(RP_F32)),
                        rg_range(g, 2, 4));
}

static struct rp_program *draw(struct lift_arena *arena, uint64_t seed,
                               const struct rp_options *options)
{
    static const int dims[] = {34, 34, 22, 10, -1}, outputs[] = {62, 22, 11, 5, -1};
    struct rp_program *p = LIFT_NEW(arena, struct rp_program);
    struct gen *g = calloc(1, sizeof *g);
    int d;

    LIFT_ASSERT(g);
    g->p = p;
    g->names = &options->names;
    lift_rng_seed(&g->rng, seed);
    p->arena = arena;
    p->name = rg_name(g, "program");
    p->exact = rg_chance(g, 25);
    p->numbers = rg_chance(g, 25);
    p->wild = rg_chance(g, p->exact ? 40 : 8);
    p->style = (unsigned)rg_below(g, 1 << 16);
    d = 1 + rg_pick(g, dims);
    declare_sizes(g, d);
    declare_scalars(g);
    g->budget = 1000;
    for (int n = rg_below(g, 3); n > 0; n--)
        declare_function(g);
    p->output_count = options->stages ? rg_range(g, 1, 2) : 1 + rg_pick(g, outputs);
    for (int i = 0; i < p->output_count; i++)
        p->outputs[i] = rg_name(g, "y");
    g->budget = rg_range(g, 20, 90);
    p->body = options->stages ? staged(g, d) : body(g, d);
    free(g);
    return p;
}

/* ---- those that can be compared */

static bool is_fit(const struct rp_program *p)
{
    struct rp_run run;
    bool fit;

    if (rp_illegal(p) || rp_scalars(p, p->body->type) > 20000 || p->input_count == 0 ||
        p->var_count > RP_VARS - 50)
        return false;
    for (int i = 0; i < p->input_count; i++)
        if (rp_scalars(p, p->inputs[i].type) > 60000)
            return false;
    rp_run_init(&run, p, 1);
    run.limit = 3000000;
    fit = rp_run_step(&run) && rp_run_unknown(&run) < rp_most_unknown(p);
    rp_run_fini(&run);
    return fit;
}

struct rp_program *rp_generate(struct lift_arena *arena, uint64_t seed, uint64_t number,
                               const struct rp_options *options)
{
    for (uint64_t i = 0;; i++) {
        struct rp_program *p =
            draw(arena, seed * 0x9e3779b97f4a7c15u + number * 1000003u + i, options);

        if (is_fit(p)) {
            rg_settle_names(p);
            return p;
        }
    }
}
