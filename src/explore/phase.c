#include "explore/phase.h"
#include "explore/sites.h"
#include "lift/bug.h"
#include "lift/strategy.h"
#include <stdlib.h>
#include <string.h>

/* Where the rules of a phase are tried. */
enum places {
    PLACES_ROOT,  /* the whole term */
    PLACES_FEW,   /* the first places where they apply, each a choice */
    PLACES_ALL,   /* everywhere, as one choice */
    PLACES_LOOPS, /* every loop of the interior; those inside tiles, if there are tiles */
    PLACES_INTERIOR, /* the interior; of rules for a number of dimensions each, such as
                        regions(1) .. regions(3), the last that applies */
    PLACES_TILES,    /* likewise the outermost loop over tiles */
};

struct phase {
    enum lift_phase tag; /* of its rules; NONE: those of a user that have no tag */
    enum places places;
    int depth; /* applications in a row */
};

/* In this order; each is optional, and each choice of one is combined with those of the
 * next. */
static const struct phase phases[] = {
    {LIFT_PHASE_TERM, PLACES_FEW, 1},        {LIFT_PHASE_NONE, PLACES_FEW, 1},
    {LIFT_PHASE_REGION, PLACES_INTERIOR, 2}, {LIFT_PHASE_TILE, PLACES_LOOPS, 1},
    {LIFT_PHASE_STREAM, PLACES_LOOPS, 1},    {LIFT_PHASE_WINDOW, PLACES_ALL, 2},
    {LIFT_PHASE_NONE, PLACES_FEW, 1},        {LIFT_PHASE_STAGE, PLACES_TILES, 3},
    {LIFT_PHASE_INNER, PLACES_ALL, 1},       {LIFT_PHASE_LAYOUT, PLACES_ROOT, 1},
};

enum {
    PHASES = sizeof phases / sizeof *phases,
    FEW = 4,
    MAX_CHOICES = 4, /* results of a rule at one place */
    MAX_EVERYWHERE = 8,
};

/* ---- shapes */

void derive_add_shape(struct deriver *v, const struct shape *s)
{
    struct shapes *list = &v->shapes;
    struct derive_node *node = &v->d->nodes[s->node];

    if (node->shaped || !derive_is_legal(v->p, node->term))
        return;
    node->shaped = true;
    v->d->reach.shapes++;
    if (list->count == list->most) {
        v->d->reach.shapes_cut++;
        return;
    }
    if (list->count == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 64;
        list->items = realloc(list->items, sizeof *list->items * (size_t)list->cap);
        if (!list->items)
            LIFT_BUG("out of memory");
    }
    list->items[list->count++] = *s;
}

/* One expansion of a shape. */
struct step {
    struct deriver *v;
    struct shape from;
    int phase, rule; /* which adds to it */
};

static bool apply(struct step *x, lift_strategy s)
{
    struct shape to;

    if (!derive_run(x->v, &x->from, s, &to))
        return false;
    to.uses = x->phase == x->from.phase ? x->from.uses + 1 : 1;
    to.phase = x->phase;
    to.rule = x->rule;
    derive_add_shape(x->v, &to);
    return true;
}

static lift_expr term_of(const struct step *x)
{
    return x->v->d->nodes[x->from.node].term;
}

/* Every result that a rule has at a place; false if there is none. */
static bool apply_at(struct step *x, const struct lift_rule *rule,
                     const struct lift_path *at)
{
    struct lift_arena *arena = x->v->arena;
    struct lift_place place = {.kind = LIFT_PLACE_PATH, .path = *at};
    int most = rule->form == LIFT_RULE_MACRO ? 1 : MAX_CHOICES;

    for (int choice = 0; choice < most; choice++)
        if (!apply(x, lift_strategy_at(arena, &place,
                                       lift_strategy_pick(arena, rule, choice))))
            return choice > 0;
    return true;
}

/* ---- places */

struct few {
    struct lift_path at[FEW];
    int count;
};

static bool note_place(void *user, const struct lift_rewrite *rewrite)
{
    struct few *few = user;

    if (rewrite->choice == 0)
        few->at[few->count++] = rewrite->at;
    return few->count < FEW;
}

static void at_few(struct step *x, const struct lift_rule *rule)
{
    struct few few = {.count = 0};

    lift_rewrite_each(x->v->d->ir, &rule, 1, term_of(x), note_place, &few);
    for (int i = 0; i < few.count; i++)
        apply_at(x, rule, &few.at[i]);
}

