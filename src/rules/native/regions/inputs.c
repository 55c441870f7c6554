/* Inputs of a nest of maps, specialised to its region:
 *
 *     map_n(f, zip_n(..., array_n(len, g), ...))
 *
 * The rule removes predicates of g that are constant on the region. It substitutes the
 * element of a constant array in f, and drops inputs that f does not read.
 */
#include "rules/native/natives.h"
#include "rules/native/regions/index_tests.h"
#include "rules/nd.h"

struct inputs {
    struct lift_ir *ir;
    int d, count;
    bool zipped;
    lift_expr members[LIFT_MAX_ARGS];
    lift_expr element[LIFT_MAX_ARGS]; /* the element of a constant member, or NULL */
    bool dropped[LIFT_MAX_ARGS];
};

static struct inputs inputs_of(struct lift_ir *ir, int d, lift_expr xs)
{
    struct inputs in = {.ir = ir, .d = d};

    in.count = nd_is_zip(ir, d, xs, in.members);
    in.zipped = in.count > 0;
    if (!in.zipped) {
        in.count = 1;
        in.members[0] = xs;
    }
    return in;
}

static int kept_of(const struct inputs *in, lift_expr kept[LIFT_MAX_ARGS])
{
    int n = 0;

    for (int i = 0; i < in->count; i++)
        if (!in->dropped[i])
            kept[n++] = in->members[i];
    return n;
}

/* Rewrites 'body' of a point 't' of all inputs as a function of a point of the kept
 * inputs. NULL if the body uses the point as a whole. */
static lift_expr of_kept(const struct inputs *in, lift_expr body, lift_expr t,
                         const lift_expr *kept, int count)
{
    lift_type types[LIFT_MAX_ARGS];
    lift_expr to;
    int k = 0;

    for (int i = 0; i < count; i++)
        types[i] = nd_under(kept[i]->type, in->d);
    to = lift_fresh(in->ir, "t",
                    count == 1 ? types[0] : lift_type_tuple(in->ir, types, count));
    for (int i = 0; body && i < in->count; i++) {
        lift_expr part = in->zipped ? lift_get(in->ir, i, t) : t;
        lift_expr now = in->dropped[i] ? in->element[i]
                        : count == 1   ? to
                                       : lift_get(in->ir, k, to);

        k += !in->dropped[i];
        if (now)
            body = nd_replace(in->ir, body, part, now);
    }
    return body && !nd_count(body, t, 1) ? lift_fun(in->ir, body, to) : NULL;
}

/* Builds map_n(f, X) with the remaining inputs; NULL if no input remains, or f uses the
 * point as a whole. */
static lift_expr nest_of(const struct inputs *in, lift_expr f)
{
    struct index_boxes none = {.count = 1};
    lift_expr kept[LIFT_MAX_ARGS], t = lift_fresh(in->ir, "t", f->type->parts[0]);
    lift_expr body = lift_expr_apply(in->ir, f, &t);
    int count = kept_of(in, kept);

    if (!count)
        return NULL;
    f = of_kept(in, body, t, kept, count);
    if (!f)
        return NULL;
    body = index_decided(in->ir, f->u.lambda.body, &none);
    f = lift_expr_lambda(in->ir, f->type->parts, 1, f->u.lambda.names, body);
    return lift_map_n(in->ir, in->d, f,
                      count == 1 ? kept[0] : lift_zip_n(in->ir, in->d, kept, count));
}

/* ---- predicates of indices */

static bool mentions_index(lift_expr e, const struct index_boxes *boxes)
{
    for (int k = 0; k < boxes->d; k++)
        if (nd_count(e, boxes->index[k], 1))
            return true;
    return false;
}

/* Adds two boxes: the points before and after a region. */
static void add_around(struct index_boxes *boxes, const struct index_box whole,
                       const struct region *r)
{
    lift_nat behind = lift_nat_add(r->start, r->count);

    if (!lift_nat_is(r->start, 0)) {
        boxes->box[boxes->count] = whole;
        boxes->box[boxes->count++].last[r->dim] = lift_nat_add_const(r->start, -1);
    }
    if (lift_nat_add_const(whole.last[r->dim], 1) != behind) {
        boxes->box[boxes->count] = whole;
        boxes->box[boxes->count++].first[r->dim] = behind;
    }
}

/* Lists the points outside the intersection of the regions, which is smaller than the
 * whole array. */
static void leave_out(struct index_boxes *boxes, const struct region *left_out, int count)
{
    const struct index_box whole = boxes->box[0];

    if (count > 0)
        boxes->count = 0;
    for (int i = 0; i < count; i++)
        add_around(boxes, whole, &left_out[i]);
}

/* Decides the predicates of member 'i'; true if this changes the member. */
static bool decide(struct inputs *in, int i, const struct region *left_out, int regions)
{
    struct index_boxes boxes = {.d = in->d};
    lift_expr body = index_body(in->ir, in->members[i], &boxes), to;
    lift_nat len[LIFT_MAX_DIMS];

    if (!body || !nd_lengths(in->members[i]->type, in->d, len))
        return false;
    leave_out(&boxes, left_out, regions);
    to = index_decided(in->ir, body, &boxes);
    if (lift_type_is_value(to->type) && !to->loose && !mentions_index(to, &boxes)) {
        in->element[i] = to;
        in->dropped[i] = true;
        return true;
    }
    if (to == body)
        return false;
    to = lift_array_n(in->ir, in->d, len,
                      lift_expr_abstract(in->ir, boxes.index, in->d, to));
    in->members[i] = to ? to : in->members[i];
    return to;
}

lift_expr region_decided(struct lift_ir *ir, int d, lift_expr f, lift_expr xs,
                         const struct region *left_out, int regions)
{
    struct inputs in = inputs_of(ir, d, xs);
    lift_expr kept[LIFT_MAX_ARGS];
    bool changed = false;

    for (int i = 0; i < in.count; i++)
        if (decide(&in, i, left_out, regions))
            changed = true;
    if (in.count && !kept_of(&in, kept)) { /* keep one input for the length */
        in.dropped[0] = false;
        in.element[0] = NULL;
    }
    return changed ? nest_of(&in, f) : NULL;
}

void rule_drop_decided_checks(struct rule_redex *redex)
{
    lift_expr f, xs, to = NULL;
    int d = redex->numbers.dims;

    if (nd_is_map(redex->ir, d, redex->at, &f, &xs))
        to = region_decided(redex->ir, d, f, xs, NULL, 0);
    if (to)
        redex_emit(redex, to);
}

/* ---- unused inputs */

void rule_zip_drop(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    lift_expr f, xs, t, body;
    struct inputs in;
    int used = 0;

    if (!nd_is_map(ir, redex->numbers.dims, redex->at, &f, &xs))
        return;
    in = inputs_of(ir, redex->numbers.dims, xs);
    if (!in.zipped)
        return;
    t = lift_fresh(ir, "t", f->type->parts[0]);
    body = lift_expr_apply(ir, f, &t);
    for (int i = 0; i < in.count; i++) {
        in.dropped[i] = !nd_count(body, lift_get(ir, i, t), 1);
        used += !in.dropped[i];
    }
    if (used == 0) /* keep one input for the length */
        in.dropped[0] = false;
    if (used < in.count && in.count > 1)
        redex_emit(redex, nest_of(&in, f));
}
