/* Barriers between the work-items of a group, from the pending reads and writes of each
 * local buffer: before a statement that reads what may have been written, or writes what
 * may have been read or written, since the last barrier. Statements are looked at where
 * the whole group is together, that is outside the mapLcl loops; a sequential loop is
 * looked at twice, for what one iteration leaves to the next. */
#include "codegen/gen.h"

enum { BUFFERS = 32 };

struct pending {
    unsigned reads, writes; /* a bit each local buffer */
};

struct pass {
    struct lift_ir *ir;
    const struct kbuffer *buffers[BUFFERS];
    int count;
    struct pending now;
    bool race;
};

static unsigned bit_of(struct pass *p, const struct kbuffer *buffer)
{
    if (buffer->space != KSPACE_LOCAL || buffer->fenced)
        return 0;
    for (int i = 0; i < p->count; i++)
        if (p->buffers[i] == buffer)
            return 1u << i;
    if (p->count == BUFFERS) {
        p->race = true;
        return 0;
    }
    p->buffers[p->count] = buffer;
    return 1u << p->count++;
}

static unsigned reads_of(struct pass *p, kx e)
{
    unsigned bits = e->kind == KX_LOAD ? bit_of(p, e->buffer) : 0;

    for (int i = 0; i < e->arg_count; i++)
        bits |= reads_of(p, e->args[i]);
    return bits;
}

/* All that a statement does, with its body. */
static struct pending effects(struct pass *p, const struct ks *s)
{
    struct pending e = {0, 0};

    if (s->value)
        e.reads |= reads_of(p, s->value);
    if (s->cond)
        e.reads |= reads_of(p, s->cond);
    if (s->kind == KS_STORE)
        e.writes |= bit_of(p, s->buffer);
    for (int side = 0; side < 2; side++) {
        const struct ks *body = side ? s->otherwise : s;

        for (const struct ks *c = body ? body->first : NULL; c; c = c->next) {
            struct pending inner = effects(p, c);

            e.reads |= inner.reads;
            e.writes |= inner.writes;
        }
    }
    return e;
}

static bool has_lcl(const struct ks *s)
{
    if (s->kind == KS_LOOP && s->loop == KLOOP_LCL)
        return true;
    for (const struct ks *c = s->first; c; c = c->next)
        if (has_lcl(c))
            return true;
    for (const struct ks *c = s->otherwise ? s->otherwise->first : NULL; c; c = c->next)
        if (has_lcl(c))
            return true;
    return false;
}

static void note(struct pass *p, struct pending e)
{
    p->now.reads |= e.reads;
    p->now.writes |= e.writes;
}

static struct ks *insert_before(struct pass *p, struct ks *block, struct ks *prev,
                                struct ks *s)
{
    struct ks *barrier = ks_new(lift_ir_arena(p->ir), KS_BARRIER);

    barrier->next = s;
    if (prev)
        prev->next = barrier;
    else
        block->first = barrier;
    p->now = (struct pending){0, 0};
    return barrier;
}

static void visit_block(struct pass *p, struct ks *block);

/* Control flow that the whole group goes through together. */
static void visit_control(struct pass *p, struct ks *s)
{
    struct pending before = p->now, after;

    if (s->cond)
        p->now.reads |= reads_of(p, s->cond);
    visit_block(p, s);
    if (s->kind == KS_LOOP && s->loop == KLOOP_SEQ)
        visit_block(p, s);
    after = p->now;
    p->now = before;
    if (s->otherwise)
        visit_block(p, s->otherwise);
    note(p, after);
}

static void visit_unit(struct pass *p, struct ks *block, struct ks *prev, struct ks *s)
{
    struct pending e = effects(p, s);

    if ((e.reads & p->now.writes) | (e.writes & (p->now.reads | p->now.writes)))
        insert_before(p, block, prev, s);
    if (s->kind == KS_LOOP && s->loop == KLOOP_LCL && (e.reads & e.writes))
        p->race = true;
    note(p, e);
}

static void visit_block(struct pass *p, struct ks *block)
{
    struct ks *prev = NULL;

    for (struct ks *s = block->first; s; prev = s, s = s->next) {
        bool unit = s->kind == KS_LOOP && s->loop == KLOOP_LCL;

        if (s->kind == KS_BARRIER)
            p->now = (struct pending){0, 0};
        else if (!unit && (s->first || s->otherwise) && has_lcl(s))
            visit_control(p, s);
        else
            visit_unit(p, block, prev, s);
    }
}

bool cg_pass_barriers(struct lift_ir *ir, struct kernel *kernel)
{
    struct pass p = {.ir = ir};

    visit_block(&p, kernel->body);
    return !p.race;
}
