/* Weighted sums over a window of planes: what their terms read, and which of them are
 * added when. */
#include "lift/expr.h"
#include "rules/native/nd.h"
#include "rules/native/retime.h"

/* Values in tables are never NULL. */
static void *packed(int lo, int hi)
{
    return (void *)(uintptr_t)(((uint64_t)(lo + 1) << 32) | (uint64_t)(hi + 2));
}

static struct retime_span unpacked(const void *value)
{
    uint64_t bits = (uintptr_t)value;

    return (struct retime_span){(int)(bits >> 32) - 1, (int)(bits & 0xffffffffu) - 2};
}

bool retime_is_plane(const struct retime_sum *s, lift_expr e, int *k)
{
    int64_t index;

    if (!lift_expr_is(e, LIFT_AT) || e->u.prim.args[0] != s->w ||
        !lift_nat_is_const(e->u.prim.nats[0], &index))
        return false;
    *k = (int)index;
    return true;
}

static struct retime_span joined(struct retime_span a, struct retime_span b)
{
    if (a.lo > a.hi)
        return b;
    if (b.lo > b.hi)
        return a;
    return (struct retime_span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

struct retime_span retime_span_of(struct retime_sum *s, lift_expr e)
{
    struct retime_span span = {s->n, -1};
    void *known = lift_ptrmap_get(&s->spans, e);
    int k;

    if (known)
        return unpacked(known);
    if (e == s->w) {
        span = (struct retime_span){0, s->n - 1};
    } else if (retime_is_plane(s, e, &k)) {
        span = (struct retime_span){k, k};
    } else {
        for (int i = 0; i < lift_expr_child_count(e); i++)
            span = joined(span, retime_span_of(s, lift_expr_child(e, i)));
    }
    lift_ptrmap_put(&s->spans, e, packed(span.lo, span.hi));
    return span;
}

static bool reads_window(struct retime_sum *s, lift_expr e)
{
    struct retime_span span = retime_span_of(s, e);

    return span.lo <= span.hi;
}

/* ---- the shape of a sum */

/* The operand of a product or quotient that the window has a part in; -1 if that is not
 * one alone, or not one that can be split. */
static int weighted(struct retime_sum *s, lift_expr e)
{
    bool a = reads_window(s, e->u.prim.args[0]), b = reads_window(s, e->u.prim.args[1]);

    if (e->op == LIFT_DIV)
        return a && !b ? 0 : -1;
    return a == b ? -1 : a ? 0 : 1;
}

enum shape { TERM, SUM, NEGATED, WEIGHTED };

static enum shape shape_of(struct retime_sum *s, lift_expr e)
{
    if (e->kind != LIFT_EXPR_PRIM || !lift_type_is_float(e->type))
        return TERM;
    if (e->op == LIFT_ADD || e->op == LIFT_SUB)
        return SUM;
    if (e->op == LIFT_NEG)
        return NEGATED;
    if (e->op == LIFT_MUL || e->op == LIFT_DIV)
        return weighted(s, e) >= 0 ? WEIGHTED : TERM;
    return TERM;
}

static const uint64_t NOTHING = (uint64_t)1 << 63, PARTIAL = (uint64_t)1 << 62;

static bool reads_stored(const struct retime_sum *s, lift_expr e)
{
    int k;

    if (!s->stored)
        return false;
    if (lift_expr_is(e, LIFT_GET) && e->u.prim.attrs[0] == 0 &&
        retime_is_plane(s, e->u.prim.args[0], &k))
        return true;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (reads_stored(s, lift_expr_child(e, i)))
            return true;
    return false;
}

static uint64_t term_mask(struct retime_sum *s, lift_expr e)
{
    struct retime_span span = retime_span_of(s, e);

    if (span.lo > span.hi)
        return NOTHING;
    return NOTHING | (uint64_t)1 << span.hi | (reads_stored(s, e) ? PARTIAL : 0);
}

/* A bit for each plane that is the last one that some term reads. */
static uint64_t mask_of(struct retime_sum *s, lift_expr e)
{
    uint64_t mask = (uintptr_t)lift_ptrmap_get(&s->masks, e);

    if (mask)
        return mask;
    switch (shape_of(s, e)) {
    case SUM:
        mask = mask_of(s, e->u.prim.args[0]) | mask_of(s, e->u.prim.args[1]);
        break;
    case NEGATED:
        mask = mask_of(s, e->u.prim.args[0]);
        break;
    case WEIGHTED:
        mask = mask_of(s, e->u.prim.args[weighted(s, e)]);
        break;
    case TERM:
        mask = term_mask(s, e);
    }
    lift_ptrmap_put(&s->masks, e, (void *)(uintptr_t)mask);
    return mask;
}

/* ---- which sum */

struct finding {
    struct retime_sum *s;
    int best; /* planes */
};

static int bits(uint64_t mask)
{
    return __builtin_popcountll(mask & ~(NOTHING | PARTIAL));
}

/* A sum that starts from a partial sum has been retimed already. */
static bool find(void *finding, lift_expr e)
{
    struct finding *f = finding;

    if (e->kind == LIFT_EXPR_PRIM && lift_type_is_float(e->type)) {
        uint64_t mask = mask_of(f->s, e);

        if (mask & PARTIAL && shape_of(f->s, e) != TERM)
            return false;
        if (!(mask & PARTIAL) && bits(mask) > f->best) {
            f->best = bits(mask);
            f->s->root = e;
        }
    }
    return e->kind == LIFT_EXPR_PRIM;
}

bool retime_sum_find(struct retime_sum *s, lift_expr body)
{
    struct finding f = {.s = s, .best = 1};

    s->root = NULL;
    lift_expr_each(body, find, &f);
    return s->root != NULL;
}

void retime_sum_fini(struct retime_sum *s)
{
    lift_ptrmap_fini(&s->spans);
    lift_ptrmap_fini(&s->masks);
    lift_ptrmap_fini(&s->columns);
    lift_ptrmap_fini(&s->parts);
}

/* ---- parts */

struct choice {
    struct retime_sum *s;
    retime_time *when;
    const void *user;
    int time;
};

static lift_expr part(struct choice *c, lift_expr e);

static lift_expr sum_part(struct choice *c, lift_expr e)
{
    lift_expr a = part(c, e->u.prim.args[0]), b = part(c, e->u.prim.args[1]);

    if (a && b)
        return lift_call2(c->s->ir, e->op, a, b);
    if (a || !b)
        return a;
    return e->op == LIFT_SUB ? lift_call1(c->s->ir, LIFT_NEG, b) : b;
}

static lift_expr weighted_part(struct choice *c, lift_expr e)
{
    lift_expr operands[2] = {e->u.prim.args[0], e->u.prim.args[1]};
    int k = weighted(c->s, e);

    operands[k] = part(c, operands[k]);
    return operands[k] ? lift_call2(c->s->ir, e->op, operands[0], operands[1]) : NULL;
}

/* What a reduction starts from. */
static bool is_zero(lift_expr e)
{
    return e->kind == LIFT_EXPR_LIT && e->u.number == 0;
}

static lift_expr make_part(struct choice *c, lift_expr e)
{
    lift_expr a;

    switch (shape_of(c->s, e)) {
    case SUM:
        return sum_part(c, e);
    case NEGATED:
        a = part(c, e->u.prim.args[0]);
        return lift_call1(c->s->ir, LIFT_NEG, a);
    case WEIGHTED:
        return weighted_part(c, e);
    case TERM:
        break;
    }
    return !is_zero(e) && c->when(c->s, e, c->user) == c->time ? e : NULL;
}

/* The window itself stands for nothing in the table. */
static lift_expr part(struct choice *c, lift_expr e)
{
    lift_expr known = lift_ptrmap_get(&c->s->parts, e);

    if (!known) {
        known = make_part(c, e);
        lift_ptrmap_put(&c->s->parts, e, (void *)(known ? known : c->s->w));
    }
    return known == c->s->w ? NULL : known;
}

lift_expr retime_part(struct retime_sum *s, retime_time *when, const void *user, int time)
{
    struct choice c = {s, when, user, time};

    lift_ptrmap_clear(&s->parts);
    return part(&c, s->root);
}
