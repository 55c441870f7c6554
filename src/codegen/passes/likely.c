#include "codegen/passes/likely.h"
#include "codegen/gen.h"

kx kx_not(struct lift_ir *ir, kx e)
{
    return kx_op(ir, LIFT_NOT, e->type, &e, 1);
}

static bool has(kx e, kx test)
{
    return kx_equal(e, test) ||
           (kx_is_op(e, LIFT_AND) && (has(e->args[0], test) || has(e->args[1], test)));
}

bool kx_implies(kx e, kx tests)
{
    if (tests && kx_is_op(tests, LIFT_AND))
        return kx_implies(e, tests->args[0]) && kx_implies(e, tests->args[1]);
    return !tests || has(e, tests);
}

kx kx_all(struct lift_ir *ir, kx tests, kx more)
{
    if (!tests || !more)
        return tests ? tests : more;
    if (kx_is_op(more, LIFT_AND))
        return kx_all(ir, kx_all(ir, tests, more->args[0]), more->args[1]);
    return has(tests, more) ? tests : kx_and(ir, tests, more);
}

struct reads {
    const struct likely *likely;
    bool inner, depends;
};

static void look_at(void *user, const struct lift_var *var)
{
    struct reads *r = user;

    r->inner |= lift_ptrmap_get(&r->likely->inner, var->nat) != NULL;
    r->depends |= var->nat == r->likely->depends;
}

static bool stays(const struct likely *l, kx comparison)
{
    struct reads r = {l, false, !l->depends};

    for (int i = 0; i < 2; i++)
        lift_nat_each_var(comparison->args[i]->nat, look_at, &r);
    return r.inner || !r.depends;
}

/* The likely outcome of a comparison of indices; itself if it is none, or stays. */
static kx outcome(struct likely *l, kx e)
{
    lift_nat n = cg_nonneg(e);
    int64_t lo = n ? lift_nat_lo(n) : 0, hi = n ? lift_nat_hi(n) : 0;
    bool holds = n ? hi + 1 > -lo : kx_is_op(e, LIFT_NE);

    if ((!n && !kx_is_op(e, LIFT_EQ) && !kx_is_op(e, LIFT_NE)) || lo <= INT32_MIN ||
        hi >= INT32_MAX || stays(l, e))
        return e;
    l->tests = kx_all(l->ir, l->tests, holds ? e : kx_not(l->ir, e));
    return kx_bool(l->ir, holds);
}

static kx likely_arg(void *user, kx e)
{
    return kx_likely(user, e);
}

/* Operators of which one argument may say that another is not computed. */
static kx likely_lazy(struct likely *l, kx e)
{
    kx first = kx_likely(l, e->args[0]);
    kx args[3] = {first};

    if (first->kind == KX_BOOL && e->op.op == LIFT_SELECT)
        return kx_likely(l, e->args[first->truth ? 1 : 2]);
    if (first->kind == KX_BOOL && first->truth == (e->op.op == LIFT_OR))
        return first;
    for (int i = 1; i < e->arg_count; i++)
        args[i] = kx_likely(l, e->args[i]);
    return kx_op(l->ir, e->op.op, e->type, args, e->arg_count);
}

kx kx_likely(struct likely *l, kx e)
{
    kx of;

    if (e->kind != KX_OP || e->op.text)
        return kx_map_args(l->ir, e, likely_arg, l);
    if (kx_is_lazy(e))
        return likely_lazy(l, e);
    if (e->arg_count == 2 && e->args[0]->kind == KX_NAT && e->args[1]->kind == KX_NAT)
        return outcome(l, e);
    of = kx_map_args(l->ir, e, likely_arg, l);
    return of == e ? e : kx_op(l->ir, e->op.op, e->type, of->args, e->arg_count);
}
