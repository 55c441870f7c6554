/* Finds places by description. */
#include "ir/spine.h"
#include "rules/native/interior.h"
#include "rules/rule_loops.h"
#include "rules/strategy.h"

/* ---- loops */

bool lift_position_fits(const struct lift_position *position, const struct lift_loop *l)
{
    bool stored = l->storage != LIFT_OP_COUNT;
    bool by_role =
        position->kind == LIFT_POSITION_ROLE || position->kind == LIFT_POSITION_COPY;
    int below = by_role ? l->index : l->below;

    if (l->map->op != LIFT_MAP || (position->below >= 0 && position->below != below))
        return false;
    if (position->kind == LIFT_POSITION_COPY)
        return stored;
    if (position->kind == LIFT_POSITION_ROLE)
        return l->role == position->role;
    return !stored && l->copies == (position->kind == LIFT_POSITION_BORDER) &&
           (position->kind != LIFT_POSITION_OUTER || l->above == 0);
}

static bool find_loop(lift_expr term, const struct lift_position *position, bool grids,
                      struct lift_path *out)
{
    LIFT_SCOPED(lift_loops) all = {0};
    int left = position->nth;
    bool found = false;

    lift_loops_find(term, grids, &all);
    for (int i = 0; i < all.count && !found; i++)
        if (lift_position_fits(position, &all.items[i]) && --left == 0) {
            *out = all.items[i].at;
            found = true;
        }
    return found;
}

/* ---- primitives */

struct prim_search {
    enum lift_op op;
    int left;
};

static bool find_prim(lift_expr e, struct prim_search *x, bool grids,
                      struct lift_path *at)
{
    if (lift_expr_is(e, x->op) && --x->left == 0)
        return true;
    if (at->count == LIFT_MAX_PATH)
        return false;
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        if (grids && lift_expr_is(e, LIFT_TUPLE) && lift_has_fewer_dims(e->type, i))
            continue;
        at->steps[at->count++] = (uint8_t)i;
        if (find_prim(lift_expr_child(e, i), x, grids && lift_leads_to_result(e, i), at))
            return true;
        at->count--;
    }
    return false;
}

bool lift_position_find(lift_expr term, const struct lift_position *position, bool grids,
                        struct lift_path *out)
{
    struct prim_search prim = {position->op, position->nth};

    out->count = 0;
    switch (position->kind) {
    case LIFT_POSITION_PATH:
        *out = position->path;
        return lift_path_get(term, out) != NULL;
    case LIFT_POSITION_PRIM:
        return find_prim(term, &prim, grids, out);
    case LIFT_POSITION_INTERIOR:
        place_interior(term, out);
        return position->nth == 1;
    default:
        return find_loop(term, position, grids, out);
    }
}

void lift_position_print(const struct lift_position *position, struct lift_str *out)
{
    static const char *const words[] = {[LIFT_POSITION_LOOP] = "loop",
                                        [LIFT_POSITION_BORDER] = "border",
                                        [LIFT_POSITION_COPY] = "copy",
                                        [LIFT_POSITION_INTERIOR] = "interior",
                                        [LIFT_POSITION_OUTER] = "outer"};
    const char *word;

    if (position->kind == LIFT_POSITION_PATH) {
        lift_str_addc(out, '"');
        lift_path_print(&position->path, out);
        lift_str_addc(out, '"');
        return;
    }
    if (position->nth > 1)
        lift_str_addf(out, "nth(%d, ", position->nth);
    word = position->kind == LIFT_POSITION_PRIM   ? lift_prim_info(position->op)->name
           : position->kind == LIFT_POSITION_ROLE ? lift_role_name(position->role)
                                                  : words[position->kind];
    lift_str_add(out, word);
    if (position->kind != LIFT_POSITION_PRIM && position->below >= 0)
        lift_str_addf(out, "(%d)", position->below);
    lift_str_add(out, position->nth > 1 ? ")" : "");
}
