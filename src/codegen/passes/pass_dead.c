/* Variables that nothing reads go away, and what is computed for them alone. */
#include "codegen/gen.h"

struct uses {
    int reads, assigns;
};

struct pass {
    struct lift_ptrmap uses; /* from the name of a variable */
    struct lift_arena *arena;
    int by; /* 1: uses are counted, -1: they are taken back */
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

static void read_var(void *user, lift_nat var, const char *name, enum lift_var_kind kind,
                     int64_t lo, int64_t hi)
{
    struct pass *p = user;

    (void)var, (void)kind, (void)lo, (void)hi;
    uses_of(p, name)->reads += p->by;
}

static void read_nat(struct pass *p, lift_nat n)
{
    if (n)
        lift_nat_each_var(n, read_var, p);
}

static void read_kx(struct pass *p, kx e)
{
    if (e->kind == KX_VAR)
        uses_of(p, e->name)->reads += p->by;
    read_nat(p, e->nat);
    for (int i = 0; i < e->arg_count; i++)
        read_kx(p, e->args[i]);
}

static void read_statement(struct pass *p, const struct ks *s)
{
    if (s->kind == KS_ASSIGN)
        uses_of(p, s->name)->assigns += p->by;
    if (s->value)
        read_kx(p, s->value);
    if (s->cond)
        read_kx(p, s->cond);
    read_nat(p, s->at);
    read_nat(p, s->batch);
    for (int d = 0; s->box && d < LIFT_TENSOR_DIMS; d++)
        read_nat(p, s->box->from[d]);
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
    const struct uses *u;

    if (s->kind != KS_DECL && s->kind != KS_ASSIGN)
        return false;
    u = uses_of(p, s->name);
    return u->reads == 0 && (s->kind == KS_ASSIGN || u->assigns == 0);
}

/* From the last statement to the first, so that what a dead one read is dead in its turn;
 * what a loop hands to its next turn needs another sweep. */
static struct ks *sweep(struct pass *p, struct ks *s)
{
    if (!s)
        return NULL;
    s->next = sweep(p, s->next);
    if (is_dead(p, s)) {
        read_statement(p, s);
        p->changed = true;
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
    do {
        p.changed = false;
        kernel->body->first = sweep(&p, kernel->body->first);
    } while (p.changed);
    find_last(kernel->body);
    lift_ptrmap_fini(&p.uses);
}
