/* Staging: arrays that a function reads repeatedly are first copied to faster memory.
 *
 *     map_n(fun(t => body(t)), tiles)
 *   = map_n(fun(t => let l = toLocal(map_m(fun(e => e), t.c)) in body with l for t.c),
 * tiles)
 *
 * for each array t.c (or t itself) that some window of the body reads. The copy is an
 * ordinary map over m dimensions, which other rules lower. */
#include "rules/native/natives.h"
#include "rules/nd.h"
#include <math.h>

/* True if a window below 'e' reads 'part'. Only then does the function use an element
 * repeatedly. */
static bool slides_over(lift_expr e, lift_expr part)
{
    bool slide = lift_expr_is(e, LIFT_SLIDE) || lift_expr_is(e, LIFT_MAP_SEQ_SLIDE);
    int n = lift_expr_child_count(e);

    if (slide && nd_count(lift_expr_child(e, n - 1), part, 1))
        return true;
    for (int i = 0; i < n; i++)
        if (slides_over(lift_expr_child(e, i), part))
            return true;
    return false;
}

/* True for an array of d or more dimensions of plain values. */
static bool is_tile(lift_type t, int d)
{
    return lift_type_rank(t) >= d && lift_type_is_value(lift_type_base(t));
}

static lift_expr stage_part(struct lift_ir *ir, lift_expr body, lift_expr part)
{
    lift_expr copy = nd_copy_all(ir, part);
    lift_expr l = lift_fresh(ir, "l", part->type);

    body = nd_replace(ir, body, part, l);
    return lift_let(ir, lift_call1(ir, LIFT_TO_LOCAL, copy), lift_fun(ir, body, l));
}

void rule_copy_to_local(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    int d = redex->numbers.dims, parts;
    lift_expr f, xs, t, body;

    if (!nd_is_map(ir, d, redex->at, &f, &xs))
        return;
    t = lift_fresh(ir, "t", f->type->parts[0]);
    body = lift_expr_apply(ir, f, &t);
    parts = t->type->kind == LIFT_TYPE_TUPLE ? t->type->count : 1;
    for (int c = 0; c < parts; c++) {
        lift_expr part = t->type->kind == LIFT_TYPE_TUPLE ? lift_get(ir, c, t) : t;

        if (is_tile(part->type, d) && slides_over(body, part))
            redex_emit(
                redex,
                lift_map_n(ir, d, lift_fun(ir, stage_part(ir, body, part), t), xs));
    }
}

/* ---- the smallest arrays
 *
 * If windows of several arrays differ, only the arrays with the smallest tiles are
 * copied, since they take the least memory. */

/* Returns the smallest possible number of elements in d dimensions. */
static double fewest_elements(lift_type t, int d)
{
    double count = 1;

    for (; d > 0; d--, t = t->elem)
        count *= (double)lift_nat_lo(t->len);
    return count;
}

/* The smallest arrays of the tile 't' that windows of the body read. */
struct staged {
    int count;
    lift_expr parts[LIFT_MAX_ARGS];
};

static struct staged smallest_parts(struct lift_ir *ir, lift_expr t, lift_expr body,
                                    int d)
{
    bool tuple = t->type->kind == LIFT_TYPE_TUPLE;
    struct staged s = {.count = 0};
    double least = INFINITY;

    for (int c = 0; c < (tuple ? t->type->count : 1); c++) {
        lift_expr part = tuple ? lift_get(ir, c, t) : t;
        double size;

        if (!is_tile(part->type, d) || !slides_over(body, part))
            continue;
        size = fewest_elements(part->type, d);
        if (size < least)
            s.count = 0;
        if (size <= least)
            s.parts[s.count++] = part;
        least = size < least ? size : least;
    }
    return s;
}

void rule_copy_smallest_to_local(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    int d = redex->numbers.dims;
    lift_expr f, xs, t, body;
    struct staged s;

    if (!nd_is_map(ir, d, redex->at, &f, &xs))
        return;
    t = lift_fresh(ir, "t", f->type->parts[0]);
    body = lift_expr_apply(ir, f, &t);
    s = smallest_parts(ir, t, body, d);
    for (int i = 0; i < s.count; i++)
        body = stage_part(ir, body, s.parts[i]);
    if (s.count)
        redex_emit(redex, lift_map_n(ir, d, lift_fun(ir, body, t), xs));
}

/* ---- borders
 *
 *     inset(l, r, b, x) = concat(copy(take(l, b)), x, copy(drop(l + n, b))) */

static lift_expr border_part(struct lift_ir *ir, enum lift_op op, lift_nat n,
                             lift_expr border)
{
    return nd_copy_all(ir, lift_call_nat(ir, op, n, border));
}

void rule_lower_inset(struct rule_redex *redex)
{
    const lift_nat *nats = redex->at->u.prim.nats;
    lift_expr border = redex->at->u.prim.args[0], xs = redex->at->u.prim.args[1];
    lift_expr parts[3];
    int count = 0;

    if (!lift_nat_is(nats[0], 0))
        parts[count++] = border_part(redex->ir, LIFT_TAKE, nats[0], border);
    parts[count++] = xs;
    if (!lift_nat_is(nats[1], 0))
        parts[count++] = border_part(redex->ir, LIFT_DROP,
                                     lift_nat_add(nats[0], xs->type->len), border);
    redex_emit(redex, count == 1 ? xs : lift_call(redex->ir, LIFT_CONCAT, parts, count));
}
