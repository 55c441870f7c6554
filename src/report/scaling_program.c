/* What a program exchanges. */
#include "ir/cut.h"
#include "ir/expr.h"
#include "report/scaling.h"

static double number(lift_nat n)
{
    int64_t value;

    return lift_nat_eval(n, NULL, NULL, &value) ? (double)value : 1;
}

/* The first two dimensions of the largest output, and all others as one. */
static void take_grid(const struct lift_program *p, struct scaling_grid *grid)
{
    double most = 0;

    for (int i = 0; i < p->output_count; i++) {
        lift_type t = p->outputs[i].type;
        double lengths[] = {1, 1, 1};

        for (int d = 0; t->kind == LIFT_TYPE_ARRAY; t = t->elem, d++)
            lengths[d < 2 ? d : 2] *= number(t->len);
        if (lengths[0] * lengths[1] * lengths[2] > most)
            *grid = (struct scaling_grid){lengths[0], lengths[1], lengths[2]};
        if (lengths[0] * lengths[1] * lengths[2] > most)
            most = lengths[0] * lengths[1] * lengths[2];
    }
}

/* Planes at one end, on average. */
static double depth(const struct lift_cut *c, const struct lift_program *p, int input,
                    int launches)
{
    struct lift_fetched f = lift_cut_fetched(c, p, input, launches);

    return (double)(f.before + f.after) / 2;
}

static void take_stencil(const struct lift_program *p, const struct lift_cut *c,
                         struct scaling_stencil *out)
{
    *out = (struct scaling_stencil){.halo = (double)(c->before + c->after) / 2};
    for (int i = 0; i < p->input_count; i++) {
        double bytes = lift_scalar_bytes(lift_type_base(p->inputs[i].type)->scalar);

        out->read += depth(c, p, i, 1) * bytes;
        out->state += depth(c, p, i, 2) > 0 ? bytes : 0;
    }
}

static bool refuse(struct lift_diags *diags, struct lift_str *why)
{
    for (size_t i = 0; i < diags->count; i++)
        lift_diag_format(&diags->items[i], why);
    return false;
}

static bool find_cut(const struct lift_source *source,
                     const struct lift_program_options *options,
                     struct scaling_stencil *stencil, struct lift_str *why)
{
    LIFT_SCOPED(lift_diags) diags = {0};
    LIFT_SCOPED(lift_str) reason = {0};
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *p =
        lift_program_load_general(&ir, source, options, &diags);
    struct lift_shared shared = {0};
    struct lift_cut cut;
    bool good = p && p->iterative;

    if (good) {
        shared.shares = lift_shares(ir, (const int[]){1, 1}, 2);
        good = lift_cut_find(ir, p, &shared, 1, &cut, &reason);
    }
    if (good)
        take_stencil(p, &cut, stencil);
    else if (!p)
        refuse(&diags, why);
    else if (!p->iterative)
        lift_str_addf(why, "program '%s' has no time loop: nothing is exchanged",
                      p->name);
    else
        lift_str_addf(why, "program '%s' cannot be cut over devices: %s", p->name,
                      lift_str_get(&reason));
    lift_ir_destroy(ir);
    return good;
}

bool scaling_of_program(const struct lift_source *source,
                        const struct lift_program_options *sizes,
                        struct scaling_stencil *stencil, struct scaling_grid *grid,
                        struct lift_str *why)
{
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    LIFT_SCOPED(lift_diags) diags = {0};
    const struct lift_program *p = lift_program_load(ir, source, sizes, &diags);

    *grid = (struct scaling_grid){1, 1, 1};
    if (!p)
        return refuse(&diags, why);
    take_grid(p, grid);
    return find_cut(source, sizes, stencil, why);
}
