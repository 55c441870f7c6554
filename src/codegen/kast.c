/* Expressions of the kernel AST. */
#include "codegen/kast.h"
#include <math.h>
#include <stdlib.h>

static struct kx *make(struct lift_ir *ir, enum kx_kind kind, lift_type type)
{
    struct kx *e = LIFT_NEW(lift_ir_arena(ir), struct kx);

    e->kind = kind;
    e->type = type;
    return e;
}

kx kx_nat(struct lift_ir *ir, lift_nat n)
{
    struct kx *e = make(ir, KX_NAT, lift_type_scalar(ir, LIFT_I32));

    e->nat = n;
    return e;
}

kx kx_int(struct lift_ir *ir, int64_t value)
{
    return kx_nat(ir, lift_nat_const(lift_ir_nats(ir), value));
}

kx kx_float(struct lift_ir *ir, enum lift_scalar scalar, double value)
{
    struct kx *e = make(ir, KX_FLOAT, lift_type_scalar(ir, scalar));

    e->number = value;
    return e;
}

kx kx_bool(struct lift_ir *ir, bool value)
{
    struct kx *e = make(ir, KX_BOOL, lift_type_scalar(ir, LIFT_BOOL));

    e->truth = value;
    return e;
}

kx kx_var(struct lift_ir *ir, const char *name, lift_type type)
{
    struct kx *e = make(ir, KX_VAR, type);

    e->name = name;
    return e;
}

kx kx_load(struct lift_ir *ir, struct kbuffer *buffer, lift_nat at, lift_type type)
{
    struct kx *e = make(ir, KX_LOAD, type);

    e->load.buffer = buffer;
    e->load.at = at;
    return e;
}

static struct kx *make_over(struct lift_ir *ir, enum kx_kind kind, lift_type type,
                            const kx *args, int count)
{
    struct kx *e = make(ir, kind, type);

    e->arg_count = count;
    e->args = lift_arena_copy(lift_ir_arena(ir), args, (size_t)count * sizeof *args);
    return e;
}

static kx op_node(struct lift_ir *ir, enum lift_op op, lift_type type, const kx *args,
                  int count)
{
    struct kx *e = make_over(ir, KX_OP, type, args, count);

    e->op.op = op;
    return e;
}

/* Folds integer arithmetic on indices to a symbolic index. A division needs a divisor
 * that is known to be positive. */
static kx fold_nat(struct lift_ir *ir, enum lift_op op, lift_nat a, lift_nat b)
{
    switch (op) {
    case LIFT_ADD:
        return kx_nat(ir, lift_nat_add(a, b));
    case LIFT_SUB:
        return kx_nat(ir, lift_nat_sub(a, b));
    case LIFT_MUL:
        return kx_nat(ir, lift_nat_mul(a, b));
    case LIFT_MIN:
        return kx_nat(ir, lift_nat_min(a, b));
    case LIFT_MAX:
        return kx_nat(ir, lift_nat_max(a, b));
    case LIFT_DIV:
        return lift_nat_lo(b) >= 1 ? kx_nat(ir, lift_nat_div(a, b)) : NULL;
    case LIFT_MOD:
        return lift_nat_lo(b) >= 1 ? kx_nat(ir, lift_nat_mod(a, b)) : NULL;
    default:
        return NULL;
    }
}

static kx fold_compare(struct lift_ir *ir, enum lift_op op, lift_nat a, lift_nat b)
{
    switch (op) {
    case LIFT_LT:
        if (lift_nat_proves_lt(a, b) || lift_nat_proves_le(b, a))
            return kx_bool(ir, lift_nat_proves_lt(a, b));
        break;
    case LIFT_LE:
        if (lift_nat_proves_le(a, b) || lift_nat_proves_lt(b, a))
            return kx_bool(ir, lift_nat_proves_le(a, b));
        break;
    case LIFT_EQ:
    case LIFT_NE:
        if (a == b || lift_nat_proves_lt(a, b) || lift_nat_proves_lt(b, a))
            return kx_bool(ir, (a == b) == (op == LIFT_EQ));
        break;
    default:
        break;
    }
    return NULL;
}

static kx fold_logic(struct lift_ir *ir, enum lift_op op, const kx *args)
{
    if (op == LIFT_NOT)
        return args[0]->kind == KX_BOOL ? kx_bool(ir, !args[0]->truth) : NULL;
    for (int i = 0; i < 2; i++)
        if (args[i]->kind == KX_BOOL)
            return args[i]->truth == (op == LIFT_AND) ? args[1 - i] : args[i];
    return NULL;
}

