/* Straight-line code of several grid points, ordered by loads. A statement follows the
 * load of the last element that the statement reads. So all grid points use an element
 * while it is in a register. The statements of each grid point keep their order. */
#include "codegen/gen.h"

/* The remaining statements of a grid point, and the furthest element that the next
 * statement reads, as a distance from 'base'. */
struct strand {
    struct ks *next;
    int64_t at;
    kx base;
};

static void find_load(void *first, kx e)
{
    kx *load = first;

    if (e->kind == KX_LOAD && !*load)
        *load = e;
}

static void note_furthest(void *strand, kx e)
{
    struct strand *s = strand;
    int64_t distance;

    if (e->kind == KX_LOAD && e->load.buffer == s->base->load.buffer &&
        lift_nat_is_const(lift_nat_sub(e->load.at, s->base->load.at), &distance) &&
        distance > s->at)
        s->at = distance;
}

static void await(struct strand *s)
{
    if (s->base && s->next && ks_expr(s->next))
        kx_each(ks_expr(s->next), note_furthest, s);
}

/* The load from which distances are counted. NULL if a point has other than simple
 * statements, or if no point loads. */
static kx find_base(const struct kblock *points, int count)
{
    kx base = NULL;

    for (int i = 0; i < count; i++)
        for (const struct ks *s = points[i].first; s; s = s->next) {
            if (!ks_is_simple(s))
                return NULL;
            if (!base && ks_expr(s))
                kx_each(ks_expr(s), find_load, &base);
        }
    return base;
}

static void emit_next(struct gen *g, struct strand *s, bool together)
{
    struct ks *statement = s->next;

    s->next = statement->next;
    statement->together |= together;
    cg_emit(g, statement);
}

static void emit_in_turn(struct gen *g, const struct kblock *points, int count)
{
    for (int i = 0; i < count; i++) {
        struct strand s = {.next = points[i].first};

        while (s.next)
            emit_next(g, &s, false);
    }
}

void cg_emit_together(struct gen *g, const struct kblock *points, int count)
{
    struct strand *strands = LIFT_NEW_ARRAY(g->arena, struct strand, count), *least;
    kx base = count > 1 ? find_base(points, count) : NULL;

    for (int i = 0; i < count; i++) {
        ks_add_style(&g->block->style, points[i].style);
        strands[i] = (struct strand){points[i].first, INT64_MIN, base};
        await(&strands[i]);
    }
    if (!base) {
        emit_in_turn(g, points, count);
        return;
    }
    do {
        least = NULL;
        for (int i = 0; i < count; i++)
            if (strands[i].next && (!least || strands[i].at < least->at))
                least = &strands[i];
        if (least) {
            emit_next(g, least, true);
            await(least);
        }
    } while (least);
}
