/* Windows whose rows begin at a multiple of four elements of the grid:
 *
 *     slide_n(s, t, pad_n(l, r, b, x))
 *   = map_n(fun(w => map_(n-1)(fun(row => take(s_n, drop(m, row))), w)),
 *           slide_n(s + 2m, t, pad_n(l + m, r + m, b, x)))
 *
 * in the last dimension, where l + m is a multiple of four. Copies of aligned rows then
 * consist of whole vectors. Both sides get m elements, so that the centre is unchanged.
 */
#include "rules/native/natives.h"
#include "rules/nd.h"

enum { WIDTH = 4 };

static bool is_pad(lift_expr e)
{
    return lift_expr_is(e, LIFT_PAD) || lift_expr_is(e, LIFT_PAD_VALUE);
}

/* Returns the pad of the rows of nested pads of 'd' dimensions; NULL for other forms. */
static lift_expr row_pad(int d, lift_expr e)
{
    for (; d > 1; d--) {
        if (!lift_expr_is(e, LIFT_MAP) || !is_pad(e->u.prim.args[1]))
            return NULL;
        e = e->u.prim.args[0]->u.lambda.body;
    }
    return is_pad(e) ? e : NULL;
}

/* Returns the number of elements missing to the next multiple of the width; 0: unknown.
 * The value of a boundary must not depend on its position. */
static int64_t missing(lift_expr pad)
{
    int64_t before;

    if (!lift_nat_is_const(pad->u.prim.nats[0], &before) ||
        (pad->op == LIFT_PAD_VALUE &&
         lift_expr_uses_bound(pad->u.prim.args[0]->u.lambda.body, 0, 2)))
        return 0;
    return (WIDTH - before % WIDTH) % WIDTH;
}

/* Adds 'more' elements at both ends of the rows of nested pads. */
static lift_expr longer_rows(struct lift_ir *ir, int d, lift_expr e, int64_t more)
{
    struct lift_prim_args a = {.attrs = e->u.prim.attrs, .arg_count = e->arg_count};

    if (d > 1) {
        lift_expr f = e->u.prim.args[0];
        lift_expr body = longer_rows(ir, d - 1, f->u.lambda.body, more);
        static const char *const names[] = {"r"};

        return body ? lift_map(ir,
                               lift_expr_lambda(ir, &f->type->parts[0], 1, names, body),
                               e->u.prim.args[1])
                    : NULL;
    }
    for (int i = 0; i < 2; i++)
        a.nats[i] = lift_nat_add_const(e->u.prim.nats[i], more);
    for (int i = 0; i < e->arg_count; i++)
        a.args[i] = e->u.prim.args[i];
    return lift_make(ir, e->op, &a);
}

struct narrow {
    lift_nat size;
    int64_t more;
};

static lift_expr middle(struct lift_ir *ir, void *user, lift_expr row)
{
    const struct narrow *n = user;

    row = lift_call_nat(ir, LIFT_DROP, lift_nat_const(lift_ir_nats(ir), n->more), row);
    return lift_call_nat(ir, LIFT_TAKE, n->size, row);
}

/* Restores the original windows of 'd' dimensions. */
static lift_expr narrowed(struct lift_ir *ir, int d, lift_expr windows,
                          const struct narrow *n)
{
    lift_type window = nd_under(windows->type, d);
    lift_expr w = lift_fresh(ir, "w", window), rows;
    lift_expr f = lift_lambda(ir, "row", nd_under(window, d - 1), middle, (void *)n);

    rows = f && d > 1 ? lift_map_n(ir, d - 1, f, w) : middle(ir, (void *)n, w);
    return lift_map_n(ir, d, lift_fun(ir, rows, w), windows);
}

void rule_widen_to_vectors(struct rule_redex *redex)
{
    int d = redex->numbers.dims;
    struct lift_ir *ir = redex->ir;
    struct nd_window w;
    struct narrow n;
    lift_expr xs, pad;

    if (!nd_is_slide(ir, d, redex->at, &w, &xs))
        return;
    pad = row_pad(d, xs);
    n = (struct narrow){.size = w.size[d - 1], .more = pad ? missing(pad) : 0};
    if (n.more == 0)
        return;
    xs = longer_rows(ir, d, xs, n.more);
    w.size[d - 1] = lift_nat_add_const(n.size, 2 * n.more);
    xs = lift_slide_n(ir, d, w.size, w.step, xs);
    redex_emit(redex, xs ? narrowed(ir, d, xs, &n) : NULL);
}
