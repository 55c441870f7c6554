/* Destinations: where the elements of a result go. */
#include "codegen/gen.h"
#include "lift/bug.h"
#include "lift/spine.h"

const struct dest *cg_dest(struct gen *g, struct dest dest)
{
    return lift_arena_copy(g->arena, &dest, sizeof dest);
}

/* The chain that a movement lambda makes of its parameter, up to DEST_HERE. */
static const struct dest *chain(struct gen *g, lift_expr e, const struct dest *dest)
{
    while (e->kind == LIFT_EXPR_PRIM) {
        int slot = lift_moved_slot(e);

        dest = cg_dest_into(g, e, slot, dest);
        e = e->u.prim.args[slot];
    }
    return dest;
}

static const struct dest *into_map(struct gen *g, lift_expr node, const struct dest *dest)
{
    lift_expr f = node->u.prim.args[0];
    const struct dest *inner;

    if (!lift_is_movement(f))
        return NULL;
    inner = chain(g, f->u.lambda.body, cg_dest(g, (struct dest){.kind = DEST_HERE}));
    return cg_dest(g, (struct dest){.kind = DEST_MAP, .parent = dest, .inner = inner});
}

static lift_nat part_offset(struct gen *g, lift_expr node, int slot)
{
    lift_nat n = lift_nat_const(g->nats, 0);

    for (int i = 0; i < slot; i++)
        n = lift_nat_add(n, node->u.prim.args[i]->type->len);
    return n;
}

const struct dest *cg_dest_into(struct gen *g, lift_expr node, int slot,
                                const struct dest *dest)
{
    lift_expr x = node->u.prim.args[slot];
    struct dest d = {.parent = dest, .n = node->u.prim.nats[0], .k = slot};

    switch (node->op) {
    case LIFT_JOIN:
        d.kind = DEST_JOIN;
        d.n = x->type->elem->len;
        break;
    case LIFT_JOIN_SHIFT:
        d.kind = DEST_JOIN_SHIFT;
        d.n = x->type->elem->len;
        d.k = (int)cg_const(g, node->u.prim.nats[0], "an array length");
        break;
    case LIFT_SPLIT:
        d.kind = DEST_SPLIT;
        break;
    case LIFT_TRANSPOSE:
        d.kind = DEST_TRANSPOSE;
        break;
    case LIFT_TAKE:
        d.kind = DEST_TAKE;
        break;
    case LIFT_DROP:
        d.kind = DEST_DROP;
        break;
    case LIFT_INSET:
        d.kind = slot == 0 ? DEST_RIM : DEST_OFFSET;
        d.k = (int)cg_const(g, node->u.prim.args[1]->type->len, "an array length");
        break;
    case LIFT_CONCAT:
        d.kind = DEST_OFFSET;
        d.n = part_offset(g, node, slot);
        break;
    case LIFT_TUPLE:
        d.kind = DEST_MEMBER;
        break;
    case LIFT_ZIP:
        d.kind = DEST_ZIP;
        break;
    case LIFT_UNZIP:
        d.kind = DEST_UNZIP;
        break;
    case LIFT_AS_SCALAR:
        d.kind = DEST_SCALARS;
        d.n = lift_nat_const(g->nats, x->type->elem->count);
        break;
    case LIFT_ALIGN_ROWS:
    case LIFT_APART:
    case LIFT_PREFETCH:
    case LIFT_IN_PLACE:
        return dest;
    case LIFT_MAP:
        return into_map(g, node, dest);
    default:
        return NULL;
    }
    return cg_dest(g, d);
}

static void guard(lift_nat nonneg, lift_nat guards[CG_GUARDS], int *count)
{
    LIFT_ASSERT(*count < CG_GUARDS);
    guards[(*count)++] = nonneg;
}

/* At least 0 for indices before 'first' and from 'first' + 'count' on. */
static lift_nat outside(lift_nat i, lift_nat first, int64_t count)
{
    lift_nat before = lift_nat_add_const(lift_nat_sub(first, i), -1);
    lift_nat behind = lift_nat_add_const(lift_nat_sub(i, first), -count);

    return lift_nat_max(before, behind);
}

static const struct path *step_join(struct gen *g, const struct dest *d,
                                    const struct path *p)
{
    lift_nat at = lift_nat_add(lift_nat_mul(p->index, d->n), p->next->index);

    return cg_index(g, at, p->next->next);
}

struct mention {
    lift_nat var;
    bool found;
};

static void note_var(void *user, lift_nat var, const char *name, enum lift_var_kind kind,
                     int64_t lo, int64_t hi)
{
    struct mention *m = user;

    (void)name, (void)kind, (void)lo, (void)hi;
    m->found |= var == m->var;
}

static bool mentions(lift_nat n, lift_nat var)
{
    struct mention m = {var, false};

    lift_nat_each_var(n, note_var, &m);
    return m.found;
}

/* True if threads may have different values of the index at the same time. */
static bool differs_by_thread(const struct gen *g, lift_nat index)
{
    const struct shared_loop *loop = g->shared;

    while (loop && !mentions(index, loop->index))
        loop = loop->around;
    return loop;
}

