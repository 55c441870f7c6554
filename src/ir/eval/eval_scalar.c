/* Arithmetic on scalars, and lane by lane on vectors. */
#include "ir/eval/eval_core.h"
#include <math.h>

typedef struct lift_value scalar_fn(struct eval *ev, lift_expr e,
                                    const struct lift_value *x,
                                    const struct lift_value *y);

/* Applies 'fn' to x and y, lane by lane for vectors. For a function of one argument y is
 * x. */
static struct lift_value lanes(struct eval *ev, lift_expr e, scalar_fn *fn,
                               const struct lift_value *x, const struct lift_value *y)
{
    struct lift_value out = {LIFT_VALUE_VECTOR, x->count, {0}};
    struct lift_value *items;

    if (x->kind != LIFT_VALUE_VECTOR)
        return fn(ev, e, x, y);
    LIFT_ASSERT(y->kind == LIFT_VALUE_VECTOR && y->count == x->count);
    items = eval_alloc(ev, x->count, sizeof *items);
    for (int64_t i = 0; i < x->count; i++)
        items[i] = fn(ev, e, &x->u.items[i], &y->u.items[i]);
    out.u.items = items;
    return out;
}

static double float_unary(enum lift_op op, double x)
{
    switch (op) {
    case LIFT_NEG:
        return -x;
    case LIFT_ABS:
        return fabs(x);
    case LIFT_SQRT:
        return sqrt(x);
    case LIFT_EXP:
        return exp(x);
    case LIFT_LOG:
        return log(x);
    case LIFT_SIN:
        return sin(x);
    case LIFT_COS:
        return cos(x);
    case LIFT_FLOOR:
        return floor(x);
    default:
        LIFT_BUG("'%s' on a float", lift_prim_info(op)->name);
    }
}

static int64_t int_unary(enum lift_op op, int64_t x)
{
    switch (op) {
    case LIFT_NEG:
        return -x;
    case LIFT_ABS:
        return x < 0 ? -x : x;
    default:
        LIFT_BUG("'%s' on an i32", lift_prim_info(op)->name);
    }
}

/* The minimum. A NaN yields the other operand, equal operands the second. C's fmin
 * leaves the sign of a zero result open. */
static double least(double x, double y)
{
    return x < y || isnan(y) ? x : y;
}

static double largest(double x, double y)
{
    return x > y || isnan(y) ? x : y;
}

static double float_binary(enum lift_op op, double x, double y)
{
    switch (op) {
    case LIFT_ADD:
        return x + y;
    case LIFT_SUB:
        return x - y;
    case LIFT_MUL:
        return x * y;
    case LIFT_DIV:
        return x / y;
    case LIFT_MIN:
        return least(x, y);
    case LIFT_MAX:
        return largest(x, y);
    case LIFT_POW:
        return pow(x, y);
    default:
        LIFT_BUG("'%s' on floats", lift_prim_info(op)->name);
    }
}

