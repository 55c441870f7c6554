/* The places that an element of a result depends on. The walk reads the term as for a
 * kernel, but from the outside in, at one generic place. It stores nothing on the way,
 * and follows all alternatives. */
#include "explore/cost/sketch_t.h"

enum { MOST_READS = 1000000 };

sx sk_from(struct drawer *d, sx a, struct sketch_origin origin)
{
    struct sketch_index *x;

    if (!d->places)
        return a;
    x = lift_arena_copy(d->arena, a,
                        offsetof(struct sketch_index, by) +
                            sizeof(double) * (size_t)a->depth);
    origin.next = a->from;
    x->from = lift_arena_copy(d->arena, &origin, sizeof origin);
    return x;
}

/* ---- inputs */

/* Adds the ranges of the loops inside the result's loops. */
static void inner_range(sx a, int rank, const double extent[SKETCH_DEPTH], double *lo,
                        double *hi)
{
    *lo = *hi = 0;
    for (int i = rank; i < a->depth; i++)
        *(a->by[i] < 0 ? lo : hi) += a->by[i] * (extent[i] - 1);
}

static void visit_place(struct drawer *d, const struct sketch_mem *mem, lift_access path)
{
    struct sketch_place place = {
        .input = mem->first, .output = d->places->output, .rank = d->places->rank};
    const struct sketch_loop *l = &d->out->loops[d->loop];
    lift_type t = mem->type;

    place.inner = l->depth + 1 - place.rank;
    for (; l->depth >= place.rank; l = &d->out->loops[l->parent])
        place.extent[l->depth] = l->extent;
    for (; path && !lift_type_is_value(t) && !d->failed; path = path->next)
        if (t->kind == LIFT_TYPE_ARRAY && path->index && place.dims < SKETCH_DEPTH) {
            sx at = path->index;

            inner_range(at, place.rank, place.extent, &place.lo[place.dims],
                        &place.hi[place.dims]);
            place.at[place.dims++] = at;
            t = t->elem;
        } else {
            d->failed = true;
        }
    d->failed |= !lift_type_is_value(t);
    if (!d->failed)
        d->places->visit(d->places->user, &place);
}

static const void *input(void *user, lift_expr e, lift_access path)
{
    const struct sketch_mem *mem = sk_input(user, e);

    if (mem)
        visit_place(user, mem, path);
    return NULL;
}

/* ---- primitives with values from several arguments */

/* Reads all scalars of a value, arrays by loops. 'path' selects the element of the
 * outermost arrays that have one. */
static void read_every(struct drawer *d, lift_expr e, lift_env env, lift_type t,
                       lift_access head, lift_access path)
{
    int loop = d->loop;
    sx at = path ? path->index : NULL;

    if (t->kind == LIFT_TYPE_ARRAY && at)
        at = sk_from(d, at, (struct sketch_origin){.kind = SKETCH_ROUNDED});
    else if (t->kind == LIFT_TYPE_ARRAY)
        at = sk_open(d, SKETCH_REDUCE, 0, sk_number(d, t->len));
    if (d->failed)
        return;
    if (t->kind == LIFT_TYPE_ARRAY)
        read_every(d, e, env, t->elem,
                   lift_access_append(d->arena, head, sk_index(d, at, NULL)),
                   path ? path->next : NULL);
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        read_every(d, e, env, t->parts[i],
                   lift_access_append(d->arena, head, sk_member(d, i, NULL)),
                   path ? path->next : NULL);
    if (lift_type_is_value(t))
        sk_read(d, e, env, head);
    d->loop = loop;
}

static const void *r_reduce(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    const struct lift_walker *w = &d->walker;
    int loop = d->loop, count = d->out->loop_count;
    double n = sk_number(d, lift_expr_arg(e, 2)->type->len);
    lift_expr f = lift_expr_arg(e, 0);
    lift_env inner;
    sx i;

    read_every(d, lift_expr_arg(e, 1), env, e->type, NULL, path);
    if (n < 1 || d->failed)
        return NULL;
    i = sk_open(d, SKETCH_REDUCE, 0, n);
    inner = lift_walk_element(w, lift_expr_arg(e, 2), env, i, f,
                              lift_walk_bind(w, env, lift_walk_known(NULL)));
    read_every(d, f->u.lambda.body, inner, e->type, NULL, path);
    d->loop = loop;
    d->out->loop_count = count; /* drop the loops */
    return NULL;
}

/* Records an inset of the dimension that an index of the result follows. */
static void note_inside(struct drawer *d, sx i, double length)
{
    int along = -1, count = 0;

    for (int k = 0; k < i->depth && k < d->places->rank; k++)
        if (i->by[k] != 0) {
            along = k;
            count++;
        }
    if (count == 1 && i->by[along] == 1 && length < d->places->inside[along])
        d->places->inside[along] = length;
}

