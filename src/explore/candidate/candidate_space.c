#include "base/fail.h"
#include "base/number.h"
#include "explore/candidate/space_maker.h"
#include "ir/tunable.h"
#include "rules/strategy.h"
#include <string.h>

void maker_fail(struct space_maker *m, const char *what)
{
    if (!m->failed)
        lift_str_add(m->why, what);
    m->failed = true;
}

/* ---- values of parameters */

void maker_add_value(struct space_values *v, int64_t value, int64_t lo, int64_t hi)
{
    int at = v->count;

    if (value < lo || value > hi)
        return;
    while (at > 0 && v->items[at - 1] > value)
        at--;
    if ((at > 0 && v->items[at - 1] == value) || v->count == MAKER_VALUES)
        return;
    memmove(&v->items[at + 1], &v->items[at],
            sizeof v->items[0] * (size_t)(v->count - at));
    v->items[at] = value;
    v->count++;
}

void maker_add_divisors(struct space_values *v, int64_t n, int64_t lo, int64_t hi)
{
    for (int64_t d = 1; d <= n / d; d++)
        if (n % d == 0) {
            maker_add_value(v, d, lo, hi);
            maker_add_value(v, n / d, lo, hi);
        }
}

void maker_add_param(struct space_maker *m, const struct lift_tunable *t,
                     struct space_values *v, int64_t start)
{
    const char *former = t->key ? t->key : lift_tunable_former(t->name);

    for (int i = 0; i < m->request->set_count; i++)
        if (lift_tunable_called(t->name, former, m->request->set[i].name))
            maker_add_value(v, m->request->set[i].value, t->lo, t->hi);
    if (m->param_count == LIFT_SPACE_PARAMS || v->count == 0) {
        maker_fail(m, v->count ? "too many tunables"
                               : "a tunable has no value at these sizes");
        return;
    }
    m->params[m->param_count++] = (struct lift_param){
        .name = t->name,
        .values =
            lift_arena_copy(m->arena, v->items, sizeof v->items[0] * (size_t)v->count),
        .count = v->count,
        .start = start,
        .former = former};
}

static lift_nat keep_tunables(void *user, lift_nat var)
{
    const struct space_maker *m = user;
    enum lift_var_kind kind;
    const char *name = lift_nat_is_var(var, &kind);
    int64_t value;

    if (lift_nat_env_value((void *)&m->p->sizes, name, &value))
        return lift_nat_const(m->nats, value);
    return NULL;
}

lift_nat maker_at_sizes(struct space_maker *m, lift_nat n)
{
    return lift_nat_subst(m->nats, n, keep_tunables, m);
}

/* Adds chunk lengths that divide an interior between boundary regions, whose length is
 * not a size of the program. A stream through such a chunk needs no boundary check. */