/* Folds literals, with the rounding of the kernel. */
static kx fold_float(struct lift_ir *ir, enum lift_op op, enum lift_scalar scalar,
                     double a, double b)
{
    double r = op == LIFT_ADD ? a + b : op == LIFT_SUB ? a - b : a * b;

    if (op != LIFT_ADD && op != LIFT_SUB && op != LIFT_MUL)
        return NULL;
    return kx_float(ir, scalar, scalar == LIFT_F32 ? (double)(float)r : r);
}

/* x / y = x * (1 / y), bit by bit, if the reciprocal is exact. */
static kx fold_division(struct lift_ir *ir, lift_type type, const kx *args)
{
    enum { SURE = 64 }; /* no overflow or underflow in any type */
    kx product[2] = {args[0]};
    int exponent;

    if (args[1]->kind != KX_FLOAT || type->kind != LIFT_TYPE_SCALAR ||
        fabs(frexp(args[1]->number, &exponent)) != 0.5 || abs(exponent) > SURE)
        return NULL;
    product[1] = kx_float(ir, type->scalar, 1 / args[1]->number);
    return op_node(ir, LIFT_MUL, type, product, 2);
}

/* Folds conversions of integers, and of literals of f16 and bf16, whose values are known.
 */
static kx fold_convert(struct lift_ir *ir, enum lift_op op, kx arg)
{
    enum lift_scalar to = op == LIFT_TO_F32 ? LIFT_F32 : LIFT_F64;
    int64_t value;

    if (arg->kind == KX_FLOAT && lift_scalar_is_storage(arg->type->scalar))
        return kx_float(ir, to, arg->number);
    if (arg->kind != KX_NAT || !lift_nat_is_const(arg->nat, &value) || op == LIFT_TO_I32)
        return NULL;
    return kx_float(ir, to, lift_scalar_round(to, (double)value));
}

kx kx_op(struct lift_ir *ir, enum lift_op op, lift_type type, const kx *args, int count)
{
    kx folded = NULL;

    if (op == LIFT_SELECT)
        return kx_select(ir, args[0], args[1], args[2]);
    if (op == LIFT_NEG && args[0]->kind == KX_NAT)
        return kx_nat(ir, lift_nat_mul_const(args[0]->nat, -1));
    if (op == LIFT_AND || op == LIFT_OR || op == LIFT_NOT)
        folded = fold_logic(ir, op, args);
    else if (op == LIFT_TO_F32 || op == LIFT_TO_F64)
        folded = fold_convert(ir, op, args[0]);
    else if (count == 2 && args[0]->kind == KX_FLOAT && args[1]->kind == KX_FLOAT &&
             lift_type_is_float(type))
        folded = fold_float(ir, op, type->scalar, args[0]->number, args[1]->number);
    else if (op == LIFT_DIV && lift_type_is_float(type))
        folded = fold_division(ir, type, args);
    else if (count == 2 && args[0]->kind == KX_NAT && args[1]->kind == KX_NAT)
        folded = lift_type_is_scalar(type, LIFT_BOOL)
                     ? fold_compare(ir, op, args[0]->nat, args[1]->nat)
                     : fold_nat(ir, op, args[0]->nat, args[1]->nat);
    return folded ? folded : op_node(ir, op, type, args, count);
}

kx kx_user_fun(struct lift_ir *ir, const char *text, lift_type type, const kx *args,
               int count)
{
    struct kx *e = make_over(ir, KX_OP, type, args, count);

    e->op.op = LIFT_USER_FUN;
    e->op.text = text;
    return e;
}

const struct kx_lane_function kx_lane_functions[KX_LANE_FUNCTIONS] = {
    {LIFT_EXP, "exp"}, {LIFT_LOG, "log"}, {LIFT_POW, "pow"},
    {LIFT_SIN, "sin"}, {LIFT_COS, "cos"},
};

int kx_lane_function(enum lift_op op)
{
    for (int i = 0; i < KX_LANE_FUNCTIONS; i++)
        if (kx_lane_functions[i].op == op)
            return i;
    return -1;
}

kx kx_lanes(struct lift_ir *ir, lift_type type, const kx *lanes, int count)
{
    return make_over(ir, KX_LANES, type, lanes, count);
}

bool kx_any(kx e, bool (*is)(kx e))
{
    bool any = is(e);

    for (int i = 0; i < e->arg_count && !any; i++)
        any = kx_any(e->args[i], is);
    return any;
}

