/* Strategies: how they run. They are made in strategy_make.c. */
#include "strategy.h"
#include "lift/bug.h"
#include "lift/table.h"
#include <stdlib.h>
#include <string.h>

struct run {
    struct lift_ir *ir;
    struct rule_fresh *fresh;
    struct lift_steps *steps;
    struct lift_path at; /* where the current subterm stands */
};

void lift_steps_fini(struct lift_steps *steps)
{
    free(steps->items);
    *steps = (struct lift_steps){0};
}

static void add_step(struct run *r, const struct lift_rule *rule)
{
    struct lift_steps *s = r->steps;

    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 16;
        s->items = realloc(s->items, (size_t)s->cap * sizeof *s->items);
        LIFT_ASSERT(s->items);
    }
    s->items[s->count++] = (struct lift_step){rule, 0, r->at};
}

static void add_conditions(struct run *r, const struct lift_side_condition *items,
                           int count)
{
    struct lift_steps *s = r->steps;
    struct lift_side_condition *all;

    if (count == 0)
        return;
    all = LIFT_NEW_ARRAY(lift_ir_arena(r->ir), struct lift_side_condition,
                         s->condition_count + count);
    if (s->condition_count)
        memcpy(all, s->conditions, (size_t)s->condition_count * sizeof *all);
    memcpy(all + s->condition_count, items, (size_t)count * sizeof *all);
    s->conditions = all;
    s->condition_count += count;
}

static lift_expr exec(struct run *r, lift_strategy s, lift_expr e);

static lift_expr exec_rule(struct run *r, const struct lift_rule *rule, lift_expr e)
{
    struct rule_results results;

    if (rule->form == LIFT_RULE_MACRO)
        return exec(r, rule->def->strategy, e);
    if (rule_apply(r->ir, rule, e, r->fresh, &results) != RULE_APPLIED)
        return NULL;
    add_step(r, rule);
    add_conditions(r, results.conditions + results.items[0].first,
                   results.items[0].count);
    return results.items[0].expr;
}

static lift_expr exec_seq(struct run *r, lift_strategy s, lift_expr e)
{
    for (int i = 0; e && i < s->count; i++)
        e = exec(r, s->parts[i], e);
    return e;
}

static lift_expr exec_choice(struct run *r, lift_strategy s, lift_expr e)
{
    lift_expr to = NULL;

    for (int i = 0; !to && i < s->count; i++)
        to = exec(r, s->parts[i], e);
    return to;
}

static lift_expr exec_repeat(struct run *r, lift_strategy s, lift_expr e)
{
    for (int i = 0; i < s->max; i++) {
        lift_expr to = exec(r, s->parts[0], e);

        if (!to)
            break;
        e = to;
    }
    return e;
}

/* 'e' with child 'i' replaced by what 'form' makes of it; NULL if that fails. */
static lift_expr at_child(struct run *r, lift_strategy s, lift_expr e, int i,
                          lift_expr (*form)(struct run *, lift_strategy, lift_expr))
{
    lift_expr children[LIFT_MAX_ARGS];
    int n = lift_expr_child_count(e);

    if (r->at.count == LIFT_MAX_PATH)
        return NULL;
    for (int k = 0; k < n; k++)
        children[k] = lift_expr_child(e, k);
    r->at.steps[r->at.count++] = (uint8_t)i;
    children[i] = form(r, s, children[i]);
    r->at.count--;
    return children[i] ? lift_expr_rebuild(r->ir, e, children, NULL) : NULL;
}

static lift_expr exec_topdown(struct run *r, lift_strategy s, lift_expr e)
{
    lift_expr to = exec(r, s->parts[0], e);

    for (int i = 0; !to && i < lift_expr_child_count(e); i++)
        to = at_child(r, s, e, i, exec_topdown);
    return to;
}

static lift_expr exec_bottomup(struct run *r, lift_strategy s, lift_expr e)
{
    lift_expr to = NULL;

    for (int i = 0; !to && i < lift_expr_child_count(e); i++)
        to = at_child(r, s, e, i, exec_bottomup);
    return to ? to : exec(r, s->parts[0], e);
}

static lift_expr exec_part(struct run *r, lift_strategy s, lift_expr e)
{
    return exec(r, s->parts[0], e);
}

static lift_expr exec_all(struct run *r, lift_strategy s, lift_expr e)
{
    int n = lift_expr_child_count(e);

    for (int i = 0; e && i < n; i++)
        e = at_child(r, s, e, i, exec_part);
    return e;
}

/* ---- normal forms */

struct normaliser {
    struct run *r;
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
        n->r->at.steps[n->r->at.count++] = (uint8_t)i;
        children[i] = normal_form(n, lift_expr_child(e, i));
        n->r->at.count--;
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
            to = exec_rule(n->r, rule, e);
    }
    n->left -= to != NULL;
    return to;
}

static lift_expr normal_form(struct normaliser *n, lift_expr e)
{
    lift_expr to;

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

static lift_expr exec_normalise(struct run *r, lift_strategy s, lift_expr e)
{
    struct normaliser n = {.r = r, .s = s, .left = s->max};

    e = normal_form(&n, e);
    lift_ptrmap_fini(&n.normal);
    return e;
}

static lift_expr exec_form(struct run *r, lift_strategy s, lift_expr e)
{
    switch (s->kind) {
    case STRATEGY_RULE:
        return e->kind == LIFT_EXPR_LAMBDA ? NULL : exec_rule(r, s->rules[0], e);
    case STRATEGY_SEQ:
        return exec_seq(r, s, e);
    case STRATEGY_CHOICE:
        return exec_choice(r, s, e);
    case STRATEGY_REPEAT:
        return exec_repeat(r, s, e);
    case STRATEGY_TOPDOWN:
        return exec_topdown(r, s, e);
    case STRATEGY_BOTTOMUP:
        return exec_bottomup(r, s, e);
    case STRATEGY_ALL:
        return exec_all(r, s, e);
    case STRATEGY_NORMALISE:
        return exec_normalise(r, s, e);
    }
    return NULL;
}

/* A strategy that fails leaves no steps behind. */
static lift_expr exec(struct run *r, lift_strategy s, lift_expr e)
{
    int steps = r->steps->count, conditions = r->steps->condition_count;
    lift_expr to = exec_form(r, s, e);

    if (!to) {
        r->steps->count = steps;
        r->steps->condition_count = conditions;
    }
    return to;
}

lift_expr rule_run_strategy(struct lift_ir *ir, lift_strategy s, lift_expr e,
                            struct rule_fresh *fresh, struct lift_steps *steps)
{
    struct run r = {.ir = ir, .fresh = fresh, .steps = steps};

    return exec(&r, s, e);
}

lift_expr lift_strategy_run(struct lift_ir *ir, lift_strategy s, lift_expr term,
                            struct lift_steps *steps)
{
    struct rule_fresh fresh = {.ir = ir, .term = term};
    struct lift_steps own = {0};
    lift_expr to = rule_run_strategy(ir, s, term, &fresh, steps ? steps : &own);

    lift_steps_fini(&own);
    rule_fresh_fini(&fresh);
    return to;
}
