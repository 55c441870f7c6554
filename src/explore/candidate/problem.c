#include "explore/problem.h"
#include "base/bug.h"
#include "base/fail.h"
#include "explore/explore_ops.h"
#include "ir/sizes.h"
#include "ir/spine.h"

/* ---- buffers */

static int scalars_of(lift_type t)
{
    int sum = 0;

    if (t->kind == LIFT_TYPE_VECTOR)
        return t->count;
    if (t->kind != LIFT_TYPE_TUPLE)
        return 1;
    for (int i = 0; i < t->count; i++)
        sum += scalars_of(t->parts[i]);
    return sum;
}

struct leaf_list {
    struct explore_leaf *items;
    int count;
};

/* Adds the leaves of one element: 'points' elements of 'stride' scalars each. */
static bool add_element(struct leaf_list *list, lift_type t, int64_t points, int stride,
                        int *offset, int member)
{
    if (t->kind == LIFT_TYPE_TUPLE) {
        for (int i = 0; i < t->count; i++)
            if (!add_element(list, t->parts[i], points, stride, offset, member))
                return false;
        return true;
    }
    if (!lift_type_is_value(t) || list->count == EXPLORE_MAX_LEAVES)
        return false;
    list->items[list->count++] =
        (struct explore_leaf){t->scalar, points * scalars_of(t), *offset, stride, member};
    *offset += scalars_of(t);
    return true;
}

static bool add_member(struct leaf_list *list, lift_type t,
                       const struct lift_nat_env *sizes, int member)
{
    int64_t points = 1, length;
    lift_type base = lift_type_base(t);
    int offset = 0;

    for (lift_type a = t; a->kind == LIFT_TYPE_ARRAY; a = a->elem) {
        if (!lift_nat_eval(a->len, lift_nat_env_value, (void *)sizes, &length) ||
            length < 0 || __builtin_mul_overflow(points, length, &points))
            return false;
    }
    return add_element(list, base, points, scalars_of(base), &offset, member);
}

static bool add_type(struct leaf_list *list, lift_type t,
                     const struct lift_nat_env *sizes)
{
    if (t->kind != LIFT_TYPE_TUPLE)
        return add_member(list, t, sizes, 0);
    for (int i = 0; i < t->count; i++)
        if (!add_member(list, t->parts[i], sizes, i))
            return false;
    return true;
}

int explore_leaves(lift_type t, const struct lift_nat_env *sizes,
                   struct explore_leaf out[EXPLORE_MAX_LEAVES])
{
    struct leaf_list list = {out, 0};

    return add_type(&list, t, sizes) ? list.count : -1;
}

int explore_input_leaves(const struct explore_problem *p,
                         const struct lift_nat_env *sizes,
                         struct explore_leaf out[EXPLORE_MAX_LEAVES])
{
    struct leaf_list list = {out, 0};

    for (int i = 0; i < p->input_count; i++)
        if (!add_type(&list, p->inputs[i]->type, sizes))
            return -1;
    return list.count;
}

int explore_output_leaves(const struct explore_problem *p,
                          const struct lift_nat_env *sizes,
                          struct explore_leaf out[EXPLORE_MAX_LEAVES])
{
    return explore_leaves(p->root->type, sizes, out);
}

/* ---- amount of data and work */

static bool is_touchy(lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM || !lift_type_is_float(e->type))
        return false;
    if (e->op == LIFT_DIV)
        return e->u.prim.args[1]->kind != LIFT_EXPR_LIT;
    return e->op == LIFT_SQRT || e->op == LIFT_LOG || e->op == LIFT_POW ||
           e->op == LIFT_USER_FUN;
}

static bool look_for_touchy(void *found, lift_expr e)
{
    *(bool *)found |= is_touchy(e);
    return !*(bool *)found;
}

/* Rows of an input that a launch reads: reorder(fun(i => n), x)[0] reads one row if n is
 * equal for all grid points, such as the number of the time step. */
struct rows {
    lift_expr input;
    int64_t count;
    bool all; /* some use may read any row */
};

/* reorder(fun(i => n), x) where n depends on no other variable of a function. */
static bool takes_one_row(lift_expr e, lift_expr input)
{
    lift_expr f;

    if (!lift_expr_is(e, LIFT_REORDER) || lift_expr_arg(e, 1) != input)
        return false;
    f = lift_expr_arg(e, 0);
    return f->loose == 0 && !lift_expr_uses_bound(f->u.lambda.body, 0, 1);
}

static bool look_for_rows(void *user, lift_expr e)
{
    struct rows *r = user;
    bool takes = takes_one_row(e, r->input);

    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr child = lift_expr_child(e, i);
        bool row = takes_one_row(child, r->input);

        r->all |= (child == r->input && !takes) || (row && !lift_expr_is(e, LIFT_AT));
        r->count += row;
    }
    return !r->all;
}

/* The number of elements of an input that a launch reads at least. */
static int64_t elements_read(const struct explore_problem *p, int input, int64_t elements)
{
    struct rows rows = {.input = p->inputs[input], .all = p->root == p->inputs[input]};
    lift_type t = rows.input->type;
    int64_t length;

    if (t->kind != LIFT_TYPE_ARRAY ||
        !lift_nat_eval(t->len, lift_nat_env_value, (void *)&p->sizes, &length))
        return elements;
    lift_expr_each(p->root, look_for_rows, &rows);
    return rows.all || rows.count == 0 || rows.count >= length
               ? elements
               : elements / length * rows.count;
}

