/* The type of a node by the rule of its primitive. A rule is given checked kinds of
 * arguments (the number of nats and expressions is right) and answers the type of the
 * node, or fails with what was expected and what it got. */
#include "base/locale.h"
#include "ir/constraint.h"
#include "ir/prim_type_t.h"
#include <stdarg.h>
#include <stdio.h>

lift_type prim_fail(struct prim_check *c, int arg, const char *format, ...)
{
    va_list args;
    int n;

    if (!c->error)
        return NULL;
    c->error->arg = arg;
    n = snprintf(c->error->text, sizeof c->error->text, "'%s' ",
                 lift_prim_info(c->op)->name);
    va_start(args, format);
    lift_vsnprintf(c->error->text + n, sizeof c->error->text - (size_t)n, format, args);
    va_end(args);
    return NULL;
}

lift_type prim_expected(struct prim_check *c, int arg, const char *what, lift_type got)
{
    struct lift_str text = {0};

    if (c->error) {
        lift_type_print(got, &text);
        prim_fail(c, arg, "expects %s, but got '%.80s'", what, lift_str_get(&text));
        lift_str_fini(&text);
    }
    return NULL;
}

lift_type prim_nat_problem(struct prim_check *c, const char *what, lift_nat a, lift_nat b)
{
    struct lift_str x = {0}, y = {0};

    if (c->error) {
        lift_nat_print(a, 0, &x);
        lift_nat_print(b, 0, &y);
        prim_fail(c, -1, "%s: '%.60s' and '%.60s'", what, lift_str_get(&x),
                  lift_str_get(&y));
        lift_str_fini(&x);
        lift_str_fini(&y);
    }
    return NULL;
}

lift_type prim_arg_type(struct prim_check *c, int arg)
{
    return c->a->args[arg]->type;
}

lift_type prim_arg_array(struct prim_check *c, int arg)
{
    lift_type t = prim_arg_type(c, arg);

    return t->kind == LIFT_TYPE_ARRAY ? t : prim_expected(c, arg, "an array", t);
}

/* The result type of the function in a slot, whose parameters must be 'params'. */
lift_type prim_fun_result(struct prim_check *c, int slot)
{
    lift_type params[LIFT_MAX_PARAMS];
    lift_type f = prim_arg_type(c, slot);
    int n = lift_prim_fun_params(c->ir, c->op, c->a, slot, params, c->error);

    if (!n)
        return NULL;
    if (f->kind != LIFT_TYPE_FUN)
        return prim_expected(c, slot, "a function", f);
    if (f->count != n)
        return prim_fail(c, slot,
                         "expects a function of %d argument%s, but got one of %d", n,
                         n == 1 ? "" : "s", f->count);
    for (int i = 0; i < n; i++)
        if (f->parts[i] != params[i]) {
            LIFT_SCOPED(lift_str) want = {0};

            lift_type_print(params[i], &want);
            prim_expected(c, slot,
                          lift_arena_printf(c->ir->arena, "a function of '%s'",
                                            lift_str_get(&want)),
                          f->parts[i]);
            return NULL;
        }
    return f->elem;
}

static prim_type_rule *const rules[LIFT_OP_COUNT] = {
#define ENTRY(op, type, ...) [LIFT_##op] = prim_type_##type,
#include "ir/array_prims.def"
#define SCALAR(op, type, value) [LIFT_##op] = prim_type_##type,
#include "ir/scalar_prims.def"
};

/* Number and kind of arguments; functions only where the primitive has one. */
static bool arguments_fit(struct prim_check *c)
{
    const struct lift_prim_info *info = lift_prim_info(c->op);

    if (info->expr_count >= 0 ? c->a->arg_count != info->expr_count : c->a->arg_count < 1)
        return prim_fail(c, -1, "expects %d arguments, but got %d", info->expr_count,
                         c->a->arg_count);
    for (int i = 0; i < info->nat_count; i++)
        if (!c->a->nats[i])
            return prim_fail(c, -1, "lacks a size");
    for (int i = 0; i < c->a->arg_count; i++) {
        bool fun = c->a->args[i]->kind == LIFT_EXPR_LAMBDA;

        if (fun != (lift_prim_fun_arity(c->op, i) > 0))
            return prim_expected(c, i, fun ? "data" : "a function", c->a->args[i]->type);
    }
    return true;
}

