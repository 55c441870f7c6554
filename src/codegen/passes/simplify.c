/* Dead code elimination between passes: removes variables that no statement reads, and
 * values that only dead variables read. kast.c simplifies expressions when they are made.
 */
#include "codegen/passes/passes.h"

struct uses {
    int reads, assigns;
};

struct pass {
    struct lift_ptrmap uses; /* from the name of a variable */
    struct lift_arena *arena;
    int by; /* 1: uses are added, -1: uses are removed */
    bool changed;
};

static struct uses *uses_of(struct pass *p, const char *name)
{
    struct uses *u = lift_ptrmap_get(&p->uses, name);

    if (!u) {
        u = LIFT_NEW(p->arena, struct uses);
        lift_ptrmap_put(&p->uses, name, u);
    }
    return u;
}

static void read_var(void *user, const struct lift_var *var)
{
    struct pass *p = user;

    uses_of(p, var->name)->reads += p->by;
}

static void read_kx(void *pass, kx e)
{
    struct pass *p = pass;

    if (e->kind == KX_VAR)
        uses_of(p, e->name)->reads += p->by;
    if (kx_index(e))
        lift_nat_each_var(kx_index(e), read_var, p);
}

static void count(void *pass, struct ks *s)
{
    struct pass *p = pass;
    lift_nat nats[KS_NATS];
    int n = ks_nats(s, nats);

    if (s->kind == KS_ASSIGN)
        uses_of(p, ks_name(s))->assigns += p->by;
    if (ks_expr(s))
        kx_each(ks_expr(s), read_kx, p);
    for (int i = 0; i < n; i++)
        lift_nat_each_var(nats[i], read_var, p);
}

static bool is_dead(struct pass *p, const struct ks *s)
{
    const struct uses *u;

    if (s->kind != KS_DECL && s->kind != KS_ASSIGN)
        return false;
    u = uses_of(p, ks_name(s));
    return u->reads == 0 && (s->kind == KS_ASSIGN || u->assigns == 0);
}

/* Removes dead statements from 's' on, from the last to the first. So a dead statement
 * also removes definitions that only this statement reads. Values that a loop carries to
 * its next iteration need another sweep. */
static struct ks *sweep(struct pass *p, struct kblock *block, struct ks *s)
{
    if (!s) {
        block->last = NULL;
        return NULL;
    }
    s->next = sweep(p, block, s->next);
    if (is_dead(p, s)) {
        count(p, s);
        p->changed = true;
        return s->next;
    }
    if (!s->next)
        block->last = s;
    for (int i = 0; ks_block(s, i); i++)
        ks_block(s, i)->first = sweep(p, ks_block(s, i), ks_block(s, i)->first);
    return s;
}

void cg_simplify(struct gen *g, struct kernel *kernel)
{
    struct pass p = {.arena = g->arena, .by = 1};

    ks_each(&kernel->body, count, &p);
    p.by = -1;
    do {
        p.changed = false;
        kernel->body.first = sweep(&p, &kernel->body, kernel->body.first);
    } while (p.changed);
    lift_ptrmap_fini(&p.uses);
}