static bool add_bytes(struct explore_problem *p, int64_t elements,
                      enum lift_scalar scalar, int64_t *sum, struct lift_str *why)
{
    int64_t bytes;

    return (!__builtin_mul_overflow(elements, lift_scalar_bytes(scalar), &bytes) &&
            !__builtin_add_overflow(*sum, bytes, sum)) ||
           LIFT_FAIL(why, "the arrays of '%s' are too large", p->name);
}

static bool add_read(struct explore_problem *p, struct lift_str *why)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    bool good = true;

    for (int i = 0; good && i < p->input_count; i++) {
        int count = explore_leaves(p->inputs[i]->type, &p->sizes, leaves);

        for (int k = 0; good && k < count; k++)
            good = add_bytes(p, elements_read(p, i, leaves[k].count), leaves[k].scalar,
                             &p->read, why);
    }
    return good;
}

static bool add_written(struct explore_problem *p, const struct explore_leaf *leaves,
                        int count, struct lift_str *why)
{
    p->bytes = p->read;
    for (int i = 0; i < count; i++) {
        if (!add_bytes(p, leaves[i].count, leaves[i].scalar, &p->bytes, why))
            return false;
        if (leaves[i].count > p->points)
            p->points = leaves[i].count;
    }
    return true;
}

/* Consecutive steps of the program itself: the factors of all 'iterate' over grids. */
static int64_t steps_of(const struct explore_problem *p, lift_expr e)
{
    bool named = lift_expr_is(e, LIFT_LET);
    int64_t all = 0, n = 1;

    if (!lift_expr_mentions(e, LIFT_ITERATE))
        return 0;
    if (lift_expr_is(e, LIFT_ITERATE) && lift_is_grids(e->type)) {
        int64_t inside = steps_of(p, e->u.prim.args[0]->u.lambda.body);

        if (!lift_nat_eval(e->u.prim.nats[0], lift_nat_env_value, (void *)&p->sizes,
                           &n) ||
            __builtin_mul_overflow(n, inside > 1 ? inside : 1, &n))
            n = 1;
        return n + steps_of(p, e->u.prim.args[1]);
    }
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        int64_t here = steps_of(p, lift_expr_child(e, i));

        all = named ? all + here : here > all ? here : all;
    }
    return all;
}

bool explore_problem_measure(struct explore_problem *p, struct lift_str *why)
{
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_input_leaves(p, &p->sizes, leaves);
    int64_t steps = steps_of(p, p->root);

    p->points = p->bytes = p->read = 0;
    p->positive = false;
    if (count >= 0 && !add_read(p, why))
        return false;
    if (count >= 0)
        count = explore_output_leaves(p, &p->sizes, leaves);
    if (count < 0)
        return LIFT_FAIL(why, "'%s' has no flat buffers at these sizes", p->name);
    if (!add_written(p, leaves, count, why))
        return false;
    if (p->points == 0)
        return LIFT_FAIL(why, "'%s' has no grid point at these sizes", p->name);
    if (__builtin_mul_overflow(p->points, p->program->steps, &p->points) ||
        (steps > 1 && __builtin_mul_overflow(p->points, steps, &p->points))) {
        return LIFT_FAIL(why, "'%s' has too many grid points at these sizes", p->name);
    }
    p->dtype = lift_program_precision(p->program);
    if (!*p->dtype)
        p->dtype = lift_scalar_name(leaves[0].scalar);
    explore_find_chains(p, leaves, count);
    lift_expr_each(p->root, look_for_touchy, &p->positive);
    explore_find_reach(p);
    p->ops = lift_ops_weighted(p->ir, p->root, &p->sizes);
    return true;
}

/* ---- numbers by name */

struct numbers {
    const struct lift_nat_env *env;
    struct lift_nats *nats;
};

static lift_nat number_of(void *user, lift_nat var)
{
    struct numbers *n = user;
    const char *name = lift_nat_is_var(var, NULL);
    int64_t value;

    if (!name || !lift_nat_env_value((void *)n->env, name, &value))
        return NULL;
    return lift_nat_const(n->nats, value);
}

bool explore_specialise(const struct explore_problem *p, lift_expr term,
                        const struct lift_nat_env *numbers, struct lift_ir *into,
                        struct explore_special *out, struct lift_str *why)
{
    struct numbers n = {numbers, lift_ir_nats(into)};
    struct lift_type_error error;

    out->body = lift_expr_subst(into, term, number_of, &n, &error);
    if (!out->body)
        return LIFT_FAIL(why, "%s", error.text);
    for (int i = 0; i < p->input_count; i++) {
        out->inputs[i] = lift_expr_subst(into, p->inputs[i], number_of, &n, &error);
        LIFT_ASSERT(out->inputs[i]);
    }
    for (int i = 0; i < p->param_count; i++) {
        out->params[i] = lift_expr_subst(into, p->params[i], number_of, &n, &error);
        LIFT_ASSERT(out->params[i]);
    }
    return true;
}
