#include "explore/derive.h"
#include "base/memory.h"

struct derivation *derive_create(const struct explore_problem *p,
                                 const struct lift_rules *rules,
                                 enum lift_dialect dialect)
{
    struct derivation *d = lift_alloc(1, sizeof *d);

    d->ir = p->ir;
    d->problem = p;
    d->rules = rules;
    d->dialect = dialect;
    d->device = explore_option_device(&(struct lift_device_info){.dialect = dialect});
    derive_node(d, p->root);
    return d;
}

/* ---- steps */

static void add_conditions(struct derivation *d, struct derived *to,
                           const struct lift_steps *steps)
{
    struct explore_conditions old = to->conditions;
    int count = steps->condition_count;
    struct lift_side_condition *all = LIFT_NEW_ARRAY(
        lift_ir_arena(d->ir), struct lift_side_condition, old.count + count + 1);

    for (int i = 0; i < old.count; i++)
        all[i] = old.items[i];
    for (int i = 0; i < count; i++)
        all[old.count + i] = steps->conditions[i];
    to->conditions = (struct explore_conditions){all, old.count + count};
}

bool derive_run(struct derivation *d, const struct derived *from, lift_strategy s,
                struct derived *out, const char **why)
{
    LIFT_SCOPED(lift_steps) steps = {.program = d->problem->program};
    bool done = lift_strategy_run(d->ir, s, d->nodes[from->node].term, &steps);

    if (done) {
        *out = *from;
        add_conditions(d, out, &steps);
        out->node = derive_steps(d, from->node, &steps);
    }
    *why = steps.why;
    return done;
}

bool derive_allows(const struct explore_problem *p, const struct lift_rule *rule)
{
    return rule->soundness == LIFT_RULE_EXACT ||
           (rule->soundness == LIFT_RULE_REASSOCIATES && p->relaxed);
}

/* ---- leaves */

bool derive_add_leaf(struct derivation *d, const struct derived *term,
                     const struct lift_configuration *configuration)
{
    if (d->nodes[term->node].leaf)
        return false;
    d->nodes[term->node].leaf = true;
    LIFT_ROOM(d->leaves, d->leaf_count, d->leaf_cap);
    d->leaves[d->leaf_count++] = (struct derive_leaf){.node = term->node,
                                                      .conditions = term->conditions,
                                                      .configuration = *configuration};
    return true;
}
