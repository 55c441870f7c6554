#include "codegen/kast_check.h"
#include "base/table.h"
#include <stdlib.h>

enum { DIMS = 3 };

/* A variable, an index or a buffer. */
struct entry {
    lift_type type;      /* NULL: an index */
    bool here;           /* true inside the scope of the declaration */
    bool differs;        /* may differ between work-items of a group */
    int64_t open;        /* number of open mbarriers in the buffer */
    struct entry *outer; /* the declaration before this one */
};

struct check {
    struct lift_arena *arena;
    const struct kernel *kernel;
    struct lift_ptrmap entries; /* keys: names and buffers */
    struct entry *last;         /* the latest declaration */
    const struct ks *at;        /* the current statement */
    const char *what;           /* NULL: no flaw so far */
    unsigned levels; /* parallel levels of enclosing loops, one bit per dimension */
    bool apart;      /* some work-items of the group may skip the current statement */
    bool differs;    /* the current expression differs between work-items */
    bool committed, pending; /* a batch is committed; stores await a commit */
};

static void want(struct check *c, bool holds, const char *what, const char *name)
{
    if (!holds && !c->what)
        c->what = lift_arena_printf(c->arena, what, name ? name : "");
}

/* ---- declarations */

static struct entry *find(const struct check *c, const void *key)
{
    struct entry *e = lift_ptrmap_get(&c->entries, key);

    return e && e->here ? e : NULL;
}

static struct entry *declare(struct check *c, const void *key, lift_type type,
                             const char *name)
{
    struct entry *e = lift_ptrmap_get(&c->entries, key);

    if (e && e->here) {
        want(c, false, "'%s' is declared twice", name);
        return e;
    }
    if (!e) {
        e = LIFT_NEW(c->arena, struct entry);
        lift_ptrmap_put(&c->entries, key, e);
    }
    *e = (struct entry){.type = type, .here = true, .outer = c->last};
    c->last = e;
    return e;
}

static void forget(struct check *c, struct entry *until)
{
    for (; c->last != until; c->last = c->last->outer)
        c->last->here = false;
}

static void check_buffer(struct check *c, const struct kbuffer *b)
{
    bool known = false;

    if (!b) {
        want(c, false, "there is no buffer", NULL);
        return;
    }
    for (int i = 0; i < c->kernel->buffer_count; i++)
        known |= c->kernel->buffers[i] == b;
    want(c, known, "'%s' is no buffer of the kernel", b->name);
    want(c, b->space == KSPACE_GLOBAL || find(c, b), "the array '%s' is not declared",
         b->name);
    c->differs |= b->space == KSPACE_PRIVATE;
}

/* ---- indices and expressions */

static void check_var(void *check, const struct lift_var *var)
{
    struct check *c = check;
    const struct entry *e = find(c, var->name);

    want(c, var->kind == LIFT_VAR_INDEX, "'%s' stands for an index that is not known",
         var->name);
    want(c, e != NULL, "the index '%s' is not declared", var->name);
    want(c, !e || !e->type || lift_type_is_scalar(e->type, LIFT_I32),
         "the index '%s' is no i32", var->name);
    c->differs |= e && e->differs;
}

static void check_nat(struct check *c, lift_nat n)
{
    want(c, n != NULL, "there is no index", NULL);
    if (n)
        lift_nat_each_var(n, check_var, c);
}

static void check_variable(struct check *c, kx e)
{
    const struct entry *v = find(c, e->name);

    want(c, v != NULL, "'%s' is not declared", e->name);
    want(c, !v || v->type == e->type, "'%s' is of another type", e->name);
    c->differs |= v && v->differs;
}

static void check_load(struct check *c, kx e)
{
    const struct kbuffer *b = e->load.buffer;

    check_buffer(c, b);
    check_nat(c, e->load.at);
    want(c, !b || e->type->scalar == b->scalar, "a load of another type than '%s'",
         b ? b->name : NULL);
}

/* True for operators whose operands have the type of the result, or are scalars for all
 * of its lanes. */
static bool keeps_type(enum lift_op op)
{
    return op == LIFT_ADD || op == LIFT_SUB || op == LIFT_MUL || op == LIFT_DIV ||
           op == LIFT_MIN || op == LIFT_MAX || op == LIFT_NEG || op == LIFT_MOD;
}

static void check_op(struct check *c, kx e)
{
    bool select = e->op.op == LIFT_SELECT;
    bool same = true;

    want(c, (e->op.op == LIFT_USER_FUN) == (e->op.text != NULL),
         "a text is what functions of the program have", NULL);
    want(c, !select || e->arg_count == 3, "a choice of three operands", NULL);
    for (int i = select; (select || keeps_type(e->op.op)) && i < e->arg_count; i++)
        same &= e->args[i]->type == e->type ||
                lift_type_is_scalar(e->args[i]->type, e->type->scalar);
    want(c, same, "operands of another type than the result", NULL);
}

