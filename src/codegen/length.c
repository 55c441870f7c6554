/* How long straight-line code is: what compilers take for it grows faster than it. */
#include "codegen/passes/passes.h"

/* What nested stencils read of each other grows with the power of their number, and equal
 * reads are found only after all were made. */
bool cg_may_read(struct gen *g)
{
    return !g->failed && g->reads++ < CG_READS;
}

kx cg_too_many_reads(struct gen *g, lift_type type)
{
    g->beyond = NULL;
    return cg_fail(g, type,
                   "the stencils inside each other take more than %d million steps to "
                   "read for a point: make two programs of them, or one "
                   "step and a time loop",
                   CG_READS / 1000000);
}

/* Operators and loads, as often as they stand in the text. */
static void count(void *operations, kx e)
{
    *(int64_t *)operations += e->kind == KX_OP || e->kind == KX_LOAD;
}

/* Operations of a kernel as they stand in its text. */
struct length {
    int64_t all, most; /* most: of one block, without the loops and conditionals in it */
};

static void measure(struct length *length, const struct kblock *block)
{
    int64_t own = 0;

    for (const struct ks *s = block->first; s; s = s->next) {
        own += s->kind == KS_STORE;
        if (ks_expr(s))
            kx_each(ks_expr(s), count, &own);
        for (int i = 0; ks_block(s, i); i++)
            measure(length, ks_block(s, i));
    }
    length->all += own;
    length->most = own > length->most ? own : length->most;
}

void cg_pass_length(struct gen *g, struct kernel *k)
{
    int64_t most = g->options->most_straight, code = g->options->most_code;
    struct length n = {0};

    if (most || code)
        measure(&n, &k->body);
    if (most && n.most > most)
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "straight-line code of %lld operations: at most %lld, since compilers "
                "take too long for more",
                (long long)n.most, (long long)most);
    else if (code && n.all > code)
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "a kernel of %lld operations: at most %lld, since compilers take too "
                "long for more; stored steps or intermediates make several kernels",
                (long long)n.all, (long long)code);
}
