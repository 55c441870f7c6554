#include "kast.h"
#include "lift/bug.h"
#include <string.h>

struct ks *ks_new(struct lift_arena *arena, enum ks_kind kind)
{
    struct ks *s = LIFT_NEW(arena, struct ks);

    s->kind = kind;
    return s;
}

void ks_append(struct ks *block, struct ks *stmt)
{
    stmt->next = NULL;
    if (block->last)
        block->last->next = stmt;
    else
        block->first = stmt;
    block->last = stmt;
}

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

    e->buffer = buffer;
    e->nat = at;
    return e;
}

static kx op_node(struct lift_ir *ir, enum lift_op op, lift_type type, const kx *args,
                  int count)
{
    struct kx *e = make(ir, KX_OP, type);

    e->op = op;
    e->arg_count = count;
    e->args = lift_arena_copy(lift_ir_arena(ir), args, (size_t)count * sizeof *args);
    return e;
}

/* Integer arithmetic on indices stays symbolic; division needs a divisor that is known to
 * be positive. */
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

kx kx_op(struct lift_ir *ir, enum lift_op op, lift_type type, const kx *args, int count)
{
    kx folded = NULL;

    if (op == LIFT_SELECT)
        return kx_select(ir, args[0], args[1], args[2]);
    if (op == LIFT_NEG && args[0]->kind == KX_NAT)
        return kx_nat(ir, lift_nat_mul_const(args[0]->nat, -1));
    if (op == LIFT_AND || op == LIFT_OR || op == LIFT_NOT)
        folded = fold_logic(ir, op, args);
    else if (count == 2 && args[0]->kind == KX_NAT && args[1]->kind == KX_NAT)
        folded = lift_type_is_scalar(type, LIFT_BOOL)
                     ? fold_compare(ir, op, args[0]->nat, args[1]->nat)
                     : fold_nat(ir, op, args[0]->nat, args[1]->nat);
    return folded ? folded : op_node(ir, op, type, args, count);
}

kx kx_user_fun(struct lift_ir *ir, const char *text, lift_type type, const kx *args,
               int count)
{
    struct kx *e = (struct kx *)op_node(ir, LIFT_USER_FUN, type, args, count);

    e->text = text;
    return e;
}

kx kx_lanes(struct lift_ir *ir, lift_type type, const kx *lanes, int count)
{
    struct kx *e = make(ir, KX_LANES, type);

    e->arg_count = count;
    e->args = lift_arena_copy(lift_ir_arena(ir), lanes, (size_t)count * sizeof *lanes);
    return e;
}

static bool same_leaf(kx a, kx b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->type != b->type)
        return false;
    switch (a->kind) {
    case KX_NAT:
        return a->nat == b->nat;
    case KX_FLOAT:
        return !memcmp(&a->number, &b->number, sizeof a->number);
    case KX_BOOL:
        return a->truth == b->truth;
    case KX_VAR:
        return a->name == b->name;
    default:
        return false;
    }
}

/* Nested choices with one alternative in common, as pads of several dimensions make them,
 * become one choice. */
kx kx_select(struct lift_ir *ir, kx cond, kx yes, kx no)
{
    if (cond->kind == KX_BOOL)
        return cond->truth ? yes : no;
    if (same_leaf(yes, no))
        return yes;
    if (yes->kind == KX_OP && yes->op == LIFT_SELECT && same_leaf(yes->args[2], no))
        return kx_select(ir, kx_and(ir, cond, yes->args[0]), yes->args[1], no);
    return op_node(ir, LIFT_SELECT, yes->type, (kx[]){cond, yes, no}, 3);
}

kx kx_and(struct lift_ir *ir, kx a, kx b)
{
    return kx_op(ir, LIFT_AND, lift_type_scalar(ir, LIFT_BOOL), (kx[]){a, b}, 2);
}

kx kx_ge0(struct lift_ir *ir, lift_nat n, const lift_nat *facts, int fact_count)
{
    if (lift_nat_proves_ge0(n, facts, fact_count))
        return kx_bool(ir, true);
    if (lift_nat_proves_ge0(lift_nat_add_const(lift_nat_mul_const(n, -1), -1), facts,
                            fact_count))
        return kx_bool(ir, false);
    return op_node(ir, LIFT_LE, lift_type_scalar(ir, LIFT_BOOL),
                   (kx[]){kx_int(ir, 0), kx_nat(ir, n)}, 2);
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
