/* Scalars, tuples and small arrays from variables in scope. */
#include "base/bug.h"
#include "gen.h"

static struct rp_expr *unary(struct gen *g, enum rp_op op, struct rp_expr *x)
{
    return rp_new1(g->p, op, x->type, x);
}

static struct rp_expr *binary(struct gen *g, enum rp_op op, enum rp_kind kind,
                              struct rp_expr *x, struct rp_expr *y)
{
    struct rp_expr *e = rp_new2(g->p, op, rp_scalar(kind), x, y);

    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

static struct rp_expr *convert(struct gen *g, enum rp_kind to, struct rp_expr *x)
{
    return rp_new1(g->p, RP_CONVERT, rp_scalar(to), x);
}

static struct rp_expr *choice(struct gen *g, struct rp_expr *c, struct rp_expr *x,
                              struct rp_expr *y)
{
    struct rp_expr *e = rp_new2(g->p, RP_IF, x->type, c, x);

    rp_add_arg(e, y);
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* Within -limit .. limit. */
static struct rp_expr *within(struct gen *g, struct rp_expr *x, double limit)
{
    enum rp_kind kind = x->type->kind;

    x = binary(g, RP_MAX, kind, x, rp_lit(g->p, kind, -limit));
    return binary(g, RP_MIN, kind, x, rp_lit(g->p, kind, limit));
}

/* Any scalar as one of another kind. */
static struct rp_expr *as(struct gen *g, enum rp_kind to, struct rp_expr *x)
{
    enum rp_kind from = x->type->kind;

    if (from == to)
        return x;
    if (rp_is_stored(from))
        return as(g, to, convert(g, RP_F32, x));
    if (from == RP_BOOL)
        return choice(g, x, rg_literal(g, to), rg_literal(g, to));
    if (to == RP_BOOL)
        return binary(g, rg_chance(g, 50) ? RP_LT : RP_GE, RP_BOOL, x,
                      rg_literal(g, from));
    return convert(g, to, to == RP_I32 ? within(g, x, 9) : x);
}

struct rp_expr *rg_literal(struct gen *g, enum rp_kind kind)
{
    LIFT_ASSERT(!rp_is_stored(kind));
    switch (kind) {
    case RP_BOOL:
        return rp_lit(g->p, kind, rg_below(g, 2));
    case RP_I32:
        return rp_lit(g->p, kind, rg_range(g, -4, 5));
    default:
        if (rg_chance(g, 30))
            return rp_lit(g->p, kind, rg_range(g, -2, 3));
        return rp_lit(g->p, kind, rg_range(g, -150, 150) / 100.0);
    }
}

/* ---- variables in scope */

/* A place in an array: any of a known length, an end of others. */
static struct rp_expr *element_of(struct gen *g, struct rp_expr *x)
{
    struct rp_len n = x->type->len;
    struct rp_expr *e = rp_at(g->p, x, 0);

    if (n.size < 0)
        e->a[0] = rp_fixed(rg_below(g, n.add));
    else if (rg_chance(g, 50))
        e->a[0] = rp_plus(n, -1);
    return e;
}

/* From a variable inwards to a scalar; NULL if that would read one place of a grid. */
static struct rp_expr *descend(struct gen *g, struct rp_expr *x)
{
    while (x->type->form != RP_SCALAR) {
        if (x->type->form == RP_TUPLE)
            x = rp_get(g->p, x, rg_below(g, x->type->count));
        else if (x->type->len.size >= 0 && !rg_chance(g, 4))
            return NULL;
        else
            x = element_of(g, x);
    }
    return x;
}

static struct rp_expr *some_variable(struct gen *g)
{
    int n = g->scope_count;

    /* The innermost ones more often. */
    return rp_var(g->p, g->scope[n - 1 - rg_below(g, rg_range(g, 1, n))]);
}

/* Something of that kind that is read, without arithmetic. */
static struct rp_expr *access(struct gen *g, enum rp_kind kind)
{
    struct rp_expr *found = NULL, *x;

