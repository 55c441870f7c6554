/* Quotients, minima and maxima in the indices of kernels that hoist predicates. A
 * variable holds each of these values. The variable is declared at the start of the
 * innermost loop on which the value depends, except in loops over lanes.
 *
 *     for (i ...) for (x ...) out[max(i - 1, 0) * 8 + x] = a;
 *   = for (i ...) { at = max(i - 1, 0); for (x ...) out[at * 8 + x] = a; }
 *
 * C compilers also hoist these values. But gcc turns minima and maxima into branches,
 * which stay inside the loop. Hoisted text also compiles faster. */
#include "base/number.h"
#include "base/table.h"
#include "codegen/passes/passes.h"

/* A loop around the current statement. */
struct open {
    struct ks *loop;
    struct open *around;
    int depth;
    bool closed;           /* the loop's body may not declare variables */
    struct ks *last;       /* the last declaration of its variables; NULL: none yet */
    struct lift_ptrmap at; /* from quotients, minima and maxima to their variables */
};

struct indices {
    struct gen *g;
    struct open *inner; /* the innermost loop; NULL: no loop */
};

/* ---- the loop of a variable */

struct search {
    struct open *inner, *found;
};

static void look_for(void *search, const struct lift_var *var)
{
    struct search *s = search;

    for (struct open *o = s->inner; o; o = o->around)
        if (o->loop->loop.index == var->nat && (!s->found || o->depth > s->found->depth))
            s->found = o;
}

/* The innermost loop on which 'n' depends; NULL: no variable is possible. */
static struct open *home_of(const struct indices *p, lift_nat n)
{
    struct search s = {p->inner, NULL};

    lift_nat_each_var(n, look_for, &s);
    return s.found && !s.found->closed ? s.found : NULL;
}

/* ---- indices */

static lift_nat new_var(const struct indices *p, lift_nat value)
{
    const char *name;

    do
        name = cg_name(p->g, "at");
    while (lift_nat_find_var(p->g->nats, name));
    return lift_nat_var(p->g->nats, name, LIFT_VAR_INDEX, lift_nat_lo(value),
                        lift_nat_hi(value));
}

/* Declares the variable at the start of the loop, after earlier variables of this pass.
 */
static void declare(const struct indices *p, struct open *home, lift_nat var,
                    lift_nat value)
{
    struct kblock *body = &home->loop->loop.body;
    struct ks *s =
        ks_decl(p->g->arena, lift_nat_is_var(var, NULL), kx_nat(p->g->ir, value));
    struct ks **at = home->last ? &home->last->next : &body->first;

    s->set.index = true;
    s->next = *at;
    *at = home->last = s;
}

static lift_nat index_of(struct indices *p, lift_nat n, const struct open *but);

static lift_nat pair_of(struct indices *p, const struct lift_atom *atom,
                        const struct open *but)
{
    lift_nat a = index_of(p, atom->a, but), b = index_of(p, atom->b, but);

    if (atom->kind == LIFT_ATOM_DIV)
        return lift_nat_div(a, b);
    return atom->kind == LIFT_ATOM_MIN ? lift_nat_min(a, b) : lift_nat_max(a, b);
}

static lift_nat factor_of(struct indices *p, const struct lift_atom *atom,
                          const struct open *but)
{
    lift_nat all, var;
    struct open *home;

    if (atom->kind == LIFT_ATOM_VAR)
        return lift_nat_find_var(p->g->nats, atom->name);
    all = pair_of(&(struct indices){p->g, NULL}, atom, NULL);
    home = home_of(p, all);
    if (!home || home == but)
        return pair_of(p, atom, but);
    var = lift_ptrmap_get(&home->at, all);
    if (!var) {
        lift_nat value = pair_of(p, atom, home);

        var = new_var(p, all);
        declare(p, home, var, value);
        lift_ptrmap_put(&home->at, all, (void *)var);
    }
    return var;
}

/* 'n' over variables, except variables that would belong to the loop 'but'. */
static lift_nat index_of(struct indices *p, lift_nat n, const struct open *but)
{
    lift_nat sum = lift_nat_const(p->g->nats, 0);

    for (int t = 0; t < lift_nat_term_count(n); t++) {
        int count;
        lift_nat product = lift_nat_const(p->g->nats, lift_nat_term(n, t, &count));

        for (int f = 0; f < count; f++) {
            struct lift_atom atom = lift_nat_factor(n, t, f);

            product = lift_nat_mul(product, factor_of(p, &atom, but));
        }
        sum = lift_nat_add(sum, product);
    }
    return sum;
}

/* ---- statements */

static kx value_of(void *user, kx e)
{
    struct indices *p = user;

    if (e->kind == KX_NAT)
        return kx_nat(p->g->ir, index_of(p, e->nat, NULL));
    if (e->kind == KX_LOAD)
        return kx_load(p->g->ir, e->load.buffer, index_of(p, e->load.at, NULL), e->type);
    return kx_map_args(p->g->ir, e, value_of, p);
}

static void visit(struct indices *p, struct kblock *block, int shared);

/* 'shared': number of loops, from this loop inward, whose iterations one pragma divides.
 */
static void visit_loop(struct indices *p, struct ks *loop, int shared)
{
    struct open o = {.loop = loop, .around = p->inner};

    o.depth = o.around ? o.around->depth + 1 : 0;
    o.closed = shared > 1 || loop->loop.lanes > 1 ||
               loop->loop.version == KVERSION_LOOP || loop->loop.level == KLOOP_SIMD;
    p->inner = &o;
    visit(p, &loop->loop.body, shared - 1);
    p->inner = o.around;
    lift_ptrmap_fini(&o.at);
}

static void visit(struct indices *p, struct kblock *block, int shared)
{
    for (struct ks *s = block->first; s; s = s->next) {
        if (ks_expr(s))
            ks_set_expr(s, value_of(p, ks_expr(s)));
        if (s->kind == KS_STORE)
            s->store.at = index_of(p, s->store.at, NULL);
        if (s->kind == KS_LOOP)
            visit_loop(p, s, lift_max(shared, s->loop.collapse));
        else
            for (int i = 0; ks_block(s, i); i++)
                visit(p, ks_block(s, i), 0);
    }
}

static bool hoists(const struct ks *s)
{
    return s->kind == KS_LOOP && s->loop.version == KVERSION_LOOP;
}

void cg_pass_indices(struct gen *g, struct kernel *kernel)
{
    bool any = false;

    for (struct ks *s = kernel->body.first; s && !any; s = s->next)
        any = ks_any(s, hoists);
    if (any)
        visit(&(struct indices){.g = g}, &kernel->body, 0);
}
