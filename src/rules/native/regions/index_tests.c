#include "rules/native/regions/index_tests.h"
#include "base/table.h"
#include "ir/expr.h"
#include "ir/nat.h"
#include "rules/nd.h"

/* ---- values of expressions at a point */

/* Index variables and their values. */
struct point {
    struct lift_ir *ir;
    int d;
    const lift_expr *index;
    lift_nat at[LIFT_MAX_DIMS];
};

static bool has_index(const struct point *p, lift_expr e)
{
    for (int k = 0; k < p->d; k++)
        if (nd_count(e, p->index[k], 1))
            return true;
    return false;
}

static lift_nat number(const struct point *p, lift_expr e);

/* Returns the value of a sum, difference, product or negation. Accepts only expressions
 * linear in each index, whose extrema are at corners of the box. */
static lift_nat number_of_prim(const struct point *p, lift_expr e)
{
    lift_nat x[2] = {NULL, NULL};

    if (e->op == LIFT_NAT)
        return e->u.prim.nats[0];
    if (e->op != LIFT_ADD && e->op != LIFT_SUB && e->op != LIFT_MUL && e->op != LIFT_NEG)
        return NULL;
    for (int i = 0; i < e->arg_count; i++)
        if (!(x[i] = number(p, lift_expr_arg(e, i))))
            return NULL;
    if (e->op == LIFT_NEG)
        return lift_nat_mul_const(x[0], -1);
    if (e->op == LIFT_ADD)
        return lift_nat_add(x[0], x[1]);
    if (e->op == LIFT_SUB)
        return lift_nat_sub(x[0], x[1]);
    return has_index(p, lift_expr_arg(e, 0)) && has_index(p, lift_expr_arg(e, 1))
               ? NULL
               : lift_nat_mul(x[0], x[1]);
}

/* Returns the value of an i32; NULL if the expression is not known to be linear. */
static lift_nat number(const struct point *p, lift_expr e)
{
    if (!lift_type_is_scalar(e->type, LIFT_I32))
        return NULL;
    for (int k = 0; k < p->d; k++)
        if (e == p->index[k])
            return p->at[k];
    if (e->kind == LIFT_EXPR_LIT)
        return lift_nat_const(lift_ir_nats(p->ir), e->u.integer);
    return e->kind == LIFT_EXPR_PRIM ? number_of_prim(p, e) : NULL;
}

/* Returns y - x for a comparison of x and y. */
static lift_nat difference(const struct point *p, lift_expr e)
{
    lift_nat x = number(p, lift_expr_arg(e, 0)), y = number(p, lift_expr_arg(e, 1));

    return x && y ? lift_nat_sub(y, x) : NULL;
}

static bool is_comparison(lift_expr e)
{
    return lift_expr_is(e, LIFT_LT) || lift_expr_is(e, LIFT_LE) ||
           lift_expr_is(e, LIFT_EQ) || lift_expr_is(e, LIFT_NE);
}

/* ---- values of predicates */

enum answer { NO, YES, OPEN };

static enum answer not(enum answer a) { return a == OPEN ? OPEN : a == YES ? NO : YES; }

static enum answer both(enum answer a, enum answer b)
{
    return a == NO || b == NO ? NO : a == YES && b == YES ? YES : OPEN;
}

struct corner {
    struct lift_ir *ir;
    const struct index_boxes *boxes;
    const struct index_box *box;
};

enum { MOST_FACTS = LIFT_MAX_DIMS + 8 };

/* Adds the facts that a maximum is at least as large as each of its operands. */
static int add_maxima(lift_nat n, lift_nat facts[MOST_FACTS], int count)
{
    int factors;

    for (int t = 0; t < lift_nat_term_count(n); t++) {
        lift_nat_term(n, t, &factors);
        for (int f = 0; f < factors && count + 2 <= MOST_FACTS; f++) {
            struct lift_atom a = lift_nat_factor(n, t, f);
            lift_nat max = a.kind == LIFT_ATOM_MAX ? lift_nat_max(a.a, a.b) : NULL;

            if (max) {
                facts[count++] = lift_nat_sub(max, a.a);
                facts[count++] = lift_nat_sub(max, a.b);
            }
        }
    }
    return count;
}

