/* The walk over loops. The walk visits the maps that code generation writes as loops
 * (src/codegen/write.c). */
#include "base/memory.h"
#include "ir/spine.h"
#include "rules/roles.h"
#include "rules/rule_loops.h"
#include <stdlib.h>

/* Parameters of the surrounding functions. 'stored' is true for a 'let' of a value in
 * registers. */
struct binder {
    const struct binder *outer;
    bool stored;
};

struct walk {
    struct lift_loops *out;
    const struct binder *binders; /* innermost binder first */
    struct lift_path at;
    enum lift_op storage;
    int parent, streams;
    bool grids;       /* omit result members that have fewer dimensions */
    struct dims dims; /* dimensions of the current value */
};

typedef void visit_fn(struct walk *w, lift_expr e);

static void result(struct walk *w, lift_expr e);
static void data(struct walk *w, lift_expr e);

static void visit(struct walk *w, lift_expr e, int child, visit_fn *fn)
{
    struct dims dims = w->dims;

    if (w->at.count == LIFT_MAX_PATH) {
        w->out->too_deep = true;
        return;
    }
    w->at.steps[w->at.count++] = (uint8_t)child;
    w->dims = dims_below(e, child, &dims);
    fn(w, lift_expr_child(e, child));
    w->dims = dims;
    w->at.count--;
}

static void body_of_binders(struct walk *w, lift_expr lambda, bool stored)
{
    struct binder binders[LIFT_MAX_PARAMS];
    const struct binder *outer = w->binders;

    for (int i = 0; i < lambda->arg_count; i++)
        binders[i] = (struct binder){i ? &binders[i - 1] : outer, stored};
    w->binders = &binders[lambda->arg_count - 1];
    visit(w, lambda, 0, result);
    w->binders = outer;
}

static void body_of_lambda(struct walk *w, lift_expr lambda)
{
    body_of_binders(w, lambda, false);
}

static void body_of_kept(struct walk *w, lift_expr lambda)
{
    body_of_binders(w, lambda, true);
}

/* Visits the members of a result; with 'grids', only members with the most dimensions. */
static void members(struct walk *w, lift_expr e)
{
    bool root = w->parent < 0 && w->storage == LIFT_OP_COUNT;
    struct dims dims = w->dims;

    for (int i = 0; i < e->arg_count; i++) {
        bool list = root && lift_has_fewer_dims(e->type, i);

        w->dims = list ? dims_of(e->type->parts[i]) : dims;
        if (!list || !w->grids)
            visit(w, e, i, result);
    }
    w->dims = dims;
}

static void visit_data(struct walk *w, lift_expr e, visit_fn *fn)
{
    for (int i = 0; i < e->arg_count; i++)
        if (lift_expr_child(e, i)->kind != LIFT_EXPR_LAMBDA)
            visit(w, e, i, fn);
}

/* ---- loops */

/* True if 'e' reads a value that a loop of 'e' or a surrounding 'let' computes and
 * stores. */
static bool reads_stored(const struct binder *binders, lift_expr e)
{
    if (e->kind == LIFT_EXPR_BOUND) {
        for (int i = e->u.index; binders && i > 0; i--)
            binders = binders->outer;
        return binders && binders->stored;
    }
    if (e->kind != LIFT_EXPR_PRIM)
        return false;
    if (lift_expr_is_storage(e))
        return true;
    for (int i = 0; i < e->arg_count; i++)
        if (e->u.prim.args[i]->kind != LIFT_EXPR_LAMBDA &&
            reads_stored(binders, e->u.prim.args[i]))
            return true;
    return false;
}

static bool copies_elements(const struct walk *w, lift_expr map)
{
    lift_expr body = map->u.prim.args[0]->u.lambda.body;

    return body->kind == LIFT_EXPR_BOUND && body->u.index == 0 &&
           !reads_stored(w->binders, map->u.prim.args[1]);
}

static int add_loop(struct walk *w, lift_expr map)
{
    struct lift_loops *all = w->out;
    int above = w->parent < 0 ? 0 : all->items[w->parent].above + 1;

    LIFT_ROOM(all->items, all->count, all->cap);
    all->items[all->count] = (struct lift_loop){.at = w->at,
                                                .map = map,
                                                .storage = w->storage,
                                                .parent = w->parent,
                                                .above = above,
                                                .streams = w->streams,
                                                .copies = copies_elements(w, map),
                                                .dim = dims_first(&w->dims)};
    return all->count++;
}

