/* Weighted sums over a window of planes: the reads of the terms, and the time that adds
 * each term. */
#include "ir/expr.h"
#include "rules/native/retime.h"
#include "rules/nd.h"

/* Packs two numbers in a pointer that is never NULL. */
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

/* Returns the operand of a product or quotient that reads the window. Returns -1 if both
 * operands or neither operand read the window, or if the divisor reads the window. */
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

/* True if 'e' is a member of a plane, and 'members' has the bit of this member. */
static bool is_member(const struct retime_sum *s, lift_expr e, uint64_t members)
{
    int k;

    return lift_expr_is(e, LIFT_GET) && members >> e->u.prim.attrs.get.k & 1 &&
           retime_is_plane(s, e->u.prim.args[0], &k);
}

static bool reads_members(const struct retime_sum *s, lift_expr e, uint64_t members)
{
    if (members == 0 || is_member(s, e, members))
        return members != 0;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (reads_members(s, lift_expr_child(e, i), members))
            return true;
    return false;
}

/* Returns the mask of a term. A kept value is available without its planes. */
static uint64_t term_mask(struct retime_sum *s, lift_expr e)
{
    struct retime_span span = retime_span_of(s, e);

    if (span.lo > span.hi || is_member(s, e, s->kept))
        return NOTHING;
    return NOTHING | (uint64_t)1 << span.hi |
           (reads_members(s, e, s->sums) ? PARTIAL : 0);
}

/* Returns a mask with a bit for each plane that is the last plane of some term. */
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

/* ---- choosing a sum */

struct finding {
    struct retime_sum *s;
    int best; /* planes of the best sum */
};

static int bits(uint64_t mask)
{
    return __builtin_popcountll(mask & ~(NOTHING | PARTIAL));
}

/* Finds the sum with the most different last planes, the first among equals. Skips sums
 * that start from a partial sum, which have been retimed already. */
static bool find_first(void *finding, lift_expr e)
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
    struct finding f = {s, 1};

    s->root = NULL;
    lift_expr_each(body, find_first, &f);
    return s->root != NULL;
}

void retime_sum_fini(struct retime_sum *s)
{
    lift_ptrmap_fini(&s->spans);
    lift_ptrmap_fini(&s->masks);
    lift_ptrmap_fini(&s->columns);
    lift_ptrmap_fini(&s->parts);
    lift_ptrmap_fini(&s->newest);
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

/* True for the initial value of a reduction. */
static bool is_zero(lift_expr e)
{
    return e->kind == LIFT_EXPR_LIT && e->u.number == 0;
}

/* Returns the time of a term. Kept values are added with the last plane. */
static int time_of(struct choice *c, lift_expr e)
{
    return is_member(c->s, e, c->s->kept) ? c->s->n - 1 : c->when(c->s, e, c->user);
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
    return !is_zero(e) && time_of(c, e) == c->time ? e : NULL;
}

/* Returns the part of 'e' that is added at the chosen time. In the table, the window
 * represents NULL. */
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
