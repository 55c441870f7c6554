#include "codegen/lanes.h"

bool lanes_vary(const struct lanes *p, const char *name)
{
    return lift_ptrmap_get(&p->vectors, name) == p;
}

void lanes_set_vary(struct lanes *p, const char *name, bool vary)
{
    lift_ptrmap_put(&p->vectors, name, vary ? (void *)p : (void *)p->g);
}

const struct lane_index *lanes_index(const struct lanes *p, const char *name)
{
    const struct lane_index *i = p->indices;

    while (i && lift_nat_is_var(i->var, NULL) != name)
        i = i->next;
    return i;
}

bool lanes_gather(const struct lanes *p, lift_nat n)
{
    const struct lane_index *i = p->indices;

    while (i && !lift_nat_has(n, i->var))
        i = i->next;
    return i != NULL;
}

lift_nat lanes_nat(const struct lanes *p, lift_nat n, lift_nat lane)
{
    int64_t number;

    n = lift_nat_with(n, p->index, lift_nat_add(p->first, lane));
    for (const struct lane_index *i = p->indices; i; i = i->next)
        if (lift_nat_has(n, i->var) && lift_nat_is_const(lane, &number))
            n = lift_nat_with(n, i->var, i->lanes[number]);
    return n;
}

static lift_nat number(const struct lanes *p, int64_t value)
{
    return lift_nat_const(p->g->nats, value);
}

static lift_type vector_of(const struct lanes *p, lift_type scalar)
{
    return lift_type_vector(
        p->g->ir, scalar->scalar == LIFT_BOOL ? LIFT_I32 : scalar->scalar, p->width);
}

lift_nat lanes_row(const struct lanes *p, lift_nat at)
{
    lift_nat lane = cg_lane_var(p->g, lift_type_vector(p->g->ir, LIFT_I32, p->width));

    if (lanes_gather(p, at))
        return NULL;
    at = lift_nat_sub(lanes_nat(p, at, lane), lane);
    return lift_nat_mentions(at, LIFT_VAR_META) ? NULL : at;
}

bool lanes_differ(const struct lanes *p, kx e)
{
    if (e->kind == KX_VAR)
        return lanes_vary(p, e->name);
    if (kx_index(e) && lanes_nat(p, kx_index(e), number(p, 0)) != kx_index(e))
        return true;
    for (int i = 0; i < e->arg_count; i++)
        if (lanes_differ(p, e->args[i]))
            return true;
    return false;
}

/* ---- one lane */

kx lanes_one(const struct lanes *p, kx e, int lane)
{
    struct lift_ir *ir = p->g->ir;
    lift_nat at = kx_index(e) ? lanes_nat(p, kx_index(e), number(p, lane)) : NULL;
    kx *args;

    if (e->kind == KX_VAR && lanes_vary(p, e->name))
        return kx_lane(ir, kx_var(ir, e->name, vector_of(p, e->type)), lane);
    if (at)
        return e->kind == KX_NAT ? kx_nat(ir, at)
                                 : kx_load(ir, e->load.buffer, at, e->type);
    if (e->arg_count == 0)
        return e;
    args = LIFT_NEW_ARRAY(p->g->arena, kx, e->arg_count);
    for (int i = 0; i < e->arg_count; i++)
        args[i] = lanes_one(p, e->args[i], lane);
    if (e->kind == KX_OP && e->op.op != LIFT_USER_FUN)
        return kx_op(ir, e->op.op, e->type, args, e->arg_count);
    return kx_with_args(ir, e, args);
}

/* ---- all lanes */

kx lanes_of(const struct lanes *p, lift_type type, kx *lanes)
{
    for (int i = 0; i < p->width && type->scalar == LIFT_BOOL; i++)
        lanes[i] =
            kx_select(p->g->ir, lanes[i], kx_int(p->g->ir, -1), kx_int(p->g->ir, 0));
    return kx_lanes(p->g->ir, vector_of(p, type), lanes, p->width);
}

/* A vector of the values of 'e', computed lane by lane. */
static kx one_by_one(const struct lanes *p, kx e)
{
    kx *lanes = LIFT_NEW_ARRAY(p->g->arena, kx, p->width);

    for (int i = 0; i < p->width; i++)
        lanes[i] = lanes_one(p, e, i);
    return lanes_of(p, e->type, lanes);
}

static kx splat(const struct lanes *p, kx e)
{
    lift_type type = vector_of(p, e->type);

    if (e->type->kind == LIFT_TYPE_VECTOR)
        return e;
    if (e->type->scalar == LIFT_BOOL)
        e = kx_select(p->g->ir, e, kx_int(p->g->ir, -1), kx_int(p->g->ir, 0));
    return kx_op(p->g->ir, LIFT_SPLAT, type, &e, 1);
}

