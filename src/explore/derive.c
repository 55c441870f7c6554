/* The phases of a derivation. Each is optional, and each choice of a phase is combined
 * with those of the next:
 *
 * - prepare: borders become copies, maps in a row are fused, names that only move are
 *   gone
 * - shape: nothing, tiles in one to three dimensions, a stream, a stream inside tiles
 * - stage: what a tile reads, copied to local memory: none of it, one part, several
 * - layout: plain, or halos and results in buffers of inputs
 * - lower: a level of the device for every loop
 *
 * A rule that is missing from the set is a choice less. */
#include "explore/derive.h"
#include "explore/lower.h"
#include "explore/sites.h"
#include "lift/bug.h"
#include "lift/strategy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIMS = 3,
    MAX_SHAPES = 160,
    MAX_STAGINGS = 3, /* parts staged one after the other */
    MAX_CHOICES = 4,
    MAX_STEPS = 2000, /* of one normalisation */
    MAX_PLACES = 8,   /* of one rule that is applied everywhere */
};

/* A term on its way down, with the conditions of the rules applied so far. */
struct shape {
    int node;
    int tile_dims; /* 0: there are no tiles */
    struct explore_conditions conditions;
};

struct shapes {
    struct shape items[MAX_SHAPES];
    int count;
};

struct deriver {
    struct derivation *d;
    const struct explore_problem *p;
    const struct lift_rules *rules;
    const struct lift_device_info *device;
    struct lift_arena *arena;
    int most;
};

/* ---- single rules */

static const struct lift_rule *numbered(const struct deriver *v, const char *base,
                                        int dims)
{
    char name[64];

    snprintf(name, sizeof name, "%s%d", base, dims);
    return lift_rules_find(v->rules, name);
}

static void add_conditions(struct deriver *v, struct shape *s,
                           const struct lift_side_condition *more, int count)
{
    struct explore_conditions old = s->conditions;
    struct lift_side_condition *all =
        LIFT_NEW_ARRAY(v->arena, struct lift_side_condition, old.count + count + 1);

    for (int i = 0; i < old.count; i++)
        all[i] = old.items[i];
    for (int i = 0; i < count; i++)
        all[old.count + i] = more[i];
    s->conditions = (struct explore_conditions){all, old.count + count};
}

/* A shape that a strategy leads to; false if it fails. */
static bool run(struct deriver *v, const struct shape *from, lift_strategy s,
                struct shape *out)
{
    struct lift_steps steps = {0};
    bool done = lift_strategy_run(v->d->ir, s, v->d->nodes[from->node].term, &steps);

    if (done) {
        *out = *from;
        add_conditions(v, out, steps.conditions, steps.condition_count);
        out->node = derive_steps(v->d, from->node, &steps);
    }
    lift_steps_fini(&steps);
    return done;
}

/* One rule or macro at one place of a shape; false if it does not apply. */
static bool apply(struct deriver *v, const struct shape *from,
                  const struct lift_rule *rule, const struct lift_path *at, int choice,
                  struct shape *out)
{
    struct lift_place place = {.kind = LIFT_PLACE_PATH, .path = *at};

    return rule && run(v, from,
                       lift_strategy_at(v->arena, &place,
                                        lift_strategy_pick(v->arena, rule, choice)),
                       out);
}

static void add_shape(struct shapes *list, const struct shape *s)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].node == s->node)
            return;
    if (list->count < MAX_SHAPES)
        list->items[list->count++] = *s;
}

/* ---- prepare */

static int rank_of(lift_type t)
{
    return t->kind == LIFT_TYPE_TUPLE ? lift_type_rank(t->parts[0]) : lift_type_rank(t);
}

/* Borders first, while they still are insets of rows; then the rest. Fusion in one
 * dimension would break the form of views in several. */
static const char *const border_rules[] = {"mapOfInset", "mapOfInsetTurned", "zipSelect",
                                           "mapIdentity", NULL};
static const char *const plain_rules[] = {"iterateZero", "iterateOne", "letInlineOnce",
                                          "lowerInset",  "getTuple",   "zipSelect",
                                          "zipSelect2",  "zipSelect3", NULL};
static const char *const fusion_rules[MAX_DIMS][3] = {{"zipOfMaps", "mapFusion", NULL},
                                                      {"zipOfMaps2", "mapFusion2", NULL},
                                                      {"zipOfMaps3", "mapFusion3", NULL}};

enum { MAX_RULES = 16 };

static int find_rules(const struct lift_rules *rules, const char *const *names,
                      const struct lift_rule *out[MAX_RULES], int count)
{
    for (int i = 0; names[i] && count < MAX_RULES; i++)
        if ((out[count] = lift_rules_find(rules, names[i])))
            count++;
    return count;
}

static lift_strategy preparation(const struct explore_problem *p,
                                 const struct lift_rules *rules)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    const struct lift_rule *list[MAX_RULES];
    int dims = rank_of(p->root->type);
    int count = find_rules(rules, border_rules, list, 0);
    lift_strategy phases[2] = {lift_strategy_normalise(arena, list, count, MAX_STEPS)};

    count = find_rules(rules, plain_rules, list, 0);
    if (dims >= 1 && dims <= MAX_DIMS)
        count = find_rules(rules, fusion_rules[dims - 1], list, count);
    phases[1] = lift_strategy_normalise(arena, list, count, MAX_STEPS);
    return lift_strategy_seq(arena, phases, 2);
}

