/* Mountains and valleys: tiles of several stages that compute nothing twice, in two
 * kernels.
 *
 *     let u = A in B(u)
 *   = let m = toGlobal(unzip(map(fun(i => let t = toLocal(mountain(i, A))
 *                                         in (mountain(i, B(at t)), ends(t))), tiles)))
 *     in take(n, join(beside each other(m.0, map(valley(B), seams(m.1)))))
 *
 * The tiles cut the outermost dimension. Of each stage a tile computes what depends on
 * the tile alone, which is less from stage to stage: a mountain. What is left between two
 * tiles grows from stage to stage: a valley, which reads the ends of both mountains. So
 * the tiles of a kernel do not wait for each other: split tiling, Grosser et al. 2013.
 *
 * Tile i begins as many planes before i * k as the last stage leaves free there, so that
 * no valley is before the first mountain. Where places are beyond the ends of the grid,
 * planes have any value, as in other tiles. */
#include "base/number.h"
#include "rules/native/natives.h"
#include "rules/native/stages/parts.h"
#include "rules/native/tile.h"
#include "rules/nd.h"

struct mountains {
    struct stages x;
    lift_nat width, count; /* of tiles */
    /* Planes that each stage leaves free in a tile, at its begin and end. */
    int64_t left[MAX_STAGES + 1], right[MAX_STAGES + 1];
    /* Planes that a valley needs of each stage, from the seam on: 'lo' to before 'hi',
     * those in the middle its own. */
    int64_t lo[MAX_STAGES + 1], hi[MAX_STAGES + 1];
    lift_expr ends[MAX_STAGES]; /* of mountains beside a seam, the earlier one's first */
};

static lift_nat size(const struct mountains *m, int64_t value)
{
    return lift_nat_const(lift_ir_nats(m->x.ir), value);
}

/* ---- slopes */

/* A plane of a mountain reads planes of the same one. */
static void find_slopes(struct mountains *m)
{
    for (int r = 0; r <= m->x.count; r++)
        for (int i = 0; i < r; i++) {
            const struct part *at = &m->x.items[r].of[i].at;

            if (!m->x.items[r].used || !m->x.items[r].of[i].read)
                continue;
            m->left[r] = lift_max(m->left[r], m->left[i] - at->lo[0]);
            m->right[r] = lift_max(m->right[r], m->right[i] + at->hi[0]);
        }
}

static void find_needs(struct mountains *m)
{
    for (int r = 0; r <= m->x.count; r++) {
        m->lo[r] = -m->right[r];
        m->hi[r] = m->left[r];
        for (int i = 0; i < r; i++) {
            const struct part *at = &m->x.items[r].of[i].at;

            if (!m->x.items[r].used || !m->x.items[r].of[i].read)
                continue;
            m->lo[i] = -lift_max(-m->lo[i], m->right[r] - at->lo[0]);
            m->hi[i] = lift_max(m->hi[i], m->left[r] + at->hi[0]);
        }
    }
}

/* Planes that a valley reads of the end of the mountain before it, or of the begin of the
 * one behind it. */
static int64_t before(const struct mountains *m, int r)
{
    return -m->right[r] - m->lo[r];
}

static int64_t behind(const struct mountains *m, int r)
{
    return m->hi[r] - m->left[r];
}

/* The least width for which a valley reads of the mountains beside it, and of no other
 * valley. */
static int64_t least_width(const struct mountains *m)
{
    int64_t least = 1;

    for (int r = 0; r <= m->x.count; r++)
        if (m->x.items[r].used) {
            least = lift_max(least, m->left[r] + m->right[r] + 1);
            least = lift_max(least, m->left[r] - m->lo[r]);
            least = lift_max(least, m->right[r] + m->hi[r]);
        }
    return least;
}

/* ---- both */

/* Planes of stage r from 'lo' to before 'hi' of what begins at place 'tile' times the
 * width. */
