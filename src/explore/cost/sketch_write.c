/* Writing for a sketch: the loops of the output spine, and the stores at its end. */
#include "explore/cost/sketch_t.h"
#include "ir/spine.h"
#include <math.h>

static const struct {
    enum lift_op op;
    enum sketch_kind kind;
} levels[] = {
    {LIFT_MAP_SEQ, SKETCH_SEQ},   {LIFT_MAP_PAR, SKETCH_PAR},
    {LIFT_MAP_TASK, SKETCH_TASK}, {LIFT_MAP_SIMD, SKETCH_SIMD},
    {LIFT_MAP_VEC, SKETCH_SIMD},  {LIFT_MAP_UNROLL, SKETCH_UNROLL},
    {LIFT_MAP_GLB, SKETCH_GLB},   {LIFT_MAP_WRG, SKETCH_WRG},
    {LIFT_MAP_LCL, SKETCH_LCL},
};

static int level_of(enum lift_op op)
{
    for (int i = 0; i < (int)(sizeof levels / sizeof *levels); i++)
        if (levels[i].op == op)
            return i;
    return -1;
}

/* ---- stored intermediates */

static enum sketch_space space_of(lift_expr e)
{
    return e->op == LIFT_TO_LOCAL     ? SKETCH_LOCAL
           : e->op == LIFT_TO_PRIVATE ? SKETCH_PRIVATE
                                      : SKETCH_GLOBAL;
}

static void prepare(struct drawer *d, lift_expr e, lift_env env, struct lift_ptrmap *seen)
{
    if (e->kind != LIFT_EXPR_PRIM || d->failed || lift_ptrmap_get(seen, e) ||
        sk_remembered(d, e, env))
        return;
    lift_ptrmap_put(seen, e, (void *)e);
    if (lift_expr_is_storage(e)) {
        const struct sketch_mem *mem = sk_mem(d, e->type, space_of(e));

        sk_write(d, lift_expr_arg(e, 0), env, lift_dest_mem(d->arena, mem));
        sk_remember(d, e, env, &(struct lift_bound){.kind = LIFT_BOUND_MEM, .mem = mem});
        return;
    }
    for (int i = 0; i < e->arg_count; i++)
        if (lift_expr_arg(e, i)->kind != LIFT_EXPR_LAMBDA)
            prepare(d, lift_expr_arg(e, i), env, seen);
}

void sk_prepare(void *drawer, lift_expr e, lift_env env)
{
    LIFT_SCOPED(lift_ptrmap) seen = {0};

    prepare(drawer, e, env, &seen);
}

/* ---- loops */

static void write_element(struct drawer *d, lift_expr e, lift_env env, lift_dest dest,
                          sx index)
{
    lift_expr f = lift_expr_arg(e, 0);
    int facts = d->fact_count;
    lift_dest to = lift_dest_at(d->arena, dest, index);

    sk_cut(d, to, e->type->elem);
    sk_write(d, f->u.lambda.body,
             lift_walk_element(&d->walker, lift_expr_arg(e, 1), env, index, f, env), to);
    d->fact_count = facts;
}

/* Records how threads, lanes and straight-line code share the iterations. */
static void note_sharing(struct drawer *d, lift_expr e, struct sketch_loop *l)
{
    const union lift_attrs *attrs = &e->u.prim.attrs;

    l->collapse = lift_map_collapse(e);
    switch (e->op) {
    case LIFT_MAP_PAR:
        l->each = attrs->par.schedule != LIFT_SCHEDULE_STATIC;
        break;
    case LIFT_MAP_TASK:
        l->each = attrs->task.tasks == LIFT_TASKS_EACH;
        break;
    case LIFT_MAP_UNROLL:
        l->loads = attrs->unroll.loads;
        break;
    case LIFT_MAP_VEC:
        l->lanes = (int)sk_number(d, e->u.prim.nats[0]);
        l->past = attrs->vec.store == LIFT_STORE_NONTEMPORAL;
        if (lift_expr_is(lift_expr_arg(e, 1), LIFT_PREFETCH))
            l->ahead = (int)sk_number(d, lift_expr_arg(e, 1)->u.prim.nats[0]);
        break;
    default:
        break;
    }
}

static void write_map(struct drawer *d, lift_expr e, lift_env env, lift_dest dest)
{
    int level = level_of(e->op), loop = d->loop;
    double n = sk_number(d, e->type->len);
    bool once = d->once;
    sx index;

    sk_prepare(d, lift_expr_arg(e, 1), env);
    if (n < 1)
        return;
    index = sk_open(d, levels[level].kind, lift_map_dim(e), n);
    if (d->loop != loop)
        note_sharing(d, e, &d->out->loops[d->loop]);
    d->once |=
        e->op == LIFT_MAP_UNROLL && e->u.prim.attrs.unroll.tests == LIFT_TESTS_ONCE;
    if (!d->failed)
        write_element(d, e, env, dest, index);
    d->once = once;
    d->loop = loop;
}

/* ---- streams */

