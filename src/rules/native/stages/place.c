/* Parts of grids at indices of the grid. A part of an intermediate is shifted to its
 * indices in the grid, and the elements that a later intermediate reads are shifted back.
 */
#include "rules/native/stages/parts.h"
#include "rules/nd.h"

struct moved {
    const struct stages *x;
    const struct part *part; /* the part that is shifted */
    const struct part *by;   /* the part that is computed from 'part' */
    const struct part
        *read;             /* the range that an element of 'by' reads around its index */
    const lift_nat *whole; /* lengths of the grid */
    const lift_expr *own;  /* indices in 'by', used in periodic and clamped dimensions */
    int dim;
};

static lift_nat size(const struct moved *m, int64_t value)
{
    return lift_nat_const(lift_ir_nats(m->x->ir), value);
}

static bool chooses(const struct stages *x, int d)
{
    return x->registers && x->repeats[d];
}

static lift_expr plus(const struct moved *m, lift_expr a, lift_nat b)
{
    return lift_nat_is(b, 0) ? a
                             : lift_call2(m->x->ir, LIFT_ADD, a, nd_size(m->x->ir, b));
}

/* Parameters of reorder(c => c + by, xs), or c - by. In a periodic dimension, the index
 * is (c + by) mod n + past, or (c - by) mod n + past. */
struct shift {
    bool back;
    lift_expr by, past; /* 'past' may be NULL */
    lift_nat n;         /* the length of the grid; NULL: not periodic */
};

static lift_expr shifted(const struct moved *m, struct shift s, lift_expr xs)
{
    struct lift_ir *ir = m->x->ir;
    lift_expr c = lift_fresh(ir, "c", lift_type_scalar(ir, LIFT_I32));
    lift_expr i = lift_call2(ir, s.back ? LIFT_SUB : LIFT_ADD, c, s.by);

    if (s.n)
        i = lift_call2(ir, LIFT_MOD, i, nd_size(ir, s.n));
    if (s.past)
        i = lift_call2(ir, LIFT_ADD, i, s.past);
    return lift_call2(ir, LIFT_REORDER, lift_fun(ir, i, c), xs);
}

/* Returns the length of the part along the current dimension. */
static lift_nat length(const struct moved *m)
{
    return lift_nat_add_const(m->x->k[m->dim], m->part->hi[m->dim] - m->part->lo[m->dim]);
}

typedef lift_expr row_fn(const struct moved *m, lift_expr xs);

struct row {
    struct moved m;
    row_fn *fn;
};

static lift_expr on_row(struct lift_ir *ir, void *user, lift_expr row)
{
    const struct row *r = user;

    (void)ir;
    return r->fn(&r->m, row);
}

/* Applies 'fn' to the inner dimensions. */
static lift_expr on_rows(const struct moved *m, row_fn *fn, lift_expr xs)
{
    struct row r = {*m, fn};

    if (++r.m.dim == m->x->of.first || !xs)
        return xs;
    return lift_map(m->x->ir, lift_lambda(m->x->ir, "r", xs->type->elem, on_row, &r), xs);
}

static lift_expr part_of(const struct moved *m, lift_expr xs)
{
    int64_t lo = m->part->lo[m->dim];
    lift_nat n = length(m), before = size(m, lo < 0 ? -lo : 0);
    struct shift s = {.by = plus(m, m->x->start[m->dim], lift_nat_add_const(before, lo))};

    xs = lift_pad(m->x->ir, before, n, LIFT_PAD_ANY, on_rows(m, part_of, xs));
    return lift_call_nat(m->x->ir, LIFT_TAKE, n, shifted(m, s, xs));
}

/* Shifts a part in a periodic dimension. An element at index p reads within a bounded
 * distance of p. So the distance of grid index c from p is (c - p - first) mod n + first.
 * The n possible distances start at 'first'. */
static lift_expr place_around(const struct moved *m, lift_expr xs)
{
    int d = m->dim;
    struct lift_ir *ir = m->x->ir;
    lift_nat n = m->whole[d];
    lift_nat first = lift_nat_sub(size(m, m->read->hi[d] + 1), n);
    int64_t lo = m->by->lo[d], at = lo - m->part->lo[d];
    int64_t behind = m->read->hi[d] > 0 ? m->read->hi[d] : 0;
    lift_nat from = lift_nat_add_const(first, at);
    lift_nat before = lift_nat_max(size(m, 0), lift_nat_mul_const(from, -1));
    lift_expr p = lift_call2(ir, LIFT_ADD, m->x->start[d], m->own[d]);
    struct shift s = {true, plus(m, p, lift_nat_add_const(first, lo)),
                      plus(m, m->own[d], lift_nat_add(from, before)), n};

    xs = lift_pad(ir, before, lift_nat_add_const(n, behind), LIFT_PAD_ANY, xs);
    return lift_call_nat(ir, LIFT_TAKE, n, shifted(m, s, xs));
}