static lift_expr planes(struct mountains *m, int r, struct part part,
                        const struct held *held)
{
    return nd_copy_all(m->x.ir, stages_part(&m->x, r, &part, held));
}

static lift_expr named(const struct mountains *m, lift_expr body, const lift_expr *values,
                       const struct held *held)
{
    for (int i = m->x.count - 1; i >= 0 && body; i--)
        if (values[i])
            body = lift_let(m->x.ir, lift_call1(m->x.ir, LIFT_TO_LOCAL, values[i]),
                            lift_fun(m->x.ir, body, held[i].t));
    return body;
}

static lift_expr concat(const struct mountains *m, const lift_expr *parts, int count)
{
    return count == 1 ? parts[0] : lift_call(m->x.ir, LIFT_CONCAT, parts, count);
}

/* Tile 'i', counted from the one in hand, begins there. */
static void begin_at(struct mountains *m, lift_expr tile, int64_t i)
{
    struct lift_ir *ir = m->x.ir;

    if (i)
        tile = lift_call2(ir, LIFT_ADD, tile, lift_expr_int(ir, i));
    m->x.tile = tile;
    m->x.start[0] = lift_call2(ir, LIFT_ADD, stages_begin(&m->x, 0, m->width),
                               lift_expr_int(ir, -m->left[m->x.count]));
}

/* A tile that touches no boundary has code of its own, without tests: it reads only what
 * is in the grid. Its planes of stage r are those from 'from[r]' on, up to 'width' and
 * 'to[r]'. */
static lift_expr apart(const struct mountains *m, const int64_t *from, const int64_t *to,
                       lift_nat width, lift_expr body)
{
    struct lift_ir *ir = m->x.ir;
    lift_expr start = m->x.start[0], test[2];
    int64_t lo = 0, hi = 0;

    for (int r = 0; r <= m->x.count; r++)
        if (m->x.items[r].used) {
            lo = -lift_max(-lo, -from[r] - m->x.items[r].reach.lo[0]);
            hi = lift_max(hi, to[r] + m->x.items[r].reach.hi[0]);
        }
    width = lift_nat_sub(m->x.len[0], lift_nat_add_const(width, hi));
    test[0] = lift_call2(ir, LIFT_LE, lift_expr_int(ir, -lo), start);
    test[1] = lift_call2(ir, LIFT_LE, start, nd_size(ir, width));
    return body
               ? lift_call3(ir, LIFT_SELECT, lift_call(ir, LIFT_AND, test, 2), body, body)
               : NULL;
}

/* ---- mountains */

/* What valleys read of a stage: the first planes, and the last ones. */
static lift_expr ends(const struct mountains *m, int r, lift_expr t)
{
    struct lift_ir *ir = m->x.ir;
    lift_nat rest = lift_nat_add_const(t->type->len, -before(m, r));
    lift_expr parts[2];
    int count = 0;

    if (behind(m, r))
        parts[count++] =
            nd_copy_all(ir, lift_call_nat(ir, LIFT_TAKE, size(m, behind(m, r)), t));
    if (before(m, r))
        parts[count++] = nd_copy_all(ir, lift_call_nat(ir, LIFT_DROP, rest, t));
    return concat(m, parts, count);
}

static bool has_ends(const struct mountains *m, int r)
{
    return m->x.items[r].used && before(m, r) + behind(m, r) > 0;
}

static lift_expr mountain(struct mountains *m)
{
    struct held held[MAX_STAGES] = {{NULL}};
    lift_expr values[MAX_STAGES] = {NULL}, members[MAX_STAGES + 1];
    int count = 1;

    m->x.k[0] = m->width;
    for (int r = 0; r <= m->x.count; r++) {
        struct part part = {{m->left[r]}, {-m->right[r]}};
        lift_expr xs = m->x.items[r].used ? planes(m, r, part, held) : NULL;

        if (m->x.items[r].used && !xs)
            return NULL;
        if (r == m->x.count) {
            members[0] = xs;
        } else if (xs) {
            values[r] = xs;
            held[r] = (struct held){lift_fresh(m->x.ir, "t", xs->type), part};
        }
    }
    for (int r = 0; r < m->x.count; r++)
        if (has_ends(m, r))
            members[count++] = ends(m, r, held[r].t);
    if (count > LIFT_MAX_ARGS)
        return NULL;
    return named(m, lift_call(m->x.ir, LIFT_TUPLE, members, count), values, held);
}