struct slide {
    struct sketch_window window;
    double size, ahead; /* elements copied ahead of the step that needs them */
    lift_env env;
    struct sketch_ring *rings;
};

/* The number of work-items that share the loops from 'first' on. */
static double sharers(const struct drawer *d, int first)
{
    double most[3] = {1, 1, 1};

    for (int i = first; i < d->out->loop_count; i++) {
        const struct sketch_loop *l = &d->out->loops[i];

        if (l->kind == SKETCH_LCL && l->dim >= 0 && l->dim < 3)
            most[l->dim] = fmax(most[l->dim], l->extent);
    }
    return most[0] * most[1] * most[2];
}

/* Stores a stream: each step computes the element that enters the window; earlier
 * elements are already stored. Work-items divide registers among them. */
static void store_stream(struct drawer *d, struct slide *s, lift_expr e, double before)
{
    lift_expr f = lift_expr_arg(e, 0), stored = f->u.lambda.body;
    sx newest = sk_linear(d, s->window.first, 1, sk_const(d, s->size - 1 - before), 1);
    struct sketch_mem *mem = sk_mem(d, stored->type, space_of(stored));
    struct sketch_ring *ring = LIFT_NEW(d->arena, struct sketch_ring);
    int loops = d->out->loop_count;

    for (int i = mem->first; i < d->out->buffer_count; i++)
        d->out->buffers[i].slot = d->out->buffers[i].bytes;
    *ring = (struct sketch_ring){&s->window, mem, before, s->size - 1, 0, s->rings};
    mem->ring = s->rings = ring;
    sk_write(
        d, lift_expr_arg(stored, 0),
        lift_walk_element(&d->walker, lift_expr_arg(e, 1), s->env, newest, f, s->env),
        lift_dest_mem(d->arena, mem));
    if (space_of(stored) == SKETCH_PRIVATE)
        d->out->buffers[mem->first].bytes /= sharers(d, loops);
    sk_remember(d, e, s->env, &(struct lift_bound){.kind = LIFT_BOUND_MEM, .mem = mem});
}

/* The number of elements of a view before the first of its argument. For a window, the
 * last element counts. */
static double before_argument(struct drawer *d, lift_expr view)
{
    if (view->op == LIFT_PAD)
        return sk_number(d, view->u.prim.nats[0]);
    return view->op == LIFT_SLIDE ? 1 - sk_number(d, view->u.prim.nats[0]) : 0;
}

/* Stores streams, first those on which others depend. 'before': see struct sketch_ring.
 */
static void store_streams(struct drawer *d, struct slide *s, lift_expr e, double before)
{
    if (e->kind != LIFT_EXPR_PRIM || d->failed || sk_remembered(d, e, s->env))
        return;
    for (int i = 0; i < e->arg_count; i++)
        if (lift_expr_arg(e, i)->kind != LIFT_EXPR_LAMBDA)
            store_streams(d, s, lift_expr_arg(e, i), before + before_argument(d, e));
    if (e->op == LIFT_MAP && lift_expr_is_storage(lift_expr_arg(e, 0)->u.lambda.body))
        store_stream(d, s, e, before);
}

/* Registers and skewed circular buffers keep elements from their entry on. Other buffers
 * keep the elements that are read and the arriving one. */
static void size_rings(struct drawer *d, const struct slide *s)
{
    for (const struct sketch_ring *r = s->rings; r; r = r->next) {
        struct sketch_buffer *b = &d->out->buffers[r->mem->first];
        bool held = b->space == SKETCH_PRIVATE;
        double lo = fmax(0, r->lo), last = s->size - 1;
        double hi = held ? last : fmin(r->hi, last);

        b->bytes *= fmax(1, hi - lo + 1) + (held ? 0 : s->ahead);
    }
}

static void write_slide(struct drawer *d, lift_expr e, lift_env env, lift_dest dest)
{
    double steps = sk_number(d, e->type->len), step = sk_number(d, e->u.prim.nats[1]);
    int loop = d->loop;
    struct slide s = {.window = {.xs = lift_expr_arg(e, 1), .depth = -1},
                      .size = sk_number(d, e->u.prim.nats[0]),
                      /* values that a step stores are valid only inside the loop */
                      .env = lift_arena_copy(d->arena, env, sizeof *env)};
    struct lift_bound v = {.kind = LIFT_BOUND_WINDOW, .window = &s.window};
    sx at;

    s.ahead = (double)lift_slide_ahead(e, (int64_t)step);
    sk_prepare(d, lift_expr_arg(e, 1), env);
    if (steps < 1)
        return;
    at = sk_open(d, SKETCH_STREAM, 0, steps);
    if (d->loop != loop && e->u.prim.attrs.slide.copy != LIFT_COPY_PLAIN)
        d->out->loops[d->loop].copies = (int)s.ahead;
    if (d->loop != loop) {
        d->out->loops[d->loop].barrier = e->u.prim.attrs.slide.barrier;
        d->out->loops[d->loop].fixed = e->u.prim.attrs.slide.window == LIFT_WINDOW_UNROLL;
    }
    s.window.env = s.env;
    s.window.depth = d->loop == loop ? -1 : d->out->loops[d->loop].depth;
    s.window.first = sk_linear(d, at, step, at, 0);
    store_streams(d, &s, s.window.xs, 0);
    if (!d->failed)
        sk_write(d, lift_expr_arg(e, 0)->u.lambda.body,
                 lift_walk_bind(&d->walker, env, v), lift_dest_at(d->arena, dest, at));
    size_rings(d, &s);
    d->loop = loop;
}

