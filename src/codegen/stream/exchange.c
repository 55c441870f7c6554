/* Exchange of columns in registers between work-items of a group that no shuffle
 * connects. Each work-item also stores an element that enters a column in local memory.
 * Other work-items read the element there until it leaves the offsets that they read.
 *
 * One barrier at the start of a step orders the stores of earlier steps before the reads
 * of this step. The barrier also frees the slot that only the previous step read.
 * Elements that are read in the step in which they enter need a second barrier after the
 * stores. */
#include "codegen/stream/window.h"
#include "codegen/text/dialect.h"

static bool is_shown(const struct window *w, const struct column *c)
{
    return c->regs && c->shared < w->size;
}

static int64_t lanes(lift_type t)
{
    return t->kind == LIFT_TYPE_VECTOR ? t->count : 1;
}

static int64_t slots_of(const struct window *w, const struct column *c)
{
    return w->size - c->shared;
}

/* The index of the element that a work-item stores in a slot, 'places' further in each
 * dimension. Distances wrap around at the end of the group; such elements have no
 * meaning. */
static lift_nat slot_at(struct gen *g, const struct window *w, const struct column *c,
                        int64_t k, const int64_t places[WINDOW_SPREAD])
{
    lift_nat slots = lift_nat_const(g->nats, slots_of(w, c));
    lift_nat slot = lift_nat_mod(lift_nat_add_const(w->base, k), slots);
    lift_nat at = cg_by_facts(g, slot);

    for (int d = c->stream->spread_count - 1; d >= 0; d--) {
        const struct spread *s = &c->stream->spread[d];
        lift_nat item = lift_nat_add_const(s->item, s->items + places[d]);

        item =
            places[d] ? lift_nat_mod(item, lift_nat_const(g->nats, s->items)) : s->item;
        at = lift_nat_add(lift_nat_mul_const(at, s->items), item);
    }
    at = lift_nat_mul_const(at, c->beside.width * lanes(c->type));
    return lift_nat_add_const(at, c->first + c->beside.lane);
}

kx exchange_read(struct gen *g, const struct window *w, const struct column *c, int64_t k,
                 const int64_t places[WINDOW_SPREAD])
{
    struct kbuffer *b = c->exchange->mem->leaves[0];

    if (k < c->shared)
        return cg_fail(g, c->type, "a value that other work-items no longer exchange");
    cg_use_buffer(g, b, false);
    return kx_load(g->ir, b, slot_at(g, w, c, k, places), c->type);
}

void exchange_show(struct gen *g, const struct window *w, const struct column *c)
{
    static const int64_t here[WINDOW_SPREAD];
    struct kbuffer *b;

    if (!is_shown(w, c) || c->beside.lane > 0)
        return;
    b = c->exchange->mem->leaves[0];
    cg_use_buffer(g, b, true);
    for (int64_t k = w->size - w->step; k < w->size; k++)
        for (int i = 0; i < c->beside.width && k >= c->shared; i++) {
            const struct column *lane = c->beside.row[i];

            cg_emit(g, ks_store(g->arena, b, slot_at(g, w, lane, k, here),
                                *window_reg(w, lane, k)));
        }
}

/* Fails unless the whole group executes the code, so that its work-items can wait for
 * each other. */
static bool can_wait(struct gen *g, const struct column *c)
{
    if (cg_at_group_level(g))
        return true;
    cg_fail(g, c->type, "values of other work-items inside a level that they share out");
    return false;
}

static struct exchange *exchange_of(struct gen *g, struct window *w, lift_type type)
{
    struct exchange *x = NULL;

    for (int i = 0; i < w->exchange_count; i++)
        if (w->exchanges[i].mem->type->elem == type)
            return &w->exchanges[i];
    if (w->exchange_count == WINDOW_EXCHANGES) {
        cg_fail(g, type, "values of more than %d types of other work-items",
                WINDOW_EXCHANGES);
        return NULL;
    }
    x = &w->exchanges[w->exchange_count++];
    x->mem = cg_mem(g, lift_type_array(g->ir, type, lift_nat_const(g->nats, 1)),
                    KSPACE_LOCAL, cg_name(g, "shown"));
    x->mem->leaves[0]->fenced = true;
    x->mem->leaves[0]->count = 0;
    return x;
}

