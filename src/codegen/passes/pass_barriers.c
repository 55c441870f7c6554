/* Inserts barriers between the work-items of a group. The pass tracks the pending reads
 * and writes of each local buffer since the last barrier. A barrier precedes a statement
 * that reads elements with pending writes, or writes elements with pending reads or
 * writes. Only statements outside mapLcl loops, which the whole group reaches, are
 * considered. A sequential loop is analysed twice, for dependences between iterations.
 * Iterations that fill a buffer by a single statement write disjoint elements. */
#include "codegen/passes/passes.h"

enum { WORDS = 8, BUFFERS = WORDS * 64 };

/* One bit for each local buffer. */
struct set {
    uint64_t words[WORDS];
};

struct pending {
    struct set reads, writes;
};

struct pass {
    struct gen *g;
    const struct kbuffer *buffers[BUFFERS];
    int count;
    struct pending now;
    struct pending own; /* accesses of the current statement */
    bool tries;         /* analyse only: insert no barriers */
    bool needed, race, too_many;
};

static const struct pending none;

static void join(struct set *a, const struct set *b)
{
    for (int i = 0; i < WORDS; i++)
        a->words[i] |= b->words[i];
}

static bool meet(const struct set *a, const struct set *b)
{
    for (int i = 0; i < WORDS; i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

static void put(struct pass *p, struct set *set, const struct kbuffer *buffer)
{
    int i = 0;

    if (buffer->space != KSPACE_LOCAL || buffer->fenced)
        return;
    while (buffer->over)
        buffer = buffer->over;
    while (i < p->count && p->buffers[i] != buffer)
        i++;
    if (i == BUFFERS) {
        p->too_many = true;
        return;
    }
    if (i == p->count)
        p->buffers[p->count++] = buffer;
    set->words[i / 64] |= UINT64_C(1) << i % 64;
}

static void note_read(void *pass, kx e)
{
    struct pass *p = pass;

    if (e->kind == KX_LOAD)
        put(p, &p->own.reads, e->load.buffer);
}

static void note_effects(void *pass, struct ks *s)
{
    struct pass *p = pass;

    if (ks_expr(s))
        kx_each(ks_expr(s), note_read, p);
    if (s->kind == KS_STORE)
        put(p, &p->own.writes, s->store.buffer);
}

/* The reads and writes of a statement and its body. */
static struct pending effects(struct pass *p, struct ks *s)
{
    p->own = none;
    ks_each_in(s, note_effects, p);
    return p->own;
}

static bool is_lcl(const struct ks *s)
{
    return ks_is_loop(s, KLOOP_LCL);
}

/* True for a loop that fills other elements than the loop before. */
static bool is_more(const struct ks *s)
{
    return is_lcl(s) && s->loop.more;
}

static void note(struct pass *p, struct pending e)
{
    join(&p->now.reads, &e.reads);
    join(&p->now.writes, &e.writes);
}

static struct ks *visit(void *pass, struct ks *s);

/* The buffers that a loop fills: one statement writes the buffer, and no statement reads
 * it. */
struct fills {
    struct pass *p;
    struct pending all; /* accesses of the loop */
    struct set twice;   /* buffers that several statements write */
};

static void note_fills(struct fills *f, const struct kblock *block);

/* Notes the effects of a statement that the whole group reaches. */
static void note_unit(struct fills *f, struct ks *s)
{
    struct pending e;

    if (!is_lcl(s) && ks_any(s, is_lcl)) {
        for (int i = 0; ks_block(s, i); i++)
            note_fills(f, ks_block(s, i));
        return;
    }
    e = effects(f->p, s);
    for (int i = 0; i < WORDS && !is_more(s); i++)
        f->twice.words[i] |= f->all.writes.words[i] & e.writes.words[i];
    join(&f->all.writes, &e.writes);
}

static void note_fills(struct fills *f, const struct kblock *block)
{
    for (struct ks *s = block->first; s; s = s->next)
        note_unit(f, s);
}

static struct set filled(struct pass *p, struct ks *loop)
{
    struct fills f = {.p = p};
    struct set reads = effects(p, loop).reads, set;

    note_fills(&f, ks_block(loop, 0));
    for (int i = 0; i < WORDS; i++)
        set.words[i] = f.all.writes.words[i] & ~f.twice.words[i] & ~reads.words[i];
    return set;
}

/* Visits the body of a loop again, for dependences from one iteration to the next. */
static void visit_again(struct pass *p, struct ks *loop)
{
    const struct set set = filled(p, loop);

    for (int i = 0; i < WORDS; i++)
        p->now.writes.words[i] &= ~set.words[i];
    cg_refill(p->g, ks_block(loop, 0), visit, p);
}

/* True if the body needs barriers for pending accesses. */
static bool needs(struct pass *p, struct ks *loop, struct pending now)
{
    const struct pass saved = *p;
    bool needed;

    p->tries = true;
    p->needed = false;
    p->now = now;
    cg_refill(p->g, ks_block(loop, 0), visit, p);
    visit_again(p, loop);
    needed = p->needed;
    p->now = saved.now;
    p->tries = false;
    p->needed = saved.needed;
    return needed;
}

/* Visits control flow that is uniform in the group. If the iterations of a loop need a
 * barrier only for accesses before the loop, the barrier precedes the loop. */
static void visit_control(struct pass *p, struct ks *s)
{
    struct pending before, after = none;

    if (ks_expr(s)) {
        p->own = none;
        kx_each(ks_expr(s), note_read, p);
        note(p, p->own);
    }
    if (ks_is_loop(s, KLOOP_SEQ) && !p->tries && needs(p, s, p->now) &&
        !needs(p, s, none)) {
        cg_emit(p->g, ks_barrier(p->g->arena));
        p->now = none;
    }
    before = p->now;
    for (int i = 0; ks_block(s, i); i++) {
        p->now = before;
        cg_refill(p->g, ks_block(s, i), visit, p);
        if (ks_is_loop(s, KLOOP_SEQ))
            visit_again(p, s);
        join(&after.reads, &p->now.reads);
        join(&after.writes, &p->now.writes);
    }
    p->now = after;
    if (s->kind != KS_IF)
        note(p, before);
}

static void visit_unit(struct pass *p, struct ks *s)
{
    struct pending e = effects(p, s);

    if (meet(&e.reads, &p->now.writes) || meet(&e.writes, &p->now.reads) ||
        (!is_more(s) && meet(&e.writes, &p->now.writes))) {
        if (!p->tries)
            cg_emit(p->g, ks_barrier(p->g->arena));
        p->needed = true;
        p->now = none;
    }
    p->race |= ks_is_loop(s, KLOOP_LCL) && meet(&e.reads, &e.writes);
    note(p, e);
}

static struct ks *visit(void *pass, struct ks *s)
{
    struct pass *p = pass;
    struct ks *next = s->next;

    if (s->kind == KS_BARRIER)
        p->now = none;
    else if (!is_lcl(s) && ks_any(s, is_lcl))
        visit_control(p, s);
    else
        visit_unit(p, s);
    cg_emit(p->g, s);
    return next;
}

void cg_pass_barriers(struct gen *g, struct kernel *kernel)
{
    struct pass p = {.g = g};

    cg_refill(g, &kernel->body, visit, &p);
    if (p.race || p.too_many)
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                p.race ? "local memory is written and read inside one 'mapLcl'"
                       : "there are more than 512 arrays in local memory");
}
