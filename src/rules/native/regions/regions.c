/* Regions of the domain: splits a stencil with padded inputs or index predicates into an
 * interior without boundary checks, and faces.
 *
 *     map_n(f, X) = concat of map_n(f, part of X) along a dimension
 *
 * The parts are the points whose windows reach padding at the first end, points that read
 * only inputs, and points at the last end. */
#include "rules/native/regions/regions.h"
#include "rules/native/natives.h"
#include "rules/nd.h"

enum { MAX_PARTS = 3 };

/* A cut of a nest of maps along one dimension. */
struct cut {
    struct lift_ir *ir;
    int d, dim;
    lift_expr f, xs;
    lift_nat counts[MAX_PARTS];
    int count;
};

static void add_part(struct cut *c, lift_nat count)
{
    if (!lift_nat_is(count, 0))
        c->counts[c->count++] = count;
}

static lift_expr cut_nest(const struct cut *c)
{
    lift_expr parts[MAX_PARTS];
    struct region r = {c->dim, lift_nat_const(lift_ir_nats(c->ir), 0), NULL};

    for (int i = 0; i < c->count; i++) {
        r.count = c->counts[i];
        parts[i] = lift_map_n(c->ir, c->d, c->f, region_of(c->ir, c->xs, r));
        r.start = lift_nat_add(r.start, r.count);
    }
    return region_concat(c->ir, c->dim, parts, c->count);
}

/* Finds the width of the boundary in a dimension of the nest, and the length of the
 * interior. Returns false if no interior can exist. */
static bool find_interior(struct rule_redex *redex, struct cut *c, struct halo *h,
                          lift_nat *inner)
{
    lift_nat len[LIFT_MAX_DIMS];

    *c = (struct cut){
        .ir = redex->ir, .d = redex->numbers.dims, .dim = redex->numbers.dim};
    if (!nd_is_map(redex->ir, c->d, redex->at, &c->f, &c->xs) ||
        !nd_lengths(c->xs->type, c->d, len))
        return false;
    *h = region_halo(redex->ir, c->xs, c->dim);
    *inner = lift_nat_sub(len[c->dim], lift_nat_add(h->before, h->after));
    return lift_nat_hi(*inner) >= 1;
}

/* The first number is the dimension of the cut. The types of the windows imply that the
 * interior has at least one point. */
void rule_faces(struct rule_redex *redex)
{
    struct cut c;
    lift_nat inner;
    struct halo h;

    if (!find_interior(redex, &c, &h, &inner))
        return;
    add_part(&c, h.before);
    add_part(&c, inner);
    add_part(&c, h.after);
    if (c.count > 1)
        redex_emit(redex, cut_nest(&c));
}

/* Like rule_faces, with both faces as one region: the nest over the whole grid, whose
 * interior is not stored. The second result decides index predicates that are constant on
 * both faces. */
void rule_face_pair(struct rule_redex *redex)
{
    lift_expr part, faces[2] = {redex->at, NULL};
    struct lift_ir *ir = redex->ir;
    struct region between;
    lift_nat inner;
    struct halo h;
    struct cut c;

    if (!find_interior(redex, &c, &h, &inner) ||
        (lift_nat_is(h.before, 0) && lift_nat_is(h.after, 0)))
        return;
    between = (struct region){c.dim, h.before, inner};
    part = lift_map_n(ir, c.d, c.f, region_of(ir, c.xs, between));
    part = lift_turn(ir, c.dim, part);
    faces[1] = region_decided(ir, c.d, c.f, c.xs, &between, 1);
    for (int i = 0; i < 2 && faces[i]; i++) {
        struct lift_prim_args a = {.nats = {h.before, h.after}, .arg_count = 2};

        a.args[0] = lift_turn(ir, c.dim, faces[i]);
        a.args[1] = part;
        if (a.args[0] && a.args[1])
            redex_emit(redex, lift_unturn(ir, c.dim, lift_make(ir, LIFT_INSET, &a)));
    }
}

/* Finds the interior of all dimensions; false if the interior is empty, or equals the
 * whole. */
static bool find_box(struct rule_redex *redex, struct cut *c,
                     struct region box[LIFT_MAX_DIMS])
{
    struct rule_redex at = *redex;
    bool all = true;
    struct halo h;

    for (int k = 0; k < redex->numbers.dims; k++) {
        at.numbers.dim = k;
        box[k].dim = k;
        if (!find_interior(&at, c, &h, &box[k].count))
            return false;
        box[k].start = h.before;
        all = all && lift_nat_is(h.before, 0) && lift_nat_is(h.after, 0);
    }
    return !all;
}

/* Builds the interior of all dimensions, and one nest over the whole grid that skips the
 * interior. The second result decides predicates that are constant outside the interior.
 */
void rule_shell(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    struct lift_prim_args a = {.arg_count = 2};
    lift_expr around[2] = {redex->at, NULL}, inner;
    struct region box[LIFT_MAX_DIMS];
    struct cut c;

    a.attrs.box.dims = redex->numbers.dims;
    if (!find_box(redex, &c, box))
        return;
    inner = c.xs;
    for (int k = 0; k < LIFT_MAX_NATS; k++) {
        a.nats[k] = k < c.d ? box[k].start : lift_nat_const(lift_ir_nats(ir), 0);
        if (k < c.d && inner)
            inner = region_of(ir, inner, box[k]);
    }
    a.args[1] = lift_map_n(ir, c.d, c.f, inner);
    around[1] = region_decided(ir, c.d, c.f, c.xs, box, c.d);
    for (int i = 0; i < 2 && around[i] && a.args[1]; i++) {
        a.args[0] = around[i];
        redex_emit(redex, lift_make(ir, LIFT_INSET_BOX, &a));
    }
}