static lift_expr tiles(const struct mountains *m)
{
    lift_expr i = lift_fresh(m->x.ir, "i", lift_type_scalar(m->x.ir, LIFT_I32));

    return lift_array(m->x.ir, m->count, lift_fun(m->x.ir, i, i));
}

/* All mountains: their tops, and the ends of the stages below. */
static lift_expr mountains(struct mountains *m)
{
    lift_expr i = lift_fresh(m->x.ir, "i", lift_type_scalar(m->x.ir, LIFT_I32)), body;
    int64_t to[MAX_STAGES + 1];

    begin_at(m, i, 0);
    for (int r = 0; r <= m->x.count; r++)
        to[r] = -m->right[r];
    body = apart(m, m->left, to, m->width, mountain(m));
    if (!body)
        return NULL;
    body = lift_map(m->x.ir, lift_fun(m->x.ir, body, i), tiles(m));
    return lift_call1(m->x.ir, LIFT_TO_GLOBAL, lift_call1(m->x.ir, LIFT_UNZIP, body));
}

/* ---- valleys */

/* For each seam the last planes of the mountain before it and the first ones of the next;
 * behind the last mountain there is none. */
static lift_expr ends_at_seams(const struct mountains *m, int r, lift_expr ends)
{
    struct lift_ir *ir = m->x.ir;
    lift_nat each = size(m, before(m, r) + behind(m, r));
    lift_expr xs = lift_call1(ir, LIFT_JOIN, ends);

    xs = lift_pad(ir, size(m, 0), size(m, behind(m, r)), LIFT_PAD_ANY, xs);
    xs = lift_call_nat(ir, LIFT_DROP, size(m, behind(m, r)), xs);
    return lift_slide(ir, each, each, xs);
}

/* Seams, each with the ends beside it; 'all' is what mountains are. */
static lift_expr seams(struct mountains *m, lift_expr all)
{
    lift_expr members[MAX_STAGES + 1] = {tiles(m)};
    int count = 1;

    for (int r = 0; r < m->x.count; r++)
        if (has_ends(m, r)) {
            members[count] = ends_at_seams(m, r, lift_get(m->x.ir, count, all));
            count++;
        }
    return lift_call(m->x.ir, LIFT_ZIP, members, count);
}

/* The ends in a seam. */
static void take_ends(struct mountains *m, lift_expr seam)
{
    int count = 1;

    for (int r = 0; r < m->x.count; r++)
        m->ends[r] = has_ends(m, r) ? lift_get(m->x.ir, count++, seam) : NULL;
}

/* What a valley needs of stage r: its own planes between those of the mountains. */
static lift_expr between_ends(struct mountains *m, int r, const struct held *held)
{
    struct lift_ir *ir = m->x.ir;
    lift_nat first = size(m, before(m, r));
    lift_expr parts[3];
    int count = 0;

    if (before(m, r))
        parts[count++] = nd_copy_all(ir, lift_call_nat(ir, LIFT_TAKE, first, m->ends[r]));
    if (m->left[r] + m->right[r])
        parts[count++] = planes(m, r, (struct part){{-m->right[r]}, {m->left[r]}}, held);
    if (behind(m, r))
        parts[count++] = nd_copy_all(ir, lift_call_nat(ir, LIFT_DROP, first, m->ends[r]));
    return count ? concat(m, parts, count) : NULL;
}

