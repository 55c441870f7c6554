/* Streams of several intermediates: each step adds one plane of a tile, and a circular
 * buffer keeps only the current planes of each intermediate.
 *
 *     let u = A in B(u)
 *   = untile(map(fun(i => drop(mapSeqSlide(fun(W => plane(i, B(at W))), n, 1, us))), is))
 *
 * us = map(fun(w => toLocal(plane(i, A(at w)))), slide(n, 1, ...)): the planes of u.
 *
 * Each step advances all intermediates by one plane. An intermediate lags behind the
 * first intermediate by the planes that its reads need (pipeline skew). Until all windows
 * are full, planes have no value, and the result drops these planes. Time runs along the
 * stream: AN5D, Matsumura et al. 2020; circular buffers, Koehler et al. 2021. The other
 * dimensions are tiled as in tiles.c, or not tiled. */
#include "rules/native/stages/streams.h"
#include "base/number.h"
#include "rules/native/natives.h"
#include "rules/native/tile.h"
#include "rules/nd.h"

lift_nat streams_size(const struct streams *s, int64_t value)
{
    return lift_nat_const(lift_ir_nats(s->x.ir), value);
}

/* True if intermediate 'r' is kept in registers instead of local memory. In three
 * dimensions, inputs with neighbour reads have too many points for registers. */
static bool is_held(const struct streams *s, int r)
{
    const struct stage *stage = &s->x.items[r];

    return s->x.registers && !(stage->input && stage->beside && s->x.of.dims > 2);
}

/* Computes the pipeline skew. A plane is computed on arrival of the last plane that it
 * reads. If that plane is loaded from memory, the computation is AHEAD steps later. */
static void find_lags(struct streams *s)
{
    const struct stages *x = &s->x;
    int64_t before = 0;

    for (int r = 0; r <= x->count; r++) {
        const struct stage *by = &x->items[r];

        for (int i = 0; i < r; i++)
            if (by->of[i].read)
                s->lag[r] = lift_max(
                    s->lag[r], s->lag[i] + by->of[i].at.hi[0] +
                                   (x->items[i].input && is_held(s, i) ? AHEAD : 0));
        for (int i = 0; i < r; i++)
            if (by->used && by->of[i].read)
                before = lift_max(before, s->lag[r] - s->lag[i] - by->of[i].at.lo[0]);
    }
    s->n = lift_round_up(before, s->planes_a_step) / s->planes_a_step + 1;
}

/* Every intermediate computes a plane in each step, from the first step to the last: also
 * some planes before and after the needed planes. */
static void find_warm(struct streams *s)
{
    struct stages *x = &s->x;
    int64_t first = 0, last = s->lag[x->count];

    for (int i = 0; i <= x->count; i++)
        if (x->items[i].used)
            first = -lift_max(-first, -x->items[i].part.lo[0] - s->lag[i]);
    first = last - lift_round_up(last - first, s->planes_a_step);
    for (int i = 0; i < x->count; i++) {
        x->items[i].part.lo[0] = first - s->lag[i];
        x->items[i].part.hi[0] = last - s->lag[i];
    }
    s->warm = last - first;
    x->early = s->warm + s->n * s->planes_a_step;
}

/* Returns the inputs of intermediate r at a step: the stream of positions and the streams
 * of intermediates. */
static lift_expr sources(const struct streams *s, int r)
{
    lift_expr members[MAX_STAGES + 1] = {s->position};
    int count = 1;

    for (int i = 0; i < r; i++)
        if (s->x.items[r].of[i].read)
            members[count++] = s->planes[i];
    if (count == 1)
        return s->position;
    return count <= LIFT_MAX_ARGS ? lift_call(s->x.ir, LIFT_ZIP, members, count) : NULL;
}

/* Returns the planes of the stream that is member 'k' of a zip, from the window 'w' of
 * the zip. */
