/* One loop nest for a border that keeps the values of another array:
 *
 *     inset_n(l, r, b, map_n(f, X))
 *   = map_n(fun((m, b, x) => if m then f(x) else b), zip_n(M, b, X'))
 *
 * M is true at interior points. X' is X extended to the length of b. Since M masks the
 * added elements, their value is arbitrary: a number, which may be the halo of an input's
 * buffer. If X has windows over b, the element of b is read from the window. */
#include "rules/native/natives.h"
#include "rules/nd.h"

struct border {
    struct lift_ir *ir;
    int d;
    lift_nat before[LIFT_MAX_DIMS], after[LIFT_MAX_DIMS];
    lift_expr kept, f, xs; /* 'f' is NULL if there is no function */
};

/* Parses dimension 'i' of inset_n and returns the inner node. A dimension without an
 * inset has no border. */
static lift_expr inset_at(struct border *b, int i, lift_expr node)
{
    bool bare = !lift_expr_is(node, LIFT_INSET);

    b->before[i] = bare ? lift_nat_const(lift_ir_nats(b->ir), 0) : node->u.prim.nats[0];
    b->after[i] = bare ? b->before[i] : node->u.prim.nats[1];
    return bare ? node : node->u.prim.args[1];
}

/* Parses inset_n and rebuilds it; false if the rebuilt term differs. */
static bool find_inset(struct border *b, lift_expr e)
{
    lift_expr node = e, data = NULL, zip;

    for (int i = 0; i < b->d - 1; i++) {
        data = inset_at(b, i, node);
        if (!lift_expr_is(data, LIFT_MAP) ||
            !lift_expr_is(data->u.prim.args[1], LIFT_ZIP))
            return false;
        zip = data->u.prim.args[1];
        if (i == 0) {
            b->kept = zip->u.prim.args[0];
            b->xs = zip->u.prim.args[1];
        }
        node = data->u.prim.args[0]->u.lambda.body;
    }
    if (!lift_expr_is(node, LIFT_INSET))
        return false;
    data = inset_at(b, b->d - 1, node);
    if (b->d <= 1)
        b->xs = data;
    if (lift_expr_is(e, LIFT_INSET))
        b->kept = e->u.prim.args[0];
    return lift_type_rank(b->xs->type) >= b->d &&
           lift_inset_n(b->ir, b->d, b->before, b->after, b->kept, b->xs) == e;
}

/* ---- arrays with the lengths of the whole result */

static lift_expr padded(const struct border *b, lift_expr xs)
{
    return lift_pad_n(b->ir, b->d, b->before, b->after, LIFT_PAD_ANY, xs);
}

static bool is_dense(const struct border *b, const struct nd_window *w)
{
    for (int i = 0; i < b->d; i++)
        if (!lift_nat_is(w->step[i], 1))
            return false;
    return true;
}

static lift_expr widened(const struct border *b, lift_expr xs)
{
    struct nd_window w;
    lift_expr y;

    if (nd_is_slide(b->ir, b->d, xs, &w, &y) && is_dense(b, &w))
        return lift_slide_n(b->ir, b->d, w.size, w.step, padded(b, y));
    return padded(b, xs);
}

/* ---- kept values */

/* Returns the array in a stored pad, and the number of elements before the array; 'y'
 * itself without a pad. */
static lift_expr stored(lift_expr y, int64_t *before)
{
    *before = 0;
    if (!lift_expr_is(y, LIFT_PAD_STORED) ||
        !lift_nat_is_const(y->u.prim.nats[0], before))
        return y;
    return y->u.prim.args[1];
}

/* Returns the centre of a window over the kept array. */
static lift_expr kept_of_window(const struct border *b, lift_expr xs, lift_expr window)
{
    struct nd_window w;
    int64_t at, pad;
    lift_expr y;

    if (!nd_is_slide(b->ir, b->d, xs, &w, &y) || !is_dense(b, &w) ||
        stored(y, &pad) != b->kept)
        return NULL;
    for (int i = 0; i < b->d; i++) {
        if (!lift_nat_is_const(b->before[i], &at) || at + pad >= lift_nat_lo(w.size[i]))
            return NULL;
        window = lift_at(b->ir, at + pad, window);
        pad = 0;
    }
    return window;
}

static lift_expr both(struct lift_ir *ir, lift_expr a, lift_expr c)
{
    return a ? lift_call2(ir, LIFT_AND, a, c) : c;
}

