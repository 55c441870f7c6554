#include "codegen/nodes.h"
#include <string.h>

static uint64_t mix(uint64_t h, const void *p)
{
    h = (h ^ (uint64_t)(uintptr_t)p) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/* Hashes an expression without its arguments, consistently with kx_same_node. */
static uint64_t hash_own(kx e)
{
    uint64_t h = (uint64_t)e->kind * 512, bits;

    switch (e->kind) {
    case KX_NAT:
        return mix(h, e->nat);
    case KX_FLOAT:
        memcpy(&bits, &e->number, sizeof bits);
        return h ^ bits;
    case KX_BOOL:
        return h + e->truth;
    case KX_VAR:
        return mix(h, e->name);
    case KX_LOAD:
        return mix(mix(h, e->load.buffer), e->load.at);
    case KX_OP:
        return mix(h + e->op.op, e->op.text);
    case KX_LANE:
    case KX_ROW:
    case KX_SHUFFLE:
        return h + (uint64_t)e->lane;
    case KX_LANES:
        break;
    }
    return h;
}

static bool equal(const void *entry, const void *key)
{
    kx a = ((const struct node *)entry)->e, b = key;

    if (!kx_same_node(a, b))
        return false;
    for (int i = 0; i < a->arg_count; i++)
        if (a->args[i] != b->args[i])
            return false;
    return true;
}

/* 'e' with the canonical expressions of its arguments. */
static kx canonical(struct nodes *p, kx e)
{
    kx same = e->kind == KX_VAR ? lift_ptrmap_get(&p->same, e->name) : NULL, copy;

    if (!e->arg_count)
        return same ? same : e;
    copy = kx_with_args(p->g->ir, e, e->args);
    for (int i = 0; i < e->arg_count; i++)
        copy->args[i] = cg_node(p, e->args[i])->e;
    return copy;
}

static bool changes(struct nodes *p, kx own)
{
    const void *what = own->kind == KX_VAR    ? (const void *)own->name
                       : own->kind == KX_LOAD ? (const void *)own->load.buffer
                                              : NULL;
    bool yes = what && lift_ptrmap_get(&p->changing, what);

    for (int i = 0; i < own->arg_count; i++)
        yes |= cg_node(p, own->args[i])->changes;
    return yes;
}

struct node *cg_node(struct nodes *p, kx e)
{
    struct node *n = lift_ptrmap_get(&p->seen, e);
    uint64_t hash;
    kx own;

    if (n)
        return n;
    own = canonical(p, e);
    hash = mix(hash_own(own), own->type);
    for (int i = 0; i < own->arg_count; i++)
        hash = mix(hash, own->args[i]);
    n = lift_table_find(&p->nodes, hash, own, equal);
    if (!n) {
        n = LIFT_NEW(p->g->arena, struct node);
        *n = (struct node){.e = own, .hash = hash};
        n->changes = changes(p, own);
        lift_table_insert(&p->nodes, hash, n);
        lift_ptrmap_put(&p->seen, own, n);
    }
    if (e != own)
        lift_ptrmap_put(&p->seen, e, n);
    return n;
}

void cg_node_name(struct nodes *p, struct node *n, const char *name)
{
    if (n->changes || lift_ptrmap_get(&p->changing, name))
        return;
    if (n->e->kind == KX_VAR)
        n->same = n->e;
    if (n->same)
        lift_ptrmap_put(&p->same, name, (void *)n->same);
    else
        n->same = kx_var(p->g->ir, name, n->e->type);
}

/* Collects 'n' and the nodes that every evaluation of 'n' computes. */
static void note_certain(struct nodes *p, struct node *n, struct lift_ptrmap *in)
{
    if (lift_ptrmap_get(in, n))
        return;
    lift_ptrmap_put(in, n, n);
    for (int i = 0; i < n->e->arg_count; i++)
        if (i == 0 || !kx_is_lazy(n->e))
            note_certain(p, cg_node(p, n->e->args[i]), in);
}

/* Marks 'n' as always computed if 'in' contains 'n'; otherwise marks its subexpressions
 * that 'in' contains. */
static void use_certain(struct nodes *p, struct node *n, const struct lift_ptrmap *in)
{
    if (n->always)
        return;
    if (lift_ptrmap_get(in, n)) {
        n->uses--;
        cg_node_use(p, n, true);
        return;
    }
    for (int i = 0; i < n->e->arg_count; i++)
        if (i == 0 || !kx_is_lazy(n->e))
            use_certain(p, cg_node(p, n->e->args[i]), in);
}

void cg_node_use(struct nodes *p, struct node *n, bool always)
{
    bool first = n->uses == 0, sure = always && !n->always;

    n->uses++;
    n->always |= always;
    for (int i = 0; (first || sure) && i < n->e->arg_count; i++) {
        struct node *arg = cg_node(p, n->e->args[i]);
        bool inside = n->always && (i == 0 || !kx_is_lazy(n->e));

        if (first)
            cg_node_use(p, arg, inside);
        else if (inside && !arg->always) {
            arg->uses--;
            cg_node_use(p, arg, true);
        }
    }
    if (p->both && sure && kx_is_op(n->e, LIFT_SELECT)) {
        struct lift_ptrmap in = {0};

        note_certain(p, cg_node(p, n->e->args[1]), &in);
        use_certain(p, cg_node(p, n->e->args[2]), &in);
        lift_ptrmap_fini(&in);
    }
}

static bool is_shared(const struct node *n)
{
    return n->uses > 1 && n->always && !n->changes && !kx_is_trivial(n->e);
}

static kx extract_arg(void *nodes, kx arg)
{
    return cg_node_extract(nodes, cg_node(nodes, arg));
}

/* The node's expression over the variables of its arguments. */
static kx rebuilt(struct nodes *p, struct node *n)
{
    return kx_map_args(p->g->ir, n->e, extract_arg, p);
}

kx cg_node_extract(struct nodes *p, struct node *n)
{
    if (n->var)
        return n->var;
    n->var = rebuilt(p, n);
    if (is_shared(n))
        n->var = cg_variable(p->g, "v", n->var);
    return n->var;
}

kx cg_node_declare(struct nodes *p, struct node *n, const char *name)
{
    kx value;

    if (n->var || !is_shared(n) || lift_ptrmap_get(&p->changing, name))
        return cg_node_extract(p, n);
    value = rebuilt(p, n);
    n->var = kx_var(p->g->ir, name, n->e->type);
    return value;
}

void cg_nodes_fini(struct nodes *p)
{
    lift_table_fini(&p->nodes);
    lift_ptrmap_fini(&p->seen);
    lift_ptrmap_fini(&p->changing);
    lift_ptrmap_fini(&p->same);
}
