#include "explore/sites.h"
#include "lift/bug.h"
#include "lift/spine.h"
#include "lift/table.h"
#include <stdlib.h>

/* The walk follows code generation (src/codegen/write.c): what it writes by a loop is a
 * site. */
struct walk {
    struct sites *out;
    struct lift_path at;
    enum lift_op storage;
    int parent, streams;
};

static void spine(struct walk *w, lift_expr e);
static void stored(struct walk *w, lift_expr e);

static bool push(struct walk *w, int child)
{
    if (w->at.count == LIFT_MAX_PATH) {
        w->out->overflow = true;
        return false;
    }
    w->at.steps[w->at.count++] = (uint8_t)child;
    return true;
}

typedef void visit_fn(struct walk *w, lift_expr e);

static void visit_child(struct walk *w, lift_expr e, int child, visit_fn *visit)
{
    if (!push(w, child))
        return;
    visit(w, lift_expr_child(e, child));
    w->at.count--;
}

static void visit_children(struct walk *w, lift_expr e, int first, visit_fn *visit)
{
    for (int i = first; i < lift_expr_child_count(e); i++)
        visit_child(w, e, i, visit);
}

/* Into the body of the lambda in slot 'child'. */
static void visit_body(struct walk *w, lift_expr e, int child, visit_fn *visit)
{
    if (!push(w, child))
        return;
    visit_child(w, lift_expr_child(e, child), 0, visit);
    w->at.count--;
}

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

static int add_site(struct walk *w, lift_expr map)
{
    struct sites *s = w->out;
    struct site *site;

    if (s->count == EXPLORE_MAX_SITES) {
        s->overflow = true;
        return -1;
    }
    site = &s->items[s->count];
    *site = (struct site){.at = w->at,
                          .map = map,
                          .cls = classify(map->type->len),
                          .storage = w->storage,
                          .parent = w->parent,
                          .above = w->parent < 0 ? 0 : s->items[w->parent].above + 1,
                          .streams_above = w->streams,
                          .lowered = map->op != LIFT_MAP};
    return s->count++;
}

static void loop(struct walk *w, lift_expr e)
{
    int parent = w->parent, site = add_site(w, e);

    visit_child(w, e, 1, stored);
    if (site < 0)
        return;
    w->parent = site;
    visit_body(w, e, 0, spine);
    w->parent = parent;
}

static void stream(struct walk *w, lift_expr e)
{
    visit_child(w, e, 1, stored);
    w->streams++;
    visit_body(w, e, 0, spine);
    w->streams--;
}

static bool is_storage(lift_expr e)
{
    return lift_expr_is(e, LIFT_TO_LOCAL) || lift_expr_is(e, LIFT_TO_PRIVATE) ||
           lift_expr_is(e, LIFT_TO_GLOBAL);
}

static void copy(struct walk *w, lift_expr e)
{
    struct walk inner = *w;

    inner.storage = e->op;
    inner.parent = -1;
    inner.streams = 0;
    if (e->op == LIFT_TO_LOCAL)
        w->out->has_local = true;
    visit_child(&inner, e, 0, spine);
}

/* Storage in data that a loop reads; functions have storage of their own. */
static void stored(struct walk *w, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return;
    if (is_storage(e)) {
        copy(w, e);
        return;
    }
    for (int i = 0; i < e->arg_count; i++)
        if (lift_expr_child(e, i)->kind != LIFT_EXPR_LAMBDA)
            visit_child(w, e, i, stored);
}

static void spine_array(struct walk *w, lift_expr e)
{
    if (e->op == LIFT_MAP && lift_moved_slot(e) == 1)
        visit_child(w, e, 1, spine);
    else if (lift_op_is_map(e->op))
        loop(w, e);
    else if (e->op == LIFT_MAP_SEQ_SLIDE)
        stream(w, e);
    else if (e->op == LIFT_SELECT)
        visit_children(w, e, 1, spine);
    else
        for (int i = 0; i < e->arg_count; i++)
            if (lift_expr_child(e, i)->kind != LIFT_EXPR_LAMBDA)
                visit_child(w, e, i, spine);
}

static void spine(struct walk *w, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return;
    if (e->op == LIFT_LET) {
        visit_child(w, e, 0, stored);
        visit_body(w, e, 1, spine);
    } else if (is_storage(e)) {
        copy(w, e);
    } else if (e->type->kind == LIFT_TYPE_ARRAY || e->op == LIFT_TUPLE ||
               e->op == LIFT_UNZIP) {
        spine_array(w, e);
    }
}

static void find_reduces(struct walk *w, lift_expr e)
{
    if (lift_expr_is(e, LIFT_REDUCE)) {
        if (w->out->reduce_count == EXPLORE_MAX_SITES)
            w->out->overflow = true;
        else
            w->out->reduces[w->out->reduce_count++] = w->at;
    }
    visit_children(w, e, 0, find_reduces);
}

static bool is_copy(lift_expr map)
{
    lift_expr body = map->u.prim.args[0]->u.lambda.body;

    return body->kind == LIFT_EXPR_BOUND && body->u.index == 0;
}

/* A loop copies if all innermost loops in it do. */
static void find_copies(struct sites *s)
{
    for (int i = s->count - 1; i >= 0; i--) {
        struct site *site = &s->items[i];

        site->copies = site->below == 0 ? is_copy(site->map) : site->copies;
        if (site->parent < 0)
            continue;
        if (s->items[site->parent].below == site->below + 1 || !site->copies)
            s->items[site->parent].copies = site->copies;
    }
}

/* Facts of whole chains. */
static void summarise(struct sites *s)
{
    for (int i = s->count - 1; i >= 0; i--) {
        struct site *site = &s->items[i];
        int at = i;

        for (int depth = 1; (at = s->items[at].parent) >= 0; depth++)
            if (s->items[at].below < depth)
                s->items[at].below = depth;
        for (at = i; at >= 0; at = s->items[at].parent)
            site->outers += s->items[at].cls == SITE_OUTER;
    }
    for (int i = s->count - 1; i >= 0; i--)
        for (int at = s->items[i].parent; at >= 0; at = s->items[at].parent)
            if (s->items[at].outers < s->items[i].outers)
                s->items[at].outers = s->items[i].outers;
    find_copies(s);
}

struct sites *explore_sites(lift_expr term)
{
    struct sites *s = calloc(1, sizeof *s);
    struct walk w = {.out = s, .storage = LIFT_OP_COUNT, .parent = -1};

    if (!s)
        LIFT_BUG("out of memory");
    spine(&w, term);
    find_reduces(&w, term);
    summarise(s);
    return s;
}
