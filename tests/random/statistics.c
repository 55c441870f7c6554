#include "statistics.h"
#include "base/bug.h"
#include <stdio.h>

/* True if a part of the program has the form. */
typedef bool has_form(const struct rp_program *p, const struct rp_expr *e);

static bool of_grid(const struct rp_expr *e)
{
    return e->type->form == RP_ARRAY;
}

static bool iterates_grids(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_ITERATE && of_grid(e);
}

static bool iterates_numbers(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_ITERATE && !of_grid(e);
}

static bool iterates_long(const struct rp_program *p, const struct rp_expr *e)
{
    return iterates_grids(p, e) && e->a[0].add > 16;
}

static bool has_regions(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_REGIONS;
}

static bool injects(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_INJECT;
}

static bool samples(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_SAMPLE;
}

static bool is_f16(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return rp_is(e->type, RP_F16);
}

static bool is_bf16(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return rp_is(e->type, RP_BF16);
}

static bool strides(const struct rp_program *p, const struct rp_expr *e)
{
    for (int i = 0; e->op == RP_SLIDE && i < e->d; i++)
        if (rp_len_value(p, e->b[i]) > 1)
            return true;
    return false;
}

static bool wraps(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_PAD && e->k == RP_WRAP;
}

static bool divides(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return (e->op == RP_DIV || e->op == RP_MOD) && rp_is(e->type, RP_I32);
}

static bool has_least(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return (e->op == RP_MIN || e->op == RP_MAX) && rp_is_float(e->type);
}

static bool chooses(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_IF && rp_is_float(e->type);
}

static bool chooses_grids(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    return e->op == RP_IF && of_grid(e);
}

/* A grid that windows read is computed. */
static bool is_staged(const struct rp_program *p, const struct rp_expr *e)
{
    (void)p;
    if (e->op != RP_SLIDE)
        return false;
    for (e = e->arg[0]; e->op == RP_PAD || e->op == RP_PAD_CONST || e->op == RP_PAD_FUN;)
        e = e->arg[0];
    return (e->op == RP_MAP || e->op == RP_VAR) && of_grid(e);
}

static bool mentions(const struct rp_program *p, const struct rp_expr *e, has_form *has)
{
    if (has(p, e))
        return true;
    for (int i = 0; i < e->count; i++)
        if (mentions(p, e->arg[i], has))
            return true;
    return false;
}

/* ---- of programs as a whole */

static bool has_size(const struct rp_program *p, int value)
{
    for (int i = 0; i < p->size_count; i++)
        if ((int)p->sizes[i].value == value)
            return true;
    return false;
}

static bool has_shapes(const struct rp_program *p)
{
    rp_type t = p->body->type;

    for (int i = 1; t->form == RP_TUPLE && i < t->count; i++)
        if (rp_scalars(p, t->member[i]) != rp_scalars(p, t->member[0]))
            return true;
    return false;
}

static const struct {
    const char *name;
    has_form *has;
} forms[] = {{"windows of computed grids (stages)", is_staged},
             {"iterate of grids", iterates_grids},
             {"of more than 16 steps", iterates_long},
             {"iterate of numbers", iterates_numbers},
             {"regions", has_regions},
             {"inject", injects},
             {"sample", samples},
             {"f16", is_f16},
             {"bf16", is_bf16},
             {"windows by steps above 1", strides},
             {"pads by wrap", wraps},
             {"integer division and modulo", divides},
             {"min and max of floats", has_least},
             {"if of floats", chooses},
             {"if of grids", chooses_grids}};

enum { PARTS = sizeof forms / sizeof *forms };

static const char *const others[] = {"exact",
                                     "time loop",
                                     "several steps a launch",
                                     "NaN and infinity in inputs",
                                     "these, exact",
                                     "a size of 1",
                                     "a size of 2",
                                     "outputs of different shapes",
                                     "steps above 1 with wrap"};

void rp_count(struct rp_statistics *s, const struct rp_program *p, bool at_once)
{
    bool has[RP_FORMS] = {false};
    int n = PARTS;

    for (int i = 0; i < PARTS; i++)
        has[i] = mentions(p, p->body, forms[i].has);
    has[n++] = p->exact;
    has[n++] = p->loops;
    has[n++] = at_once;
    has[n++] = p->wild;
    has[n++] = p->wild && p->exact;
    has[n++] = has_size(p, 1);
    has[n++] = has_size(p, 2);
    has[n++] = has_shapes(p);
    has[n++] = mentions(p, p->body, strides) && mentions(p, p->body, wraps);
    LIFT_ASSERT(n == (int)(PARTS + sizeof others / sizeof *others) && n <= RP_FORMS);
    s->programs++;
    for (int i = 0; i < n; i++)
        s->count[i] += has[i];
}

void rp_statistics_print(const struct rp_statistics *s)
{
    int n = PARTS + (int)(sizeof others / sizeof *others);

    printf("\nof %d programs\n", s->programs);
    for (int i = 0; i < n; i++)
        printf("  %5.1f %%  %s\n", 100.0 * s->count[i] / (s->programs ? s->programs : 1),
               i < PARTS ? forms[i].name : others[i - PARTS]);
}
