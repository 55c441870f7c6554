#include "explore/traits.h"
#include "lift/bug.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_USES = 256 }; /* kinds of use of a low-level primitive */

/* A low-level primitive with its attributes. */
struct use {
    enum lift_op op;
    int attrs[LIFT_MAX_ATTRS];
};

struct collector {
    struct explore_traits *t;
    struct lift_arena *arena;
    const struct derivation *d;
    const struct lift_rules *rules;
    const int *leaves;
    int rule_count;
    bool *used; /* [count][rule_count]: part of the derivation */
    int *place; /* of nodes on the way to a leaf, from the leaf on; -1: not on it */
    int *chain; /* the nodes of this way */
    bool *covered;
    struct use uses[MAX_USES];
    int use_count;
    int *counts; /* [count][MAX_USES] */
    uint32_t *visited;
};

static void *memory(size_t count, size_t size)
{
    void *m = calloc(count + 1, size);

    if (!m)
        LIFT_BUG("out of memory");
    return m;
}

/* ---- the derivation */

static const struct derive_edge *first_edge(const struct derive_node *node)
{
    const struct derive_edge *e = node->edges;

    while (e && e->next)
        e = e->next;
    return e;
}

/* The way on which the node was found first; returns the number of its nodes. */
static int walk_back(struct collector *c, int node)
{
    int count = 0;

    for (const struct derive_edge *e; node >= 0; node = e ? e->parent : -1) {
        c->place[node] = count;
        c->chain[count++] = node;
        e = first_edge(&c->d->nodes[node]);
    }
    return count;
}

static void put(uint64_t *set, const struct lift_rule *rule)
{
    set[rule->index / 64] |= UINT64_C(1) << (rule->index % 64);
}

/* Macros that end at a node of the way and began on it. */
static void add_macros(struct collector *c, int leaf, int at, uint64_t *set)
{
    for (const struct derive_macro *m = c->d->nodes[c->chain[at]].macros; m;
         m = m->next) {
        int from = c->place[m->parent];

        if (from <= at)
            continue;
        c->used[leaf * c->rule_count + m->macro->index] = true;
        if (m->depth)
            continue;
        put(set, m->macro);
        for (int i = at; i < from; i++)
            c->covered[i] = true;
    }
}

/* From the root on, so that the steps of a macro lie before its end. */
static void add_derivation(struct collector *c, int leaf)
{
    uint64_t *shaping = c->t->shaping + (size_t)leaf * (size_t)c->t->words;
    uint64_t *lowering = c->t->lowering + (size_t)leaf * (size_t)c->t->words;
    int count = walk_back(c, c->d->leaves[c->leaves[leaf]].node);
    int shape = 0;

    memset(c->covered, 0, (size_t)count * sizeof *c->covered);
    while (shape + 1 < count && !c->d->nodes[c->chain[shape]].shaped)
        shape++;
    for (int at = 0; at + 1 < count; at++)
        add_macros(c, leaf, at, at < shape ? lowering : shaping);
    for (int at = 0; at + 1 < count; at++) {
        const struct lift_rule *rule = first_edge(&c->d->nodes[c->chain[at]])->rule;

        c->used[leaf * c->rule_count + rule->index] = true;
        if (!c->covered[at])
            put(at < shape ? lowering : shaping, rule);
    }
    for (int at = 0; at < count; at++)
        c->place[c->chain[at]] = -1;
}

/* ---- the term */

static int use_of(struct collector *c, lift_expr e)
{
    struct use use = {.op = e->op};

    memcpy(use.attrs, e->u.prim.attrs, sizeof use.attrs);
    for (int i = 0; i < c->use_count; i++)
        if (!memcmp(&c->uses[i], &use, sizeof use))
            return i;
    if (c->use_count == MAX_USES)
        return -1;
    c->uses[c->use_count] = use;
    return c->use_count++;
}

/* Each distinct part of a term once. */
static void count_uses(struct collector *c, lift_expr e, int leaf)
{
    if (c->visited[e->id] == (uint32_t)leaf + 1)
        return;
    c->visited[e->id] = (uint32_t)leaf + 1;
    if (e->kind == LIFT_EXPR_PRIM && lift_prim_info(e->op)->level == LIFT_LEVEL_LOW) {
        int use = use_of(c, e);

        if (use >= 0)
            c->counts[leaf * MAX_USES + use]++;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++)
        count_uses(c, lift_expr_child(e, i), leaf);
}