    for (int i = 0; i < 8 && g->scope_count > 0; i++) {
        x = descend(g, some_variable(g));
        if (x && x->type->kind == kind)
            return x;
        found = x ? x : found;
    }
    if (g->p->param_count > 0 && (!found || rg_chance(g, 10))) {
        int k = rg_below(g, g->p->param_count);

        found = rp_new(g->p, RP_PARAM, g->p->params[k].type);
        found->k = k;
    }
    return found ? as(g, kind, found) : rg_literal(g, kind);
}

static struct rp_expr *variable_of(struct gen *g, rp_type type)
{
    for (int i = g->scope_count - 1; i >= 0; i--)
        if (rp_same(g->p->vars[g->scope[i]].type, type) && rg_chance(g, 70))
            return rp_var(g->p, g->scope[i]);
    return NULL;
}

static struct rp_expr *leaf(struct gen *g, enum rp_kind kind)
{
    if (kind == RP_I32 && g->p->size_count > 0 && rg_chance(g, 6)) {
        struct rp_expr *e = rp_new(g->p, RP_LENGTH, rp_scalar(RP_I32));

        e->a[0] = (struct rp_len){rg_below(g, g->p->size_count), rg_range(g, 1, 2),
                                  rg_range(g, -2, 2)};
        return e;
    }
    return rg_chance(g, 80) ? access(g, kind) : rg_literal(g, kind);
}

/* ---- reductions */

/* An array of scalars that is in scope, by a way inwards; NULL if none was met. */
static struct rp_expr *some_array(struct gen *g)
{
    for (int i = 0; i < 6 && g->scope_count > 0; i++) {
        struct rp_expr *x = some_variable(g);

        while (x->type->form != RP_SCALAR &&
               !(x->type->form == RP_ARRAY && x->type->elem->form == RP_SCALAR))
            x = x->type->form == RP_TUPLE ? rp_get(g->p, x, rg_below(g, x->type->count))
                : x->type->elem->form == RP_ARRAY && x->type->len.size < 0 &&
                        x->type->elem->len.size < 0 && rg_chance(g, 60)
                    ? rp_new1(
                          g->p, RP_JOIN,
                          rp_array(g->p,
                                   rp_fixed(x->type->len.add * x->type->elem->len.add),
                                   x->type->elem->elem),
                          x)
                    : element_of(g, x);
        if (x->type->form == RP_ARRAY && rp_is_number(x->type->elem) &&
            (x->type->len.size < 0 || rg_chance(g, 10)))
            return x;
    }
    return NULL;
}

static struct rp_expr *reduction(struct gen *g, struct rp_expr *init,
                                 struct rp_expr *array, int acc, int elem,
                                 struct rp_expr *body)
{
    struct rp_expr *e = rp_new2(g->p, RP_REDUCE, init->type, init, array);

    e->param[0] = acc;
    e->param[1] = elem;
    e->param_count = 2;
    rp_add_arg(e, body);
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* Elements with a function of each, or with a weight each. */
static struct rp_expr *prepared(struct gen *g, struct rp_expr *x, int depth)
{
    enum rp_kind kind = x->type->elem->kind;
    struct rp_expr *e;
    int v;

    if (rg_chance(g, 60))
        return x;
    v = rg_enter(g, x->type->elem, "e");
    e = rp_new2(g->p, RP_MAP, x->type, x, rg_scalar(g, kind, depth - 1));
    rg_leave(g, 1);
    e->param[0] = v;
    e->param_count = 1;
    return e;
}

static struct rp_expr *fold_step(struct gen *g, enum rp_kind kind, int acc, int elem)
{
    static const enum rp_op ops[] = {RP_ADD, RP_ADD, RP_MIN, RP_MAX};
    enum rp_op op = ops[rg_below(g, 4)];
    struct rp_expr *x = rp_var(g->p, elem);

    if (op == RP_ADD && rg_chance(g, 30))
        x = binary(g, RP_MUL, kind, x, rg_literal(g, kind));
    return binary(g, op, kind, rp_var(g->p, acc), x);
}

/* One number. */
static struct rp_expr *fold(struct gen *g, struct rp_expr *x)
{
    enum rp_kind kind = x->type->elem->kind;
    int acc = rg_enter(g, rp_scalar(kind), "acc"),
        elem = rg_enter(g, x->type->elem, "el");
    struct rp_expr *step = fold_step(g, kind, acc, elem);

    rg_leave(g, 2);
    return reduction(g, rg_literal(g, kind), x, acc, elem, step);
}

/* A pair of numbers, of which the program uses one. */
static struct rp_expr *fold_pair(struct gen *g, struct rp_expr *x)
{
    enum rp_kind kind = x->type->elem->kind;
    rp_type t = rp_tuple(g->p, (rp_type[]){rp_scalar(kind), rp_scalar(RP_I32)}, 2);
    int acc = rg_enter(g, t, "acc"), elem = rg_enter(g, x->type->elem, "el");
    struct rp_expr *pair = rp_new(g->p, RP_MAKE, t), *count;

