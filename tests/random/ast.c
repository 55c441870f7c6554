#include "ast.h"
#include "base/bug.h"
#include <string.h>

/* ---- types */

rp_type rp_scalar(enum rp_kind kind)
{
    static const struct rp_type scalars[] = {{.kind = RP_F32}, {.kind = RP_F64},
                                             {.kind = RP_I32}, {.kind = RP_BOOL},
                                             {.kind = RP_F16}, {.kind = RP_BF16}};

    return &scalars[kind];
}

rp_type rp_tuple(struct rp_program *p, const rp_type *member, int count)
{
    struct rp_type *t = LIFT_NEW(p->arena, struct rp_type);

    LIFT_ASSERT(count <= RP_MEMBERS);
    t->form = RP_TUPLE;
    t->count = count;
    memcpy(t->member, member, sizeof *member * (size_t)count);
    return t;
}

rp_type rp_array(struct rp_program *p, struct rp_len len, rp_type elem)
{
    struct rp_type *t = LIFT_NEW(p->arena, struct rp_type);

    t->form = RP_ARRAY;
    t->len = len;
    t->elem = elem;
    return t;
}

rp_type rp_grid(struct rp_program *p, const struct rp_len *len, int d, rp_type elem)
{
    for (int i = d - 1; i >= 0; i--)
        elem = rp_array(p, len[i], elem);
    return elem;
}

bool rp_same(rp_type a, rp_type b)
{
    if (a->form != b->form)
        return false;
    if (a->form == RP_SCALAR)
        return a->kind == b->kind;
    if (a->form == RP_ARRAY)
        return rp_len_same(a->len, b->len) && rp_same(a->elem, b->elem);
    for (int i = 0; i < a->count; i++)
        if (a->count != b->count || !rp_same(a->member[i], b->member[i]))
            return false;
    return true;
}

bool rp_is(rp_type t, enum rp_kind kind)
{
    return t->form == RP_SCALAR && t->kind == kind;
}

bool rp_is_float(rp_type t)
{
    return rp_is(t, RP_F32) || rp_is(t, RP_F64);
}

bool rp_is_stored(enum rp_kind kind)
{
    return kind == RP_F16 || kind == RP_BF16;
}

bool rp_is_number(rp_type t)
{
    return rp_is_float(t) || rp_is(t, RP_I32);
}

rp_type rp_element(rp_type t, int d)
{
    for (int i = 0; i < d; i++) {
        LIFT_ASSERT(t->form == RP_ARRAY);
        t = t->elem;
    }
    return t;
}

int64_t rp_scalars(const struct rp_program *p, rp_type t)
{
    int64_t sum = 0;

    if (t->form == RP_SCALAR)
        return 1;
    if (t->form == RP_ARRAY)
        return rp_len_value(p, t->len) * rp_scalars(p, t->elem);
    for (int i = 0; i < t->count; i++)
        sum += rp_scalars(p, t->member[i]);
    return sum;
}

/* ---- lengths */

struct rp_len rp_fixed(int n)
{
    return (struct rp_len){-1, 0, n};
}

struct rp_len rp_plus(struct rp_len len, int n)
{
    len.add += n;
    return len;
}

struct rp_len rp_times(struct rp_len len, int n)
{
    return (struct rp_len){len.size, len.mul * n, len.add * n};
}

struct rp_len rp_over(struct rp_len len, int n)
{
    LIFT_ASSERT(rp_divides(len, n));
    return (struct rp_len){len.size, len.mul / n, len.add / n};
}

bool rp_divides(struct rp_len len, int n)
{
    return len.mul % n == 0 && len.add % n == 0;
}

bool rp_len_same(struct rp_len a, struct rp_len b)
{
    return a.size == b.size && a.mul == b.mul && a.add == b.add;
}

int rp_len_value(const struct rp_program *p, struct rp_len len)
{
    return len.add + (len.size < 0 ? 0 : len.mul * (int)p->sizes[len.size].value);
}

/* ---- expressions */

struct rp_expr *rp_new(struct rp_program *p, enum rp_op op, rp_type type)
{
    struct rp_expr *e = LIFT_NEW(p->arena, struct rp_expr);

    e->op = op;
    e->type = type;
    e->d = 1;
    return e;
}

void rp_add_arg(struct rp_expr *e, struct rp_expr *arg)
{
    LIFT_ASSERT(e->count < RP_ARGS);
    e->arg[e->count++] = arg;
}

struct rp_expr *rp_new1(struct rp_program *p, enum rp_op op, rp_type type,
                        struct rp_expr *x)
{
    struct rp_expr *e = rp_new(p, op, type);

    rp_add_arg(e, x);
    return e;
}

struct rp_expr *rp_new2(struct rp_program *p, enum rp_op op, rp_type type,
                        struct rp_expr *x, struct rp_expr *y)
{
    struct rp_expr *e = rp_new1(p, op, type, x);

    rp_add_arg(e, y);
    return e;
}

struct rp_expr *rp_lit(struct rp_program *p, enum rp_kind kind, double value)
{
    struct rp_expr *e = rp_new(p, RP_LIT, rp_scalar(kind));

    e->value = value;
    return e;
}

