/* The columns through a window. A column is a path into a plane; the table records
 * whether the sum reads the path in one plane or in several planes. */
#include "ir/expr.h"
#include "rules/native/retime.h"
#include "rules/nd.h"

/* Returns the path of a read, which is equal for all planes; NULL if 'e' is not a read.
 */
static lift_expr path_of(struct retime_sum *s, lift_expr e, int *k)
{
    lift_expr plane = e;

    while (!retime_is_plane(s, plane, k)) {
        if (!lift_expr_is(plane, LIFT_AT) && !lift_expr_is(plane, LIFT_GET))
            return NULL;
        plane = plane->u.prim.args[0];
    }
    return nd_replace(s->ir, e, plane, lift_at(s->ir, 0, s->w));
}

/* Records the plane of each path; records the sum itself if several planes are read. */
static bool note(void *sum, lift_expr e)
{
    struct retime_sum *s = sum;
    int k;
    lift_expr path = path_of(s, e, &k), plane;
    const void *known;

    if (!path)
        return true;
    plane = lift_at(s->ir, k, s->w);
    known = lift_ptrmap_get(&s->columns, path);
    lift_ptrmap_put(&s->columns, path,
                    (void *)(!known || known == plane ? plane : s->root));
    return false;
}

static bool beside(struct retime_sum *s, lift_expr e)
{
    int k;
    lift_expr path = path_of(s, e, &k);

    if (path)
        return lift_ptrmap_get(&s->columns, path) != s->root;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (!beside(s, lift_expr_child(e, i)))
            return false;
    return true;
}

bool retime_beside_column(struct retime_sum *s, lift_expr term)
{
    struct retime_span span = retime_span_of(s, term);

    if (!s->columns.count)
        lift_expr_each(s->root, note, s);
    return span.lo == span.hi && beside(s, term);
}
