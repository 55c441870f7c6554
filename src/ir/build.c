#include "ir/ir_t.h"
#include <string.h>

void *ir_set_error(struct lift_ir *ir, const char *text)
{
    if (!ir->error)
        ir->error = lift_arena_strdup(ir->arena, text);
    return NULL;
}

const char *lift_ir_error(const struct lift_ir *ir)
{
    return ir->error;
}

void lift_ir_clear_error(struct lift_ir *ir)
{
    ir->error = NULL;
}

lift_expr lift_make(struct lift_ir *ir, enum lift_op op,
                    const struct lift_prim_args *args)
{
    struct lift_type_error error = {0};
    lift_expr e;

    for (int i = 0; i < args->arg_count; i++)
        if (!args->args[i])
            return NULL;
    for (int i = 0; i < lift_prim_info(op)->nat_count; i++)
        if (!args->nats[i])
            return NULL;
    e = lift_expr_prim(ir, op, args, &error);
    return e ? e : ir_set_error(ir, error.text);
}

lift_expr lift_fun(struct lift_ir *ir, lift_expr body, lift_expr param)
{
    return body && param ? lift_expr_abstract(ir, &param, 1, body) : NULL;
}

lift_expr lift_fun2(struct lift_ir *ir, lift_expr body, lift_expr p0, lift_expr p1)
{
    return body && p0 && p1 ? lift_expr_abstract(ir, (lift_expr[]){p0, p1}, 2, body)
                            : NULL;
}

/* The name is 'hint', '#' and a number. Avoids printf, since every rewrite makes many
 * names. */
lift_expr lift_fresh(struct lift_ir *ir, const char *hint, lift_type type)
{
    char digits[16], *d = digits + sizeof digits;
    size_t len = strlen(hint);
    char *name = lift_arena_alloc(ir->arena, len + sizeof digits);

    *--d = '\0';
    for (unsigned n = ir->fresh++; n || !*d; n /= 10)
        *--d = (char)('0' + n % 10);
    *--d = '#';
    memcpy(name, hint, len);
    strcpy(name + len, d);
    return lift_expr_free(ir, name, type);
}

lift_expr lift_fun_op(struct lift_ir *ir, enum lift_op op, lift_type operand)
{
    static const char *const names[] = {"a", "b"};
    lift_type types[] = {operand, operand};
    lift_expr a = lift_expr_bound(ir, 0, operand), b = lift_expr_bound(ir, 1, operand);
    bool two = lift_prim_info(op)->expr_count == 2;
    lift_expr body = two ? lift_call2(ir, op, b, a) : lift_call1(ir, op, a);

    return body ? lift_expr_lambda(ir, types, two ? 2 : 1, names, body) : NULL;
}

lift_expr lift_call(struct lift_ir *ir, enum lift_op op, const lift_expr *args, int count)
{
    struct lift_prim_args a = {.arg_count = count};

    if (count < 0 || count > LIFT_MAX_ARGS)
        return ir_set_error(ir, count < 0 ? "a negative number of arguments"
                                          : "too many arguments");
    memcpy(a.args, args, (size_t)count * sizeof *args);
    return lift_make(ir, op, &a);
}

lift_expr lift_user_call(struct lift_ir *ir, const char *text, const lift_expr *args,
                         int count)
{
    struct lift_prim_args a = {.text = text, .arg_count = count};

    if (count > LIFT_MAX_ARGS)
        return ir_set_error(ir, "too many arguments");
    memcpy(a.args, args, (size_t)count * sizeof *args);
    return lift_make(ir, LIFT_USER_FUN, &a);
}

lift_expr lift_call1(struct lift_ir *ir, enum lift_op op, lift_expr x)
{
    return lift_call(ir, op, &x, 1);
}

lift_expr lift_call2(struct lift_ir *ir, enum lift_op op, lift_expr x, lift_expr y)
{
    return lift_call(ir, op, (lift_expr[]){x, y}, 2);
}

lift_expr lift_call3(struct lift_ir *ir, enum lift_op op, lift_expr x, lift_expr y,
                     lift_expr z)
{
    return lift_call(ir, op, (lift_expr[]){x, y, z}, 3);
}

lift_expr lift_call_nat(struct lift_ir *ir, enum lift_op op, lift_nat n, lift_expr x)
{
    struct lift_prim_args a = {.nats = {n}, .args = {x}, .arg_count = 1};

    return lift_make(ir, op, &a);
}

lift_expr lift_map(struct lift_ir *ir, lift_expr f, lift_expr xs)
{
    return lift_call2(ir, LIFT_MAP, f, xs);
}

