/* Lanes of vectors. A lane of a vector of scalars becomes the scalar. A load of an
 * element that a vector already holds becomes a lane of the vector. The pass considers
 * only values that never change: variables that are not assigned, and memory that the
 * kernel does not write. */
#include "codegen/passes/passes.h"

/* An element that a vector in scope holds. */
struct held {
    const struct kbuffer *buffer;
    lift_nat at;
    kx scalar; /* the lane, or a variable with its value */
    struct held *next;
};

/* A vector of the block 'home'. */
struct made {
    kx scalars; /* LANES */
    const struct kblock *home;
};

struct pass {
    struct gen *g;
    const struct kblock *block;
    struct lift_ptrmap assigned; /* names of variables */
    struct lift_ptrmap made;     /* from the name of a vector to its scalars */
    struct held *held;
};

static void note_assigned(void *pass, struct ks *s)
{
    struct pass *p = pass;

    if (s->kind == KS_ASSIGN)
        lift_ptrmap_put(&p->assigned, ks_name(s), p);
}

static bool is_constant_load(kx e)
{
    return e->kind == KX_LOAD && e->load.buffer->space == KSPACE_GLOBAL &&
           !e->load.buffer->written;
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
        if (h->at == load->load.at && h->buffer == load->load.buffer)
            return h->scalar;
    return load;
}

/* The scalar of a lane; otherwise the lane. In an inner loop, the result is also the
 * lane, since the scalar would be computed in each iteration. */
static kx scalar_of(const struct pass *p, kx lane)
{
    kx vector = lane->args[0];
    const struct made *made = NULL;

    if (vector->kind == KX_VAR)
        made = lift_ptrmap_get(&p->made, vector->name);
    return made && made->home == p->block ? kx_lane(p->g->ir, made->scalars, lane->lane)
                                          : lane;
}

static kx replace(void *user, kx e)
{
    struct pass *p = user;

    if (is_constant_load(e) && !kx_is_vector(e))
        return held_by(p, e);
    if (e->kind == KX_LANE && scalar_of(p, e) != e)
        return scalar_of(p, e);
    return kx_map_args(p->g->ir, e, replace, p);
}

/* ---- vectors in scope */

static void hold(struct pass *p, const struct kbuffer *buffer, lift_nat at, kx scalar)
{
    struct held *h = LIFT_NEW(p->g->arena, struct held);

    *h = (struct held){buffer, at, scalar, p->held};
    p->held = h;
}

/* Notes the elements in the lanes of a vector. If boundary checks select between a vector
 * load and separate lanes, the elements of the separate lanes count. */
static void hold_lanes(struct pass *p, kx vector, kx value)
{
    bool torn = kx_is_op(value, LIFT_SELECT) && value->args[1]->kind == KX_LOAD &&
                value->args[2]->kind == KX_LANES;

    for (int i = 0; i < vector->type->count; i++) {
        kx lane = torn ? kx_lane(p->g->ir, value->args[2], i) : value;

        if (is_constant_load(lane))
            hold(p, lane->load.buffer,
                 torn ? lane->load.at : lift_nat_add_const(lane->load.at, i),
                 kx_lane(p->g->ir, vector, i));
    }
}

static void note_vector(struct pass *p, const struct ks *s)
{
    if (s->set.value->kind == KX_LANES && is_constant(p, s->set.value)) {
        struct made *made = LIFT_NEW(p->g->arena, struct made);

        *made = (struct made){s->set.value, p->block};
        lift_ptrmap_put(&p->made, ks_name(s), made);
    } else {
        hold_lanes(p, kx_var(p->g->ir, ks_name(s), s->set.value->type), s->set.value);
    }
}

/* A variable that holds a lane also holds its element. */
static void note_lane(struct pass *p, const struct ks *s)
{
    const struct held *h = p->held;

    while (h && !kx_equal(h->scalar, s->set.value))
        h = h->next;
    if (h)
        hold(p, h->buffer, h->at, kx_var(p->g->ir, ks_name(s), s->set.value->type));
}

static void note_variable(struct pass *p, const struct ks *s)
{
    if (s->kind != KS_DECL || lift_ptrmap_get(&p->assigned, ks_name(s)))
        return;
    if (kx_is_vector(s->set.value))
        note_vector(p, s);
    else if (s->set.value->kind == KX_LANE)
        note_lane(p, s);
}

static void visit(struct pass *p, struct kblock *block)
{
    struct held *outer = p->held;
    const struct kblock *around = p->block;

    p->block = block;
    for (struct ks *s = block->first; s; s = s->next) {
        if (ks_expr(s) && !ks_is_async(s))
            ks_set_expr(s, replace(p, ks_expr(s)));
        for (int i = 0; ks_block(s, i); i++)
            visit(p, ks_block(s, i));
        note_variable(p, s);
    }
    p->held = outer;
    p->block = around;
}

void cg_pass_held(struct gen *g, struct kernel *kernel)
{
    struct pass p = {.g = g};

    ks_each(&kernel->body, note_assigned, &p);
    visit(&p, &kernel->body);
    lift_ptrmap_fini(&p.assigned);
    lift_ptrmap_fini(&p.made);
}
