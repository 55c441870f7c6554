#include "rules/native/planes.h"
#include "rules/native/retime.h"

/* Returns true, k and xs if 'e' is map(fun(q => q.k), xs). */
static bool is_select(lift_expr e, int *k, lift_expr *xs)
{
    lift_expr body;

    if (!lift_expr_is(e, LIFT_MAP))
        return false;
    body = e->u.prim.args[0]->u.lambda.body;
    if (!lift_expr_is(body, LIFT_GET) || !nd_is_own(body->u.prim.args[0]))
        return false;
    *k = body->u.prim.attrs.get.k;
    *xs = e->u.prim.args[1];
    return true;
}

/* ---- parts */

lift_expr planes_member(const struct planes *p, int i)
{
    return p->zipped ? p->xs->u.prim.args[i] : p->xs;
}

lift_expr planes_points(const struct planes *p, int i, lift_expr planes)
{
    if (!planes)
        return NULL;
    planes = nd_map_windows(p->ir, "p", p->d - 1, &p->parts[i].w, planes);
    return lift_rotate_n(p->ir, p->d, planes);
}

/* Returns the planes that part 'i' reads: planes of its member, starting at the part's
 * offset. */
static lift_expr seen_planes(const struct planes *p, int i)
{
    const struct plane_part *part = &p->parts[i];
    struct lift_nats *nats = lift_ir_nats(p->ir);
    lift_expr w = p->W;

    if (!p->zipped)
        return w;
    if (part->offset)
        w = lift_call_nat(p->ir, LIFT_DROP, lift_nat_const(nats, part->offset), w);
    if (w && !lift_nat_is(w->type->len, part->size))
        w = lift_call_nat(p->ir, LIFT_TAKE, lift_nat_const(nats, part->size), w);
    return nd_map_get(p->ir, i, w);
}

/* Reads a point of one plane: get(i, at(k, W)), or at(k, W). */
static bool read_point(const struct planes *p, int i, lift_expr e,
                       struct plane_part *part)
{
    if (p->zipped) {
        if (!lift_expr_is(e, LIFT_GET) || e->u.prim.attrs.get.k != i)
            return false;
        e = e->u.prim.args[0];
    }
    part->window = false;
    part->size = 1;
    return lift_expr_is(e, LIFT_AT) && e->u.prim.args[0] == p->W &&
           lift_nat_is_const(e->u.prim.nats[0], &part->offset);
}

/* Returns the planes under rotate_n(d, map(fun(p => slide_n(d-1, p)), planes)); NULL for
 * other forms. */
static lift_expr under_windows(struct planes *p, lift_expr e, struct nd_window *inner)
{
    lift_expr slides, plane;

    if (p->d > 2 && lift_expr_is(e, LIFT_MAP))
        e = e->u.prim.args[1];
    if (!lift_expr_is(e, LIFT_TRANSPOSE))
        return NULL;
    e = e->u.prim.args[0];
    if (!lift_expr_is(e, LIFT_MAP))
        return NULL;
    slides = e->u.prim.args[0]->u.lambda.body;
    if (!nd_is_slide(p->ir, p->d - 1, slides, inner, &plane))
        return NULL;
    return e->u.prim.args[1];
}

static bool read_window(struct planes *p, int i, lift_expr e)
{
    struct plane_part *part = &p->parts[i];
    struct nd_window inner;
    lift_expr planes = under_windows(p, e, &inner), xs;
    int k;

    if (!planes || !lift_nat_is_const(planes->type->len, &part->size))
        return false;
    part->window = true;
    for (int j = 0; j < p->d - 1; j++) {
        part->w.size[j + 1] = inner.size[j];
        part->w.step[j + 1] = inner.step[j];
    }
    if (p->zipped && !is_select(planes, &k, &xs))
        return false;
    xs = p->zipped ? xs : planes;
    if (lift_expr_is(xs, LIFT_TAKE))
        xs = xs->u.prim.args[0];
    part->offset = 0;
    if (lift_expr_is(xs, LIFT_DROP) &&
        !lift_nat_is_const(xs->u.prim.nats[0], &part->offset))
        return false;
    planes = seen_planes(p, i);
    return planes && planes_points(p, i, planes) == e;
}