static lift_expr planes_of(const struct streams *s, int k, lift_expr w)
{
    lift_expr xs = nd_map_get(s->x.ir, k, w);

    return s->planes_a_step > 1 ? lift_call1(s->x.ir, LIFT_JOIN, xs) : xs;
}

/* Returns the planes of intermediate r for the window 'w' of its sources. Position 'n -
 * 1' and the lag determine their indices. */
static lift_expr planes(struct streams *s, int r, lift_expr w)
{
    struct stages *x = &s->x;
    struct held held[MAX_STAGES] = {{NULL}};
    struct part part = x->items[r].part;
    bool zipped = w->type->elem->kind == LIFT_TYPE_TUPLE;
    lift_expr at = lift_at(x->ir, s->n - 1, w);
    int64_t behind = (s->n - 1) * s->planes_a_step;
    int64_t before = s->lag[x->count] - s->warm - behind - s->lag[r];
    int member = 1;

    if (zipped)
        at = lift_get(x->ir, 0, at);
    if (s->planes_a_step > 1)
        at = lift_call2(x->ir, LIFT_MUL, at, lift_expr_int(x->ir, s->planes_a_step));
    at = lift_call2(x->ir, LIFT_ADD, at, lift_expr_int(x->ir, before));
    x->start[0] = lift_call2(x->ir, LIFT_ADD, stages_begin(x, 0, s->chunk), at);
    for (int i = 0; i < r; i++) {
        if (!x->items[r].of[i].read)
            continue;
        held[i] = (struct held){planes_of(s, member++, w), x->items[i].part};
        held[i].at.lo[0] = s->lag[r] - s->lag[i] - behind;
    }
    part.lo[0] = part.hi[0] = 0;
    return stages_part(x, r, &part, held);
}

/* The distribution of dimension 'd' and later dimensions over the work-items of a group.
 */
struct share {
    struct streams *s;
    int d;
    bool result; /* xs is the result, which is stored without points outside the tile */
};

static lift_expr shared_out(struct share h, lift_expr xs);

static lift_expr unrolled(struct lift_ir *ir, lift_expr f, lift_expr xs, int64_t loads)
{
    struct lift_prim_args a = {.arg_count = 2, .args = {f, xs}};

    a.attrs.unroll.loads = loads;
    return lift_make(ir, LIFT_MAP_UNROLL, &a);
}

/* Copies the points of a work-item. Scalar results are stored by vectors. */
static lift_expr points(struct lift_ir *ir, const struct share *h, lift_expr c)
{
    lift_expr xs = unrolled(ir, nd_identity(ir, "e", c->type->elem), c, VECTOR);
    lift_expr vectors;

    if (!h->result || c->type->elem->kind != LIFT_TYPE_SCALAR)
        return xs;
    vectors = lift_call_nat(ir, LIFT_AS_VECTOR, streams_size(h->s, VECTOR),
                            lift_call1(ir, LIFT_TO_PRIVATE, xs));
    if (!vectors)
        return NULL;
    xs = unrolled(ir, nd_identity(ir, "v", vectors->type->elem), vectors, 0);
    return lift_call1(ir, LIFT_AS_SCALAR, xs);
}

static lift_expr inside(struct lift_ir *ir, void *user, lift_expr row)
{
    (void)ir;
    return shared_out(*(struct share *)user, row);
}

/* Copies the part of one work-item: points, or rows that are distributed further. */
static lift_expr own(struct lift_ir *ir, void *user, lift_expr c)
{
    struct share h = *(struct share *)user;

    if (++h.d == h.s->x.of.dims)
        return points(ir, &h, c);
    return unrolled(ir, lift_lambda(ir, "r", c->type->elem, inside, &h), c, 0);
}

/* Drops the points of 'xs' outside the tile. */
static lift_expr of_tile(const struct share *h, lift_expr xs)
{
    const struct stages *x = &h->s->x;

    xs = lift_call_nat(x->ir, LIFT_DROP,
                       streams_size(h->s, -x->items[x->count].part.lo[h->d]), xs);
    return lift_call_nat(x->ir, LIFT_TAKE, x->k[h->d], xs);
}

