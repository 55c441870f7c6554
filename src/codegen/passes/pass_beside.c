/* Values of other work-items of a row: each is asked for by a statement of its own before
 * the one that uses it, whatever that one tests, since all work-items of the row must be
 * there. Dialects that have no such exchange make it through local memory, for groups of
 * one row. */
#include "codegen/passes/passes.h"
#include "codegen/text/dialect.h"

enum { ASKED = 64, TYPES = 8 };

struct beside {
    struct gen *g;
    /* Around the statement in hand: a loop over items, what may part them, a test. */
    bool in_loop, parted, tested;
    const struct mem *lines[TYPES];
    int line_count;
    kx asked[ASKED], known[ASKED]; /* by the statement in hand */
    int count;
};

static bool in_registers(const struct beside *p)
{
    return cg_dialects[p->g->options->dialect].beside[0] != NULL;
}

/* ---- exchange through local memory */

static const struct mem *line_of(struct beside *p, lift_type type)
{
    struct gen *g = p->g;
    const struct mem *line;

    for (int i = 0; i < p->line_count; i++)
        if (p->lines[i]->type->elem == type)
            return p->lines[i];
    line =
        cg_mem(g, lift_type_array(g->ir, type, lift_nat_const(g->nats, LIFT_ROW_ITEMS)),
               KSPACE_LOCAL, cg_name(g, "line"));
    line->leaves[0]->fenced = true;
    if (p->line_count < TYPES)
        p->lines[p->line_count++] = line;
    return line;
}

static kx through_line(struct beside *p, kx e)
{
    struct gen *g = p->g;
    struct kbuffer *line = line_of(p, e->type)->leaves[0];
    lift_nat item = cg_item_var(g, 0, LIFT_ROW_ITEMS);
    lift_nat from = lift_nat_mod(lift_nat_add_const(item, LIFT_ROW_ITEMS + e->lane),
                                 lift_nat_const(g->nats, LIFT_ROW_ITEMS));

    if (g->options->local[0] != LIFT_ROW_ITEMS || g->options->local[1] > 1 ||
        g->options->local[2] > 1)
        return cg_fail(g, e->type,
                       "values of other work-items in a group that is no row of %d",
                       LIFT_ROW_ITEMS);
    g->kernel->one_row = true;
    cg_use_buffer(g, line, true);
    cg_emit(g, ks_store(g->arena, line, item, e->args[0]));
    cg_emit(g, ks_barrier(g->arena));
    return kx_load(g->ir, line, from, e->type);
}

/* ---- statements */

static kx ask(struct beside *p, kx e)
{
    const char *name;

    for (int i = 0; i < p->count; i++)
        if (kx_equal(p->asked[i], e))
            return p->known[i];
    if (p->parted || (p->tested && !in_registers(p)))
        return cg_fail(p->g, e->type, "a value of another work-item under a test");
    if (p->count == ASKED)
        return cg_fail(p->g, e->type, "more than %d values of other work-items", ASKED);
    name = cg_name(p->g, "beside");
    p->asked[p->count] = e;
    p->known[p->count] = kx_var(p->g->ir, name, e->type);
    cg_emit(p->g, ks_decl(p->g->arena, name, in_registers(p) ? e : through_line(p, e)));
    if (!in_registers(p))
        cg_emit(p->g, ks_barrier(p->g->arena));
    return p->known[p->count++];
}

static kx with_known(void *user, kx e)
{
    struct beside *p = user;

    e = kx_map_args(p->g->ir, e, with_known, p);
    return e->kind == KX_BESIDE ? ask(p, e) : e;
}

static struct ks *each(void *user, struct ks *s);

/* Some work-items of a row may pass by: a loop that has no turn for each, or a test that
 * stands in one. */
static bool parts_row(const struct beside *p, const struct ks *s)
{
    if (ks_is_loop(s, KLOOP_LCL))
        return s->loop.dim == 0 && s->loop.extent != LIFT_ROW_ITEMS;
    return s->kind == KS_IF && p->in_loop;
}

static void look_at(struct beside *p, struct kblock *block)
{
    const struct ks *of = block->of;
    struct beside outer = *p;

    p->tested |= of && of->kind == KS_IF;
    p->parted |= of && parts_row(p, of);
    p->in_loop |= of && ks_is_loop(of, KLOOP_LCL);
    cg_refill(p->g, block, each, p);
    p->tested = outer.tested;
    p->parted = outer.parted;
    p->in_loop = outer.in_loop;
}

static struct ks *each(void *user, struct ks *s)
{
    struct beside *p = user;
    struct ks *next = s->next;

    p->count = 0;
    if (ks_expr(s))
        ks_set_expr(s, with_known(p, ks_expr(s)));
    cg_emit(p->g, s);
    for (int i = 0; ks_block(s, i); i++)
        look_at(p, ks_block(s, i));
    return next;
}

void cg_pass_beside(struct gen *g, struct kernel *kernel)
{
    struct beside p = {.g = g};
    struct kblock lines = {0};
    struct scope scope;

    look_at(&p, &kernel->body);
    scope = cg_enter(g, &lines);
    for (int i = 0; i < p.line_count; i++)
        cg_declare(g, p.lines[i]);
    cg_leave(g, scope);
    if (!lines.first)
        return;
    lines.last->next = kernel->body.first;
    kernel->body.first = lines.first;
}
