/* Moves barriers out of tests that are uniform in a group: 'if (c) { a; barrier; b } else
 * { x; barrier; y }' becomes 'if (c) a else x; barrier; if (c) b else y'. Drivers that
 * execute work-items as loops evaluate tests after such a barrier for the first work-item
 * only. Barriers in loops under a test stay. */
#include "codegen/passes/passes.h"

/* The current position in the two branches. */
struct branches {
    struct gen *g;
    const struct ks *test;
    struct ks *at[2];
};

static bool is_barrier(const struct ks *s)
{
    return s->kind == KS_BARRIER;
}

static bool may_change(kx e)
{
    return e->kind == KX_LOAD || e->kind == KX_VAR;
}

/* True if a branch may be split at its barriers: no variable is live across a
 * barrier. */
static bool is_cut(const struct kblock *block, bool *has)
{
    for (struct ks *s = block->first; s; s = s->next) {
        bool inside = ks_any(s, is_barrier);

        if (s->kind == KS_DECL || s->kind == KS_ASSIGN)
            return false;
        if (inside && s->kind != KS_BARRIER)
            return false;
        *has |= inside;
    }
    return true;
}

static bool comes_out(const struct ks *s)
{
    bool has = false;

    return s->kind == KS_IF && !kx_any(s->test.cond, may_change) &&
           is_cut(&s->test.body, &has) && is_cut(&s->test.otherwise, &has) && has;
}

/* Moves the statements of a branch up to its next barrier, or its end, to 'to'. Arrays go
 * before the test. */
static void take(struct branches *b, int branch, struct ks *to)
{
    struct ks *next;

    for (struct ks *s = b->at[branch]; s && s->kind != KS_BARRIER; s = next) {
        next = b->at[branch] = s->next;
        if (s->kind == KS_ARRAY)
            cg_emit(b->g, s);
        else
            ks_append(ks_block(to, branch), s);
    }
}

static void cut(struct branches *b)
{
    for (;;) {
        struct ks *part = ks_if(b->g->arena, b->test->test.cond);

        part->test.row = b->test->test.row;
        for (int i = 0; i < 2; i++)
            take(b, i, part);
        if (part->test.body.first || part->test.otherwise.first)
            cg_emit(b->g, part);
        if (!b->at[0] && !b->at[1])
            return;
        for (int i = 0; i < 2; i++)
            b->at[i] = b->at[i] ? b->at[i]->next : NULL;
        cg_emit(b->g, ks_barrier(b->g->arena));
    }
}

static struct ks *visit(void *gen, struct ks *s)
{
    struct gen *g = gen;
    struct ks *next = s->next;
    struct branches b = {.g = g, .test = s};

    for (int i = 0; ks_block(s, i); i++)
        cg_refill(g, ks_block(s, i), visit, g);
    if (comes_out(s)) {
        b.at[0] = s->test.body.first;
        b.at[1] = s->test.otherwise.first;
        cut(&b);
    } else {
        cg_emit(g, s);
    }
    return next;
}

void cg_pass_meet(struct gen *g, struct kernel *kernel)
{
    cg_refill(g, &kernel->body, visit, g);
}