static lift_expr shared_out(struct share h, lift_expr xs)
{
    struct lift_ir *ir = h.s->x.ir;
    lift_expr chunks = lift_call_nat(ir, LIFT_SPLIT, h.s->per[h.d], xs);

    if (!chunks)
        return NULL;
    xs = lift_map_as(ir, LIFT_MAP_LCL, h.s->x.of.dims - 1 - h.d,
                     lift_lambda(ir, "c", chunks->type->elem, own, &h), chunks);
    xs = lift_call1(ir, LIFT_JOIN, xs);
    return h.result ? of_tile(&h, xs) : xs;
}

static lift_expr copied_row(struct lift_ir *ir, void *user, lift_expr row)
{
    lift_expr vectors =
        lift_call_nat(ir, LIFT_AS_VECTOR, streams_size(user, VECTOR), row);

    if (!vectors)
        return NULL;
    vectors =
        lift_map_as(ir, LIFT_MAP, 0, nd_identity(ir, "v", vectors->type->elem), vectors);
    return lift_call1(ir, LIFT_AS_SCALAR, vectors);
}

/* Copies the plane of an input, whose rows are whole vectors. */
static lift_expr copied(struct streams *s, lift_expr plane)
{
    if (!plane || plane->type->elem->elem->kind != LIFT_TYPE_SCALAR)
        return nd_copy_all(s->x.ir, plane);
    return lift_map_as(s->x.ir, LIFT_MAP, 0,
                       lift_lambda(s->x.ir, "row", plane->type->elem, copied_row, s),
                       plane);
}

static lift_expr plane(struct streams *s, int r, lift_expr w)
{
    lift_expr xs = planes(s, r, w);

    return lift_at(s->x.ir, 0, xs);
}

/* Builds fun(w => element of the stream of intermediate r), stored or not. */
static lift_expr on_window(struct streams *s, int r, lift_expr sources, bool stored)
{
    lift_type type = lift_type_array(s->x.ir, sources->type->elem, streams_size(s, s->n));
    lift_expr w = lift_fresh(s->x.ir, "w", type), xs;
    bool held = is_held(s, r);

    if (s->planes_a_step > 1)
        xs = (s->whole ? stages_rows : stages_columns)(&s->x, planes(s, r, w));
    else if (!s->x.registers)
        xs = nd_copy_all(s->x.ir, plane(s, r, w));
    else if (held)
        xs = shared_out((struct share){s, 1, false}, plane(s, r, w));
    else
        xs = copied(s, plane(s, r, w));
    if (stored)
        xs = lift_call1(s->x.ir, held ? LIFT_TO_PRIVATE : LIFT_TO_LOCAL, xs);
    return lift_fun(s->x.ir, xs, w);
}

/* Returns the planes of an intermediate. Planes before the first step have no value. */
static lift_expr stream_of(struct streams *s, int r)
{
    struct lift_ir *ir = s->x.ir;
    lift_expr from = sources(s, r), f = from ? on_window(s, r, from, true) : NULL, xs;

    if (!f)
        return NULL;
    xs = lift_map(ir, f, lift_slide(ir, streams_size(s, s->n), streams_size(s, 1), from));
    return lift_pad(ir, streams_size(s, s->n - 1), streams_size(s, 0), LIFT_PAD_ANY, xs);
}

/* Builds fun(w => points of the last plane of w that belong to the tile). */
static lift_expr last_plane(struct lift_ir *ir, void *user, lift_expr w)
{
    struct streams *s = user;

    return shared_out((struct share){s, 1, true}, lift_at(ir, s->n - 1, w));
}

/* Builds one tile of the result. With registers, work-items exchange the values of the
 * result, whose boundary predicates come later. So the values of the result are also a
 * stream. */
