/* Places by description. */
#include "interior.h"
#include "lift/rule_loops.h"
#include "lift/strategy.h"

/* ---- loops */

static bool fits(const struct lift_loop *l, const struct lift_place *place)
{
    bool stored = l->storage != LIFT_OP_COUNT;

    if (l->map->op != LIFT_MAP || (place->below >= 0 && place->below != l->below))
        return false;
    if (place->kind == LIFT_PLACE_COPY)
        return stored;
    return !stored && l->copies == (place->kind == LIFT_PLACE_BORDER);
}

static bool find_loop(lift_expr term, const struct lift_place *place,
                      struct lift_path *out)
{
    struct lift_loops all = {0};
    int left = place->nth;
    bool found = false;

    lift_loops_find(term, &all);
    for (int i = 0; i < all.count && !found; i++)
        if (fits(&all.items[i], place) && --left == 0) {
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
                                        [LIFT_PLACE_INTERIOR] = "interior"};

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
