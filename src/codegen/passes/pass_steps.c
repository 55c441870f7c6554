/* Steps of streams whose tests are made step by step (mapUnroll, tests=stepwise): those
 * that all work-items of all groups test alike, of the index of the step alone, are made
 * once, before the step, which is there twice:
 *
 *     for (z ...) out[z] = 1 <= z && 1 <= x ? a : b;
 *   = for (z ...) if (1 <= z) out[z] = 1 <= x ? a : b;
 *                 else out[z] = 1 <= z && 1 <= x ? a : b;
 *
 * Tests of groups and work-items stay where they are: in groups at a boundary they would
 * fail at each step. */
#include "base/table.h"
#include "codegen/passes/likely.h"
#include "codegen/passes/passes.h"

struct steps {
    struct gen *g;
    lift_nat index;           /* of the loop over steps */
    struct lift_ptrmap inner; /* indices of loops in it */
    struct likely likely;
};

static void note_loop(void *user, struct ks *s)
{
    struct steps *p = user;

    if (s->kind == KS_LOOP && s->loop.index != p->index)
        lift_ptrmap_put(&p->inner, s->loop.index, p);
}

struct look {
    const struct steps *p;
    bool inner;
};

static void look_at_var(void *user, const struct lift_var *var)
{
    struct look *l = user;

    l->inner |= lift_ptrmap_get(&l->p->inner, var->nat) != NULL;
}

/* True of what says more than which step it is. */
static bool is_of_items(const void *steps, kx comparison)
{
    struct look l = {.p = steps};

    for (int i = 0; i < 2; i++)
        lift_nat_each_var(comparison->args[i]->nat, look_at_var, &l);
    return l.inner || !kx_compares(comparison, l.p->index);
}

static void copy_block(struct steps *p, const struct kblock *from, struct kblock *to);

/* Branches that are known are taken. */
static void copy(struct steps *p, const struct ks *s, struct kblock *to)
{
    struct ks *c = ks_copy(p->g->arena, s);

    if (ks_expr(c))
        ks_set_expr(c, kx_likely(&p->likely, ks_expr(c)));
    if (c->kind == KS_IF && c->test.cond->kind == KX_BOOL) {
        copy_block(p, c->test.cond->truth ? &s->test.body : &s->test.otherwise, to);
        return;
    }
    for (int i = 0; ks_block(s, i); i++)
        copy_block(p, ks_block(s, i), ks_block(c, i));
    ks_append(to, c);
}

static void copy_block(struct steps *p, const struct kblock *from, struct kblock *to)
{
    for (const struct ks *s = from->first; s; s = s->next)
        copy(p, s, to);
}

static void part(struct gen *g, struct ks *loop)
{
    struct steps p = {.g = g, .index = loop->loop.index};
    struct kblock likely = {0};
    struct ks *test;

    p.likely = (struct likely){.ir = g->ir, .stays = is_of_items, .of = &p};
    ks_each(&loop->loop.body, note_loop, &p);
    copy_block(&p, &loop->loop.body, &likely);
    lift_ptrmap_fini(&p.inner);
    if (!p.likely.tests)
        return;
    test = ks_if(g->arena, p.likely.tests);
    test->test.body.style = test->test.otherwise.style = loop->loop.body.style;
    test->test.body.first = likely.first;
    test->test.body.last = likely.last;
    test->test.otherwise.first = loop->loop.body.first;
    test->test.otherwise.last = loop->loop.body.last;
    loop->loop.body.first = loop->loop.body.last = test;
}

static void visit(void *user, struct ks *s)
{
    if (ks_is_loop(s, KLOOP_SEQ) && s->loop.apart)
        part(user, s);
}

void cg_pass_steps(struct gen *g, struct kernel *kernel)
{
    ks_each(&kernel->body, visit, g);
}
