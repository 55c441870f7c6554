/* Storage of the planes of a stream.
 *
 *     mapSeqSlide(F, n, s, x) = mapSeqSlide(F, n, s, map(fun(p => toLocal(copy(p))), x))
 *
 * also for members of a zip. The stored planes form a circular buffer in local memory. A
 * star needs only its centre plane in this buffer; the column through the star is in
 * registers. The circular buffer is then a separate stream, zipped with the planes. */
#include "rules/native/natives.h"
#include "rules/native/planes.h"
#include "rules/native/retime.h"

enum { MAX_LEAVES = 24 };

struct leaves {
    lift_expr items[MAX_LEAVES];
    bool halo[MAX_LEAVES]; /* larger than the planes of the result */
    int count;
    int path[LIFT_MAX_ARGS], depth; /* member indices of the surrounding zips */
    const struct always *always;
};

/* True for a stored stream. The pad of a kept value delays the value relative to the
 * stream. */
static bool is_stored(lift_expr e)
{
    lift_expr body;

    if (lift_expr_is(e, LIFT_PAD))
        e = e->u.prim.args[0];
    body = lift_expr_is(e, LIFT_MAP) ? e->u.prim.args[0]->u.lambda.body : NULL;

    return body &&
           (lift_expr_is(body, LIFT_TO_PRIVATE) || lift_expr_is(body, LIFT_TO_LOCAL));
}

static bool has_halo(lift_type plane, lift_type result)
{
    for (; plane->kind == LIFT_TYPE_ARRAY && result->kind == LIFT_TYPE_ARRAY;
         plane = plane->elem, result = result->elem)
        if (plane->len != result->len)
            return true;
    return false;
}

/* True for arrays of predicates. Each use computes a predicate from indices; predicates
 * are not stored. */
static bool is_condition(lift_type t)
{
    t = lift_type_base(t);
    return t->kind == LIFT_TYPE_SCALAR && t->scalar == LIFT_BOOL;
}

/* ---- unconditional reads */

enum { MAX_DEPTH = 8 };

/* The reads of f, in normal form. A read is unconditional if f reads the member whatever
 * its predicates are. */
struct always {
    lift_expr root, body;     /* the argument, and the body of f */
    struct lift_ptrmap known; /* results of reads(): an expression that reads the member
                                 maps to itself, another expression to root */
};

/* Finds the path of members that a read selects, starting at the argument. Returns the
 * length of the path; -1 if 'e' is not a read. */
static int members_of(const struct always *a, lift_expr e, int path[MAX_DEPTH])
{
    int inner[MAX_DEPTH], count = 0;

    for (; lift_expr_is(e, LIFT_GET) || lift_expr_is(e, LIFT_AT); e = e->u.prim.args[0])
        if (e->op == LIFT_GET && count < MAX_DEPTH)
            inner[count++] = e->u.prim.attrs.get.k;
    for (int i = 0; i < count; i++)
        path[i] = inner[count - 1 - i];
    return e == a->root ? count : -1;
}

static bool reads(struct always *a, const int *path, int depth, lift_expr e);

static bool reads_inside(struct always *a, const int *path, int depth, lift_expr e)
{
    if (lift_expr_is(e, LIFT_SELECT))
        return reads(a, path, depth, e->u.prim.args[0]) ||
               (reads(a, path, depth, e->u.prim.args[1]) &&
                reads(a, path, depth, e->u.prim.args[2]));
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (reads(a, path, depth, lift_expr_child(e, i)))
            return true;
    return false;
}

/* True if 'e' always reads the member with this path, or a tuple that contains the
 * member. */
static bool reads(struct always *a, const int *path, int depth, lift_expr e)
{
    int own[MAX_DEPTH], count = members_of(a, e, own);
    const void *known = lift_ptrmap_get(&a->known, e);

    if (count >= 0) {
        for (int i = 0; i < count && i < depth; i++)
            if (own[i] != path[i])
                return false;
        return true;
    }
    if (!known) {
        known = reads_inside(a, path, depth, e) ? e : a->root;
        lift_ptrmap_put(&a->known, e, (void *)known);
    }
    return known == e;
}

/* Finds f in map_n(d, f, points) under the function of a stream; false for other forms.
 */
static bool find_always(struct lift_ir *ir, lift_expr slide, struct always *a)
{
    lift_expr f = slide->u.prim.args[0], W = lift_fresh(ir, "W", f->type->parts[0]);
    lift_expr body = lift_expr_apply(ir, f, &W), points;
    int d = lift_type_rank(slide->type) - 1;

    if (d < 1 || !nd_is_map(ir, d, body, &f, &points))
        return false;
    a->root = lift_fresh(ir, "t", f->type->parts[0]);
    a->body = lift_expr_apply(ir, f, &a->root);
    a->body = a->body->loose ? NULL : retime_normal(ir, a->body);
    return a->body != NULL;
}

/* True if all points read the current member. Arrays that only some points read keep
 * their storage. */
static bool is_read_always(struct leaves *l)
{
    struct always a;
    bool is;

    if (!l->always)
        return true;
    a = *l->always;
    is = reads(&a, l->path, l->depth, a.body);
    lift_ptrmap_fini(&a.known);
    return is;
}

