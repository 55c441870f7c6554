/* What loops over lanes will read in later turns of the loop around them is fetched to
 * the caches: one element of each vector, but of those that an earlier turn reads, too,
 * and of vectors side by side the last one alone. */
#include "codegen/passes/passes.h"

enum { MOST = 64, NEAR = 8 };

/* Of one turn of a loop over lanes. */
struct reads {
    struct gen *g;
    lift_nat index; /* of the loop around, and how many turns of that ahead */
    int64_t ahead;
    bool branch; /* of a choice */
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

/* What one branch reads and overwrites, the other may overwrite alone: its line is
 * fetched there, too. */
static void note_store(struct reads *r, const struct ks *s)
{
    if (r->branch && kx_is_vector(s->store.value) && !s->store.nontemporal &&
        cg_is_overwritten(r->g, s->store.buffer))
        note(r, kx_load(r->g->ir, s->store.buffer, s->store.at, s->store.value->type));
}

/* Reads once per iteration: inner loops have separate indices. */
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

/* True if the vector 'e' is read, or one that overlaps it or is the next or the one
 * before: the distance is from 'least' on. */
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

/* The last vector of those side by side, in the last turn that reads it. */
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

/* At the end of a turn: what it computes with is loaded first. */
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

/* Of two versions each fetches what it reads. */
static void fetch(struct reads r, struct ks *loop)
{
    struct ks *s = loop->loop.body.first;

    r.branch = s && s->kind == KS_IF && s->test.versions && !s->next;
    if (!r.branch)
        fetch_block(r, &loop->loop.body);
    for (int i = 0; r.branch && ks_block(s, i); i++)
        fetch_block(r, ks_block(s, i));
}

/* 'around': the index of the loop that the block is in; NULL: there is none. */
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
