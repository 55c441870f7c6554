/* Whether a term is low-level: each loop has a level that its device has. */
#include "explore/candidate/derive.h"
#include "lift/rule_loops.h"

static bool is_of_dialect(enum lift_op op, enum lift_dialect dialect)
{
    switch (op) {
    case LIFT_MAP:
        return false;
    case LIFT_MAP_PAR:
    case LIFT_MAP_TASK:
    case LIFT_MAP_SIMD:
    case LIFT_MAP_VEC:
        return dialect == LIFT_DIALECT_OPENMP;
    case LIFT_MAP_GLB:
    case LIFT_MAP_WRG:
    case LIFT_MAP_LCL:
        return lift_dialect_has_groups(dialect);
    default:
        return true;
    }
}

/* Global memory is filled by a kernel of its own, in which there may be no group. */
static bool is_in_group(const struct lift_loops *all, const struct lift_loop *l)
{
    if (l->storage != LIFT_TO_GLOBAL || l->map->op != LIFT_MAP_LCL)
        return true;
    for (int at = l->parent; at >= 0; at = all->items[at].parent)
        if (all->items[at].map->op == LIFT_MAP_WRG)
            return true;
    return false;
}

/* Work-items, groups, items of groups; 0: none of these. */
static int spread_of(lift_expr map)
{
    return map->op == LIFT_MAP_GLB   ? 1
           : map->op == LIFT_MAP_WRG ? 2
           : map->op == LIFT_MAP_LCL ? 3
                                     : 0;
}

static bool may_stand_in(lift_expr inner, lift_expr outer)
{
    int a = spread_of(inner), b = spread_of(outer);

    if (a == 0 || b == 0)
        return true;
    return a == b ? inner->u.prim.attrs[0] != outer->u.prim.attrs[0] : a == 3 && b == 2;
}

/* The loops around it are spread over others, or groups around their items. */
static bool is_spread_once(const struct lift_loops *all, const struct lift_loop *l)
{
    for (int i = l->parent; i >= 0; i = all->items[i].parent)
        if (!may_stand_in(l->map, all->items[i].map))
            return false;
    return true;
}

bool derive_is_lowered(lift_expr term, enum lift_dialect dialect)
{
    struct lift_loops all = {0};
    bool good;

    lift_loops_find(term, &all);
    good = !all.too_deep && !lift_expr_mentions(term, LIFT_REDUCE);
    for (int i = 0; i < all.count && good; i++)
        good = is_of_dialect(all.items[i].map->op, dialect) &&
               is_in_group(&all, &all.items[i]) && is_spread_once(&all, &all.items[i]);
    lift_loops_fini(&all);
    return good;
}