    rp_add_arg(pair, binary(g, RP_ADD, kind, rp_get(g->p, rp_var(g->p, acc), 0),
                            rp_var(g->p, elem)));
    count = choice(g, binary(g, RP_LT, RP_BOOL, rp_var(g->p, elem), rg_literal(g, kind)),
                   rp_lit(g->p, RP_I32, 1), rp_lit(g->p, RP_I32, 0));
    rp_add_arg(pair,
               binary(g, RP_ADD, RP_I32, rp_get(g->p, rp_var(g->p, acc), 1), count));
    rg_leave(g, 2);
    return rp_get(g->p, reduction(g, rp_plain(g->p, t, 0), x, acc, elem, pair),
                  rg_below(g, 2));
}

static struct rp_expr *reduced(struct gen *g, enum rp_kind kind, int depth)
{
    struct rp_expr *x = some_array(g);

    if (!x)
        return access(g, kind);
    x = prepared(g, x, depth);
    return as(g, kind, rg_chance(g, 85) ? fold(g, x) : fold_pair(g, x));
}

/* ---- arithmetic */

static enum rp_kind smaller(struct gen *g, enum rp_kind kind)
{
    if (!rg_chance(g, 15) || kind == RP_I32)
        return kind;
    return kind == RP_F64 && rg_chance(g, 60) ? RP_F32 : RP_I32;
}

/* One operand has the kind of the result, the other may be converted. */
static struct rp_expr *arithmetic(struct gen *g, enum rp_op op, enum rp_kind kind,
                                  int depth)
{
    bool left = rg_chance(g, 50);
    struct rp_expr *x = rg_scalar(g, kind, depth - 1), *y;

    if (kind != RP_I32 && g->p->const_count > 0 && rg_chance(g, 10)) {
        y = rp_new(g->p, RP_CONST, rp_scalar(kind));
        y->k = rg_below(g, g->p->const_count);
    } else {
        y = rg_scalar(g, smaller(g, kind), depth - 1);
    }
    return left ? binary(g, op, kind, x, y) : binary(g, op, kind, y, x);
}

/* A quotient whose divisor is not near zero. */
static struct rp_expr *quotient(struct gen *g, enum rp_kind kind, int depth)
{
    struct rp_expr *x = rg_scalar(g, kind, depth - 1), *y;

    if (rg_chance(g, 40))
        y = rp_lit(g->p, kind, rg_range(g, 1, 40) / 8.0);
    else
        y = binary(g, RP_ADD, kind, unary(g, RP_ABS, rg_scalar(g, kind, depth - 1)),
                   rp_lit(g->p, kind, rg_range(g, 2, 9) / 4.0));
    return binary(g, RP_DIV, kind, x, y);
}

static struct rp_expr *function(struct gen *g, enum rp_kind kind, int depth)
{
    struct rp_expr *x = rg_scalar(g, kind, depth - 1);

    switch (rg_below(g, 9)) {
    case 0:
    case 1:
        return unary(g, RP_SQRT, unary(g, RP_ABS, x));
    case 2:
        return unary(g, RP_EXP, binary(g, RP_MIN, kind, x, rp_lit(g->p, kind, 1.5)));
    case 3:
        return unary(
            g, RP_LOG,
            binary(g, RP_ADD, kind, unary(g, RP_ABS, x), rp_lit(g->p, kind, 0.75)));
    case 4:
        return unary(g, RP_SIN, x);
    case 5:
        return unary(g, RP_COS, x);
    case 6:
        return unary(g, RP_FLOOR, x);
    case 7:
        return binary(g, RP_POW, kind,
                      binary(g, RP_ADD, kind, unary(g, RP_ABS, within(g, x, 2)),
                             rp_lit(g->p, kind, 0.5)),
                      rp_lit(g->p, kind, rg_range(g, -3, 6) / 2.0));
    default:
        return binary(g, RP_MUL, kind, x, rg_literal(g, kind));
    }
}

static struct rp_expr *integer(struct gen *g, int depth)
{
    struct rp_expr *x = rg_scalar(g, RP_I32, depth - 1);

