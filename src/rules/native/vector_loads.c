/* Loads of tiles by vectors.
 *
 *     map_n(f, slide_n(n, s, y)),  s = (.., w * j)
 *   = map_n(fun(t => let l = toPrivate(t by vectors) in
 *                    f(map_{n-1}(fun(row => take(n', drop(o, row))), l))),
 *           slide_n(m, s, pad_n(.., any, y)))
 *
 * where the rows m of the larger windows are whole vectors. The rows begin o elements
 * earlier, at a multiple of w in the array under the boundaries of y, and end with a
 * vector. Padding elements are loaded, but never read. Tiles that are not windows must
 * have rows of whole vectors. Each zipped input is loaded by vectors if possible. */
#include "ir/spine.h"
#include "ir/view.h"
#include "rules/native/natives.h"
#include "rules/nd.h"

enum { WIDTH = 4, DEPTH = 8 };

/* ---- start of rows */

struct view {
    lift_expr e;
    int depth;              /* the current dimension, relative to the outermost of 'e' */
    lift_expr outer[DEPTH]; /* arrays of the maps around 'e', innermost last */
    int count;
    lift_nat lead;
};

/* Steps into the function of a map, while outer dimensions remain. */
static bool into_map(struct view *v)
{
    lift_expr e = v->e;

    if (v->count == DEPTH)
        return false;
    v->outer[v->count] = e->u.prim.args[1];
    v->count += v->depth > 0;
    v->e = v->depth > 0 ? e->u.prim.args[0]->u.lambda.body : e->u.prim.args[1];
    v->depth -= v->depth > 0;
    return true;
}

/* Steps into the argument of a move along one dimension. */
static bool into_moved(struct view *v)
{
    int last = v->e->arg_count - 1;
    struct lift_view view;

    lift_view_of(v->e, last, &view);
    if (view.move == LIFT_MOVE_BACK && v->depth == 0)
        v->lead = lift_nat_add(v->lead, view.n);
    if (view.move == LIFT_MOVE_SHIFT && v->depth == 0)
        v->lead = lift_nat_sub(v->lead, view.n);
    v->e = v->e->u.prim.args[last];
    return view.move == LIFT_MOVE_BACK || view.move == LIFT_MOVE_SHIFT ||
           view.move == LIFT_MOVE_SAME;
}

/* Steps one view inwards; false if there is no view, or its effect is unknown. */
static bool step_in(struct view *v)
{
    lift_expr e = v->e;

    if (e->kind == LIFT_EXPR_BOUND && (int)e->u.index < v->count) {
        v->count -= (int)e->u.index + 1;
        v->e = v->outer[v->count];
        v->depth++;
        return true;
    }
    if (e->kind != LIFT_EXPR_PRIM)
        return false;
    if (e->op == LIFT_MAP)
        return into_map(v);
    return lift_op_is_view(e->op) && !lift_moves_each(e) && into_moved(v);
}

/* Returns the offset of the rows of 'y' in the array under the boundaries of 'y'. The
 * offset affects only the speed of the loads. */
static lift_nat lead_of(struct lift_ir *ir, lift_expr y, int d)
{
    struct view v = {.e = y, .depth = d - 1, .lead = lift_nat_const(lift_ir_nats(ir), 0)};

    while (step_in(&v))
        ;
    return v.lead;
}

/* ---- tiles of one input */

struct tiles {
    lift_expr xs; /* the larger tiles */
    bool loaded;
    lift_nat before,
        size; /* start and length of a row of the tile in a row of the larger tile */
};

static bool whole_vectors(struct lift_ir *ir, lift_nat n)
{
    return lift_nat_proves_divides(lift_nat_const(lift_ir_nats(ir), WIDTH), n);
}

static struct tiles of_windows(struct lift_ir *ir, int d, struct nd_window *w,
                               lift_expr y, lift_expr xs)
{
    lift_nat wide = lift_nat_const(lift_ir_nats(ir), WIDTH),
             zero = lift_nat_sub(wide, wide);
    lift_nat lead = lead_of(ir, y, d), none[LIFT_MAX_DIMS], more[LIFT_MAX_DIMS], size;
    struct tiles t = {xs, false, zero, w->size[d - 1]};

    if (!whole_vectors(ir, w->step[d - 1]))
        return t;
    for (int i = 0; i < d; i++)
        none[i] = more[i] = zero;
    t.before = lift_nat_sub(lift_nat_mul(wide, lift_nat_ceil_div(lead, wide)), lead);
    size = lift_nat_add(t.before, t.size);
    w->size[d - 1] = lift_nat_mul(wide, lift_nat_ceil_div(size, wide));
    none[d - 1] = t.before;
    more[d - 1] = lift_nat_sub(w->size[d - 1], size);
    if (!lift_nat_is(none[d - 1], 0) || !lift_nat_is(more[d - 1], 0))
        y = lift_pad_n(ir, d, none, more, LIFT_PAD_ANY, y);
    t.xs = lift_slide_n(ir, d, w->size, w->step, y);
    t.loaded = true;
    return t;
}

