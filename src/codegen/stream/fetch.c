/* What a step fetches to the cache of the device for the next one (prefetch=2). */
#include "codegen/stream/window.h"

struct fetching {
    struct gen *g;
    int lanes; /* of the vectors that it is loaded by */
};

/* Of a vector the first element, if it is known where that is. */
static void fetch_load(void *fetching, kx e)
{
    const struct fetching *f = fetching;

    if (e->kind == KX_LOAD && e->load.buffer->space == KSPACE_GLOBAL &&
        kx_is_aligned(e->load.at, f->lanes))
        cg_emit(f->g, ks_prefetch(f->g->arena, e->load.buffer, e->load.at));
}

/* Elements that no register keeps are fetched, but not those that few points read. */
void slide_fetch_next(struct gen *g, struct slide *s)
{
    struct window *w = s->window;
    struct scope scope = cg_enter(g, g->block);
    struct fetching f = {g, w->style.loads > 1 ? w->style.loads : 1};
    const struct column *last = NULL;

    for (int i = 0; i < w->count; i++) {
        const struct column *c = w->columns[i];

        if (c->stream->kind != STREAM_PLAIN || c->regs || slide_is_for_some(c))
            continue;
        if (!last || !slide_same_items(last, c)) {
            cg_leave(g, scope);
            scope = cg_enter(g, g->block);
            slide_open_items(g, w, c);
        }
        last = c;
        kx_each(cg_read_here(
                    g, c->stream->node, w->env,
                    cg_index(g, lift_nat_add_const(w->base, c->hi + s->step), c->rest)),
                fetch_load, &f);
    }
    cg_leave(g, scope);
}
