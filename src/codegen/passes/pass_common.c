/* Common subexpressions: what a straight line of statements computes more than once, and
 * at least once whatever its conditions say, goes to a variable before its first use.
 * What the statements change is shared within one of them only. */
#include "codegen/nodes.h"

static void take_out(struct nodes *p, struct ks *s)
{
    if (s->kind == KS_DECL)
        s->value = cg_node_declare(p, cg_node(p, s->value), s->name);
    else if (s->value && !s->async)
        s->value = cg_node_extract(p, cg_node(p, s->value));
    if (s->cond)
        s->cond = cg_node_extract(p, cg_node(p, s->cond));
}

static void count(struct nodes *p, struct ks *s)
{
    if (s->value && !s->async)
        cg_node_use(p, cg_node(p, s->value), true);
    if (s->kind == KS_DECL)
        cg_node_name(p, cg_node(p, s->value), s->name);
    if (s->cond)
        cg_node_use(p, cg_node(p, s->cond), true);
}

static void note_change(struct nodes *p, const struct ks *s)
{
    if (s->kind == KS_ASSIGN)
        lift_ptrmap_put(&p->changing, s->name, p);
    if (s->kind == KS_STORE)
        lift_ptrmap_put(&p->changing, s->buffer, p);
}

/* The statements from 's' to before 'end', moved to the current block, each behind the
 * variables that it needs. */
static void share(struct gen *g, struct ks *s, const struct ks *end)
{
    struct nodes p = {.g = g};
    struct ks *next;

    for (struct ks *t = s; t != end && t->next != end; t = t->next)
        note_change(&p, t);
    for (struct ks *t = s; t != end; t = t->next)
        count(&p, t);
    for (; s != end; s = next) {
        next = s->next;
        take_out(&p, s);
        cg_emit(g, s);
    }
    cg_nodes_fini(&p);
}

/* Runs of simple statements together, or each statement by itself. */
static void visit_runs(struct gen *g, struct ks *block, bool together)
{
    struct ks fresh = {0};
    struct ks *s = block->first, *end;
    struct scope scope = cg_enter(g, &fresh);

    for (; s; s = end) {
        end = s->next;
        while (together && ks_is_simple(s) && end && ks_is_simple(end))
            end = end->next;
        share(g, s, end);
    }
    cg_leave(g, scope);
    block->first = fresh.first;
    block->last = fresh.last;
}

static void visit_block(struct gen *g, struct ks *block)
{
    visit_runs(g, block, true);
    visit_runs(g, block, false);
    for (struct ks *s = block->first; s; s = s->next) {
        visit_block(g, s);
        if (s->otherwise)
            visit_block(g, s->otherwise);
    }
}

void cg_pass_common(struct gen *g, struct kernel *kernel)
{
    visit_block(g, kernel->body);
}