/* Sorts columns so that each column comes after the columns from which it is computed. */
static void order_by_stage(struct window *w)
{
    for (int i = 1; i < w->count; i++) {
        struct column *c = w->columns[i];
        int k = i;

        for (; k > 0 && w->columns[k - 1]->stream->node->size > c->stream->node->size;
             k--)
            w->columns[k] = w->columns[k - 1];
        w->columns[k] = c;
    }
}

/* ---- adjacent grid points of a work-item are adjacent in local memory, as vectors */

/* The part of a path into the elements of a stream that is the index along the row. */
static lift_access in_row(const struct column *c)
{
    lift_access p = c->rest;

    for (int d = 1; p && d < c->stream->spread_count; d++)
        p = p->next;
    return p;
}

/* The distance of two paths along the row; -1: the paths differ elsewhere. */
static int64_t apart(const struct column *a, const struct column *b)
{
    lift_access p = a->rest, q = b->rest;
    int64_t d = -1;

    for (; p && q; p = p->next, q = q->next)
        if (p == in_row(a) ? !p->index || !q->index ||
                                 !lift_nat_is_const(lift_nat_sub(q->index, p->index), &d)
                           : p->index != q->index || p->member != q->member)
            return -1;
    return p || q ? -1 : d;
}

static bool starts_row(const struct column *c)
{
    const struct spread *s = &c->stream->spread[0];
    lift_nat own = lift_nat_mul_const(s->item, s->per);
    int64_t d;

    return c->type->kind == LIFT_TYPE_SCALAR && in_row(c) && in_row(c)->index &&
           lift_nat_is_const(lift_nat_sub(in_row(c)->index, own), &d) &&
           d % CG_VECTOR == 0;
}

/* Collects the columns of a whole vector of adjacent elements, from 'c' on. False if some
 * are missing. */
static bool find_row(const struct window *w, struct column *c,
                     struct column *row[CG_VECTOR])
{
    int found = 0;

    for (int i = 0; i < w->count; i++) {
        struct column *b = w->columns[i];
        int64_t d = b->stream == c->stream && b->shared == c->shared ? apart(c, b) : -1;

        if (d < 0 || d >= CG_VECTOR || !is_shown(w, b) || b->exchange ||
            b->type != c->type)
            continue;
        row[d] = b;
        found++;
    }
    return found == CG_VECTOR;
}

/* Assigns memory to 'width' columns, whose elements are interleaved. */
static void give_memory(struct gen *g, const struct window *w, struct exchange *x,
                        struct column *const *columns, int width)
{
    const struct column *c = columns[0];
    struct column **row = lift_arena_copy(g->arena, columns, width * sizeof *row);
    int64_t items = 1;

    for (int i = 0; i < width; i++) {
        row[i]->exchange = x;
        row[i]->first = x->mem->leaves[0]->count;
        row[i]->beside.row = row;
        row[i]->beside.width = width;
        row[i]->beside.lane = i;
    }
    for (int d = 0; d < c->stream->spread_count; d++)
        items *= c->stream->spread[d].items;
    x->mem->leaves[0]->count += slots_of(w, c) * items * lanes(c->type) * width;
}

/* Assigns memory to whole vectors in the first call, and to the other columns in the
 * second call. */
static void give_all(struct gen *g, struct window *w, bool vectors)
{
    for (int i = 0; i < w->count && !g->failed; i++) {
        struct column *c = w->columns[i], *row[CG_VECTOR] = {c};
        struct exchange *x = NULL;

        if (!is_shown(w, c) || c->exchange || !can_wait(g, c))
            continue;
        if (!vectors || (starts_row(c) && find_row(w, c, row)))
            x = exchange_of(g, w, c->type);
        if (x)
            give_memory(g, w, x, row, vectors ? CG_VECTOR : 1);
    }
}

void exchange_declare(struct gen *g, struct window *w)
{
    w->exchange_count = 0;
    give_all(g, w, true);
    give_all(g, w, false);
    for (int i = 0; i < w->exchange_count; i++)
        cg_declare(g, w->exchanges[i].mem);
    if (w->exchange_count > 0)
        order_by_stage(w);
}

int exchange_wave(const struct window *w, int first)
{
    bool shown = false;
    int i = first;

    for (; i < w->count; i++) {
        const struct column *c = w->columns[i];

        if (shown && c->stream->node->size > w->columns[i - 1]->stream->node->size)
            return i;
        shown |= is_shown(w, c) && c->shared_last >= w->size - w->step;
    }
    return i;
}