void kx_each(kx e, void (*each)(void *user, kx e), void *user)
{
    each(user, e);
    for (int i = 0; i < e->arg_count; i++)
        kx_each(e->args[i], each, user);
}

kx kx_with_args(struct lift_ir *ir, kx e, const kx *args)
{
    struct kx *copy = lift_arena_copy(lift_ir_arena(ir), e, sizeof *e);

    copy->args =
        lift_arena_copy(lift_ir_arena(ir), args, (size_t)e->arg_count * sizeof *args);
    return copy;
}

kx kx_map_args(struct lift_ir *ir, kx e, kx (*map)(void *user, kx arg), void *user)
{
    kx copy = NULL;

    for (int i = 0; i < e->arg_count; i++) {
        kx arg = map(user, e->args[i]);

        if (arg == e->args[i])
            continue;
        if (!copy)
            copy = kx_with_args(ir, e, e->args);
        copy->args[i] = arg;
    }
    return copy ? copy : e;
}

kx kx_lane(struct lift_ir *ir, kx vector, int lane)
{
    lift_type type = lift_type_scalar(ir, vector->type->scalar);
    struct kx *e;

    if (vector->kind == KX_LANES)
        return vector->args[vector->arg_count == 1 ? 0 : lane];
    if (kx_is_op(vector, LIFT_SPLAT))
        return vector->args[0];
    if (vector->kind == KX_LOAD)
        return kx_load(ir, vector->load.buffer, lift_nat_add_const(vector->load.at, lane),
                       type);
    e = make_over(ir, KX_LANE, type, &vector, 1);
    e->lane = lane;
    return e;
}

kx kx_row(struct lift_ir *ir, kx first, kx second, int from)
{
    struct kx *e = make_over(ir, KX_ROW, first->type, (kx[]){first, second}, 2);

    e->lane = from;
    return e;
}

kx kx_shuffle(struct lift_ir *ir, kx value, int places)
{
    struct kx *e = make_over(ir, KX_SHUFFLE, value->type, &value, 1);

    e->lane = places;
    return e;
}

bool kx_is_aligned(lift_nat at, int lanes)
{
    return lift_nat_proves_divides(lift_nat_const(lift_nat_pool(at), lanes), at);
}

static bool same_leaf(kx a, kx b)
{
    return a == b || (kx_is_trivial(a) && kx_same_node(a, b));
}

/* Two nested choices with a common alternative become one choice. Pads of several
 * dimensions create such choices. */
kx kx_select(struct lift_ir *ir, kx cond, kx yes, kx no)
{
    if (cond->kind == KX_BOOL)
        return cond->truth ? yes : no;
    if (same_leaf(yes, no))
        return yes;
    if (kx_is_op(yes, LIFT_SELECT) && same_leaf(yes->args[2], no) &&
        cond->type == yes->args[0]->type)
        return kx_select(ir, kx_and(ir, cond, yes->args[0]), yes->args[1], no);
    return op_node(ir, LIFT_SELECT, yes->type, (kx[]){cond, yes, no}, 3);
}

kx kx_and(struct lift_ir *ir, kx a, kx b)
{
    return kx_op(ir, LIFT_AND, a->type, (kx[]){a, b}, 2);
}

static lift_nat atom_nat(struct lift_ir *ir, struct lift_atom a)
{
    switch (a.kind) {
    case LIFT_ATOM_DIV:
        return lift_nat_div(a.a, a.b);
    case LIFT_ATOM_MIN:
        return lift_nat_min(a.a, a.b);
    case LIFT_ATOM_MAX:
        return lift_nat_max(a.a, a.b);
    case LIFT_ATOM_VAR:
        break;
    }
    return lift_nat_find_var(lift_ir_nats(ir), a.name);
}

/* The terms of 'n' with a negative coefficient, with their sign changed. */
static lift_nat negative_part(struct lift_ir *ir, lift_nat n)
{
    lift_nat sum = lift_nat_const(lift_ir_nats(ir), 0);

    for (int i = 0; i < lift_nat_term_count(n); i++) {
        int factors;
        lift_nat t = lift_nat_const(lift_ir_nats(ir), -lift_nat_term(n, i, &factors));

        for (int f = 0; f < factors && lift_nat_term(n, i, &factors) < 0; f++)
            t = lift_nat_mul(t, atom_nat(ir, lift_nat_factor(n, i, f)));
        if (lift_nat_term(n, i, &factors) < 0)
            sum = lift_nat_add(sum, t);
    }
    return sum;
}

