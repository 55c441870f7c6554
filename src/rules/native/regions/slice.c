/* Moves slices to the inputs, and measures boundaries.
 *
 * Both walk an array through views. In the function of a map, the walk continues with a
 * variable for the element of the mapped array. */
#include "ir/expr.h"
#include "rules/native/regions/index_tests.h"
#include "rules/nd.h"

/* The element of a map. An operation on dimension d of the element is an operation on
 * dimension d + 1 of the array. */
struct hole {
    lift_expr var;
    lift_expr array; /* the array that contains element 'var' */
    struct region asked;
    lift_expr filled; /* a variable for the requested part of 'var'; NULL: none */
    struct hole *outer;
};

static struct hole *find_hole(struct hole *holes, lift_expr e)
{
    while (holes && holes->var != e)
        holes = holes->outer;
    return holes;
}

/* ---- concatenation */

lift_expr region_concat(struct lift_ir *ir, int dim, const lift_expr *parts, int count)
{
    lift_expr turned[LIFT_MAX_ARGS];

    if (count == 1)
        return parts[0];
    for (int i = 0; i < count; i++)
        turned[i] = lift_turn(ir, dim, parts[i]);
    return lift_unturn(ir, dim, lift_call(ir, LIFT_CONCAT, turned, count));
}

/* ---- slices */

static lift_expr slice(struct lift_ir *ir, lift_expr e, struct region r,
                       struct hole *holes);

static lift_expr plain_row(struct lift_ir *ir, void *user, lift_expr row);

/* Slices by take and drop. */
static lift_expr plain(struct lift_ir *ir, lift_expr e, struct region r)
{
    struct region inner = {r.dim - 1, r.start, r.count};

    if (!e)
        return NULL;
    if (r.dim > 0)
        return lift_map(ir, lift_lambda(ir, "r", e->type->elem, plain_row, &inner), e);
    if (!lift_nat_is(r.start, 0))
        e = lift_call_nat(ir, LIFT_DROP, r.start, e);
    if (e && e->type->len != r.count)
        e = lift_call_nat(ir, LIFT_TAKE, r.count, e);
    return e;
}

static lift_expr plain_row(struct lift_ir *ir, void *user, lift_expr row)
{
    return plain(ir, row, *(struct region *)user);
}

/* Slices the array of a map, if the map's function reads its element once. */
static lift_expr slice_map(struct lift_ir *ir, lift_expr e, struct region r,
                           struct hole *holes)
{
    lift_expr f = e->u.prim.args[0], xs = e->u.prim.args[1], body;
    struct hole hole = {.array = xs, .outer = holes};

    if (r.dim == 0)
        return lift_map(ir, f, slice(ir, xs, r, holes));
    hole.var = lift_fresh(ir, f->u.lambda.names[0], xs->type->elem);
    body = lift_expr_apply(ir, f, &hole.var);
    if (nd_count(body, hole.var, 2) != 1)
        return plain(ir, e, r);
    r.dim--;
    body = slice(ir, body, r, &hole);
    if (hole.filled) {
        hole.asked.dim++;
        xs = slice(ir, xs, hole.asked, holes);
        hole.var = hole.filled;
    }
    if (!body || body == hole.var)
        return body ? xs : NULL;
    return lift_map(ir, lift_fun(ir, body, hole.var), xs);
}

/* True if the region contains no padding of the pad. */
static bool within(struct region r, lift_nat left, lift_nat len)
{
    lift_nat first = lift_nat_sub(r.start, left);
    lift_nat behind = lift_nat_sub(len, lift_nat_add(first, r.count));

    return lift_nat_proves_ge0(first, NULL, 0) && lift_nat_proves_ge0(behind, NULL, 0);
}

/* padValue(l, r, f, x): a slice along an inner dimension also slices the values of f. */
static lift_expr slice_values(struct lift_ir *ir, lift_expr e, struct region r)
{
    lift_expr f = e->u.prim.args[0], vars[2];
    struct region inner = {r.dim - 1, r.start, r.count};

    for (int i = 0; i < 2; i++)
        vars[i] = lift_fresh(ir, f->u.lambda.names[i], f->type->parts[i]);
    return lift_fun2(ir, plain(ir, lift_expr_apply(ir, f, vars), inner), vars[0],
                     vars[1]);
}

static lift_expr slice_pad(struct lift_ir *ir, lift_expr e, struct region r,
                           struct hole *holes)
{
    int last = e->arg_count - 1;
    lift_expr xs = e->u.prim.args[last];
    struct lift_prim_args a;