bool lanes_are_whole(const struct kbuffer *b, int width)
{
    return b->space == KSPACE_GLOBAL && !b->written && b->count % width == 0;
}

/* The lanes from 'at' on, from the two aligned vectors that contain them. NULL if the
 * alignment of 'at' is unknown, if 'at' is aligned, or if such loads are not safe. */
static kx shuffled(const struct lanes *p, struct kbuffer *buffer, lift_nat at,
                   lift_type type)
{
    lift_nat first = at;
    kx pair[2];
    int from = 0;

    while (from < p->width && !kx_is_aligned(first, p->width))
        first = lift_nat_add_const(at, -++from);
    if (from == 0 || from == p->width || !lanes_are_whole(buffer, p->width))
        return NULL;
    for (int i = 0; i < 2; i++)
        pair[i] =
            kx_load(p->g->ir, buffer, lift_nat_add_const(first, i * p->width), type);
    return kx_row(p->g->ir, pair[0], pair[1], from);
}

/* True if 'n' grows by a constant step from lane to lane. */
static bool is_line(const struct lanes *p, lift_nat n)
{
    lift_nat lane = cg_lane_var(p->g, lift_type_vector(p->g->ir, LIFT_I32, p->width));
    lift_nat first = lanes_nat(p, n, number(p, 0));
    lift_nat step = lift_nat_sub(lanes_nat(p, n, number(p, 1)), first);

    return !lanes_gather(p, n) &&
           lift_nat_add(first, lift_nat_mul(step, lane)) == lanes_nat(p, n, lane);
}

kx lanes_pass(const struct lanes *p, kx e)
{
    lift_nat n = cg_nonneg(e);

    if (!lanes_differ(p, e))
        return lanes_one(p, e, 0);
    if (kx_is_op(e, LIFT_AND))
        return kx_and(p->g->ir, lanes_pass(p, e->args[0]), lanes_pass(p, e->args[1]));
    if (!n || lanes_gather(p, n))
        return kx_bool(p->g->ir, false);
    n = lanes_nat(p, n,
                  cg_lane_var(p->g, lift_type_vector(p->g->ir, LIFT_I32, p->width)));
    return cg_all_hold(p->g, &n, 1);
}

/* An index, or a value computed from an index. */
static kx all_of_nat(struct lanes *p, kx e)
{
    struct lift_ir *ir = p->g->ir;
    lift_nat first = lanes_nat(p, e->nat, number(p, 0));
    lift_nat step = lift_nat_sub(lanes_nat(p, e->nat, number(p, 1)), first);
    kx *steps = LIFT_NEW_ARRAY(p->g->arena, kx, p->width), args[2];

    if (!is_line(p, e->nat))
        return one_by_one(p, e);
    for (int i = 0; i < p->width; i++)
        steps[i] = kx_nat(ir, lift_nat_mul_const(step, i));
    args[0] = splat(p, kx_nat(ir, first));
    args[1] = kx_lanes(ir, args[0]->type, steps, p->width);
    return kx_op(ir, LIFT_ADD, args[0]->type, args, 2);
}

static kx all_of_load(struct lanes *p, kx e)
{
    lift_nat at = lanes_row(p, e->load.at);
    lift_type type = vector_of(p, e->type);
    kx row = NULL;

    if (!at || e->type->scalar == LIFT_BOOL)
        return one_by_one(p, e);
    if (p->shuffles)
        row = shuffled(p, e->load.buffer, at, type);
    return row ? row : kx_load(p->g->ir, e->load.buffer, at, type);
}

/* True if the load stays inside its buffer for all values of the indices. */
static bool is_inside(const struct lanes *p, kx load)
{
    lift_type lanes = lift_type_vector(p->g->ir, LIFT_I32, p->width);
    lift_nat at = lanes_nat(p, load->load.at, cg_lane_var(p->g, lanes));

    return lift_nat_lo(at) >= 0 && lift_nat_hi(at) < load->load.buffer->count;
}

/* True if the expression may be computed speculatively. */
static bool is_harmless(const struct lanes *p, kx e)
{
    bool yes = e->kind == KX_LOAD ? is_inside(p, e) : !kx_is_op(e, LIFT_USER_FUN);

    for (int i = 0; i < e->arg_count && yes; i++)
        yes = is_harmless(p, e->args[i]);
    return yes;
}

/* Splits a condition into the part that is equal in all lanes, and the rest. */
static void part(const struct lanes *p, kx cond, kx *same, kx *other)
{
    if (!lanes_differ(p, cond))
        *same = kx_and(p->g->ir, *same, cond);
    else if (kx_is_op(cond, LIFT_AND)) {
        part(p, cond->args[0], same, other);
        part(p, cond->args[1], same, other);
    } else
        *other = kx_and(p->g->ir, *other, cond);
}