static lift_expr valley(struct mountains *m)
{
    struct held held[MAX_STAGES] = {{NULL}};
    lift_expr values[MAX_STAGES] = {NULL}, body;
    int result = m->x.count;

    m->x.k[0] = size(m, 0);
    for (int r = 0; r < result; r++) {
        struct part part = {{m->lo[r]}, {m->hi[r]}};

        if (!m->x.items[r].used || m->lo[r] == m->hi[r])
            continue;
        values[r] = between_ends(m, r, held);
        if (!values[r])
            return NULL;
        held[r] = (struct held){lift_fresh(m->x.ir, "t", values[r]->type), part};
    }
    body = planes(m, result, (struct part){{-m->right[result]}, {m->left[result]}}, held);
    return named(m, body, values, held);
}

static lift_expr valleys(struct mountains *m, lift_expr all)
{
    lift_expr xs = seams(m, all), q, body;
    int64_t from[MAX_STAGES + 1];

    if (!xs)
        return NULL;
    q = lift_fresh(m->x.ir, "q", xs->type->elem);
    take_ends(m, q);
    begin_at(m, lift_get(m->x.ir, 0, q), 1);
    for (int r = 0; r <= m->x.count; r++)
        from[r] = -m->right[r];
    body = apart(m, from, m->left, size(m, 0), valley(m));
    return body ? lift_map(m->x.ir, lift_fun(m->x.ir, body, q), xs) : NULL;
}

/* ---- the rule */

/* Of each tile first what is of 'a', then what is of 'b'. */
static lift_expr in_turn(const struct mountains *m, lift_expr a, lift_expr b)
{
    struct lift_ir *ir = m->x.ir;
    lift_expr xs[2] = {lift_call1(ir, LIFT_TRANSPOSE, a),
                       lift_call1(ir, LIFT_TRANSPOSE, b)};

    xs[0] = lift_call1(ir, LIFT_TRANSPOSE, lift_call(ir, LIFT_CONCAT, xs, 2));
    return lift_call1(ir, LIFT_JOIN, xs[0]);
}

static lift_expr result(struct mountains *m)
{
    struct lift_ir *ir = m->x.ir;
    lift_expr value = mountains(m), all, grid;

    if (!value)
        return NULL;
    all = lift_fresh(ir, "m", value->type);
    grid = in_turn(m, nd_copy_all(ir, lift_get(ir, 0, all)), valleys(m, all));
    if (!grid)
        return NULL;
    return lift_let(ir, value, lift_fun(ir, stages_cut(&m->x, grid), all));
}

static bool has_slopes(struct mountains *m, struct rule_redex *redex)
{
    if (m->x.wraps[0])
        redex_refuse(redex, "the ends of the grid meet ('wrap') in the dimension that is "
                            "cut, and the last tile may be too narrow for a valley");
    else if (m->left[m->x.count] + m->right[m->x.count] == 0)
        redex_refuse(redex, "no stage is read beside its own place in the outermost "
                            "dimension: tiles are independent");
    else
        return true;
    return false;
}

void rule_stage_mountains(struct rule_redex *redex)
{
    struct mountains m = {.x = {.ir = redex->ir, .of = {1, redex->numbers.dims}}};
    int64_t least, free;

    if (!stages_find(&m.x, redex))
        return;
    find_slopes(&m);
    find_needs(&m);
    if (!has_slopes(&m, redex))
        return;
    least = least_width(&m);
    free = m.left[m.x.count] + m.right[m.x.count];
    m.width =
        redex_tunable(redex, "k", 1, lift_max(least, tile_longest(m.x.len[0]) + free));
    if (!redex_require(redex, LIFT_SIDE_LE, size(&m, least), m.width,
                       "tiles that are too narrow for so many stages"))
        return;
    m.count = lift_nat_ceil_div(lift_nat_add_const(m.x.len[0], free), m.width);
    m.x.slack = lift_nat_add_const(m.width, free + 1);
    redex_emit(redex, stages_close(&m.x.opened, m.x.ir, result(&m)));
}