    if (r.dim == 0) {
        if (!within(r, e->u.prim.nats[0], xs->type->len))
            return plain(ir, e, r);
        r.start = lift_nat_sub(r.start, e->u.prim.nats[0]);
        return slice(ir, xs, r, holes);
    }
    lift_expr_args(e, &a);
    a.args[last] = slice(ir, xs, r, holes);
    if (e->op == LIFT_PAD_VALUE)
        a.args[0] = slice_values(ir, e, r);
    return lift_make(ir, e->op, &a);
}

/* Slices a transpose, take or drop. */
static lift_expr slice_moved(struct lift_ir *ir, lift_expr e, struct region r,
                             struct hole *holes)
{
    lift_expr xs = e->u.prim.args[0];
    bool outer = r.dim == 0;

    if (e->op == LIFT_TRANSPOSE) {
        r.dim = r.dim < 2 ? 1 - r.dim : r.dim;
        return lift_call1(ir, LIFT_TRANSPOSE, slice(ir, xs, r, holes));
    }
    if (outer && e->op == LIFT_DROP)
        r.start = lift_nat_add(r.start, e->u.prim.nats[0]);
    xs = slice(ir, xs, r, holes);
    return outer ? xs : lift_call_nat(ir, e->op, e->u.prim.nats[0], xs);
}

/* Returns the region that 'r.count' windows read, starting at window 'r.start'. */
static struct region of_windows(const struct nd_window *w, struct region r)
{
    lift_nat step = w->step[r.dim], last = lift_nat_add_const(r.count, -1);

    r.start = lift_nat_mul(step, r.start);
    r.count = lift_nat_add(lift_nat_mul(step, last), w->size[r.dim]);
    return r;
}

/* Slices an n-dimensional form, which remains such a form. NULL if 'e' is not a form with
 * this dimension. */
static lift_expr slice_form(struct lift_ir *ir, lift_expr e, struct region r,
                            struct hole *holes)
{
    lift_expr members[LIFT_MAX_ARGS], y;
    struct nd_window w;

    for (int d = LIFT_MAX_DIMS; d > r.dim; d--) {
        int count = nd_is_zip(ir, d, e, members);

        for (int i = 0; i < count; i++)
            members[i] = slice(ir, members[i], r, holes);
        if (count)
            return lift_zip_n(ir, d, members, count);
        if (nd_is_slide(ir, d, e, &w, &y))
            return lift_slide_n(ir, d, w.size, w.step,
                                slice(ir, y, of_windows(&w, r), holes));
    }
    return NULL;
}

static lift_expr slice_prim(struct lift_ir *ir, lift_expr e, struct region r,
                            struct hole *holes)
{
    lift_expr form = slice_form(ir, e, r, holes);

    if (form)
        return form;
    switch (e->op) {
    case LIFT_MAP:
        return slice_map(ir, e, r, holes);
    case LIFT_PAD:
    case LIFT_PAD_VALUE:
        return slice_pad(ir, e, r, holes);
    case LIFT_TRANSPOSE:
    case LIFT_TAKE:
    case LIFT_DROP:
        return slice_moved(ir, e, r, holes);
    default:
        return plain(ir, e, r);
    }
}

static lift_expr slice(struct lift_ir *ir, lift_expr e, struct region r,
                       struct hole *holes)
{
    struct hole *hole = find_hole(holes, e);

    if (lift_nat_is(r.start, 0) && nd_under(e->type, r.dim)->len == r.count)
        return e;
    if (hole) {
        hole->asked = r;
        hole->filled = plain(ir, e, r);
        if (hole->filled)
            hole->filled = lift_fresh(ir, "r", hole->filled->type);
        return hole->filled;
    }
    return e->kind == LIFT_EXPR_PRIM ? slice_prim(ir, e, r, holes) : plain(ir, e, r);
}

lift_expr region_of(struct lift_ir *ir, lift_expr e, struct region r)
{
    return slice(ir, e, r, NULL);
}

/* ---- boundaries */

static struct halo halo_of(struct lift_ir *ir, lift_expr e, int dim, struct hole *holes);

static struct halo no_halo(struct lift_ir *ir)
{
    lift_nat zero = lift_nat_const(lift_ir_nats(ir), 0);

    return (struct halo){zero, zero};
}

