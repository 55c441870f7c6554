/* Strategies for any number of dimensions: a separate rule for each loop of a nest, or
 * for each rank of a value. */
#include "rules/strategy/strategy.h"

/* ---- each loop */

/* Returns the rule for a loop; NULL if the loop does not match, or has no rule. */
static const struct lift_rule *rule_for(lift_strategy s, const struct lift_loop *l)
{
    enum lift_position_kind kind = s->position->kind;
    int index =
        kind == LIFT_POSITION_LOOP || kind == LIFT_POSITION_OUTER ? l->nested : l->index;

    if (!lift_position_fits(s->position, l))
        return NULL;
    if (s->rules[0] == s->rules[s->rule_count - 1])
        return s->rules[0];
    return index < s->rule_count ? s->rules[index] : NULL;
}

/* Rewrites inner loops first, since this keeps the paths of outer loops. */
lift_expr strategy_each(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    LIFT_SCOPED(lift_loops) all = {0};
    bool any = false;

    lift_loops_find(e, r->result, &all);
    for (int i = all.count - 1; i >= 0; i--) {
        const struct lift_rule *rule = rule_for(s, &all.items[i]);
        struct lift_strategy at = {
            .kind = STRATEGY_RULE, .rules = &rule, .rule_count = 1};
        lift_expr to = rule ? strategy_at(r, &all.items[i].at, &at, e) : NULL;

        any |= to != NULL;
        e = to ? to : e;
    }
    return any ? e : NULL;
}

/* ---- ranks */

/* Returns the rank of a value; for a tuple, the highest rank of a member. */
static int rank_of(lift_type t)
{
    int most = t->kind == LIFT_TYPE_TUPLE ? 0 : lift_type_rank(t);

    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++) {
        int rank = rank_of(t->parts[i]);

        most = rank > most ? rank : most;
    }
    return most;
}

lift_expr strategy_ranked(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    int most = s->rule_count - 1, rank = rank_of(e->type);

    while (most > 0 && !s->rules[most])
        most--;
    if (rank > most)
        rank = most;
    if (rank == 0 && most > 0) /* a scalar uses the rule for one dimension */
        rank = 1;
    return s->rules[rank] ? strategy_exec_rule(r, s->rules[rank], 0, e) : NULL;
}
