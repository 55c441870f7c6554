/* What processors store past their caches is ordered by a fence alone: each thread sets
 * one after its last such store, and before others may read. */
#include "codegen/gen.h"

static bool stores_past(const struct ks *block)
{
    bool yes = false;

    for (const struct ks *s = block->first; s && !yes; s = s->next)
        yes = (s->kind == KS_STORE && s->nontemporal) || stores_past(s) ||
              (s->otherwise && stores_past(s->otherwise));
    return yes;
}

static void add_fence(struct gen *g, struct ks *block)
{
    ks_append(block, ks_new(g->arena, KS_FENCE));
}

/* Tasks are of several iterations, of all loops that are taken together. */
static void fence_task(struct gen *g, struct ks *loop)
{
    for (int i = 1; i < cg_shared_loops(loop); i++)
        loop = loop->first;
    add_fence(g, loop);
}

/* True if something is stored outside of what threads share. */
static bool visit(struct gen *g, struct ks *block)
{
    bool open = false;

    for (struct ks *s = block->first; s; s = s->next) {
        if (s->kind == KS_LOOP && (s->loop == KLOOP_PAR || s->loop == KLOOP_TASK)) {
            if (!stores_past(s))
                continue;
            if (s->loop == KLOOP_PAR)
                s->nontemporal = true;
            else
                fence_task(g, s);
            continue;
        }
        open |= s->kind == KS_STORE && s->nontemporal;
        open |= visit(g, s);
        if (s->otherwise)
            open |= visit(g, s->otherwise);
    }
    return open;
}

void cg_pass_fences(struct gen *g, struct kernel *kernel)
{
    if (visit(g, kernel->body))
        add_fence(g, kernel->body);
}
