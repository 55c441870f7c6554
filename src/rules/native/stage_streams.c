/* Streams of several stages: of each grid on the way to the result only the planes in
 * hand are kept, in a ring, while the planes of the tile arrive one by one.
 *
 *     let u = A in B(u)
 *   = untile(map(fun(i => drop(mapSeqSlide(fun(W => plane(i, B(at W))), n, 1, us))),
 * tiles)) us = map(fun(w => toLocal(plane(i, A(at w)))), slide(n, 1, ...))
 *
 * At each step the planes of all stages move on by one; that of a stage lies so many
 * planes behind the first stage's as its readers need, its lag. Before all windows are
 * full, planes have no value, and those of the result are dropped. So time goes along
 * the stream: AN5D, Matsumura et al. 2020; circular buffers, Koehler et al. 2021. The
 * other dimensions are tiled as in stage_tiles.c, or not at all. */
#include "rules/native/natives.h"
#include "rules/native/nd.h"
#include "rules/native/stage_parts.h"
#include "rules/native/tile.h"

struct streams {
    struct stages x;
    lift_nat chunk;               /* planes of a tile */
    int64_t lag[MAX_STAGES + 1];  /* planes behind the first stage */
    int64_t n;                    /* planes that a window holds */
    int64_t warm;                 /* steps before the first plane of the result */
    lift_expr position;           /* the stream of positions */
    lift_expr planes[MAX_STAGES]; /* the streams of stages */
};

static lift_nat size(const struct streams *s, int64_t value)
{
    return lift_nat_const(lift_ir_nats(s->x.ir), value);
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A plane is made when the last plane that it is made of has come. */
static void find_lags(struct streams *s)
{
    const struct stages *x = &s->x;

    s->n = 1;
    for (int r = 0; r <= x->count; r++) {
        const struct stage *by = &x->items[r];

        for (int i = 0; i < r; i++)
            if (by->of[i].read)
                s->lag[r] = most(s->lag[r], s->lag[i] + by->of[i].hi);
        for (int i = 0; i < r; i++)
            if (by->used && by->of[i].read)
                s->n = most(s->n, s->lag[r] - s->lag[i] - by->of[i].lo + 1);
    }
}

/* Every stage begins with the first step and ends with the last one: its planes are those
 * that are needed, and some before and behind them. */
static void find_warm(struct streams *s)
{
    struct stages *x = &s->x;
    int64_t first = 0, last = s->lag[x->count];

    for (int i = 0; i <= x->count; i++)
        if (x->items[i].used)
            first = -most(-first, -x->items[i].part.lo[0] - s->lag[i]);
    for (int i = 0; i < x->count; i++) {
        x->items[i].part.lo[0] = first - s->lag[i];
        x->items[i].part.hi[0] = last - s->lag[i];
    }
    s->warm = last - first;
}

/* What stage r is made of at a step: the stream of positions and those of stages. */
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

/* The plane of stage r for the window 'w' of its sources. Position 'n - 1' and the lag
 * say where it is. */
static lift_expr plane(struct streams *s, int r, lift_expr w)
{
    struct stages *x = &s->x;
    struct held held[MAX_STAGES] = {{NULL}};
    struct part part = x->items[r].part;
    bool zipped = w->type->elem->kind == LIFT_TYPE_TUPLE;
    lift_expr at = lift_at(x->ir, s->n - 1, w), xs;
    int64_t before = s->lag[x->count] - s->warm - (s->n - 1) - s->lag[r];
    int member = 1;

    if (zipped)
        at = lift_get(x->ir, 0, at);
    at = lift_call2(x->ir, LIFT_ADD, at, lift_expr_int(x->ir, before));
    x->start[0] = lift_call2(x->ir, LIFT_ADD, stages_begin(x, 0, s->chunk), at);
    for (int i = 0; i < r; i++) {
        if (!x->items[r].of[i].read)
            continue;
        held[i] = (struct held){nd_map_get(x->ir, member++, w), x->items[i].part};
        held[i].at.lo[0] = s->lag[r] - s->lag[i] - (s->n - 1);
    }
    part.lo[0] = part.hi[0] = 0;
    xs = stages_part(x, r, &part, held);
    return stages_copy(x, xs ? lift_at(x->ir, 0, xs) : NULL);
}

/* fun(w => the plane, stored or not). */
static lift_expr on_window(struct streams *s, int r, lift_expr sources, bool stored)
{
    lift_type type = lift_type_array(s->x.ir, sources->type->elem, size(s, s->n));
    lift_expr w = lift_fresh(s->x.ir, "w", type), xs = plane(s, r, w);

    if (xs && stored)
        xs = lift_call1(s->x.ir, LIFT_TO_LOCAL, xs);
    return xs ? lift_fun(s->x.ir, xs, w) : NULL;
}

/* The planes of a stage; those before the first step have no value. */
static lift_expr stream_of(struct streams *s, int r)
{
    struct lift_ir *ir = s->x.ir;
    lift_expr from = sources(s, r), f = from ? on_window(s, r, from, true) : NULL, xs;

    if (!f)
        return NULL;
    xs = lift_map(ir, f, lift_slide(ir, size(s, s->n), size(s, 1), from));
    return lift_pad(ir, size(s, s->n - 1), size(s, 0), LIFT_PAD_ANY, xs);
}

/* One tile of the result. */
static lift_expr tile_body(struct streams *s)
{
    struct lift_ir *ir = s->x.ir;
    struct lift_prim_args a = {.nats = {size(s, s->n), size(s, 1)}, .arg_count = 2};
    int result = s->x.count;

    for (int i = 0; i < result; i++)
        if (s->x.items[i].used && !(s->planes[i] = stream_of(s, i)))
            return NULL;
    a.args[1] = sources(s, result);
    a.args[0] = a.args[1] ? on_window(s, result, a.args[1], false) : NULL;
    if (!a.args[0])
        return NULL;
    return lift_call_nat(ir, LIFT_DROP, size(s, s->warm),
                         lift_expr_prim(ir, LIFT_MAP_SEQ_SLIDE, &a, NULL));
}

static lift_expr positions(const struct streams *s)
{
    struct lift_ir *ir = s->x.ir;
    lift_expr i = lift_fresh(ir, "i", lift_type_scalar(ir, LIFT_I32));

    return lift_array(ir, lift_nat_add_const(s->chunk, s->warm + s->n - 1),
                      lift_fun(ir, i, i));
}

void rule_stage_streams(struct rule_redex *redex)
{
    struct streams s = {.x = {.ir = redex->ir, .of = redex->numbers}};
    lift_nat k[LIFT_MAX_DIMS];
    lift_expr body;

    if (redex->at->loose || !stages_find(&s.x, redex->at))
        return;
    s.x.tile = stages_tile_var(&s.x);
    for (int d = 0; d < s.x.of.first; d++) {
        s.x.k[d] = k[d] = redex_tunable(redex, "k", 1, tile_longest(s.x.len[d]));
        s.x.start[d] = stages_begin(&s.x, d, k[d]);
    }
    s.x.k[0] = size(&s, 1);
    s.chunk = k[0];
    find_lags(&s);
    find_warm(&s);
    s.position = positions(&s);
    body = tile_body(&s);
    if (body)
        redex_emit(redex, stages_untiled(&s.x, body, k));
}