static void everywhere(struct step *x, const struct lift_rule *rule)
{
    struct lift_arena *arena = x->v->arena;
    lift_strategy once = lift_strategy_topdown(arena, lift_strategy_rule(arena, rule));

    apply(x, lift_strategy_repeat(arena, once, MAX_EVERYWHERE));
}

static struct lift_path interior(const struct step *x)
{
    struct lift_place place = {.kind = LIFT_PLACE_INTERIOR, .nth = 1};
    struct lift_path at = {.count = 0};

    lift_place_find(term_of(x), &place, &at);
    return at;
}

static bool is_within(const struct lift_path *at, const struct lift_path *outer)
{
    return at->count >= outer->count &&
           memcmp(at->steps, outer->steps, outer->count) == 0;
}

static bool is_place(const struct sites *all, const struct site *s)
{
    bool tiles = false;

    for (int i = 0; i < all->count; i++)
        tiles |=
            all->items[i].cls == SITE_INNER && all->items[i].storage == LIFT_OP_COUNT;
    return s->storage == LIFT_OP_COUNT && !s->lowered && !s->copies &&
           s->cls == (tiles ? SITE_INNER : SITE_PLAIN);
}

static void at_loops(struct step *x, const struct lift_rule *rule)
{
    struct sites *all = explore_sites(term_of(x));
    struct lift_path part = interior(x);

    for (int i = 0; i < all->count; i++)
        if (is_place(all, &all->items[i]) && is_within(&all->items[i].at, &part))
            apply_at(x, rule, &all->items[i].at);
    free(all);
}

static bool find_tiles(const struct step *x, struct lift_path *at)
{
    struct sites *all = explore_sites(term_of(x));
    bool found = false;

    for (int i = 0; i < all->count && !found; i++)
        if (all->items[i].cls == SITE_OUTER) {
            *at = all->items[i].at;
            found = true;
        }
    free(all);
    return found;
}

/* ---- rules of a phase */

static bool belongs(const struct deriver *v, const struct lift_rule *rule, int phase)
{
    enum lift_phase tag = phases[phase].tag;

    return rule->phase == tag && !rule->option &&
           (tag != LIFT_PHASE_NONE || !rule->shipped) && derive_allows(v->p, rule);
}

/* For other numbers of dimensions, but else the same. */
static bool same_family(const struct lift_rule *a, const struct lift_rule *b)
{
    return a->part_count == 1 && b->part_count == 1 && strcmp(a->base, b->base) == 0;
}

/* From the last rule to the first, one of a family. */
static void families_at(struct step *x, const struct lift_path *at)
{
    const struct lift_rules *rules = x->v->rules;
    const struct lift_rule *done = NULL;

    for (int i = lift_rules_count(rules) - 1; i >= 0; i--) {
        const struct lift_rule *rule = lift_rules_get(rules, i);

        x->rule = i;
        if (belongs(x->v, rule, x->phase) && !(done && same_family(done, rule)) &&
            apply_at(x, rule, at))
            done = rule;
    }
}

static void at_root(struct step *x, const struct lift_rule *rule)
{
    struct lift_path root = {.count = 0};

    apply_at(x, rule, &root);
}

static void use_rule(struct step *x, const struct lift_rule *rule)
{
    switch (phases[x->phase].places) {
    case PLACES_ROOT:
        at_root(x, rule);
        break;
    case PLACES_FEW:
        at_few(x, rule);
        break;
    case PLACES_ALL:
        everywhere(x, rule);
        break;
    default:
        at_loops(x, rule);
        break;
    }
}

static void use_phase(struct step *x)
{
    const struct lift_rules *rules = x->v->rules;
    enum places places = phases[x->phase].places;
    struct lift_path at = {.count = 0};

    if (x->phase == x->from.phase && x->from.uses >= phases[x->phase].depth)
        return;
    if (places == PLACES_INTERIOR)
        at = interior(x);
    if (places == PLACES_INTERIOR || places == PLACES_TILES) {
        if (places == PLACES_INTERIOR || find_tiles(x, &at))
            families_at(x, &at);
        return;
    }
    for (x->rule = 0; x->rule < lift_rules_count(rules); x->rule++)
        if (belongs(x->v, lift_rules_get(rules, x->rule), x->phase))
            use_rule(x, lift_rules_get(rules, x->rule));
}

void derive_shapes(struct deriver *v)
{
    for (int i = 0; i < v->shapes.count; i++) {
        struct step x = {.v = v, .from = v->shapes.items[i]};

        if (v->shapes.count == v->shapes.most) {
            v->d->reach.shapes_open++;
            continue;
        }
        for (x.phase = x.from.phase; x.phase < PHASES; x.phase++)
            use_phase(&x);
    }
}