    switch (rg_below(g, 6)) {
    case 0:
        return binary(g, RP_MUL, RP_I32, x, rg_literal(g, RP_I32));
    case 1:
        return binary(g, RP_DIV, RP_I32, x,
                      rp_lit(g->p, RP_I32, rg_chance(g, 85) ? rg_range(g, 1, 6) : -3));
    case 2:
        return binary(g, RP_MOD, RP_I32, x,
                      rp_lit(g->p, RP_I32, rg_chance(g, 85) ? rg_range(g, 1, 6) : -3));
    case 3:
        return convert(
            g, RP_I32,
            within(g, rg_scalar(g, rg_chance(g, 70) ? RP_F32 : RP_F64, depth - 1), 9));
    case 4: /* a product of two that stays small */
        return binary(g, RP_MOD, RP_I32,
                      binary(g, RP_MUL, RP_I32,
                             binary(g, RP_MOD, RP_I32, x, rp_lit(g->p, RP_I32, 97)),
                             rg_scalar(g, RP_I32, 0)),
                      rp_lit(g->p, RP_I32, 11));
    default: /* a division that is guarded */
        return choice(g, binary(g, RP_NE, RP_BOOL, x, rp_lit(g->p, RP_I32, 0)),
                      binary(g, RP_DIV, RP_I32, rg_scalar(g, RP_I32, 0), x),
                      rg_literal(g, RP_I32));
    }
}

static struct rp_expr *extreme(struct gen *g, enum rp_kind kind, int depth)
{
    if (rg_chance(g, 40))
        return unary(g, rg_chance(g, 50) ? RP_NEG : RP_ABS,
                     rg_scalar(g, kind, depth - 1));
    return arithmetic(g, rg_chance(g, 50) ? RP_MIN : RP_MAX, kind, depth);
}

static struct rp_expr *sum_or_product(struct gen *g, enum rp_kind kind, int depth)
{
    static const enum rp_op ops[] = {RP_ADD, RP_ADD, RP_ADD, RP_SUB,
                                     RP_SUB, RP_MUL, RP_MUL};

    return arithmetic(g, ops[rg_below(g, kind == RP_I32 ? 5 : 7)], kind, depth);
}

/* ---- names, calls, tuples */

static struct rp_expr *named(struct gen *g, rp_type type, int depth)
{
    rp_type t = rg_chance(g, 70) ? rp_scalar(rg_number_kind(g)) : rg_element_type(g);
    struct rp_expr *value = rg_element(g, t, depth - 1), *e;
    int v = rg_enter(g, t, "v");

    e = rp_new2(g->p, RP_LET, type, value, rg_element(g, type, depth - 1));
    rg_leave(g, 1);
    e->param[0] = v;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

static struct rp_expr *call(struct gen *g, enum rp_kind kind, int depth)
{
    int k = rg_below(g, g->p->fun_count);
    const struct rp_fun *f = &g->p->funs[k];
    struct rp_expr *e = rp_new(g->p, RP_CALL, f->body->type);

    e->k = k;
    e->style = (unsigned)rg_below(g, 1 << 16);
    for (int i = 0; i < f->param_count; i++)
        rp_add_arg(e, rg_element(g, g->p->vars[f->param[i]].type, depth - 1));
    return as(g, kind, e);
}

/* A function of a number, a few times. */
static struct rp_expr *iterated(struct gen *g, enum rp_kind kind, int depth)
{
    struct rp_expr *start = rg_scalar(g, kind, depth - 1), *e;
    int v = rg_enter(g, rp_scalar(kind), "s");

    e = rp_new2(g->p, RP_ITERATE, start->type, start, rg_scalar(g, kind, 1));
    rg_leave(g, 1);
    e->a[0] = rp_fixed(rg_range(g, 1, 3));
    e->param[0] = v;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

static struct rp_expr *member(struct gen *g, enum rp_kind kind, int depth)
{
    rp_type t =
        rp_tuple(g->p, (rp_type[]){rp_scalar(rg_number_kind(g)), rp_scalar(kind)}, 2);

    return rp_get(g->p, rg_element(g, t, depth - 1), 1);
}

struct rp_expr *rg_condition(struct gen *g, int depth)
{
    enum rp_kind kind = rg_chance(g, 45) ? RP_I32 : rg_number_kind(g);
    static const enum rp_op ops[] = {RP_LT, RP_LE, RP_GT, RP_GE, RP_EQ, RP_NE};