lift_expr explore_prepare(const struct explore_problem *p, const struct lift_rules *rules)
{
    lift_expr term = lift_strategy_run(p->ir, preparation(p, rules), p->root, NULL);

    return term ? term : p->root;
}

static struct shape prepared(struct deriver *v)
{
    struct shape root = {.node = 0}, s;

    return run(v, &root, preparation(v->p, v->rules), &s) ? s : root;
}

/* ---- shape */

/* Applies a rule at every loop of the result; those of one kind of length only, if 'cls'
 * says so. Deeper places later. */
static void at_sites(struct deriver *v, const struct shape *from,
                     const struct lift_rule *rule, int tile_dims, bool in_tiles,
                     struct shapes *out)
{
    struct sites *all = rule ? explore_sites(v->d->nodes[from->node].term) : NULL;

    for (int i = 0; all && i < all->count; i++) {
        const struct site *site = &all->items[i];
        struct shape s;

        if (site->storage != LIFT_OP_COUNT || site->lowered || site->copies ||
            (in_tiles ? site->cls != SITE_INNER : site->cls != SITE_PLAIN) ||
            !apply(v, from, rule, &site->at, 0, &s))
            continue;
        if (tile_dims)
            s.tile_dims = tile_dims;
        add_shape(out, &s);
    }
    free(all);
}

static void tile_all(struct deriver *v, const struct shape *from, const char *macro,
                     struct shapes *out)
{
    for (int dims = MAX_DIMS; dims >= 1; dims--)
        at_sites(v, from, numbered(v, macro, dims), dims, false, out);
}

struct first_place {
    struct lift_path at;
    bool found;
};

static bool note_place(void *user, const struct lift_rewrite *rewrite)
{
    struct first_place *place = user;

    place->at = rewrite->at;
    place->found = true;
    return false;
}

/* The same rule wherever it applies; false if nowhere. */
static bool apply_everywhere(struct deriver *v, const struct shape *from,
                             const struct lift_rule *rule, struct shape *out)
{
    bool any = false;

    *out = *from;
    for (int i = 0; rule && i < MAX_PLACES; i++) {
        struct first_place place = {.found = false};
        struct shape next;

        lift_rewrite_each(v->d->ir, &rule, 1, v->d->nodes[out->node].term, note_place,
                          &place);
        if (!place.found || !apply(v, out, rule, &place.at, 0, &next) ||
            next.node == out->node)
            break;
        *out = next;
        any = true;
    }
    return any;
}

/* A stream keeps its window by shifting registers, or by unrolling. */
static void stream_all(struct deriver *v, const struct shape *from, bool in_tiles,
                       struct shapes *out)
{
    const struct lift_rule *unroll = lift_rules_find(v->rules, "windowUnroll");
    int first = out->count, last;

    for (int dims = MAX_DIMS; dims >= 2; dims--)
        at_sites(v, from, numbered(v, "stream", dims), 0, in_tiles, out);
    last = out->count;
    for (int i = first; i < last; i++) {
        struct shape s;

        if (apply_everywhere(v, &out->items[i], unroll, &s))
            add_shape(out, &s);
    }
}

/* Rules that change values, be it by rounding only, need the program's leave. */
static bool is_allowed(const struct explore_problem *p, const struct lift_rule *rule)
{
    return rule->soundness == LIFT_RULE_EXACT ||
           (rule->soundness == LIFT_RULE_REASSOCIATES && p->relaxed);
}

/* The rules of a user's own files are tried at every loop. */
static void user_rules(struct deriver *v, const struct shape *from, struct shapes *out)
{
    for (int i = 0; i < lift_rules_count(v->rules); i++) {
        const struct lift_rule *rule = lift_rules_get(v->rules, i);

        if (!rule->shipped && is_allowed(v->p, rule))
            at_sites(v, from, rule, 0, false, out);
    }
}

static void shape_all(struct deriver *v, const struct shape *from, struct shapes *out)
{
    struct shapes tiles = {.count = 0};

    add_shape(out, from);
    tile_all(v, from, "tiling", &tiles);
    for (int i = 0; i < tiles.count; i++)
        add_shape(out, &tiles.items[i]);
    stream_all(v, from, false, out);
    user_rules(v, from, out);
    for (int i = 0; i < tiles.count; i++)
        stream_all(v, &tiles.items[i], true, out);
    tiles.count = 0;
    tile_all(v, from, "tilingExact", &tiles);
    for (int i = 0; i < tiles.count; i++)
        add_shape(out, &tiles.items[i]);
    for (int i = 0; i < tiles.count; i++)
        stream_all(v, &tiles.items[i], true, out);
}

/* ---- stage */

