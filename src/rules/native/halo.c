/* Copies of a tile with its halo to shared memory, without the corners that no window
 * reads.
 *
 *     let l = toLocal(copy(x)) in body
 *     mapSeqSlide(F, n, s, map(fun(p => toLocal(copy(p))), x))
 *
 * where the copy is a nest of mapLcl. The attributes of the nest say how many elements of
 * each dimension are halo, and which corners a read of the body or of F needs. */
#include "ir/reach.h"
#include "ir/spine.h"
#include "rules/native/natives.h"
#include "rules/native/planes.h"
#include "rules/native/stages/parts.h"
#include "rules/nd.h"

enum { MOST_OFFSET = 64, MOST_PATH = LIFT_REACH_PATH, MOST_ALIASES = 4 };

/* The reads of a copied tile or of the planes of a stream. */
struct halo_reads {
    int dims;  /* of the copy */
    int first; /* the dimension of the result that corresponds to the copy's first */
    int skip;  /* indices before the indices of the copy: 1 for the plane of a window */
    int aliases, depth[MOST_ALIASES], path[MOST_ALIASES][MOST_PATH]; /* members */
    bool any, failed;
    int count[LIFT_MAX_DIMS][MOST_OFFSET]; /* reads at this offset alone */
    int64_t hi[LIFT_MAX_DIMS];             /* the largest offset */
    int centre[LIFT_MAX_DIMS];
    int corners[LIFT_MAX_DIMS]; /* bit k: reads off the centre in both dimensions */
};

static bool is_of_copy(const struct halo_reads *h, const struct lift_reach_read *r)
{
    bool is = h->aliases == 0;

    for (int a = 0; a < h->aliases && !is; a++) {
        is = h->depth[a] <= r->member_count;
        for (int i = 0; i < h->depth[a] && is; i++)
            is = h->path[a][i] == r->members[i];
    }
    return is;
}

/* The indices of a read in the copy; NULL: a read of another member, or one that the
 * analysis does not know. */
static const struct lift_reach_index *indices_of(struct halo_reads *h,
                                                 const struct lift_reach_read *r)
{
    const struct lift_reach_index *x = r->indices + h->skip;

    if (h->failed || !is_of_copy(h, r))
        return NULL;
    h->any = true;
    h->failed = r->repeats || r->member_count > MOST_PATH || r->index_count > MOST_PATH ||
                r->index_count != h->skip + h->dims;
    for (int k = 0; k < h->dims && !h->failed; k++)
        h->failed = x[k].dim != h->first + k || x[k].lo < 0 || x[k].hi >= MOST_OFFSET;
    return h->failed ? NULL : x;
}

static void count_read(void *reads, const struct lift_reach_read *r)
{
    struct halo_reads *h = reads;
    const struct lift_reach_index *x = indices_of(h, r);

    for (int k = 0; x && k < h->dims; k++) {
        h->count[k][x[k].lo] += x[k].lo == x[k].hi;
        h->hi[k] = x[k].hi > h->hi[k] ? x[k].hi : h->hi[k];
    }
}

static void note_corners(void *reads, const struct lift_reach_read *r)
{
    struct halo_reads *h = reads;
    const struct lift_reach_index *x = indices_of(h, r);
    bool beside[LIFT_MAX_DIMS];

    for (int k = 0; x && k < h->dims; k++) {
        beside[k] = x[k].lo != h->centre[k] || x[k].hi != h->centre[k];
        for (int a = 0; a < k; a++)
            if (beside[a] && beside[k])
                h->corners[a] |= 1 << (k - a - 1);
    }
}

/* The offset at which most reads stay: stars read all but one dimension there. */
static void find_centre(struct halo_reads *h)
{
    for (int k = 0; k < h->dims; k++)
        for (int i = 1; i < MOST_OFFSET; i++)
            if (h->count[k][i] > h->count[k][h->centre[k]])
                h->centre[k] = i;
}

/* Finds the reads of 'array' by 'body', whose result the lengths 'core' describe. */
static void find_reads(struct halo_reads *h, lift_expr body, lift_expr array)
{
    int rank = lift_type_rank(body->type);

    h->first = rank - h->dims;
    h->failed = h->first < 0;
    if (h->failed)
        return;
    lift_reach_each(body, rank, array, count_read, h);
    find_centre(h);
    lift_reach_each(body, rank, array, note_corners, h);
}

