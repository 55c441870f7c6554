/* One random redex: compares all results of the rule with the redex, using the
 * interpreter. */
#include "base/table.h"
#include "ir/eval.h"
#include "rules/check/check.h"
#include <math.h>
#include <string.h>

enum { MAX_TUNABLES = 16, TUNABLE_TRIES = 24, TUNABLE_CHOICES = 4, MAX_STEPS = 12000000 };

struct one {
    struct check_case *c;
    struct lift_ir *ir;
    struct lift_arena *arena;
    lift_expr redex, term; /* the redex, and the whole term, which may contain the redex
                              inside a function */
    struct check_gen g;
    lift_expr from; /* the term with numbers for its sizes */
    struct lift_path at;
    struct lift_binding inputs[GEN_MAX_INPUTS];
    int input_count;
    struct check_marks marks; /* of the rule and the redex */
    double most;              /* magnitude of the finite numbers of the inputs */
    uint64_t steps;           /* number of steps of the last evaluation */
    const char *names[MAX_TUNABLES];
    int64_t values[MAX_TUNABLES];
    int tunable_count;
    struct lift_value before; /* value of 'from' */
    bool before_known;
};

/* ---- drawing */

static lift_expr draw_redex(const struct lift_rule *rule, struct check_gen *g)
{
    const struct rule_def *def = rule->def;

    if (rule->form == LIFT_RULE_MACRO)
        return draw_redex(def->like, g);
    g->dims = def->numbers.dims;
    return rule->form == LIFT_RULE_NATIVE && def->native->redex ? def->native->redex(g)
                                                                : gen_instance(g, def);
}

/* Wraps the redex in map(fun(x => redex), xs). The redex is then below a binder and may
 * use the bound variable. */
static void wrap(struct one *o, struct check_gen *g)
{
    lift_expr x = g->inputs[gen_below(g, g->input_count)], xs, term;
    lift_type row = lift_type_array(o->ir, x->type, gen_nat(g, 2));

    xs = gen_input(g, row);
    term = xs ? lift_map(o->ir, lift_fun(o->ir, o->redex, x), xs) : NULL;
    lift_ir_clear_error(o->ir);
    if (!term)
        return;
    o->term = term;
    o->at = (struct lift_path){.count = 2, .steps = {0, 0}};
    o->redex = lift_path_get(term, &o->at);
}

static bool draw(struct one *o)
{
    struct check_gen *g = &o->g;

    gen_init(g, o->ir, o->c->rng, o->c->marks, o->c->max_len, o->c->fuel);
    g->code = o->c->code;
    o->redex = draw_redex(o->c->rule, g);
    lift_ir_clear_error(o->ir);
    if (!o->redex || !lift_type_is_data(o->redex->type))
        return false;
    o->term = o->redex;
    o->at.count = 0;
    if (!o->c->plain && g->input_count && gen_chance(g, 25))
        wrap(o, g);
    return true;
}

static lift_nat number_of_size(void *user, lift_nat var)
{
    const struct one *o = user;

    for (int i = 0; i < o->g.size_count; i++)
        if (var == o->g.sizes[i])
            return lift_nat_const(lift_ir_nats(o->ir), o->g.size_values[i]);
    return NULL;
}

/* Replaces sizes by numbers, as in a kernel; NULL if the numbers do not fit. */
static lift_expr with_numbers(struct one *o, lift_expr e)
{
    return o->g.size_count ? lift_expr_subst(o->ir, e, number_of_size, o, NULL) : e;
}

/* ---- inputs */

/* True if values must agree bit by bit, not only up to rounding. */
static bool bits_count(const struct lift_rule *rule)
{
    return rule->soundness != LIFT_RULE_REASSOCIATES;
}

/* The absolute values of drawn numbers are between these bounds, except special numbers.
 */
#define LEAST_DRAWN 0x1p-27
#define LARGEST_DRAWN 16

/* Rounds floats to multiples of 1/4 other than 0, which are easy to read and keep
 * quotients finite. Leaves special numbers unchanged. */
static bool round_value(struct one *o, lift_type t, struct lift_value *value)
{
    int64_t count = lift_value_scalars(*value);
    double *numbers = LIFT_NEW_ARRAY(o->arena, double, count + 1);

    lift_value_flatten(*value, numbers);
    for (int64_t i = 0; i < count; i++)
        if (fabs(numbers[i]) <= LARGEST_DRAWN && fabs(numbers[i]) >= LEAST_DRAWN)
            numbers[i] = copysign(ceil(fabs(numbers[i]) * 4) / 4, numbers[i]);
    return lift_value_from_doubles(o->arena, t, NULL, NULL, numbers, value);
}