/* True if n is at least 'least' on the box. Assumes that the box has points, since
 * predicates on an empty box may have any value. */
static bool is_least(const struct corner *c, lift_nat n, int64_t least)
{
    lift_nat facts[MOST_FACTS];
    int count = 0;

    if (lift_nat_lo(n) >= least)
        return true;
    for (int k = 0; k < c->boxes->d; k++)
        facts[count++] = lift_nat_sub(c->box->last[k], c->box->first[k]);
    count = add_maxima(n, facts, count);
    return lift_nat_proves_ge0(lift_nat_add_const(n, -least), facts, count);
}

/* True if sign * (y - x) is at least 'least' at all corners of the box. */
static bool at_corners(const struct corner *c, lift_expr e, int sign, int64_t least)
{
    struct point p = {.ir = c->ir, .d = c->boxes->d, .index = c->boxes->index};

    for (int corner = 0; corner < 1 << p.d; corner++) {
        lift_nat by;

        for (int k = 0; k < p.d; k++)
            p.at[k] = corner >> k & 1 ? c->box->last[k] : c->box->first[k];
        by = difference(&p, e);
        if (!by || !is_least(c, lift_nat_mul_const(by, sign), least))
            return false;
    }
    return true;
}

static enum answer compared(const struct corner *c, lift_expr e)
{
    bool less = e->op == LIFT_LT, order = less || e->op == LIFT_LE;
    enum answer equal = OPEN;

    if (order)
        return at_corners(c, e, 1, less) ? YES : at_corners(c, e, -1, !less) ? NO : OPEN;
    if (at_corners(c, e, 1, 1) || at_corners(c, e, -1, 1))
        equal = NO;
    else if (at_corners(c, e, 1, 0) && at_corners(c, e, -1, 0))
        equal = YES;
    return e->op == LIFT_EQ ? equal : not(equal);
}

static enum answer answer(const struct corner *c, lift_expr e)
{
    enum answer a[2];

    if (e->kind == LIFT_EXPR_LIT)
        return e->u.integer ? YES : NO;
    if (e->kind != LIFT_EXPR_PRIM)
        return OPEN;
    if (is_comparison(e))
        return compared(c, e);
    if (e->op != LIFT_AND && e->op != LIFT_OR && e->op != LIFT_NOT)
        return OPEN;
    for (int i = 0; i < e->arg_count; i++)
        a[i] = answer(c, lift_expr_arg(e, i));
    if (e->op == LIFT_NOT)
        return not(a[0]);
    return e->op == LIFT_AND ? both(a[0], a[1]) : not(both(not(a[0]), not(a[1])));
}

/* ---- decided predicates */

struct deciding {
    struct lift_ir *ir;
    const struct index_boxes *boxes;
};

/* Returns the value of a predicate that is equal in all boxes; otherwise OPEN. */
static enum answer everywhere(struct deciding *x, lift_expr e)
{
    struct corner c = {x->ir, x->boxes, x->boxes->box};
    enum answer first = answer(&c, e);

    for (int i = 1; i < x->boxes->count && first != OPEN; i++) {
        c.box = &x->boxes->box[i];
        if (answer(&c, e) != first)
            return OPEN;
    }
    return first;
}

static bool is_literal(lift_expr e, bool value)
{
    return e->kind == LIFT_EXPR_LIT && lift_type_is_scalar(e->type, LIFT_BOOL) &&
           (e->u.integer != 0) == value;
}

/* Simplifies a node whose arguments are decided: returns the node or one of its
 * arguments. */
