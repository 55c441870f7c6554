/* Only a fence orders non-temporal stores of CPUs. Each thread executes a fence after its
 * last such store, before other threads may read. */
#include "codegen/passes/passes.h"

static bool stores_past(const struct ks *s)
{
    return s->kind == KS_STORE && s->store.nontemporal;
}

/* Marks or fences a loop with non-temporal stores. After a parallel loop, each thread
 * executes a fence. A task may have several iterations, so each iteration of the
 * innermost collapsed loop ends with a fence. */
static void fence_loop(struct gen *g, struct ks *loop)
{
    bool past = ks_any(loop, stores_past);

    if (past && loop->loop.level == KLOOP_PAR) {
        loop->loop.nontemporal = true;
    } else if (past) {
        for (int i = 1; i < cg_shared_loops(loop); i++)
            loop = loop->loop.body.first;
        ks_append(&loop->loop.body, ks_fence(g->arena));
    }
}

/* True if the block has non-temporal stores outside of shared loops. */
static bool visit(struct gen *g, struct kblock *block)
{
    bool open = false;

    for (struct ks *s = block->first; s; s = s->next) {
        if (ks_is_loop(s, KLOOP_PAR) || ks_is_loop(s, KLOOP_TASK)) {
            fence_loop(g, s);
            continue;
        }
        open |= stores_past(s);
        for (int i = 0; ks_block(s, i); i++)
            open |= visit(g, ks_block(s, i));
    }
    return open;
}

void cg_pass_fences(struct gen *g, struct kernel *kernel)
{
    if (visit(g, &kernel->body))
        ks_append(&kernel->body, ks_fence(g->arena));
}