/* Returns the element at distance 'v' from the element's own index. */
static lift_expr beside(const struct moved *m, int64_t v, lift_expr xs)
{
    int d = m->dim;
    int64_t at = m->by->lo[d] - m->part->lo[d] + v;
    int64_t before = at < 0 ? -at : 0, behind = v > 0 ? v : 0;
    struct shift s = {.by = plus(m, m->own[d], size(m, at + before))};

    xs = lift_pad(m->x->ir, size(m, before), size(m, behind), LIFT_PAD_ANY, xs);
    return lift_at(m->x->ir, 0, shifted(m, s, xs));
}

/* Shifts a part in registers, which need constant indices. A clamped or mirrored index c
 * is one of a few around the element's own index p. So selects replace the index:
 * array(n, c => if c - p <= lo then the element at p + lo else ...). */
static lift_expr place_chosen(const struct moved *m, lift_expr xs)
{
    int d = m->dim;
    struct lift_ir *ir = m->x->ir;
    lift_expr c = lift_fresh(ir, "c", lift_type_scalar(ir, LIFT_I32));
    lift_expr p = plus(m, lift_call2(ir, LIFT_ADD, m->x->start[d], m->own[d]),
                       size(m, m->by->lo[d]));
    lift_expr far = lift_call2(ir, LIFT_SUB, c, p);
    lift_expr e = beside(m, m->read->hi[d], xs);

    for (int64_t v = m->read->hi[d] - 1; v >= m->read->lo[d] && e; v--)
        e = lift_call3(ir, LIFT_SELECT,
                       lift_call2(ir, LIFT_LE, far, lift_expr_int(ir, v)),
                       beside(m, v, xs), e);
    return lift_array(ir, m->whole[d], lift_fun(ir, e, c));
}

/* Returns an array of the grid's length; elements outside the part are arbitrary. */
static lift_expr place_of(const struct moved *m, lift_expr xs)
{
    lift_nat n = m->whole[m->dim], lo = size(m, m->part->lo[m->dim]);
    struct shift s = {true, plus(m, m->x->start[m->dim], lift_nat_sub(lo, n)), NULL,
                      NULL};

    xs = on_rows(m, place_of, xs);
    if (m->x->wraps[m->dim])
        return place_around(m, xs);
    if (chooses(m->x, m->dim))
        return place_chosen(m, xs);
    xs = lift_pad(m->x->ir, n, n, LIFT_PAD_ANY, xs);
    return lift_call_nat(m->x->ir, LIFT_TAKE, n, shifted(m, s, xs));
}

/* Returns the value of intermediate r, computed from the available parts instead of whole
 * grids. */
static lift_expr with_parts(const struct stages *x, int r, const struct part *part,
                            const lift_expr *own, const struct held *held)
{
    lift_expr e = x->items[r].value;

    for (int i = 0; i < x->count; i++) {
        lift_nat whole[LIFT_MAX_DIMS];
        struct moved m = {x, &held[i].at, part, &x->items[r].of[i].at, whole, own, 0};

        if (!held[i].t)
            continue;
        nd_lengths(x->items[i].var->type, x->of.dims, whole);
        e = nd_replace(x->ir, e, x->items[i].var, place_of(&m, held[i].t));
    }
    return e;
}

/* Returns the element of the grid at index own + by along a dimension. */
static lift_expr element(const struct moved *m, lift_expr xs)
{
    int64_t lo = m->part->lo[m->dim] - (m->dim ? 0 : m->x->early);
    int64_t before = lo < 0 && !m->x->wraps[m->dim] ? -lo : 0;
    lift_nat behind = m->dim == 0 && m->x->late ? m->x->late : length(m);
    struct shift s = {
        .by = lift_call2(m->x->ir, LIFT_ADD, m->x->start[m->dim], m->own[m->dim])};

    s.by = plus(m, s.by, size(m, m->part->lo[m->dim] + before));
    if (m->x->wraps[m->dim])
        s.n = xs->type->len;
    else
        xs = lift_pad(m->x->ir, size(m, before), behind, LIFT_PAD_ANY, xs);
    return lift_at(m->x->ir, 0, shifted(m, s, xs));
}

/* Builds array(n, own => ...): computes each element separately at its own index. */
static lift_expr part_around(struct moved *m, lift_expr xs)
{
    for (m->dim = 0; m->dim < m->x->of.first && xs; m->dim++)
        xs = element(m, xs);
    while (m->dim-- > 0 && xs)
        xs = lift_array(m->x->ir, length(m), lift_fun(m->x->ir, xs, m->own[m->dim]));
    return xs;
}

lift_expr stages_part(const struct stages *x, int r, const struct part *part,
                      const struct held *held)
{
    lift_expr own[LIFT_MAX_DIMS] = {NULL}, xs;
    struct moved m = {.x = x, .part = part, .own = own};
    bool around = false;

    for (int d = 0; d < x->of.first; d++) {
        own[d] = lift_fresh(x->ir, "p", lift_type_scalar(x->ir, LIFT_I32));
        around |= x->wraps[d] || chooses(x, d);
    }
    xs = with_parts(x, r, part, own, held);
    return around ? part_around(&m, xs) : part_of(&m, xs);
}
