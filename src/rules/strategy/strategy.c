/* Runs strategies; strategy_make.c makes strategies. */
#include "rules/strategy/strategy.h"
#include "base/memory.h"
#include "ir/spine.h"
#include "lift/program.h"
#include <stdlib.h>
#include <string.h>

/* ---- recorded steps */

void lift_steps_fini(struct lift_steps *steps)
{
    free(steps->items);
    free(steps->macros);
    *steps = (struct lift_steps){0};
}

/* Records the use of a macro and returns the index of the use. exec_macro counts the
 * steps at the end. */
static int begin_macro(struct strategy_run *r, const struct lift_rule *macro)
{
    struct lift_steps *s = r->steps;

    LIFT_ROOM(s->macros, s->macro_count, s->macro_cap);
    s->macros[s->macro_count] =
        (struct lift_macro_use){macro, r->at, s->count, 0, r->depth++};
    return s->macro_count++;
}

static void add_conditions(struct strategy_run *r,
                           const struct lift_side_condition *items, int count)
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

/* ---- rules */

static lift_expr exec_macro(struct strategy_run *r, const struct lift_rule *macro,
                            lift_expr e)
{
    int use = begin_macro(r, macro);
    lift_expr to = macro->option ? strategy_option(r, macro, e)
                                 : strategy_exec(r, macro->def->strategy, e);

    r->depth--;
    if (to)
        r->steps->macros[use].count = r->steps->count - r->steps->macros[use].first;
    else
        r->steps->macro_count = use;
    return to;
}

/* Returns the index of result number 'choice' among the results that overwrite no needed
 * input; -1 if there is no such result. */
static int find_result(const struct strategy_run *r, struct rule_results *results,
                       int choice)
{
    const struct lift_program *program = r->steps->program;
    int left_out = 0;

    for (int i = 0; i < results->count; i++)
        if (program && !lift_program_may_overwrite(program, results->items[i].expr))
            left_out++;
        else if (choice-- == 0)
            return i;
    if (left_out > 0)
        results->why = "it overwrites an input that is needed again";
    return -1;
}

/* Discards the names that a failed rule made, so that failed attempts do not affect the
 * names of a derivation. */
lift_expr strategy_exec_rule(struct strategy_run *r, const struct lift_rule *rule,
                             int choice, lift_expr e)
{
    struct rule_results results;
    const struct rule_result *result;
    int mark = rule_fresh_mark(r->fresh);

    if (rule->form == LIFT_RULE_MACRO)
        return exec_macro(r, rule, e);
    if (rule_apply(r->ir, rule, e, r->fresh, &results) != RULE_APPLIED ||
        (choice = find_result(r, &results, choice)) < 0) {
        rule_fresh_rewind(r->fresh, mark);
        r->steps->why = results.why ? results.why : r->steps->why;
        return NULL;
    }
    result = &results.items[choice];
    LIFT_ROOM(r->steps->items, r->steps->count, r->steps->cap);
    r->steps->items[r->steps->count++] =
        (struct lift_step){rule, choice, r->at, result->expr};
    add_conditions(r, results.conditions + result->first, result->count);
    return result->expr;
}

/* ---- combinators */

static lift_expr exec_any(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    bool any = false;

    for (int i = 0; i < s->count; i++) {
        lift_expr to = strategy_exec(r, s->parts[i], e);

        any |= to != NULL;
        e = to ? to : e;
    }
    return any ? e : NULL;
}

static lift_expr exec_repeat(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    for (int i = 0; i < s->max; i++) {
        lift_expr to = strategy_exec(r, s->parts[0], e);

        if (!to)
            return i < s->least ? NULL : e;
        if (to == e)
            break;
        e = to;
    }
    return e;
}

bool strategy_enter(struct strategy_run *r, lift_expr e, int child)
{
    bool result = r->result;

    r->at.steps[r->at.count++] = (uint8_t)child;
    r->result = result && lift_leads_to_result(e, child);
    return result;
}

void strategy_leave(struct strategy_run *r, bool result)
{
    r->at.count--;
    r->result = result;
}

bool strategy_leaves_out(const struct strategy_run *r, lift_expr e, int child)
{
    return r->result && lift_expr_is(e, LIFT_TUPLE) &&
           lift_has_fewer_dims(e->type, child);
}

lift_expr strategy_at_child(struct strategy_run *r, lift_strategy s, lift_expr e, int i,
                            strategy_form *form)
{
    lift_expr to;
    bool result;

    if (r->at.count == LIFT_MAX_PATH || strategy_leaves_out(r, e, i))
        return NULL;
    result = strategy_enter(r, e, i);
    to = form(r, s, lift_expr_child(e, i));
    strategy_leave(r, result);
    return lift_expr_with_child(r->ir, e, i, to);
}

/* True if 'e' contains the root operation that the strategy requires. */
static bool may_apply_in(lift_strategy s, lift_expr e)
{
    enum lift_op root = strategy_root(s);

    return root == LIFT_OP_COUNT || lift_expr_mentions(e, root);
}

static lift_expr exec_walk(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    bool down = s->kind == STRATEGY_TOPDOWN;
    lift_expr to = NULL;

    if (!may_apply_in(s->parts[0], e))
        return NULL;
    if (down)
        to = strategy_exec(r, s->parts[0], e);
    for (int i = 0; !to && i < lift_expr_child_count(e); i++)
        to = strategy_at_child(r, s, e, i, exec_walk);
    return to || down ? to : strategy_exec(r, s->parts[0], e);
}

static lift_expr exec_part(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    return strategy_exec(r, s->parts[0], e);
}

static lift_expr exec_all(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    int n = lift_expr_child_count(e);

    for (int i = 0; e && i < n; i++)
        if (!strategy_leaves_out(r, e, i))
            e = strategy_at_child(r, s, e, i, exec_part);
    return e;
}