static struct tiles larger_tiles(struct lift_ir *ir, int d, lift_expr xs)
{
    struct tiles t = {.xs = xs};
    lift_type type = xs->type;
    struct nd_window w;
    lift_nat len[LIFT_MAX_DIMS];
    lift_expr y;

    for (int i = 0; i < d; i++)
        type = type->elem;
    if (lift_type_rank(type) != d || lift_type_base(type)->kind != LIFT_TYPE_SCALAR ||
        lift_type_base(type)->scalar == LIFT_BOOL)
        return t;
    if (nd_is_slide(ir, d, xs, &w, &y))
        return of_windows(ir, d, &w, y, xs);
    nd_lengths(type, d, len);
    t.before = lift_nat_sub(len[0], len[0]);
    t.size = len[d - 1];
    t.loaded = whole_vectors(ir, t.size);
    return t;
}

/* ---- the function of a tile */

/* Copies 'x' by loads of vectors in each row. */
static lift_expr by_vectors(struct lift_ir *ir, int d, lift_expr x)
{
    lift_expr row, f;

    if (d == 1) {
        x = lift_call_nat(ir, LIFT_AS_VECTOR, lift_nat_const(lift_ir_nats(ir), WIDTH), x);
        f = nd_copy(ir, 1, x)->u.prim.args[0];
        return lift_call1(ir, LIFT_AS_SCALAR, lift_map_as(ir, LIFT_MAP_UNROLL, 0, f, x));
    }
    row = lift_fresh(ir, "r", x->type->elem);
    f = lift_fun(ir, by_vectors(ir, d - 1, row), row);
    return lift_map_as(ir, LIFT_MAP_UNROLL, 0, f, x);
}

/* Returns the tile that a larger tile contains. */
static lift_expr inner_part(struct lift_ir *ir, int d, const struct tiles *t, lift_expr l)
{
    lift_type row = l->type;
    lift_expr r, part;

    for (int i = 1; i < d; i++)
        row = row->elem;
    if (row->len == t->size)
        return l;
    r = lift_fresh(ir, "r", row);
    part = lift_nat_is(t->before, 0) ? r : lift_call_nat(ir, LIFT_DROP, t->before, r);
    part = lift_call_nat(ir, LIFT_TAKE, t->size, part);
    if (d == 1)
        return lift_expr_apply(ir, lift_fun(ir, part, r), &l);
    return lift_map_n(ir, d - 1, lift_fun(ir, part, r), l);
}

struct loading {
    struct lift_ir *ir;
    int d, count;
    bool zipped;
    struct tiles tiles[LIFT_MAX_ARGS];
};

static lift_expr member(const struct loading *x, lift_expr t, int i)
{
    return x->zipped ? lift_get(x->ir, i, t) : t;
}

static lift_expr body_of(const struct loading *x, lift_expr f, lift_expr t)
{
    lift_expr members[LIFT_MAX_ARGS], stored[LIFT_MAX_ARGS] = {NULL}, body;

    for (int i = 0; i < x->count; i++) {
        members[i] = member(x, t, i);
        if (!x->tiles[i].loaded)
            continue;
        stored[i] = lift_fresh(x->ir, "l", members[i]->type);
        members[i] = inner_part(x->ir, x->d, &x->tiles[i], stored[i]);
    }
    body = x->zipped ? nd_apply_members(x->ir, f, members, x->count)
                     : lift_expr_apply(x->ir, f, members);
    for (int i = x->count - 1; i >= 0 && body; i--)
        if (stored[i])
            body = lift_let(x->ir,
                            lift_call1(x->ir, LIFT_TO_PRIVATE,
                                       by_vectors(x->ir, x->d, member(x, t, i))),
                            lift_fun(x->ir, body, stored[i]));
    return body;
}

void rule_vector_loads(struct rule_redex *redex)
{
    struct loading x = {.ir = redex->ir, .d = redex->numbers.dims};
    lift_expr members[LIFT_MAX_ARGS], f, xs, t, body;
    lift_type tile;
    bool any = false;

    if (!nd_is_map(x.ir, x.d, redex->at, &f, &xs))
        return;
    x.count = nd_is_zip(x.ir, x.d, xs, members);
    x.zipped = x.count > 0;
    if (!x.zipped)
        members[x.count++] = xs;
    for (int i = 0; i < x.count; i++) {
        x.tiles[i] = larger_tiles(x.ir, x.d, members[i]);
        any = any || x.tiles[i].loaded;
        members[i] = x.tiles[i].xs;
    }
    xs = x.zipped ? lift_zip_n(x.ir, x.d, members, x.count) : members[0];
    if (!any || !xs)
        return;
    tile = xs->type;
    for (int i = 0; i < x.d; i++)
        tile = tile->elem;
    t = lift_fresh(x.ir, "t", tile);
    body = body_of(&x, f, t);
    redex_emit(redex, lift_map_n(x.ir, x.d, lift_fun(x.ir, body, t), xs));
}