static lift_expr tile_body(struct streams *s)
{
    struct lift_ir *ir = s->x.ir;
    struct lift_prim_args a = {.nats = {streams_size(s, s->n), streams_size(s, 1)},
                               .arg_count = 2};
    int result = s->x.count, streams = s->x.registers ? result + 1 : result;
    lift_expr xs;

    for (int i = 0; i < streams; i++)
        if (s->x.items[i].used && !(s->planes[i] = stream_of(s, i)))
            return NULL;
    a.args[1] = s->x.registers ? s->planes[result] : sources(s, result);
    if (s->x.registers)
        a.args[0] = lift_lambda(
            ir, "w", lift_type_array(ir, a.args[1]->type->elem, streams_size(s, s->n)),
            last_plane, s);
    else
        a.args[0] = a.args[1] ? on_window(s, result, a.args[1], false) : NULL;
    xs = lift_call_nat(ir, LIFT_DROP, streams_size(s, s->warm / s->planes_a_step),
                       lift_make(ir, LIFT_MAP_SEQ_SLIDE, &a));
    return s->planes_a_step > 1 ? lift_call1(ir, LIFT_JOIN, xs) : xs;
}

static lift_expr positions(const struct streams *s)
{
    struct lift_ir *ir = s->x.ir;
    lift_expr i = lift_fresh(ir, "i", lift_type_scalar(ir, LIFT_I32));

    return lift_array(ir,
                      lift_nat_add_const(s->steps, s->warm / s->planes_a_step + s->n - 1),
                      lift_fun(ir, i, i));
}

bool streams_begin(struct streams *s, struct rule_redex *redex)
{
    if (!stages_find(&s->x, redex))
        return false;
    s->x.tile = s->whole ? lift_expr_int(s->x.ir, 0) : stages_tile_var(&s->x);
    find_lags(s);
    find_warm(s);
    return true;
}

lift_expr streams_tile(struct streams *s, const lift_nat *k)
{
    for (int d = 1; d < s->x.of.first; d++) {
        s->x.k[d] = k[d];
        s->x.start[d] = stages_begin(&s->x, d, k[d]);
    }
    s->x.k[0] = streams_size(s, s->planes_a_step);
    s->chunk = k[0];
    s->position = positions(s);
    s->x.late = lift_nat_mul_const(s->position->type->len, s->planes_a_step);
    return tile_body(s);
}

static void stage_streams(struct rule_redex *redex, int64_t planes_a_step)
{
    struct streams s = {.x = {.ir = redex->ir, .of = redex->numbers},
                        .planes_a_step = planes_a_step};
    lift_nat k[LIFT_MAX_DIMS];
    int64_t longest;

    if (!streams_begin(&s, redex))
        return;
    longest = lift_round_up(tile_longest(s.x.len[0]), planes_a_step);
    s.steps = redex_tunable(redex, "slab", 0, 1, longest / planes_a_step);
    k[0] = lift_nat_mul_const(s.steps, planes_a_step);
    for (int d = 1; d < s.x.of.first; d++)
        k[d] = redex_tunable(redex, "tile", d, 1, tile_longest(s.x.len[d]));
    redex_emit(redex, stages_untiled(&s.x, streams_tile(&s, k), k));
}

void rule_streamed_tiles(struct rule_redex *redex)
{
    stage_streams(redex, 1);
}

void rule_paired_tiles(struct rule_redex *redex)
{
    stage_streams(redex, 2);
}

/* Planes arrive in increasing order in one tile, so that each plane is computed only
 * once. Threads share the rows of a step. */
void rule_wavefront_tiles(struct rule_redex *redex)
{
    struct streams s = {
        .x = {.ir = redex->ir, .of = {.first = 1, .dims = redex->numbers.dims}},
        .planes_a_step = redex->numbers.planes,
        .whole = true};
    lift_nat k;

    if (!streams_begin(&s, redex))
        return;
    s.steps = lift_nat_ceil_div(s.x.len[0], streams_size(&s, s.planes_a_step));
    k = lift_nat_mul_const(s.steps, s.planes_a_step);
    redex_emit(redex, stages_whole(&s.x, streams_tile(&s, &k)));
}
