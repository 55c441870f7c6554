/* Loads that lie side by side, in straight-line code that asks for it, become loads of
 * vectors: of arrays that the kernel does not write, and of elements that are read
 * whatever is tested. */
#include "gen.h"

struct load {
    kx e;
    bool always;        /* some statement reads it whatever it tests */
    struct load *next;  /* at the same index of another buffer */
    struct load *after; /* in the order of the pass */
    struct group *group;
    int lane;
};

struct group {
    kx first; /* load of the first lane */
    kx var;
};

struct pass {
    struct gen *g;
    int width;
    struct lift_ptrmap at;     /* from an index to the loads there */
    struct load *first, *last; /* in their order */
};

static struct load *find(const struct pass *p, const struct kbuffer *buffer, lift_nat at)
{
    struct load *l = lift_ptrmap_get(&p->at, at);

    while (l && l->e->buffer != buffer)
        l = l->next;
    return l;
}

static void add(struct pass *p, kx e, bool always)
{
    struct load *l = find(p, e->buffer, e->nat);

    if (!l) {
        l = LIFT_NEW(p->g->arena, struct load);
        l->e = e;
        l->next = lift_ptrmap_get(&p->at, e->nat);
        lift_ptrmap_put(&p->at, e->nat, l);
        if (p->last)
            p->last->after = l;
        else
            p->first = l;
        p->last = l;
    }
    l->always = l->always || always;
}

static bool is_candidate(kx e)
{
    return e->kind == KX_LOAD && e->type->kind == LIFT_TYPE_SCALAR &&
           e->type->scalar != LIFT_BOOL && e->buffer->space == KSPACE_GLOBAL &&
           !e->buffer->written;
}

static void look(struct pass *p, kx e, bool always)
{
    bool lazy = e->kind == KX_OP &&
                (e->op == LIFT_SELECT || e->op == LIFT_AND || e->op == LIFT_OR);

    if (is_candidate(e))
        add(p, e, always);
    for (int i = 0; i < e->arg_count; i++)
        look(p, e->args[i], always && (!lazy || i == 0));
}

static struct load *beside(const struct pass *p, const struct load *l, int by)
{
    struct load *b = find(p, l->e->buffer, lift_nat_add_const(l->e->nat, by));

    return b && b->always ? b : NULL;
}

/* The row of loads from 'l' on in vectors, from the first multiple of the width on if it
 * is known where that is. */
static void group_row(struct pass *p, struct load *l)
{
    int skip = 0, length = 1;

    while (beside(p, l, length))
        length++;
    while (skip < p->width &&
           !kx_is_aligned(lift_nat_add_const(l->e->nat, skip), p->width))
        skip++;
    if (skip == p->width || skip + p->width > length)
        skip = 0;
    for (int i = skip; i + p->width <= length; i += p->width) {
        struct group *group = LIFT_NEW(p->g->arena, struct group);

        for (int lane = 0; lane < p->width; lane++) {
            struct load *member = i + lane ? beside(p, l, i + lane) : l;

            member->group = group;
            member->lane = lane;
            if (lane == 0)
                group->first = member->e;
        }
    }
}

/* Declared where its first lane is read first. */
static kx lane_of(struct pass *p, const struct load *l)
{
    struct group *group = l->group;
    lift_type type = lift_type_vector(p->g->ir, group->first->type->scalar, p->width);

    if (!group->var)
        group->var =
            cg_variable(p->g, "row",
                        kx_load(p->g->ir, group->first->buffer, group->first->nat, type));
    return kx_lane(p->g->ir, group->var, l->lane);
}

static kx replace(struct pass *p, kx e)
{
    struct kx *copy = NULL;
    const struct load *l = is_candidate(e) ? find(p, e->buffer, e->nat) : NULL;

    if (l && l->group)
        return lane_of(p, l);
    for (int i = 0; i < e->arg_count; i++) {
        kx arg = replace(p, e->args[i]);

        if (arg == e->args[i])
            continue;
        if (!copy) {
            copy = lift_arena_copy(p->g->arena, e, sizeof *e);
            copy->args = lift_arena_copy(p->g->arena, e->args,
                                         (size_t)e->arg_count * sizeof *e->args);
        }
        copy->args[i] = arg;
    }
    return copy ? copy : e;
}

/* The statements from 's' to before 'end', moved to the current block. */
static void merge(struct gen *g, int width, struct ks *s, const struct ks *end)
{
    struct pass p = {.g = g, .width = width};
    struct ks *next;

    for (struct ks *t = s; t != end; t = t->next)
        if (t->value && !t->async)
            look(&p, t->value, true);
    for (struct load *l = p.first; l; l = l->after)
        if (l->always && !beside(&p, l, -1))
            group_row(&p, l);
    for (; s != end; s = next) {
        next = s->next;
        if (s->value && !s->async)
            s->value = replace(&p, s->value);
        cg_emit(g, s);
    }
    lift_ptrmap_fini(&p.at);
}

/* What is loaded before a sequential loop is for the same statements. */
static void inherit(struct ks *block)
{
    for (const struct ks *s = block->first; s; s = s->next)
        if (s->kind == KS_LOOP && s->loop == KLOOP_SEQ && s->loads > block->loads)
            block->loads = s->loads;
}

static void visit_block(struct gen *g, struct ks *block)
{
    struct ks fresh = {0};
    struct ks *s = block->first, *end;
    struct scope scope = cg_enter(g, &fresh);

    inherit(block);
    for (; s; s = end) {
        end = s->next;
        while (ks_is_simple(s) && end && ks_is_simple(end))
            end = end->next;
        visit_block(g, s);
        if (s->otherwise)
            visit_block(g, s->otherwise);
        if (block->loads > 1 && ks_is_simple(s))
            merge(g, block->loads, s, end);
        else
            for (struct ks *next; s != end; s = next) {
                next = s->next;
                cg_emit(g, s);
            }
    }
    cg_leave(g, scope);
    block->first = fresh.first;
    block->last = fresh.last;
}

void cg_pass_vectors(struct gen *g, struct kernel *kernel)
{
    visit_block(g, kernel->body);
}