static bool draw_value(struct one *o, lift_type t, struct lift_value *out)
{
    struct lift_value_draw draw = {bits_count(o->c->rule), o->c->special, o->marks.reals,
                                   o->marks.real_count};

    return lift_value_special(o->arena, t, &draw, o->c->rng, out);
}

static void measure_value(struct one *o, struct lift_value value)
{
    int64_t count = lift_value_scalars(value);
    double *numbers = LIFT_NEW_ARRAY(o->arena, double, count + 1);

    lift_value_flatten(value, numbers);
    for (int64_t i = 0; i < count; i++)
        if (isfinite(numbers[i]))
            o->most = fmax(o->most, fabs(numbers[i]));
}

static bool bind_input(struct one *o, lift_expr free_var)
{
    struct lift_binding *b = &o->inputs[o->input_count];

    for (int i = 0; i < o->input_count; i++)
        if (strcmp(o->inputs[i].name, free_var->u.name) == 0)
            return true;
    if (o->input_count == GEN_MAX_INPUTS)
        return false;
    b->name = free_var->u.name;
    o->input_count++;
    if (!draw_value(o, free_var->type, &b->value) ||
        (o->c->round && !round_value(o, free_var->type, &b->value)))
        return false;
    measure_value(o, b->value);
    return true;
}

static bool bind_inputs(struct one *o, lift_expr e, struct lift_ptrmap *seen)
{
    if (lift_ptrmap_get(seen, e))
        return true;
    lift_ptrmap_put(seen, e, o);
    if (e->kind == LIFT_EXPR_FREE)
        return bind_input(o, e);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (!bind_inputs(o, lift_expr_child(e, i), seen))
            return false;
    return true;
}

/* Evaluates 'e'. If bits must agree, the interpreter rounds to single precision, so that
 * a change of order shows. */
static bool evaluate(struct one *o, lift_expr e, struct lift_value *out,
                     struct lift_str *error)
{
    struct lift_eval_env env = {.values = o->inputs,
                                .value_count = o->input_count,
                                .max_steps = MAX_STEPS,
                                .steps = &o->steps,
                                .user_fun = o->c->options->user_fun,
                                .user_fun_user = o->c->options->user};

    o->steps = 0;
    env.round_f32 = bits_count(o->c->rule);
    return lift_eval(&env, e, o->arena, out, error);
}

/* ---- tunables */

static lift_nat tunable_value(void *user, lift_nat var)
{
    struct one *o = user;
    const char *name = lift_nat_is_var(var, NULL);

    for (int i = 0; name && i < o->tunable_count; i++)
        if (strcmp(name, o->names[i]) == 0)
            return lift_nat_const(lift_ir_nats(o->ir), o->values[i]);
    return NULL;
}

static bool value_of(void *user, const char *name, int64_t *value)
{
    const struct one *o = user;

    for (int i = 0; i < o->tunable_count; i++)
        if (strcmp(name, o->names[i]) == 0) {
            *value = o->values[i];
            return true;
        }
    return false;
}

/* Draws all tunables. At most one value is large, which limits the size of the terms. */
static void draw_tunables(struct one *o, const struct lift_side_conditions *sc)
{
    int large = (int)lift_rng_below(o->c->rng, (uint64_t)sc->tunable_count);

    o->tunable_count = sc->tunable_count;
    for (int i = 0; i < sc->tunable_count; i++) {
        int64_t lo = sc->tunables[i].lo, hi = sc->tunables[i].hi;

        o->names[i] = sc->tunables[i].name;
        check_marks_of_tunable(o->c->marks, lo, hi);
        o->values[i] = i == large
                           ? check_marks_tunable(o->c->marks, o->c->rng, lo, hi)
                           : lift_rng_range(o->c->rng, lo, hi > lo + 23 ? lo + 23 : hi);
    }
}