static void check_lanes(struct check *c, kx e)
{
    want(c, kx_is_vector(e) && (e->arg_count == 1 || e->arg_count == e->type->count),
         "a vector of other lanes than it has", NULL);
    for (int i = 0; i < e->arg_count; i++)
        want(c, lift_type_is_scalar(e->args[i]->type, e->type->scalar),
             "lanes of another type than their vector", NULL);
}

static void check_kx(void *check, kx e)
{
    struct check *c = check;

    want(c, e->type != NULL && lift_type_is_value(e->type), "an expression is no value",
         NULL);
    if (c->what || !e->type)
        return;
    switch (e->kind) {
    case KX_NAT:
        check_nat(c, e->nat);
        break;
    case KX_VAR:
        check_variable(c, e);
        break;
    case KX_LOAD:
        check_load(c, e);
        break;
    case KX_OP:
        check_op(c, e);
        break;
    case KX_LANES:
        check_lanes(c, e);
        break;
    case KX_LANE:
        want(c,
             e->arg_count == 1 && kx_is_vector(e->args[0]) && e->lane >= 0 &&
                 e->lane < e->args[0]->type->count,
             "a lane that the vector has not", NULL);
        break;
    case KX_ROW:
        want(c,
             e->arg_count == 2 && e->args[0]->type == e->type &&
                 e->args[1]->type == e->type && kx_is_vector(e) && e->lane > 0 &&
                 e->lane < e->type->count,
             "a row that is not of two vectors", NULL);
        break;
    case KX_SHUFFLE:
        want(c,
             e->arg_count == 1 && e->args[0]->type == e->type && e->lane != 0 &&
                 abs(e->lane) < LIFT_ROW_ITEMS,
             "a value of no work-item of the row", NULL);
        break;
    case KX_FLOAT:
    case KX_BOOL:
        break;
    }
}

/* ---- statements */

static void check_batch(struct check *c, const struct kbatch *b)
{
    const struct entry *e = b->bars ? find(c, b->bars) : NULL;

    if (!b->bars)
        return;
    want(c, b->number != NULL, "a batch without its number", NULL);
    want(c, e && e->open > 0, "the memory barriers '%s' were not made", b->bars->name);
    want(c, !e || e->open == b->count, "a batch of other memory barriers than '%s' has",
         b->bars->name);
}

static void check_loop(struct check *c, const struct ks *s)
{
    bool own = s->loop.level == KLOOP_SEQ;
    unsigned bit = 1u << ((int)s->loop.level * DIMS + s->loop.dim);
    const char *name = s->loop.index ? lift_nat_is_var(s->loop.index, NULL) : NULL;

    want(c, name != NULL, "a loop without an index", NULL);
    want(c, s->loop.extent > 0, "a loop of no iterations", NULL);
    want(c, s->loop.dim >= 0 && s->loop.dim < DIMS, "a dimension that there is not",
         NULL);
    if (c->what)
        return;
    want(c, own || !(c->levels & bit), "loops of one level and dimension in each other",
         NULL);
    c->levels |= own ? 0 : bit;
    c->apart |= s->loop.level == KLOOP_GLB || c->differs || s->loop.level == KLOOP_LCL;
    declare(c, name, NULL, name)->differs =
        s->loop.level == KLOOP_GLB || s->loop.level == KLOOP_LCL;
}

static void check_set(struct check *c, const struct ks *s)
{
    const char *name = ks_name(s);
    struct entry *e = find(c, name);

    if (s->kind == KS_DECL)
        e = declare(c, name, s->set.value->type, name);
    want(c, e != NULL, "'%s' is assigned before it is declared", name);
    want(c, !e || e->type == s->set.value->type,
         "'%s' is assigned a value of another type", name);
    if (e)
        e->differs = c->differs || c->apart;
}

static void check_array(struct check *c, const struct kbuffer *b)
{
    want(c, b && b->space != KSPACE_GLOBAL, "an array that is in global memory", NULL);
    if (c->what || !b)
        return;
    declare(c, b, NULL, b->name);
    check_buffer(c, b);
}

static void check_store(struct check *c, const struct ks *s)
{
    const struct kbuffer *b = s->store.buffer;

    check_buffer(c, b);
    if (c->what)
        return;
    want(c, s->store.at != NULL, "a store without an index", NULL);
    want(c, b->written, "a store to '%s', which is not written", b->name);
    want(c, s->store.value->type->scalar == b->scalar,
         "a store of another type than '%s'", b->name);
    want(c, !s->store.async || b->space == KSPACE_LOCAL,
         "an asynchronous store to '%s', which is not local", b->name);
    c->pending |= s->store.async;
}

static void check_bars(struct check *c, const struct ks *s)
{
    struct entry *e = s->bars.bars ? find(c, s->bars.bars) : NULL;
    bool open = s->kind == KS_OPEN;

    want(c, e != NULL && s->bars.count > 0, "memory barriers that are not declared",
         NULL);
    if (!e)
        return;
    want(c, (e->open == 0) == open,
         open ? "the memory barriers '%s' are made twice"
              : "the memory barriers '%s' were not made",
         s->bars.bars->name);
    e->open = open ? s->bars.count : 0;
}