    g->budget--;
    if (depth > 0 && rg_chance(g, 25)) {
        struct rp_expr *x = rg_condition(g, depth - 1);

        if (rg_chance(g, 25))
            return unary(g, RP_NOT, x);
        return binary(g, rg_chance(g, 50) ? RP_AND : RP_OR, RP_BOOL, x,
                      rg_condition(g, depth - 1));
    }
    if (rg_chance(g, 10))
        return access(g, RP_BOOL);
    return binary(g, ops[rg_below(g, kind == RP_I32 ? 6 : 4)], RP_BOOL,
                  rg_scalar(g, kind, rg_chance(g, 40) ? depth - 1 : 0),
                  rg_chance(g, 70) ? rg_literal(g, kind)
                                   : rg_scalar(g, smaller(g, kind), 0));
}

struct rp_expr *rg_scalar(struct gen *g, enum rp_kind kind, int depth)
{
    static const int weights[] = {44, 10, 7, 6, 10, 8, 10, 5, 3, 6, 1, -1};

    if (kind == RP_BOOL)
        return rg_condition(g, depth);
    if (rp_is_stored(kind))
        return convert(g, kind, rg_scalar(g, RP_F32, depth));
    if (depth <= 0 || g->budget <= 0)
        return leaf(g, kind);
    g->budget--;
    switch (rg_pick(g, weights)) {
    case 0:
        return sum_or_product(g, kind, depth);
    case 1:
        return kind == RP_I32 ? integer(g, depth) : function(g, kind, depth);
    case 2:
        return kind == RP_I32 ? integer(g, depth) : quotient(g, kind, depth);
    case 3:
        return extreme(g, kind, depth);
    case 4:
        return choice(g, rg_condition(g, depth - 1), rg_scalar(g, kind, depth - 1),
                      rg_scalar(g, kind, depth - 1));
    case 5:
        return named(g, rp_scalar(kind), depth);
    case 6:
        return reduced(g, kind, depth);
    case 7:
        return g->p->fun_count > 0 ? call(g, kind, depth) : leaf(g, kind);
    case 8:
        return member(g, kind, depth);
    case 9:
        return as(g, kind, rg_scalar(g, rg_number_kind(g), depth - 1));
    default:
        return iterated(g, kind, depth);
    }
}

/* ---- tuples and small arrays */

static struct rp_expr *small_array(struct gen *g, rp_type type, int depth)
{
    struct rp_expr *e = rp_new(g->p, RP_ARRAY_OF, type);
    int v = rg_enter(g, rp_scalar(RP_I32), "i");

    e->a[0] = type->len;
    e->param[0] = v;
    e->param_count = 1;
    rp_add_arg(e, rg_element(g, type->elem, depth - 1));
    rg_leave(g, 1);
    return e;
}

static struct rp_expr *make(struct gen *g, rp_type type, int depth)
{
    struct rp_expr *e = rp_new(g->p, RP_MAKE, type);

    for (int i = 0; i < type->count; i++)
        rp_add_arg(e, rg_element(g, type->member[i], depth));
    return e;
}

struct rp_expr *rg_element(struct gen *g, rp_type type, int depth)
{
    struct rp_expr *e;

    if (type->form == RP_SCALAR)
        return rg_scalar(g, type->kind, depth);
    if ((e = variable_of(g, type)))
        return e;
    if (type->form == RP_ARRAY)
        return small_array(g, type, depth);
    if (depth > 1 && rg_chance(g, 12))
        return choice(g, rg_condition(g, 1), make(g, type, depth - 1),
                      make(g, type, depth - 1));
    if (depth > 1 && rg_chance(g, 15))
        return named(g, type, depth);
    return make(g, type, depth);
}

/* ---- places: 0 <= result < n for 0 <= var < n */

struct rp_expr *rg_index(struct gen *g, int var, struct rp_len n)
{
    struct rp_expr *i = rp_var(g->p, var), *len = rp_new(g->p, RP_LENGTH, i->type), *last;

    len->a[0] = n;
    switch (rg_below(g, 4)) {
    case 0: /* backwards */
        last = rp_new(g->p, RP_LENGTH, i->type);
        last->a[0] = rp_plus(n, -1);
        return binary(g, RP_SUB, RP_I32, last, i);
    case 1: /* around */
        return binary(
            g, RP_MOD, RP_I32,
            binary(g, RP_ADD, RP_I32, i, rp_lit(g->p, RP_I32, rg_range(g, 1, 9))), len);
    case 2:
        return binary(
            g, RP_MOD, RP_I32,
            binary(g, RP_MUL, RP_I32, i, rp_lit(g->p, RP_I32, rg_range(g, 2, 5))), len);
    default:
        return binary(g, RP_DIV, RP_I32, i, rp_lit(g->p, RP_I32, rg_range(g, 2, 4)));
    }
}
