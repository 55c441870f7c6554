/* Normal forms: a strategy that applies rules everywhere until no rule applies. */
#include "base/table.h"
#include "rules/strategy/strategy.h"

struct normaliser {
    struct strategy_run *r;
    lift_strategy s;
    struct lift_ptrmap normal; /* nodes known to be in normal form */
    int left;
};

static lift_expr normal_form(struct normaliser *n, lift_expr e);

static lift_expr normal_children(struct normaliser *n, lift_expr e)
{
    lift_expr children[LIFT_MAX_ARGS];
    int count = lift_expr_child_count(e);
    bool changed = false;

    for (int i = 0; i < count && n->r->at.count < LIFT_MAX_PATH; i++) {
        bool result;

        children[i] = lift_expr_child(e, i);
        if (strategy_leaves_out(n->r, e, i))
            continue;
        result = strategy_enter(n->r, e, i);
        children[i] = normal_form(n, children[i]);
        strategy_leave(n->r, result);
        changed = changed || children[i] != lift_expr_child(e, i);
    }
    return changed ? lift_expr_rebuild(n->r->ir, e, children, NULL) : e;
}

static lift_expr rewrite_once(struct normaliser *n, lift_expr e)
{
    lift_expr to = NULL;

    for (int i = 0; !to && n->left > 0 && i < n->s->rule_count; i++) {
        const struct lift_rule *rule = n->s->rules[i];
        enum lift_op root = rule->def->root;

        if (root == LIFT_OP_COUNT || lift_expr_is(e, root))
            to = strategy_exec_rule(n->r, rule, 0, e);
    }
    n->left -= to != NULL;
    return to;
}

static bool may_apply_in(const struct normaliser *n, lift_expr e)
{
    for (int i = 0; i < n->s->rule_count; i++) {
        enum lift_op root = n->s->rules[i]->def->root;

        if (root == LIFT_OP_COUNT || lift_expr_mentions(e, root))
            return true;
    }
    return false;
}

static lift_expr normal_form(struct normaliser *n, lift_expr e)
{
    lift_expr to;

    if (!may_apply_in(n, e))
        return e;
    if (lift_ptrmap_get(&n->normal, e))
        return e;
    if (n->r->at.count == LIFT_MAX_PATH)
        return e;
    for (;;) {
        e = normal_children(n, e);
        to = e->kind == LIFT_EXPR_LAMBDA ? NULL : rewrite_once(n, e);
        if (!to)
            break;
        e = to;
    }
    if (n->left > 0)
        lift_ptrmap_put(&n->normal, e, n);
    return e;
}

lift_expr strategy_normalise(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    struct normaliser n = {.r = r, .s = s, .left = s->max};

    e = normal_form(&n, e);
    lift_ptrmap_fini(&n.normal);
    return e;
}