/* For every value of the variables. */
static bool surely_fails(enum lift_side_kind kind, lift_nat a, lift_nat b)
{
    int64_t x, y;
    bool known = lift_nat_is_const(a, &x);

    if (kind == LIFT_SIDE_DIVIDES)
        return known && lift_nat_is_const(b, &y) && y % x != 0;
    return known ? lift_nat_hi(b) < x : lift_nat_proves_lt(b, a);
}

/* Numbers that are known to be wrong for every value of the variables are an error; what
 * may be right is a condition on the variables (ir/constraint.h). */
static bool numbers_fit(struct prim_check *c)
{
    const lift_nat *nats = c->a->nats;
    lift_type last = c->a->arg_count ? prim_arg_type(c, c->a->arg_count - 1) : NULL;
    lift_nat n = last && last->kind == LIFT_TYPE_ARRAY ? last->len : NULL;

    for (const struct lift_prim_side *s = lift_prim_sides(c->op); s && s->op == c->op;
         s++) {
        lift_nat a = lift_side_value(s->a, nats, n), b = lift_side_value(s->b, nats, n);

        if (a && b && s->problem && surely_fails(s->kind, a, b))
            return prim_nat_problem(c, s->problem, s->a < LIFT_SIDE_N0 ? b : nats[0], b);
    }
    return true;
}

lift_type ir_prim_type(struct lift_ir *ir, enum lift_op op,
                       const struct lift_prim_args *args, struct lift_type_error *error)
{
    struct prim_check c = {ir, op, args, error};

    return arguments_fit(&c) && numbers_fit(&c) ? rules[op](&c) : NULL;
}

/* Element of the array in a slot. */
static lift_type elem_at(struct prim_check *c, int slot)
{
    lift_type t = c->a->args[slot] ? prim_arg_array(c, slot) : NULL;

    return t ? t->elem : NULL;
}

static int one(lift_type out[], lift_type t)
{
    out[0] = t;
    return t ? 1 : 0;
}

int lift_prim_fun_params(struct lift_ir *ir, enum lift_op op,
                         const struct lift_prim_args *args, int slot,
                         lift_type out[LIFT_MAX_PARAMS], struct lift_type_error *error)
{
    struct prim_check c = {ir, op, args, error};
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);

    if (!lift_prim_fun_arity(op, slot))
        return 0;
    if (lift_op_is_map(op))
        return one(out, elem_at(&c, 1));
    if (lift_op_is_reduce(op)) {
        out[0] = prim_arg_type(&c, 1);
        out[1] = elem_at(&c, 2);
        return out[1] ? 2 : 0;
    }
    switch (op) {
    case LIFT_ITERATE:
        return one(out, prim_arg_type(&c, 1));
    case LIFT_LET:
        return lift_type_is_data(prim_arg_type(&c, 0))
                   ? one(out, prim_arg_type(&c, 0))
                   : one(out, prim_expected(&c, 0, "data", prim_arg_type(&c, 0)));
    case LIFT_MAP_SEQ_SLIDE: {
        lift_type t = elem_at(&c, 1);

        return one(out, t ? lift_type_array(ir, t, args->nats[0]) : NULL);
    }
    case LIFT_MAP_DEVICE:
        out[0] = i32;
        out[1] = prim_device_part(&c);
        return out[1] ? 2 : 0;
    case LIFT_PAD_VALUE:
        out[0] = out[1] = i32;
        return 2;
    default: /* reorder, array */
        return one(out, i32);
    }
}