struct rp_expr *rp_plain(struct rp_program *p, rp_type type, double value)
{
    struct rp_expr *e;

    if (type->form == RP_SCALAR)
        return rp_lit(p, type->kind,
                      type->kind == RP_I32    ? (double)(int)value
                      : type->kind == RP_BOOL ? value != 0
                                              : value);
    LIFT_ASSERT(type->form == RP_TUPLE);
    e = rp_new(p, RP_MAKE, type);
    for (int i = 0; i < type->count; i++)
        rp_add_arg(e, rp_plain(p, type->member[i], value + i));
    return e;
}

struct rp_expr *rp_var(struct rp_program *p, int var)
{
    struct rp_expr *e = rp_new(p, RP_VAR, p->vars[var].type);

    e->k = var;
    return e;
}

struct rp_expr *rp_get(struct rp_program *p, struct rp_expr *x, int k)
{
    struct rp_expr *e = rp_new1(p, RP_GET, x->type->member[k], x);

    e->k = k;
    return e;
}

struct rp_expr *rp_at(struct rp_program *p, struct rp_expr *x, int i)
{
    struct rp_expr *e = rp_new1(p, RP_AT, x->type->elem, x);

    e->a[0] = rp_fixed(i);
    return e;
}

int rp_new_var(struct rp_program *p, rp_type type)
{
    LIFT_ASSERT(p->var_count < RP_VARS);
    p->vars[p->var_count] = (struct rp_var){.type = type};
    return p->var_count++;
}

int rp_bodies(const struct rp_expr *e)
{
    switch (e->op) {
    case RP_LET:
    case RP_MAP:
    case RP_REDUCE:
    case RP_PAD_FUN:
    case RP_REORDER:
    case RP_ARRAY_OF:
    case RP_ITERATE:
        return 1;
    case RP_REGIONS:
        return 2;
    default:
        return 0;
    }
}

int rp_nodes(const struct rp_expr *e)
{
    int n = 1;

    for (int i = 0; i < e->count; i++)
        n += rp_nodes(e->arg[i]);
    return n;
}

bool rp_mentions(const struct rp_expr *e, enum rp_op op, int k)
{
    if (e->op == op && e->k == k)
        return true;
    for (int i = 0; i < e->count; i++)
        if (rp_mentions(e->arg[i], op, k))
            return true;
    return false;
}

/* ---- constraints of sizes */

static bool bad_pad(const struct rp_program *p, const struct rp_expr *e)
{
    rp_type t = e->arg[0]->type;

    for (int i = 0; i < e->d; i++, t = t->elem) {
        int n = rp_len_value(p, t->len);

        if (rp_len_value(p, e->a[i]) < 0 || rp_len_value(p, e->b[i]) < 0)
            return true;
        if (e->op == RP_PAD && e->k != RP_CLAMP &&
            (rp_len_value(p, e->a[i]) > n || rp_len_value(p, e->b[i]) > n))
            return true;
    }
    return false;
}

static bool bad_window(const struct rp_program *p, const struct rp_expr *e)
{
    rp_type t = e->arg[0]->type, made = e->type;

    for (int i = 0; i < e->d; i++, t = t->elem, made = made->elem) {
        int n = rp_len_value(p, t->len), size = rp_len_value(p, e->a[i]),
            step = rp_len_value(p, e->b[i]);

        if (size < 1 || step < 1 || size > n ||
            (n - size + step) / step != rp_len_value(p, made->len))
            return true;
    }
    return false;
}

static bool bad_index(const struct rp_program *p, const struct rp_expr *e)
{
    int i = rp_len_value(p, e->a[0]);

    return i < 0 || i >= rp_len_value(p, e->arg[0]->type->len);
}

static bool bad_type(const struct rp_program *p, rp_type t)
{
    if (t->form == RP_SCALAR)
        return false;
    if (t->form == RP_ARRAY)
        return rp_len_value(p, t->len) < 1 || bad_type(p, t->elem);
    for (int i = 0; i < t->count; i++)
        if (bad_type(p, t->member[i]))
            return true;
    return false;
}

static const char *illegal(const struct rp_program *p, const struct rp_expr *e)
{
    const char *why;

    if (bad_type(p, e->type))
        return "an array of no elements";
    if ((e->op == RP_PAD || e->op == RP_PAD_CONST || e->op == RP_PAD_FUN) &&
        bad_pad(p, e))
        return "a pad longer than its array";
    if (e->op == RP_SLIDE && bad_window(p, e))
        return "a window longer than its array";
    if (e->op == RP_AT && bad_index(p, e))
        return "an index out of range";
    for (int i = 0; i < e->count; i++)
        if ((why = illegal(p, e->arg[i])))
            return why;
    return NULL;
}

const char *rp_illegal(const struct rp_program *p)
{
    const char *why;

    for (int i = 0; i < p->size_count; i++)
        if (p->sizes[i].value < 1)
            return "a size of nothing";
    for (int i = 0; i < p->input_count; i++)
        if (bad_type(p, p->inputs[i].type))
            return "an array of no elements";
    for (int i = 0; i < p->fun_count; i++)
        if ((why = illegal(p, p->funs[i].body)))
            return why;
    return illegal(p, p->body);
}