/* Stores rest + a and rest + b if n = rest + max(a, b); otherwise returns false. */
static bool split_max(lift_nat n, lift_nat sums[2])
{
    for (int i = 0; i < lift_nat_term_count(n); i++) {
        int factors;
        int64_t by = lift_nat_term(n, i, &factors);
        struct lift_atom max = factors == 1 && by == 1
                                   ? lift_nat_factor(n, i, 0)
                                   : (struct lift_atom){.kind = LIFT_ATOM_VAR};

        if (max.kind == LIFT_ATOM_MAX) {
            n = lift_nat_sub(n, lift_nat_max(max.a, max.b));
            sums[0] = lift_nat_add(n, max.a);
            sums[1] = lift_nat_add(n, max.b);
            return true;
        }
    }
    return false;
}

/* Moves subtracted terms to the left of '<=', so that the text has no minus signs. A
 * maximum is >= 0 if one of its operands is >= 0. */
kx kx_ge0(struct lift_ir *ir, lift_nat n, const lift_nat *facts, int fact_count)
{
    lift_nat less, sums[2];
    kx any[2];

    n = lift_nat_tight(n);
    if (lift_nat_proves_ge0(n, facts, fact_count))
        return kx_bool(ir, true);
    if (lift_nat_proves_ge0(lift_nat_add_const(lift_nat_mul_const(n, -1), -1), facts,
                            fact_count))
        return kx_bool(ir, false);
    if (split_max(n, sums)) {
        for (int i = 0; i < 2; i++)
            any[i] = kx_ge0(ir, sums[i], facts, fact_count);
        return kx_op(ir, LIFT_OR, any[0]->type, any, 2);
    }
    less = negative_part(ir, n);
    return op_node(ir, LIFT_LE, lift_type_scalar(ir, LIFT_BOOL),
                   (kx[]){kx_nat(ir, less), kx_nat(ir, lift_nat_add(n, less))}, 2);
}

bool kx_same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

bool kx_same_node(kx a, kx b)
{
    if (a->kind != b->kind || a->type != b->type || a->arg_count != b->arg_count)
        return false;
    switch (a->kind) {
    case KX_NAT:
        return a->nat == b->nat;
    case KX_FLOAT:
        return kx_same_number(a->number, b->number);
    case KX_BOOL:
        return a->truth == b->truth;
    case KX_VAR:
        return a->name == b->name;
    case KX_LOAD:
        return a->load.buffer == b->load.buffer && a->load.at == b->load.at;
    case KX_OP:
        return a->op.op == b->op.op && a->op.text == b->op.text;
    case KX_LANE:
    case KX_ROW:
    case KX_SHUFFLE:
        return a->lane == b->lane;
    case KX_LANES:
        break;
    }
    return true;
}

bool kx_equal(kx a, kx b)
{
    if (a == b)
        return true;
    if (!kx_same_node(a, b))
        return false;
    for (int i = 0; i < a->arg_count; i++)
        if (!kx_equal(a->args[i], b->args[i]))
            return false;
    return true;
}

bool kx_is_bool(kx e, bool value)
{
    return e->kind == KX_BOOL && e->truth == value;
}

bool kx_is_trivial(kx e)
{
    return e->kind == KX_NAT || e->kind == KX_FLOAT || e->kind == KX_BOOL ||
           e->kind == KX_VAR;
}

lift_nat kx_index(kx e)
{
    return e->kind == KX_NAT ? e->nat : e->kind == KX_LOAD ? e->load.at : NULL;
}

bool kx_is_op(kx e, enum lift_op op)
{
    return e->kind == KX_OP && e->op.op == op;
}

bool kx_is_lazy(kx e)
{
    return kx_is_op(e, LIFT_SELECT) || kx_is_op(e, LIFT_AND) || kx_is_op(e, LIFT_OR);
}

bool kx_is_vector(kx e)
{
    return e->type->kind == LIFT_TYPE_VECTOR;
}

bool kx_can_copy(kx value, enum lift_scalar to)
{
    const struct kbuffer *from = value->kind == KX_LOAD ? value->load.buffer : NULL;

    return from && from->space == KSPACE_GLOBAL && !from->written && from->scalar == to &&
           lift_scalar_bytes(to) >= 4;
}

bool kx_is_there(kx load)
{
    const struct kbuffer *b = load->load.buffer;
    int lanes = kx_is_vector(load) ? load->type->count : 1;

    return (b->space != KSPACE_GLOBAL || !b->layout) && lift_nat_lo(load->load.at) >= 0 &&
           lift_nat_hi(load->load.at) <= b->count - lanes;
}
