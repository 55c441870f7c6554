/* Prefetches elements of the next step into the cache of the device (prefetch=2). */
#include "codegen/stream/window.h"

struct fetching {
    struct gen *g;
    int lanes; /* lanes of the vector loads that will read the elements */
};

/* Prefetches the first element of each vector, if the alignment is known. */
static void fetch_load(void *fetching, kx e)
{
    const struct fetching *f = fetching;

    if (e->kind == KX_LOAD && e->load.buffer->space == KSPACE_GLOBAL &&
        kx_is_aligned(e->load.at, f->lanes))
        cg_emit(f->g, ks_prefetch(f->g->arena, e->load.buffer, e->load.at));
}

/* Prefetches elements that no register keeps, except elements that only few grid points
 * read. */
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
