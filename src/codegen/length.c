/* The length of straight-line code. Compile time grows faster than the length. */
#include "codegen/passes/passes.h"

/* Nested stencils may need a number of reads that is exponential in their number. The
 * generator finds equal reads only after it has made all of them. */
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

/* Counts operators and loads of the text. */
static void count(void *operations, kx e)
{
    *(int64_t *)operations += e->kind == KX_OP || e->kind == KX_LOAD;
}

/* Operations in the text of a kernel. */
struct length {
    int64_t all, most; /* most: maximum over blocks, without inner loops and tests */
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
