/* What an element of a result depends on: the term is read as for a kernel, but from the
 * outside in at a place that stands for all, with nothing stored on the way, and all
 * alternatives are gone through. */
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

/* What the loops inside of those of the result add. */
static void inner_range(sx a, int rank, const double extent[SKETCH_DEPTH], double *lo,
                        double *hi)
{
    *lo = *hi = 0;
    for (int i = rank; i < a->depth; i++)
        *(a->by[i] < 0 ? lo : hi) += a->by[i] * (extent[i] - 1);
}

static void find_extents(const struct drawer *d, struct sketch_place *place)
{
    const struct sketch_loop *l = &d->out->loops[d->loop];

    place->inner = l->depth + 1 - place->rank;
    for (; l->depth >= place->rank; l = &d->out->loops[l->parent])
        place->extent[l->depth] = l->extent;
}

void sk_place(struct drawer *d, const struct sketch_mem *mem, lift_access path)
{
    struct sketch_place place = {
        .input = mem->first, .output = d->places->output, .rank = d->places->rank};
    lift_type t = mem->type;

    find_extents(d, &place);
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

/* ---- primitives whose value comes from several */

/* All scalars of a value, those of arrays by loops; of the outermost arrays the element
 * at 'path', if it has one. */
static void read_every(struct drawer *d, lift_expr e, senv env, lift_type t,
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

void sk_reduce_places(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    int loop = d->loop, count = d->out->loop_count;
    double n = sk_number(d, lift_expr_arg(e, 2)->type->len);
    lift_expr f = lift_expr_arg(e, 0);
    const struct sketch_value acc = {.kind = SVALUE_SCALAR};
    senv inner;
    sx i;

    read_every(d, lift_expr_arg(e, 1), env, e->type, NULL, path);
    if (n < 1 || d->failed)
        return;
    i = sk_open(d, SKETCH_REDUCE, 0, n);
    inner =
        sk_bind(d, sk_bind(d, env, acc), sk_element(d, lift_expr_arg(e, 2), env, i, f));
    read_every(d, f->u.lambda.body, inner, e->type, NULL, path);
    d->loop = loop;
    d->out->loop_count = count; /* nothing of these loops is kept */
}

void sk_concat_places(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    if (!path || !path->index) {
        d->failed = true;
        return;
    }
    for (int i = 0; i < e->arg_count; i++)
        sk_read(d, lift_expr_arg(e, i), env,
                sk_index(d, lift_view_index(&d->indices, e, i, path->index), path->next));
}

/* An inset of the dimension that an index of the result goes along. */
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

void sk_border_places(struct drawer *d, lift_expr e, senv env, sx i, lift_access path)
{
    lift_expr inside = lift_expr_arg(e, e->arg_count - 1);
    struct sketch_value at = {.kind = SVALUE_SCALAR}, n = at;

    if (e->op == LIFT_INSET) {
        note_inside(d, i, sk_number(d, inside->type->len));
        sk_read(d, lift_expr_arg(e, 0), env, sk_index(d, i, path));
    }
    if (e->op != LIFT_PAD_VALUE)
        return;
    at.known = lift_view_index(&d->indices, e, 1, i);
    n.known = sk_const(d, sk_number(d, inside->type->len));
    sk_read(d, lift_expr_arg(e, 0)->u.lambda.body, sk_bind(d, sk_bind(d, env, at), n),
            path);
}

sx sk_slide_places(struct drawer *d, lift_expr e, senv env, lift_access path)
{
    struct sketch_window *w = LIFT_NEW(d->arena, struct sketch_window);
    struct sketch_value v = {.kind = SVALUE_WINDOW, .window = w};

    if (!path || !path->index) {
        d->failed = true;
        return NULL;
    }
    *w = (struct sketch_window){.xs = lift_expr_arg(e, 1), .env = env, .depth = -1};
    w->first = sk_linear(d, path->index, sk_number(d, e->u.prim.nats[1]), path->index, 0);
    return sk_read(d, lift_expr_arg(e, 0)->u.lambda.body, sk_bind(d, env, v), path->next);
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

/* From the outside in: a loop a dimension, and each member. */
static void read_result(struct drawer *d, lift_type t, lift_access path)
{
    const struct sketch_value none = {.kind = SVALUE_SCALAR};
    int loop = d->loop, count = d->out->loop_count;
    bool whole = !path;

    if (t->kind == LIFT_TYPE_ARRAY) {
        /* also if there is one element only: its index is a dimension's */
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
        sk_read(d, d->request->term, sk_bind(d, NULL, none), path);
        note_extent(d);
    }
    d->loop = loop;
    d->out->loop_count = count;
}

bool sketch_places(const struct sketch_request *request, struct lift_arena *arena,
                   sketch_visit *visit, void *user, struct sketch_extent *out)
{
    struct sketch_places places = {
        .visit = visit, .user = user, .left = MOST_READS, .largest = out};
    struct drawer d = {.request = request,
                       .arena = arena,
                       .out = LIFT_NEW(arena, struct sketch),
                       .kept = -1,
                       .cut = -1,
                       .places = &places};

    *out = (struct sketch_extent){0, 0};
    d.indices = sk_indices(&d);
    sk_inputs(&d);
    read_result(&d, request->term->type, NULL);
    lift_ptrmap_fini(&d.numbers);
    return !d.failed;
}

/* An element of 'e' or of a member that nobody knows which it is. */
static void read_some(struct drawer *d, lift_expr e, senv env, lift_type t,
                      lift_access path)
{
    lift_access all = NULL;
    sx at = sk_from(d, sk_const(d, 0), (struct sketch_origin){.kind = SKETCH_UNKNOWN});

    for (int k = lift_type_rank(t); k > 0; k--)
        all = sk_index(d, at, all);
    sk_read(d, e, env, lift_access_append(d->arena, path, all));
}

/* What is added to a few elements costs nothing beside a grid. */
void sk_added(struct drawer *d, lift_expr e, senv env)
{
    lift_type t = e->u.prim.args[1]->type;

    for (int i = 0; d->places && i < t->count; i++)
        read_some(d, e->u.prim.args[1], env, t->parts[i], sk_member(d, i, NULL));
    if (d->places)
        read_some(d, e->u.prim.args[2], env, e->u.prim.args[2]->type, NULL);
}
