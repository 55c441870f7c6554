/* Options of decisions: the parts of a program to which their strategies apply.
 *
 * A program may store values in global memory, named at its root. Its result may have
 * members of several ranks: grids, and lists such as the values that receivers read. An
 * option treats each stored value, and the grids of the result together, as a separate
 * program. Lists have the default option of each decision. */
#include "ir/spine.h"
#include "rules/strategy/strategy.h"

/* ---- stored values: values in global memory that lets at the root bind, and the result
 */

static bool is_layout(lift_expr e)
{
    return lift_expr_is_placed(e) || lift_expr_is(e, LIFT_IN_PLACE);
}

static bool is_stored_let(lift_expr e)
{
    return lift_expr_is(e, LIFT_LET) && lift_expr_is(e->u.prim.args[0], LIFT_TO_GLOBAL);
}

static bool has_stages(lift_expr e)
{
    while (is_layout(e) || (lift_expr_is(e, LIFT_LET) && !is_stored_let(e)))
        e = is_layout(e) ? e->u.prim.args[e->arg_count - 1]
                         : e->u.prim.args[1]->u.lambda.body;
    return is_stored_let(e) || lift_is_repeated(e);
}

/* Applies 's' to the members of a result with the most dimensions; walks skip the other
 * members. */
static lift_expr exec_grids(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    bool result = r->result;
    lift_expr to;

    r->result = true;
    to = strategy_exec(r, s, e);
    r->result = result;
    return to;
}

/* Applies 's' to each of the other members separately; NULL: unchanged. */
static lift_expr exec_lists(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    int n = lift_expr_child_count(e);
    bool any = false;

    for (int i = 0; i < n; i++) {
        bool list = lift_expr_is(e, LIFT_TUPLE) && lift_has_fewer_dims(e->type, i);
        lift_expr to = list ? strategy_at_child(r, s, e, i, exec_grids)
                       : lift_leads_to_result(e, i)
                           ? strategy_at_child(r, s, e, i, exec_lists)
                           : NULL;

        any |= to != NULL;
        e = to ? to : e;
    }
    return any ? e : NULL;
}

/* Applies 's' to the grids, and the default option to the lists. */
static lift_expr exec_result(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    lift_expr to = exec_grids(r, s, e);
    lift_expr all = to && r->otherwise ? exec_lists(r, r->otherwise, to) : NULL;

    return all ? all : to;
}

/* Applies an option to one stored value. If the option fails, applies the default option.
 */
static lift_expr exec_stage(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    lift_expr to = exec_result(r, s, e);

    r->applied += to != NULL;
    return to || !r->otherwise ? to : exec_result(r, r->otherwise, e);
}

static lift_expr exec_stages(struct strategy_run *r, lift_strategy s, lift_expr e);

static lift_expr exec_first(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    return strategy_at_child(r, s, e, 0, exec_stages);
}

/* Applies 's' inside the toGlobal in the function of repeated kernels. */
static lift_expr exec_body(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    return strategy_at_child(r, s, e, 0, exec_first);
}

/* Applies 's' to the function of repeated kernels. Their initial value is in memory, and
 * only moved. */
static lift_expr exec_repeated(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    lift_expr to;

    r->inside++;
    to = strategy_at_child(r, s, e, 0, exec_body);
    r->inside--;
    return to;
}

/* True if the stored values contain repeated kernels. */
static bool repeats(lift_expr e)
{
    if (lift_is_repeated(e))
        return true;
    if (is_layout(e))
        return repeats(e->u.prim.args[e->arg_count - 1]);
    return lift_expr_is(e, LIFT_LET) &&
           ((is_stored_let(e) && repeats(e->u.prim.args[0]->u.prim.args[0])) ||
            repeats(e->u.prim.args[1]->u.lambda.body));
}

/* Applies 's' to each stored value and to the result, as if each were a program. With
 * 'blocks', applies 's' to the whole body of repeated kernels. */
static lift_expr exec_stages(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    lift_expr value, to;

    if (r->blocks ? r->inside && !repeats(e) : !has_stages(e))
        return exec_stage(r, s, e);
    if (lift_is_repeated(e))
        return exec_repeated(r, s, e);
    if (is_layout(e))
        return strategy_at_child(r, s, e, e->arg_count - 1, exec_stages);
    if (!lift_expr_is(e, LIFT_LET))
        return NULL;
    value = is_stored_let(e) ? strategy_at_child(r, s, e, 0, exec_first) : NULL;
    to = strategy_at_child(r, s, value ? value : e, 1, exec_first);
    return to ? to : value;
}

/* Returns the strategy of the first option of the decision that supports all devices of
 * 'option' and needs no other features. NULL: this option has no strategy. */
static lift_strategy default_for(const struct lift_option *option)
{
    const struct lift_decision *d = option->decision;
    const struct lift_option *o = option;

    for (int i = d->option_count - 1; i >= 0; i--)
        if (!(option->devices & ~d->options[i]->devices) &&
            !(d->options[i]->features & ~option->features))
            o = d->options[i];
    return o->rule ? o->rule->def->strategy : NULL;
}

/* Applies an option. For a decision that is not on the program, the option applies if it
 * applies to one stored value. If the option is on the program, it applies to whole
 * bodies of repeated kernels. */
lift_expr strategy_option(struct strategy_run *r, const struct lift_rule *macro,
                          lift_expr e)
{
    const struct lift_option *option = macro->option;
    lift_expr to;

    r->blocks = option->program;
    if (option->decision->program)
        return strategy_exec(r, macro->def->strategy, e);
    r->otherwise = default_for(option);
    if (!(r->blocks ? repeats(e) : has_stages(e)))
        return exec_result(r, macro->def->strategy, e);
    r->applied = 0;
    to = exec_stages(r, macro->def->strategy, e);
    return r->applied ? to : NULL;
}