/* True if the value needs no computation. */
static bool is_at_hand(kx e)
{
    return e->kind != KX_OP && e->arg_count == 0;
}

/* Makes a select whose condition is equal in all lanes the outer choice, as at a kept
 * boundary. Not for several grid points in one block: compilers would move their sums
 * behind this test, one by one. */
static kx all_of_select(struct lanes *p, kx e)
{
    kx same = kx_bool(p->g->ir, true), other = same, yes, no;

    if (p->together && is_at_hand(e->args[1]) && is_at_hand(e->args[2]))
        return NULL;
    part(p, e->args[0], &same, &other);
    if (kx_is_bool(same, true))
        return NULL;
    yes = lanes_vector(p, kx_select(p->g->ir, other, e->args[1], e->args[2]));
    no = lanes_vector(p, e->args[2]);
    return kx_select(p->g->ir, same, yes, no);
}

/* Computes the operands of lazy operators for all lanes, including lanes that do not need
 * them. Operands that may do harm are computed lane by lane. */
static kx all_of_lazy(struct lanes *p, kx e)
{
    kx args[3], parted = kx_is_op(e, LIFT_SELECT) ? all_of_select(p, e) : NULL;

    if (parted)
        return parted;
    for (int i = 1; i < e->arg_count; i++)
        if (!is_harmless(p, e->args[i]))
            return one_by_one(p, e);
    for (int i = 0; i < e->arg_count; i++)
        args[i] = lanes_vector(p, e->args[i]);
    return kx_op(p->g->ir, e->op.op, vector_of(p, e->type), args, e->arg_count);
}

/* Calls a scalar function for each lane. Compilers know vector forms of most functions.
 */
static kx all_of_call(struct lanes *p, kx e)
{
    kx *args = LIFT_NEW_ARRAY(p->g->arena, kx, e->arg_count), *lanes;

    lanes = LIFT_NEW_ARRAY(p->g->arena, kx, p->width);
    for (int i = 0; i < e->arg_count; i++)
        args[i] = cg_variable(p->g, "lanes", lanes_all(p, e->args[i]));
    for (int i = 0; i < p->width; i++) {
        lanes[i] = kx_with_args(p->g->ir, e, args);
        for (int k = 0; k < e->arg_count; k++)
            if (kx_is_vector(args[k]))
                lanes[i]->args[k] = kx_lane(p->g->ir, args[k], i);
    }
    return kx_lanes(p->g->ir, vector_of(p, e->type), lanes, p->width);
}

static kx all_of_op(struct lanes *p, kx e)
{
    kx args[3];

    switch (e->op.op) {
    case LIFT_SELECT:
    case LIFT_AND:
    case LIFT_OR:
        return all_of_lazy(p, e);
    case LIFT_DIV:
        if (!lift_type_is_float(e->type))
            return all_of_call(p, e);
        break;
    case LIFT_ADD:
    case LIFT_SUB:
    case LIFT_MUL:
    case LIFT_NEG:
    case LIFT_LT:
    case LIFT_LE:
    case LIFT_EQ:
    case LIFT_NE:
    case LIFT_NOT:
    case LIFT_TO_F32:
    case LIFT_TO_F64:
    case LIFT_TO_I32:
    case LIFT_TO_F16:
    case LIFT_TO_BF16:
        break;
    default:
        if (kx_lane_function(e->op.op) < 0)
            return all_of_call(p, e);
        for (int i = 0; i < e->arg_count; i++)
            args[i] = lanes_vector(p, e->args[i]);
        return kx_op(p->g->ir, e->op.op, vector_of(p, e->type), args, e->arg_count);
    }
    for (int i = 0; i < e->arg_count; i++)
        args[i] = lift_type_is_float(e->args[i]->type) ? lanes_all(p, e->args[i])
                                                       : lanes_vector(p, e->args[i]);
    return kx_op(p->g->ir, e->op.op, vector_of(p, e->type), args, e->arg_count);
}

kx lanes_all(struct lanes *p, kx e)
{
    if (!lanes_differ(p, e))
        return e;
    switch (e->kind) {
    case KX_VAR:
        return kx_var(p->g->ir, e->name, vector_of(p, e->type));
    case KX_NAT:
        return all_of_nat(p, e);
    case KX_LOAD:
        return all_of_load(p, e);
    case KX_OP:
        return all_of_op(p, e);
    default:
        return one_by_one(p, e);
    }
}

kx lanes_vector(struct lanes *p, kx e)
{
    return splat(p, lanes_all(p, e));
}
