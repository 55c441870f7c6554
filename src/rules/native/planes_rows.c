/* Partial sums of a star whose terms along a row come from registers.
 *
 * The terms of a plane are stored as partial sums when the plane arrives:
 *
 *     map(fun(V => toPrivate(map_n(d-1, f, points of V))), slide(1, 1, zip(x, ...)))
 *
 * f reads a row of x through the grid point, and a column of other rows. The row is read
 * from x: each thread loads the vectors of one row. The other rows are read from a
 * circular buffer, which holds only the columns of the tile's own grid points. The copy
 * to the buffer has three parts: the rows above the tile, its own rows, and the rows
 * below. So a thread can fill its own elements from registers. */
#include "rules/native/natives.h"
#include "rules/native/planes.h"
#include "rules/native/retime.h"

/* A member of the zip, and its window if f reads neighbours. */
struct row_member {
    bool window;
    struct nd_window w;
    int64_t rows, columns; /* size of the window */
    int64_t row, column;   /* the own row; the column of all other rows; -1: none */
    int ring;              /* the member of its circular buffer */
};

struct rows {
    struct lift_ir *ir;
    int d;
    lift_expr stored, xs, f; /* xs: the zip of streams */
    bool zipped, bad;
    int count;
    struct row_member members[LIFT_MAX_ARGS];
    lift_expr roots[LIFT_MAX_ARGS];
};

static bool is_sums(lift_expr e)
{
    lift_expr f = lift_expr_is(e, LIFT_MAP) ? lift_expr_arg(e, 0) : NULL;

    return f && lift_expr_is(f->u.lambda.body, LIFT_TO_PRIVATE) &&
           lift_expr_is(lift_expr_arg(e, 1), LIFT_SLIDE);
}

static lift_expr find_sums(lift_expr xs)
{
    lift_expr found = NULL;

    if (lift_expr_is(xs, LIFT_PAD))
        xs = xs->u.prim.args[0];
    for (int i = 0; lift_expr_is(xs, LIFT_ZIP) && i < xs->arg_count && !found; i++)
        found = find_sums(xs->u.prim.args[i]);
    return is_sums(xs) ? xs : found;
}

static bool read_member(struct rows *r, int i, lift_expr e, lift_expr own)
{
    struct row_member *m = &r->members[i];
    lift_expr xs;

    *m = (struct row_member){.column = -1};
    if (e == own)
        return true;
    m->window = true;
    if (!nd_is_slide(r->ir, r->d - 1, e, &m->w, &xs) || xs != own ||
        !lift_nat_is(m->w.step[0], 1) || !lift_nat_is(m->w.step[1], 1) ||
        !lift_nat_is_const(m->w.size[0], &m->rows) ||
        !lift_nat_is_const(m->w.size[1], &m->columns))
        return false;
    m->row = (m->rows - 1) / 2;
    return true;
}

/* Parses the points of V: rotate_n(d, map(fun(q => zip_n(d-1, members)), V)). */
static bool read_points(struct rows *r, lift_expr points, lift_expr V)
{
    lift_expr e = points, q, inner, members[LIFT_MAX_ARGS];

    if (r->d > 2 && lift_expr_is(e, LIFT_MAP))
        e = e->u.prim.args[1];
    if (!lift_expr_is(e, LIFT_TRANSPOSE) || !lift_expr_is(e->u.prim.args[0], LIFT_MAP) ||
        e->u.prim.args[0]->u.prim.args[1] != V)
        return false;
    e = e->u.prim.args[0];
    q = lift_fresh(r->ir, "q", V->type->elem);
    inner = lift_expr_apply(r->ir, e->u.prim.args[0], &q);
    if (lift_rotate_n(r->ir, r->d, lift_map(r->ir, lift_fun(r->ir, inner, q), V)) !=
        points)
        return false;
    r->count = r->zipped ? nd_is_zip(r->ir, r->d - 1, inner, members) : 1;
    if (r->zipped && r->count != r->xs->arg_count)
        return false;
    if (!r->zipped)
        members[0] = inner;
    for (int i = 0; i < r->count; i++)
        if (!read_member(r, i, members[i], r->zipped ? lift_get(r->ir, i, q) : q))
            return false;
    return true;
}

