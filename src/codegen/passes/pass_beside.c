/* Warp shuffles: each becomes a separate statement before the statement that uses its
 * value, outside that statement's conditions, since all work-items of the row must
 * execute it. */
#include "codegen/passes/passes.h"

enum { ASKED = 64 };

struct beside {
    struct gen *g;
    /* Around the current statement: a loop over work-items; a divergent condition. */
    bool in_loop, parted;
    /* Shuffles of the current statement, and the variables with their values. */
    kx asked[ASKED], known[ASKED];
    int count;
};

static kx ask(struct beside *p, kx e)
{
    const char *name;

    for (int i = 0; i < p->count; i++)
        if (kx_equal(p->asked[i], e))
            return p->known[i];
    if (p->parted)
        return cg_fail(p->g, e->type, "a value of another work-item under a predicate");
    if (p->count == ASKED)
        return cg_fail(p->g, e->type, "more than %d values of other work-items", ASKED);
    name = cg_name(p->g, "beside");
    p->asked[p->count] = e;
    p->known[p->count] = kx_var(p->g->ir, name, e->type);
    cg_emit(p->g, ks_decl(p->g->arena, name, e));
    return p->known[p->count++];
}

static kx with_known(void *user, kx e)
{
    struct beside *p = user;

    e = kx_map_args(p->g->ir, e, with_known, p);
    return e->kind == KX_SHUFFLE ? ask(p, e) : e;
}

static struct ks *each(void *user, struct ks *s);

/* True if some work-items of a row may skip the body of a statement: a loop without an
 * iteration for each work-item, or a test inside such a loop. */
static bool parts_row(const struct beside *p, const struct ks *s)
{
    if (ks_is_loop(s, KLOOP_LCL))
        return s->loop.dim == 0 && s->loop.extent != LIFT_ROW_ITEMS;
    return s->kind == KS_IF && p->in_loop;
}

static void look_at(struct beside *p, struct kblock *block)
{
    const struct ks *of = block->of;
    struct beside outer = *p;

    p->parted |= of && parts_row(p, of);
    p->in_loop |= of && ks_is_loop(of, KLOOP_LCL);
    cg_refill(p->g, block, each, p);
    p->parted = outer.parted;
    p->in_loop = outer.in_loop;
}

static struct ks *each(void *user, struct ks *s)
{
    struct beside *p = user;
    struct ks *next = s->next;

    p->count = 0;
    if (s->kind == KS_DECL && ks_expr(s)->kind == KX_SHUFFLE && !p->parted) {
        cg_emit(p->g, s);
        return next;
    }
    if (ks_expr(s))
        ks_set_expr(s, with_known(p, ks_expr(s)));
    cg_emit(p->g, s);
    for (int i = 0; ks_block(s, i); i++)
        look_at(p, ks_block(s, i));
    return next;
}

void cg_pass_beside(struct gen *g, struct kernel *kernel)
{
    struct beside p = {.g = g};

    look_at(&p, &kernel->body);
}
