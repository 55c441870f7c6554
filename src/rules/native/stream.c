/* Streaming (2.5D): the windows of a d-dimensional stencil move along the outermost
 * dimension, and keep their common planes.
 *
 *     map_n(d, f, slide_n(n, s, y))
 *   = unrotate_n(map_n(d-1, fun(col => mapSeqSlide(f, n_0, s_0, col)),
 *                      rotate_n(map(slide_n(d-1, ...), y))))
 *
 * Each zipped input has a separate window n_i, or no window (one element). The stream's
 * window has the size N of the largest window. Other inputs are padded at both ends of
 * the outermost dimension, which centres their windows, and f gets its parts of the
 * window. The padding is never read. */
#include "rules/native/interior.h"
#include "rules/native/natives.h"
#include "rules/nd.h"

/* An array that the stencil reads. */
struct stream_part {
    bool window; /* false: one element for each point */
    struct nd_window w;
    lift_expr xs;   /* the array under the window, or the array itself */
    int64_t size;   /* size of the window in the outermost dimension */
    int64_t offset; /* offset of the window in the window of the stream */
};

struct stream {
    struct lift_ir *ir;
    int d, count;
    bool zipped;
    lift_expr f;
    struct stream_part parts[LIFT_MAX_ARGS];
    lift_nat step;
    int64_t size; /* N: size of the stream's window */
};

static lift_nat number(struct stream *s, int64_t value)
{
    return lift_nat_const(lift_ir_nats(s->ir), value);
}

static bool read_part(struct stream *s, struct stream_part *p, lift_expr xs)
{
    p->window = nd_is_slide(s->ir, s->d, xs, &p->w, &p->xs);
    p->size = 1;
    if (!p->window) {
        p->xs = xs;
        p->w.step[0] = number(s, 1);
    } else if (!lift_nat_is_const(p->w.size[0], &p->size)) {
        return false;
    }
    if (s->step && s->step != p->w.step[0])
        return false;
    s->step = p->w.step[0];
    s->size = p->size > s->size ? p->size : s->size;
    return true;
}

static bool read_parts(struct stream *s, lift_expr xs)
{
    lift_expr members[LIFT_MAX_ARGS];
    int windows = 0;

    s->count = nd_is_zip(s->ir, s->d, xs, members);
    s->zipped = s->count > 0;
    if (!s->zipped) {
        members[0] = xs;
        s->count = 1;
    }
    for (int i = 0; i < s->count; i++) {
        if (!read_part(s, &s->parts[i], members[i]))
            return false;
        windows += s->parts[i].window;
    }
    for (int i = 0; i < s->count; i++)
        s->parts[i].offset = (s->size - s->parts[i].size) / 2;
    return windows > 0;
}

/* Returns the elements that the windows of a part cover. With a step above 1, the array
 * may be longer. */
static lift_expr covered(struct stream *s, struct stream_part *p, lift_nat windows)
{
    lift_nat last = lift_nat_mul(s->step, lift_nat_add_const(windows, -1));
    lift_nat len = lift_nat_add_const(last, p->size);

    return len == p->xs->type->len ? p->xs : lift_call_nat(s->ir, LIFT_TAKE, len, p->xs);
}

/* Returns the planes of one part, padded to the planes that the stream visits. */
static lift_expr plane_stream(struct stream *s, struct stream_part *p, lift_nat windows)
{
    int64_t before = p->offset, after = s->size - p->size - p->offset;
    lift_expr xs = s->zipped ? covered(s, p, windows) : p->xs;

    if (before || after)
        xs = lift_pad(s->ir, number(s, before), number(s, after), LIFT_PAD_ANY, xs);
    return xs;
}

/* Like plane_stream, with each plane as an array of the values or windows that columns
 * read. */
static lift_expr planes(struct stream *s, struct stream_part *p, lift_nat windows)
{
    lift_expr xs = plane_stream(s, p, windows);

    if (!p->window || !xs)
        return xs;
    return nd_map_windows(s->ir, "plane", s->d - 1, &p->w, xs);
}

/* Returns the data that f reads of part 'i', from the window 'w' of the stream. */
static lift_expr part_of_window(struct stream *s, int i, lift_expr w)
{
    struct stream_part *p = &s->parts[i];

    if (!p->window)
        return lift_get(s->ir, i, lift_at(s->ir, p->offset, w));
    if (p->offset)
        w = lift_call_nat(s->ir, LIFT_DROP, number(s, p->offset), w);
    if (p->size + p->offset != s->size)
        w = lift_call_nat(s->ir, LIFT_TAKE, number(s, p->size), w);
    return nd_map_get(s->ir, i, w);
}

