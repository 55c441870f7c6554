/* Private arrays whose every index is a number become scalar variables, so that they live
 * in registers on every device. */
#include "gen.h"
#include "lift/bug.h"

struct pass {
    struct lift_ir *ir;
    const struct kbuffer *buffer;
    bool constant; /* while looking */
    kx *vars;      /* while replacing */
};

static kx visit_kx(struct pass *p, kx e)
{
    struct kx *copy = NULL;
    int64_t at;

    if (e->kind == KX_LOAD && e->buffer == p->buffer) {
        if (!lift_nat_is_const(e->nat, &at) || e->type->kind != LIFT_TYPE_SCALAR)
            p->constant = false;
        else if (p->vars)
            return p->vars[at];
    }
    for (int i = 0; i < e->arg_count; i++) {
        kx arg = visit_kx(p, e->args[i]);

        if (arg == e->args[i])
            continue;
        if (!copy) {
            copy = lift_arena_copy(lift_ir_arena(p->ir), e, sizeof *e);
            copy->args = lift_arena_copy(lift_ir_arena(p->ir), e->args,
                                         (size_t)e->arg_count * sizeof *e->args);
        }
        copy->args[i] = arg;
    }
    return copy ? copy : e;
}

static void visit_store(struct pass *p, struct ks *s)
{
    int64_t at;

    if (s->buffer != p->buffer)
        return;
    LIFT_ASSERT(s->value);
    if (!lift_nat_is_const(s->at, &at) || s->value->type->kind != LIFT_TYPE_SCALAR) {
        p->constant = false;
        return;
    }
    if (p->vars) {
        s->kind = KS_ASSIGN;
        s->name = p->vars[at]->name;
    }
}

/* The declaration of the array becomes one of each variable. */
static struct ks *declarations(struct pass *p, struct ks *s)
{
    struct ks *last = s;

    for (int64_t i = 0; i < p->buffer->count; i++) {
        struct ks *d = i ? ks_new(lift_ir_arena(p->ir), KS_DECL) : s;

        d->kind = KS_DECL;
        d->name = p->vars[i]->name;
        d->value = lift_type_is_float(p->vars[i]->type)
                       ? kx_float(p->ir, p->vars[i]->type->scalar, 0)
                       : kx_int(p->ir, 0);
        if (i) {
            d->next = last->next;
            last->next = d;
            last = d;
        }
    }
    return last;
}

static void visit_block(struct pass *p, struct ks *block)
{
    for (struct ks *s = block->first; s; s = s->next) {
        if (s->value)
            s->value = visit_kx(p, s->value);
        if (s->cond)
            s->cond = visit_kx(p, s->cond);
        if (s->kind == KS_STORE)
            visit_store(p, s);
        if (s->kind == KS_ARRAY && s->buffer == p->buffer && p->vars) {
            bool at_end = !s->next;

            s = declarations(p, s);
            if (at_end)
                block->last = s;
        }
        visit_block(p, s);
        if (s->otherwise)
            visit_block(p, s->otherwise);
    }
}

static void make_vars(struct pass *p)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    const struct kbuffer *b = p->buffer;

    p->vars = LIFT_NEW_ARRAY(arena, kx, b->count);
    for (int64_t i = 0; i < b->count; i++)
        p->vars[i] =
            kx_var(p->ir, lift_arena_printf(arena, "%s_%lld", b->name, (long long)i),
                   lift_type_scalar(p->ir, b->scalar));
}

void cg_pass_scalars(struct lift_ir *ir, struct kernel *kernel)
{
    for (int i = 0; i < kernel->buffer_count; i++) {
        struct pass p = {ir, kernel->buffers[i], true, NULL};

        if (p.buffer->space != KSPACE_PRIVATE || p.buffer->count > 256)
            continue;
        visit_block(&p, kernel->body);
        if (!p.constant)
            continue;
        make_vars(&p);
        visit_block(&p, kernel->body);
    }
}
