#include "explore/sites.h"
#include "lift/bug.h"
#include "lift/rule_loops.h"
#include <stdlib.h>

/* ---- lengths */

static void note_tunable(void *user, lift_nat var, const char *name,
                         enum lift_var_kind kind, int64_t lo, int64_t hi)
{
    (void)var, (void)name, (void)lo, (void)hi;
    if (kind == LIFT_VAR_TUNABLE)
        *(bool *)user = true;
}

static bool is_tiled(lift_nat n)
{
    bool found = false;

    lift_nat_each_var(n, note_tunable, &found);
    return found;
}

/* True if a term of the sum is the quotient by a tunable and nothing else tunable. */
static bool counts_tiles(lift_nat n)
{
    for (int t = 0; t < lift_nat_term_count(n); t++) {
        int factors, quotients = 0, others = 0;

        lift_nat_term(n, t, &factors);
        for (int f = 0; f < factors; f++) {
            struct lift_atom atom = lift_nat_factor(n, t, f);

            if (atom.kind == LIFT_ATOM_DIV && is_tiled(atom.b))
                quotients++;
            else if (atom.kind == LIFT_ATOM_VAR)
                others += is_tiled(lift_nat_find_var(lift_nat_pool(n), atom.name));
        }
        if (quotients > 0 && others == 0)
            return true;
    }
    return false;
}

static enum site_class classify(lift_nat n)
{
    if (!is_tiled(n))
        return SITE_PLAIN;
    return counts_tiles(n) ? SITE_OUTER : SITE_INNER;
}

/* ---- loops */

static void add_loops(struct sites *s, const struct lift_loops *all)
{
    for (int i = 0; i < s->count; i++) {
        const struct lift_loop *l = &all->items[i];

        s->items[i] = (struct site){.at = l->at,
                                    .map = l->map,
                                    .cls = classify(l->map->type->len),
                                    .storage = l->storage,
                                    .parent = l->parent,
                                    .above = l->above,
                                    .below = l->below,
                                    .streams_above = l->streams,
                                    .lowered = l->map->op != LIFT_MAP,
                                    .copies = l->copies};
    }
}

/* Loops over tiles, of whole chains. */
static void count_outers(struct sites *s)
{
    for (int i = s->count - 1; i >= 0; i--)
        for (int at = i; at >= 0; at = s->items[at].parent)
            s->items[i].outers += s->items[at].cls == SITE_OUTER;
    for (int i = s->count - 1; i >= 0; i--)
        for (int at = s->items[i].parent; at >= 0; at = s->items[at].parent)
            if (s->items[at].outers < s->items[i].outers)
                s->items[at].outers = s->items[i].outers;
}

/* ---- reductions */

struct reduces {
    struct lift_path at, *found; /* NULL: they are counted only */
    int count;
    bool too_deep;
};

static void find_reduces(struct reduces *w, lift_expr e)
{
    if (!lift_expr_mentions(e, LIFT_REDUCE))
        return;
    if (lift_expr_is(e, LIFT_REDUCE)) {
        if (w->found)
            w->found[w->count] = w->at;
        w->count++;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        if (w->at.count == LIFT_MAX_PATH) {
            w->too_deep |= lift_expr_mentions(lift_expr_child(e, i), LIFT_REDUCE);
            continue;
        }
        w->at.steps[w->at.count++] = (uint8_t)i;
        find_reduces(w, lift_expr_child(e, i));
        w->at.count--;
    }
}

struct sites *explore_sites(lift_expr term)
{
    struct lift_loops loops = {0};
    struct reduces counted = {.count = 0}, reduces = {.count = 0};
    struct sites *s;

    lift_loops_find(term, &loops);
    find_reduces(&counted, term);
    s = calloc(1, sizeof *s + sizeof *s->items * (size_t)loops.count +
                      sizeof *s->reduces * (size_t)counted.count);
    if (!s)
        LIFT_BUG("out of memory");
    s->items = (struct site *)(s + 1);
    s->count = loops.count;
    s->reduces = reduces.found = (struct lift_path *)(s->items + s->count);
    s->has_local = loops.has_local;
    s->too_deep = loops.too_deep || counted.too_deep;
    add_loops(s, &loops);
    count_outers(s);
    find_reduces(&reduces, term);
    s->reduce_count = reduces.count;
    lift_loops_fini(&loops);
    return s;
}