static lift_expr body_of_window(struct lift_ir *ir, void *user, lift_expr w)
{
    struct stream *s = user;
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < s->count; i++)
        members[i] = part_of_window(s, i, w);
    return nd_apply_members(ir, s->f, members, s->count);
}

static lift_expr stream_column(struct lift_ir *ir, void *user, lift_expr col)
{
    struct stream *s = user;
    lift_type window = lift_type_array(ir, col->type->elem, number(s, s->size));
    struct lift_prim_args a = {.nats = {number(s, s->size), s->step}, .arg_count = 2};

    a.args[0] = s->zipped ? lift_lambda(ir, "w", window, body_of_window, s) : s->f;
    a.args[1] = col;
    return lift_make(ir, LIFT_MAP_SEQ_SLIDE, &a);
}

static lift_expr stream_columns(struct stream *s, lift_expr columns)
{
    lift_expr f =
        lift_lambda(s->ir, "col", nd_under(columns->type, s->d - 1), stream_column, s);

    return lift_unrotate_n(s->ir, s->d, lift_map_n(s->ir, s->d - 1, f, columns));
}

/* ---- streams of planes
 *
 *     map_n(d, f, slide_n(n, s, y))
 *   = mapSeqSlide(fun(W => map_n(d-1, f, rotate_n(map(slide_n(d-1, ...), W)))), n_0, s_0,
 * y)
 *
 * Each zipped input has windows of its planes, as above. */

/* Returns the data that f reads of part 'i', as an array of the points of a plane. */
static lift_expr points_of_planes(struct stream *s, int i, lift_expr planes)
{
    struct stream_part *p = &s->parts[i];

    planes = s->zipped ? part_of_window(s, i, planes) : planes;
    if (!p->window || !planes)
        return planes;
    planes = nd_map_windows(s->ir, "p", s->d - 1, &p->w, planes);
    return lift_rotate_n(s->ir, s->d, planes);
}

static lift_expr body_of_planes(struct lift_ir *ir, void *user, lift_expr planes)
{
    struct stream *s = user;
    lift_expr members[LIFT_MAX_ARGS], points;

    for (int i = 0; i < s->count; i++)
        members[i] = points_of_planes(s, i, planes);
    points = s->zipped ? lift_zip_n(ir, s->d - 1, members, s->count) : members[0];
    return lift_map_n(ir, s->d - 1, s->f, points);
}

void rule_stream_planes(struct rule_redex *redex)
{
    struct stream s = {.ir = redex->ir, .d = redex->numbers.dims};
    struct lift_prim_args a = {.arg_count = 2};
    lift_expr members[LIFT_MAX_ARGS], xs;

    if (s.d < 2 || !nd_is_map(redex->ir, s.d, redex->at, &s.f, &xs) ||
        !read_parts(&s, xs))
        return;
    for (int i = 0; i < s.count; i++)
        members[i] = plane_stream(&s, &s.parts[i], xs->type->len);
    a.nats[0] = number(&s, s.size);
    a.nats[1] = s.step;
    a.args[1] = s.zipped ? lift_call(s.ir, LIFT_ZIP, members, s.count) : members[0];
    if (!a.args[1])
        return;
    a.args[0] =
        lift_lambda(s.ir, "W", lift_type_array(s.ir, a.args[1]->type->elem, a.nats[0]),
                    body_of_planes, &s);
    redex_emit(redex, lift_make(s.ir, LIFT_MAP_SEQ_SLIDE, &a));
}

void rule_stream(struct rule_redex *redex)
{
    struct stream s = {.ir = redex->ir, .d = redex->numbers.dims};
    lift_expr members[LIFT_MAX_ARGS], xs;

    if (s.d < 2 || !nd_is_map(redex->ir, s.d, redex->at, &s.f, &xs) ||
        !read_parts(&s, xs))
        return;
    for (int i = 0; i < s.count; i++)
        members[i] = planes(&s, &s.parts[i], xs->type->len);
    xs = s.zipped ? lift_zip_n(redex->ir, s.d, members, s.count) : members[0];
    xs = lift_rotate_n(redex->ir, s.d, xs);
    redex_emit(redex, xs ? stream_columns(&s, xs) : NULL);
}

void rule_stream_thin(struct rule_redex *redex)
{
    if (interior_is_thin(redex->at))
        rule_stream(redex);
    else
        redex_refuse(redex, "the outermost dimension is not short");
}
