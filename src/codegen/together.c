/* Straight-line code of several points in the order of what they load: each statement
 * comes when the last element that it reads is there, so that all points use what was
 * loaded while it is in a register. Each point keeps the order of its own statements. */
#include "codegen/gen.h"

/* The statements of a point that are left, and what it waits for: the place of an element
 * in the order of memory, counted from 'base'. */
struct strand {
    struct ks *next;
    int64_t at;
};

static kx first_load(kx e)
{
    kx load = e->kind == KX_LOAD ? e : NULL;

    for (int i = 0; i < e->arg_count && !load; i++)
        load = first_load(e->args[i]);
    return load;
}

/* The furthest element of an expression, if that is further than 'at'. */
static int64_t furthest(kx e, kx base, int64_t at)
{
    int64_t distance;

    if (e->kind == KX_LOAD && e->buffer == base->buffer &&
        lift_nat_is_const(lift_nat_sub(e->nat, base->nat), &distance) && distance > at)
        at = distance;
    for (int i = 0; i < e->arg_count; i++)
        at = furthest(e->args[i], base, at);
    return at;
}

static void await(struct strand *s, kx base)
{
    if (s->next && s->next->value)
        s->at = furthest(s->next->value, base, s->at);
}

/* What distances are counted from; NULL: the points are no straight lines, or load
 * nothing. */
static kx find_base(struct ks *const *points, int count)
{
    kx base = NULL;

    for (int i = 0; i < count; i++)
        for (const struct ks *s = points[i]->first; s; s = s->next) {
            if (!ks_is_simple(s))
                return NULL;
            if (!base && s->value)
                base = first_load(s->value);
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

static void emit_in_turn(struct gen *g, struct ks *const *points, int count)
{
    for (int i = 0; i < count; i++) {
        struct strand s = {.next = points[i]->first};

        while (s.next)
            emit_next(g, &s, false);
    }
}

void cg_emit_together(struct gen *g, struct ks *const *points, int count)
{
    struct strand *strands = LIFT_NEW_ARRAY(g->arena, struct strand, count), *least;
    kx base = count > 1 ? find_base(points, count) : NULL;

    for (int i = 0; i < count; i++) {
        if (points[i]->loads > g->block->loads)
            g->block->loads = points[i]->loads;
        strands[i] = (struct strand){points[i]->first, INT64_MIN};
        if (base)
            await(&strands[i], base);
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
            await(least, base);
        }
    } while (least);
}