/* What the last row has in common with the one before is that one's to store where two
 * threads may have them. */
static const struct path *step_join_shift(struct gen *g, const struct dest *d,
                                          const struct path *p,
                                          lift_nat guards[CG_GUARDS], int *count)
{
    lift_nat last = lift_nat_sub(lift_nat_const(g->nats, d->k), d->n);
    lift_nat own = lift_nat_mul(p->index, d->n), at;

    at = lift_nat_assume(lift_nat_min(own, last), g->facts, g->fact_count);
    at = lift_nat_add(at, p->next->index);
    if (differs_by_thread(g, p->index))
        guard(lift_nat_sub(at, own), guards, count);
    return cg_index(g, at, p->next->next);
}

static const struct path *step_split(struct gen *g, const struct dest *d,
                                     const struct path *p)
{
    lift_nat i = lift_nat_assume(lift_nat_div(p->index, d->n), g->facts, g->fact_count);
    lift_nat j = lift_nat_assume(lift_nat_mod(p->index, d->n), g->facts, g->fact_count);

    return cg_index(g, i, cg_index(g, j, p->next));
}

/* Swaps the first two steps: [i][j] and [j][i], [i].k and .k[i]. */
static const struct path *step_swap(struct gen *g, const struct path *p)
{
    const struct path *q = p->next;
    const struct path *rest = cg_index(g, p->index, q->next);

    return q->index ? cg_index(g, q->index, rest) : cg_member(g, q->member, rest);
}

static const struct path *step(struct gen *g, const struct dest *d, const struct path *p,
                               lift_nat guards[CG_GUARDS], int *count)
{
    switch (d->kind) {
    case DEST_AT:
        return cg_index(g, d->n, p);
    case DEST_MEMBER:
        return cg_member(g, d->k, p);
    case DEST_JOIN:
        return step_join(g, d, p);
    case DEST_JOIN_SHIFT:
        return step_join_shift(g, d, p, guards, count);
    case DEST_SPLIT:
        return step_split(g, d, p);
    case DEST_TRANSPOSE:
    case DEST_UNZIP:
        return step_swap(g, p);
    case DEST_TAKE:
        guard(lift_nat_sub(lift_nat_add_const(d->n, -1), p->index), guards, count);
        return p;
    case DEST_DROP:
        guard(lift_nat_sub(p->index, d->n), guards, count);
        return cg_index(g, lift_nat_sub(p->index, d->n), p->next);
    case DEST_RIM:
        guard(outside(p->index, d->n, d->k), guards, count);
        return p;
    case DEST_OFFSET:
        return cg_index(g, lift_nat_add(p->index, d->n), p->next);
    case DEST_ZIP:
        return cg_index(g, p->index, cg_member(g, d->k, p->next));
    case DEST_SCALARS:
        return step_join(g, d, p);
    case DEST_MAP: {
        const struct mem *mem;

        return cg_index(g, p->index,
                        cg_follow(g, d->inner, p->next, &mem, guards, count));
    }
    case DEST_MEM:
    case DEST_HERE:
        break;
    }
    LIFT_BUG("a destination of kind %d", d->kind);
}

const struct path *cg_follow(struct gen *g, const struct dest *dest,
                             const struct path *path, const struct mem **mem,
                             lift_nat guards[CG_GUARDS], int *guard_count)
{
    for (; dest->kind != DEST_MEM && dest->kind != DEST_HERE; dest = dest->parent)
        path = step(g, dest, path, guards, guard_count);
    *mem = dest->mem;
    return path;
}

/* A path to the first leaf of a type, by indices that stand for any value. */
static const struct path *anywhere(struct gen *g, lift_type t, int depth)
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

/* A guard that bounds the index of the loop just opened ends the loop early instead of
 * testing each iteration: the tail of a tile is cut. */
static bool cut_loop(struct gen *g, lift_nat guard)
{
    struct ks *of = g->block->of;
    lift_nat limit;

    if (!of || of->kind != KS_LOOP || of->loop.level > KLOOP_SIMD || g->block->first)
        return false;
    limit = lift_nat_add_const(lift_nat_add(guard, of->loop.index), 1);
    if (mentions(limit, of->loop.index))
        return false;
    of->loop.limit = of->loop.limit ? lift_nat_min(of->loop.limit, limit) : limit;
    return true;
}

int cg_guards(struct gen *g, const struct dest *dest, lift_type type,
              lift_nat guards[CG_GUARDS])
{
    const struct mem *mem;
    int count = 0;

    cg_follow(g, dest, anywhere(g, type, 0), &mem, guards, &count);
    return count;
}

void cg_guard_early(struct gen *g, const struct dest *dest, lift_type type)
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
            if (!kx_is_bool(test->test.cond, false)) /* else nobody sees the block */
                cg_emit(g, test);
            g->block = &test->test.body;
        }
        cg_assume(g, guards[i]);
    }
}