static void add_chunks(struct space_maker *m, struct space_values *v, int64_t most)
{
    enum { SHORTEST = 64, LONGEST = 256 };
    const struct lift_position interior = {.kind = LIFT_POSITION_INTERIOR, .nth = 1};
    lift_expr e = m->request->term;
    struct lift_path at;
    int64_t len;

    if (!lift_dialect_has_groups(m->request->device->dialect) ||
        !lift_position_find(e, &interior, false, &at))
        return;
    for (int i = 0; i < at.count; i++) {
        e = lift_expr_child(e, at.steps[i]);
        for (lift_type t = e->type; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
            if (lift_nat_is_const(maker_at_sizes(m, t->len), &len))
                maker_add_divisors(v, len, SHORTEST, lift_min(LONGEST, most));
    }
}

/* The values that fit, out of 1, 2, 3, 4, 6, 8, 12, ...: powers of two, and three times
 * powers of two. */
static void add_tunable(struct space_maker *m, const struct lift_tunable *t)
{
    struct space_values v = {.count = 0};
    int64_t most = 1;

    for (int i = 0; i < m->p->sizes.count; i++)
        if (m->p->sizes.values[i] > most)
            most = m->p->sizes.values[i];
    if (t->hi < most)
        most = t->hi;
    maker_add_value(&v, 0, t->lo, most);
    for (int64_t power = 1; power <= most && power < INT64_MAX / 4; power *= 2) {
        maker_add_value(&v, power, t->lo, most);
        maker_add_value(&v, 3 * power / 2, t->lo, most);
    }
    for (int i = 0; i < m->p->sizes.count; i++)
        maker_add_divisors(&v, m->p->sizes.values[i], t->lo, most);
    if (t->lo <= 1)
        add_chunks(m, &v, most);
    maker_add_param(m, t, &v, 0);
}

/* ---- constraints */

void maker_constrain(struct space_maker *m, enum lift_constraint_kind kind, lift_nat a,
                     lift_nat b, const char *why)
{
    if (m->constraint_count == MAKER_CONSTRAINTS) {
        maker_fail(m, "too many constraints");
        return;
    }
    m->constraints[m->constraint_count++] = (struct lift_constraint){kind, a, b, why};
}

static void add_conditions(struct space_maker *m,
                           const struct candidate_space *candidates)
{
    for (int i = 0; i < candidates->condition_count; i++) {
        const struct lift_side_condition *c = &candidates->conditions[i];

        maker_constrain(
            m, c->kind == LIFT_SIDE_LE ? LIFT_CONSTRAINT_LE : LIFT_CONSTRAINT_DIVIDES,
            maker_at_sizes(m, c->a), maker_at_sizes(m, c->b), c->why);
    }
}

unsigned explore_option_device(const struct lift_device_info *device)
{
    const struct lift_traits *traits = lift_device_traits(device);

    return (lift_dialect_has_groups(device->dialect) ? LIFT_ON_GROUPS : LIFT_ON_THREADS) |
           (lift_device_reaches(device, traits->async_from) ? LIFT_HAS_ASYNC_COPIES : 0) |
           (lift_device_reaches(device, traits->bulk_from) ? LIFT_HAS_BULK_COPIES : 0);
}

/* ---- the space */

static void merge_conditions(struct candidate_space *candidates,
                             const struct space_maker *m,
                             const struct lift_side_conditions *own)
{
    const struct explore_conditions extra = m->request->conditions;
    int count = own->count + extra.count + m->row_count;
    struct lift_side_condition *all =
        LIFT_NEW_ARRAY(m->arena, struct lift_side_condition, count + 1);

    candidates->conditions = all;
    candidates->condition_count = count;
    for (int i = 0; i < own->count; i++)
        *all++ = own->items[i];
    for (int i = 0; i < extra.count; i++)
        *all++ = extra.items[i];
    for (int i = 0; i < m->row_count; i++)
        *all++ = m->rows[i];
}

static bool is_set(const struct space_maker *m, const struct lift_param *param,
                   int64_t value)
{
    for (int i = 0; i < m->request->set_count; i++)
        if (lift_param_called(param, m->request->set[i].name) &&
            m->request->set[i].value == value)
            return true;
    return false;
}

/* Restricts a parameter to the values that the user set. */
static void restrict_param(struct space_maker *m, struct lift_param *param)
{
    int64_t *kept = LIFT_NEW_ARRAY(m->arena, int64_t, param->count + 1);
    int count = 0;

    for (int i = 0; i < param->count; i++)
        if (is_set(m, param, param->values[i]))
            kept[count++] = param->values[i];
    param->values = kept;
    param->count = count;
}

static void restrict_params(struct space_maker *m)
{
    for (int i = 0; i < m->request->set_count; i++) {
        const char *name = m->request->set[i].name;
        bool found = m->request->lenient;

        for (int k = 0; k < m->param_count; k++)
            if (lift_param_called(&m->params[k], name)) {
                restrict_param(m, &m->params[k]);
                found = true;
            }
        if (!found && !m->failed)
            lift_str_addf(m->why, "there is no tunable '%s'", name);
        m->failed |= !found;
    }
}

struct foreign {
    const struct space_maker *m;
    const char *name; /* a variable that is not a parameter; NULL: none */
};

static void find_foreign(void *foreign, const struct lift_var *var)
{
    struct foreign *f = foreign;

    for (int i = 0; i < f->m->param_count; i++)
        if (!strcmp(f->m->params[i].name, var->name))
            return;
    f->name = var->name;
}

/* Makes the space empty if a condition has a variable that is no parameter, such as one
 * of the parts of devices. Returns the name. */
static const char *bar_foreign(struct space_maker *m)
{
    struct foreign all = {.m = m};

    for (int i = 0; i < m->constraint_count; i++) {
        struct lift_constraint *c = &m->constraints[i];
        struct foreign f = {.m = m};

        lift_nat_each_var(c->a, find_foreign, &f);
        lift_nat_each_var(c->b, find_foreign, &f);
        if (!f.name)
            continue;
        *c = (struct lift_constraint){LIFT_CONSTRAINT_LE, lift_nat_const(m->nats, 1),
                                      lift_nat_const(m->nats, 0), c->why};
        all.name = f.name;
    }
    return all.name;
}

bool candidate_space_make(const struct candidate_space_request *r,
                          struct candidate_space *out, struct lift_str *why)
{
    struct lift_arena *arena = lift_ir_arena(r->problem->ir);
    struct space_maker m = {.request = r,
                            .p = r->problem,
                            .device = r->device,
                            .traits = lift_device_traits(r->device),
                            .arena = arena,
                            .nats = lift_ir_nats(r->problem->ir),
                            .why = why};
    struct lift_side_conditions own = lift_expr_constraints(arena, r->term);
    struct maker_storage stored;
    const char *foreign;

    *out = (struct candidate_space){.term = r->term};
    for (int i = 0; i < own.tunable_count; i++)
        add_tunable(&m, &own.tunables[i]);
    stored = maker_limit_storage(&m, r->term);
    out->shown = maker_add_launch(&m, r->term, &stored);
    merge_conditions(out, &m, &own);
    maker_add_build(&m);
    add_conditions(&m, out);
    out->params = lift_arena_copy(arena, m.params, sizeof m.params);
    restrict_params(&m);
    if (m.failed)
        return false;
    foreign = bar_foreign(&m);
    out->space = lift_space_create(arena, m.params, m.param_count, m.constraints,
                                   m.constraint_count);
    if (foreign)
        return LIFT_FAIL(why, "a condition depends on '%s', which is no tunable",
                         foreign);
    return !lift_space_empty(out->space) ||
           LIFT_FAIL(why, "%s",
                     m.refused ? m.refused : "no values of the tunables fit the sizes");
}