/* Returns M; NULL if there is no border. */
static lift_expr free_points(const struct border *b)
{
    static const char *const names[LIFT_MAX_DIMS] = {"i", "j", "k", "l"};
    lift_type i32 = lift_type_scalar(b->ir, LIFT_I32), types[LIFT_MAX_DIMS];
    lift_nat len[LIFT_MAX_DIMS];
    lift_expr test = NULL;

    nd_lengths(b->kept->type, b->d, len);
    for (int i = 0; i < b->d; i++) {
        lift_expr at = lift_expr_bound(b->ir, b->d - 1 - i, i32);

        types[i] = i32;
        if (!lift_nat_is(b->before[i], 0))
            test = both(b->ir, test,
                        lift_call2(b->ir, LIFT_LE, nd_size(b->ir, b->before[i]), at));
        if (!lift_nat_is(b->after[i], 0))
            test = both(b->ir, test,
                        lift_call2(b->ir, LIFT_LT, at,
                                   nd_size(b->ir, lift_nat_sub(len[i], b->after[i]))));
    }
    return test ? lift_array_n(b->ir, b->d, len,
                               lift_expr_lambda(b->ir, types, b->d, names, test))
                : NULL;
}

/* ---- one map over all points */

struct whole {
    lift_expr members[LIFT_MAX_ARGS]; /* members of X, then M, then b unless a window
                                         contains b */
    int inputs, count;
    bool zipped; /* X is a zip */
};

/* Selects the value or the kept element. 'p' is a variable for a point of the zip. */
static lift_expr choice_at(const struct border *b, const struct whole *x, lift_expr p,
                           lift_expr kept)
{
    lift_expr parts[LIFT_MAX_ARGS], value;

    for (int i = 0; i < x->inputs; i++)
        parts[i] = lift_get(b->ir, i, p);
    value = !b->f       ? parts[0]
            : x->zipped ? nd_apply_members(b->ir, b->f, parts, x->inputs)
                        : lift_expr_apply(b->ir, b->f, parts);
    if (!kept)
        kept = lift_get(b->ir, x->count - 1, p);
    if (b->f && value && value->type->kind == LIFT_TYPE_SCALAR)
        value = lift_call1(b->ir, LIFT_TO_PRIVATE, value);
    return lift_call3(b->ir, LIFT_SELECT, lift_get(b->ir, x->inputs, p), value, kept);
}

static lift_type point_type(const struct border *b, const struct whole *x)
{
    lift_type types[LIFT_MAX_ARGS];

    for (int i = 0; i < x->count; i++) {
        if (!x->members[i])
            return NULL;
        types[i] = nd_under(x->members[i]->type, b->d);
    }
    return lift_type_tuple(b->ir, types, x->count);
}

static lift_expr one_map(const struct border *b, struct whole *x,
                         const lift_expr inputs[LIFT_MAX_ARGS])
{
    int window = -1;
    lift_type t;
    lift_expr p, kept = NULL, to;

    for (int i = 0; i < x->inputs; i++) {
        x->members[i] = widened(b, inputs[i]);
        if (window < 0 && x->members[i] &&
            kept_of_window(b, inputs[i],
                           lift_fresh(b->ir, "w", nd_under(inputs[i]->type, b->d))))
            window = i;
    }
    x->members[x->inputs] = free_points(b);
    x->members[x->inputs + 1] = b->kept;
    x->count = x->inputs + (window < 0 ? 2 : 1);
    t = point_type(b, x);
    if (!t)
        return NULL;
    p = lift_fresh(b->ir, "p", t);
    if (window >= 0)
        kept = kept_of_window(b, inputs[window], lift_get(b->ir, window, p));
    to = choice_at(b, x, p, kept);
    return lift_map_n(b->ir, b->d, lift_fun(b->ir, to, p),
                      lift_zip_n(b->ir, b->d, x->members, x->count));
}

void rule_select_border(struct rule_redex *redex)
{
    struct border b = {.ir = redex->ir, .d = redex->numbers.dims};
    lift_expr inputs[LIFT_MAX_ARGS], xs;
    struct whole x = {.inputs = 0};

    if (!find_inset(&b, redex->at))
        return;
    if (!nd_is_map(b.ir, b.d, b.xs, &b.f, &xs)) {
        b.f = NULL;
        xs = b.xs;
    }
    x.inputs = b.f ? nd_is_zip(b.ir, b.d, xs, inputs) : 0;
    x.zipped = x.inputs > 0;
    if (!x.zipped) {
        x.inputs = 1;
        inputs[0] = xs;
    }
    if (x.inputs + 2 <= LIFT_MAX_ARGS)
        redex_emit(redex, one_map(&b, &x, inputs));
}
