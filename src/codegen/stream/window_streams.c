/* The streams of a window: the arrays along which it moves, and the streams that are
 * stored on arrival. */
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

/* The map under a pad whose elements at the start have no value. */
static lift_expr under_any(lift_expr e, int64_t *without)
{
    int64_t behind;

    *without = 0;
    if (!lift_expr_is(e, LIFT_PAD) || e->u.prim.attrs.pad.kind != LIFT_PAD_ANY ||
        !lift_nat_is_const(e->u.prim.nats[0], without) ||
        !lift_nat_is_const(e->u.prim.nats[1], &behind) || behind)
        return e;
    return e->u.prim.args[0];
}

struct stream window_stream(lift_expr e)
{
    struct stream s = {.node = e};
    lift_expr body;

    s.made = under_any(e, &s.without);
    if (!lift_expr_is(s.made, LIFT_MAP))
        return s;
    body = s.made->u.prim.args[0]->u.lambda.body;
    if (lift_expr_is(body, LIFT_TO_PRIVATE))
        s.kind = STREAM_PRIVATE;
    else if (lift_expr_is(body, LIFT_TO_LOCAL))
        s.kind = STREAM_LOCAL;
    return s;
}

/* The array inside a dimension that is divided among work-items with elements in
 * registers; NULL: the dimension is not divided. */
static lift_expr find_spread(struct gen *g, lift_expr e, int d, struct spread *s)
{
    int local = g->options->local[d] > 0 ? g->options->local[d] : 1;
    lift_expr each;

    s->per = 1;
    if (lift_expr_is(e, LIFT_JOIN) &&
        !lift_nat_is_const(e->u.prim.args[0]->type->elem->len, &s->per))
        return NULL;
    e = lift_expr_is(e, LIFT_JOIN) ? e->u.prim.args[0] : e;
    if (!lift_expr_is(e, LIFT_MAP_LCL) || lift_map_dim(e) != d ||
        !lift_nat_is_const(e->type->len, &s->items) || s->items != local)
        return NULL;
    s->item = cg_own_index(g, d, s->items);
    each = e->u.prim.args[0]->u.lambda.body;
    return lift_expr_is(each, LIFT_MAP_UNROLL) ? each->u.prim.args[0]->u.lambda.body
                                               : each;
}

/* Finds the division of an element's dimensions. All rows of work-items have one length.
 */
static void find_spreads(struct gen *g, struct stream *s)
{
    lift_expr e =
        s->kind == STREAM_PRIVATE ? s->made->u.prim.args[0]->u.lambda.body : NULL;
    int count = e ? lift_type_rank(e->type) : 0;

    if (!e || count > WINDOW_SPREAD)
        return;
    e = e->u.prim.args[0];
    for (int d = count - 1; e && d >= 0; d--)
        e = find_spread(g, e, d, &s->spread[d]);
    if (e && count > 0 && s->spread[0].items == LIFT_ROW_ITEMS)
        s->spread_count = count;
}

struct stream *window_add(struct gen *g, struct window *w, lift_expr node)
{
    struct stream *s;

    if (w->stream_count == WINDOW_STREAMS) {
        cg_fail(g, node->type, "more than %d streams in one 'mapSeqSlide'",
                WINDOW_STREAMS);
        return NULL;
    }
    s = LIFT_NEW(g->arena, struct stream);
    *s = window_stream(node);
    find_spreads(g, s);
    s->lo = w->size;
    s->hi = -1;
    return w->streams[w->stream_count++] = s;
}

struct stream *window_known(const struct window *w, lift_expr node)
{
    for (int i = 0; i < w->stream_count; i++)
        if (w->streams[i]->node == node)
            return w->streams[i];
    return NULL;
}

/* Adds the members of a zip, and of nested zips, as streams. */
static void add_members(struct gen *g, struct window *w, lift_expr xs)
{
    if (!lift_expr_is(xs, LIFT_ZIP) && !window_known(w, xs))
        window_add(g, w, xs);
    for (int i = 0; lift_expr_is(xs, LIFT_ZIP) && i < xs->arg_count; i++)
        add_members(g, w, xs->u.prim.args[i]);
}

struct window *window_create(struct gen *g, lift_expr slide, lift_env env)
{
    struct window *w = LIFT_NEW(g->arena, struct window);
    lift_expr xs = slide->u.prim.args[1];

    w->slide = slide;
    w->xs = xs;
    w->env = env;
    w->size = cg_const(g, slide->u.prim.nats[0], "the size of a window");
    w->step = cg_const(g, slide->u.prim.nats[1], "the step of 'mapSeqSlide'");
    w->pipeline_stages = slide->u.prim.attrs.slide.stages;
    w->registers_first = slide->u.prim.attrs.slide.copy == LIFT_COPY_REGISTERS;
    w->copy = cg_dialects[g->options->dialect].async_copies && !w->registers_first
                  ? slide->u.prim.attrs.slide.copy
                  : LIFT_COPY_PLAIN;
    w->asks = slide->u.prim.attrs.slide.beside == LIFT_BESIDE_ASKED &&
              cg_dialects[g->options->dialect].beside[0];
    w->outer = g->windows;
    w->fact_count = g->fact_count;
    add_members(g, w, xs);
    return w;
}

void window_restart(struct window *w)
{
    w->again = false;
    w->count = 0;
    w->aliases = NULL;
    for (int i = 0; i < w->stream_count; i++) {
        w->streams[i]->lo = w->size;
        w->streams[i]->hi = -1;
    }
}

void window_note_reader(struct window *w, struct stream *s)
{
    if (!w->computing) {
        w->shown_late |= w->phase == WINDOW_RECORD && s->kind == STREAM_LOCAL;
        return;
    }
    s->early = true;
    if (s->kind != STREAM_LOCAL)
        w->computing->chained = true;
}

void windows_ask(struct gen *g, struct kstyle style, bool apart)
{
    for (struct window *w = g->windows; w; w = w->outer) {
        ks_add_style(&w->style, style);
        w->apart |= apart;
    }
}

bool window_is_shared_out(const struct window *w)
{
    for (int i = 0; i < w->stream_count; i++)
        if (w->streams[i]->spread_count)
            return true;
    return false;
}

bool cg_in_shared_stream(const struct gen *g)
{
    for (const struct window *w = g->windows; w; w = w->outer)
        if (window_is_shared_out(w))
            return true;
    return false;
}
