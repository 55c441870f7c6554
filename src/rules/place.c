/* Places by description. The walk over loops follows what code generation writes as a
 * loop: maps on the way of the result, and on that of stored values. */
#include "lift/bug.h"
#include "lift/spine.h"
#include "lift/strategy.h"
#include <stdlib.h>

enum { MAX_LOOPS = 128 };

struct loop {
    struct lift_path at;
    lift_expr map;
    int parent, below;
    bool stored; /* it fills a stored value */
    bool copies; /* all innermost loops in it only copy */
};

struct walk {
    struct loop *loops; /* in preorder */
    int count;
    struct lift_path at;
    int parent;
    bool stored;
};

/* ---- loops */

typedef void visit_fn(struct walk *w, lift_expr e);

static void result(struct walk *w, lift_expr e);
static void data(struct walk *w, lift_expr e);

static void visit(struct walk *w, lift_expr e, int child, visit_fn *fn)
{
    if (w->at.count == LIFT_MAX_PATH)
        return;
    w->at.steps[w->at.count++] = (uint8_t)child;
    fn(w, lift_expr_child(e, child));
    w->at.count--;
}

static void body_of_lambda(struct walk *w, lift_expr lambda)
{
    visit(w, lambda, 0, result);
}

static void visit_data(struct walk *w, lift_expr e, visit_fn *fn)
{
    for (int i = 0; i < e->arg_count; i++)
        if (lift_expr_child(e, i)->kind != LIFT_EXPR_LAMBDA)
            visit(w, e, i, fn);
}

static bool copies_elements(lift_expr map)
{
    lift_expr body = map->u.prim.args[0]->u.lambda.body;

    return body->kind == LIFT_EXPR_BOUND && body->u.index == 0;
}

static void add_loop(struct walk *w, lift_expr map)
{
    int parent = w->parent;

    visit(w, map, 1, data);
    if (w->count == MAX_LOOPS)
        return;
    w->loops[w->count] =
        (struct loop){.at = w->at, .map = map, .parent = parent, .stored = w->stored};
    w->parent = w->count++;
    visit(w, map, 0, body_of_lambda);
    w->parent = parent;
}

static bool is_storage(lift_expr e)
{
    return lift_expr_is(e, LIFT_TO_LOCAL) || lift_expr_is(e, LIFT_TO_PRIVATE) ||
           lift_expr_is(e, LIFT_TO_GLOBAL);
}

static void storage(struct walk *w, lift_expr e)
{
    int parent = w->parent;
    bool stored = w->stored;

    w->parent = -1;
    w->stored = true;
    visit(w, e, 0, result);
    w->parent = parent;
    w->stored = stored;
}

/* What a loop reads: only values stored on the way are made by loops. */
static void data(struct walk *w, lift_expr e)
{
    if (is_storage(e))
        storage(w, e);
    else if (e->kind == LIFT_EXPR_PRIM)
        visit_data(w, e, data);
}

static void result_array(struct walk *w, lift_expr e)
{
    if (e->op == LIFT_MAP && lift_moved_slot(e) == 1) {
        visit(w, e, 1, result);
    } else if (lift_op_is_map(e->op)) {
        add_loop(w, e);
    } else if (e->op == LIFT_MAP_SEQ_SLIDE) {
        visit(w, e, 1, data);
        visit(w, e, 0, body_of_lambda);
    } else if (e->op == LIFT_SELECT) {
        visit(w, e, 1, result);
        visit(w, e, 2, result);
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
        visit(w, e, 1, body_of_lambda);
    } else if (is_storage(e)) {
        storage(w, e);
    } else if (e->type->kind == LIFT_TYPE_ARRAY || e->op == LIFT_TUPLE ||
               e->op == LIFT_UNZIP) {
        result_array(w, e);
    }
}

/* Inner loops come after those around them: so from the last to the first. */
static void summarise(struct walk *w)
{
    for (int i = w->count - 1; i >= 0; i--)
        w->loops[i].copies = copies_elements(w->loops[i].map);
    for (int i = w->count - 1; i >= 0; i--) {
        struct loop *l = &w->loops[i], *up = &w->loops[l->parent];

        if (l->parent < 0)
            continue;
        up->copies = (up->below == 0 || up->copies) && l->copies;
        if (up->below < l->below + 1)
            up->below = l->below + 1;
    }
}

static bool fits(const struct loop *l, const struct lift_place *place)
{
    if (l->map->op != LIFT_MAP || (place->below >= 0 && place->below != l->below))
        return false;
    if (place->kind == LIFT_PLACE_COPY)
        return l->stored;
    return !l->stored && l->copies == (place->kind == LIFT_PLACE_BORDER);
}

static bool find_loop(lift_expr term, const struct lift_place *place,
                      struct lift_path *out)
{
    struct walk w = {.parent = -1};
    int left = place->nth;
    bool found = false;

    w.loops = malloc(MAX_LOOPS * sizeof *w.loops);
    LIFT_ASSERT(w.loops);
    result(&w, term);
    summarise(&w);
    for (int i = 0; i < w.count && !found; i++)
        if (fits(&w.loops[i], place) && --left == 0) {
            *out = w.loops[i].at;
            found = true;
        }
    free(w.loops);
    return found;
}

/* ---- primitives */

static bool find_prim(lift_expr e, enum lift_op op, int *left, struct lift_path *at)
{
    if (lift_expr_is(e, op) && --*left == 0)
        return true;
    if (at->count == LIFT_MAX_PATH)
        return false;
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        at->steps[at->count++] = (uint8_t)i;
        if (find_prim(lift_expr_child(e, i), op, left, at))
            return true;
        at->count--;
    }
    return false;
}

bool lift_place_find(lift_expr term, const struct lift_place *place,
                     struct lift_path *out)
{
    int left = place->nth;

    out->count = 0;
    switch (place->kind) {
    case LIFT_PLACE_PATH:
        *out = place->path;
        return lift_path_get(term, out) != NULL;
    case LIFT_PLACE_PRIM:
        return find_prim(term, place->op, &left, out);
    default:
        return find_loop(term, place, out);
    }
}

void lift_place_print(const struct lift_place *place, struct lift_str *out)
{
    static const char *const words[] = {[LIFT_PLACE_LOOP] = "loop",
                                        [LIFT_PLACE_BORDER] = "border",
                                        [LIFT_PLACE_COPY] = "copy"};

    if (place->kind == LIFT_PLACE_PATH) {
        lift_str_addc(out, '"');
        lift_path_print(&place->path, out);
        lift_str_addc(out, '"');
        return;
    }
    if (place->nth > 1)
        lift_str_addf(out, "nth(%d, ", place->nth);
    lift_str_add(out, place->kind == LIFT_PLACE_PRIM ? lift_prim_info(place->op)->name
                                                     : words[place->kind]);
    if (place->kind != LIFT_PLACE_PRIM && place->below >= 0)
        lift_str_addf(out, "(%d)", place->below);
    lift_str_add(out, place->nth > 1 ? ")" : "");
}