static bool conditions_hold(struct one *o, const struct lift_side_condition *items,
                            int count)
{
    for (int i = 0; i < count; i++) {
        int64_t a, b;

        if (!lift_nat_eval(items[i].a, value_of, o, &a) ||
            !lift_nat_eval(items[i].b, value_of, o, &b))
            return false;
        if (items[i].kind == LIFT_SIDE_LE ? a > b : a < 1 || b % a != 0)
            return false;
    }
    return true;
}

/* Returns the new term with numbers for its tunables; NULL if the draws found no fitting
 * numbers. A term without tunables must satisfy all conditions. 'sc' are the side
 * conditions of the term, in addition to the conditions of the rule. */
static lift_expr settle(struct one *o, lift_expr term,
                        const struct lift_side_conditions *sc,
                        const struct lift_side_condition *conditions, int count)
{
    o->tunable_count = 0;
    if (sc->tunable_count == 0)
        return conditions_hold(o, conditions, count) &&
                       (!o->g.size_count || sc->count == 0)
                   ? term
                   : NULL;
    for (int i = 0; i < TUNABLE_TRIES && sc->tunable_count <= MAX_TUNABLES; i++) {
        lift_expr e;

        draw_tunables(o, sc);
        e = conditions_hold(o, conditions, count) &&
                    conditions_hold(o, sc->items, sc->count)
                ? lift_expr_subst(o->ir, term, tunable_value, o, NULL)
                : NULL;
        if (e && lift_expr_constraints(o->arena, e).count == 0)
            return e;
    }
    return NULL;
}

/* ---- counterexamples */

static void describe(struct one *o, lift_expr to, const char *problem)
{
    struct lift_str *out = &o->c->text;

    lift_str_clear(out);
    lift_str_add(out, "  from: ");
    lift_expr_print(o->from, out);
    lift_str_add(out, "\n  to:   ");
    lift_expr_print(to, out);
    lift_str_addc(out, '\n');
    for (int i = 0; i < o->tunable_count; i++)
        lift_str_addf(out, "  with %s = %lld\n", o->names[i], (long long)o->values[i]);
    for (int i = 0; i < o->input_count; i++) {
        lift_str_addf(out, "  %s = ", o->inputs[i].name);
        lift_value_print(o->inputs[i].value, 12, out);
        lift_str_addc(out, '\n');
    }
    lift_str_addf(out, "  %s\n", problem);
    o->c->measure = o->term->size + to->size;
    for (int i = 0; i < o->input_count; i++)
        o->c->measure +=
            (uint32_t)lift_value_scalars(o->inputs[i].value) * (o->c->round ? 1 : 2);
}

static void describe_values(struct one *o, lift_expr to, struct lift_value a,
                            struct lift_value b, const struct lift_str *where)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_add(&text, "value before: ");
    lift_value_print(a, 24, &text);
    lift_str_add(&text, "\n  value after:  ");
    lift_value_print(b, 24, &text);
    lift_str_addf(&text, "\n  differ at %s", lift_str_get(where));
    describe(o, to, lift_str_get(&text));
}

static void no_value(struct one *o, lift_expr to, const struct lift_str *why)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_addf(&text, "the right-hand side has no value: %s", lift_str_get(why));
    describe(o, to, lift_str_get(&text));
}

/* ---- one result */

static void other_type(struct one *o, lift_expr to)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_add(&text, "type before: ");
    lift_type_print(o->redex->type, &text);
    lift_str_add(&text, "\n  type after:  ");
    lift_type_print(to->type, &text);
    describe(o, to, lift_str_get(&text));
}

static enum case_outcome judge(struct one *o, lift_expr to, struct lift_value before)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_value after;
    enum case_outcome outcome = CASE_DIFFERS;

    if (to->type != o->from->type) {
        other_type(o, to);
        outcome = CASE_OTHER_TYPE;
    } else if (!evaluate(o, to, &after, &why)) {
        if (o->steps >= MAX_STEPS) /* the drawn tunables make the term too large */
            return CASE_NO_DRAW;
        no_value(o, to, &why);
    } else {
        outcome = check_compare(o->c->rule, o->most, before, after, &why);
        if (outcome == CASE_DIFFERS)
            describe_values(o, to, before, after, &why);
    }
    return outcome;
}

/* Checks one result with numbers for its tunables. */
static void check_term(struct one *o, lift_expr to, struct lift_value before)
{
    enum case_outcome outcome = judge(o, to, before);

    o->c->agreed += outcome == CASE_AGREES;
    if (outcome != CASE_NO_DRAW)
        o->c->outcome = outcome;
}

