/* Whether a term is low-level: each loop has a level that its device has. */
#include "explore/candidate/derive.h"
#include "lift/rule_loops.h"

static bool may_stand_in(lift_expr map, const struct lift_loop_level *level,
                         lift_expr outer, enum lift_dialect dialect)
{
    if (!lift_dialect_level(dialect, outer->op)->spread)
        return true;
    return outer->op == map->op ? outer->u.prim.attrs[0] != map->u.prim.attrs[0]
                                : outer->op == level->within;
}

/* Global memory is filled by a kernel of its own, in which what a level is to be within
 * has to be, too. */
static bool stands_well(const struct lift_loops *all, const struct lift_loop *l,
                        enum lift_dialect dialect)
{
    const struct lift_loop_level *level = lift_dialect_level(dialect, l->map->op);
    bool within;

    if (!level || !level->spread)
        return level != NULL;
    within = level->within == LIFT_OP_COUNT || l->storage != LIFT_TO_GLOBAL;
    for (int i = l->parent; i >= 0; i = all->items[i].parent) {
        if (!may_stand_in(l->map, level, all->items[i].map, dialect))
            return false;
        within |= all->items[i].map->op == level->within;
    }
    return within;
}

bool derive_is_lowered(lift_expr term, enum lift_dialect dialect)
{
    struct lift_loops all = {0};
    bool good;

    lift_loops_find(term, &all);
    good = !all.too_deep && !lift_expr_mentions(term, LIFT_REDUCE);
    for (int i = 0; i < all.count && good; i++)
        good = stands_well(&all, &all.items[i], dialect);
    lift_loops_fini(&all);
    return good;
}