static lift_expr followed(lift_expr e)
{
    lift_expr a, b;

    if (lift_expr_is(e, LIFT_SELECT)) {
        a = lift_expr_arg(e, 0);
        return is_literal(a, true)    ? lift_expr_arg(e, 1)
               : is_literal(a, false) ? lift_expr_arg(e, 2)
                                      : e;
    }
    if (!lift_expr_is(e, LIFT_AND) && !lift_expr_is(e, LIFT_OR))
        return e;
    a = lift_expr_arg(e, 0);
    b = lift_expr_arg(e, 1);
    if (is_literal(a, e->op == LIFT_AND) || is_literal(b, e->op == LIFT_OR))
        return b;
    return is_literal(b, e->op == LIFT_AND) || is_literal(a, e->op == LIFT_OR) ? a : e;
}

static lift_expr decided(void *user, lift_expr e)
{
    struct deciding *x = user;
    enum answer said = OPEN;

    if (lift_expr_child_count(e) > 0 && lift_type_is_scalar(e->type, LIFT_BOOL))
        said = everywhere(x, e);
    return said == OPEN ? NULL : lift_expr_bool(x->ir, said == YES);
}

static lift_expr after_children(void *user, lift_expr e, lift_expr to)
{
    (void)user;
    return to ? followed(to) : e;
}

lift_expr index_decided(struct lift_ir *ir, lift_expr e, const struct index_boxes *boxes)
{
    struct deciding x = {ir, boxes};

    return lift_expr_mapped(&(struct lift_expr_map){ir, &x, decided, after_children}, e);
}

/* ---- arrays */

static lift_expr generated(struct lift_ir *ir, lift_expr e);

/* Builds array(count, fun(i => f(i + start))). */
static lift_expr part(struct lift_ir *ir, lift_expr array, lift_nat start, lift_nat count)
{
    lift_expr f = array ? lift_expr_arg(array, 0) : NULL, i, at;

    if (!f)
        return NULL;
    i = lift_fresh(ir, f->u.lambda.names[0], f->type->parts[0]);
    at = lift_nat_is(start, 0) ? i : lift_call2(ir, LIFT_ADD, i, nd_size(ir, start));
    return lift_array(ir, count, lift_fun(ir, lift_expr_apply(ir, f, &at), i));
}

/* map(f, array(n, g)) = array(n, fun(i => f(g(i)))), if f(g(i)) is also an array by
 * indices. */
static lift_expr of_rows(struct lift_ir *ir, lift_expr f, lift_expr array)
{
    lift_expr g = array ? lift_expr_arg(array, 0) : NULL, i, row;

    if (!g)
        return NULL;
    i = lift_fresh(ir, g->u.lambda.names[0], g->type->parts[0]);
    row = lift_expr_apply(ir, g, &i);
    row = generated(ir, lift_expr_apply(ir, f, &row));
    return lift_array(ir, array->u.prim.nats[0], lift_fun(ir, row, i));
}

/* Rewrites 'e' as 'array', through take and drop; NULL for other terms. */
static lift_expr generated(struct lift_ir *ir, lift_expr e)
{
    lift_nat zero = lift_nat_const(lift_ir_nats(ir), 0), n;

    if (e->kind != LIFT_EXPR_PRIM)
        return NULL;
    n = e->u.prim.nats[0];
    switch (e->op) {
    case LIFT_ARRAY:
        return e;
    case LIFT_TAKE:
        return part(ir, generated(ir, lift_expr_arg(e, 0)), zero, n);
    case LIFT_DROP:
        return part(ir, generated(ir, lift_expr_arg(e, 0)), n, e->type->len);
    case LIFT_MAP:
        return of_rows(ir, lift_expr_arg(e, 0), generated(ir, lift_expr_arg(e, 1)));
    default:
        return NULL;
    }
}

