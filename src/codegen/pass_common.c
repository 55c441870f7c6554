/* Common subexpressions: what one statement computes more than once, and at least once
 * whatever its conditions say, goes to a variable before it. */
#include "gen.h"
#include "lift/bug.h"
#include <string.h>

/* One of a set of equal expressions, with the uses that the statement makes of it. */
struct node {
    kx e; /* its arguments are those of nodes */
    uint64_t hash;
    int uses;    /* by different places */
    bool always; /* computed whatever the conditions say */
    kx var;      /* where it was put */
};

struct pass {
    struct gen *g;
    struct lift_table nodes; /* of the statement */
    struct lift_ptrmap seen; /* from expression to node */
};

static uint64_t mix(uint64_t h, const void *p)
{
    h = (h ^ (uint64_t)(uintptr_t)p) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t hash_of(kx e)
{
    uint64_t h = (uint64_t)e->kind * 512 + e->op, bits;

    memcpy(&bits, &e->number, sizeof bits);
    h = mix(mix(mix(h ^ bits, e->type), e->nat), e->buffer);
    h = mix(mix(h + e->truth, e->text), e->name);
    for (int i = 0; i < e->arg_count; i++)
        h = mix(h, e->args[i]);
    return h;
}

static bool equal(const void *entry, const void *key)
{
    kx a = ((const struct node *)entry)->e, b = key;

    if (a->kind != b->kind || a->op != b->op || a->type != b->type || a->nat != b->nat ||
        a->buffer != b->buffer || a->truth != b->truth || a->text != b->text ||
        a->name != b->name || a->arg_count != b->arg_count ||
        !kx_same_number(a->number, b->number))
        return false;
    for (int i = 0; i < a->arg_count; i++)
        if (a->args[i] != b->args[i])
            return false;
    return true;
}

/* Conditions are always computed; what they choose between, and what && and || skip, is
 * not. */
static bool always_computed(kx e, int arg)
{
    bool lazy = e->kind == KX_OP &&
                (e->op == LIFT_SELECT || e->op == LIFT_AND || e->op == LIFT_OR);

    return !lazy || arg == 0;
}

static struct node *find_node(struct pass *p, kx e);

/* 'e' over the arguments' nodes. */
static kx canonical(struct pass *p, kx e)
{
    struct kx *copy;

    if (!e->arg_count)
        return e;
    copy = lift_arena_copy(p->g->arena, e, sizeof *e);
    copy->args = LIFT_NEW_ARRAY(p->g->arena, kx, e->arg_count);
    for (int i = 0; i < e->arg_count; i++)
        copy->args[i] = find_node(p, e->args[i])->e;
    return copy;
}

static struct node *find_node(struct pass *p, kx e)
{
    struct node *n = lift_ptrmap_get(&p->seen, e);
    uint64_t hash;
    kx own;

    if (n)
        return n;
    own = canonical(p, e);
    hash = hash_of(own);
    n = lift_table_find(&p->nodes, hash, own, equal);
    if (!n) {
        n = LIFT_NEW(p->g->arena, struct node);
        *n = (struct node){own, hash, 0, false, NULL};
        lift_table_insert(&p->nodes, hash, n);
        lift_ptrmap_put(&p->seen, own, n);
    }
    if (e != own)
        lift_ptrmap_put(&p->seen, e, n);
    return n;
}

/* Counts a use, and those inside at the first one and when it becomes certain. */
static void use(struct pass *p, struct node *n, bool always)
{
    bool first = n->uses == 0, sure = always && !n->always;

    n->uses++;
    n->always |= always;
    for (int i = 0; (first || sure) && i < n->e->arg_count; i++) {
        struct node *arg = find_node(p, n->e->args[i]);
        bool inside = n->always && always_computed(n->e, i);

        if (first)
            use(p, arg, inside);
        else if (inside && !arg->always) {
            arg->uses--;
            use(p, arg, true);
        }
    }
}

static kx extract(struct pass *p, struct node *n)
{
    struct kx *copy;
    bool changed = false;

    if (n->var)
        return n->var;
    copy = lift_arena_copy(p->g->arena, n->e, sizeof *n->e);
    if (n->e->arg_count)
        copy->args = LIFT_NEW_ARRAY(p->g->arena, kx, n->e->arg_count);
    for (int i = 0; i < n->e->arg_count; i++) {
        copy->args[i] = extract(p, find_node(p, n->e->args[i]));
        changed |= copy->args[i] != n->e->args[i];
    }
    n->var = changed ? copy : n->e;
    if (n->uses > 1 && n->always && !kx_is_trivial(n->e))
        n->var = cg_variable(p->g, "v", n->var);
    return n->var;
}

/* The value with its common parts taken out into statements of the current block. */
static kx take_out(struct gen *g, kx value)
{
    struct pass p = {.g = g};
    struct node *root = find_node(&p, value);
    kx result;

    use(&p, root, true);
    result = extract(&p, root);
    lift_table_fini(&p.nodes);
    lift_ptrmap_fini(&p.seen);
    return result;
}

static void visit_block(struct gen *g, struct ks *block);

static void visit(struct gen *g, struct ks *s)
{
    if (s->value)
        s->value = take_out(g, s->value);
    if (s->cond)
        s->cond = take_out(g, s->cond);
    visit_block(g, s);
    if (s->otherwise)
        visit_block(g, s->otherwise);
}

/* Moves the statements of a block to a new list, each behind the variables that it needs.
 */
static void visit_block(struct gen *g, struct ks *block)
{
    struct ks fresh = {0};
    struct ks *s = block->first, *next;

    for (; s; s = next) {
        struct scope scope = cg_enter(g, &fresh);

        next = s->next;
        visit(g, s);
        cg_leave(g, scope);
        ks_append(&fresh, s);
    }
    block->first = fresh.first;
    block->last = fresh.last;
}

void cg_pass_common(struct gen *g, struct kernel *kernel)
{
    visit_block(g, kernel->body);
}
