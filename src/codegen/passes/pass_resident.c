/* Groups that wait for each other have to run at once, and what they share is in global
 * memory: the local arrays around loops that they share out. */
#include "codegen/passes/passes.h"

static bool is_of_groups(const struct ks *s)
{
    return s->kind == KS_BARRIER && s->barrier.of != KMEET_ITEMS;
}

static struct ks *share(void *gen, struct ks *s)
{
    struct gen *g = gen;
    struct ks *next = s->next;

    if (s->kind == KS_ARRAY && s->array.buffer->space == KSPACE_LOCAL) {
        cg_bind_temp(g, s->array.buffer);
        return next;
    }
    if (!ks_is_loop(s, KLOOP_WRG))
        for (int i = 0; ks_block(s, i); i++)
            cg_refill(g, ks_block(s, i), share, g);
    cg_emit(g, s);
    return next;
}

void cg_pass_resident(struct gen *g, struct kernel *kernel)
{
    for (const struct ks *s = kernel->body.first; s; s = s->next)
        kernel->resident |= ks_any(s, is_of_groups);
    if (!kernel->resident)
        return;
    if (!cg_shared_beside(g, kernel))
        cg_fail(
            g, lift_type_scalar(g->ir, LIFT_I32),
            "groups read more of what they share than those beside them store, as far "
            "as can be shown");
    cg_refill(g, &kernel->body, share, g);
}
