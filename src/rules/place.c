/* Places by description. */
#include "lift/rule_loops.h"
#include "lift/strategy.h"
#include "rules/native/interior.h"

/* ---- loops */

bool lift_place_fits(const struct lift_place *place, const struct lift_loop *l)
{
    bool stored = l->storage != LIFT_OP_COUNT;
    int below = place->kind == LIFT_PLACE_ROLE ? l->index : l->below;

    if (l->map->op != LIFT_MAP || (place->below >= 0 && place->below != below))
        return false;
    if (place->kind == LIFT_PLACE_COPY)
        return stored;
    if (place->kind == LIFT_PLACE_ROLE)
        return l->role == place->role;
    return !stored && l->copies == (place->kind == LIFT_PLACE_BORDER) &&
           (place->kind != LIFT_PLACE_OUTER || l->above == 0);
}

static bool find_loop(lift_expr term, const struct lift_place *place,
                      struct lift_path *out)
{
    struct lift_loops all = {0};
    int left = place->nth;
    bool found = false;

    lift_loops_find(term, &all);
    for (int i = 0; i < all.count && !found; i++)
        if (lift_place_fits(place, &all.items[i]) && --left == 0) {
            *out = all.items[i].at;
            found = true;
        }
    lift_loops_fini(&all);
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
    case LIFT_PLACE_INTERIOR:
        place_interior(term, out);
        return left == 1;
    default:
        return find_loop(term, place, out);
    }
}

void lift_place_print(const struct lift_place *place, struct lift_str *out)
{
    static const char *const words[] = {[LIFT_PLACE_LOOP] = "loop",
                                        [LIFT_PLACE_BORDER] = "border",
                                        [LIFT_PLACE_COPY] = "copy",
                                        [LIFT_PLACE_INTERIOR] = "interior",
                                        [LIFT_PLACE_OUTER] = "outer"};
    const char *word;

    if (place->kind == LIFT_PLACE_PATH) {
        lift_str_addc(out, '"');
        lift_path_print(&place->path, out);
        lift_str_addc(out, '"');
        return;
    }
    if (place->nth > 1)
        lift_str_addf(out, "nth(%d, ", place->nth);
    word = place->kind == LIFT_PLACE_PRIM   ? lift_prim_info(place->op)->name
           : place->kind == LIFT_PLACE_ROLE ? lift_role_name(place->role)
                                            : words[place->kind];
    lift_str_add(out, word);
    if (place->kind != LIFT_PLACE_PRIM && place->below >= 0)
        lift_str_addf(out, "(%d)", place->below);
    lift_str_add(out, place->nth > 1 ? ")" : "");
}
