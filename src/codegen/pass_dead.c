/* Variables that nothing reads go away, and what is computed for them alone. */
#include "gen.h"

struct pass {
    struct lift_ptrmap reads; /* from the name of a variable to its count */
    struct lift_arena *arena;
    int by; /* 1: reads are counted, -1: they are taken back */
};

static int *reads_of(struct pass *p, const char *name)
{
    int *n = lift_ptrmap_get(&p->reads, name);

    if (!n) {
        n = LIFT_NEW(p->arena, int);
        lift_ptrmap_put(&p->reads, name, n);
    }
    return n;
}

static void read_var(void *user, lift_nat var, const char *name, enum lift_var_kind kind,
                     int64_t lo, int64_t hi)
{
    struct pass *p = user;

    (void)var, (void)kind, (void)lo, (void)hi;
    *reads_of(p, name) += p->by;
}

static void read_nat(struct pass *p, lift_nat n)
{
    if (n)
        lift_nat_each_var(n, read_var, p);
}

static void read_kx(struct pass *p, kx e)
{
    if (e->kind == KX_VAR)
        *reads_of(p, e->name) += p->by;
    read_nat(p, e->nat);
    for (int i = 0; i < e->arg_count; i++)
        read_kx(p, e->args[i]);
}

static void read_statement(struct pass *p, const struct ks *s)
{
    if (s->value)
        read_kx(p, s->value);
    if (s->cond)
        read_kx(p, s->cond);
    read_nat(p, s->at);
    read_nat(p, s->limit);
}

static void count(struct pass *p, const struct ks *block)
{
    for (const struct ks *s = block->first; s; s = s->next) {
        read_statement(p, s);
        count(p, s);
        if (s->otherwise)
            count(p, s->otherwise);
    }
}

static bool is_dead(struct pass *p, const struct ks *s)
{
    return (s->kind == KS_DECL || s->kind == KS_ASSIGN) && *reads_of(p, s->name) == 0;
}

/* From the last statement to the first, so that what a dead one read is dead in its turn.
 */
static struct ks *sweep(struct pass *p, struct ks *s)
{
    if (!s)
        return NULL;
    s->next = sweep(p, s->next);
    if (is_dead(p, s)) {
        read_statement(p, s);
        return s->next;
    }
    if (s->otherwise)
        s->otherwise->first = sweep(p, s->otherwise->first);
    s->first = sweep(p, s->first);
    return s;
}

static void find_last(struct ks *block)
{
    block->last = NULL;
    for (struct ks *s = block->first; s; s = s->next) {
        block->last = s;
        find_last(s);
        if (s->otherwise)
            find_last(s->otherwise);
    }
}

void cg_pass_dead(struct lift_ir *ir, struct kernel *kernel)
{
    struct pass p = {.arena = lift_ir_arena(ir), .by = 1};

    count(&p, kernel->body);
    p.by = -1;
    kernel->body->first = sweep(&p, kernel->body->first);
    find_last(kernel->body);
    lift_ptrmap_fini(&p.reads);
}
