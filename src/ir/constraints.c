#include "base/table.h"
#include "ir/constraint.h"
#include "ir/cut.h"
#include "ir/ir_t.h"
#include <stdlib.h>
#include <string.h>

struct collector {
    struct lift_arena *arena;
    struct lift_ptrmap seen; /* expressions, nats and types that have been walked */
    struct lift_side_condition *items;
    int count, cap;
    struct lift_tunable *tunables;
    int tunable_count, tunable_cap;
};

static bool first_visit(struct collector *c, const void *key)
{
    if (lift_ptrmap_get(&c->seen, key))
        return false;
    lift_ptrmap_put(&c->seen, key, c);
    return true;
}

static void add_tunable(void *user, const struct lift_var *var)
{
    struct collector *c = user;

    if (var->kind != LIFT_VAR_TUNABLE || !first_visit(c, var->nat))
        return;
    LIFT_ARENA_ROOM(c->arena, c->tunables, c->tunable_count, c->tunable_cap);
    c->tunables[c->tunable_count++] =
        (struct lift_tunable){var->name, var->key, var->lo, var->hi};
}

static void walk_nat(struct collector *c, lift_nat n)
{
    lift_nat_each_var(n, add_tunable, c);
}

static void walk_type(struct collector *c, lift_type t)
{
    if (!first_visit(c, t))
        return;
    if (t->kind == LIFT_TYPE_TUPLE || t->kind == LIFT_TYPE_FUN)
        for (int i = 0; i < t->count; i++)
            walk_type(c, t->parts[i]);
    if (t->kind == LIFT_TYPE_ARRAY)
        walk_nat(c, t->len);
    if (t->kind == LIFT_TYPE_ARRAY || t->kind == LIFT_TYPE_FUN)
        walk_type(c, t->elem);
}

bool lift_side_proved(enum lift_side_kind kind, lift_nat a, lift_nat b)
{
    return kind == LIFT_SIDE_LE ? lift_nat_proves_le(a, b)
                                : lift_nat_proves_divides(a, b);
}

/* Adds a condition once, even if several primitives require the condition. */
static void require(struct collector *c, enum lift_side_kind kind, lift_nat a, lift_nat b,
                    const char *why)
{
    if (lift_side_proved(kind, a, b))
        return;
    for (int i = 0; i < c->count; i++)
        if (c->items[i].kind == kind && c->items[i].a == a && c->items[i].b == b)
            return;
    LIFT_ARENA_ROOM(c->arena, c->items, c->count, c->cap);
    c->items[c->count++] = (struct lift_side_condition){kind, a, b, why};
}

static void require_least(struct collector *c, int64_t least, lift_nat n, const char *why)
{
    require(c, LIFT_SIDE_LE, lift_nat_const(lift_nat_pool(n), least), n, why);
}

/* The side condition of joinShift: the number of rows is the number that covers 'n'
 * elements, and no row is longer than 'n'. */
static void require_rows(struct collector *c, lift_nat n, lift_type rows)
{
    static const char why[] = "rows of 'joinShift' cover the result";
    lift_nat k = rows->elem->len, count = lift_nat_ceil_div(n, k);

    require_least(c, 1, k, why);
    require(c, LIFT_SIDE_LE, k, n, why);
    require(c, LIFT_SIDE_LE, count, rows->len, why);
    require(c, LIFT_SIDE_LE, rows->len, count, why);
}

/* The side conditions of a pad. Wide pads repeat a border; other pads reach into the
 * array. */
static void require_pad(struct collector *c, lift_expr e, lift_nat n)
{
    lift_nat l = e->u.prim.nats[0], r = e->u.prim.nats[1];

    if (lift_pad_is_wide(e->u.prim.attrs.pad.kind)) {
        if (!lift_nat_is(l, 0) || !lift_nat_is(r, 0))
            require_least(c, 1, n, "'pad' needs a border to repeat");
        return;
    }
    require(c, LIFT_SIDE_LE, l, n, "the left side of 'pad' fits the array");
    require(c, LIFT_SIDE_LE, r, n, "the right side of 'pad' fits the array");
}

static void require_box(struct collector *c, lift_expr e)
{
    lift_type border = lift_expr_arg(e, 0)->type, xs = lift_expr_arg(e, 1)->type;

    for (int k = 0; k < e->u.prim.attrs.box.dims; k++) {
        lift_nat l = e->u.prim.nats[k];

        require_least(c, 0, l, "the place of 'insetBox'");
        require(c, LIFT_SIDE_LE, lift_nat_add(l, xs->len), border->len,
                "the box of 'insetBox' lies inside of its border");
        border = border->elem;
        xs = xs->elem;
    }
}

static void require_prim(struct collector *c, lift_expr e)
{
    const lift_nat *nats = e->u.prim.nats;
    lift_expr last = e->arg_count ? e->u.prim.args[e->arg_count - 1] : NULL;
    lift_nat n = last && last->type->kind == LIFT_TYPE_ARRAY ? last->type->len : NULL;

    for (const struct lift_prim_side *s = lift_prim_sides(e->op); s && s->op == e->op;
         s++)
        if (s->why)
            require(c, s->kind, lift_side_value(s->a, nats, n),
                    lift_side_value(s->b, nats, n), s->why);
    if (e->op == LIFT_PAD)
        require_pad(c, e, n);
    else if (e->op == LIFT_JOIN_SHIFT)
        require_rows(c, nats[0], e->u.prim.args[0]->type);
    else if (e->op == LIFT_INSET_BOX)
        require_box(c, e);
}

static void walk(struct collector *c, lift_expr e)
{
    if (!first_visit(c, e))
        return;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        walk(c, lift_expr_child(e, i));
    if (e->kind != LIFT_EXPR_PRIM) {
        walk_type(c, e->type);
        return;
    }
    for (int i = 0; i < lift_prim_info(e->op)->nat_count; i++)
        walk_nat(c, e->u.prim.nats[i]);
    require_prim(c, e);
}

struct lift_side_conditions lift_expr_constraints(struct lift_arena *arena, lift_expr e)
{
    struct collector c = {.arena = arena};

    walk(&c, e);
    lift_ptrmap_fini(&c.seen);
    return (struct lift_side_conditions){c.items, c.count, c.tunables, c.tunable_count};
}