static const void *r_inset(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;

    if (e->op == LIFT_INSET && path && path->index)
        note_inside(d, path->index, sk_number(d, lift_expr_arg(e, 1)->type->len));
    sk_read(d, lift_expr_arg(e, 0), env, path);
    return sk_read(d, lift_expr_arg(e, 1), env,
                   lift_view_read(&d->walker.indices, e, 1, path));
}

static const void *r_pad(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    int slot = e->arg_count - 1;
    sx j = lift_view_index(&d->walker.indices, e, slot, lift_walk_pop(&d->walker, &path));

    j = sk_from(d, j,
                (struct sketch_origin){.kind = SKETCH_PAD,
                                       .pad = e,
                                       .before = sk_number(d, e->u.prim.nats[0]),
                                       .after = sk_number(d, e->u.prim.nats[1])});
    return sk_read(d, lift_expr_arg(e, slot), env, sk_index(d, j, path));
}

/* A mapSeqSlide is read as a map over windows. */
static const void *r_windows(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct drawer *d = user;
    sx i = lift_walk_pop(&d->walker, &path);
    struct sketch_window w = {.xs = lift_expr_arg(e, 1), .env = env, .depth = -1};
    struct lift_bound v = {.kind = LIFT_BOUND_WINDOW};

    w.first = sk_linear(d, i, sk_number(d, e->u.prim.nats[1]), i, 0);
    v.window = lift_arena_copy(d->arena, &w, sizeof w);
    return sk_read(d, lift_expr_arg(e, 0)->u.lambda.body,
                   lift_walk_bind(&d->walker, env, v), path);
}

/* The operations of cost sketches, except that nothing is stored and all alternatives are
 * read. */
static struct lift_walk_ops places_ops(void)
{
    struct lift_walk_ops ops = sk_cost_ops;

    ops.input = input;
    ops.prepare = NULL;
    ops.own[LIFT_WALK_MAP] = ops.own[LIFT_WALK_PAD_VALUE] = NULL;
    ops.own[LIFT_WALK_CONCAT] = ops.own[LIFT_WALK_INJECT] = NULL;
    ops.own[LIFT_WALK_INSET] = r_inset;
    ops.own[LIFT_WALK_PAD] = ops.own[LIFT_WALK_PAD_STORED] = r_pad;
    ops.own[LIFT_WALK_WINDOWS] = r_windows;
    ops.own[LIFT_WALK_REDUCE] = r_reduce;
    return ops;
}

/* ---- the whole */

static void note_extent(struct drawer *d)
{
    const struct sketch_loop *l = &d->out->loops[d->loop];
    struct sketch_extent e = {1, 1};

    for (int k = 0; k < d->places->rank; k++)
        e.inside *= d->places->inside[k];
    for (; l->parent >= 0; l = &d->out->loops[l->parent])
        e.all *= l->extent;
    if (e.all > d->places->largest->all)
        *d->places->largest = e;
}

/* Reads from the outside in: opens a loop for each dimension, and reads each member. */
static void read_result(struct drawer *d, lift_type t, lift_access path)
{
    int loop = d->loop, count = d->out->loop_count;
    bool whole = !path;

    if (t->kind == LIFT_TYPE_ARRAY) {
        /* also for a single element: each dimension needs an index */
        sx at = sk_open(d, SKETCH_PAR, 0, sk_number(d, t->len));

        d->failed |= d->places->rank == SKETCH_DEPTH;
        if (!d->failed) {
            d->places->inside[d->places->rank++] = sk_number(d, t->len);
            read_result(d, t->elem,
                        lift_access_append(d->arena, path, sk_index(d, at, NULL)));
            d->places->rank--;
        }
    }
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++) {
        if (whole)
            d->places->output = i;
        read_result(d, t->parts[i],
                    lift_access_append(d->arena, path, sk_member(d, i, NULL)));
    }
    if (lift_type_is_value(t)) {
        sk_read(d, d->request->term,
                lift_walk_bind(&d->walker, NULL, lift_walk_known(NULL)), path);
        note_extent(d);
    }
    d->loop = loop;
    d->out->loop_count = count;
}

bool sketch_places(const struct sketch_request *request, struct lift_arena *arena,
                   sketch_visit *visit, void *user, struct sketch_extent *out)
{
    const struct lift_walk_ops ops = places_ops();
    struct sketch_places places = {
        .visit = visit, .user = user, .left = MOST_READS, .largest = out};
    struct drawer d = {.request = request,
                       .arena = arena,
                       .out = LIFT_NEW(arena, struct sketch),
                       .kept = -1,
                       .cut = -1,
                       .places = &places};

    *out = (struct sketch_extent){0, 0};
    d.walker = (struct lift_walker){&ops, {&sk_index_ops, &d, arena}};
    sk_inputs(&d);
    read_result(&d, request->term->type, NULL);
    lift_ptrmap_fini(&d.numbers);
    return !d.failed;
}
