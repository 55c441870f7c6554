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

/* True if a comparison of 'a' and 'b' keeps its condition (struct likely). */
static bool stays(const struct likely *l, lift_nat a, lift_nat b)
{
    struct reads r = {l, false, !l->depends};

    lift_nat_each_var(a, look_at, &r);
    lift_nat_each_var(b, look_at, &r);
    return r.inner || !r.depends;
}

/* True if the range is known. */
static bool is_range(int64_t lo, int64_t hi)
{
    return lo > INT32_MIN && hi < INT32_MAX;
}

/* The likely outcome of a comparison of indices; 'e' for other expressions and for
 * comparisons that stay. */
static kx outcome(struct likely *l, kx e)
{
    lift_nat n = cg_nonneg(e);
    int64_t lo = n ? lift_nat_lo(n) : 0, hi = n ? lift_nat_hi(n) : 0;
    bool holds = n ? hi + 1 > -lo : kx_is_op(e, LIFT_NE);

    if ((!n && !kx_is_op(e, LIFT_EQ) && !kx_is_op(e, LIFT_NE)) || !is_range(lo, hi) ||
        stays(l, e->args[0]->nat, e->args[1]->nat))
        return e;
    l->tests = kx_all(l->ir, l->tests, holds ? e : kx_not(l->ir, e));
    return kx_bool(l->ir, holds);
}

static void take(struct likely *l, lift_nat nonneg)
{
    kx test = kx_ge0(l->ir, nonneg, NULL, 0);

    if (test->kind != KX_BOOL)
        l->tests = kx_all(l->ir, l->tests, test);
}

static lift_nat likely_nat(struct likely *l, lift_nat n);

/* a / b, or the value that the quotient has for more than half of the range of 'a'. */
static lift_nat likely_quotient(struct likely *l, lift_nat a, lift_nat b)
{
    int64_t lo = lift_nat_lo(a), hi = lift_nat_hi(a), n;
    lift_nat first, q;

    if (!lift_nat_is_const(b, &n) || !is_range(lo, hi) || 2 * n <= hi - lo + 1 ||
        stays(l, a, b))
        return lift_nat_div(a, b);
    q = lift_nat_div(lift_nat_const(lift_nat_pool(a), (lo + hi) / 2), b);
    first = lift_nat_sub(a, lift_nat_mul(q, b));
    take(l, first);
    take(l, lift_nat_add_const(lift_nat_sub(b, first), -1));
    return q;
}

/* The operand that a minimum or maximum equals for most values. */
static lift_nat likely_atom(struct likely *l, const struct lift_atom *atom)
{
    lift_nat a = likely_nat(l, atom->a), b = likely_nat(l, atom->b);
    lift_nat more = lift_nat_sub(b, a);
    int64_t lo = lift_nat_lo(more), hi = lift_nat_hi(more);
    bool minimum = atom->kind == LIFT_ATOM_MIN, less = lo + hi >= 0;

    if (atom->kind == LIFT_ATOM_DIV)
        return likely_quotient(l, a, b);
    if (!is_range(lo, hi) || stays(l, a, b))
        return minimum ? lift_nat_min(a, b) : lift_nat_max(a, b);
    take(l, less ? more : lift_nat_mul_const(more, -1));
    return less == minimum ? a : b;
}

static lift_nat likely_nat(struct likely *l, lift_nat n)
{
    lift_nat sum = lift_nat_const(lift_nat_pool(n), 0);

    for (int t = 0; t < lift_nat_term_count(n); t++) {
        int count;
        lift_nat product = lift_nat_const(lift_nat_pool(n), lift_nat_term(n, t, &count));

        for (int f = 0; f < count; f++) {
            struct lift_atom atom = lift_nat_factor(n, t, f);

            product =
                lift_nat_mul(product, atom.kind == LIFT_ATOM_VAR
                                          ? lift_nat_find_var(lift_nat_pool(n), atom.name)
                                          : likely_atom(l, &atom));
        }
        sum = lift_nat_add(sum, product);
    }
    return sum;
}

static kx likely_arg(void *user, kx e)
{
    return kx_likely(user, e);
}

/* Operators whose first argument may decide that another argument is not evaluated. */
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

    if (l->clamps && e->kind == KX_NAT)
        return kx_nat(l->ir, likely_nat(l, e->nat));
    if (l->clamps && e->kind == KX_LOAD)
        return kx_load(l->ir, e->load.buffer, likely_nat(l, e->load.at), e->type);
    if (e->kind != KX_OP || e->op.text)
        return kx_map_args(l->ir, e, likely_arg, l);
    if (kx_is_lazy(e))
        return likely_lazy(l, e);
    if (e->arg_count == 2 && e->args[0]->kind == KX_NAT && e->args[1]->kind == KX_NAT)
        return outcome(l, e);
    of = kx_map_args(l->ir, e, likely_arg, l);
    return of == e ? e : kx_op(l->ir, e->op.op, e->type, of->args, e->arg_count);
}
