/* How long straight-line code is: what compilers take for it grows faster than it. */
#include "codegen/gen.h"

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
                   "read for a point: make two programs of them",
                   CG_READS / 1000000);
}

/* Operators and loads, as often as they stand in the text. */
static int64_t operations(kx e)
{
    int64_t n = e->kind == KX_OP || e->kind == KX_LOAD;

    for (int i = 0; i < e->arg_count; i++)
        n += operations(e->args[i]);
    return n;
}

static int64_t operations_of(const struct ks *s)
{
    return (s->kind == KS_STORE) + (s->value ? operations(s->value) : 0) +
           (s->cond ? operations(s->cond) : 0);
}

/* The most of one block: what the bodies of loops and conditionals in it do is apart. */
static int64_t longest(const struct ks *block)
{
    int64_t own = 0, most = 0, inner;

    for (const struct ks *s = block->first; s; s = s->next) {
        own += operations_of(s);
        inner = longest(s);
        most = inner > most ? inner : most;
        inner = s->otherwise ? longest(s->otherwise) : 0;
        most = inner > most ? inner : most;
    }
    return own > most ? own : most;
}

void cg_check_length(struct gen *g, const struct kernel *k)
{
    int64_t most = g->options->most_straight, n = most ? longest(k->body) : 0;

    if (n > most)
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "straight-line code of %lld operations: at most %lld, since compilers "
                "take too long for more",
                (long long)n, (long long)most);
}
