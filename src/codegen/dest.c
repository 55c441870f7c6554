/* Destinations: the conditions under which elements of a result are stored. */
#include "base/bug.h"
#include "codegen/gen.h"

static void guard(lift_nat nonneg, lift_nat guards[CG_GUARDS], int *count)
{
    LIFT_ASSERT(*count < CG_GUARDS);
    guards[(*count)++] = nonneg;
}

/* An expression that is >= 0 for indices before 'first' and from 'first' + 'count' on. */
static lift_nat outside(lift_nat i, lift_nat first, int64_t count)
{
    lift_nat before = lift_nat_add_const(lift_nat_sub(first, i), -1);
    lift_nat behind = lift_nat_add_const(lift_nat_sub(i, first), -count);

    return lift_nat_max(before, behind);
}

/* An expression that is >= 0 for paths that leave the box in one dimension or more. */
static lift_nat outside_box(struct gen *g, const struct lift_view *v, lift_access path)
{
    lift_nat any = NULL;

    for (int k = 0; k < v->dims && path && path->index; k++, path = path->next) {
        int64_t n = cg_const(g, v->count[k], "an array length");
        lift_nat out = outside(path->index, v->first[k], n);

        any = any ? lift_nat_max(any, out) : out;
    }
    return any;
}

/* True if threads may have different values of the index at the same time. */
static bool differs_by_thread(const struct gen *g, lift_nat index)
{
    const struct shared_loop *loop = g->shared;

    while (loop && !lift_nat_has(index, loop->index))
        loop = loop->around;
    return loop;
}

struct guards {
    struct gen *g;
    lift_nat *items;
    int *count;
};

/* Adds the guard of one view. If two threads may compute a common element of two rows,
 * only the first row stores the element. */
static void add_guard(void *user, const struct lift_view *v, lift_access argument,
                      lift_access result)
{
    const struct guards *to = user;
    lift_nat i = argument->index, at = result->index, n = v->n;

    if (v->keeps == LIFT_KEEPS_FIRST)
        guard(lift_nat_sub(lift_nat_add_const(n, -1), i), to->items, to->count);
    if (v->keeps == LIFT_KEEPS_LATER)
        guard(at, to->items, to->count);
    if (v->keeps == LIFT_KEEPS_BORDER)
        guard(outside(i, n, cg_const(to->g, v->size, "an array length")), to->items,
              to->count);
    if (v->keeps == LIFT_KEEPS_AROUND)
        guard(outside_box(to->g, v, argument), to->items, to->count);
    if (v->keeps == LIFT_KEEPS_ROWS && differs_by_thread(to->g, i))
        guard(lift_nat_sub(at, lift_nat_mul(i, n)), to->items, to->count);
}

lift_access cg_follow(struct gen *g, lift_dest dest, lift_access path,
                      const struct mem **mem, lift_nat guards[CG_GUARDS],
                      int *guard_count)
{
    struct guards to = {g, guards, guard_count};
    const void *end;

    path = lift_dest_follow(&g->walker.indices, dest, path,
                            &(struct lift_conditions){add_guard, &to}, &end);
    *mem = end;
    return path;
}

/* A path to the first leaf of a type, with indices that stand for any value. */
static lift_access anywhere(struct gen *g, lift_type t, int depth)
{
    if (t->kind == LIFT_TYPE_ARRAY) {
        int64_t n = cg_const(g, t->len, "an array length");
        const char *name =
            lift_arena_printf(g->arena, "#any%d_%lld", depth, (long long)n);
        lift_nat i = n > 1 ? lift_nat_var(g->nats, name, LIFT_VAR_META, 0, n - 1)
                           : lift_nat_const(g->nats, 0);

        return cg_index(g, i, anywhere(g, t->elem, depth + 1));
    }
    if (t->kind == LIFT_TYPE_TUPLE)
        return cg_member(g, 0, anywhere(g, t->parts[0], depth + 1));
    return t->kind == LIFT_TYPE_VECTOR ? cg_index(g, cg_lane_var(g, t), NULL) : NULL;
}

/* A guard that bounds the index of the loop just opened becomes the end of the loop. So
 * iterations of a tile's remainder need no test. */
static bool cut_loop(struct gen *g, lift_nat guard)
{
    struct ks *of = g->block->of;
    lift_nat limit;

    if (!of || of->kind != KS_LOOP || of->loop.level > KLOOP_SIMD || g->block->first)
        return false;
    limit = lift_nat_add_const(lift_nat_add(guard, of->loop.index), 1);
    if (lift_nat_has(limit, of->loop.index))
        return false;
    of->loop.limit = of->loop.limit ? lift_nat_min(of->loop.limit, limit) : limit;
    return true;
}

int cg_guards(struct gen *g, lift_dest dest, lift_type type, lift_nat guards[CG_GUARDS])
{
    const struct mem *mem;
    int count = 0;

    /* members may have different guards */
    if (lift_type_base(type)->kind == LIFT_TYPE_TUPLE && lift_dest_parts(dest))
        return 0;
    cg_follow(g, dest, anywhere(g, type, 0), &mem, guards, &count);
    return count;
}

void cg_guard_early(struct gen *g, lift_dest dest, lift_type type)
{
    lift_nat guards[CG_GUARDS];
    int count = cg_guards(g, dest, type, guards);

    for (int i = 0; i < count; i++) {
        struct ks *test;

        guards[i] = cg_any_lane(g, guards[i]);
        if (!guards[i] || lift_nat_mentions(guards[i], LIFT_VAR_META) ||
            lift_nat_proves_ge0(guards[i], g->facts, g->fact_count))
            continue;
        if (!cut_loop(g, guards[i])) {
            test = ks_if(g->arena, kx_ge0(g->ir, guards[i], g->facts, g->fact_count));
            if (!kx_is_bool(test->test.cond, false)) /* false: drops the block */
                cg_emit(g, test);
            g->block = &test->test.body;
        }
        cg_assume(g, guards[i]);
    }
}
