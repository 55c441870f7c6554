/* Records elements that are computed where they are read. */
#include "explore/cost/sketch_t.h"

/* State before an element is computed. */
struct before {
    int loops, accesses;
    double ops;
};

/* Operations of the current loop outside listed elements. */
static double own_ops(const struct drawer *d)
{
    const struct sketch_loop *l = &d->out->loops[d->loop];

    return l->ops + l->lane_ops - l->computed;
}

/* Records a computed element. Lanes without operations belong to vectors that are only
 * loaded. */
static void note_computed(struct drawer *d, lift_expr function, const struct before *b)
{
    struct sketch *s = d->out;
    lift_type t = function->u.lambda.body->type;
    double ops = own_ops(d) - b->ops;

    for (int i = b->loops; i < s->loop_count; i++)
        if (s->loops[i].kind != SKETCH_LANES ||
            s->loops[i].ops + s->loops[i].lane_ops != 0)
            return;
    if (s->access_count == b->accesses || ops <= 0 ||
        s->computed_count == SKETCH_COMPUTED)
        return;
    s->computed[s->computed_count++] = (struct sketch_computed){
        function, d->loop, b->accesses, t->kind == LIFT_TYPE_VECTOR ? t->count : 1, ops};
    s->loops[d->loop].computed += ops;
}

sx sk_computed(struct drawer *d, lift_expr map, lift_env env, lift_access path)
{
    struct before before = {d->out->loop_count, d->out->access_count, own_ops(d)};
    sx known = lift_walk_map(&d->walker, map, env, path);
    lift_expr function = lift_expr_arg(map, 0);

    if (path && !path->next && lift_type_is_value(function->u.lambda.body->type))
        note_computed(d, function, &before);
    return known;
}