bool planes_parse(struct lift_ir *ir, int d, lift_expr e, struct planes *p)
{
    lift_expr members[LIFT_MAX_ARGS], points, f = e->u.prim.args[0], body;

    *p = (struct planes){.ir = ir, .e = e, .d = d, .xs = e->u.prim.args[1]};
    if (d < 2 || !lift_nat_is(e->u.prim.nats[1], 1))
        return false;
    p->W = lift_fresh(ir, "W", f->type->parts[0]);
    body = lift_expr_apply(ir, f, &p->W);
    if (!nd_is_map(ir, d - 1, body, &p->f, &points) || nd_count(p->f, p->W, 1))
        return false;
    p->zipped = lift_expr_is(p->xs, LIFT_ZIP);
    p->count = p->zipped ? nd_is_zip(ir, d - 1, points, members) : 1;
    if (!p->zipped)
        members[0] = points;
    else if (p->count != p->xs->arg_count)
        return false;
    for (int i = 0; i < p->count; i++)
        if (!read_point(p, i, members[i], &p->parts[i]) && !read_window(p, i, members[i]))
            return false;
    return true;
}

/* ---- the reads of f */

struct reads {
    struct lift_ir *ir;
    lift_expr root; /* the window variable of the part */
    int d;
    lift_nat middle[LIFT_MAX_DIMS];
    const struct plane_part *part;
    uint64_t beside;
};

/* Records a read at(k_d, ... at(k_0, root)). Returns false if 'e' is not a read of one
 * point. */
static bool note_point(struct reads *r, lift_expr e)
{
    lift_nat at[LIFT_MAX_DIMS];
    int depth = r->d;
    bool beside = false;
    int64_t k;

    for (; depth > 0 && lift_expr_is(e, LIFT_AT); e = e->u.prim.args[0])
        at[--depth] = e->u.prim.nats[0];
    if (depth > 0 || e != r->root || !lift_nat_is_const(at[0], &k))
        return false;
    for (int i = 1; i < r->d; i++)
        beside |= at[i] != r->middle[i];
    if (beside)
        r->beside |= (uint64_t)1 << k;
    return true;
}

static bool note_reads(void *reads, lift_expr e)
{
    struct reads *r = reads;

    if (note_point(r, e))
        return false;
    if (e == r->root)
        r->beside = UINT64_MAX;
    return true;
}

uint64_t planes_beside(const struct planes *p, int i)
{
    const struct plane_part *part = &p->parts[i];
    lift_expr t = lift_fresh(p->ir, "t", p->f->type->parts[0]);
    struct reads r = {.ir = p->ir,
                      .root = p->zipped ? lift_get(p->ir, i, t) : t,
                      .d = p->d,
                      .part = part};
    lift_expr body;

    if (!part->window || part->size > 63)
        return part->window ? UINT64_MAX : 0;
    for (int j = 1; j < p->d; j++)
        r.middle[j] = lift_nat_div(lift_nat_add_const(part->w.size[j], -1),
                                   lift_nat_const(lift_ir_nats(p->ir), 2));
    body = lift_expr_apply(p->ir, p->f, &t);
    body = body->loose ? NULL : retime_normal(p->ir, body);
    if (!body)
        return UINT64_MAX;
    lift_expr_each(body, note_reads, &r);
    return r.beside;
}

/* ---- circular buffers */

struct plane_change {
    lift_expr from, to;
};

static lift_expr changed(void *user, lift_expr e)
{
    const struct plane_change *c = user;

    return e == c->from ? c->to : e->kind == LIFT_EXPR_PRIM ? NULL : e;
}

lift_expr planes_replace(struct lift_ir *ir, lift_expr e, lift_expr from, lift_expr to)
{
    struct plane_change c = {from, to};

    return lift_expr_mapped(&(struct lift_expr_map){ir, &c, changed, NULL}, e);
}

lift_expr planes_copied(struct lift_ir *ir, enum lift_op storage, lift_expr xs)
{
    lift_expr p = lift_fresh(ir, "p", xs->type->elem);

    return lift_map(ir, lift_fun(ir, lift_call1(ir, storage, nd_copy_all(ir, p)), p), xs);
}

lift_expr planes_ring(struct lift_ir *ir, lift_expr xs)
{
    return planes_copied(ir, LIFT_TO_LOCAL, xs);
}