/* ---- the copy */

/* The dimensions of a nest of mapLcl that copies; 0 for other terms. */
static int copied_dims(lift_expr e)
{
    for (int d = 0; lift_expr_is(e, LIFT_MAP_LCL) && d < LIFT_MAX_DIMS;
         e = e->u.prim.args[0]->u.lambda.body) {
        lift_expr body = e->u.prim.args[0]->u.lambda.body;

        d++;
        if (e->u.prim.attrs.lcl.halo != LIFT_HALO_BOX ||
            (d > 1 && !nd_is_own(e->u.prim.args[1])))
            return 0;
        if (nd_is_own(body))
            return d;
    }
    return 0;
}

/* The copy with its attributes from dimension 'k' on; NULL: the tile has no halo of
 * constant width. */
static lift_expr with_halo(struct lift_ir *ir, const struct halo_reads *h, int k,
                           lift_expr copy, lift_type result, enum lift_halo_copy how)
{
    struct lift_prim_args a;
    lift_nat wider = lift_nat_sub(copy->type->len, result->len);
    lift_expr f = copy->u.prim.args[0], body = f->u.lambda.body;
    int64_t halo;

    lift_expr_args(copy, &a);
    if (!lift_nat_is_const(wider, &halo) || h->hi[k] > halo || h->centre[k] > halo)
        return NULL;
    if (k + 1 < h->dims)
        body = with_halo(ir, h, k + 1, body, result->elem, how);
    if (!body)
        return NULL;
    a.args[0] = lift_expr_with_child(ir, f, 0, body);
    a.attrs.lcl.halo = how;
    a.attrs.lcl.before = h->centre[k];
    a.attrs.lcl.after = (int)halo - h->centre[k];
    a.attrs.lcl.corners = h->corners[k];
    return lift_make(ir, LIFT_MAP_LCL, &a);
}

/* The copy with its attributes, if the reads of 'array' by 'body' allow them. */
static lift_expr new_copy(struct rule_redex *redex, struct halo_reads *h, lift_expr body,
                          lift_expr array, lift_expr copy, enum lift_halo_copy how)
{
    lift_type result = body->type;
    lift_expr to;

    find_reads(h, body, array);
    if (h->failed || !h->any) {
        redex_refuse(redex,
                     "a read of the copied tile is at no constant distance from its "
                     "grid point");
        return NULL;
    }
    result = nd_under(result, h->first);
    to = with_halo(redex->ir, h, 0, copy, result, how);
    if (!to)
        redex_refuse(redex, "the tile that is copied has no halo of constant width");
    return to;
}

/* ---- a tile */

/* True if a stored value is computed from 'array'. */
static bool is_stored_from(lift_expr e, lift_expr array)
{
    if (lift_expr_is_storage(e))
        return nd_count(e, array, 1) > 0;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (is_stored_from(lift_expr_child(e, i), array))
            return true;
    return false;
}

static void copy_tile(struct rule_redex *redex, enum lift_halo_copy how)
{
    lift_expr e = redex->at, stored = e->u.prim.args[0], body, l, to;
    struct halo_reads h = {.dims = 0};
    struct opened opened;

    if (!lift_expr_is(stored, LIFT_TO_LOCAL))
        return;
    h.dims = copied_dims(stored->u.prim.args[0]);
    if (h.dims == 0 || !stages_open(&opened, redex->ir, e))
        return;
    l = lift_fresh(redex->ir, "l", stored->type);
    body = lift_expr_apply(redex->ir, opened.e->u.prim.args[1], &l);
    if (body->type->kind != LIFT_TYPE_ARRAY || is_stored_from(body, l)) {
        redex_refuse(redex, "a stored value is computed from the copied tile");
        return;
    }
    to = new_copy(redex, &h, body, l, stored->u.prim.args[0], how);
    if (to)
        redex_emit(redex, lift_expr_with_child(redex->ir, e, 0,
                                               lift_call1(redex->ir, LIFT_TO_LOCAL, to)));
}

/* ---- the planes of a stream */

static lift_expr function_body(lift_expr map)
{
    return lift_expr_is(map, LIFT_MAP) ? map->u.prim.args[0]->u.lambda.body : NULL;
}