static void loop(struct walk *w, lift_expr map)
{
    int parent = w->parent, index = add_loop(w, map);

    visit(w, map, 1, data);
    w->parent = index;
    visit(w, map, 0, body_of_lambda);
    w->parent = parent;
}

static void storage(struct walk *w, lift_expr e)
{
    struct walk inner = *w;

    inner.storage = e->op;
    inner.parent = -1;
    inner.streams = 0;
    inner.dims = dims_of(e->type);
    w->out->has_local |= e->op == LIFT_TO_LOCAL;
    visit(&inner, e, 0, result);
}

static void stored_element(struct walk *w, lift_expr lambda)
{
    struct binder element = {w->binders, false};

    w->binders = &element;
    visit(w, lambda, 0, storage);
    w->binders = element.outer;
}

/* Walks the arguments that a loop reads. Only stored values, and the elements of a stored
 * stream, contain loops. */
static void data(struct walk *w, lift_expr e)
{
    if (lift_expr_is(e, LIFT_MAP) &&
        lift_expr_is_storage(e->u.prim.args[0]->u.lambda.body))
        visit(w, e, 0, stored_element);
    if (lift_expr_is_storage(e))
        storage(w, e);
    else if (e->kind == LIFT_EXPR_PRIM)
        visit_data(w, e, data);
}

static void result_array(struct walk *w, lift_expr e)
{
    if (lift_is_repeated(e)) {
        visit(w, e, 1, data);
        visit(w, e, 0, body_of_lambda);
    } else if (e->op == LIFT_MAP && lift_moved_slot(e) == 1) {
        visit(w, e, 1, result);
    } else if (lift_op_is_map(e->op)) {
        loop(w, e);
    } else if (e->op == LIFT_MAP_SEQ_SLIDE) {
        visit(w, e, 1, data);
        roles_note_stream(w->out, w->parent, dims_first(&w->dims));
        w->streams++;
        visit(w, e, 0, body_of_lambda);
        w->streams--;
    } else if (e->op == LIFT_SELECT) {
        visit(w, e, 1, result);
        visit(w, e, 2, result);
    } else if (e->op == LIFT_TUPLE) {
        members(w, e);
    } else {
        visit_data(w, e, result);
    }
}

static void result(struct walk *w, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM)
        return;
    if (e->op == LIFT_LET) {
        visit(w, e, 0, data);
        visit(w, e, 1,
              lift_expr_is(e->u.prim.args[0], LIFT_TO_PRIVATE) ? body_of_kept
                                                               : body_of_lambda);
    } else if (lift_expr_is_storage(e)) {
        storage(w, e);
    } else if (e->type->kind == LIFT_TYPE_ARRAY || e->op == LIFT_TUPLE ||
               (e->op == LIFT_SELECT && lift_is_grids(e->type)) || lift_is_repeated(e) ||
               lift_moved_slot(e) >= 0) {
        result_array(w, e);
    }
}

/* ---- facts about nested loops */

/* Inner loops follow outer loops in the list, so the pass runs from last to first. */
static void summarise(struct lift_loops *all)
{
    for (int i = all->count - 1; i >= 0; i--) {
        struct lift_loop *l = &all->items[i], *up;

        if (l->parent < 0)
            continue;
        up = &all->items[l->parent];
        up->copies = (up->below == 0 || up->copies) && l->copies;
        if (up->below < l->below + 1)
            up->below = l->below + 1;
    }
}

/* If no loop of the result computes, the loops that copy are ordinary loops, not borders.
 */
static void find_borders(struct lift_loops *all)
{
    bool computes = false;

    for (int i = 0; i < all->count; i++)
        computes |= all->items[i].storage == LIFT_OP_COUNT && all->items[i].below == 0 &&
                    !all->items[i].copies;
    for (int i = 0; i < all->count && !computes; i++)
        all->items[i].copies &= all->items[i].storage != LIFT_OP_COUNT;
}

void lift_loops_find(lift_expr term, bool grids, struct lift_loops *out)
{
    struct walk w = {.out = out,
                     .storage = LIFT_OP_COUNT,
                     .parent = -1,
                     .grids = grids,
                     .dims = dims_of(term->type)};

    out->count = 0;
    out->has_local = out->too_deep = false;
    result(&w, term);
    summarise(out);
    find_borders(out);
    roles_find(term, out);
}

void lift_loops_fini(struct lift_loops *loops)
{
    free(loops->items);
    *loops = (struct lift_loops){0};
}
