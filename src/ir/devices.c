/* Parts of a grid on several devices: who has which elements, and terms that say so. */
#include "base/bug.h"
#include "ir/cut.h"
#include "ir/eval.h"
#include "ir/ir_t.h"
#include <string.h>

static const char *const part_names[LIFT_PART_DIMS] = {"part0", "part1", "part2"};

const char *lift_part_name(int dim)
{
    return part_names[dim];
}

int lift_part_dim(const char *name)
{
    for (int d = 0; d < LIFT_PART_DIMS; d++)
        if (strcmp(part_names[d], name) == 0)
            return d;
    return -1;
}

lift_nat lift_part_length(struct lift_ir *ir, int dim)
{
    LIFT_ASSERT(dim >= 0 && dim < LIFT_PART_DIMS);
    return lift_nat_var(ir->nats, part_names[dim], LIFT_VAR_SIZE, 1, LIFT_NAT_MAX);
}

/* ---- variables in lengths */

bool ir_type_has(lift_type t, lift_nat var)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        return lift_nat_has(t->len, var) || ir_type_has(t->elem, var);
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        if (ir_type_has(t->parts[i], var))
            return true;
    return false;
}

bool lift_hangs_on_part(lift_nat n)
{
    bool found = false;

    for (int d = 0; d < LIFT_PART_DIMS && !found; d++) {
        lift_nat part = lift_nat_find_var(lift_nat_pool(n), part_names[d]);

        found = part && lift_nat_has(n, part);
    }
    return found;
}

/* ---- grids, and tuples of grids of one length */

lift_nat ir_grid_length(lift_type t)
{
    lift_nat len;

    if (t->kind == LIFT_TYPE_ARRAY)
        return t->len;
    if (t->kind != LIFT_TYPE_TUPLE || t->parts[0]->kind != LIFT_TYPE_ARRAY)
        return NULL;
    len = t->parts[0]->len;
    for (int i = 1; i < t->count; i++)
        if (t->parts[i]->kind != LIFT_TYPE_ARRAY || t->parts[i]->len != len)
            return NULL;
    return len;
}

lift_type ir_grid_of(struct lift_ir *ir, lift_type t, lift_nat len)
{
    lift_type parts[LIFT_MAX_ARGS];

    if (t->kind == LIFT_TYPE_ARRAY)
        return lift_type_array(ir, t->elem, len);
    for (int i = 0; i < t->count; i++)
        parts[i] = lift_type_array(ir, t->parts[i]->elem, len);
    return lift_type_tuple(ir, parts, t->count);
}

/* ---- shares */

/* A literal or a size, however it is written. */
static lift_nat share_of(lift_expr e)
{
    if (lift_expr_is(e, LIFT_NAT))
        return e->u.prim.nats[0];
    return NULL;
}

static int add_shares(struct lift_nats *nats, lift_expr e, lift_nat *out, int count)
{
    lift_expr body;
    lift_nat share;
    int64_t n;

    if (lift_expr_is(e, LIFT_CONCAT)) {
        for (int i = 0; i < e->arg_count && count >= 0; i++)
            count = add_shares(nats, e->u.prim.args[i], out, count);
        return count;
    }
    if (!lift_expr_is(e, LIFT_ARRAY) || !lift_nat_is_const(e->u.prim.nats[0], &n) ||
        n < 0 || n > LIFT_MAX_PARTS - count)
        return -1;
    body = e->u.prim.args[0]->u.lambda.body;
    share = body->kind == LIFT_EXPR_LIT && lift_type_is_scalar(body->type, LIFT_I32)
                ? lift_nat_const(nats, body->u.integer)
                : share_of(body);
    for (int64_t i = 0; share && i < n; i++)
        out[count++] = share;
    return share ? count : -1;
}

/* Of numbers alone. */
static int computed_shares(struct lift_nats *nats, lift_expr e, lift_nat *out)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    const struct lift_eval_env env = {.max_steps = 16 * LIFT_MAX_PARTS};
    struct lift_value v;

    if (e->loose || !lift_eval(&env, e, arena, &v, NULL) || v.count > LIFT_MAX_PARTS)
        return 0;
    for (int64_t i = 0; i < v.count; i++)
        out[i] = lift_nat_const(nats, v.u.items[i].u.integer);
    return (int)v.count;
}

