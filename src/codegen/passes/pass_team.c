/* Parallel loops inside sequential loops, such as the rows of each step of a stream. All
 * threads share local arrays around such loops. So these arrays become temporaries in
 * global memory instead of arrays on a stack. If all stores of the kernel are inside such
 * loops, one team of threads executes the whole kernel: each thread repeats the code
 * around the loops, and a barrier follows each loop. Otherwise each loop starts a team,
 * and the pass drops the barriers. */
#include "codegen/passes/passes.h"
#include "codegen/text/dialect.h"

struct team {
    struct gen *g;
    struct kernel *kernel;
    bool inside; /* a shared loop is inside another loop */
    bool apart;  /* the code around shared loops cannot be repeated by each thread */
};

static bool is_shared(const struct ks *s)
{
    return ks_is_loop(s, KLOOP_PAR);
}

static bool loads_written(kx e)
{
    return e->kind == KX_LOAD && e->load.buffer->written;
}

/* True for statements that threads of a team cannot repeat: a faster thread may have
 * changed their operands, or they store. */
static bool is_alone(const struct ks *s)
{
    bool array = s->kind == KS_ARRAY && s->array.buffer->space == KSPACE_PRIVATE;

    return array || s->kind == KS_STORE || s->kind == KS_FENCE ||
           (ks_expr(s) && kx_any(ks_expr(s), loads_written));
}

static void look(struct team *t, const struct kblock *block, bool in_loop)
{
    for (struct ks *s = block->first; s; s = s->next) {
        if (is_shared(s)) {
            t->inside |= in_loop;
            for (int i = 0; ks_block(s, i); i++)
                for (struct ks *in = ks_block(s, i)->first; in; in = in->next)
                    t->apart |= ks_any(in, is_shared);
            continue;
        }
        t->apart |= ks_is_loop(s, KLOOP_TASK) || is_alone(s);
        for (int i = 0; ks_block(s, i); i++)
            look(t, ks_block(s, i), in_loop || s->kind == KS_LOOP);
    }
}

/* Turns a local array around shared loops into a temporary. Drops barriers if there is no
 * team. */
static struct ks *share(void *team, struct ks *s)
{
    struct team *t = team;
    struct ks *next = s->next;

    if (s->kind == KS_BARRIER && !t->kernel->team)
        return next;
    if (s->kind == KS_ARRAY && s->array.buffer->space == KSPACE_LOCAL && t->inside) {
        cg_bind_temp(t->g, s->array.buffer);
        return next;
    }
    if (!is_shared(s))
        for (int i = 0; ks_block(s, i); i++)
            cg_refill(t->g, ks_block(s, i), share, t);
    cg_emit(t->g, s);
    return next;
}

void cg_pass_team(struct gen *g, struct kernel *kernel)
{
    struct team t = {.g = g, .kernel = kernel};

    look(&t, &kernel->body, false);
    kernel->team = t.inside && !t.apart;
    cg_refill(g, &kernel->body, share, &t);
}