/* ---- the spine */

/* Stores the members of a tuple and the lanes of a vector one by one. */
static void write_leaves(struct drawer *d, lift_expr e, lift_env env, lift_dest dest,
                         lift_access path)
{
    lift_type t = lift_access_type(e->type, path);
    int loop = d->loop;

    if (t->kind == LIFT_TYPE_TUPLE) {
        for (int i = 0; i < t->count; i++)
            write_leaves(d, e, env, lift_dest_member(d->arena, dest, i),
                         lift_access_append(d->arena, path, sk_member(d, i, NULL)));
        return;
    }
    if (!lift_type_is_value(t)) {
        d->failed = true;
        return;
    }
    sk_read(d, e, env, path);
    path = NULL;
    if (t->kind == LIFT_TYPE_VECTOR)
        path = sk_index(d, sk_open(d, SKETCH_LANES, 0, t->count), NULL);
    if (!d->failed)
        sk_store(d, dest, path);
    d->loop = loop;
}

static void write_moved(struct drawer *d, lift_expr e, lift_env env, lift_dest dest)
{
    for (int i = 0; i < e->arg_count && !d->failed; i++) {
        lift_dest inner = lift_dest_into(d->arena, e, i, dest);

        if (lift_moved_slot(e) >= 0 && i != lift_moved_slot(e))
            continue;
        if (!inner) {
            d->failed = true;
            return;
        }
        sk_write(d, lift_expr_arg(e, i), env, inner);
    }
}

/* Writes both sides of a choice, regardless of their shares. A block takes one side: the
 * sketch assumes the second, with more predicates. */
static void write_select(struct drawer *d, lift_expr e, lift_env env, lift_dest dest)
{
    sk_read(d, lift_expr_arg(e, 0), env, NULL);
    if (d->out->loops[d->loop].kind != SKETCH_WRG)
        sk_write(d, lift_expr_arg(e, 1), env, dest);
    sk_write(d, lift_expr_arg(e, 2), env, dest);
}

/* Visits a repeated body once; its kernels run several times. */
static void write_repeated(struct drawer *d, lift_expr e, lift_env env, lift_dest dest)
{
    struct lift_bound from = {.kind = LIFT_BOUND_MEM, .mem = dest->u.mem};
    double runs = d->runs;

    d->runs *= sk_number(d, e->u.prim.nats[0]);
    if (d->runs > 0)
        sk_write(d, lift_expr_arg(lift_expr_arg(e, 0)->u.lambda.body, 0),
                 lift_walk_bind(&d->walker, env, from), dest);
    d->runs = runs;
}

/* True for values of several elements in separate places. */
static bool is_spread(lift_expr e)
{
    return e->kind == LIFT_EXPR_PRIM &&
           (e->type->kind == LIFT_TYPE_ARRAY || e->op == LIFT_TUPLE ||
            e->op == LIFT_UNZIP || (e->op == LIFT_SELECT && lift_is_grids(e->type)));
}

/* True for a copied member of a stored tuple that is already stored in the result. */
static bool is_passed(const struct drawer *d, lift_expr e, lift_env env)
{
    int k;
    lift_expr tuple = lift_copied_member(e, &k);
    const struct lift_bound *v = tuple ? lift_walk_lookup(env, tuple->u.index) : NULL;

    return v && v->kind == LIFT_BOUND_MEM &&
           d->out->buffers[((const struct sketch_mem *)v->mem)->first].space ==
               SKETCH_GLOBAL;
}

void sk_write(struct drawer *d, lift_expr e, lift_env env, lift_dest dest)
{
    if (d->failed || is_passed(d, e, env))
        return;
    if (lift_expr_is(e, LIFT_LET))
        sk_write(
            d, lift_expr_arg(e, 1)->u.lambda.body,
            lift_walk_bind(&d->walker, env,
                           lift_walk_value(&d->walker, "", lift_expr_arg(e, 0), env)),
            dest);
    else if (lift_expr_is_placed(e) || lift_expr_is(e, LIFT_IN_PLACE))
        sk_write(d, lift_expr_arg(e, e->arg_count - 1), env, dest);
    else if (lift_is_repeated(e) && dest->kind == LIFT_DEST_MEM)
        write_repeated(d, e, env, dest);
    else if (!is_spread(e))
        write_leaves(d, e, env, dest, NULL);
    else if (level_of(e->op) >= 0)
        write_map(d, e, env, dest);
    else if (e->op == LIFT_MAP_SEQ_SLIDE)
        write_slide(d, e, env, dest);
    else if (e->op == LIFT_SELECT)
        write_select(d, e, env, dest);
    else
        write_moved(d, e, env, dest);
}