/* Notes a read of row 'row' and column 'column': all rows but the own one must be read at
 * one column. */
static void note_read(struct rows *r, struct row_member *m, int64_t row, int64_t column)
{
    if (row == m->row)
        return;
    r->bad |= m->column >= 0 && m->column != column;
    m->column = column;
}

static bool note_reads(void *rows, lift_expr e)
{
    struct rows *r = rows;
    lift_expr in = lift_expr_is(e, LIFT_AT) ? e->u.prim.args[0] : NULL;
    int64_t row, column;

    for (int i = 0; i < r->count; i++) {
        if (!r->members[i].window)
            continue;
        if (in && lift_expr_is(in, LIFT_AT) && in->u.prim.args[0] == r->roots[i] &&
            lift_nat_is_const(in->u.prim.nats[0], &row) &&
            lift_nat_is_const(e->u.prim.nats[0], &column)) {
            note_read(r, &r->members[i], row, column);
            return false;
        }
        r->bad |= e == r->roots[i];
    }
    return true;
}

/* Finds the columns that f reads; false if f reads other neighbours than a star. */
static bool read_columns(struct rows *r)
{
    lift_expr v = lift_fresh(r->ir, "v", r->f->type->parts[0]), body, point;
    bool any = false;

    body = lift_expr_apply(r->ir, r->f, &v);
    body = body->loose ? NULL : retime_normal(r->ir, body);
    point = lift_at(r->ir, 0, v);
    if (!body || !point)
        return false;
    for (int i = 0; i < r->count; i++)
        r->roots[i] = r->zipped ? lift_get(r->ir, i, point) : point;
    lift_expr_each(body, note_reads, r);
    for (int i = 0; i < r->count; i++)
        any |= r->members[i].column >= 0;
    return any && !r->bad;
}

static bool parse(struct rows *r)
{
    lift_expr fn = r->stored->u.prim.args[0], slide = r->stored->u.prim.args[1], V, body,
              points;

    if (!lift_nat_is(slide->u.prim.nats[0], 1) || !lift_nat_is(slide->u.prim.nats[1], 1))
        return false;
    r->xs = slide->u.prim.args[0];
    r->zipped = lift_expr_is(r->xs, LIFT_ZIP);
    V = lift_fresh(r->ir, "V", fn->type->parts[0]);
    body = lift_expr_apply(r->ir, fn, &V)->u.prim.args[0];
    return nd_is_map(r->ir, r->d - 1, body, &r->f, &points) &&
           read_points(r, points, V) && read_columns(r);
}

/* ---- the result */

static lift_nat number(const struct rows *r, int64_t value)
{
    return lift_nat_const(lift_ir_nats(r->ir), value);
}

static lift_expr cut(const struct rows *r, lift_nat from, lift_nat count, lift_expr xs)
{
    xs = lift_call_nat(r->ir, LIFT_DROP, from, xs);
    return xs ? lift_call_nat(r->ir, LIFT_TAKE, count, xs) : NULL;
}

/* Returns a circular buffer of the planes of 'xs', with the columns of own points. */
static lift_expr own_columns(const struct rows *r, const struct row_member *m,
                             lift_expr xs)
{
    struct lift_ir *ir = r->ir;
    lift_expr p = lift_fresh(ir, "p", xs->type->elem), rows, pieces[3];
    lift_expr row = lift_fresh(ir, "r", p->type->elem);
    lift_nat width = lift_nat_add_const(row->type->len, 1 - m->columns);
    lift_nat own = lift_nat_add_const(p->type->len, 1 - m->rows);

    rows = lift_map(ir, lift_fun(ir, cut(r, number(r, m->column), width, row), row), p);
    pieces[0] = cut(r, number(r, 0), number(r, m->row), rows);
    pieces[1] = cut(r, number(r, m->row), own, rows);
    pieces[2] = lift_call_nat(ir, LIFT_DROP, lift_nat_add_const(own, m->row), rows);
    for (int i = 0; i < 3; i++)
        if (!(pieces[i] = nd_copy_all(ir, pieces[i])))
            return NULL;
    rows = lift_call1(ir, LIFT_TO_LOCAL, lift_call(ir, LIFT_CONCAT, pieces, 3));
    return rows ? lift_map(ir, lift_fun(ir, rows, p), xs) : NULL;
}

