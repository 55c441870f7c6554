/* Moves the stores of straight-line code in a team after its loads. C compilers make a
 * function of a team, whose pointers may alias. Loads that two grid points share would be
 * repeated after the first point's store. */
#include "codegen/passes/passes.h"

struct run {
    const struct ks *first, *end;
    bool bound; /* a statement depends on a store before it */
};

static void note_load(void *run, kx e)
{
    struct run *r = run;

    for (const struct ks *s = r->first; e->kind == KX_LOAD && s != r->end; s = s->next)
        r->bound |= s->kind == KS_STORE && s->store.buffer == e->load.buffer;
}

static bool is_free(struct ks *first, struct ks *end)
{
    struct run r = {first, end, false};

    for (struct ks *s = first; s != end && !r.bound; s = s->next) {
        r.bound |= s->kind == KS_ASSIGN || s->kind == KS_ARRAY;
        if (ks_expr(s))
            kx_each(ks_expr(s), note_load, &r);
    }
    return !r.bound;
}

static void emit(struct gen *g, struct ks *first, const struct ks *end, bool stores)
{
    for (struct ks *s = first; s != end; s = s->next)
        if ((s->kind == KS_STORE) == stores)
            cg_emit(g, ks_copy(g->arena, s));
}

static struct ks *visit(void *gen, struct ks *s)
{
    struct gen *g = gen;
    struct ks *end = ks_run_end(s), *next = s->next;

    if (ks_is_simple(s) && is_free(s, end)) {
        emit(g, s, end, false);
        emit(g, s, end, true);
        return end;
    }
    for (int i = 0; ks_block(s, i); i++)
        cg_refill(g, ks_block(s, i), visit, g);
    cg_emit(g, s);
    return next;
}

void cg_pass_later(struct gen *g, struct kernel *kernel)
{
    if (kernel->team)
        cg_refill(g, &kernel->body, visit, g);
}
