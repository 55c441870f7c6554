/* Lanes of vectors: a lane of a vector that was made of scalars is the scalar, and an
 * element that a vector holds already is not loaded again. Only of what never changes:
 * variables that are not assigned, memory that the kernel does not write. */
#include "codegen/gen.h"

/* An element that a vector in scope holds. */
struct held {
    const struct kbuffer *buffer;
    lift_nat at;
    kx scalar; /* the lane, or a variable that is the same */
    struct held *next;
};

/* A vector of the block 'home'. */
struct made {
    kx scalars; /* LANES */
    const struct ks *home;
};

struct pass {
    struct gen *g;
    const struct ks *block;
    struct lift_ptrmap assigned; /* names of variables */
    struct lift_ptrmap made;     /* from the name of a vector to what it is made of */
    struct held *held;
};

static void note_assigned(struct pass *p, const struct ks *block)
{
    for (const struct ks *s = block->first; s; s = s->next) {
        if (s->kind == KS_ASSIGN)
            lift_ptrmap_put(&p->assigned, s->name, p);
        note_assigned(p, s);
        if (s->otherwise)
            note_assigned(p, s->otherwise);
    }
}

static bool is_constant_load(kx e)
{
    return e->kind == KX_LOAD && e->buffer->space == KSPACE_GLOBAL && !e->buffer->written;
}

static bool is_constant(const struct pass *p, kx e)
{
    if ((e->kind == KX_VAR && lift_ptrmap_get(&p->assigned, e->name)) ||
        (e->kind == KX_LOAD && !is_constant_load(e)))
        return false;
    for (int i = 0; i < e->arg_count; i++)
        if (!is_constant(p, e->args[i]))
            return false;
    return true;
}

/* ---- replacing */

static kx held_by(const struct pass *p, kx load)
{
    for (const struct held *h = p->held; h; h = h->next)
        if (h->at == load->nat && h->buffer == load->buffer)
            return h->scalar;
    return load;
}

/* What a lane is made of, or else the lane; that, too, in a loop inside, where the scalar
 * would be computed again and again. */
static kx scalar_of(const struct pass *p, kx lane)
{
    kx vector = lane->args[0];
    const struct made *made = NULL;
    int64_t i;

    if (vector->kind == KX_VAR)
        made = lift_ptrmap_get(&p->made, vector->name);
    return made && made->home == p->block && lift_nat_is_const(lane->nat, &i)
               ? kx_lane(p->g->ir, made->scalars, (int)i)
               : lane;
}

static kx replace(void *user, kx e)
{
    struct pass *p = user;

    if (is_constant_load(e) && e->type->kind == LIFT_TYPE_SCALAR)
        return held_by(p, e);
    if (e->kind == KX_LANE && scalar_of(p, e) != e)
        return scalar_of(p, e);
    return kx_each_arg(p->g->ir, e, replace, p);
}

/* ---- vectors in scope */

static void hold(struct pass *p, const struct kbuffer *buffer, lift_nat at, kx scalar)
{
    struct held *h = LIFT_NEW(p->g->arena, struct held);

    *h = (struct held){buffer, at, scalar, p->held};
    p->held = h;
}

/* Where boundaries may tear a vector apart, its lanes are chosen one by one, and are
 * those of the vector where they do not. */
static void hold_lanes(struct pass *p, kx vector, kx value)
{
    bool torn = value->kind == KX_OP && value->op == LIFT_SELECT &&
                value->args[1]->kind == KX_LOAD && value->args[2]->kind == KX_LANES;

    for (int i = 0; i < vector->type->count; i++) {
        kx lane = torn ? kx_lane(p->g->ir, value->args[2], i) : value;

        if (is_constant_load(lane))
            hold(p, lane->buffer, torn ? lane->nat : lift_nat_add_const(lane->nat, i),
                 kx_lane(p->g->ir, vector, i));
    }
}

static void note_made(struct pass *p, const struct ks *s)
{
    struct made *made = LIFT_NEW(p->g->arena, struct made);

    *made = (struct made){s->value, p->block};
    lift_ptrmap_put(&p->made, s->name, made);
}

static void note_vector(struct pass *p, const struct ks *s)
{
    if (s->value->kind == KX_LANES && is_constant(p, s->value))
        note_made(p, s);
    else
        hold_lanes(p, kx_var(p->g->ir, s->name, s->value->type), s->value);
}

/* A variable for a lane is as good as the lane. */
static void note_lane(struct pass *p, const struct ks *s)
{
    const struct held *h = p->held;

    while (h && !kx_equal(h->scalar, s->value))
        h = h->next;
    if (h)
        hold(p, h->buffer, h->at, kx_var(p->g->ir, s->name, s->value->type));
}

static void note_variable(struct pass *p, const struct ks *s)
{
    if (s->kind != KS_DECL || !s->value || lift_ptrmap_get(&p->assigned, s->name))
        return;
    if (s->value->type->kind == LIFT_TYPE_VECTOR)
        note_vector(p, s);
    else if (s->value->kind == KX_LANE)
        note_lane(p, s);
}

static void visit(struct pass *p, struct ks *block)
{
    struct held *outer = p->held;
    const struct ks *around = p->block;

    p->block = block;
    for (struct ks *s = block->first; s; s = s->next) {
        if (s->value && !s->async)
            s->value = replace(p, s->value);
        if (s->cond)
            s->cond = replace(p, s->cond);
        visit(p, s);
        if (s->otherwise)
            visit(p, s->otherwise);
        note_variable(p, s);
    }
    p->held = outer;
    p->block = around;
}

void cg_pass_held(struct gen *g, struct kernel *kernel)
{
    struct pass p = {.g = g};

    note_assigned(&p, kernel->body);
    visit(&p, kernel->body);
    lift_ptrmap_fini(&p.assigned);
    lift_ptrmap_fini(&p.made);
}