static int64_t floor_div(struct eval *ev, enum lift_op op, int64_t x, int64_t y)
{
    int64_t q;

    if (y == 0)
        eval_fail(ev, "'%s' of '%lld' by zero", lift_prim_info(op)->name, (long long)x);
    q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

static int64_t int_binary(struct eval *ev, enum lift_op op, int64_t x, int64_t y)
{
    switch (op) {
    case LIFT_ADD:
        return x + y;
    case LIFT_SUB:
        return x - y;
    case LIFT_MUL:
        return x * y;
    case LIFT_DIV:
        return floor_div(ev, op, x, y);
    case LIFT_MOD:
        return x - y * floor_div(ev, op, x, y);
    case LIFT_MIN:
        return x < y ? x : y;
    case LIFT_MAX:
        return x > y ? x : y;
    default:
        LIFT_BUG("'%s' on i32", lift_prim_info(op)->name);
    }
}

static struct lift_value int_value(struct eval *ev, lift_expr e, int64_t value)
{
    if (value != (int32_t)value)
        eval_int(ev, value, lift_prim_info(e->op)->name);
    return lift_value_int(value);
}

static struct lift_value unary(struct eval *ev, lift_expr e, const struct lift_value *x,
                               const struct lift_value *y)
{
    (void)y;
    if (x->kind == LIFT_VALUE_INT)
        return int_value(ev, e, int_unary(e->op, x->u.integer));
    LIFT_ASSERT(x->kind == LIFT_VALUE_FLOAT);
    return lift_value_float(
        eval_round(ev, e->type->scalar, float_unary(e->op, x->u.number)));
}

static struct lift_value binary(struct eval *ev, lift_expr e, const struct lift_value *x,
                                const struct lift_value *y)
{
    LIFT_ASSERT(x->kind == y->kind);
    if (x->kind == LIFT_VALUE_INT)
        return int_value(ev, e, int_binary(ev, e->op, x->u.integer, y->u.integer));
    LIFT_ASSERT(x->kind == LIFT_VALUE_FLOAT);
    return lift_value_float(
        eval_round(ev, e->type->scalar, float_binary(e->op, x->u.number, y->u.number)));
}

static bool float_compare(enum lift_op op, double x, double y)
{
    switch (op) {
    case LIFT_LT:
        return x < y;
    case LIFT_LE:
        return x <= y;
    case LIFT_EQ:
        return x == y;
    case LIFT_NE:
        return x != y;
    default:
        LIFT_BUG("'%s' as a comparison", lift_prim_info(op)->name);
    }
}

/* A double represents 32-bit integers exactly. */
static double number_of(const struct lift_value *x)
{
    return x->kind == LIFT_VALUE_FLOAT ? x->u.number : (double)x->u.integer;
}

static struct lift_value compare(struct eval *ev, lift_expr e, const struct lift_value *x,
                                 const struct lift_value *y)
{
    (void)ev;
    return lift_value_bool(float_compare(e->op, number_of(x), number_of(y)));
}

static struct lift_value to_int(struct eval *ev, const struct lift_value *x)
{
    double whole;

    if (x->kind != LIFT_VALUE_FLOAT)
        return lift_value_int(x->u.integer);
    whole = trunc(x->u.number);
    if (!(whole >= INT32_MIN && whole <= INT32_MAX))
        eval_fail(ev, "'i32' overflows with '%g'", x->u.number);
    return lift_value_int((int64_t)whole);
}

static struct lift_value convert(struct eval *ev, lift_expr e, const struct lift_value *x,
                                 const struct lift_value *y)
{
    (void)y;
    if (e->op == LIFT_TO_I32)
        return to_int(ev, x);
    return lift_value_float(eval_round(ev, e->type->scalar, number_of(x)));
}

/* Applies 'fn' to one argument or two. */
static struct lift_value on_args(struct eval *ev, lift_expr e, scalar_fn *fn,
                                 const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope), y;

    if (e->arg_count < 2)
        return lanes(ev, e, fn, &x, &x);
    y = eval_arg(ev, e, 1, scope);
    return lanes(ev, e, fn, &x, &y);
}

struct lift_value eval_unary(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    return on_args(ev, e, unary, scope);
}

struct lift_value eval_binary(struct eval *ev, lift_expr e,
                              const struct eval_scope *scope)
{
    return on_args(ev, e, binary, scope);
}

struct lift_value eval_compare(struct eval *ev, lift_expr e,
                               const struct eval_scope *scope)
{
    return on_args(ev, e, compare, scope);
}

struct lift_value eval_convert(struct eval *ev, lift_expr e,
                               const struct eval_scope *scope)
{
    return on_args(ev, e, convert, scope);
}

/* As in C, the right side is evaluated only if the left side does not decide. */
struct lift_value eval_logic(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);

    return (x.u.integer != 0) == (e->op == LIFT_AND) ? eval_arg(ev, e, 1, scope) : x;
}

struct lift_value eval_not(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    return lift_value_bool(!eval_arg(ev, e, 0, scope).u.integer);
}

/* Evaluates only the selected side. */
struct lift_value eval_select(struct eval *ev, lift_expr e,
                              const struct eval_scope *scope)
{
    return eval_arg(ev, e, eval_arg(ev, e, 0, scope).u.integer ? 1 : 2, scope);
}

struct lift_value eval_splat(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    struct lift_value x = eval_arg(ev, e, 0, scope);
    struct lift_value out = {LIFT_VALUE_VECTOR, e->type->count, {0}};
    struct lift_value *items = eval_alloc(ev, out.count, sizeof *items);

    for (int64_t i = 0; i < out.count; i++)
        items[i] = x;
    out.u.items = items;
    return out;
}

struct lift_value eval_size(struct eval *ev, lift_expr e, const struct eval_scope *scope)
{
    (void)scope;
    return lift_value_int(eval_int(ev, eval_nat(ev, e->u.prim.nats[0]), "nat"));
}

struct lift_value eval_user_fun(struct eval *ev, lift_expr e,
                                const struct eval_scope *scope)
{
    const struct lift_eval_env *env = ev->env;
    const char *text = e->u.prim.text;
    struct lift_value args[LIFT_MAX_ARGS], out;
    struct lift_user_types head;

    for (int i = 0; i < e->arg_count; i++)
        args[i] = eval_force(ev, eval_arg(ev, e, i, scope), ev->here);
    if (!env->user_fun || !lift_user_types(text, &head))
        eval_fail(ev, "a C function is not run here: '%.60s'", text);
    if (!env->user_fun(env->user_fun_user, text, e->type, args, e->arg_count, &out))
        eval_fail(ev, "the C function '%.*s' cannot be called", head.name_length,
                  head.name);
    return eval_adopt(ev, out, e->type, "userFun", text);
}
