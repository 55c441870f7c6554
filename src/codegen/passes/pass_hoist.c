/* Loops over lanes whose tests are hoisted (mapVec, tests=hoisted): the tests on indices
 * that all turns share are made once, before the loop, which is there twice:
 *
 *     for (x ...) out[x] = c ? a : b;
 *   = if (c) for (x ...) out[x] = a; else for (x ...) out[x] = c ? a : b;
 *
 * This is loop unswitching, for all tests of a loop at once: Allen and Cocke, "A
 * catalogue of optimizing transformations", 1971. */
#include "codegen/passes/likely.h"
#include "codegen/passes/passes.h"

static bool is_straight(const struct kblock *body)
{
    for (const struct ks *s = body->first; s; s = s->next)
        if (!ks_is_simple(s))
            return false;
    return true;
}

static bool differs_by_turn(const void *index, kx comparison)
{
    return kx_compares(comparison, index);
}

/* The body of 'loop' where its tests have their likely outcomes. */
static void fill(struct gen *g, const struct ks *loop, struct ks *likely,
                 struct likely *l)
{
    struct scope scope = cg_enter(g, &likely->loop.body);

    for (const struct ks *s = loop->loop.body.first; s; s = s->next) {
        struct ks *copy = ks_copy(g->arena, s);

        if (ks_expr(copy))
            ks_set_expr(copy, kx_likely(l, ks_expr(copy)));
        cg_emit(g, copy);
    }
    cg_leave(g, scope);
}

static void hoist(struct gen *g, struct ks *loop)
{
    struct likely l = {.ir = g->ir, .stays = differs_by_turn, .of = loop->loop.index};
    struct ks *likely = ks_copy(g->arena, loop), *test;
    struct scope scope;

    fill(g, loop, likely, &l);
    if (!l.tests) {
        cg_emit(g, loop);
        return;
    }
    test = ks_if(g->arena, l.tests);
    scope = cg_enter(g, &test->test.body);
    cg_emit(g, likely);
    cg_leave(g, scope);
    scope = cg_enter(g, &test->test.otherwise);
    cg_emit(g, loop);
    cg_leave(g, scope);
    cg_emit(g, test);
}

/* A test for each vector costs no less than one for a loop of one vector. */
static struct ks *visit(void *user, struct ks *s)
{
    struct gen *g = user;
    struct ks *next = s->next;

    for (int i = 0; ks_block(s, i); i++)
        cg_refill(g, ks_block(s, i), visit, g);
    if (s->kind == KS_LOOP && s->loop.hoisted && s->loop.extent > s->loop.lanes &&
        is_straight(&s->loop.body))
        hoist(g, s);
    else
        cg_emit(g, s);
    return next;
}

void cg_pass_hoist(struct gen *g, struct kernel *kernel)
{
    cg_refill(g, &kernel->body, visit, g);
}
