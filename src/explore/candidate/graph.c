#include "base/bug.h"
#include "base/memory.h"
#include "explore/derive.h"
#include <stdlib.h>
#include <string.h>

static int slot_of(const struct derivation *d, lift_expr term)
{
    int at = (int)(term->hash.lo % (uint64_t)d->table_cap);

    while (d->table[at] >= 0 && d->nodes[d->table[at]].term != term)
        at = (at + 1) % d->table_cap;
    return at;
}

static void enlarge_table(struct derivation *d)
{
    free(d->table);
    d->table_cap = d->table_cap ? 2 * d->table_cap : 1024;
    d->table = lift_resize(NULL, (size_t)d->table_cap, sizeof *d->table);
    memset(d->table, 0xff, sizeof *d->table * (size_t)d->table_cap);
    for (int i = 0; i < d->node_count; i++)
        d->table[slot_of(d, d->nodes[i].term)] = i;
}

int derive_node(struct derivation *d, lift_expr term)
{
    int at;

    if (2 * (d->node_count + 1) > d->table_cap)
        enlarge_table(d);
    at = slot_of(d, term);
    if (d->table[at] >= 0)
        return d->table[at];
    LIFT_ROOM(d->nodes, d->node_count, d->node_cap);
    d->nodes[d->node_count] = (struct derive_node){.term = term};
    return d->table[at] = d->node_count++;
}

static bool has_edge(const struct derive_node *node, int parent,
                     const struct lift_step *step)
{
    for (const struct derive_edge *e = node->edges; e; e = e->next)
        if (e->parent == parent && e->rule == step->rule && e->choice == step->choice &&
            e->at.count == step->at.count &&
            !memcmp(e->at.steps, step->at.steps, e->at.count))
            return true;
    return false;
}

/* Ignores edges from a node to itself. */
static void add_edge(struct derivation *d, int child, int parent,
                     const struct lift_step *step)
{
    struct derive_node *node = &d->nodes[child];
    struct derive_edge *edge;

    if (child == parent || child == 0 || has_edge(node, parent, step))
        return;
    edge = LIFT_NEW(lift_ir_arena(d->ir), struct derive_edge);
    *edge = (struct derive_edge){parent, step->rule, step->choice, step->at, node->edges};
    node->edges = edge;
}

static bool has_macro(const struct derive_node *node, int parent,
                      const struct lift_macro_use *use)
{
    for (const struct derive_macro *m = node->macros; m; m = m->next)
        if (m->parent == parent && m->macro == use->macro && m->steps == use->count)
            return true;
    return false;
}

static void add_macro(struct derivation *d, int child, int parent,
                      const struct lift_macro_use *use)
{
    struct derive_node *node = &d->nodes[child];
    struct derive_macro *macro;

    if (child == parent || child == 0 || has_macro(node, parent, use))
        return;
    macro = LIFT_NEW(lift_ir_arena(d->ir), struct derive_macro);
    *macro = (struct derive_macro){parent,     use->macro, use->at,
                                   use->count, use->depth, node->macros};
    node->macros = macro;
}

int derive_steps(struct derivation *d, int from, const struct lift_steps *steps)
{
    LIFT_FREED int *nodes = lift_resize(NULL, (size_t)steps->count + 1, sizeof *nodes);

    nodes[0] = from;
    for (int i = 0; i < steps->count; i++) {
        const struct lift_step *step = &steps->items[i];
        lift_expr term =
            lift_path_replace(d->ir, d->nodes[nodes[i]].term, &step->at, step->to);

        LIFT_ASSERT(term);
        d->rewrites++;
        nodes[i + 1] = derive_node(d, term);
        add_edge(d, nodes[i + 1], nodes[i], step);
    }
    for (int i = 0; i < steps->macro_count; i++) {
        const struct lift_macro_use *use = &steps->macros[i];

        add_macro(d, nodes[use->first + use->count], nodes[use->first], use);
    }
    from = nodes[steps->count];
    return from;
}

void derive_destroy(struct derivation *d)
{
    if (!d)
        return;
    free(d->nodes);
    free(d->table);
    free(d->leaves);
    lift_table_fini(&d->prefixes);
    reason_counts_fini(&d->unlowered);
    free(d);
}
