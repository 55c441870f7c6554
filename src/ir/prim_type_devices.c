/* The type rules of parts on several devices. */
#include "ir/cut.h"
#include "ir/prim_type_t.h"

/* The number of parts. */
static lift_nat shares(struct prim_check *c, int slot)
{
    lift_type t = prim_arg_array(c, slot);

    if (t && !lift_type_is_scalar(t->elem, LIFT_I32)) {
        prim_expected(c, slot, "shares of the parts, an array of i32", t);
        return NULL;
    }
    if (t && lift_nat_proves_lt(t->len, lift_nat_const(c->ir->nats, 1))) {
        prim_fail(c, slot, "expects one share at least");
        return NULL;
    }
    return t ? t->len : NULL;
}

static lift_nat ghosts(struct prim_check *c, lift_nat count, int ends)
{
    const lift_nat *n = c->a->nats;

    return ir_ghosts(count, n[0], n[1], ends == LIFT_ENDS_RING);
}

lift_type prim_type_exchange(struct prim_check *c)
{
    lift_nat count = shares(c, 0), beside;
    lift_type xs = count ? prim_arg_array(c, 1) : NULL;

    beside = xs ? ghosts(c, count, c->a->attrs.exchange.ends) : NULL;
    return beside ? lift_type_array(c->ir, xs->elem, lift_nat_add(xs->len, beside))
                  : NULL;
}

static lift_type device_part(struct prim_check *c)
{
    lift_type xs = prim_arg_type(c, 2);
    int dim = c->a->attrs.device.dim;

    if (dim < 0 || dim >= LIFT_PART_DIMS)
        return prim_fail(c, -1, "has no dimension %d, but 0 to %d", dim,
                         LIFT_PART_DIMS - 1);
    if (!ir_grid_length(xs))
        return prim_expected(c, 2, "an array, or a tuple of arrays of one length", xs);
    if (ir_type_has(xs, lift_part_length(c->ir, dim)))
        return prim_expected(c, 2, "another dimension than that of the parts around it",
                             xs);
    return ir_grid_of(c->ir, xs, lift_part_length(c->ir, dim));
}

int prim_device_params(struct prim_check *c, lift_type out[])
{
    out[0] = lift_type_scalar(c->ir, LIFT_I32);
    out[1] = device_part(c);
    out[2] = NULL;
    return out[1] ? 2 : 0;
}

/* As many elements as the part has, whose own lengths do not hang on it. */
static bool makes_parts(lift_type r, lift_nat part)
{
    bool good = ir_grid_length(r) == part;

    if (good && r->kind == LIFT_TYPE_ARRAY)
        return !ir_type_has(r->elem, part);
    for (int i = 0; good && i < r->count; i++)
        good = !ir_type_has(r->parts[i]->elem, part);
    return good;
}

lift_type prim_type_map_device(struct prim_check *c)
{
    lift_nat count = shares(c, 1), beside;
    lift_type params[3];
    int n = count ? prim_device_params(c, params) : 0;
    lift_type r = n ? prim_fun_result(c, 0, params, n) : NULL;

    beside = r ? ghosts(c, count, c->a->attrs.device.ends) : NULL;
    if (!beside)
        return NULL;
    if (!makes_parts(r, lift_part_length(c->ir, c->a->attrs.device.dim)))
        return prim_expected(c, 0,
                             "a function that makes as many elements as the part has", r);
    return ir_grid_of(c->ir, r,
                      lift_nat_sub(ir_grid_length(prim_arg_type(c, 2)), beside));
}
