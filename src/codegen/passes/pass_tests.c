/* Tests on indices, in straight-line code that asks for it (mapUnroll, tests=last), come
 * after the values that they select. Each value is first computed with the likely outcome
 * of every test. Then one test for all values finds out whether a test has another
 * outcome; if so, the values are computed again as written:
 *
 *     w = c ? a : b; v = d ? e : f;
 *   = w = a; v = e; if (!(c && d)) { w = c ? w : b; v = d ? v : f; }
 *
 * So values far from all boundaries need no selects, nor registers for tests and both
 * alternatives. The other values cost more, so there must be few. A sum that accumulates
 * into a variable keeps its tests.
 *
 * A value computed from such a value shares its test if both have the same tests: the
 * likely outcome holds for both. */
#include "codegen/passes/likely.h"
#include "codegen/passes/passes.h"

struct late {
    struct gen *g;
    bool in_row;           /* all work-items of a row come here */
    kx likely;             /* all tests have their likely outcome; NULL: there are none */
    struct kblock again;   /* the statements that compute values again */
    struct lift_ptrmap in; /* from names that it sets to a kind of variable, below */
    struct lift_ptrmap
        by; /* from these names to all tests that what they are depends on */
    struct lift_ptrmap of; /* names and buffers that it reads */
    struct {               /* about the current expression */
        kx tests;          /* as 'likely' */
        bool unsafe;       /* where tests fail, to compute it may do harm */
        bool in, chained;  /* it reads a value that is computed again */
        bool changes;      /* it reads such a value of another work-item */
        kx needs;          /* all tests that what it reads of these depends on */
        const char *sets;  /* the variable that its statement sets; NULL: none */
        bool own;          /* it reads that, which is gone when it would be set again */
    } e;
};

/* Variables that their statement declares; those that live on. */
static char temporary, lasting;

/* ---- what tests likely say */

/* Loads may miss the buffer, integers be divided by zero, and functions of the program
 * not end. */
static void note_harm(void *user, kx e)
{
    struct late *p = user;

    if (e->kind == KX_LOAD)
        p->e.unsafe |= !kx_is_there(e);
    if (e->kind == KX_OP)
        p->e.unsafe |= e->op.text || ((e->op.op == LIFT_DIV || e->op.op == LIFT_MOD) &&
                                      lift_type_is_scalar(e->type, LIFT_I32));
}

/* ---- reads */

static void look_at_name(struct late *p, const void *name)
{
    const char *in = lift_ptrmap_get(&p->in, name);

    p->e.own |= name == p->e.sets;
    p->e.in |= in == &temporary;
    p->e.chained |= in == &lasting;
    if (in)
        p->e.needs = kx_all(p->g->ir, p->e.needs, lift_ptrmap_get(&p->by, name));
}

static void look_at_var(void *user, const struct lift_var *var)
{
    look_at_name(user, var->name);
}

/* Other work-items are shown values that are final. */
static void look_at(void *user, kx e)
{
    struct late *p = user;

    if (e->kind == KX_VAR)
        look_at_name(p, e->name);
    if (e->kind == KX_SHUFFLE)
        p->e.changes |= lift_ptrmap_get(&p->in, e->args[0]->name) != NULL;
    if (kx_index(e))
        lift_nat_each_var(kx_index(e), look_at_var, p);
}

static void keep_var(void *user, const struct lift_var *var)
{
    struct late *p = user;

    lift_ptrmap_put(&p->of, var->name, p);
}

static void keep(void *user, kx e)
{
    struct late *p = user;

    if (e->kind == KX_VAR)
        lift_ptrmap_put(&p->of, e->name, p);
    if (e->kind == KX_LOAD)
        lift_ptrmap_put(&p->of, e->load.buffer, p);
    if (kx_index(e))
        lift_nat_each_var(kx_index(e), keep_var, p);
}

/* ---- groups of values with one test behind them */

/* Emits the test with the statements that compute values again. */
static void finish(struct late *p)
{
    struct ks *test;

    if (!p->likely)
        return;
    test = ks_if(p->g->arena, kx_not(p->g->ir, p->likely));
    test->test.row = p->in_row;
    for (struct ks *s = p->again.first, *next; s; s = next) {
        next = s->next;
        ks_append(&test->test.body, s);
    }
    cg_emit(p->g, test);
    p->likely = NULL;
    p->again = (struct kblock){0};
    lift_ptrmap_fini(&p->in);
    lift_ptrmap_fini(&p->by);
    lift_ptrmap_fini(&p->of);
}

