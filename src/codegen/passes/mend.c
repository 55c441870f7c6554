/* Values that tests on indices choose, for the tests of one index at a time: work-items
 * at an end of a grid fail those of one dimension, mostly.
 *
 *     if (!(a && b)) { v = a && b ? v : x; w = a ? w : y; }
 *   = if (!(a && b)) { if (!a) { v = a ? v : x; w = a ? w : y; } if (!b) v = b ? v : x; }
 */
#include "codegen/passes/mend.h"
#include "codegen/passes/likely.h"

/* Values for each index from which on this takes less than testing all for each value. */
enum { TESTS = 16, VALUES = 4 };

/* Conditions of which all hold. */
struct tests {
    kx items[TESTS];
    int count;
    bool all; /* there are no more */
};

static void add(struct tests *t, kx e)
{
    if (kx_is_op(e, LIFT_AND)) {
        add(t, e->args[0]);
        add(t, e->args[1]);
    } else if (t->count < TESTS) {
        t->items[t->count++] = e;
    } else {
        t->all = false;
    }
}

static struct tests tests_of(kx e)
{
    struct tests t = {.all = true};

    add(&t, e);
    return t;
}

static bool has(const struct tests *t, kx e)
{
    for (int i = 0; i < t->count; i++)
        if (kx_equal(t->items[i], e))
            return true;
    return false;
}

/* What a comparison of indices compares with zero; NULL: it is none. */
static lift_nat compared(kx e)
{
    if (kx_is_op(e, LIFT_NOT))
        e = e->args[0];
    if (e->kind != KX_OP || e->arg_count != 2 || e->args[0]->kind != KX_NAT ||
        e->args[1]->kind != KX_NAT)
        return NULL;
    return lift_nat_sub(e->args[1]->nat, e->args[0]->nat);
}

/* Both are about the same index, but for what is added to it. */
static bool alike(kx e, kx f)
{
    lift_nat a = compared(e), b = compared(f);

    return a && b &&
           (lift_nat_is_const(lift_nat_sub(a, b), NULL) ||
            lift_nat_is_const(lift_nat_add(a, b), NULL));
}

/* Those of 't' that are about the index of 'of'; NULL: none is. */
static kx about(struct lift_ir *ir, const struct tests *t, kx of)
{
    kx all = NULL;

    for (int i = 0; i < t->count; i++)
        if (kx_equal(t->items[i], of) || alike(t->items[i], of))
            all = kx_all(ir, all, t->items[i]);
    return all;
}

/* The first test of its index. */
static bool leads(const struct tests *t, int i)
{
    for (int k = 0; k < i; k++)
        if (alike(t->items[k], t->items[i]))
            return false;
    return true;
}

/* A variable that keeps its value where tests of 't' hold. */
static bool is_choice(const struct ks *s, const struct tests *t)
{
    kx e = ks_expr(s);
    struct tests own;

    if (!kx_is_op(e, LIFT_SELECT) || e->args[1]->kind != KX_VAR ||
        e->args[1]->name != ks_name(s))
        return false;
    own = tests_of(e->args[0]);
    for (int i = 0; i < own.count; i++)
        if (!has(t, own.items[i]))
            return false;
    return own.all;
}

static bool pays(const struct kblock *values, const struct tests *t)
{
    int count = 0, indices = 0;

    for (const struct ks *s = values->first; s; s = s->next) {
        if (!is_choice(s, t))
            return false;
        count++;
    }
    for (int i = 0; i < t->count; i++)
        indices += leads(t, i);
    return t->all && indices > 1 && count >= VALUES * indices;
}

/* What fails the tests about the index of 'of'. */
static void mend_one(struct gen *g, const struct kblock *values, kx of, struct ks *to)
{
    for (const struct ks *s = values->first; s; s = s->next) {
        kx e = ks_expr(s), own;
        struct tests t = tests_of(e->args[0]);

        own = about(g->ir, &t, of);
        if (own)
            ks_append(&to->test.body,
                      ks_assign(g->arena, ks_name(s),
                                kx_select(g->ir, own, e->args[1], e->args[2])));
    }
}

bool mend_by_index(struct gen *g, const struct kblock *values, kx tests, struct ks *to)
{
    struct tests t = tests_of(tests);

    if (!pays(values, &t))
        return false;
    for (int i = 0; i < t.count; i++) {
        struct ks *one;

        if (!leads(&t, i))
            continue;
        one = ks_if(g->arena, kx_not(g->ir, about(g->ir, &t, t.items[i])));
        one->test.row = to->test.row;
        mend_one(g, values, t.items[i], one);
        ks_append(&to->test.body, one);
    }
    return true;
}