/* Finds the arrays of planes of plain values in nested zips. */
static void find_leaves(lift_expr xs, lift_type result, struct leaves *l)
{
    lift_type t = xs->type;

    if (lift_expr_is(xs, LIFT_ZIP) && l->depth < MAX_DEPTH) {
        for (int i = 0; i < xs->arg_count; i++) {
            l->path[l->depth++] = i;
            find_leaves(xs->u.prim.args[i], result, l);
            l->depth--;
        }
        return;
    }
    if (is_stored(xs) || lift_type_rank(t) < 2 ||
        !lift_type_is_value(lift_type_base(t)) || is_condition(t) ||
        l->count == MAX_LEAVES || !is_read_always(l))
        return;
    l->halo[l->count] = has_halo(t->elem, result);
    l->items[l->count++] = xs;
}

static lift_expr with_stream(struct lift_ir *ir, lift_expr e, lift_expr xs)
{
    return lift_expr_with_child(ir, e, 1, xs);
}

static int count_halos(const struct leaves *l)
{
    int count = 0;

    for (int i = 0; i < l->count; i++)
        count += l->halo[i];
    return count;
}

/* Replaces all leaves, or only leaves with a halo, by circular buffers. */
static lift_expr with_rings(struct lift_ir *ir, lift_expr xs, const struct leaves *l,
                            bool all)
{
    for (int i = 0; i < l->count && xs; i++)
        if (all || l->halo[i])
            xs = planes_replace(ir, xs, l->items[i], planes_ring(ir, l->items[i]));
    return xs;
}

static void ring_leaves(struct rule_redex *redex, struct leaves *l)
{
    lift_expr e = redex->at, xs = e->u.prim.args[1];
    int halos;

    find_leaves(xs, e->type->elem, l);
    halos = count_halos(l);
    if (halos > 0)
        redex_emit(redex, with_stream(redex->ir, e, with_rings(redex->ir, xs, l, false)));
    if (halos < l->count)
        redex_emit(redex, with_stream(redex->ir, e, with_rings(redex->ir, xs, l, true)));
}

void rule_circular_planes(struct rule_redex *redex)
{
    struct leaves l = {.count = 0};

    ring_leaves(redex, &l);
}

void rule_circular_unconditional(struct rule_redex *redex)
{
    struct always a = {0};
    struct leaves l = {.always = &a};

    if (find_always(redex->ir, redex->at, &a))
        ring_leaves(redex, &l);
}

/* Computes values stored in registers from planes in circular buffers. */
static lift_expr stored_from_rings(struct lift_ir *ir, lift_expr xs,
                                   const struct leaves *l)
{
    lift_expr children[LIFT_MAX_ARGS];

    if (is_stored(xs))
        return with_rings(ir, xs, l, false);
    if (!lift_expr_is(xs, LIFT_ZIP))
        return xs;
    for (int i = 0; i < xs->arg_count; i++)
        children[i] = stored_from_rings(ir, xs->u.prim.args[i], l);
    return lift_call(ir, LIFT_ZIP, children, xs->arg_count);
}

void rule_circular_stored(struct rule_redex *redex)
{
    lift_expr e = redex->at, xs = e->u.prim.args[1], to;
    struct leaves l = {.count = 0};

    find_leaves(xs, e->type->elem, &l);
    if (count_halos(&l) == 0)
        return;
    to = stored_from_rings(redex->ir, xs, &l);
    if (to != xs)
        redex_emit(redex, with_stream(redex->ir, e, to));
}

/* ---- the column of a circular buffer
 *
 * If the planes of x are in a circular buffer, the column of points in registers is
 * loaded from the buffer. So x becomes map(fun(p => toPrivate(copy(p))), circular buffer
 * of x). */

static bool occurs(lift_expr e, lift_expr what)
{
    if (e == what)
        return true;
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < e->arg_count; i++)
        if (occurs(e->u.prim.args[i], what))
            return true;
    return false;
}

/* Reads each member of 'xs', and of nested zips, from its circular buffer if 'all'
 * contains the buffer. */
static lift_expr from_rings(struct lift_ir *ir, lift_expr xs, lift_expr all)
{
    lift_expr children[LIFT_MAX_ARGS], ring;

    if (!lift_expr_is(xs, LIFT_ZIP)) {
        if (is_stored(xs) || lift_type_rank(xs->type) < 2 ||
            !lift_type_is_value(lift_type_base(xs->type)))
            return xs;
        ring = planes_ring(ir, xs);
        return occurs(all, ring) ? planes_copied(ir, LIFT_TO_PRIVATE, ring) : xs;
    }
    for (int i = 0; i < xs->arg_count; i++)
        children[i] = from_rings(ir, xs->u.prim.args[i], all);
    return lift_call(ir, LIFT_ZIP, children, xs->arg_count);
}

void rule_column_of_circular(struct rule_redex *redex)
{
    lift_expr xs = redex->at->u.prim.args[1], to = from_rings(redex->ir, xs, xs);

    if (to != xs)
        redex_emit(redex, with_stream(redex->ir, redex->at, to));
}

