/* Streams with separate code for steps far from boundaries (mapUnroll,
 * predicates=specialised_steps). A row-wide condition that is invariant over the steps is
 * computed once, before the first step:
 *
 *     for (z ...) for (x ...) if (any of the row: x < 1) w = ...;
 *   = for (x ...) edge = any of the row: x < 1;
 *     for (z ...) for (x ...) if (edge) w = ...; */
#include "codegen/passes/passes.h"

enum { DEPTH = 8, TESTS = 16 };

struct early {
    struct gen *g;
    const struct ks *items[DEPTH]; /* loops over work-items around the current test */
    int item_count;
    lift_nat turns[DEPTH]; /* indices of the other loops, the loop over steps first */
    int turn_count;
    kx tests[TESTS];
    const char *names[TESTS]; /* variables that hold the tests */
    int count;
    struct kblock before; /* statements to insert before the loop over steps */
    bool varies;          /* the current test differs between steps */
};

static void look_at(void *early, kx e)
{
    struct early *p = early;

    p->varies |= e->kind != KX_OP && e->kind != KX_NAT && e->kind != KX_BOOL;
    for (int i = 0; i < p->turn_count && e->kind == KX_NAT; i++)
        p->varies |= lift_nat_has(e->nat, p->turns[i]);
}

static bool is_same_at_each_step(struct early *p, kx test)
{
    p->varies = false;
    kx_each(test, look_at, p);
    return !p->varies;
}

/* Sets a new variable for all work-items, before the first step. */
static const char *hoist(struct early *p, kx test)
{
    const char *name = cg_name(p->g, "edge");
    struct kblock *to = &p->before;
    struct ks *s;

    ks_append(to, ks_decl(p->g->arena, name, kx_bool(p->g->ir, false)));
    for (int i = 0; i < p->item_count; i++) {
        s = ks_copy(p->g->arena, p->items[i]);
        ks_append(to, s);
        to = &s->loop.body;
    }
    s = ks_assign(p->g->arena, name, test);
    s->set.row = true;
    ks_append(to, s);
    return name;
}

static void take(struct early *p, struct ks *s)
{
    kx test = s->test.cond;
    int i = 0;

    while (i < p->count && !kx_equal(test, p->tests[i]))
        i++;
    if (i == TESTS)
        return;
    if (i == p->count) {
        p->tests[i] = test;
        p->names[i] = hoist(p, test);
        p->count++;
    }
    s->test.cond = kx_var(p->g->ir, p->names[i], test->type);
    s->test.row = false;
}

static struct ks *visit(void *user, struct ks *s)
{
    struct early *p = user, outer = *p;
    struct ks *next = s->next;
    bool steps = ks_is_loop(s, KLOOP_SEQ) && s->loop.version && !p->turn_count;

    if (ks_is_loop(s, KLOOP_LCL) && p->turn_count && p->item_count < DEPTH)
        p->items[p->item_count++] = s;
    else if (s->kind == KS_LOOP && (steps || p->turn_count) && p->turn_count < DEPTH)
        p->turns[p->turn_count++] = s->loop.index;
    if (s->kind == KS_IF && s->test.row && p->turn_count && p->turn_count < DEPTH &&
        p->item_count < DEPTH && is_same_at_each_step(p, s->test.cond))
        take(p, s);
    for (int i = 0; ks_block(s, i); i++)
        cg_refill(p->g, ks_block(s, i), visit, p);
    p->item_count = outer.item_count;
    p->turn_count = outer.turn_count;
    if (steps) {
        for (struct ks *b = p->before.first, *after; b; b = after) {
            after = b->next;
            cg_emit(p->g, b);
        }
        *p = (struct early){.g = p->g};
    }
    cg_emit(p->g, s);
    return next;
}

void cg_pass_edges(struct gen *g, struct kernel *kernel)
{
    struct early p = {.g = g};

    cg_refill(g, &kernel->body, visit, &p);
}