lift_expr index_body(struct lift_ir *ir, lift_expr e, struct index_boxes *boxes)
{
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);
    lift_nat zero = lift_nat_const(lift_ir_nats(ir), 0);

    boxes->count = 1;
    for (int k = 0; k < boxes->d; k++) {
        e = generated(ir, e);
        if (!e)
            return NULL;
        boxes->box[0].first[k] = zero;
        boxes->box[0].last[k] = lift_nat_add_const(e->u.prim.nats[0], -1);
        boxes->index[k] = lift_fresh(ir, e->u.prim.args[0]->u.lambda.names[0], i32);
        e = lift_expr_apply(ir, e->u.prim.args[0], &boxes->index[k]);
    }
    return e;
}

/* ---- indices at which predicates change */

struct cutting {
    struct lift_ir *ir;
    lift_expr index;
    lift_nat len;
    struct halo *halo;
};

struct sharing {
    lift_nat other;
    bool shared;
};

static void look_for(void *user, const struct lift_var *var)
{
    struct sharing *s = user;

    s->shared |= lift_nat_has(s->other, var->nat);
}

/* True if the end is nearer than the start. If the sizes do not decide, the nearer end is
 * the end whose distance does not grow with the length. */
static bool is_nearer(lift_nat to_start, lift_nat to_end, lift_nat len)
{
    struct sharing s = {.other = to_start};

    if (lift_nat_proves_le(to_start, to_end))
        return false;
    if (lift_nat_proves_lt(to_end, to_start))
        return true;
    lift_nat_each_var(len, look_for, &s);
    return s.shared;
}

/* Records that a predicate changes its value at index 't'. */
static void add_cut(struct cutting *c, lift_nat t)
{
    lift_nat zero = lift_nat_const(lift_ir_nats(c->ir), 0);
    lift_nat rest = lift_nat_sub(c->len, t);

    if (lift_nat_proves_le(t, zero) || lift_nat_proves_le(rest, zero))
        return;
    if (is_nearer(t, rest, c->len))
        c->halo->after = lift_nat_max(c->halo->after, rest);
    else
        c->halo->before = lift_nat_max(c->halo->before, t);
}

/* y - x is d + s * i. Adds the cuts at which this difference crosses 0 and 1. */
static void cut_comparison(struct cutting *c, lift_expr e)
{
    struct lift_nats *nats = lift_ir_nats(c->ir);
    struct point p = {c->ir, 1, &c->index, {lift_nat_const(nats, 0)}};
    lift_nat d = difference(&p, e), slope;
    int64_t s;

    p.at[0] = lift_nat_const(nats, 1);
    slope = d ? lift_nat_sub(difference(&p, e), d) : NULL;
    if (!slope || !lift_nat_is_const(slope, &s) || s == 0)
        return;
    for (int least = 0; least < 2; least++) {
        lift_nat from = lift_nat_add_const(d, -least);
        lift_nat by = lift_nat_const(nats, s < 0 ? -s : s);

        if (e->op == (least ? LIFT_LE : LIFT_LT))
            continue;
        add_cut(c, s > 0 ? lift_nat_ceil_div(lift_nat_mul_const(from, -1), by)
                         : lift_nat_add_const(lift_nat_div(from, by), 1));
    }
}

static bool find_cuts(void *cutting, lift_expr e)
{
    if (is_comparison(e))
        cut_comparison(cutting, e);
    return true;
}

void index_cuts(struct lift_ir *ir, lift_expr array, int dim, struct halo *h)
{
    struct index_boxes boxes = {.d = dim};
    lift_expr e = index_body(ir, array, &boxes);
    struct cutting c = {.ir = ir, .halo = h};

    e = e ? generated(ir, e) : NULL;
    if (!e)
        return;
    c.len = e->u.prim.nats[0];
    c.index = lift_fresh(ir, "i", lift_type_scalar(ir, LIFT_I32));
    lift_expr_each(lift_expr_apply(ir, e->u.prim.args[0], &c.index), find_cuts, &c);
}