/* Checks one result with several choices of its tunables, each a separate instance. The
 * first instance computes the value of the redex. */
static void check_result(struct one *o, lift_expr to, const struct rule_results *results,
                         const struct rule_result *r)
{
    const struct lift_side_condition *conditions = results->conditions + r->first;
    struct lift_side_conditions sc = lift_expr_constraints(o->arena, to);
    lift_expr seen[TUNABLE_CHOICES];
    int count = 0;

    for (int i = 0; i < TUNABLE_CHOICES && o->c->outcome <= CASE_AGREES; i++) {
        lift_expr settled = settle(o, to, &sc, conditions, r->count);
        bool again = !settled;

        for (int k = 0; k < count; k++)
            again = again || seen[k] == settled;
        if (!again && !o->before_known && !evaluate(o, o->from, &o->before, NULL))
            return;
        o->before_known = o->before_known || !again;
        if (!again)
            check_term(o, settled, o->before);
        if (!settled || o->tunable_count == 0)
            return;
        seen[count++] = settled;
    }
}

static void check_results(struct one *o, const struct rule_results *results)
{
    for (int i = 0; i < results->count && o->c->outcome <= CASE_AGREES; i++) {
        const struct rule_result *r = &results->items[i];
        lift_expr to = lift_path_replace(o->ir, o->term, &o->at, r->expr);

        to = to ? with_numbers(o, to) : NULL;
        if (to)
            check_result(o, to, results, r);
    }
}

/* Records the failure if the rule matches and its conditions hold, but its right-hand
 * side cannot be built or has another type. */
static void rejected(struct one *o, const struct rule_results *results)
{
    if (results->status == RULE_OTHER_TYPE) {
        other_type(o, results->rejected);
        o->c->outcome = CASE_OTHER_TYPE;
    } else if (results->status == RULE_ILL_TYPED) {
        lift_str_clear(&o->c->text);
        lift_str_add(&o->c->text, "  from: ");
        lift_expr_print(o->from, &o->c->text);
        lift_str_addf(&o->c->text, "\n  %s\n", results->error.text);
        o->c->measure = o->term->size;
        o->c->outcome = CASE_ILL_TYPED;
    }
}

/* Builds a strategy that applies an option after the options of its context
 * (lift_option_context). */
static struct rule_def in_context(struct one *o, const struct lift_option *option)
{
    const struct lift_option *before[LIFT_MAX_DECISIONS];
    lift_strategy parts[LIFT_MAX_DECISIONS + 1];
    struct rule_def def = *o->c->rule->def;
    int count = lift_option_context(option, before);

    for (int i = 0; i < count; i++)
        parts[i] = lift_strategy_rule(o->arena, before[i]->rule);
    parts[count] = lift_strategy_rule(o->arena, o->c->rule);
    def.strategy = lift_strategy_seq(o->arena, parts, count + 1);
    return def;
}

static enum rule_status apply(struct one *o, struct rule_fresh *fresh,
                              struct rule_results *results)
{
    struct lift_rule rule = *o->c->rule;
    struct rule_def def;

    if (rule.option) {
        def = in_context(o, rule.option);
        rule.def = &def;
    }
    return rule_apply(o->ir, &rule, o->redex, fresh, results);
}

static void run(struct one *o)
{
    struct rule_fresh fresh = {.ir = o->ir};
    struct rule_results results;
    LIFT_SCOPED(lift_ptrmap) seen = {0};

    if (!draw(o))
        return;
    fresh.term = o->term;
    results.status = apply(o, &fresh, &results);
    rule_fresh_fini(&fresh);
    if (results.status == RULE_NO_MATCH || results.status == RULE_CONDITION)
        return;
    o->from = with_numbers(o, o->term);
    o->marks = *o->c->marks;
    if (o->from)
        check_marks_of_term(&o->marks, o->from);
    if (o->from && bind_inputs(o, o->from, &seen)) {
        rejected(o, &results);
        check_results(o, &results);
    }
}

void check_case_run(struct check_case *c)
{
    struct one o = {.c = c, .ir = lift_ir_create(), .arena = lift_arena_create()};

    c->outcome = CASE_NO_DRAW;
    c->agreed = 0;
    run(&o);
    lift_arena_destroy(o.arena);
    lift_ir_destroy(o.ir);
}