static void check_commit(struct check *c, const struct ks *s)
{
    check_batch(c, &s->batch.of);
    want(c, !s->batch.boxes || s->batch.of.bars, "boxes without memory barriers", NULL);
    if (s->kind == KS_WAIT)
        want(c, s->batch.of.bars || c->committed,
             "a wait for batches of which none was committed", NULL);
    else if (!s->batch.of.bars) {
        c->committed = true;
        c->pending = false;
    }
}

static void check_box(struct check *c, const struct ks *s)
{
    bool known = s->box.of.tensor >= 0 && s->box.of.tensor < c->kernel->tensor_count;

    check_buffer(c, s->box.buffer);
    check_batch(c, &s->box.batch);
    want(c, known, "a box of a tensor that the kernel has not", NULL);
    want(c, s->box.batch.bars && s->box.at, "a box without a batch", NULL);
    for (int d = 0; known && d < c->kernel->tensors[s->box.of.tensor].shape.dims; d++)
        want(c, s->box.of.from[d] != NULL, "a box of too few dimensions", NULL);
}

static void check_kind(struct check *c, const struct ks *s)
{
    switch (s->kind) {
    case KS_LOOP:
        check_loop(c, s);
        break;
    case KS_IF:
        want(c, lift_type_is_scalar(s->test.cond->type, LIFT_BOOL),
             "a test that is no bool", NULL);
        c->apart |= c->differs;
        break;
    case KS_ELECT:
        c->apart = true;
        break;
    case KS_DECL:
    case KS_ASSIGN:
        check_set(c, s);
        break;
    case KS_ARRAY:
        check_array(c, s->array.buffer);
        break;
    case KS_STORE:
        check_store(c, s);
        break;
    case KS_BARRIER:
        want(c, !c->apart, "a barrier that work-items of a group may not all meet", NULL);
        break;
    case KS_ARRIVE:
    case KS_AWAIT:
        want(c, !c->apart || (s->batch.boxes && s->kind == KS_AWAIT),
             "a barrier that work-items of a group may not all meet", NULL);
        want(c, s->batch.of.bars != NULL, "a part of a barrier without memory", NULL);
        check_batch(c, &s->batch.of);
        break;
    case KS_OPEN:
    case KS_CLOSE:
        check_bars(c, s);
        break;
    case KS_COMMIT:
    case KS_WAIT:
    case KS_EXPECT:
        check_commit(c, s);
        break;
    case KS_BOX:
        check_box(c, s);
        break;
    case KS_PREFETCH:
        check_buffer(c, s->prefetch.buffer);
        break;
    case KS_FENCE:
        break;
    }
}

static bool wants_expr(const struct ks *s)
{
    return s->kind == KS_IF || s->kind == KS_DECL || s->kind == KS_ASSIGN ||
           s->kind == KS_STORE;
}

static void check_block(struct check *c, const struct kblock *block,
                        const struct ks *owner);

static void check_statement(struct check *c, const struct ks *s)
{
    unsigned levels = c->levels;
    bool apart = c->apart;
    struct entry *outer = c->last;
    lift_nat nats[KS_NATS];
    int count = ks_nats(s, nats);

    c->at = s;
    c->differs = false;
    want(c, !wants_expr(s) || ks_expr(s), "a statement without its value", NULL);
    for (int i = 0; i < count; i++)
        check_nat(c, nats[i]);
    if (ks_expr(s))
        kx_each(ks_expr(s), check_kx, c);
    if (!c->what)
        check_kind(c, s);
    for (int i = 0; ks_block(s, i) && !c->what; i++)
        check_block(c, ks_block(s, i), s);
    if (ks_block(s, 0))
        forget(c, outer);
    c->levels = levels;
    c->apart = apart;
}

static void check_block(struct check *c, const struct kblock *block,
                        const struct ks *owner)
{
    struct entry *outer = c->last;
    const struct ks *last = NULL;

    want(c, block->of == owner, "a block of another statement", NULL);
    for (const struct ks *s = block->first; s && !c->what; last = s, s = s->next)
        check_statement(c, s);
    if (!c->what)
        c->at = owner;
    want(c, last == block->last, "a block that does not know its last statement", NULL);
    forget(c, outer);
}

bool ks_check(struct lift_ir *ir, const struct kernel *kernel,
              const struct lift_bind *params, int param_count, struct ks_flaw *flaw)
{
    struct check c = {.arena = lift_ir_arena(ir), .kernel = kernel};

    for (int i = 0; i < param_count; i++)
        declare(&c, params[i].name, lift_type_scalar(ir, params[i].scalar),
                params[i].name);
    check_block(&c, &kernel->body, NULL);
    if (!c.what) {
        c.at = NULL;
        want(&c, !c.pending, "asynchronous stores that no batch has", NULL);
    }
    *flaw = (struct ks_flaw){c.at, c.what};
    lift_ptrmap_fini(&c.entries);
    return !c.what;
}
