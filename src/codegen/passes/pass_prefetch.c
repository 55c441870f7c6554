/* Prefetches data that loops over lanes will read in later iterations of the enclosing
 * loop. Each vector read needs one prefetch. The pass skips vectors that another read
 * loads in an earlier iteration. Of adjacent vectors, the pass prefetches only the last
 * one. */
#include "codegen/passes/passes.h"

enum { MOST = 64, NEAR = 8 };

/* The reads of one iteration of the enclosing loop. */
struct reads {
    struct gen *g;
    lift_nat index; /* index of the enclosing loop; prefetch distance in iterations */
    int64_t ahead;
    bool branch; /* the reads are in a branch of two versions */
    kx items[MOST];
    int count;
};

static void note(void *reads, kx e)
{
    struct reads *r = reads;

    if (e->kind == KX_LOAD && kx_is_vector(e) && e->load.buffer->space == KSPACE_GLOBAL &&
        r->count < MOST)
        r->items[r->count++] = e;
}

/* Notes a store to memory that another branch may read and overwrite. A branch that only
 * overwrites the memory prefetches its line, too. */
static void note_store(struct reads *r, const struct ks *s)
{
    if (r->branch && kx_is_vector(s->store.value) && !s->store.nontemporal &&
        cg_is_overwritten(r->g, s->store.buffer))
        note(r, kx_load(r->g->ir, s->store.buffer, s->store.at, s->store.value->type));
}

/* Notes the reads that are executed once per iteration. Inner loops are skipped, since
 * they have separate indices. */
static void note_block(struct reads *r, const struct kblock *block)
{
    for (const struct ks *s = block->first; s; s = s->next) {
        if (ks_expr(s))
            kx_each(ks_expr(s), note, r);
        if (s->kind == KS_STORE)
            note_store(r, s);
        for (int i = 0; s->kind != KS_LOOP && ks_block(s, i); i++)
            note_block(r, ks_block(s, i));
    }
}

static lift_nat later(const struct reads *r, lift_nat at, int64_t by)
{
    return lift_nat_with(at, r->index, lift_nat_add_const(r->index, by));
}

/* True if another read of the buffer is at a distance from 'least' to one vector width:
 * the vector at 'at', an overlapping vector or a neighbour. */
static bool is_read(const struct reads *r, kx e, lift_nat at, int64_t least)
{
    for (int i = 0; i < r->count; i++) {
        int64_t distance;

        if (r->items[i] != e && r->items[i]->load.buffer == e->load.buffer &&
            lift_nat_is_const(lift_nat_sub(r->items[i]->load.at, at), &distance) &&
            distance >= least && distance <= e->type->count)
            return true;
    }
    return false;
}

/* True for the last of adjacent vectors, if no other read loads the vector in an earlier
 * iteration. */
static bool leads(const struct reads *r, int which)
{
    kx e = r->items[which];

    for (int i = 0; i < which; i++)
        if (kx_same_node(r->items[i], e))
            return false;
    if (is_read(r, e, e->load.at, 1))
        return false;
    for (int by = 1; by <= NEAR; by++)
        if (is_read(r, e, later(r, e->load.at, by), -e->type->count))
            return false;
    return true;
}

/* Adds prefetches at the end of an iteration, so that the loads of the iteration come
 * first. */
static void add_prefetches(struct reads *r, struct kblock *body)
{
    for (int i = 0; i < r->count; i++) {
        kx e = r->items[i];

        if (leads(r, i))
            ks_append(body, ks_prefetch(r->g->arena, e->load.buffer,
                                        later(r, e->load.at, r->ahead)));
    }
}

static void fetch_block(struct reads r, struct kblock *block)
{
    note_block(&r, block);
    add_prefetches(&r, block);
}

/* Adds prefetches to a loop; each of two versions prefetches its own reads. */
static void fetch(struct reads r, struct ks *loop)
{
    struct ks *s = loop->loop.body.first;

    r.branch = s && s->kind == KS_IF && s->test.versions && !s->next;
    if (!r.branch)
        fetch_block(r, &loop->loop.body);
    for (int i = 0; r.branch && ks_block(s, i); i++)
        fetch_block(r, ks_block(s, i));
}

/* 'around': the index of the loop that contains the block; NULL: no loop. */
static void visit(struct gen *g, struct kblock *block, lift_nat around)
{
    for (struct ks *s = block->first; s; s = s->next) {
        for (int i = 0; ks_block(s, i); i++)
            visit(g, ks_block(s, i), s->kind == KS_LOOP ? s->loop.index : around);
        if (s->kind == KS_LOOP && s->loop.ahead > 0 && around)
            fetch((struct reads){.g = g, .index = around, .ahead = s->loop.ahead}, s);
    }
}

void cg_pass_prefetch(struct gen *g, struct kernel *kernel)
{
    visit(g, &kernel->body, NULL);
}