/* Applies the strategy at the first child where it succeeds (ONE), or at every such child
 * (SOME). */
static lift_expr exec_some(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    int n = lift_expr_child_count(e), done = 0;

    for (int i = 0; i < n && (done == 0 || s->kind == STRATEGY_SOME); i++) {
        lift_expr to = strategy_at_child(r, s, e, i, exec_part);

        done += to != NULL;
        e = to ? to : e;
    }
    return done ? e : NULL;
}

/* ---- positions */

struct descent {
    const struct lift_path *path; /* relative to the start of the strategy */
    int taken;
    lift_strategy s;
};

static lift_expr descend(struct strategy_run *r, struct descent *d, lift_expr e)
{
    lift_expr to;
    bool result;
    int i;

    if (d->taken == d->path->count)
        return strategy_exec(r, d->s, e);
    i = d->path->steps[d->taken++];
    if (i >= lift_expr_child_count(e) || r->at.count == LIFT_MAX_PATH)
        return NULL;
    result = strategy_enter(r, e, i);
    to = descend(r, d, lift_expr_child(e, i));
    strategy_leave(r, result);
    return lift_expr_with_child(r->ir, e, i, to);
}

lift_expr strategy_at(struct strategy_run *r, const struct lift_path *at, lift_strategy s,
                      lift_expr e)
{
    struct descent d = {at, 0, s};

    return descend(r, &d, e);
}

static lift_expr exec_at(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    struct lift_path path;

    return lift_position_find(e, s->position, r->result, &path)
               ? strategy_at(r, &path, s->parts[0], e)
               : NULL;
}

/* ---- all kinds of strategies */

static lift_expr exec_form(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    lift_expr to = NULL;

    switch (s->kind) {
    case STRATEGY_RULE:
        return e->kind == LIFT_EXPR_LAMBDA
                   ? NULL
                   : strategy_exec_rule(r, s->rules[0], s->max, e);
    case STRATEGY_SEQ:
        for (int i = 0; e && i < s->count; i++)
            e = strategy_exec(r, s->parts[i], e);
        return e;
    case STRATEGY_CHOICE:
        for (int i = 0; !to && i < s->count; i++)
            to = strategy_exec(r, s->parts[i], e);
        return to;
    case STRATEGY_ANY:
        return exec_any(r, s, e);
    case STRATEGY_REPEAT:
        return exec_repeat(r, s, e);
    case STRATEGY_TOPDOWN:
    case STRATEGY_BOTTOMUP:
        return exec_walk(r, s, e);
    case STRATEGY_ALL:
        return exec_all(r, s, e);
    case STRATEGY_ONE:
    case STRATEGY_SOME:
        return exec_some(r, s, e);
    case STRATEGY_AT:
        return exec_at(r, s, e);
    case STRATEGY_NORMALISE:
        return strategy_normalise(r, s, e);
    case STRATEGY_EACH:
        return strategy_each(r, s, e);
    case STRATEGY_RANKED:
        return strategy_ranked(r, s, e);
    }
    return NULL;
}

/* Runs a strategy. A strategy that fails leaves no trace. */
lift_expr strategy_exec(struct strategy_run *r, lift_strategy s, lift_expr e)
{
    int steps = r->steps->count, conditions = r->steps->condition_count;
    int macros = r->steps->macro_count, mark = rule_fresh_mark(r->fresh);
    lift_expr to = exec_form(r, s, e);

    if (!to) {
        r->steps->count = steps;
        r->steps->macro_count = macros;
        r->steps->condition_count = conditions;
        rule_fresh_rewind(r->fresh, mark);
    }
    return to;
}

lift_expr rule_run_strategy(struct lift_ir *ir, lift_strategy s, lift_expr e,
                            struct rule_fresh *fresh, struct lift_steps *steps)
{
    struct strategy_run r = {.ir = ir, .fresh = fresh, .steps = steps};

    return strategy_exec(&r, s, e);
}

lift_expr lift_strategy_run(struct lift_ir *ir, lift_strategy s, lift_expr term,
                            struct lift_steps *steps)
{
    LIFT_SCOPED(rule_fresh) fresh = {.ir = ir, .term = term};
    LIFT_SCOPED(lift_steps) own = {0};

    return rule_run_strategy(ir, s, term, &fresh, steps ? steps : &own);
}

/* ---- reasons of failures */

/* Finds the first failing part of a sequence, and the term to which it is applied. */
static lift_strategy failing_part(struct lift_ir *ir, lift_strategy s, lift_expr *term,
                                  const struct lift_program *program)
{
    for (int i = 0; i < s->count; i++) {
        LIFT_SCOPED(lift_steps) steps = {.program = program};
        lift_expr to = lift_strategy_run(ir, s->parts[i], *term, &steps);

        if (!to)
            return s->parts[i];
        *term = to;
    }
    return s;
}

void lift_strategy_explain(struct lift_ir *ir, lift_strategy s, lift_expr term,
                           const struct lift_program *program, struct lift_str *out)
{
    LIFT_SCOPED(lift_steps) steps = {.program = program};

    for (;;) {
        lift_strategy inner = s;

        if (s->kind == STRATEGY_RULE && s->rules[0]->form == LIFT_RULE_MACRO)
            inner = s->rules[0]->def->strategy;
        else if (s->kind == STRATEGY_SEQ)
            inner = failing_part(ir, s, &term, program);
        if (inner == s)
            break;
        s = inner;
    }
    rule_print_strategy(s, 0, out);
    lift_str_add(out, " fails");
    lift_strategy_run(ir, s, term, &steps);
    if (steps.why)
        lift_str_addf(out, ": %s", steps.why);
}