lift_expr lift_map_as(struct lift_ir *ir, enum lift_op op, int dim, lift_expr f,
                      lift_expr xs)
{
    struct lift_prim_args a = {.args = {f, xs}, .arg_count = 2};

    if (op == LIFT_MAP_GLB || op == LIFT_MAP_WRG || op == LIFT_MAP_LCL)
        a.attrs.at[0] = dim;
    return lift_make(ir, op, &a);
}

lift_expr lift_reduce(struct lift_ir *ir, lift_expr f, lift_expr init, lift_expr xs)
{
    return lift_call3(ir, LIFT_REDUCE, f, init, xs);
}

lift_expr lift_slide(struct lift_ir *ir, lift_nat size, lift_nat step, lift_expr xs)
{
    struct lift_prim_args a = {.nats = {size, step}, .args = {xs}, .arg_count = 1};

    return lift_make(ir, LIFT_SLIDE, &a);
}

lift_expr lift_pad(struct lift_ir *ir, lift_nat l, lift_nat r, enum lift_pad_kind kind,
                   lift_expr xs)
{
    struct lift_prim_args a = {.nats = {l, r}, .args = {xs}, .arg_count = 1};

    a.attrs.pad.kind = kind;
    return lift_make(ir, LIFT_PAD, &a);
}

/* Member 'k' of a tuple value; a scalar stands for all members. */
static lift_expr fill_member(struct lift_ir *ir, lift_type type, int k, lift_expr value)
{
    if (value->type->kind != LIFT_TYPE_TUPLE || value->type->count != type->count)
        return value;
    return lift_expr_is(value, LIFT_TUPLE) ? value->u.prim.args[k]
                                           : lift_get(ir, k, value);
}

lift_expr ir_size(struct lift_ir *ir, lift_nat n)
{
    struct lift_prim_args args = {.nats = {n}};

    return lift_expr_prim(ir, LIFT_NAT, &args, NULL);
}

lift_expr ir_fill(struct lift_ir *ir, lift_type type, lift_expr value)
{
    lift_expr members[LIFT_MAX_ARGS];
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);

    if (type->kind == LIFT_TYPE_ARRAY && type != value->type) {
        lift_expr body = ir_fill(ir, type->elem, lift_expr_shift(ir, value, 1, 0));
        const char *name = "i";

        return body
                   ? lift_array(ir, type->len, lift_expr_lambda(ir, &i32, 1, &name, body))
                   : NULL;
    }
    if (type->kind != LIFT_TYPE_TUPLE || type == value->type)
        return value;
    for (int i = 0; i < type->count; i++)
        members[i] = ir_fill(ir, type->parts[i], fill_member(ir, type, i, value));
    return lift_call(ir, LIFT_TUPLE, members, type->count);
}

lift_expr lift_pad_const(struct lift_ir *ir, lift_nat l, lift_nat r, lift_expr value,
                         lift_expr xs)
{
    static const char *const names[] = {"i", "n"};
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);
    struct lift_prim_args a = {.nats = {l, r}, .arg_count = 2};
    lift_expr body;

    if (!value || !xs)
        return NULL;
    if (xs->type->kind != LIFT_TYPE_ARRAY)
        return ir_set_error(ir, "'pad' expects an array");
    body = ir_fill(ir, xs->type->elem, lift_expr_shift(ir, value, 2, 0));
    if (!body)
        return NULL;
    a.args[0] = lift_expr_lambda(ir, (lift_type[]){i32, i32}, 2, names, body);
    a.args[1] = xs;
    return lift_make(ir, LIFT_PAD_VALUE, &a);
}

lift_expr lift_at(struct lift_ir *ir, int64_t i, lift_expr xs)
{
    return lift_call_nat(ir, LIFT_AT, lift_nat_const(ir->nats, i), xs);
}

lift_expr lift_get(struct lift_ir *ir, int k, lift_expr tuple)
{
    struct lift_prim_args a = {.args = {tuple}, .arg_count = 1};

    a.attrs.get.k = k;
    return lift_make(ir, LIFT_GET, &a);
}

lift_expr lift_let(struct lift_ir *ir, lift_expr value, lift_expr f)
{
    return lift_call2(ir, LIFT_LET, value, f);
}

lift_expr lift_array(struct lift_ir *ir, lift_nat n, lift_expr f)
{
    return lift_call_nat(ir, LIFT_ARRAY, n, f);
}

lift_expr lift_lambda(struct lift_ir *ir, const char *hint, lift_type param,
                      lift_body *body, void *user)
{
    lift_expr x = lift_fresh(ir, hint, param);

    return lift_fun(ir, body(ir, user, x), x);
}