/* True for a stream of planes that are copied to shared memory. */
static bool is_copied_stream(lift_expr xs)
{
    lift_expr body = function_body(xs), copy;

    if (!body || !lift_expr_is(body, LIFT_TO_LOCAL))
        return false;
    copy = body->u.prim.args[0];
    return copied_dims(copy) > 0 && nd_is_own(copy->u.prim.args[1]);
}

static lift_expr first_stream(lift_expr xs)
{
    lift_expr found = is_copied_stream(xs) ? xs : NULL;

    if (lift_expr_is(xs, LIFT_PAD))
        return first_stream(xs->u.prim.args[0]);
    for (int i = 0; lift_expr_is(xs, LIFT_ZIP) && i < xs->arg_count && !found; i++)
        found = first_stream(xs->u.prim.args[i]);
    return found;
}

/* True for registers that a thread loads from its own column of the stream. */
static bool is_column_of(lift_expr xs, lift_expr stream)
{
    lift_expr body = function_body(xs);

    return body && xs->u.prim.args[1] == stream && lift_expr_is(body, LIFT_TO_PRIVATE) &&
           nd_is_own(lift_copied(body->u.prim.args[0]));
}

static bool is_part(lift_expr e, lift_expr part)
{
    bool is = e == part;

    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < e->arg_count && !is; i++)
        is = is_part(e->u.prim.args[i], part);
    return is;
}

/* Notes the members of the window through which F reads the stream. False: another stream
 * is computed from it. */
static bool note_members(struct halo_reads *h, lift_expr xs, lift_expr stream, int *path,
                         int depth)
{
    if (lift_expr_is(xs, LIFT_PAD))
        return note_members(h, xs->u.prim.args[0], stream, path, depth);
    if (lift_expr_is(xs, LIFT_ZIP) && depth < MOST_PATH) {
        for (int i = 0; i < xs->arg_count; i++) {
            path[depth] = i;
            if (!note_members(h, xs->u.prim.args[i], stream, path, depth + 1))
                return false;
        }
        return true;
    }
    if (xs != stream && !is_column_of(xs, stream))
        return !is_part(xs, stream);
    if (h->aliases == MOST_ALIASES)
        return false;
    for (int i = 0; i < depth; i++)
        h->path[h->aliases][i] = path[i];
    h->depth[h->aliases++] = depth;
    return true;
}

static void copy_planes(struct rule_redex *redex, enum lift_halo_copy how)
{
    struct lift_ir *ir = redex->ir;
    lift_expr e = redex->at, xs = e->u.prim.args[1], stream = first_stream(xs);
    lift_expr f = e->u.prim.args[0], body, W, to, copy;
    struct halo_reads h = {.skip = 1};
    struct opened opened;
    int path[MOST_PATH];

    if (!stream || !stages_open(&opened, ir, f))
        return;
    copy = function_body(stream)->u.prim.args[0];
    h.dims = copied_dims(copy);
    if (!note_members(&h, xs, stream, path, 0)) {
        redex_refuse(redex, "a stored value is computed from the copied planes");
        return;
    }
    W = lift_fresh(ir, "W", f->type->parts[0]);
    body = lift_expr_apply(ir, opened.e, &W);
    to = new_copy(redex, &h, body, W, copy, how);
    if (!to)
        return;
    to = lift_call1(ir, LIFT_TO_LOCAL, to);
    to = lift_expr_with_child(ir, stream->u.prim.args[0], 0, to);
    to = planes_replace(ir, xs, stream, lift_expr_with_child(ir, stream, 0, to));
    redex_emit(redex, lift_expr_with_child(ir, e, 1, to));
}

static void copy_halo(struct rule_redex *redex, enum lift_halo_copy how)
{
    if (lift_expr_is(redex->at, LIFT_LET))
        copy_tile(redex, how);
    else if (lift_expr_is(redex->at, LIFT_MAP_SEQ_SLIDE))
        copy_planes(redex, how);
}

void rule_halo_flat(struct rule_redex *redex)
{
    copy_halo(redex, LIFT_HALO_FLAT);
}

void rule_halo_each(struct rule_redex *redex)
{
    copy_halo(redex, LIFT_HALO_EACH);
}

void rule_halo_axis(struct rule_redex *redex)
{
    copy_halo(redex, LIFT_HALO_AXIS);
}

void rule_halo_list(struct rule_redex *redex)
{
    copy_halo(redex, LIFT_HALO_LIST);
}
