/* Loops over lanes that say how wide they are become loops over whole vectors, and one
 * over the iterations that are left, which compilers do as they like. */
#include "codegen/lanes.h"

static void note_failure(struct lanes *p, const char *what)
{
    cg_fail(p->g, lift_type_scalar(p->g->ir, LIFT_I32), "'mapVec' around %s", what);
}

static void fill(struct lanes *p, const struct ks *from, struct ks *to);

/* ---- variables that are vectors */

/* True if another variable was found. */
static bool find_vectors(struct lanes *p, const struct ks *block)
{
    bool more = false;

    for (const struct ks *s = block->first; s; s = s->next) {
        if ((s->kind == KS_DECL || s->kind == KS_ASSIGN) &&
            !lift_ptrmap_get(&p->vectors, s->name) && lanes_differ(p, s->value)) {
            lift_ptrmap_put(&p->vectors, s->name, p);
            more = true;
        }
        more |= find_vectors(p, s);
        if (s->otherwise)
            more |= find_vectors(p, s->otherwise);
    }
    return more;
}

/* ---- statements */

static bool holds_vectors(kx e)
{
    bool yes = e->type->kind == LIFT_TYPE_VECTOR;

    for (int i = 0; i < e->arg_count && !yes; i++)
        yes = holds_vectors(e->args[i]);
    return yes;
}

static kx value_of(struct lanes *p, const struct ks *s)
{
    if (p->width == 1)
        return lanes_one(p, s->value, 0);
    p->together = s->together;
    if (holds_vectors(s->value))
        note_failure(p, "vectors");
    if (s->kind != KS_STORE)
        return lift_ptrmap_get(&p->vectors, s->name) ? lanes_vector(p, s->value)
                                                     : s->value;
    return lanes_vector(p, s->value);
}

/* Lanes that do not lie side by side are stored one by one. */
static void scatter(struct lanes *p, struct ks *s, lift_nat at)
{
    kx value = cg_variable(p->g, "lanes", s->value);

    for (int i = 0; i < p->width; i++) {
        struct ks *one = lift_arena_copy(p->g->arena, s, sizeof *s);

        one->at = lanes_nat(p, at, lift_nat_const(p->g->nats, i));
        one->value = kx_lane(p->g->ir, value, i);
        if (s->buffer->scalar == LIFT_BOOL)
            one->value = kx_op(p->g->ir, LIFT_NE, lift_type_scalar(p->g->ir, LIFT_BOOL),
                               (kx[]){one->value, kx_int(p->g->ir, 0)}, 2);
        cg_emit(p->g, one);
    }
}

/* True if whoever makes the buffer is told to align it so. */
static bool is_aligned(const struct lanes *p, const struct ks *store)
{
    const struct lift_layout *l = store->buffer->layout;

    return store->buffer->space == KSPACE_GLOBAL && l && l->multiple > 0 &&
           l->multiple % p->width == 0 && kx_is_aligned(store->at, p->width);
}

/* 's' is a copy of the statement, not yet in its block. */
static void add(struct lanes *p, struct ks *s)
{
    lift_nat at = s->at, zero = lift_nat_const(p->g->nats, 0);

    if (s->value)
        s->value = value_of(p, s);
    if (s->cond && p->width > 1 && lanes_differ(p, s->cond))
        note_failure(p, "a test that differs from lane to lane");
    if (s->cond)
        s->cond = lanes_one(p, s->cond, 0);
    if (s->limit)
        s->limit = lanes_nat(p, s->limit, zero);
    if (s->kind == KS_STORE && p->width > 1) {
        s->at = lanes_row(p, at);
        if (!s->at || s->buffer->scalar == LIFT_BOOL) {
            scatter(p, s, at);
            return;
        }
        s->nontemporal = p->nontemporal && is_aligned(p, s);
    } else if (at)
        s->at = lanes_nat(p, at, zero);
    cg_emit(p->g, s);
}

static void fill(struct lanes *p, const struct ks *from, struct ks *to)
{
    struct scope scope = cg_enter(p->g, to);

    for (const struct ks *s = from->first; s; s = s->next) {
        struct ks *copy = lift_arena_copy(p->g->arena, s, sizeof *s);

        if (p->width > 1 && s->kind == KS_ARRAY)
            note_failure(p, "an array in registers");
        copy->first = copy->last = NULL;
        if (s->otherwise) {
            copy->otherwise = ks_new(p->g->arena, KS_BLOCK);
            fill(p, s->otherwise, copy->otherwise);
        }
        add(p, copy);
        fill(p, s, copy);
    }
    cg_leave(p->g, scope);
}

/* ---- loops */

static struct ks *new_loop(struct gen *g, const struct ks *like, const char *hint,
                           int64_t extent)
{
    struct ks *loop = ks_new(g->arena, KS_LOOP);

    loop->loads = like->loads;
    loop->ahead = like->ahead;
    loop->extent = extent;
    loop->index = cg_index_var(g, hint, extent);
    return loop;
}

/* The iterations that are done; NULL: all. */
static lift_nat end_of(const struct gen *g, const struct ks *s)
{
    lift_nat zero = lift_nat_const(g->nats, 0), all = lift_nat_const(g->nats, s->extent);

    return s->limit ? lift_nat_max(zero, lift_nat_min(s->limit, all)) : NULL;
}

static void widen(struct gen *g, struct ks *s)
{
    lift_nat width = lift_nat_const(g->nats, s->lanes), end = end_of(g, s);
    struct ks *main = new_loop(g, s, "x", s->extent / s->lanes);
    struct lanes p = {.g = g,
                      .width = s->lanes,
                      .shuffles = s->shuffles,
                      .nontemporal = s->nontemporal,
                      .index = s->index,
                      .first = lift_nat_mul(main->index, width)};

    if (end)
        main->limit = lift_nat_div(end, width);
    while (find_vectors(&p, s))
        ;
    fill(&p, s, main);
    lift_ptrmap_fini(&p.vectors);
    cg_emit(g, main);
}

/* What no whole vector has. */
static void add_rest(struct gen *g, struct ks *s)
{
    int64_t whole = s->extent / s->lanes * s->lanes;
    lift_nat width = lift_nat_const(g->nats, s->lanes), end = end_of(g, s);
    struct ks *rest = new_loop(g, s, "r", end ? s->lanes - 1 : s->extent - whole);
    struct lanes p = {.g = g, .width = 1, .index = s->index};

    rest->loop = KLOOP_SIMD;
    p.first = lift_nat_const(g->nats, whole);
    if (end) {
        p.first = lift_nat_mul(lift_nat_div(end, width), width);
        rest->limit = lift_nat_sub(end, p.first);
    }
    p.first = lift_nat_add(p.first, rest->index);
    fill(&p, s, rest);
    cg_emit(g, rest);
}

static void visit(struct gen *g, struct ks *block)
{
    struct ks fresh = {0}, *next;
    struct scope scope = cg_enter(g, &fresh);

    for (struct ks *s = block->first; s; s = next) {
        bool vectors = s->kind == KS_LOOP && s->lanes > 1 && s->extent >= s->lanes;

        next = s->next;
        visit(g, s);
        if (s->otherwise)
            visit(g, s->otherwise);
        if (!vectors) {
            cg_emit(g, s);
            continue;
        }
        widen(g, s);
        if (s->limit || s->extent % s->lanes)
            add_rest(g, s);
    }
    cg_leave(g, scope);
    block->first = fresh.first;
    block->last = fresh.last;
}

void cg_pass_lanes(struct gen *g, struct kernel *kernel)
{
    visit(g, kernel->body);
}