int lift_shares_of(struct lift_nats *nats, lift_expr shares, lift_nat *out)
{
    int count = add_shares(nats, shares, out, 0);
    int64_t all = 0, value;

    if (count <= 0)
        count = computed_shares(nats, shares, out);

    for (int i = 0; i < count; i++) {
        value = lift_nat_hi(out[i]);
        if (lift_nat_is_const(out[i], &value) && value < 1)
            return 0;
        all += value < LIFT_MAX_SHARES ? value : LIFT_MAX_SHARES;
    }
    return all <= LIFT_MAX_SHARES ? count : 0;
}

void lift_share_out(const int64_t *shares, int count, int64_t n, int64_t *begin)
{
    int64_t all = 0, so_far = 0;

    for (int i = 0; i < count; i++)
        all += shares[i];
    LIFT_ASSERT(all > 0);
    for (int i = 0; i <= count; i++) {
        begin[i] = (2 * n * so_far + all) / (2 * all);
        so_far += i < count ? shares[i] : 0;
    }
}

lift_nat lift_share_begin(const lift_nat *shares, int count, int i, lift_nat n)
{
    struct lift_nats *nats = lift_nat_pool(n);
    lift_nat all = lift_nat_const(nats, 0), before = all, part;

    for (int k = 0; k < count; k++) {
        all = lift_nat_add(all, shares[k]);
        before = k < i ? lift_nat_add(before, shares[k]) : before;
    }
    if (i == 0 || i == count)
        return i ? n : lift_nat_const(nats, 0);
    part = lift_nat_mul_const(lift_nat_mul(n, before), 2);
    return lift_nat_div(lift_nat_add(part, all), lift_nat_mul_const(all, 2));
}

lift_nat ir_ghosts(lift_nat count, lift_nat before, lift_nat after, bool ring)
{
    return lift_nat_mul(ring ? count : lift_nat_add_const(count, -1),
                        lift_nat_add(before, after));
}

/* ---- terms */

static lift_expr alike(struct lift_ir *ir, int share, int count)
{
    lift_type i32 = lift_type_scalar(ir, LIFT_I32);
    const char *name = "i";

    return lift_array(ir, lift_nat_const(ir->nats, count),
                      lift_expr_lambda(ir, &i32, 1, &name, lift_expr_int(ir, share)));
}

lift_expr lift_shares(struct lift_ir *ir, const int *shares, int count)
{
    lift_expr parts[LIFT_MAX_ARGS];
    int from = 0, runs = 0;

    for (int i = 1; i <= count; i++)
        if (i == count || shares[i] != shares[from]) {
            if (runs == LIFT_MAX_ARGS) {
                parts[0] = lift_call(ir, LIFT_CONCAT, parts, runs);
                runs = 1;
            }
            parts[runs++] = alike(ir, shares[from], i - from);
            from = i;
        }
    if (runs == 0)
        return ir_set_error(ir, "a grid is cut in one part at least");
    return runs == 1 ? parts[0] : lift_call(ir, LIFT_CONCAT, parts, runs);
}

static struct lift_prim_args args_of(const struct lift_device_parts *p)
{
    return (struct lift_prim_args){.nats = {p->before, p->after}};
}

lift_expr lift_exchange(struct lift_ir *ir, const struct lift_device_parts *p,
                        lift_expr xs)
{
    struct lift_prim_args a = args_of(p);

    a.attrs.exchange.ends = p->ring ? LIFT_ENDS_RING : LIFT_ENDS_APART;
    a.args[0] = p->shares;
    a.args[1] = xs;
    a.arg_count = 2;
    return lift_make(ir, LIFT_EXCHANGE, &a);
}

lift_expr lift_map_device(struct lift_ir *ir, const struct lift_device_parts *p,
                          lift_expr f, lift_expr xs)
{
    struct lift_prim_args a = args_of(p);

    a.attrs.device.dim = p->dim;
    a.attrs.device.ends = p->ring ? LIFT_ENDS_RING : LIFT_ENDS_APART;
    a.args[0] = f;
    a.args[1] = p->shares;
    a.args[2] = xs;
    a.arg_count = 3;
    return lift_make(ir, LIFT_MAP_DEVICE, &a);
}