/* Values of other work-items are asked for where all are: before the test. */
static kx asked(void *user, kx e)
{
    struct late *p = user;
    const char *name;

    e = kx_map_args(p->g->ir, e, asked, p);
    if (e->kind != KX_SHUFFLE)
        return e;
    name = cg_name(p->g, "beside");
    cg_emit(p->g, ks_decl(p->g->arena, name, e));
    return kx_var(p->g->ir, name, e->type);
}

/* True if 'e' is 'of', which was computed, wherever its test says so: what that reads is
 * what it was then. */
static bool keeps(const struct late *p, kx e, kx of)
{
    return kx_is_op(e, LIFT_SELECT) && e->args[1] == of &&
           kx_implies(e->args[0], p->e.needs);
}

/* Computes the value of 's' again, as written; 'of' is the likely value. */
static void compute_again(struct late *p, const struct ks *s, kx e, kx of)
{
    kx var = kx_var(p->g->ir, ks_name(s), e->type);

    if (keeps(p, e, of))
        e = kx_select(p->g->ir, e->args[0], var, e->args[2]);
    kx_each(e, keep, p);
    ks_append(&p->again, ks_assign(p->g->arena, var->name, e));
    lift_ptrmap_put(&p->in, var->name, s->kind == KS_DECL ? &temporary : &lasting);
    lift_ptrmap_put(&p->by, var->name, (void *)kx_all(p->g->ir, p->e.needs, p->e.tests));
}

static void look(struct late *p, kx e, const char *sets)
{
    p->e.sets = sets;
    p->e.in = p->e.chained = p->e.changes = p->e.own = false;
    p->e.needs = NULL;
    kx_each(e, look_at, p);
}

/* The likely value of 'e' if it may be computed unconditionally; otherwise 'e'. */
static kx without_tests(struct late *p, kx e)
{
    struct likely l = {.ir = p->g->ir};
    kx of = kx_likely(&l, e);

    p->e.tests = l.tests;
    p->e.unsafe = false;
    kx_each(of, note_harm, p);
    if (p->e.unsafe)
        p->e.tests = NULL;
    return p->e.tests ? of : e;
}

/* Sets a variable, with its tests behind if that can be. */
static void set(struct late *p, struct ks *s)
{
    const char *name = ks_name(s);
    kx of;

    look(p, ks_expr(s), name);
    of = without_tests(p, ks_expr(s));
    if (p->e.changes || p->e.own || lift_ptrmap_get(&p->of, name) ||
        lift_ptrmap_get(&p->in, name) || (p->e.chained && !keeps(p, ks_expr(s), of))) {
        finish(p);
        p->e.in = false;
        p->e.needs = NULL;
    }
    if (p->e.own) {
        cg_emit(p->g, s);
        return;
    }
    if (p->e.tests || p->e.in) {
        kx e = asked(p, ks_expr(s));

        of = without_tests(p, e);
        p->likely = kx_all(p->g->ir, p->likely, p->e.tests);
        compute_again(p, s, e, of);
    }
    ks_set_expr(s, of);
    cg_emit(p->g, s);
}

/* A store, before which its group ends if it reads or overwrites what that has. */
static void store(struct late *p, struct ks *s)
{
    look(p, s->store.value, NULL);
    lift_nat_each_var(s->store.at, look_at_var, p);
    if (p->e.in || p->e.chained || p->e.changes ||
        lift_ptrmap_get(&p->of, s->store.buffer))
        finish(p);
    cg_emit(p->g, s);
}

static void visit(struct late *p, struct kblock *block);

static struct ks *each(void *user, struct ks *s)
{
    struct late *p = user;
    struct ks *next = s->next;

    if (p->g->block->style.tests_last && s->kind == KS_STORE)
        store(p, s);
    else if (p->g->block->style.tests_last &&
             (s->kind == KS_DECL || s->kind == KS_ASSIGN))
        set(p, s);
    else {
        if (!ks_is_simple(s))
            finish(p);
        for (int i = 0; ks_block(s, i); i++)
            visit(p, ks_block(s, i));
        cg_emit(p->g, s);
    }
    if (!next || !ks_is_simple(next))
        finish(p);
    return next;
}

static void visit(struct late *p, struct kblock *block)
{
    bool in_row = p->in_row;

    p->in_row = cg_keeps_row(block->of, in_row);
    cg_refill(p->g, block, each, p);
    p->in_row = in_row;
}

void cg_pass_tests(struct gen *g, struct kernel *kernel)
{
    visit(&(struct late){.g = g}, &kernel->body);
}