/* "count of mapPar collapse=2 schedule=dynamic". */
static const char *use_name(struct collector *c, const struct use *use)
{
    const struct lift_prim_info *info = lift_prim_info(use->op);
    char *name = lift_arena_printf(c->arena, "count of %s", info->name);

    for (int i = 0; i < info->attr_count; i++)
        if (use->attrs[i] && info->attrs[i].words)
            name = lift_arena_printf(c->arena, "%s %s=%s", name, info->attrs[i].name,
                                     info->attrs[i].words[use->attrs[i]]);
        else if (use->attrs[i] || !info->attrs[i].option)
            name = lift_arena_printf(c->arena, "%s %s=%d", name, info->attrs[i].name,
                                     use->attrs[i]);
    return name;
}

/* ---- columns */

static double value_at(const struct collector *c, int leaf, int column)
{
    if (column < c->rule_count)
        return c->used[leaf * c->rule_count + column];
    column -= c->rule_count;
    if (column < c->use_count)
        return c->counts[leaf * MAX_USES + column];
    return log2((double)c->d->nodes[c->d->leaves[c->leaves[leaf]].node].term->size);
}

static const char *column_name(struct collector *c, int column)
{
    if (column < c->rule_count)
        return lift_rules_get(c->rules, column)->name;
    column -= c->rule_count;
    return column < c->use_count ? use_name(c, &c->uses[column]) : "size";
}

/* True if the column tells expressions apart, and not as an earlier one does. */
static bool tells(const struct collector *c, const int *kept, int kept_count, int column)
{
    bool varies = false;

    for (int leaf = 1; leaf < c->t->count && !varies; leaf++)
        varies = value_at(c, leaf, column) != value_at(c, 0, column);
    for (int k = 0; k < kept_count && varies; k++) {
        int leaf = 0;

        while (leaf < c->t->count &&
               value_at(c, leaf, kept[k]) == value_at(c, leaf, column))
            leaf++;
        varies = leaf < c->t->count;
    }
    return varies;
}

static void make_columns(struct collector *c)
{
    struct explore_traits *t = c->t;
    int all = c->rule_count + c->use_count + 1;
    int *kept = memory((size_t)all, sizeof *kept);

    for (int i = 0; i < all; i++)
        if (tells(c, kept, t->columns, i))
            kept[t->columns++] = i;
    t->names = LIFT_NEW_ARRAY(c->arena, const char *, t->columns + 1);
    t->values =
        LIFT_NEW_ARRAY(c->arena, double, (size_t)t->count *(size_t)t->columns + 1);
    for (int i = 0; i < t->columns; i++) {
        t->names[i] = column_name(c, kept[i]);
        for (int leaf = 0; leaf < t->count; leaf++)
            t->values[leaf * t->columns + i] = value_at(c, leaf, kept[i]);
    }
    free(kept);
}

struct explore_traits explore_traits_of(struct lift_arena *arena,
                                        const struct derivation *d,
                                        const struct lift_rules *rules, const int *leaves,
                                        int count)
{
    struct explore_traits t = {.count = count};
    struct collector c = {
        .t = &t, .arena = arena, .d = d, .rules = rules, .leaves = leaves};

    c.rule_count = lift_rules_count(rules);
    t.words = (c.rule_count + 63) / 64;
    t.shaping = LIFT_NEW_ARRAY(arena, uint64_t, count * t.words + 1);
    t.lowering = LIFT_NEW_ARRAY(arena, uint64_t, count * t.words + 1);
    c.used = memory((size_t)count * (size_t)c.rule_count, sizeof *c.used);
    c.place = memory((size_t)d->node_count, sizeof *c.place);
    c.chain = memory((size_t)d->node_count, sizeof *c.chain);
    c.covered = memory((size_t)d->node_count, sizeof *c.covered);
    c.counts = memory((size_t)count * MAX_USES, sizeof *c.counts);
    c.visited = memory(lift_ir_expr_count(d->ir), sizeof *c.visited);
    for (int i = 0; i < d->node_count; i++)
        c.place[i] = -1;
    for (int i = 0; i < count; i++) {
        add_derivation(&c, i);
        count_uses(&c, d->nodes[d->leaves[leaves[i]].node].term, i);
    }
    make_columns(&c);
    free(c.used);
    free(c.place);
    free(c.chain);
    free(c.covered);
    free(c.counts);
    free(c.visited);
    return t;
}