/* Reads neighbouring values of members with a circular buffer by shuffles. */
void rule_shuffle_neighbours(struct rule_redex *redex)
{
    struct lift_prim_args a;

    lift_expr_args(redex->at, &a);
    if (a.attrs.slide.beside == LIFT_BESIDE_ASKED)
        return;
    if (!lift_expr_mentions(a.args[1], LIFT_TO_LOCAL)) {
        redex_refuse(redex, "no stream has a circular buffer in local memory");
        return;
    }
    a.attrs.slide.beside = LIFT_BESIDE_ASKED;
    redex_emit(redex, lift_make(redex->ir, LIFT_MAP_SEQ_SLIDE, &a));
}

/* ---- one plane of a star
 *
 * The window W' of the new stream has the members of the old window, then the circular
 * buffers. */

struct staging {
    struct planes p;
    uint64_t beside[LIFT_MAX_ARGS]; /* planes of each part that the stencil reads from a
                                       circular buffer */
    int ring[LIFT_MAX_ARGS];        /* the member of each part's circular buffer */
    lift_expr xs;
};

/* Returns planes from..to-1 of member 'k' of W. */
static lift_expr stretch(struct staging *s, lift_expr W, int k, int64_t from, int64_t to)
{
    struct lift_nats *nats = lift_ir_nats(s->p.ir);

    W = lift_call_nat(s->p.ir, LIFT_DROP, lift_nat_const(nats, from), W);
    W = lift_call_nat(s->p.ir, LIFT_TAKE, lift_nat_const(nats, to - from), W);
    return nd_map_get(s->p.ir, k, W);
}

/* True if the circular buffer holds the plane. In windows of 64 planes or more, the
 * buffer holds all planes or none. */
static bool is_in_ring(const struct staging *s, int i, int64_t plane)
{
    return s->beside[i] >> (plane < 64 ? plane : 0) & 1;
}

/* Returns the planes of part 'i', each from the member or from its circular buffer. */
static lift_expr mixed_planes(struct staging *s, int i, lift_expr W)
{
    const struct plane_part *part = &s->p.parts[i];
    lift_expr pieces[LIFT_MAX_ARGS];
    int count = 0;

    for (int64_t k = 0, next; k < part->size; k = next) {
        bool ring = is_in_ring(s, i, k);

        for (next = k + 1; next < part->size && is_in_ring(s, i, next) == ring;)
            next++;
        if (count == LIFT_MAX_ARGS)
            return NULL;
        pieces[count++] =
            stretch(s, W, ring ? s->ring[i] : i, part->offset + k, part->offset + next);
    }
    return count == 1 ? pieces[0] : lift_call(s->p.ir, LIFT_CONCAT, pieces, count);
}

static lift_expr staged_body(struct lift_ir *ir, void *user, lift_expr W)
{
    struct staging *s = user;
    lift_expr members[LIFT_MAX_ARGS], points;

    for (int i = 0; i < s->p.count; i++) {
        const struct plane_part *part = &s->p.parts[i];

        members[i] = part->window
                         ? planes_points(&s->p, i, mixed_planes(s, i, W))
                         : lift_get(s->p.ir, i, lift_at(s->p.ir, part->offset, W));
    }
    points = s->p.zipped ? lift_zip_n(ir, s->p.d - 1, members, s->p.count) : members[0];
    return lift_map_n(ir, s->p.d - 1, s->p.f, points);
}

/* Adds a circular buffer for each part whose neighbours f reads; false if there is no
 * such part. */
static bool add_rings(struct staging *s)
{
    lift_expr members[LIFT_MAX_ARGS];
    int count = s->p.count;

    for (int i = 0; i < s->p.count; i++) {
        int64_t size = s->p.parts[i].size;
        uint64_t all = size < 64 ? ((uint64_t)1 << size) - 1 : UINT64_MAX;

        members[i] = planes_member(&s->p, i);
        s->beside[i] = planes_beside(&s->p, i);
        if (is_stored(members[i]) || (s->beside[i] & all) == all)
            s->beside[i] = 0;
        if (s->beside[i] == 0)
            continue;
        if (count == LIFT_MAX_ARGS)
            return false;
        s->ring[i] = count;
        members[count++] = planes_ring(s->p.ir, members[i]);
    }
    s->xs = count > s->p.count ? lift_call(s->p.ir, LIFT_ZIP, members, count) : NULL;
    return s->xs != NULL;
}

void rule_star_split(struct rule_redex *redex)
{
    struct staging s = {.xs = NULL};
    struct lift_prim_args a;

    if (!planes_parse(redex->ir, redex->numbers.dims, redex->at, &s.p) || !add_rings(&s))
        return;
    lift_expr_args(redex->at, &a);
    a.args[1] = s.xs;
    a.args[0] = lift_lambda(redex->ir, "W",
                            lift_type_array(redex->ir, s.xs->type->elem, a.nats[0]),
                            staged_body, &s);
    redex_emit(redex, lift_make(redex->ir, LIFT_MAP_SEQ_SLIDE, &a));
}
