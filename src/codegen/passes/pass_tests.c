/* Tests on indices, in straight-line code with mapUnroll, tests=last, come after the
 * values that they select. The code first computes each value with the likely outcome of
 * every test. Then one test for all values finds out whether a test has another outcome.
 * If so, the code computes the values again as written:
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
    bool in_row;           /* all work-items of a row execute this code */
    kx likely;             /* all tests have their likely outcome; NULL: no tests */
    struct kblock again;   /* the statements that compute values again */
    struct lift_ptrmap in; /* from variables that 'again' sets to their kind, below */
    struct lift_ptrmap
        by; /* from these variables to all tests on which their values depend */
    struct lift_ptrmap of; /* names and buffers that 'again' reads */
    struct {               /* about the current expression */
        kx tests;          /* likely outcomes that the value assumes */
        bool unsafe;       /* the value may do harm where its tests fail */
        /* Reads a temporary, or a lasting variable, that is computed again. */
        bool in, chained;
        bool changes;     /* reads such a value of another work-item */
        kx needs;         /* all tests on which these values depend */
        const char *sets; /* the variable that the statement sets; NULL: none */
        bool own;         /* reads 'sets', whose old value is lost later */
    } e;
};

/* Kinds of variables: declared by their statement; assigned. */
static char temporary, lasting;

/* ---- likely outcomes */

/* Notes operations that may do harm: loads outside the buffer, integer division by zero,
 * functions of the program that may not terminate. */
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

/* Notes the reads of an expression. Shuffles of values that may be computed again need
 * the final values. */
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

/* Moves shuffles before the test, since all work-items of the row must execute them. */
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

/* True if 'e' selects the likely value 'of' only where the tests of its operands hold, so
 * that these operands still have their likely values. */
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

/* Sets a variable, and moves its tests after the value if possible. */
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

/* Emits a store. The group of values ends before the store if the store reads its values
 * or overwrites its operands. */
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