/* The outermost loop over tiles. */
static bool find_tiles(struct deriver *v, const struct shape *s, struct lift_path *at)
{
    struct sites *all = explore_sites(v->d->nodes[s->node].term);
    bool found = false;

    for (int i = 0; i < all->count && !found; i++)
        if (all->items[i].cls == SITE_OUTER) {
            *at = all->items[i].at;
            found = true;
        }
    free(all);
    return found;
}

static void stage_more(struct deriver *v, const struct shape *from, int depth,
                       struct shapes *out)
{
    const struct lift_rule *rule = numbered(v, "stageLocal", from->tile_dims);
    struct lift_path at;
    struct shape s;

    if (depth == 0 || !find_tiles(v, from, &at))
        return;
    for (int choice = 0; choice < MAX_CHOICES; choice++) {
        if (!apply(v, from, rule, &at, choice, &s))
            return;
        add_shape(out, &s);
        stage_more(v, &s, depth - 1, out);
    }
}

/* Streams keep what they read in registers. */
static void stage_all(struct deriver *v, struct shapes *list)
{
    int count = list->count;

    for (int i = 0; i < count; i++)
        if (list->items[i].tile_dims)
            stage_more(v, &list->items[i], MAX_STAGINGS, list);
}

/* ---- layout */

static bool apply_to_all(struct deriver *v, const struct shape *from, const char *name,
                         int choice, struct shape *out)
{
    struct lift_path root = {.count = 0};

    return apply(v, from, lift_rules_find(v->rules, name), &root, choice, out);
}

/* The input that an inPlace at the root overwrites. */
static bool may_overwrite(const struct deriver *v, lift_expr in_place)
{
    for (int i = 0; i < v->p->input_count; i++)
        if (v->p->inputs[i] == in_place->u.prim.args[0])
            return lift_program_input_dies(v->p->program, i);
    return false;
}

static bool store_in_place(struct deriver *v, const struct shape *from, struct shape *out)
{
    for (int choice = 0; choice < MAX_CHOICES; choice++)
        if (apply_to_all(v, from, "inPlace", choice, out) &&
            may_overwrite(v, v->d->nodes[out->node].term))
            return true;
    return false;
}

/* Each shape once more, with halos in the buffers, results in place and aligned rows, as
 * far as the program is one for that. */
static void lay_out_all(struct deriver *v, struct shapes *list)
{
    int count = list->count;

    for (int i = 0; i < count; i++) {
        struct shape s = list->items[i], next;
        bool any = false;

        if (apply_to_all(v, &s, "physicalHalo", 0, &next)) {
            s = next;
            any = true;
        }
        if (store_in_place(v, &s, &next)) {
            s = next;
            any = true;
        }
        if (any && apply_to_all(v, &s, "alignRows", 0, &next))
            add_shape(list, &next);
    }
}

/* ---- lower */

struct lowered {
    const struct lowering *list;
    int count;
};

static void add_leaf(struct deriver *v, const struct shape *s, const struct lowering *l)
{
    struct derivation *d = v->d;
    int node = derive_steps(d, s->node, &l->steps);

    for (int i = 0; i < d->leaf_count; i++)
        if (d->leaves[i].node == node)
            return;
    if (d->leaf_count == d->leaf_cap) {
        d->leaf_cap = d->leaf_cap ? 2 * d->leaf_cap : 64;
        d->leaves = realloc(d->leaves, sizeof *d->leaves * (size_t)d->leaf_cap);
        LIFT_ASSERT(d->leaves);
    }
    d->leaves[d->leaf_count++] = (struct derive_leaf){node, s->conditions};
}

/* The first way to lower every shape, then the second, ...: breadth over the shapes. */
static void lower_all(struct deriver *v, const struct shapes *shapes,
                      struct lift_str *why)
{
    struct lowered all[MAX_SHAPES];
    bool more = true;

    for (int i = 0; i < shapes->count; i++)
        all[i].count =
            explore_lower(v->d->ir, v->rules, v->d->nodes[shapes->items[i].node].term,
                          v->device->dialect, &all[i].list, i ? NULL : why);
    for (int way = 0; more && v->d->leaf_count < v->most; way++) {
        more = false;
        for (int i = 0; i < shapes->count && v->d->leaf_count < v->most; i++)
            if (way < all[i].count) {
                add_leaf(v, &shapes->items[i], &all[i].list[way]);
                more = true;
            }
    }
}

struct derivation *explore_derive(const struct explore_problem *p,
                                  const struct lift_rules *rules,
                                  const struct lift_device_info *device, int most,
                                  struct lift_str *why)
{
    struct derivation *d = calloc(1, sizeof *d);
    struct deriver v = {d, p, rules, device, lift_ir_arena(p->ir), most};
    struct shapes *shapes = calloc(1, sizeof *shapes);
    struct shape first;

    if (!d || !shapes)
        LIFT_BUG("out of memory");
    d->ir = p->ir;
    derive_node(d, p->root);
    first = prepared(&v);
    shape_all(&v, &first, shapes);
    stage_all(&v, shapes);
    lay_out_all(&v, shapes);
    lower_all(&v, shapes, why);
    free(shapes);
    return d;
}
