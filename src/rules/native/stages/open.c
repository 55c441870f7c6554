/* Intermediates inside functions, such as the function of repeated steps. A rule then
 * receives variables instead of parameters, one variable for each grid of a tuple. */
#include "ir/spine.h"
#include "rules/native/stages/parts.h"
#include "rules/nd.h"

static void open_grids(struct opened *o, struct lift_ir *ir, lift_expr var)
{
    for (int i = 0; lift_is_grids(var->type) && var->type->kind == LIFT_TYPE_TUPLE &&
                    i < var->type->count && o->part_count < MAX_OPENED;
         i++) {
        lift_expr part = lift_get(ir, i, var);
        lift_expr grid = lift_fresh(ir, "u", part->type);

        o->parts[o->part_count] = part;
        o->grids[o->part_count++] = grid;
        o->e = nd_replace(ir, o->e, part, grid);
    }
}

bool stages_open(struct opened *o, struct lift_ir *ir, lift_expr e)
{
    *o = (struct opened){.e = e};
    while (o->e->loose > 0) {
        lift_type type = nd_bound_type(o->e, 0);

        if (!type)
            type = lift_type_scalar(ir, LIFT_I32);
        if (o->count == MAX_OPENED || !lift_type_is_data(type))
            return false;
        o->vars[o->count] = lift_fresh(ir, "x", type);
        o->e = lift_expr_apply(ir, lift_expr_lambda(ir, &type, 1, NULL, o->e),
                               &o->vars[o->count]);
        o->count++;
    }
    for (int i = 0; i < o->count; i++)
        open_grids(o, ir, o->vars[i]);
    return true;
}

lift_expr stages_close(const struct opened *o, struct lift_ir *ir, lift_expr e)
{
    for (int i = o->part_count - 1; i >= 0 && e; i--)
        e = nd_replace(ir, e, o->grids[i], o->parts[i]);
    for (int i = o->count - 1; i >= 0 && e; i--)
        e = lift_fun(ir, e, o->vars[i])->u.lambda.body;
    return e;
}