static struct halo halo_map(struct lift_ir *ir, lift_expr e, int dim, struct hole *holes)
{
    lift_expr f = e->u.prim.args[0], body;
    struct hole hole = {.array = e->u.prim.args[1], .outer = holes};

    if (dim == 0)
        return halo_of(ir, hole.array, 0, holes);
    hole.var = lift_fresh(ir, "r", f->type->parts[0]);
    body = lift_expr_apply(ir, f, &hole.var);
    return halo_of(ir, body, dim - 1, &hole);
}

static struct halo halo_pad(struct lift_ir *ir, lift_expr e, int dim, struct hole *holes)
{
    struct halo h = halo_of(ir, e->u.prim.args[e->arg_count - 1], dim, holes);

    if (dim == 0) {
        h.before = lift_nat_add(h.before, e->u.prim.nats[0]);
        h.after = lift_nat_add(h.after, e->u.prim.nats[1]);
    }
    return h;
}

/* Counts the windows that reach into the boundary. At the start, window i has step*i <
 * before. At the end, window i has step*i + size > len - after. */
static struct halo halo_windows(struct lift_ir *ir, lift_expr y,
                                const struct nd_window *w, int dim, struct hole *holes)
{
    struct halo h = halo_of(ir, y, dim, holes);
    lift_nat step = w->step[dim], room;
    lift_nat free = lift_nat_sub(nd_under(y->type, dim)->len, w->size[dim]);

    room = lift_nat_div(lift_nat_add(free, step), step);
    h.after = lift_nat_sub(
        room, lift_nat_div(lift_nat_add(lift_nat_sub(free, h.after), step), step));
    h.before = lift_nat_ceil_div(h.before, step);
    return h;
}

/* The part of the halo that remains after take or drop. */
static struct halo halo_part(struct lift_ir *ir, lift_expr e, int dim, struct hole *holes)
{
    lift_expr xs = e->u.prim.args[0];
    struct halo h = halo_of(ir, xs, dim, holes);
    lift_nat zero = no_halo(ir).before;
    lift_nat gone = lift_nat_sub(xs->type->len, e->type->len);

    if (dim == 0 && e->op == LIFT_DROP)
        h.before = lift_nat_max(zero, lift_nat_sub(h.before, gone));
    if (dim == 0 && e->op == LIFT_TAKE)
        h.after = lift_nat_max(zero, lift_nat_sub(h.after, gone));
    return h;
}

static bool halo_form(struct lift_ir *ir, lift_expr e, int dim, struct hole *holes,
                      struct halo *h)
{
    lift_expr members[LIFT_MAX_ARGS], y;
    struct nd_window w;

    for (int d = LIFT_MAX_DIMS; d > dim; d--) {
        int count = nd_is_zip(ir, d, e, members);

        *h = no_halo(ir);
        for (int i = 0; i < count; i++) {
            struct halo m = halo_of(ir, members[i], dim, holes);

            h->before = lift_nat_max(h->before, m.before);
            h->after = lift_nat_max(h->after, m.after);
        }
        if (count)
            return true;
        if (nd_is_slide(ir, d, e, &w, &y)) {
            *h = halo_windows(ir, y, &w, dim, holes);
            return true;
        }
    }
    return false;
}

static struct halo halo_of(struct lift_ir *ir, lift_expr e, int dim, struct hole *holes)
{
    struct hole *hole = find_hole(holes, e);
    struct halo h;

    if (hole)
        return halo_of(ir, hole->array, dim + 1, hole->outer);
    if (e->kind != LIFT_EXPR_PRIM || halo_form(ir, e, dim, holes, &h))
        return e->kind == LIFT_EXPR_PRIM ? h : no_halo(ir);
    switch (e->op) {
    case LIFT_MAP:
        return halo_map(ir, e, dim, holes);
    case LIFT_PAD:
    case LIFT_PAD_VALUE:
        return halo_pad(ir, e, dim, holes);
    case LIFT_TRANSPOSE:
        return halo_of(ir, e->u.prim.args[0], dim < 2 ? 1 - dim : dim, holes);
    case LIFT_TAKE:
    case LIFT_DROP:
        return halo_part(ir, e, dim, holes);
    case LIFT_ARRAY:
        h = no_halo(ir);
        index_cuts(ir, e, dim, &h);
        return h;
    default:
        return no_halo(ir);
    }
}

struct halo region_halo(struct lift_ir *ir, lift_expr e, int dim)
{
    return halo_of(ir, e, dim, NULL);
}
