/* Checks whether a term is low-level: each loop has a level that its device supports. */
#include "explore/candidate/term_reads.h"
#include "explore/derive.h"
#include "ir/spine.h"
#include "rules/rule_loops.h"

/* A separate kernel fills global memory. A level that requires an enclosing level
 * requires it inside that kernel, too. */
static bool stands_well(const struct lift_loops *all, const struct lift_loop *l,
                        enum lift_dialect dialect)
{
    const struct lift_loop_level *level = lift_dialect_level(dialect, l->map->op);
    unsigned around;

    if (!level)
        return false;
    around = l->storage == LIFT_TO_GLOBAL ? 0 : level->within;
    for (int i = l->parent; i >= 0; i = all->items[i].parent) {
        lift_expr outer = all->items[i].map;

        around |= lift_level_bit(lift_dialect_level(dialect, outer->op), outer);
    }
    return !lift_level_misplaced(level, l->map, around);
}

/* Without unrolling, each time step would recompute all earlier time steps. */
static bool is_unrolled(lift_expr e)
{
    bool found = lift_is_long(e);

    for (int i = 0; i < lift_expr_child_count(e) && !found; i++)
        found = lift_expr_mentions(lift_expr_child(e, i), LIFT_ITERATE) &&
                is_unrolled(lift_expr_child(e, i));
    return found;
}

/* Code generation stops after half as many reads (CG_READS), which takes it seconds. */
static const double most_reads = 2e7;

static void say(struct lift_str *why, const char *reason)
{
    if (why)
        lift_str_add(why, reason);
}

bool derive_is_lowered(lift_expr term, enum lift_dialect dialect, struct lift_str *why)
{
    LIFT_SCOPED(lift_loops) all = {0};
    bool good;

    if (is_unrolled(term)) {
        say(why, "an 'iterate' of more than 16 steps, or of a number that is not known, "
                 "needs intermediates=stored");
        return false;
    }
    if (term_reads_most(term) > most_reads) {
        say(why,
            "the stencils inside each other take more than 10 million steps to read for "
            "a point: intermediates=stored stores each grid");
        return false;
    }
    lift_loops_find(term, false, &all);
    good = !all.too_deep && !lift_expr_mentions(term, LIFT_REDUCE);
    for (int i = 0; i < all.count && good; i++)
        good = stands_well(&all, &all.items[i], dialect);
    if (!good)
        say(why, "some of its loops have no level");
    return good;
}
