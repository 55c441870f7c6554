/* Loop versioning: two versions of code that loop.version (struct ks) marks. If all
 * hoisted boundary checks have their likely outcomes, the version without these checks
 * runs. Otherwise the original code runs:
 *
 *     for (x ...) out[x] = c ? a : b;
 *   = if (c) for (x ...) out[x] = a;
 *     else for (x ...) out[x] = c ? a : b;
 *
 * The versions are of
 *  - a loop over lanes (mapVec, tests=hoisted): checks that are equal in all iterations
 *    are hoisted. This is loop unswitching, for all checks of a loop together: Allen and
 *    Cocke, "A catalogue of optimizing transformations", 1971;
 *  - an iteration of such a loop (tests=apart), which pass 'lanes' turns into a vector:
 *    all checks are hoisted, also the comparisons inside minima and maxima of indices
 *    (pads by 'clamp' and 'mirror');
 *  - a step of a stream (mapUnroll, tests=stepwise): only checks of the step's index are
 *    hoisted. Checks of groups and work-items stay: in groups at a boundary they would
 *    fail at each step. */
#include "codegen/passes/likely.h"
#include "codegen/passes/passes.h"

struct region {
    struct gen *g;
    struct likely likely;
};

/* Notes an index that the code itself defines. */
static void note_index(void *user, struct ks *s)
{
    struct likely *l = user;
    lift_nat index = s->kind == KS_LOOP ? s->loop.index
                     : s->kind == KS_DECL
                         ? lift_nat_find_var(lift_ir_nats(l->ir), s->set.name)
                         : NULL;

    if (index)
        lift_ptrmap_put(&l->inner, index, l);
}

/* Copies the statements with the likely outcomes. Branches with known conditions are
 * resolved, so that tests of the other branch are not needed. */
static void copy(struct region *r, const struct kblock *from, struct kblock *to)
{
    for (const struct ks *s = from->first; s; s = s->next) {
        struct ks *c = ks_copy(r->g->arena, s);

        if (ks_expr(c))
            ks_set_expr(c, kx_likely(&r->likely, ks_expr(c)));
        if (c->kind == KS_IF && c->test.cond->kind == KX_BOOL) {
            copy(r, ks_block(s, c->test.cond->truth ? 0 : 1), to);
            continue;
        }
        for (int i = 0; ks_block(s, i); i++)
            copy(r, ks_block(s, i), ks_block(c, i));
        ks_append(to, c);
    }
}

/* Makes two versions of the block, which is the loop or its body. */
static void version(struct gen *g, struct kblock *block, const struct ks *loop)
{
    bool steps = loop->loop.level == KLOOP_SEQ;
    struct region r = {g,
                       {.ir = g->ir,
                        .depends = steps ? loop->loop.index : NULL,
                        .clamps = !steps && loop->loop.version == KVERSION_ITERATION}};
    struct kblock likely = {0};
    struct ks *test;

    ks_each(block, note_index, &r.likely);
    copy(&r, block, &likely);
    lift_ptrmap_fini(&r.likely.inner);
    if (!r.likely.tests)
        return;
    test = ks_if(g->arena, cg_without_implied(g, r.likely.tests));
    test->test.versions = true;
    for (int i = 0; i < 2; i++) {
        const struct kblock *from = i == 0 ? &likely : block;

        ks_block(test, i)->style = block->style;
        ks_block(test, i)->first = from->first;
        ks_block(test, i)->last = from->last;
    }
    block->first = block->last = test;
}

/* True if versions pay. A loop of one vector has no iteration versions, since a check per
 * vector is then as frequent as a check per loop. */
static bool is_worth(const struct ks *loop)
{
    int64_t vectors = loop->loop.lanes > 1 ? loop->loop.extent / loop->loop.lanes : 2;

    if (loop->loop.version == KVERSION_LOOP)
        return loop->loop.extent > loop->loop.lanes;
    return loop->loop.version == KVERSION_ITERATION && vectors > 1;
}

static struct ks *visit(void *user, struct ks *s)
{
    struct gen *g = user;
    struct ks *next = s->next;
    struct kblock only = {.first = s, .last = s};

    s->next = NULL;
    if (s->kind == KS_LOOP && is_worth(s))
        version(g, s->loop.version == KVERSION_LOOP ? &only : &s->loop.body, s);
    for (int i = 0; ks_block(s, i); i++)
        cg_refill(g, ks_block(s, i), visit, g);
    cg_emit(g, only.first);
    return next;
}

void cg_pass_version(struct gen *g, struct kernel *kernel)
{
    cg_refill(g, &kernel->body, visit, g);
}