/* Returns the windows of a plane: their own rows are from 'plain', the others from
 * 'ring'. */
static lift_expr mixed_windows(const struct rows *r, const struct row_member *m,
                               lift_expr plain, lift_expr ring)
{
    struct lift_ir *ir = r->ir;
    lift_expr row = lift_fresh(ir, "r", ring->type->elem), both[2], w, pieces[3];

    ring = lift_map(
        ir,
        lift_fun(ir,
                 lift_pad(ir, number(r, m->column), number(r, m->columns - 1 - m->column),
                          LIFT_PAD_ANY, row),
                 row),
        ring);
    both[0] = lift_slide_n(ir, r->d - 1, m->w.size, m->w.step, ring);
    both[1] = lift_slide_n(ir, r->d - 1, m->w.size, m->w.step, plain);
    plain = lift_zip_n(ir, r->d - 1, both, 2);
    w = lift_fresh(ir, "w", nd_under(plain->type, r->d - 1));
    pieces[0] = cut(r, number(r, 0), number(r, m->row), lift_get(ir, 0, w));
    pieces[1] = cut(r, number(r, m->row), number(r, 1), lift_get(ir, 1, w));
    pieces[2] = lift_call_nat(ir, LIFT_DROP, number(r, m->row + 1), lift_get(ir, 0, w));
    return lift_map_n(ir, r->d - 1,
                      lift_fun(ir, lift_call(ir, LIFT_CONCAT, pieces, 3), w), plain);
}

static lift_expr with_buffers(struct rows *r)
{
    lift_expr members[LIFT_MAX_ARGS];
    int count = r->count;

    for (int i = 0; i < r->count; i++)
        members[i] = r->zipped ? r->xs->u.prim.args[i] : r->xs;
    for (int i = 0; i < r->count; i++) {
        struct row_member *m = &r->members[i];

        if (m->column < 0)
            continue;
        if (count == LIFT_MAX_ARGS || !(members[count] = own_columns(r, m, members[i])))
            return NULL;
        m->ring = count++;
    }
    return lift_call(r->ir, LIFT_ZIP, members, count);
}

/* Returns the stream of partial sums that reads the new circular buffers. */
static lift_expr new_sums(struct rows *r)
{
    struct lift_ir *ir = r->ir;
    lift_expr xs = with_buffers(r), members[LIFT_MAX_ARGS], V, q, points;

    if (!xs)
        return NULL;
    xs = lift_slide(ir, number(r, 1), number(r, 1), xs);
    V = lift_fresh(ir, "V", xs->type->elem);
    q = lift_fresh(ir, "q", V->type->elem);
    for (int i = 0; i < r->count; i++) {
        const struct row_member *m = &r->members[i];

        members[i] = lift_get(ir, i, q);
        if (m->column >= 0)
            members[i] = mixed_windows(r, m, members[i], lift_get(ir, m->ring, q));
        else if (m->window)
            members[i] = lift_slide_n(ir, r->d - 1, m->w.size, m->w.step, members[i]);
    }
    points = r->zipped ? lift_zip_n(ir, r->d - 1, members, r->count) : members[0];
    points = lift_rotate_n(ir, r->d, lift_map(ir, lift_fun(ir, points, q), V));
    points = lift_map_n(ir, r->d - 1, r->f, points);
    return lift_map(ir, lift_fun(ir, lift_call1(ir, LIFT_TO_PRIVATE, points), V), xs);
}

void rule_rows_in_registers(struct rule_redex *redex)
{
    struct rows r = {.ir = redex->ir, .d = redex->numbers.dims};
    struct lift_prim_args a;
    lift_expr sums;

    lift_expr_args(redex->at, &a);
    r.stored = find_sums(a.args[1]);
    if (r.d != 3 || !r.stored || !parse(&r))
        return;
    sums = new_sums(&r);
    if (!sums)
        return;
    a.args[1] = planes_replace(redex->ir, a.args[1], r.stored, sums);
    a.attrs.slide.copy = LIFT_COPY_REGISTERS;
    redex_emit(redex, lift_make(redex->ir, LIFT_MAP_SEQ_SLIDE, &a));
}
