/* Common subexpression elimination. An expression that a run of simple statements
 * computes more than once, and at least once unconditionally, gets a variable before its
 * first use. If the statements change operands of an expression, only uses in one
 * statement share its value. */
#include "codegen/nodes.h"
#include "codegen/passes/passes.h"

struct runs {
    struct gen *g;
    bool together; /* runs of simple statements; false: each statement separately */
};

static bool is_shared(const struct ks *s)
{
    return ks_expr(s) && !ks_is_async(s);
}

static void count(struct nodes *p, struct ks *s)
{
    struct node *n = cg_node(p, ks_expr(s));

    cg_node_use(p, n, true);
    if (s->kind == KS_DECL)
        cg_node_name(p, n, ks_name(s));
}

static void note_change(struct nodes *p, const struct ks *s)
{
    if (s->kind == KS_ASSIGN)
        lift_ptrmap_put(&p->changing, ks_name(s), p);
    if (s->kind == KS_STORE)
        lift_ptrmap_put(&p->changing, s->store.buffer, p);
}

/* Emits a run, each statement after the variables that it uses. */
static struct ks *share(void *user, struct ks *s)
{
    const struct runs *runs = user;
    struct nodes p = {.g = runs->g, .both = runs->g->block->style.tests_once};
    struct ks *end = runs->together ? ks_run_end(s) : s->next, *next;

    for (struct ks *t = s; t != end && t->next != end; t = t->next)
        note_change(&p, t);
    for (struct ks *t = s; t != end; t = t->next)
        if (is_shared(t))
            count(&p, t);
    for (; s != end; s = next) {
        next = s->next;
        if (is_shared(s)) {
            struct node *n = cg_node(&p, ks_expr(s));

            ks_set_expr(s, s->kind == KS_DECL ? cg_node_declare(&p, n, ks_name(s))
                                              : cg_node_extract(&p, n));
        }
        cg_emit(runs->g, s);
    }
    cg_nodes_fini(&p);
    return end;
}

static void visit_block(struct gen *g, struct kblock *block)
{
    cg_refill(g, block, share, &(struct runs){g, true});
    cg_refill(g, block, share, &(struct runs){g, false});
    for (struct ks *s = block->first; s; s = s->next)
        for (int i = 0; ks_block(s, i); i++)
            visit_block(g, ks_block(s, i));
}

void cg_pass_common(struct gen *g, struct kernel *kernel)
{
    visit_block(g, &kernel->body);
}
